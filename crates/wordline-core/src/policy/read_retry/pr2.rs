//! `pr2`, Pipelined Read-Retry: after the first failed read, the next retry sense starts the moment the
//! last one is in the cache register (CACHE READ), so that transfer and decoding leave the critical path:
//! `tRETRY = N tR + tDMA + tECC` (PR2/AR2, Eq. 4, Fig. 12b). When a page decodes, RESET ends the sense
//! that turned out needless (5 us).
//!
//! `read.pipeline_first` overlaps the first read as well, an option that the paper does not evaluate: it
//! saves `tDMA + tECC` where the read fails, and costs a RESET where it does not.

use super::{Modifier, NoParameters, Policy, ReadProgress, Refusal};
use crate::config::Config;
use crate::nand::Nand;

/// The next retry sense starts before it is known whether the last one failed.
#[derive(Clone, Copy, Debug)]
pub struct Pr2 {
    pipeline_first: bool,
}

impl Policy for Pr2 {
    const NAME: &'static str = "pr2";
    const HELP: &'static str =
        "retry steps overlap: the next sense runs while the last page is moved and decoded";
    type Parameters = NoParameters;

    fn check(config: &Config) -> Result<(), Refusal> {
        if config.nand.cache_register {
            return Ok(());
        }
        Err(Refusal {
            why: "senses while the page before is in the cache register (CACHE READ), and this die has none",
            fix: "set nand.cache_register = true",
        })
    }
}

impl Modifier for Pr2 {
    type Memory = ();

    fn new(config: &Config, _: &Nand) -> Pr2 {
        Pr2 { pipeline_first: config.read.pipeline_first }
    }

    #[inline]
    fn senses_on(&self, progress: &ReadProgress) -> bool {
        progress.is_retrying || self.pipeline_first
    }
}
