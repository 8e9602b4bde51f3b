//! Tables that a drive and its fork share.

use std::any::Any;
use std::collections::VecDeque;

use crate::engine::memory::Memory;

/// Memory of tables, in the order in which they are saved and loaded.
#[derive(Debug, Default)]
pub struct Forks(VecDeque<Box<dyn Any + Send>>);

impl Forks {
    /// Adds the memory of a table.
    pub(in crate::engine) fn push<T: Send + 'static>(&mut self, memory: Memory<T>) {
        self.0.push_back(Box::new(memory));
    }

    /// The memory of the next table; none if that is a table of something else.
    pub(super) fn next<T: Send + 'static>(&mut self) -> Option<Memory<T>> {
        self.0.pop_front()?.downcast().ok().map(|memory| *memory)
    }
}
