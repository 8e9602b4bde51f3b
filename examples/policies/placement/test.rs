//! `by-size` from outside: large and small requests of one flow share no block, and so less is moved.

use crate::common::*;
use wordline_cells::ids::PlaneId;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::host::{HostRequest, Op};

/// Large requests for any of the device's files, two blocks each, and after each of them small ones for a few pages behind these.
fn requests(pages: u64) -> Vec<HostRequest> {
    let files = (pages - 100) / 48;
    let draw = |i, below_n| below(1, i, Purpose::Precondition, below_n);
    let all = (0..1_500).flat_map(|i| {
        let large = request(Op::Write, draw(100 * i, files) * 48, 48);
        let small = (1..17).map(move |j| request(Op::Write, files * 48 + draw(100 * i + j, 100), 1));
        std::iter::once(large).chain(small)
    });
    all.collect()
}

fn ran(placement: &str) -> Ssd {
    let settings = ["ftl.streams=2", placement];
    let config = one_die(&settings);
    run(&config, vec![closed(4, requests(config.host_pages()))])
}

#[test]
fn large_and_small_requests_share_no_block() {
    let (own, flow) = (ran("ftl.placement=by-size"), ran("ftl.placement=flow"));
    let streams = one_die(&["ftl.streams=2"]).streams();
    let in_stream = |ssd: &Ssd, number: usize| {
        let blocks = ssd.ftl().blocks().of_plane(PlaneId::new(0));
        blocks.filter(|(_, block)| block.stream == streams.hosts()[number] && block.valid > 0).count()
    };
    assert!(in_stream(&own, 1) > in_stream(&own, 0), "large requests fill most blocks");
    assert_eq!(in_stream(&flow, 1), 0, "the only flow has one stream");
    let moved = |ssd: &Ssd| ssd.ftl().counters().moved;
    assert!(moved(&own) * 2 < moved(&flow), "{} and {} pages moved", moved(&own), moved(&flow));
}
