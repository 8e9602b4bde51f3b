//! Placement handles: where data of each lie, which data share blocks when they move, and what is counted for each handle.

use crate::common::*;
use wordline_cells::ids::BlockId;
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::flash::Purpose;
use wordline_core::host::{FlowInput, HostRequest};
use wordline_core::metrics::{HANDLE_EVENTS, HandleCounters, HandleEventKind};

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
        let large = "cache.capacity_bytes=67108864";
        let config = one_die(&["fdp.isolation=initially", "fdp.handles=2", cache, large]);
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

/// Data without a handle are the first one's, also while a write cache holds them.
#[test]
fn a_request_that_closes_the_first_handle_takes_along_data_without_one() {
    let cache = ["cache.mode=write", "cache.flush=full", "cache.capacity_bytes=67108864"];
    let config = two_handles("initially", &cache);
    let close = |hint| HostRequest { hint, ..close_at(0) };
    for older in [0, 1, 9] {
        let requests =
            [write_to(older, 1), write_to(2, 2), close(1), write_to(older, 3), write_to(2, 4), close(0)];
        let ssd = run(&config, vec![open(requests)]);
        let blocks = ssd.ftl().blocks().table().iter().filter(|block| block.valid > 0);
        let mut valid: Vec<_> = blocks.map(|block| block.valid).collect();
        valid.sort_unstable();
        assert_eq!(valid, [1, 1, 2], "handle {older}");
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

/// Where both types are mixed, each handle has its own.
#[test]
fn each_handle_may_have_a_type_of_its_own() {
    for frontier in ["gc.frontier=separate", "gc.frontier=shared"] {
        let mixed = ["fdp.persistent_handles=[1]", frontier];
        let config = two_handles("mixed", &[&FULL[..], &mixed].concat());
        let ssd = run(&config, uniform(&config, 50, 3_000));
        assert!(ssd.ftl().counters().gc_jobs > 30);
        let allowed = match frontier {
            "gc.frontier=shared" => vec![Purpose::Host(0), Purpose::Host(1)],
            _ => vec![Purpose::Host(0), Purpose::Host(1), Purpose::Moved, Purpose::MovedOf(0)],
        };
        assert_eq!(purposes(&ssd, &config), allowed);
    }
}

/// Victims within the handle that is short: each pays for its own writes, and a quiet one keeps its spare.
#[test]
fn a_handle_that_collects_its_own_pays_for_itself() {
    let moved = |victims: &str| {
        let large = ["ssd.blocks_per_plane=256", "ssd.overprovisioning=0.25", victims];
        let config = two_handles("persistently", &[&FULL[..], &large].concat());
        let mut flows = uniform(&config, 50, 60_000);
        flows[1].source = Box::new(std::iter::empty());
        let quiet = writes((0..1_000).map(|i| i * 7 % 900));
        let part = FlowInput {
            handle: 2,
            first_sector: flows[1].first_sector,
            sectors: flows[1].sectors,
            ..closed(1, quiet)
        };
        flows[1] = part;
        run(&config, flows).ftl().handles().to_vec()
    };
    let (of_all, of_each) = (moved("fdp.victims=group"), moved("fdp.victims=handle"));
    let [loud, quiet] = [0, 1].map(|handle| (of_all[handle], of_each[handle]));
    assert!(quiet.0.gc * 10 > 13 * quiet.1.gc, "the quiet handle bears what the loud one causes: {quiet:?}");
    for (_, counters) in [loud, quiet] {
        let (borne, caused) = (counters.gc as f64, counters.gc_caused as f64);
        assert!((borne - caused).abs() <= 0.02 * loud.1.gc as f64, "{counters:?}");
    }
}

/// A drive of four channels in two reclaim groups of two handles each.
fn two_groups(settings: &[&str]) -> Config {
    let groups = ["ssd.channels=4", "fdp.reclaim_groups=2", "ssd.overprovisioning=0.4"];
    two_handles("persistently", &[&groups, settings].concat())
}

/// Data stay on the channels of the reclaim group that their identifier names, also when they move: checked mode would stop.
#[test]
fn data_stay_in_their_reclaim_group() {
    let packed = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096"];
    let superblocks = ["ftl.group=superblock", "ssd.planes_per_die=2"];
    let large_units = [&superblocks[..], &["fdp.unit_superblocks=2"]].concat();
    for settings in
        [&[][..], &packed, &superblocks, &large_units, &["journal.mode=on"], &["gc.frontier=shared"]]
    {
        let config = two_groups(&[&FULL[..], settings].concat());
        let units = config.host_units();
        let part = |identifier: u16, begin: u64| {
            let mut draws = Draws::new(u64::from(identifier));
            let writes: Vec<_> = (0..2_000).map(|_| draws.below(units / 4)).collect();
            FlowInput {
                handle: identifier,
                first_sector: begin * 8,
                sectors: units / 4 * 8,
                ..closed(2, crate::common::writes(writes))
            }
        };
        let ssd = run(&config, (0..4).map(|i| part(i as u16 + 1, units / 4 * i)).collect());
        assert!(ssd.ftl().counters().gc_jobs > 30, "{settings:?}");
        let (streams, geometry) = (config.streams(), ssd.ftl().geometry());
        let of_host = |block: BlockId| {
            let block_of = ssd.ftl().blocks().get(block);
            streams.host_of(block_of.stream).filter(|_| block_of.valid > 0)
        };
        let channel = |block| geometry.channel_of(geometry.die_of(geometry.plane_of(block)));
        let mut seen = [false; 4];
        for block in geometry.all_blocks() {
            if let Some(number) = of_host(block) {
                assert_eq!(channel(block) / 2, u32::from(number) / 2, "{settings:?}");
                seen[usize::from(number)] = true;
            }
        }
        assert_eq!(seen, [true; 4], "{settings:?}");
    }
}

#[test]
fn data_without_an_identifier_are_spread_over_the_reclaim_groups() {
    let config = two_groups(&["precondition.fill=1.0"]);
    let ssd = run(&config, vec![open([write_to(0, 4), write_to(0, 7), write_to(9, 9), write_to(4, 1)])]);
    let hosts: Vec<_> = ssd.ftl().handles().iter().map(|counters| counters.host).collect();
    assert_eq!(hosts, [1, 0, 2, 1, 0]);
}

/// A bit for each handle, whichever reclaim group a write to it names.
#[test]
fn a_drive_knows_the_handles_that_were_written_to() {
    let used = |config: &Config, handles: &[u16]| {
        let writes: Vec<_> = handles.iter().map(|&handle| write_to(handle, 1)).collect();
        run(config, vec![open(writes)]).life().handles
    };
    let config = one_die(&["fdp.isolation=initially", "fdp.handles=3"]);
    assert_eq!([used(&config, &[1, 3]), used(&config, &[0]), used(&config, &[])], [0b101, 1, 0]);
    let groups = two_groups(&[]);
    assert_eq!([used(&groups, &[4]), used(&groups, &[3]), used(&groups, &[2, 3])], [0b10, 1, 0b11]);
    // What was there before the run is no write of the host.
    assert_eq!(used(&two_handles("persistently", &FULL), &[]), 0);
    let many = ["fdp.isolation=initially", "fdp.handles=128", "ssd.blocks_per_plane=512"];
    let many = one_die(&[&many[..], &["ssd.overprovisioning=0.5"]].concat());
    assert_eq!(used(&many, &[128]), 1 << 127);
}

#[test]
fn all_events_are_logged() {
    let config = two_handles("initially", &["ftl.open_timeout_ms=5"]);
    let of = |kind| HANDLE_EVENTS.iter().position(|&other| other == kind).unwrap();
    let counts = |config: &Config, flow| run(config, vec![flow]).ftl().handle_events().unwrap().counts();
    let one = |kind, count| {
        let mut counts = [0; 6];
        counts[of(kind)] = count;
        counts
    };
    let close = HostRequest { hint: 2, ..close_at(0) };
    let quick = two_handles("initially", &[]);
    assert_eq!(counts(&quick, open([write_to(2, 1), close])), one(HandleEventKind::NotFullyWritten, 1));
    assert_eq!(counts(&quick, open([close])), [0; 6], "nothing is open");
    let later = HostRequest { arrival_ns: 30_000_000, ..read_at(0, 1) };
    assert_eq!(counts(&config, open([write_to(2, 1), later])), one(HandleEventKind::TimeLimitExceeded, 1));
    assert_eq!(counts(&quick, open([write_to(3, 1)])), one(HandleEventKind::InvalidIdentifier, 1));
    let filled = open((0..25).map(|unit| write_to(2, unit)));
    let pools = quick.geometry().planes() as u64;
    assert_eq!(counts(&quick, filled), one(HandleEventKind::ImplicitlyModified, pools));
    let mut ssd = Ssd::new(&quick, vec![open([write_to(2, 1), write_to(2, 2)])], &CHECKED);
    ssd.run_until(T_DMA + T_PROG / 2, &mut |_| true).unwrap();
    ssd.power_cut().unwrap();
    let cut = ssd.ftl().handle_events().unwrap().counts();
    assert_eq!(cut, one(HandleEventKind::ResetModified, 1), "a program was under way in the open unit");
    let full = two_handles("persistently", &FULL);
    let ssd = run(&full, uniform(&full, 50, 1_000));
    let events = ssd.ftl().handle_events().unwrap();
    let moved = events.last().into_iter().filter(|event| event.kind == HandleEventKind::MediaReallocated);
    assert!(events.counts()[of(HandleEventKind::MediaReallocated)] > 10);
    assert!(
        moved.clone().all(|event| event.stream.is_some() && event.moved.is_some_and(|(units, _)| units > 0))
    );
}

/// A reclaim unit of two superblocks is a superblock of blocks that are twice as large: the same amplification.
#[test]
fn a_reclaim_unit_may_be_several_superblocks() {
    let large = [
        "ftl.group=superblock",
        "ssd.channels=2",
        "ssd.planes_per_die=2",
        "ssd.overprovisioning=0.25",
        FULL[0],
        "precondition.overwrite=2.0",
    ];
    let with = |settings: &[&str]| {
        let config = two_handles("persistently", &[&large, settings].concat());
        waf(&config, 2 * config.host_pages()).0
    };
    let units = with(&["ssd.blocks_per_plane=256", "ssd.pages_per_block=8", "fdp.unit_superblocks=2"]);
    let blocks = with(&["ssd.blocks_per_plane=128", "ssd.pages_per_block=16"]);
    assert!((units / blocks - 1.0).abs() < 0.02 && blocks > 1.5, "{units} and {blocks}");
    let smaller = with(&["ssd.blocks_per_plane=256", "ssd.pages_per_block=8"]);
    assert!(smaller < units, "{smaller} and {units}");
    for settings in [
        &["fdp.unit_superblocks=4", "ftl.parity=4", "ssd.overprovisioning=0.5"][..],
        &["fdp.unit_superblocks=2", "program.unit=wordline", "coding.cell=tlc", "ssd.pages_per_block=12"],
        &["fdp.unit_superblocks=2", "ssd.page_bytes=16384", "ftl.unit_bytes=4096"],
        &["fdp.unit_superblocks=2", "ftl.group=block", "gc.policy=d-choices", "ssd.overprovisioning=0.4"],
        &["fdp.unit_superblocks=2", "ftl.group=planes", "gc.policy=random", "ssd.overprovisioning=0.4"],
    ] {
        let shape = ["ssd.blocks_per_plane=64", "ssd.pages_per_block=8"];
        assert!(with(&[&shape, settings].concat()) > 1.0, "{settings:?}");
    }
}
