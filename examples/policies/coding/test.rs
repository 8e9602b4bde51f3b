//! `ida-if-free` from outside: which wordlines are merged.

use crate::common::*;
use wordline_core::policy::coding::{Action, CodingKeys, CodingPolicy};

#[test]
fn what_would_move_is_not_merged() {
    let keys = CodingKeys::default();
    let policy = CodingPolicy::named("ida-if-free").expect("it is in the table");
    assert_eq!(policy.action(&keys, 3, 0b111), Action { moves: 0b111, stays: 0 });
    assert_eq!(policy.action(&keys, 3, 0b110), Action { moves: 0, stays: 0b110 });
    assert_eq!(policy.action(&keys, 3, 0b001), Action { moves: 0b001, stays: 0 });
}

#[test]
fn fewer_wordlines_are_merged_than_by_ida() {
    let merged = |policy: &str| {
        let policy = format!("coding.policy={policy}");
        let settings = [
            "coding.cell=tlc",
            "refresh.at_start=during",
            "precondition.fill=1.0",
            "precondition.overwrite=0.3",
            &policy,
        ];
        let ssd = run(&one_die(&settings), vec![closed(4, reads((0..3000).map(|i| i * 7 % 900)))]);
        ssd.ftl().counters().adjusted_wordlines
    };
    let (free, ida, none) = (merged("ida-if-free"), merged("ida"), merged("conventional"));
    assert!(0 < free && free < ida, "{free} and {ida}");
    assert_eq!(none, 0);
}
