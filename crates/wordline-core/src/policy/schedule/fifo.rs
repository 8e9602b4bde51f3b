//! FIFO: whatever was asked for first, of any kind.

use super::UnitView;
use crate::flash::Class;

const ALL: [Class; 6] = [
    Class::MapRead,
    Class::UserRead,
    Class::InternalRead,
    Class::UserWrite,
    Class::InternalWrite,
    Class::Erase,
];

#[inline]
pub(super) fn choose(view: &UnitView<'_>) -> Option<Class> {
    ALL.into_iter().filter(|&class| view.has(class)).min_by_key(|&class| view.heads[class as usize])
}
