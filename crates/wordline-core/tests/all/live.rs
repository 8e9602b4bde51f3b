//! A live host: its requests come while the SSD runs, and a replay of them gives the same results.

use crate::common::*;
use wordline_cells::ids::Lpn;
use wordline_core::config::{CacheMode, Config};
use wordline_core::flash::{Completion, Notice, Status};
use wordline_core::host::{HostRequest, Op, Replay};
use wordline_core::{RunOptions, Ssd};

const OPTIONS: RunOptions =
    RunOptions { check: true, log_requests: true, log_jobs: false, timeline: None, requests: None };

fn any_device(draws: &mut Draws) -> Config {
    let mut config = one_die(&[
        "ssd.blocks_per_plane=24",
        "ssd.overprovisioning=0.5",
        "gc.threshold=0.3",
        "cache.capacity_bytes=131072",
        draws.one_of(&["cache.flush=full", "cache.flush=watermark", "cache.flush=eager"]),
    ]);
    config.seed = draws.seed;
    config.ssd.channels = draws.one_of(&[1, 2]);
    config.ssd.planes_per_die = draws.one_of(&[1, 2]);
    config.cache.mode =
        draws.one_of(&[CacheMode::Off, CacheMode::Off, CacheMode::Write, CacheMode::ReadWrite]);
    config.host.submit_ns = draws.one_of(&[0, 1, 700, 20_000]);
    config.host.complete_ns = draws.one_of(&[0, 1, 700]);
    config.host.link_rate_mb_s = draws.one_of(&[0.0, 2_000.0]);
    config.host.device_queue_depth = draws.one_of(&[1, 4, 65_535]);
    config.refresh.policies.age.period_days = draws.one_of(&[0.0, 1e-8]);
    config.program.suspend = draws.one_of(&[false, true]);
    config
}

fn any_request(config: &Config, draws: &mut Draws) -> HostRequest {
    let op = draws.one_of(&[Op::Write, Op::Write, Op::Read, Op::Read, Op::Trim, Op::Flush, Op::Close]);
    let sectors = if op.has_address() { 1 + draws.below(40) as u32 } else { 0 };
    let sector = if op.has_address() { draws.below(config.host_sectors() / 2) } else { 0 };
    HostRequest::new(0, op, sector, sectors)
}

/// Requests of the first flow.
fn of_first(requests: &[HostRequest]) -> impl Iterator<Item = (u16, HostRequest)> {
    requests.iter().map(|&request| (0, request))
}

/// A live run of so many requests, which come at random moments or as answers come; returns them as they arrived.
fn run_live(ssd: &mut Ssd, config: &Config, draws: &mut Draws, count: usize) -> Vec<HostRequest> {
    let depth = draws.one_of(&[1, 3, 16]);
    let gap = draws.one_of(&[0, 0, 3_000, 300_000]);
    let (mut arrived, mut notices, mut names): (Vec<HostRequest>, _, _) =
        (Vec::new(), Vec::new(), Vec::new());
    let (mut under_way, mut completed) = (0, 0);
    ssd.go_live().unwrap();
    while completed < count {
        let more = (depth - under_way).min(count - arrived.len()).min(draws.below(4) as usize);
        if more > 0 {
            let requests: Vec<_> = (0..more).map(|_| any_request(config, draws)).collect();
            let wanted = if gap == 0 { 0 } else { ssd.now() + draws.below(gap) };
            let at = ssd.run_to_arrival(wanted).unwrap();
            ssd.submit(of_first(&requests), &mut names).unwrap();
            assert!(at >= wanted && arrived.last().is_none_or(|last| last.arrival_ns < at));
            arrived.extend(requests.into_iter().map(|request| HostRequest { arrival_ns: at, ..request }));
            under_way += more;
        }
        for _ in 0..draws.below(30) {
            ssd.step_live(u64::MAX - 1).unwrap();
        }
        ssd.take_notices(&mut notices);
        let done = notices.drain(..).filter(|notice| matches!(notice, Notice::Completed(_))).count();
        under_way -= done;
        completed += done;
    }
    ssd.end_live();
    ssd.run(&mut |_| true).unwrap();
    arrived
}

/// All that a run measured of its requests, and what the SSD did for them.
fn outcome(ssd: &Ssd) -> String {
    let all = ssd.metrics().all.summary();
    let log: Vec<_> = ssd.metrics().log.entries.iter().map(|row| format!("{row:?}")).collect();
    format!(
        "{} {all:?} {:?} {:?} {:?} {:?} {log:?}",
        ssd.now(),
        ssd.ftl().counters(),
        ssd.controller().counters,
        ssd.cache().map(|cache| cache.counters),
        ssd.at_end(),
    )
}

#[test]
fn a_replay_of_a_live_run_gives_the_same_results() {
    for seed in 0..number("WORDLINE_CASES", 60) {
        let mut draws = Draws::new(seed);
        let config = any_device(&mut draws);
        let mut live = Ssd::new(&config, vec![open(Vec::new())], &OPTIONS);
        let arrived = run_live(&mut live, &config, &mut draws, 300);
        let mut replay = Ssd::new(&config, vec![flow(Replay::Open, arrived)], &OPTIONS);
        replay.run(&mut |_| true).unwrap();
        let (live, replay) = (outcome(&live), outcome(&replay));
        assert!(live == replay, "seed {seed}:\n{live}\n{replay}\n{config:?}");
    }
}

/// A live SSD that runs until every request of `requests` is complete; all that it tells meanwhile.
fn notices_of(settings: &[&str], requests: &[HostRequest]) -> Vec<Notice> {
    let config = one_die(settings);
    let mut ssd = Ssd::new(&config, vec![open(Vec::new())], &OPTIONS);
    ssd.go_live().unwrap();
    ssd.run_to_arrival(0).unwrap();
    ssd.submit(of_first(requests), &mut Vec::new()).unwrap();
    while ssd.step_live(u64::MAX - 1).unwrap() {}
    let mut notices = Vec::new();
    ssd.take_notices(&mut notices);
    notices
}

const FIRST: Lpn = Lpn::new(0);

#[test]
fn without_a_cache_a_write_is_kept_before_it_is_complete() {
    let notices = notices_of(&[], &writes(0..1));
    let [Notice::Kept { request: 0, lpn: FIRST, .. }, Notice::Completed(Completion { request: 0, .. })] =
        notices[..]
    else {
        panic!("{notices:?}")
    };
}

#[test]
fn a_cached_write_is_kept_when_a_flush_gives_it_to_flash() {
    let flush = HostRequest::new(0, Op::Flush, 0, 0);
    let notices = notices_of(&["cache.mode=write"], &[&writes(0..1)[..], &[flush]].concat());
    let [
        Notice::Cached { request: 0, lpn: FIRST, .. },
        Notice::Flushed { lpn: FIRST },
        Notice::Completed(Completion { request: 0, .. }),
        Notice::Completed(Completion { request: 1, at, .. }),
    ] = notices[..]
    else {
        panic!("{notices:?}")
    };
    assert!(at > T_PROG, "the flush waits for the program, but was complete at {at} ns");
}

#[test]
fn a_read_that_cannot_be_decoded_is_told_of() {
    let notices = notices_of(
        &[
            "cells.chip=tlc-48l",
            "coding.cell=tlc",
            "coding.scheme=tlc-2-3-2",
            "ssd.pages_per_block=576",
            "read.retry=baseline",
            "ecc.correctable_bits=1",
            "reliability.pec=2000",
            "reliability.retention_months=12.0",
        ],
        &[read_at(0, 0), read_at(0, 1)],
    );
    let status = |name: u32| {
        let completions = notices.iter().filter_map(|notice| match notice {
            Notice::Completed(completion) => Some(completion),
            _ => None,
        });
        completions
            .filter(|completion| completion.request == name)
            .map(|completion| completion.status)
            .next_back()
    };
    assert_eq!([0, 1].map(status), [Some(Status::UnrecoveredReadError); 2], "{notices:?}");
}

#[test]
fn a_request_that_the_device_refuses_ends_with_a_status_and_the_run_goes_on() {
    let last = one_die(&[]).host_sectors() - 8;
    for cache in ["cache.mode=off", "cache.mode=read-write"] {
        let mut ssd = Ssd::new(&one_die(&[cache]), vec![open(Vec::new())], &OPTIONS);
        ssd.go_live().unwrap();
        ssd.run_to_arrival(0).unwrap();
        let requests = [
            HostRequest::new(0, Op::Write, last, 8),
            HostRequest::new(0, Op::Write, last + 1, 8),
            HostRequest::new(0, Op::Read, u64::MAX, 8),
            HostRequest::new(0, Op::Trim, last, 0),
            HostRequest::new(0, Op::Read, last, 8),
        ];
        ssd.submit(of_first(&requests), &mut Vec::new()).unwrap();
        ssd.end_live();
        ssd.run(&mut |_| true).unwrap();
        let mut notices = Vec::new();
        ssd.take_notices(&mut notices);
        let mut ends = [None; 5];
        for notice in notices {
            if let Notice::Completed(Completion { request, status, .. }) = notice {
                ends[request as usize] = Some(status);
            }
        }
        use Status::{InvalidField, LbaOutOfRange, Success};
        let expected = [Success, LbaOutOfRange, LbaOutOfRange, InvalidField, Success];
        assert_eq!(ends, expected.map(Some), "{cache}");
        let counts = Status::ALL.map(|status| ssd.metrics().with_status(status));
        assert_eq!((&counts[..3], ssd.metrics().all.count()), (&[2, 1, 2][..], 2), "{cache}");
        assert_eq!(counts[3..].iter().sum::<u64>(), 0, "{cache}");
        let mut logged: Vec<_> = log(&ssd).iter().map(|row| row.status).collect();
        logged.sort_by_key(|&status| status as u8);
        assert_eq!(logged, [Success, Success, InvalidField, LbaOutOfRange, LbaOutOfRange], "{cache}");
    }
}
