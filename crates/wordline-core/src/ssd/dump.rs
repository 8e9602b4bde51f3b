//! The dump: what an SSD with backup power (`power.protected`) writes of its DRAM to flash when power is lost.
//!
//! Assumed: blocks for it are kept erased; all planes program at once, each channel brings their pages one after the other,
//! and nothing else is done. When power is back the data are written again as any data of the host are.

use crate::engine::Ns;
use crate::nand::{Geometry, Timing};

/// How long backup power must last to write so many whole pages, ns: until the buses have brought them, or until the planes
/// have programmed them, whichever is longer.
pub(super) fn time(pages: usize, geometry: &Geometry, timing: &Timing) -> Ns {
    if pages == 0 {
        return 0;
    }
    let pages = pages as u64;
    let transfer = timing.program_command(1) + timing.data_in(geometry.page_bytes);
    let program = timing.program_of_dump();
    let by_bus = pages.div_ceil(geometry.channels.into()) * transfer + program;
    let by_planes = transfer + pages.div_ceil(geometry.planes().into()) * program;
    by_bus.max(by_planes)
}
