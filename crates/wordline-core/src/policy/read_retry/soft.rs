//! `soft`: the last resort behind any source. When every hard decision has failed, each reference of the page is also
//! sensed a little above and below, and the ECC decodes with soft decisions. Controllers walk the retry table first and
//! begin soft decoding where it fails (ACM TECS 24(5s), 2025, doi:10.1145/3760259), since each further level costs a
//! sense and a transfer: `tSOFT = n (tR + tDMA) + tECC` behind a retry whose steps follow each other, and with `pr2`,
//! whose senses overlap with transfers, `n tR + tDMA + tECC`.
//!
//! The levels lie around the voltages at which the page had the fewest errors so far. A controller finds them by the
//! syndrome weights of the failed decodings. Soft senses have the default timing.

use super::{ChipView, DeviceView, Modifier, Policy};
use crate::parameter::section;

section! {
    /// The keys of `soft`.
    #[derive(Copy)]
    pub struct Keys {
        /// Further senses beside each reference that `soft` takes when hard decisions have failed.
        soft_senses: u8 = 2,
            whole(2, 3).unit("senses").source("assumed: the fewest that give soft decisions").when("read.retry", &["soft"]);
    }
}

/// Soft decisions after all hard ones have failed.
#[derive(Clone, Copy, Debug)]
pub struct Soft {
    senses: u8,
}

impl Policy for Soft {
    const NAME: &'static str = "soft";
    const HELP: &'static str =
        "when all steps have failed, senses beside the references and a soft-decision decoding";
    type Parameters = Keys;
}

impl Modifier for Soft {
    type Memory = ();

    fn new(keys: &Keys, _: &DeviceView<'_>, _: &ChipView<'_>) -> Soft {
        Soft { senses: keys.soft_senses }
    }

    fn soft_senses(&self) -> u8 {
        self.senses
    }
}
