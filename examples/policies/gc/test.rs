//! `mostly-dead` from outside: with a share of 1 it is FIFO, with 0 it is greedy.

use crate::common::*;

fn moved(settings: &[&str]) -> (u64, Vec<u64>) {
    let settings = [&["precondition.fill=1.0", "precondition.overwrite=1.0"][..], settings].concat();
    let ssd = run(&one_die(&settings), vec![closed(4, writes((0..4000).map(|i| i * i % 1100)))]);
    (ssd.ftl().counters.moved, latencies(&ssd))
}

#[test]
fn its_ends_are_fifo_and_greedy() {
    let with = |share: &str| moved(&["gc.policy=mostly-dead", share]);
    assert_eq!(with("gc.live_share=1.0"), moved(&["gc.policy=fifo"]));
    assert_eq!(with("gc.live_share=0.0"), moved(&["gc.policy=greedy"]));
    assert_eq!(with("gc.live_share=0.5"), moved(&["gc.policy=mostly-dead"]), "the default");
}
