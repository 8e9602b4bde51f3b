//! The writes that the device has taken, by age.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::Op;
use crate::engine::Ns;

/// Writes between submission and completion, oldest first: the request and when the device took it. `None` where nobody
/// asks for their age.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct WritesUnderWay(Option<VecDeque<(u32, Ns)>>);

impl WritesUnderWay {
    /// None is under way.
    pub fn new(are_kept: bool) -> WritesUnderWay {
        WritesUnderWay(are_kept.then(VecDeque::new))
    }

    /// The device takes a request.
    #[inline]
    pub fn taken(&mut self, id: u32, op: Op, now: Ns) {
        if let Some(writes) = &mut self.0
            && op.writes()
        {
            writes.push_back((id, now));
        }
    }

    /// A request is complete.
    #[inline]
    pub fn completed(&mut self, id: u32, op: Op) {
        if self.0.is_some() && op.writes() {
            self.remove(id);
        }
    }

    #[inline(never)]
    fn remove(&mut self, id: u32) {
        if let Some(writes) = &mut self.0
            && let Some(at) = writes.iter().position(|&(write, _)| write == id)
        {
            writes.remove(at);
        }
    }

    /// When the device took the oldest one, ns.
    #[inline]
    pub fn oldest(&self) -> Option<Ns> {
        self.0.as_ref()?.front().map(|&(_, taken)| taken)
    }

    /// Power is gone: none will complete.
    pub fn power_cut(&mut self) {
        if let Some(writes) = &mut self.0 {
            writes.clear();
        }
    }
}
