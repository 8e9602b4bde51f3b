//! `half-step` from outside: blocks are erased completely, in less time than by ISPE.

use crate::common::*;
use wordline_core::Ssd;

fn worn(scheme: &str) -> Ssd {
    let scheme = format!("erase.scheme={scheme}");
    let settings =
        ["cells.chip=tlc-48l", "coding.cell=tlc", "reliability.pec=2500", "precondition.fill=1.0", &scheme];
    run(&one_die(&settings), vec![closed(4, writes((0..3000).map(|i| i * 7 % 900)))])
}

#[test]
fn erases_are_complete_and_shorter() {
    let (half, ispe) = (worn("half-step"), worn("ispe"));
    let times = |ssd: &Ssd| ssd.controller().erase_times().latency(3).summary();
    let (half_us, ispe_us) = (times(&half).spread.mean, times(&ispe).spread.mean);
    assert!(times(&half).count > 10);
    assert_eq!(half.controller().counters.incomplete_erases, 0);
    assert!(half_us < ispe_us, "{half_us} and {ispe_us}");
}
