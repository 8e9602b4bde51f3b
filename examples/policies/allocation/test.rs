//! `scattered` from outside: a stride that meets one plane alone in `CWDP` meets all planes.

use crate::common::*;

/// Time that reads with a stride of eight pages take on eight dies.
fn time(allocation: &str) -> u64 {
    let allocation = format!("ftl.allocation={allocation}");
    let settings = ["ssd.channels=4", "ssd.dies_per_chip=2", "precondition.fill=1.0", &allocation];
    let ssd = run(&one_die(&settings), vec![closed(16, reads((0..400).map(|i| i * 8)))]);
    log(&ssd).iter().map(|entry| entry.completed).max().expect("reads were asked for")
}

#[test]
fn no_stride_meets_one_plane_alone() {
    let (scattered, in_order) = (time("scattered"), time("CWDP"));
    assert!(2 * scattered < in_order, "{scattered} and {in_order} ns");
}
