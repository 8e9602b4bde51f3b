//! d-choices: the best of `gc.d` blocks drawn at random (Van Houdt, SIGMETRICS 2013).

use super::{DeviceView, GcKeys, GcPolicy, GcView, Policy, sampling};
use crate::parameter::section;
use wordline_cells::geometry::BlockId;

section! {
    /// The keys of `d-choices`.
    #[derive(Copy)]
    pub struct Keys {
        /// Blocks that `d-choices` looks at.
        d: u32 = 8, whole(1, 1024).unit("blocks").when("gc.policy", &["d-choices"]);
    }
}

/// The fewest valid pages of `d` random ones.
#[derive(Clone, Copy, Debug)]
pub struct DChoices {
    samples: u32,
}

impl Policy for DChoices {
    const NAME: &'static str = "d-choices";
    const HELP: &'static str = "the fewest valid pages of `d` random ones";
    type Parameters = Keys;
}

impl GcPolicy for DChoices {
    fn is_blind(keys: &GcKeys) -> bool {
        keys.d_choices.d == 1
    }

    fn new(keys: &Keys, _: &DeviceView<'_>) -> DChoices {
        DChoices { samples: keys.d }
    }

    fn choose(&mut self, view: &GcView<'_>) -> Option<BlockId> {
        sampling::best_of(self.samples, view)
    }
}
