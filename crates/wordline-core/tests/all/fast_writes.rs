//! Fast writes and worn blocks: what a block cannot keep is not written fast into it.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::config::{Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::host::HostRequest;

const HOUR: Ns = 3_600_000_000_000;
const FAST: &[&str] = &[
    "program.policy=ofwar",
    "cells.chip=mlc-ofwar",
    "coding.cell=mlc",
    "program.write_streams=1",
    "program.fast_write_threshold=2",
    "program.rewrite_threshold=4",
    "gc.threshold=0.1",
];

fn after_bursts(settings: &[&str]) -> Ssd {
    let bursts = (0..40u64).flat_map(|burst| (0..20).map(move |i| (burst, i)));
    let writes: Vec<HostRequest> =
        bursts.map(|(burst, i)| write_at(burst * 20_000 * US, burst * 7 % 14 * 20 + i)).collect();
    run(&one_die(&[FAST, settings].concat()), vec![open(writes)])
}

/// P/E cycles at which the chip keeps fast pages for about so long.
fn cycles_that_keep(retention: Ns) -> u32 {
    let fast = one_die(FAST).device.fast_program.clone().unwrap();
    let found = (0..20_000).find(|&cycles| fast.retention_at(cycles as f32) < retention);
    found.expect("retention falls with wear")
}

/// Rewrites of all fast pages were due at once, and held the write queue back.
#[test]
fn blocks_that_cannot_keep_fast_pages_take_none() {
    let too_worn = cycles_that_keep(25 * HOUR);
    for (pec, is_fast) in [(0, true), (too_worn - 60, true), (too_worn + 60, false)] {
        let ssd = after_bursts(&[&format!("reliability.pec={pec}")]);
        let counters = ssd.ftl().counters();
        assert_eq!(counters.fast_writes > 0, is_fast, "{pec} P/E cycles: {counters:?}");
        assert_eq!(counters.too_worn_writes > 0, !is_fast, "{pec} P/E cycles: {counters:?}");
        assert_eq!((counters.forced_rewrites, counters.lost_pages), (0, 0), "{pec} P/E cycles");
    }
}

#[test]
fn a_deadline_for_all_blocks_is_for_those_that_keep_it() {
    let fast_writes = |pec: u32| {
        let pec = format!("reliability.pec={pec}");
        after_bursts(&["program.rewrite_deadline=rated", &pec]).ftl().counters().fast_writes
    };
    assert!(fast_writes(0) > 0 && fast_writes(3000) > 0);
    assert_eq!(fast_writes(3300), 0, "the chip is rated for 3,000");
}

/// The worn blocks are free first: fast pages take normal ones until a young block comes up.
#[test]
fn of_blocks_of_both_kinds_the_young_ones_take_fast_pages() {
    let too_worn = cycles_that_keep(25 * HOUR);
    // Erases of the run wear blocks beyond the limit, one after the other.
    let ssd = after_bursts(&[
        &format!("reliability.pec={}", too_worn - 1),
        "ssd.blocks_per_plane=24",
        "ssd.overprovisioning=0.5",
        "precondition.fill=1.0",
        "precondition.overwrite=1.0",
    ]);
    let counters = ssd.ftl().counters();
    assert!(counters.too_worn_writes > 0, "{counters:?}");
}

#[test]
fn a_slack_that_no_block_has_is_refused() {
    // Four days at the rated cycles.
    for (hours, is_refused) in [("72.0", false), ("130.0", true)] {
        let slack = format!("program.rewrite_slack_h={hours}");
        let all = [ONE_DIE, FAST, &["program.rewrite_deadline=rated", &slack]].concat();
        let layers: Vec<Layer> = all.iter().map(|s| Layer::assignment(s).unwrap()).collect();
        let error = resolve(&layers).err();
        assert_eq!(error.is_some(), is_refused, "{error:?}");
        if let Some(error) = error {
            assert_eq!(error.key, "program.rewrite_slack_h", "{error}");
            assert!(error.message.contains("no page could be written fast"), "{error}");
        }
    }
}

/// N_th_w in requests: a long request is one.
#[test]
fn a_long_request_is_one_of_the_write_queue_where_requests_count() {
    let fast_writes = |counts: &str| {
        let config = one_die(&[FAST, &["program.fast_write_threshold=4", counts]].concat());
        let long = HostRequest { sectors: 20 * 8, ..write_at(0, 0) };
        run(&config, vec![open(vec![long])]).ftl().counters().fast_writes
    };
    assert!(fast_writes("program.fast_write_counts=pages") > 10);
    assert_eq!(fast_writes("program.fast_write_counts=requests"), 0);
}
