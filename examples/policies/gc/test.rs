//! `mostly-dead` from outside: what it moves lies between what greedy and FIFO move.

use crate::common::*;

fn moved(policy: &str) -> u64 {
    let policy = format!("gc.policy={policy}");
    let settings = ["precondition.fill=1.0", "precondition.overwrite=1.0", policy.as_str()];
    let ssd = run(&one_die(&settings), vec![closed(4, writes((0..4000).map(|i| i * i % 1100)))]);
    ssd.ftl().counters().moved
}

#[test]
fn it_lies_between_greedy_and_fifo() {
    let (greedy, own, fifo) = (moved("greedy"), moved("mostly-dead"), moved("fifo"));
    let ends = [greedy.min(fifo), greedy.max(fifo)];
    assert!(ends[0] < own && own < ends[1], "{greedy}, {own} and {fifo}");
}
