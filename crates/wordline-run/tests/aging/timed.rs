//! A drive is aged to the write amplification that its run has, whatever the schedule, the pacing, the write cache and the load.
//!
//! `make test` tries one of them, `WORDLINE_CASES` so many of all.

use wordline_core::RunOptions;
use wordline_core::config::{Config, Layer, resolve};
use wordline_run::{Flow, Run, presets};

use crate::each_on_some_thread;

/// Requests after which what a run has won by beginning from rest is over.
const WARMUP: u64 = 60_000;
/// Requests after them, half of which are writes at least: their write amplification is known well enough.
const REQUESTS: u64 = 180_000;
/// Largest difference of aging and the run. Each is known to about 2 %.
const DIFFERENCE_MAX: f64 = 0.05;

const SCHEDULES: [&[&str]; 4] = [
    &[],
    &["schedule.policy=fifo"],
    &["schedule.policy=mqsim-out-of-order"],
    &["schedule.policy=fifo", "gc.pacing=off"],
];
const CACHES: [&[&str]; 4] = [
    &[],
    &["cache.flush=full", "cache.capacity_bytes=4194304"],
    &["cache.flush=hot-cold", "cache.capacity_bytes=4194304"],
    &["cache.mode=off"],
];
const WORKLOADS: [&[&str]; 5] = [
    &["workload.pattern=random"],
    &["workload.pattern=zipf", "workload.zipf_theta=0.99"],
    &["workload.pattern=random", "workload.trim_ratio=0.2"],
    &["workload.pattern=zipf", "workload.zipf_theta=0.8", "workload.trim_ratio=0.1"],
    &["workload.pattern=random", "workload.read_ratio=0.5"],
];
/// As fast as the queue lets it, or at about 30, 60 and 90 % of the 16,000 writes a second that the drive serves anywhere.
const LOADS_US: [Option<f64>; 4] = [None, Some(200.0), Some(100.0), Some(68.0)];

/// A small drive of today.
const DRIVE: [&str; 12] = [
    "ssd.channels=2",
    "ssd.chips_per_channel=1",
    "ssd.dies_per_chip=2",
    "ssd.blocks_per_plane=96",
    "ssd.pages_per_block=48",
    "ssd.overprovisioning=0.2",
    "gc.threshold=0.04",
    "gc.hard_threshold=0.03",
    "cache.capacity_bytes=1048576",
    "precondition.fill=1.0",
    "precondition.overwrite=steady",
    "precondition.shape=workload",
];

fn config(settings: &[&[&str]]) -> Config {
    let mut layers = vec![presets::ssd("datacenter-tlc").expect("listed")];
    let all = DRIVE.iter().chain(settings.iter().copied().flatten());
    layers.extend(all.map(|set| Layer::assignment(set).expect("an assignment")));
    resolve(&layers).unwrap_or_else(|error| panic!("{settings:?}: {error}")).config
}

/// The write amplification of aging and that of the run behind it.
fn aged_and_run(settings: &[&[&str]]) -> (f64, f64) {
    let requests = format!("workload.requests={}", WARMUP + REQUESTS);
    let left_out = format!("host.warmup_requests={WARMUP}");
    let writes: &[&str] = &["workload.read_ratio=0.0", &requests, &left_out];
    let config = config(&[writes, settings.concat().as_slice()]);
    let mut run = Run::new(&config, vec![Flow::synthetic(&config)], RunOptions::default()).expect("it fits");
    run.precondition(&mut |_| true).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
    let steady = run.ssd().steady().expect("asked for");
    assert!(steady.is_flat && steady.timed.is_some(), "{settings:?}: {steady:?}");
    run.run(&mut |_| true).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
    let found = run.measured().write_amplification.expect("it writes");
    (steady.write_amplification.expect("it writes"), found)
}

fn examine(settings: &[&[&str]]) {
    let (aged, run) = aged_and_run(settings);
    println!("{settings:?}: aged {aged:.3}, run {run:.3}");
    assert!(
        (run / aged - 1.0).abs() <= DIFFERENCE_MAX,
        "{settings:?}: aged to {aged:.3}, and the run has {run:.3}"
    );
}

/// Without its time, aging is told apart from the run: else the test would hold without the second stage.
#[test]
fn a_write_cache_makes_another_equilibrium() {
    let (aged, run) = {
        let settings: &[&str] =
            &["workload.requests=60000", "precondition.timed_max=0.0", "workload.read_ratio=0.0"];
        let config = config(&[settings, CACHES[1], WORKLOADS[1]]);
        let mut run =
            Run::new(&config, vec![Flow::synthetic(&config)], RunOptions::default()).expect("it fits");
        run.precondition(&mut |_| true).expect("room");
        let steady = run.ssd().steady().expect("asked for");
        assert!(steady.timed.is_none());
        run.run(&mut |_| true).expect("room");
        (
            steady.write_amplification.expect("it writes"),
            run.measured().write_amplification.expect("it writes"),
        )
    };
    assert!(run < 0.9 * aged, "aged to {aged:.3}, and the run has {run:.3}");
}

/// A large cache takes the first round of aging to itself, and most of the others: the stage with time goes on all the same.
#[test]
fn a_drive_behind_a_cache_that_absorbs_most_writes_is_aged_with_it() {
    let requests = format!("workload.requests={}", 2 * WARMUP);
    let left_out = format!("host.warmup_requests={WARMUP}");
    let settings: &[&str] = &[
        "workload.read_ratio=0.0",
        &requests,
        &left_out,
        "cache.flush=full",
        "cache.capacity_bytes=33554432",
    ];
    let config = config(&[settings, WORKLOADS[1]]);
    let mut run = Run::new(&config, vec![Flow::synthetic(&config)], RunOptions::default()).expect("it fits");
    run.precondition(&mut |_| true).expect("room");
    let steady = run.ssd().steady().expect("asked for");
    let timed = steady.timed.unwrap_or_else(|| panic!("no stage with time: {steady:?}"));
    run.run(&mut |_| true).expect("room");
    let (aged, found) = (steady.write_amplification, run.measured().write_amplification);
    println!("aged {aged:?}, run {found:?}, {timed:?}");
    assert!(timed.is_level && timed.rest_bytes < WARMUP * 4096, "{timed:?}");
    assert!((found.unwrap() / aged.unwrap() - 1.0).abs() <= DIFFERENCE_MAX, "{found:?} of {aged:?}");
}

/// A run begins from rest, with an empty write cache and more room than under load: aging says after how many bytes that is over.
#[test]
fn a_run_has_the_amplification_of_aging_after_what_rest_has_won() {
    let amplification = |left_out: u64, counted: u64| {
        let lengths =
            [format!("workload.requests={}", left_out + counted), format!("host.warmup_requests={left_out}")];
        let settings: Vec<&str> =
            lengths.iter().map(String::as_str).chain(["workload.read_ratio=0.0"]).collect();
        let config = config(&[&settings, WORKLOADS[0]]);
        let mut run =
            Run::new(&config, vec![Flow::synthetic(&config)], RunOptions::default()).expect("it fits");
        run.precondition(&mut |_| true).expect("room");
        let steady = run.ssd().steady().expect("asked for");
        run.run(&mut |_| true).expect("room");
        let found = run.measured().write_amplification.expect("it writes");
        (
            found / steady.write_amplification.expect("it writes"),
            steady.timed.expect("flat").rest_bytes / 4096,
        )
    };
    let (from_rest, writes) = amplification(0, 1_000);
    assert!(from_rest < 0.7, "{from_rest:.3} of aging's");
    let (later, same) = amplification(writes, 8_000);
    println!("{writes} writes; from rest {from_rest:.3}, later {later:.3}");
    assert_eq!(writes, same);
    assert!((later - 1.0).abs() < 0.1, "{later:.3} of aging's after {writes} writes");
}

/// What the second stage has written is read as it was written, and as old as it is.
#[test]
fn a_checked_run_goes_on_with_the_drive_that_was_aged() {
    let settings: &[&str] = &["workload.requests=4000", "ssd.blocks_per_plane=48", "workload.read_ratio=0.5"];
    let config = config(&[settings, CACHES[1]]);
    let options = RunOptions { check: true, ..RunOptions::default() };
    let mut run = Run::new(&config, vec![Flow::synthetic(&config)], options).expect("it fits");
    run.precondition(&mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    assert!(run.ssd().steady().is_some_and(|steady| steady.timed.is_some()));
    run.run(&mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(run.measured().requests.all, 4000);
    assert!(run.measured().simulated_s < 10.0, "the clock of the run begins with the run");
}

#[test]
fn a_drive_is_aged_to_what_its_run_keeps() {
    let Some(count) = std::env::var("WORDLINE_CASES").ok().and_then(|count| count.parse::<usize>().ok())
    else {
        examine(&[CACHES[1], WORKLOADS[1]]);
        return;
    };
    let mut cases = Vec::new();
    for schedule in SCHEDULES {
        for cache in CACHES {
            for workload in WORKLOADS {
                cases.extend(LOADS_US.map(|load| (schedule, cache, workload, load)));
            }
        }
    }
    let count = count.min(cases.len());
    let some: Vec<_> = (0..count).map(|number| cases[number * cases.len() / count]).collect();
    each_on_some_thread(&some, |&(schedule, cache, workload, load)| {
        let gap = load.map(|gap_us| format!("workload.inter_arrival_us={gap_us:?}"));
        let open: Vec<&str> = gap.iter().flat_map(|gap| [gap.as_str(), "host.mode=open"]).collect();
        examine(&[schedule, cache, workload, &open]);
    });
}
