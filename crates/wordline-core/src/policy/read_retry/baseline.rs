//! `baseline`: the regular read-retry. Each step senses, ships and decodes, and the next step starts
//! only when the last one is known to have failed, so that N steps take N times
//! `tR + tDMA + tECC` on top of the first read (PR2/AR2, Eq. 2 and 3, Fig. 12a).

use super::{ReadContext, ReadPlan, ReadProgress};
use crate::controller::{Phase, Phases};

pub(super) fn begin(context: &ReadContext) -> ReadPlan {
    ReadPlan { phases: Phases::of(&[Phase::Sense(context.sense)]), ship: false }
}

pub(super) fn failed(progress: &mut ReadProgress, context: &ReadContext) -> ReadPlan {
    progress.step += 1;
    ReadPlan { phases: Phases::of(&[Phase::Sense(context.sense)]), ship: false }
}
