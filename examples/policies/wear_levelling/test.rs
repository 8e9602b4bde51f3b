//! `now-and-then` from outside: data that nobody overwrites moves, and blocks wear more evenly.

use crate::common::*;

/// Wear-levelling jobs, and P/E cycles of the least worn block.
fn worn(settings: &[&str]) -> (u64, u32) {
    let base = ["precondition.fill=1.0", "gc.threshold=0.2"];
    // Nine tenths of the data are cold.
    let ssd = run(
        &one_die(&[&base[..], settings].concat()),
        vec![closed(4, writes((0..20_000).map(|i| i * 7 % 90)))],
    );
    let blocks = ssd.nand().geometry.blocks();
    let least = (0..blocks).map(|block| ssd.nand().health(block).pec).min();
    (ssd.ftl().counters().wear_jobs, least.expect("there are blocks"))
}

#[test]
fn cold_blocks_are_worn_too() {
    let (jobs, least) = worn(&["wear.policy=now-and-then", "wear.reclaims_between=5"]);
    let (none, coldest) = worn(&[]);
    assert_eq!((none, coldest), (0, 0));
    assert!(jobs > 10 && least > 0, "{jobs} jobs, {least} cycles");
}
