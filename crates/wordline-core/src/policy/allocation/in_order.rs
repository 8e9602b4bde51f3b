//! Consecutive pages go to one plane after the other, in one of 24 orders: the first letter of Channel, Way (a chip
//! on its channel), Die, Plane changes fastest (Jung and Kandemir, "An Evaluation of Different Page Allocation Strategies on
//! High-Speed SSDs", HotStorage 2012). The place of a page follows from its number, and never changes.

use super::{AllocationPolicy, DeviceView, NoParameters, Policy};
use wordline_cells::Divider;
use wordline_cells::geometry::{Geometry, Lpn, PlaneId};

/// One level of parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// C
    Channel,
    /// W, the way: a chip on its channel.
    Way,
    /// D
    Die,
    /// P
    Plane,
}

/// The levels from the fastest to the slowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order([Level; 4]);

/// Letters of the levels.
const LETTERS: [(char, Level); 4] =
    [('C', Level::Channel), ('W', Level::Way), ('D', Level::Die), ('P', Level::Plane)];

impl Order {
    /// Channels first, then ways, dies and planes.
    pub const CWDP: Order = Order([Level::Channel, Level::Way, Level::Die, Level::Plane]);

    /// Reads `CWDP` and its 23 siblings.
    #[must_use]
    pub fn parse(text: &str) -> Option<Order> {
        let mut levels = Vec::new();
        for letter in text.chars() {
            let &(_, level) = LETTERS.iter().find(|(known, _)| *known == letter)?;
            if levels.contains(&level) {
                return None;
            }
            levels.push(level);
        }
        levels.try_into().ok().map(Order)
    }

    /// Its four letters.
    #[must_use]
    pub fn letters(self) -> String {
        self.0
            .iter()
            .filter_map(|level| LETTERS.iter().find(|(_, known)| known == level))
            .map(|(c, _)| c)
            .collect()
    }

    /// The plane of a page.
    fn spread(self, geometry: &Geometry, lpn: Lpn) -> PlaneId {
        let (mut rest, mut plane) = (lpn.index() as u32, 0);
        for level in self.0 {
            let (count, stride) = steps(level, geometry);
            plane += rest % count * stride;
            rest /= count;
        }
        PlaneId::new(plane)
    }
}

/// How many there are of a level, and how many planes apart two neighbours are.
fn steps(level: Level, geometry: &Geometry) -> (u32, u32) {
    let per_chip = geometry.dies_per_chip * geometry.planes_per_die;
    match level {
        Level::Channel => (geometry.channels, geometry.chips_per_channel * per_chip),
        Level::Way => (geometry.chips_per_channel, per_chip),
        Level::Die => (geometry.dies_per_chip, geometry.planes_per_die),
        Level::Plane => (geometry.planes_per_die, 1),
    }
}

/// One plane after the other.
#[derive(Clone, Debug)]
pub struct InOrder {
    planes: Divider,
    /// Plane by page number modulo the planes.
    table: Vec<PlaneId>,
}

impl Policy for InOrder {
    const NAME: &'static str = "CWDP";
    const HELP: &'static str =
        "consecutive pages go to Channel, Way, Die, Plane in the order of the letters, which may be another";
    type Parameters = NoParameters;
}

impl AllocationPolicy for InOrder {
    fn new(_: &NoParameters, device: &DeviceView<'_>, order: Order) -> InOrder {
        let geometry = &device.geometry;
        let table = Lpn::first(geometry.planes().into()).map(|lpn| order.spread(geometry, lpn)).collect();
        InOrder { planes: Divider::new(geometry.planes()), table }
    }

    #[inline(always)]
    fn home(&self, lpn: Lpn) -> PlaneId {
        self.table[self.planes.remainder(lpn) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn planes(letters: &str, pages: u32) -> (Geometry, Vec<PlaneId>) {
        let mut config = Config::default();
        (config.ssd.channels, config.ssd.chips_per_channel) = (3, 4);
        let device = config.device_view();
        let order = Order::parse(letters).unwrap();
        let mut policy = InOrder::new(&NoParameters {}, &device, order);
        (device.geometry, Lpn::first(pages.into()).map(|lpn| policy.plane_for(lpn, |_| true)).collect())
    }

    #[test]
    fn every_order_reaches_every_plane_once() {
        let mut orders = 0;
        for number in 0..4_u32.pow(4) {
            let letters: String =
                (0..4).map(|place| LETTERS[(number / 4_u32.pow(place) % 4) as usize].0).collect();
            let Some(order) = Order::parse(&letters) else { continue };
            orders += 1;
            assert_eq!(order.letters(), letters);
            let (_, mut planes) = planes(&letters, 48);
            planes.sort_unstable();
            assert!(PlaneId::first(48).eq(planes), "{letters}");
        }
        assert_eq!(orders, 24);
    }

    #[test]
    fn the_first_letter_changes_fastest() {
        let (geometry, cwdp) = planes("CWDP", 4);
        let channels: Vec<_> =
            cwdp.into_iter().map(|plane| geometry.channel_of(geometry.die_of(plane))).collect();
        assert_eq!(channels, [0, 1, 2, 0]);
        assert!(PlaneId::first(4).eq(planes("PDWC", 4).1));
    }
}
