//! `keep-some` from outside: of a full cache half is folded while the host is idle.

use crate::common::*;

#[test]
fn half_of_the_cache_stays() {
    let settings =
        ["coding.cell=tlc", "slc.policy=keep-some", "slc.static_blocks=4", "slc.dynamic_share=0.0"];
    // 24 pages of TLC are 8 of SLC: four blocks are full, and the host comes back after a second.
    let burst = (0..32).map(|i| write_at(0, i)).chain([read_at(1_000_000 * US, 3)]);
    let ssd = run(&one_die(&settings), vec![open(burst)]);
    let counters = ssd.ftl().counters();
    assert_eq!((counters.slc_writes, counters.fold_moved, counters.erases), (32, 16, 2));
}
