//! `pr2`, Pipelined Read-Retry: after the first failed read, the next retry sense starts the moment the
//! last one is in the cache register (CACHE READ), so that transfer and decoding leave the critical path:
//! `tRETRY = N tR + tDMA + tECC` (PR2/AR2, Eq. 4, Fig. 12b). When a page decodes, RESET ends the sense
//! that turned out needless (5 us).
//!
//! `read.pipeline_first` overlaps the first read as well, an option that the paper does not evaluate: it
//! saves `tDMA + tECC` where the read fails, and costs a RESET where it does not.

/// True when the next sense may start while the pages of the last are on their way.
#[inline]
pub(super) fn goes_on(is_retrying: bool, pipeline_first: bool) -> bool {
    is_retrying || pipeline_first
}
