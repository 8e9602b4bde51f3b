//! The dump: what an SSD with backup power (`power.protected`) writes of its DRAM to flash when power is lost.
//!
//! Assumed: blocks for it are kept erased; all planes program at once, each channel brings their pages one after the other,
//! and nothing else is done. When power is back the data are read in the same way, where there is a journal, and written again as
//! any data of the host are.

use crate::engine::Ns;
use crate::nand::{Geometry, Timing};

/// How long backup power must last to write so many bytes in whole pages, ns: until the buses have brought them, or until
/// the planes have programmed them, whichever is longer.
pub(super) fn time(bytes: u64, geometry: &Geometry, timing: &Timing) -> Ns {
    let transfer = timing.program_command(1) + timing.data_in(geometry.page_bytes);
    both(bytes, geometry, transfer, timing.program_of_dump())
}

/// How long it takes to read them, ns.
pub(super) fn read_time(bytes: u64, geometry: &Geometry, timing: &Timing) -> Ns {
    let transfer = timing.read_command(1) + timing.data_out(geometry.page_bytes);
    both(bytes, geometry, transfer, timing.read_of_dump())
}

fn both(bytes: u64, geometry: &Geometry, transfer: Ns, array: Ns) -> Ns {
    let pages = bytes.div_ceil(geometry.page_bytes.into());
    if pages == 0 {
        return 0;
    }
    let by_bus = pages.div_ceil(geometry.channels.into()) * transfer + array;
    let by_planes = transfer + pages.div_ceil(geometry.planes().into()) * array;
    by_bus.max(by_planes)
}
