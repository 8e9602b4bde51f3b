//! `ar2`, Adaptive Read-Retry: retry steps precharge the bit lines for a shorter time, since the final
//! step decodes with margin (PR2/AR2, Section 6.2, Fig. 13). SET FEATURE goes before the first retry
//! step and, to roll back, after the last: `tRETRY = tSET + N (rho tR + tDMA + tECC)`, and with `pr2`
//! `tSET + rho N tR + tDMA + tECC` (Eq. 5). If no step decodes, the whole retry is done once more at the
//! default timing.
//!
//! How much shorter is looked up by the block's P/E cycles and the age of its data (the RPT), or given by
//! `read.tpre_cut`. `read.shorten_first` shortens the regular read too (Section 8).

use super::steer::{ReadContext, ReadProgress};
use crate::engine::Ns;
use crate::flash::{Phase, Phases};

/// A sense at the timing in force.
pub(super) fn sense(progress: &ReadProgress, context: &ReadContext) -> Ns {
    if progress.is_short { context.short_sense } else { context.sense }
}

/// The first shortened sense: the timing changes before it.
pub(super) fn shorten(progress: &mut ReadProgress, context: &ReadContext) -> Phases {
    progress.is_short = true;
    Phases::of(&[Phase::SetFeature(context.set_feature), Phase::Sense(context.short_sense)])
}

/// Every shortened step has failed: the whole retry again, from its first step, at the default timing.
pub(super) fn fall_back(progress: &mut ReadProgress, context: &ReadContext) -> Phases {
    progress.is_short = false;
    progress.has_fallen_back = true;
    Phases::of(&[Phase::SetFeature(context.set_feature), Phase::Sense(context.sense)])
}
