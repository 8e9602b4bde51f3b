//! A drive with more mapping units than 32 bits can number, most of which are never touched.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::flash::WrittenPage;
use wordline_core::host::{HostRequest, Op};
use wordline_core::nand::Lpn;

/// 18.8 TB in 4096 planes of 280 blocks of 16 MiB.
const LARGE: &[&str] = &[
    "ssd.channels=64",
    "ssd.chips_per_channel=8",
    "ssd.dies_per_chip=1",
    "ssd.planes_per_die=8",
    "ssd.blocks_per_plane=280",
    "ssd.pages_per_block=1024",
    "ssd.page_bytes=16384",
    "ssd.overprovisioning=0.07",
    "ftl.unit_bytes=4096",
    "gc.threshold=4",
    "cache.mode=write",
    "cache.flush=eager",
    "cache.capacity_bytes=4194304",
];
const PLANES: u64 = 4096;

/// The 4-KiB units of a drive that belong into its last plane: their numbers are the largest ones.
struct LastPlane {
    units: u64,
    units_per_page: u64,
}

impl LastPlane {
    fn new(config: &Config) -> LastPlane {
        assert!(config.host_units() > 1 << 32);
        let units_per_page = config.units_per_page().into();
        LastPlane { units: config.host_pages() / PLANES * units_per_page, units_per_page }
    }

    /// The one with this number.
    fn unit(&self, number: u64) -> u64 {
        let (page, unit) = (number / self.units_per_page, number % self.units_per_page);
        (page * PLANES + PLANES - 1) * self.units_per_page + unit
    }

    /// Any of them.
    fn any(&self, draws: &mut Draws) -> u64 {
        self.unit(draws.below(self.units))
    }

    /// All of them, and then some again.
    fn fill(&self) -> impl Iterator<Item = WrittenPage> {
        let mut draws = Draws::new(3);
        let again = (0..self.units / 4).map(move |_| self.any(&mut draws));
        let units = (0..self.units).map(|number| self.unit(number)).chain(again);
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
#[ignore = "half a minute; `make verify` runs it"]
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
