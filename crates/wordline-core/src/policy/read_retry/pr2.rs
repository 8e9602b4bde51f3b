//! `pr2`, Pipelined Read-Retry: after the first failed read, the next retry sense starts the moment the
//! last one is in the cache register (CACHE READ), so that transfer and decoding leave the critical path:
//! `tRETRY = N tR + tDMA + tECC` (PR2/AR2, Eq. 4, Fig. 12b). When a page decodes, RESET ends the sense
//! that turned out needless (5 us).
//!
//! `read.pipeline_first` overlaps the first read as well, an option that the paper does not evaluate: it
//! saves `tDMA + tECC` where the read fails, and costs a RESET where it does not.

use super::{ChipView, DeviceView, Modifier, Policy, ReadProgress, Refusal};
use crate::parameter::section;

section! {
    /// The keys of `pr2`.
    #[derive(Copy)]
    pub struct Keys {
        /// `pr2` overlaps the first read too, which the paper does not.
        pipeline_first: bool = false, truth().when("read.retry", &["pr2", "pnar2"]);
    }
}

/// The next retry sense starts before it is known whether the last one failed.
#[derive(Clone, Copy, Debug)]
pub struct Pr2 {
    pipeline_first: bool,
}

impl Policy for Pr2 {
    const NAME: &'static str = "pr2";
    const HELP: &'static str =
        "retry steps overlap: the next sense runs while the last page is moved and decoded";
    type Parameters = Keys;

    fn check(_: &Keys, device: &DeviceView<'_>) -> Result<(), Refusal> {
        if device.has_cache_register {
            return Ok(());
        }
        Err(Refusal::of_device(
            "senses while the page before is in the cache register (CACHE READ), and this die has none",
            "set nand.cache_register = true",
        ))
    }
}

impl Modifier for Pr2 {
    type Memory = ();

    fn new(keys: &Keys, _: &DeviceView<'_>, _: &ChipView<'_>) -> Pr2 {
        Pr2 { pipeline_first: keys.pipeline_first }
    }

    #[inline]
    fn senses_on(&self, progress: &ReadProgress) -> bool {
        progress.is_retrying || self.pipeline_first
    }
}
