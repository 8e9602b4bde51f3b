//! `ideal`: every page decodes at the first sense. The upper bound that the retry papers call NoRR
//! (PR2/AR2, Section 7.2) and SSD_zero (RiF).

use super::{ReadContext, ReadPlan};
use crate::controller::{Phase, Phases};

#[inline]
pub(super) fn begin(context: &ReadContext) -> ReadPlan {
    ReadPlan { phases: Phases::of(&[Phase::Sense(context.sense)]), ship: false }
}
