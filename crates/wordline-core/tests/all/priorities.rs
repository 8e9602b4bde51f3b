//! Flows of different priorities at one die.

use crate::common::*;
use wordline_core::flash::Priority;
use wordline_core::host::{FlowInput, HostRequest};

const BY_PRIORITY: [&str; 2] = ["schedule.policy=mqsim-priority-out-of-order", "precondition.fill=1.0"];

/// Completions of each flow while all of them had requests to come.
fn shares(settings: &[&str], priorities: &[Priority], requests: impl Fn() -> Vec<HostRequest>) -> Vec<usize> {
    let flow = |&priority: &Priority| FlowInput { priority, ..closed(8, requests()) };
    let ssd = run(&one_die(&[&BY_PRIORITY[..], settings].concat()), priorities.iter().map(flow).collect());
    let of = |flow: u16| log(&ssd).iter().filter(move |entry| entry.flow == flow);
    let flows = 0..priorities.len() as u16;
    let last = flows.clone().map(|flow| of(flow).map(|entry| entry.completed).max().unwrap()).min().unwrap();
    flows.map(|flow| of(flow).filter(|entry| entry.completed <= last).count()).collect()
}

fn many_reads() -> Vec<HostRequest> {
    reads((0..2_000).map(|i| i * 7 % 1_152))
}

#[test]
fn high_medium_and_low_share_a_die_in_turns_of_four_two_and_one() {
    use Priority::{High, Low, Medium};
    let shares = shares(&[], &[High, Medium, Low], many_reads);
    assert_eq!(shares[0], 2_000);
    assert!(shares[1].abs_diff(1_000) <= 5 && shares[2].abs_diff(500) <= 5, "{shares:?}");
}

#[test]
fn what_is_urgent_goes_before_all_else() {
    let shares = shares(&[], &[Priority::Urgent, Priority::High], many_reads);
    assert!(shares[1] <= 9, "{shares:?}");
}

#[test]
fn writes_have_priorities_where_programs_may_overtake_each_other() {
    let many_writes = || writes((0..200).map(|i| i * 7 % 600));
    let of = |multiplane: &str| {
        let settings = [&format!("nand.multiplane={multiplane}")[..], "ssd.overprovisioning=0.4"];
        shares(&settings, &[Priority::High, Priority::Low], many_writes)
    };
    let (overtaking, in_order) = (of("overtaking"), of("same-page"));
    assert!(overtaking[1].abs_diff(50) <= 9, "{overtaking:?}");
    assert!(in_order[1].abs_diff(200) <= 9, "{in_order:?}");
}

#[test]
fn other_policies_look_at_no_priority() {
    let settings = ["schedule.policy=read-first"];
    let shares = shares(&settings, &[Priority::Urgent, Priority::Low], many_reads);
    assert!(shares[0].abs_diff(shares[1]) <= 9, "{shares:?}");
}
