//! Where there are no [`Pages`] as on Linux: all tables are boxes, and forks copy them.

use std::ops::Range;
use std::ptr::NonNull;

#[derive(Debug)]
pub(super) enum Pages {}

impl Pages {
    pub fn zeroed(_: usize, _: bool) -> Option<Pages> {
        None
    }

    pub fn place(&self) -> NonNull<u8> {
        match *self {}
    }

    pub fn is_shared(&self) -> bool {
        match *self {}
    }

    pub fn fork(&self, _: &[u8]) -> Option<Pages> {
        match *self {}
    }

    pub fn gather_alone(&self, _: &[u8]) -> Option<()> {
        match *self {}
    }

    pub fn touched(&self) -> Option<Vec<Range<usize>>> {
        match *self {}
    }
}
