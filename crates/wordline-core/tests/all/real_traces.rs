//! Real traces in checked mode: every request is served and every read is right.
//!
//! They are not part of the repository: `WORDLINE_TRACES`, or `../shared/traces` beside the checkout, names
//! their folder.

use std::path::PathBuf;

use crate::common::*;
use wordline_core::RunOptions;
use wordline_core::config::Config;
use wordline_core::host::{FlowInput, Replay};
use wordline_trace::{AddressPolicy, TraceOptions, WithinDevice};

/// The folder of the traces, or `None`, said aloud, where it is absent.
fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces");
    let folder = std::env::var_os("WORDLINE_TRACES").map_or(PathBuf::from(beside), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no real traces at {}; set WORDLINE_TRACES to their folder", folder.display());
    None
}

/// Four dies of TLC, small enough that every trace overwrites much of it.
fn device(further: &[&str]) -> Config {
    let settings = [
        "ssd.channels=2",
        "ssd.chips_per_channel=1",
        "ssd.dies_per_chip=2",
        "ssd.planes_per_die=2",
        "ssd.blocks_per_plane=96",
        "ssd.pages_per_block=96",
        "ssd.page_bytes=16384",
        "ssd.overprovisioning=0.15",
        "coding.cell=tlc",
        "nand.cache_register=true",
        "program.suspend=true",
        "erase.yield=suspend",
        "precondition.fill=0.9",
    ];
    config(&[&settings[..], further].concat())
}

/// Replays the first `requests` of a file and asserts that all of them are served.
fn replay(file: &str, requests: u64, config: &Config, replay: Replay) {
    let Some(folder) = folder() else { return };
    let reader = TraceOptions::new().open(folder.join(file)).unwrap_or_else(|error| panic!("{error}"));
    let within = WithinDevice::new(reader, config.host_sectors(), AddressPolicy::Wrap);
    let flow = FlowInput {
        name: file.to_owned(),
        source: Box::new(within.take(requests as usize).map(|request| request.map_err(Into::into))),
        ..flow(replay, [])
    };
    let options = RunOptions { log_requests: false, ..CHECKED };
    let (ssd, outcome) = try_run_within(600, config, vec![flow], &options);
    outcome.unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(ssd.metrics().all.count(), requests, "{file}");
    assert_eq!(ssd.progress().submitted, requests, "{file}");
    assert!(ssd.ftl().reads_checked() > 0, "{file}: no read reached flash");
}

/// The requests of a long trace that are replayed in each way.
const HEAD: u64 = 10_000;

/// Both ways of replay, on a plain device and on one with a cache and a cached mapping table; a long trace is replayed
/// further in one of them, and whole in `make verify`.
fn replay_each_way(file: &str, requests: u64) {
    let head = requests.min(HEAD);
    let plain = device(&[]);
    replay(file, head, &plain, Replay::Open);
    replay(file, head, &plain, Replay::Closed { depth: 32 });
    let full = device(&[
        "cache.mode=read-write",
        "cache.capacity_bytes=4194304",
        "ftl.mapping=dftl",
        "ftl.cmt_bytes=65536",
        "gc.copyback=true",
        "ecc.engine=serial",
        "ecc.decode_us=8.0",
        "read.retry=baseline",
        "reliability.retry_steps=2",
    ]);
    replay(file, head, &full, Replay::Open);
    let whole = requests.min(number("WORDLINE_REQUESTS", 40_000));
    replay(file, whole, &full, Replay::Closed { depth: 32 });
}

#[test]
fn cloudphysics() {
    replay_each_way("cloudphysics.csv", 113_872);
}

#[test]
fn financial1() {
    replay_each_way("financial1_head.ascii", 10_000);
}

#[test]
fn iozone() {
    replay_each_way("iozone.disksim", 100_000);
}

#[test]
fn postmark() {
    replay_each_way("postmark.disksim", 62_257);
}

#[test]
fn tpcc() {
    replay_each_way("tpcc-small.trace", 6_999);
}

#[test]
fn web_search() {
    replay_each_way("wsrch-small.trace", 24_783);
}

#[test]
fn ycsb() {
    replay_each_way("ycsb_ext4.blkparse", 9_887);
}
