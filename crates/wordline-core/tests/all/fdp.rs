//! Placement handles: where data of each lie, what of them shares blocks when it moves, and what is counted for whom.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::flash::Purpose;
use wordline_core::host::{FlowInput, HostRequest};
use wordline_core::metrics::HandleCounters;

const FULL: [&str; 2] = ["precondition.fill=1.0", "precondition.overwrite=1.0"];

/// A write with a handle, counted from 1.
fn write_to(handle: u16, unit: u64) -> HostRequest {
    HostRequest { hint: handle, ..write_at(0, unit) }
}

/// A drive with two handles.
fn two_handles(isolation: &str, settings: &[&str]) -> Config {
    one_die(&[settings, &[&format!("fdp.isolation={isolation}"), "fdp.handles=2"]].concat())
}

/// Uniform writes to two parts of a drive, each with its handle; `first` of 100 units are of the first.
fn uniform(config: &Config, first: u64, count: u64) -> Vec<FlowInput> {
    let (units, mut draws) = (config.host_pages(), Draws::new(7));
    let end = units * first / 100;
    let mut flow = |handle, begin: u64, end: u64| {
        let writes: Vec<_> = (0..count * (end - begin) / units).map(|_| draws.below(end - begin)).collect();
        FlowInput {
            handle,
            first_sector: begin * 8,
            sectors: (end - begin) * 8,
            ..closed(4, crate::common::writes(writes))
        }
    };
    vec![flow(1, 0, end), flow(2, end, units)]
}

/// Writes, and what they made the drive program over them: the second half is counted.
fn waf(config: &Config, count: u64) -> (f64, Vec<HandleCounters>) {
    let mut config = config.clone();
    config.host.warmup_requests = count / 2;
    let ssd = run(&config, uniform(&config, 50, count));
    let accounts = ssd.at_end().since(&ssd.at_start());
    (accounts.ftl.programs() as f64 / accounts.ftl.user_programs() as f64, accounts.handles)
}

fn media(counters: &HandleCounters) -> u64 {
    let HandleCounters { host, gc, gc_caused: _, other_moves, table, redone, padding, parity } = *counters;
    host + gc + other_moves + table + redone + padding + parity
}

/// The parts of the drive by what its blocks hold: streams of the valid units of each handle's addresses.
fn purposes(ssd: &Ssd, config: &Config) -> Vec<Purpose> {
    let streams = config.streams();
    let blocks = ssd.ftl().blocks().table().iter().filter(|block| block.valid > 0);
    let mut purposes: Vec<_> = blocks.map(|block| block.stream).collect();
    purposes.sort_unstable();
    purposes.dedup();
    purposes.into_iter().map(|stream| streams.get(stream).purpose).collect()
}

#[test]
fn a_write_goes_to_its_handle_and_one_without_to_the_first() {
    let config = one_die(&["fdp.isolation=initially", "fdp.handles=3"]);
    let requests = [write_to(0, 1), write_to(1, 2), write_to(3, 3), write_to(9, 4)];
    let ssd = run(&config, vec![open(requests)]);
    let handles: Vec<_> = ssd.ftl().handles().iter().map(|counters| counters.host).collect();
    assert_eq!((handles, ssd.ftl().counters().invalid_handles), (vec![3, 0, 1, 0], 1));
    assert_eq!(purposes(&ssd, &config), [Purpose::Host(0), Purpose::Host(2)]);
    assert_eq!([0, 1, 2].map(|handle| ssd.ftl().room_of_handle(handle)), [21, 24, 23]);
    // Streams for hints are the same without isolation; a flow may say which its writes go to.
    let hints = one_die(&["ftl.streams=3", "ftl.placement=handle"]);
    let flow = FlowInput { handle: 2, ..open([write_at(0, 5), write_to(3, 6)]) };
    let ssd = run(&hints, vec![flow]);
    assert_eq!(purposes(&ssd, &hints), [Purpose::Host(1), Purpose::Host(2)]);
    // Without either, nothing looks at handles.
    let ssd = run(&one_die(&[]), vec![open([write_to(9, 4)])]);
    assert_eq!((ssd.ftl().handles().len(), ssd.ftl().counters().invalid_handles), (0, 0));
}

#[test]
fn a_request_closes_the_groups_of_the_handle_that_it_names() {
    for cache in ["cache.mode=off", "cache.mode=write"] {
        let config = one_die(&["fdp.isolation=initially", "fdp.handles=2", cache]);
        let close = |hint| HostRequest { hint, ..close_at(0) };
        let after = |hint| {
            let requests = [write_to(1, 1), write_to(2, 2), close(hint), write_to(1, 3), write_to(2, 4)];
            let ssd = run(&config, vec![open(requests.into_iter().chain([close(0)]))]);
            let blocks = ssd.ftl().blocks().table().iter().filter(|block| block.valid > 0);
            blocks.map(|block| block.valid).collect::<Vec<_>>()
        };
        let sorted = |hint| {
            let mut valid = after(hint);
            valid.sort_unstable();
            valid
        };
        assert_eq!([sorted(0), sorted(1)], [vec![1, 1, 1, 1], vec![1, 1, 2]], "{cache}");
    }
}

/// Initially isolated data lie together when they have moved, persistently isolated ones never do: checked mode would stop.
#[test]
fn what_moves_stays_apart_where_it_has_to() {
    let moved = |isolation, settings: &[&str]| {
        let config = two_handles(isolation, &[&FULL[..], settings].concat());
        let ssd = run(&config, uniform(&config, 50, 3_000));
        assert!(ssd.ftl().counters().gc_jobs > 30);
        purposes(&ssd, &config)
    };
    let hosts = [Purpose::Host(0), Purpose::Host(1)];
    assert_eq!(moved("initially", &[]), [&hosts[..], &[Purpose::Moved]].concat());
    let apart = [&hosts[..], &[Purpose::MovedOf(0), Purpose::MovedOf(1)]].concat();
    for settings in
        [&[][..], &["wear.static_threshold=1"][..], &["gc.frontier=shared"], &["refresh.period_days=1e-6"]]
    {
        let of_both = moved("persistently", settings);
        assert!(of_both.iter().all(|purpose| apart.contains(purpose)), "{settings:?} {of_both:?}");
    }
}

/// Two persistently isolated handles of uniform writes have the write amplification of a drive of their data and spare: by symmetry that
/// of the whole drive.
#[test]
fn isolated_handles_are_drives_of_their_own() {
    let large =
        ["ssd.blocks_per_plane=1024", "ssd.overprovisioning=0.2", FULL[0], "precondition.overwrite=3.0"];
    let plain = one_die(&large);
    let apart = two_handles("persistently", &large);
    let count = 3 * plain.host_pages();
    let (alone, none) = waf(&plain, count);
    let (_, handles) = waf(&apart, count);
    assert!(none.is_empty() && alone > 2.0, "{alone}");
    for counters in &handles[..2] {
        let of_handle = media(counters) as f64 / counters.host as f64;
        assert!((of_handle / alone - 1.0).abs() < 0.02, "{of_handle} and {alone}: {handles:?}");
    }
    assert_eq!(media(&handles[2]), 0, "nothing is mixed");
}

/// Bytes by handle and cause are those of the flash.
#[test]
fn units_by_handle_add_up() {
    let packed = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096", "journal.mode=on"];
    let superblocks = [
        "ftl.group=superblock",
        "ssd.channels=2",
        "ssd.planes_per_die=2",
        "ftl.parity=4",
        "ssd.overprovisioning=0.5",
    ];
    let worn = ["wear.static_threshold=1", "refresh.period_days=1e-5", "ftl.open_timeout_ms=3"];
    for isolation in ["initially", "persistently"] {
        for settings in [&[][..], &packed, &superblocks, &worn] {
            let config = two_handles(isolation, &[&FULL[..], settings].concat());
            let mut flows = uniform(&config, 30, 3_000);
            flows.push(closed(1, [close_at(0), write_to(7, 3), close_at(0)]));
            let ssd = run(&config, flows);
            let (ftl, handles) = (ssd.ftl().counters(), ssd.ftl().handles());
            assert_eq!(handles.iter().map(media).sum::<u64>(), ftl.programs(), "{isolation} {settings:?}");
            let caused: u64 = handles.iter().map(|counters| counters.gc_caused).sum();
            let moved: u64 = handles.iter().map(|counters| counters.gc).sum();
            assert!(caused == moved && moved > 0, "{isolation} {settings:?}: {caused} and {moved}");
            let hosts: u64 = handles.iter().map(|counters| counters.host).sum();
            assert_eq!(hosts, ftl.user_programs(), "{isolation} {settings:?}");
        }
    }
}
