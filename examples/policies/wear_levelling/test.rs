//! `now-and-then` from outside: data that nobody overwrites moves, and blocks wear more evenly.

use crate::common::*;

/// Wear-levelling jobs, and blocks that were never erased.
fn worn(settings: &[&str]) -> (u64, usize) {
    let base = ["precondition.fill=1.0", "gc.threshold=0.2"];
    // Nine tenths of the data are cold.
    let requests = writes((0..20_000).map(|i| i * 7 % 90));
    let ssd = run(&one_die(&[&base[..], settings].concat()), vec![closed(4, requests)]);
    let blocks = ssd.nand().geometry.all_blocks();
    let unworn = blocks.filter(|&block| ssd.nand().health(block).pec == 0).count();
    (ssd.ftl().counters().wear_jobs, unworn)
}

#[test]
fn cold_blocks_are_worn_too() {
    let (jobs, unworn) = worn(&["wear.policy=now-and-then", "wear.reclaims_between=5"]);
    let (none, cold) = worn(&[]);
    assert_eq!(none, 0);
    assert!(jobs > 100 && cold > 20 && unworn < cold / 5, "{jobs} jobs, {unworn} of {cold} blocks unworn");
}
