//! `two-pass` from outside: what a write takes.

use crate::common::*;

#[test]
fn a_write_takes_two_passes() {
    let written = |policy: &str| {
        let policy = format!("program.policy={policy}");
        latencies(&run(&one_die(&[&policy]), vec![closed(1, writes(0..10))]))
    };
    assert_eq!(written("normal"), [T_DMA + T_PROG; 10]);
    assert_eq!(written("two-pass"), [T_DMA + 2 * (T_PROG * 6 / 10); 10]);
}
