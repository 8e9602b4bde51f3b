//! A drive with more mapping units than 32 bits can number, most of which are never touched.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::flash::WrittenPage;
use wordline_core::host::{HostRequest, Op};
use wordline_core::nand::Lpn;

/// 22 TB in 32768 planes of 40 blocks of 16 MiB. The planes are small, so that one is soon full. A page holds one unit: units
/// that share a program go to the planes in turn, whatever their addresses.
const LARGE: &[&str] = &[
    "ssd.channels=64",
    "ssd.chips_per_channel=64",
    "ssd.dies_per_chip=1",
    "ssd.planes_per_die=8",
    "ssd.blocks_per_plane=40",
    "ssd.pages_per_block=4096",
    "ssd.page_bytes=4096",
    "ssd.overprovisioning=0.15",
    "ftl.unit_bytes=4096",
    "gc.threshold=2",
    "cache.mode=write",
    "cache.flush=eager",
    "cache.capacity_bytes=4194304",
];
const PLANES: u64 = 32768;

/// The 4-KiB units of a drive that belong into its last plane: their numbers are the largest ones.
struct LastPlane {
    units: u64,
}

impl LastPlane {
    fn new(config: &Config) -> LastPlane {
        assert!(config.host_units() > 1 << 32 && config.units_per_page() == 1);
        LastPlane { units: config.host_units() / PLANES }
    }

    /// The one with this number.
    fn unit(number: u64) -> u64 {
        number * PLANES + PLANES - 1
    }

    /// Any of them.
    fn any(&self, draws: &mut Draws) -> u64 {
        Self::unit(draws.below(self.units))
    }

    /// All of them, and then some again.
    fn fill(&self) -> impl Iterator<Item = WrittenPage> {
        let mut draws = Draws::new(3);
        let again = (0..self.units / 4).map(move |_| self.any(&mut draws));
        let units = (0..self.units).map(Self::unit).chain(again);
        units.map(|unit| Lpn::from_index(unit as usize).into())
    }

    fn requests(&self) -> Vec<HostRequest> {
        let mut draws = Draws::new(7);
        let mut requests = Vec::new();
        for round in 0..2_000 {
            let op = if round % 50 == 0 { Op::Trim } else { Op::Read };
            requests
                .extend([Op::Write, op, Op::Write, Op::Write].map(|op| request(op, self.any(&mut draws), 1)));
        }
        requests
    }
}

/// One plane is full and collects garbage. Checked mode compares all that is read, and all accounts.
#[test]
#[ignore = "20 s and 5 GB of memory; `make verify` runs it"]
fn collects_garbage_where_numbers_have_more_than_32_bits() {
    let config = config(LARGE);
    let plane = LastPlane::new(&config);
    let mut ssd = Ssd::new(&config, vec![closed(32, plane.requests())], &CHECKED);
    ssd.update(&mut plane.fill(), &mut |_| true).unwrap();
    ssd.run(&mut |_| true).unwrap();
    let counters = ssd.ftl().counters();
    assert!(counters.moved > 1000 && counters.user_reads > 1000 && counters.trimmed > 0, "{counters:?}");
    assert_eq!(log(&ssd).len(), 8_000);
}
