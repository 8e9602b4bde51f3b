//! Streams: flows that write to open blocks of their own keep short-lived and long-lived data apart.

use crate::common::{closed, one_die, request, run};
use wordline_cells::variation::{Purpose, below};
use wordline_core::host::{HostRequest, Op};

const HOT_PAGES: u64 = 100;
const WRITES: u64 = 30_000;

/// Writes of single pages, drawn from a range.
fn random_writes(seed: u64, first: u64, pages: u64, count: u64) -> Vec<HostRequest> {
    let page = move |i| first + below(seed, i, Purpose::Precondition, pages);
    (0..count).map(|i| request(Op::Write, page(i), 1)).collect()
}

/// Write amplification when one flow rewrites a few pages over and over, and another all the others.
fn write_amplification(streams: u32) -> f64 {
    let setting = format!("ftl.streams={streams}");
    let config = one_die(&[&setting, "precondition.fill=1.0"]);
    let pages = config.host_pages();
    let hot = random_writes(1, 0, HOT_PAGES, WRITES);
    let cold = random_writes(2, HOT_PAGES, pages - HOT_PAGES, WRITES / 4);
    let mut flows = vec![closed(4, hot), closed(1, cold)];
    flows[1].name = "cold".to_owned();
    let ssd = run(&config, flows);
    let counters = *ssd.ftl().counters();
    (counters.user_writes + counters.moved) as f64 / counters.user_writes as f64
}

#[test]
fn two_streams_move_less_than_one() {
    let (one, two) = (write_amplification(1), write_amplification(2));
    assert!(two < one * 0.97, "one stream {one:.3}, two {two:.3}");
}
