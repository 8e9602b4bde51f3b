//! `scattered`: a hash of its number says which plane a page goes to, so that no stride of the host's meets one plane
//! alone. Consecutive pages no longer spread evenly, which costs some parallelism.

use super::{AllocationPolicy, DeviceView, NoParameters, Order, Policy};
use wordline_cells::geometry::{Lpn, PlaneId};

/// A plane by a hash of the page number.
#[derive(Clone, Copy, Debug)]
pub struct Scattered {
    planes: u32,
}

impl Policy for Scattered {
    const NAME: &'static str = "scattered";
    const HELP: &'static str = "a plane by a hash of the page number";
    type Parameters = NoParameters;
}

impl AllocationPolicy for Scattered {
    fn new(_: &NoParameters, device: &DeviceView<'_>, _: Order) -> Scattered {
        Scattered { planes: device.geometry.planes() }
    }

    fn home(&self, lpn: Lpn) -> PlaneId {
        // Fibonacci hashing: the golden ratio's multiples lie apart, whatever the stride.
        let hash = u64::from(lpn).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        PlaneId::from_index((hash * u64::from(self.planes) >> 32) as usize)
    }
}
