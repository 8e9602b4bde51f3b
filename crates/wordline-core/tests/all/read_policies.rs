//! Read-retry policies on the device model: the numbers of steps are nobody's setting here, they follow from
//! where each page's voltages are.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;

/// PR2/AR2's chip in a small SSD.
const CHIP: &[&str] = &[
    "cells.chip=tlc-48l",
    "coding.cell=tlc",
    "coding.scheme=tlc-2-3-2",
    "ssd.channels=2",
    "ssd.chips_per_channel=2",
    "ssd.planes_per_die=2",
    "ssd.blocks_per_plane=64",
    "ssd.pages_per_block=576",
    "nand.read_us=[39.0,78.0,117.0]",
    "nand.multiplane=same-page",
    "nand.cache_register=true",
    "nand.on_die_check=true",
    "ecc.engine=pipelined",
    "ecc.hold_die=true",
    "ecc.decode_us=20.0",
];

const READS: u64 = 20_000;

fn aged(retry: &str, pec: u32, months: f64, settings: &[&str]) -> Ssd {
    let more = [
        format!("read.retry={retry}"),
        format!("reliability.pec={pec}"),
        format!("reliability.retention_months={months}"),
    ];
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let config = one_die(&[CHIP, &more, settings].concat());
    let pages = config.host_pages();
    let places = (0..READS).map(move |i| below(7, i, Purpose::VictimChoice, pages));
    run(&config, vec![closed(16, reads(places))])
}

/// Mean, least and most retry steps of a read.
fn steps(ssd: &Ssd) -> (f64, usize, usize) {
    let reads = ssd.controller().retry_steps();
    let all: u64 = reads.iter().sum();
    let sum: u64 = (0..).zip(&reads).map(|(n, count): (u64, _)| n * count).sum();
    let used = |&(_, &count): &(usize, &u64)| count > 0;
    let least = reads.iter().enumerate().find(used).map_or(0, |(n, _)| n);
    (sum as f64 / all as f64, least, reads.len() - 1)
}

#[test]
fn ways_to_retry_take_as_many_steps_as_the_regular_retry() {
    for (pec, months) in [(0, 0.0), (0, 6.0), (1000, 3.0), (2000, 12.0)] {
        let regular = aged("baseline", pec, months, &[]);
        for retry in ["pr2", "ar2", "pnar2"] {
            let ssd = aged(retry, pec, months, &[]);
            assert_eq!(ssd.controller().retry_steps(), regular.controller().retry_steps(), "{retry}");
            let counters = ssd.controller().counters;
            assert_eq!((counters.fallbacks, counters.uncorrectable_pages), (0, 0), "{retry}");
            assert!(end(&ssd) <= end(&regular), "{retry} at {pec} cycles, {months} months");
        }
    }
}

#[test]
fn fresh_pages_need_no_retry() {
    for retry in ["baseline", "pso+pnar2", "sentinel", "rif"] {
        assert_eq!(steps(&aged(retry, 0, 0.0, &[])), (0.0, 0, 0), "{retry}");
    }
}

/// Claims `pnar2.fig15.pso_steps` and `pso_min`: about 70 % of the steps fall away at 2K cycles and 12 months, and every
/// read still takes at least three.
#[test]
fn similar_word_lines_save_most_steps() {
    let (regular, ..) = steps(&aged("baseline", 2000, 12.0, &[]));
    let ssd = aged("pso", 2000, 12.0, &[]);
    let (similar, ..) = steps(&ssd);
    let saved = 1.0 - similar / regular;
    println!("regular {regular}, pso {similar}, saved {saved}");
    assert!((saved - 0.70).abs() <= 0.05, "pnar2.fig15.pso_steps: {saved}");
    let reads = ssd.controller().retry_steps();
    assert_eq!(reads[..3], [0; 3], "pnar2.fig15.pso_min: {reads:?}");
    let table_walk = aged("baseline", 2000, 12.0, &[]).controller().retry_steps().len();
    assert!(reads.len() <= table_walk, "no read takes more than the longest regular retry");
}

/// Sentinel (MICRO 2020): 1.2 further reads; Swift-Read: about 1; on the die as many.
#[test]
fn estimates_take_about_one_further_read() {
    for (retry, mean, tolerance) in
        [("one_step", 1.0, 0.0), ("sentinel", 1.2, 0.06), ("swift_read", 1.0, 0.06), ("rif", 1.0, 0.06)]
    {
        // Where the regular retry takes 6.6 steps.
        let ssd = aged(retry, 0, 6.0, &[]);
        let (steps, ..) = steps(&ssd);
        println!("{retry}: {steps}");
        assert!((steps - mean).abs() <= tolerance, "{retry}: {steps} further reads");
        assert_eq!(ssd.controller().counters.uncorrectable_pages, 0);
    }
}

/// A doomed page crosses the channel only where the die's check is wrong.
#[test]
fn the_die_keeps_doomed_pages() {
    let uncorrectable =
        |ssd: &Ssd| ssd.controller().buses().iter().map(|b| b.time().uncorrectable).sum::<u64>();
    for (pec, months) in [(0, 1.0), (1000, 1.0), (2000, 12.0)] {
        let (die, controller) = (aged("rif", pec, months, &[]), aged("swift_read", pec, months, &[]));
        let counters = die.controller().counters;
        assert_eq!(counters.first_failures, controller.controller().counters.first_failures);
        assert_eq!(counters.missed_on_die, counters.failed_decodes);
        assert!(uncorrectable(&die) * 10 <= uncorrectable(&controller), "{pec} cycles, {months} months");
    }
}

/// With one retry on the die each read is checked once: neither its second sense, nor a page that the check took for good
/// and that has failed in the controller, is checked again.
#[test]
fn a_page_that_has_failed_in_the_controller_is_not_checked_on_the_die() {
    // Half of the pages fail at first, so that some are hard to tell.
    let counters =
        aged("rif", 0, 0.6, &["read.on_die_retries=1", "nand.multiplane=off"]).controller().counters;
    assert!(counters.missed_on_die > 0, "{counters:?}");
    assert_eq!(counters.on_die_checks, READS);
}

#[test]
fn a_cut_that_is_too_deep_falls_back_to_the_default_timing() {
    let ssd = aged("pnar2", 2000, 12.0, &["read.tpre_cut=0.6"]);
    let counters = ssd.controller().counters;
    assert!(counters.fallbacks > 0, "{counters:?}");
    assert_eq!(counters.uncorrectable_pages, 0);
    let (steps, ..) = steps(&ssd);
    assert!(steps > steps_of_regular(), "each fallback walks the table twice");
}

fn steps_of_regular() -> f64 {
    steps(&aged("baseline", 2000, 12.0, &[])).0
}

/// Reads that are known to fail skip the default read: one sense less each, and none is predicted wrong.
#[test]
fn predictions_save_the_first_read() {
    let (regular, predicted) = (aged("baseline", 2000, 12.0, &[]), aged("predictive", 2000, 12.0, &[]));
    assert!((steps(&regular).0 - steps(&predicted).0 - 1.0).abs() < 1e-9);
    assert!(end(&predicted) < end(&regular));
    let (regular, predicted) = (aged("baseline", 0, 0.7, &[]), aged("predictive", 0, 0.7, &[]));
    assert!(steps(&predicted).0 <= steps(&regular).0, "no page is read past its voltage");
}

/// Planes go on by themselves: each has its own number of steps, and a die is done with its slowest.
#[test]
fn planes_have_their_own_voltages() {
    let ssd = aged("pnar2", 1000, 6.0, &["ftl.allocation=PDWC", "nand.multiplane=any"]);
    assert!(ssd.controller().counters.multiplane > 0);
    let (one, two) = (
        aged("baseline", 1000, 6.0, &["nand.multiplane=off"]),
        aged("baseline", 1000, 6.0, &["nand.multiplane=any"]),
    );
    assert_eq!(one.controller().retry_steps(), two.controller().retry_steps(), "planes drop out one by one");
    assert!(two.controller().counters.senses < one.controller().counters.senses);
}
