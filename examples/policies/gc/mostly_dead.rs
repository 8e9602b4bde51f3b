//! `mostly-dead`: the oldest block of which no more than a share is live, and the emptiest where there is none. Between
//! FIFO (a share of 1) and greedy (0).

use super::{DeviceView, GcPolicy, GcView, Policy, greedy};
use crate::parameter::section;
use wordline_cells::geometry::BlockId;

section! {
    /// The keys of `mostly-dead`.
    #[derive(Copy)]
    pub struct Keys {
        /// Share of a block's pages that may be live.
        live_share: f64 = 0.5, fraction().source("assumed: half").when("gc.policy", &["mostly-dead"]);
    }
}

/// The oldest block of which no more than a share is live.
#[derive(Clone, Copy, Debug)]
pub struct MostlyDead {
    live_share: f64,
}

impl Policy for MostlyDead {
    const NAME: &'static str = "mostly-dead";
    const HELP: &'static str = "the oldest block of which no more than `live_share` is live";
    type Parameters = Keys;
}

impl GcPolicy for MostlyDead {
    fn new(keys: &Keys, _: &DeviceView<'_>) -> MostlyDead {
        MostlyDead { live_share: keys.live_share }
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        let most = (f64::from(view.pages_per_block) * self.live_share) as u16;
        let dead = view.candidates().filter(|(_, block)| block.valid <= most);
        let oldest = dead.min_by_key(|(_, block)| block.filled_seq).map(|(id, _)| id);
        oldest.or_else(|| greedy::choose(view))
    }
}
