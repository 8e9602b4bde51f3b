//! `reads`: read reclaim by count: a block that was read so often since its last erase is rewritten before read disturb
//! leaves more errors than the ECC corrects.

use super::{DeviceView, Policy, RefreshPolicy, RefreshView};
use crate::engine::Ns;
use crate::parameter::section;

section! {
    /// The keys of `reads`.
    #[derive(Copy)]
    pub struct Keys {
        /// Senses since the last erase at which a block's data is rewritten.
        reclaim_reads: u32 = 100_000, whole(1, 16_777_215).unit("reads").source("assumed")
            .when("refresh.policy", &["reads"]);
    }
}

/// A block is not sensed more often than this.
const SENSE_NS_MIN: Ns = 10_000;
/// Looks in the time in which a block can come to the threshold.
const LOOKS: Ns = 16;

/// Data in blocks that were read often.
#[derive(Clone, Copy, Debug)]
pub struct Reads {
    threshold: u32,
}

impl Policy for Reads {
    const NAME: &'static str = "reads";
    const HELP: &'static str = "data in a block that was sensed `reclaim_reads` times since its erase";
    type Parameters = Keys;
}

impl RefreshPolicy for Reads {
    fn counts_reads() -> bool {
        true
    }

    fn new(keys: &Keys, _: &DeviceView<'_>) -> Reads {
        Reads { threshold: keys.reclaim_reads }
    }

    fn looks_every(&self) -> Option<Ns> {
        Some((Ns::from(self.threshold) * SENSE_NS_MIN / LOOKS).max(SENSE_NS_MIN))
    }

    fn is_due(&self, view: &RefreshView<'_>) -> bool {
        view.reads >= self.threshold
    }
}
