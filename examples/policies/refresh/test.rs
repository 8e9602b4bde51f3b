//! `by-wear` from outside: the same data is due in a worn block, and not in a fresh one.

use crate::common::*;

/// Refresh jobs of a device whose data is four months old.
fn jobs(policy: &str, pec: u32) -> u64 {
    let (policy, pec) = (format!("refresh.policy={policy}"), format!("reliability.pec={pec}"));
    let settings = ["precondition.fill=1.0", "reliability.retention_months=4.0", &policy, &pec];
    let ssd = run(&one_die(&settings), vec![closed(1, reads((0..2000).map(|i| i * 7 % 900)))]);
    ssd.ftl().counters().refresh_jobs
}

#[test]
fn worn_blocks_are_refreshed_sooner() {
    assert_eq!(jobs("by-wear", 0), 0, "a fresh block's data is due after a year");
    assert!(jobs("by-wear", 3000) > 10, "a quarter of that is over");
    assert_eq!(jobs("age", 3000), 0, "it is off");
    assert_eq!(jobs("age+by-wear", 3000), jobs("by-wear", 3000));
}
