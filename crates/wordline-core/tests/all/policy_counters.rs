//! What policies count of their own.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::engine::Loader;

const PAGES: u64 = 2_000;

fn worn(settings: &[&str]) -> wordline_core::config::Config {
    let chip = [
        "cells.chip=tlc-48l",
        "coding.cell=tlc",
        "coding.scheme=tlc-2-3-2",
        "ssd.pages_per_block=576",
        "reliability.pec=2000",
    ];
    one_die(&[&chip, settings].concat())
}

/// Counts of a run by name.
fn counts(ssd: &Ssd) -> Vec<(String, u64)> {
    let names = ssd.counted().into_iter().flat_map(|counted| {
        counted.counters.iter().map(move |counter| format!("{}.{}", counted.policy, counter.name))
    });
    names.zip(ssd.at_end().since(&ssd.at_start()).policies).collect()
}

fn count(ssd: &Ssd, name: &str) -> u64 {
    counts(ssd).into_iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("no {name}")).1
}

#[test]
fn each_read_of_a_page_has_one_start() {
    let config = worn(&["read.retry=pso", "reliability.retention_months=12.0", "read.pso_alone_after=4"]);
    let ssd = run(&config, vec![closed(1, reads((0..PAGES).map(|i| i % 600)))]);
    let starts = ["pso.blind_starts", "pso.wider_starts", "pso.similar_starts"].map(|name| count(&ssd, name));
    // One read at a time of data of one age: the first is blind, and four of each of the 48 layers do not count alone yet.
    assert_eq!(starts, [1, 4 * 48 - 1, PAGES - 4 * 48]);
    assert_eq!(starts.iter().sum::<u64>(), ssd.controller().counters.reads);
}

#[test]
fn a_prediction_is_counted_with_what_it_missed() {
    for (months, expected) in [("0.0", 0), ("12.0", PAGES)] {
        let age = format!("reliability.retention_months={months}");
        let ssd = run(&worn(&["read.retry=predictive", &age]), vec![closed(1, reads(0..PAGES))]);
        assert_eq!(count(&ssd, "predictive.expected_failures"), expected, "{months} months");
        let missed = count(&ssd, "predictive.missed_failures");
        let failed = ssd.controller().counters.first_failures;
        assert_eq!(missed, if expected == 0 { failed } else { 0 }, "{months} months");
    }
}

#[test]
fn counts_are_those_of_the_window_and_of_the_run() {
    let config = worn(&["read.retry=pso", "reliability.retention_months=12.0", "host.warmup_requests=500"]);
    let flows = || vec![closed(1, reads(0..PAGES))];
    let first = run(&config, flows());
    let sum = |ssd: &Ssd| counts(ssd).iter().map(|(_, count)| count).sum::<u64>();
    assert_eq!(sum(&first), PAGES - 500);
    let mut second = Ssd::new(&config, flows(), &CHECKED);
    second.take_drive(&mut Loader::new(&mut &*saved(&first)), true).unwrap();
    second.run(&mut |_| true).unwrap();
    assert_eq!(sum(&second), PAGES - 500);
    assert_eq!(count(&second, "pso.blind_starts"), 0, "what the first run learned is known");
}

#[test]
fn a_policy_that_counts_nothing_is_not_listed() {
    assert_eq!(
        counts(&run(&worn(&["read.retry=pnar2", "nand.cache_register=true"]), vec![closed(1, reads(0..9))])),
        []
    );
}
