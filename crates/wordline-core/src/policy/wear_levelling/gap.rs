//! `gap`: where the most and the least worn block of a plane lie too far apart, the data of the least worn one moves, as
//! Linux's UBI does it.

use super::{DeviceView, Policy, WearKeys, WearPolicy, WearView};
use crate::parameter::section;
use wordline_cells::geometry::BlockId;

section! {
    /// The keys of `gap`.
    #[derive(Copy)]
    pub struct Keys {
        /// P/E cycles between a plane's most and least worn block that trigger a swap; 0 = off.
        static_threshold: u32 = 0, whole(0, 1_000_000).unit("P/E cycles").when("wear.policy", &["gap"]);
    }
}

/// The least worn block, where wear is too uneven.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    threshold: u32,
}

impl Policy for Gap {
    const NAME: &'static str = "gap";
    const HELP: &'static str =
        "the least worn block's, when it lies more than `static_threshold` behind the most worn one";
    type Parameters = Keys;
}

impl WearPolicy for Gap {
    fn moves_data(keys: &WearKeys) -> bool {
        keys.gap.static_threshold > 0
    }

    fn new(keys: &Keys, _: &DeviceView<'_>) -> Gap {
        Gap { threshold: keys.static_threshold }
    }

    fn choose(&mut self, view: &WearView<'_>) -> Option<BlockId> {
        let most = view.in_use().map(|(id, _)| view.pec(id)).max()?;
        let (least, block) = view.candidates().map(|(id, _)| (view.pec(id), id)).min()?;
        (most - least > self.threshold).then_some(block)
    }
}
