//! Read reclaim: blocks that were read often, or with many errors, are rewritten.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::host::HostRequest;

/// Reads of the first block's pages, over and over.
fn hammer(count: u64) -> Vec<HostRequest> {
    reads((0..count).map(|i| i % 24))
}

fn hammered(settings: &[&str]) -> Ssd {
    run(&one_die(&[&["precondition.fill=0.5"], settings].concat()), vec![closed(1, hammer(2_400))])
}

fn jobs(ssd: &Ssd) -> u64 {
    ssd.ftl().counters().refresh_jobs
}

/// Reads of the first block's pages. Each fourth request writes a page elsewhere, so open blocks soon become full.
fn hammer_and_write(count: u64) -> Vec<HostRequest> {
    let at = |i: u64| if i % 4 == 3 { write_at(0, 100 + i % 400) } else { read_at(0, i % 24) };
    (0..count).map(at).collect()
}

#[test]
fn a_block_that_is_read_often_is_rewritten_each_time() {
    let mut last = u64::MAX;
    for threshold in [200, 400, 800, 1_600] {
        let settings = [
            "precondition.fill=0.5",
            "refresh.policy=reads",
            "gc.preemptible=false",
            &format!("refresh.reclaim_reads={threshold}"),
        ];
        let ssd = run(&one_die(&settings), vec![closed(1, hammer_and_write(6_400))]);
        let (ftl, most) = (*ssd.ftl().counters(), ssd.controller().counters.block_reads_max);
        println!(
            "{threshold}: {} jobs, {} pages, {most} reads",
            ftl.read_reclaim_jobs, ftl.read_reclaim_pages
        );
        assert!(
            ftl.read_reclaim_jobs > 0 && ftl.read_reclaim_jobs < last,
            "fewer jobs for a higher threshold"
        );
        assert!(most >= threshold, "{most} reads of a block with a threshold of {threshold}");
        last = ftl.read_reclaim_jobs;
    }
}

#[test]
fn a_block_is_rewritten_once_while_its_data_lie_in_an_open_block() {
    for (threshold, expected) in [(400, 1), (1_600, 1), (2_425, 0)] {
        let ssd = hammered(&["refresh.policy=reads", &format!("refresh.reclaim_reads={threshold}")]);
        let ftl = *ssd.ftl().counters();
        assert_eq!(ftl.read_reclaim_jobs, expected, "{threshold} of 2,400 reads");
        assert_eq!(ftl.read_reclaim_pages, 24 * expected, "all of its pages");
    }
    assert_eq!(jobs(&hammered(&[])), 0);
}

const CHIP: &[&str] = &[
    "cells.chip=tlc-48l",
    "coding.cell=tlc",
    "coding.scheme=tlc-2-3-2",
    "read.retry=baseline",
    "reliability.pec=1000",
    "refresh.policy=errors",
    "refresh.reclaim_look_s=0.001",
];

#[test]
fn a_block_with_many_errors_is_rewritten() {
    let jobs_at = |bits: u32| jobs(&hammered(&[CHIP, &[&format!("refresh.reclaim_errors={bits}")]].concat()));
    assert!(jobs_at(10) > 0, "pages after 1,000 cycles have more errors");
    assert_eq!(jobs_at(255), 0, "and fewer than the ECC corrects");
}

/// Counts survive a saved state and a power cut: they are in the cells.
#[test]
fn counts_survive() {
    let settings = [
        "precondition.fill=0.5",
        "refresh.policy=age+reads+errors",
        "refresh.reclaim_reads=940",
        "cells.chip=tlc-48l",
        "coding.cell=tlc",
        "coding.scheme=tlc-2-3-2",
        "read.retry=pnar2",
        "nand.cache_register=true",
        "reliability.read_disturb=true",
    ];
    let config = one_die(&settings);
    for at in [1, 30_000 * US, 70_000 * US] {
        assert_goes_on(&config, || vec![closed(2, hammer(1_000))], &CHECKED, at);
    }
    let mut ssd = Ssd::new(&config, vec![closed(2, hammer(1_000))], &CHECKED);
    let start = ssd.precondition(&config, None, &mut |_| true);
    start.and_then(|()| ssd.run_until(20_000 * US, &mut |_| true).map(|_| ())).expect("it runs");
    ssd.power_cycle(1_000_000_000).expect("power comes back");
    ssd.run(&mut |_| true).expect("checked mode finds nothing");
    assert!(jobs(&ssd) > 0, "reads of before and after count together");
}

/// Planar TLC with 5,000 cycles, whose blocks had so many reads before the run.
fn disturbed(block_reads: u32) -> Ssd {
    let reads = format!("reliability.block_reads={block_reads}");
    let settings = [
        "precondition.fill=0.5",
        "cells.chip=tlc-2d",
        "coding.cell=tlc",
        "coding.scheme=tlc-2-3-2",
        "read.retry=baseline",
        "reliability.pec=5000",
        "reliability.read_disturb=true",
        &reads,
    ];
    run(&one_die(&settings), vec![closed(1, hammer(240))])
}

#[test]
fn reads_before_a_run_never_make_it_need_fewer_retry_steps() {
    let steps = [0, 300_000, 1_000_000, 2_000_000, 4_000_000]
        .map(|reads| disturbed(reads).controller().counters.retry_senses);
    assert!(steps.is_sorted(), "{steps:?}");
    assert!(steps[4] > steps[0], "{steps:?}");
}

#[test]
fn counting_reads_changes_nothing() {
    let counted = hammered(&["refresh.policy=age+reads"]);
    let plain = hammered(&[]);
    assert_eq!(latencies(&counted), latencies(&plain));
    assert_eq!(counted.controller().counters.block_reads_max, 2_400);
    assert_eq!(plain.controller().counters.block_reads_max, 0);
}

#[test]
fn read_reclaim_moves_all_pages_where_refresh_merges_wordlines() {
    let ssd = hammered(&[
        "coding.cell=tlc",
        "coding.scheme=tlc-1-2-4",
        "coding.policy=ida",
        "refresh.policy=reads",
        "refresh.reclaim_reads=400",
    ]);
    let ftl = *ssd.ftl().counters();
    assert_eq!((ftl.read_reclaim_jobs, ftl.refresh_jobs), (1, 1));
    assert_eq!((ftl.read_reclaim_pages, ftl.adjusted_wordlines), (24, 0));
}
