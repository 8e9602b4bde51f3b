//! Random requests: small footprints, so that pages are overwritten while they are under way.

use crate::common::US;
use proptest::prelude::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::host::{HostRequest, Op, Replay};

/// A mix of requests, small enough to print.
#[derive(Clone, Debug)]
pub struct Mix {
    pub seed: u64,
    pub count: u64,
    /// Weights of reads, writes, trims, flushes and requests to close open groups.
    pub weights: [u64; 5],
    /// Share of the device in use, percent.
    pub footprint: u64,
    /// Longest request, sectors.
    pub sectors_max: u64,
    /// Requests start and end at multiples of so many sectors.
    pub align: u64,
    /// Mean time between arrivals, ns.
    pub gap: u64,
    pub replay: Replay,
}

impl Mix {
    /// Overwrites of most of the device by small writes, with some reads and trims.
    pub fn hot(seed: u64, count: u64) -> Mix {
        Mix {
            seed,
            count,
            weights: [30, 60, 9, 1, 0],
            footprint: 100,
            sectors_max: 24,
            align: 1,
            gap: 0,
            replay: Replay::Closed { depth: 24 },
        }
    }

    pub fn requests(&self, capacity_sectors: u64) -> Vec<HostRequest> {
        let units = (capacity_sectors * self.footprint / 100 / self.align).max(1);
        let mut time = 0;
        (0..self.count)
            .map(|i| {
                let draw =
                    |field: u64, n: u64| below(self.seed, i * 8 + field, Purpose::Precondition, n.max(1));
                time += draw(0, 2 * self.gap);
                let mut kind = draw(1, self.weights.iter().sum());
                let op = [Op::Read, Op::Write, Op::Trim, Op::Flush, Op::Close]
                    .into_iter()
                    .zip(self.weights)
                    .find_map(|(op, weight)| {
                        if kind < weight {
                            return Some(op);
                        }
                        kind -= weight;
                        None
                    })
                    .unwrap_or(Op::Read);
                let length = (1 + draw(2, self.sectors_max / self.align)).min(units);
                // Half of the requests go to a tenth of the footprint.
                let places = units - length + 1;
                let hot = if draw(3, 2) == 0 { places } else { places.div_ceil(10) };
                let (sector, sectors) = (draw(4, hot) * self.align, (length * self.align) as u32);
                let (sector, sectors) = if op.has_address() { (sector, sectors) } else { (0, 0) };
                let fua = op == Op::Write && draw(5, 8) == 0;
                HostRequest { fua, ..HostRequest::new(time, op, sector, sectors) }
            })
            .collect()
    }
}

pub fn any() -> impl Strategy<Value = Mix> {
    let weights = prop_oneof![
        Just([1, 0, 0, 0, 0]),
        Just([0, 1, 0, 0, 0]),
        Just([50, 50, 0, 0, 0]),
        Just([40, 45, 13, 2, 0]),
        Just([10, 70, 18, 2, 2]),
        Just([30, 60, 5, 5, 5]),
    ];
    let replay = prop_oneof![
        Just(Replay::Open),
        (1u32..64).prop_map(|depth| Replay::Closed { depth }),
        Just(Replay::Closed { depth: 200 }),
    ];
    let footprint = prop_oneof![Just(100u64), Just(100), 3u64..100];
    let align = prop_oneof![Just(1u64), Just(1), Just(8), Just(32)];
    let gap = prop_oneof![Just(0u64), Just(20 * US), Just(300 * US), Just(3_000 * US)];
    (
        proptest::num::u32::ANY,
        1u64..900,
        weights,
        footprint,
        prop_oneof![Just(8u64), Just(32), Just(200)],
        align,
        gap,
        replay,
    )
        .prop_map(|(seed, count, weights, footprint, sectors_max, align, gap, replay)| Mix {
            seed: seed.into(),
            count,
            weights,
            footprint,
            sectors_max,
            align,
            gap,
            replay,
        })
}
