//! `writes-first` seen from outside: on one die, reads wait for writes.

use crate::common::*;
use wordline_core::host::Op;

#[test]
fn a_read_waits_for_writes_that_came_later() {
    let read_of = |policy: &str| {
        let policy = format!("schedule.policy={policy}");
        let requests = [write_at(0, 0), read_at(US, 100), write_at(2 * US, 1)];
        let ssd = run(&one_die(&["precondition.fill=0.5", &policy]), vec![open(requests)]);
        let read = log(&ssd).iter().find(|entry| entry.op == Op::Read).expect("it was asked for");
        read.completed - read.arrival
    };
    assert!(read_of("read-first") < T_PROG + 2 * T_R, "it waits for the first write alone");
    assert!(read_of("writes-first") > 2 * T_PROG, "it waits for both");
}
