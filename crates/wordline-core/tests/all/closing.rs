//! The host asks to close the groups that are open for its data: they are filled up with padding, and later data lie in others.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::flash::{BlockState, Purpose};
use wordline_core::host::{HostRequest, Op};

const MS: Ns = 1_000 * US;
/// Pages of a block of [`ONE_DIE`].
const PAGES: u64 = 24;

/// Padding, groups that were closed, and blocks that are full and open.
fn told(ssd: &Ssd) -> (u64, u64, usize, usize) {
    let counters = ssd.ftl().counters();
    assert_eq!(counters.closed_groups, counters.closed_on_request);
    let states = [BlockState::Full, BlockState::Open].map(|state| in_state(ssd, state));
    (counters.padding, counters.closed_groups, states[0], states[1])
}

/// Response times of the requests to close.
fn times_of_closes(ssd: &Ssd) -> Vec<Ns> {
    log(ssd).iter().filter(|entry| entry.op == Op::Close).map(|e| e.completed - e.arrival).collect()
}

/// `count` writes, and a request to close behind every `between` of them.
fn every(between: u64, count: u64, units: u64) -> Vec<HostRequest> {
    let close = |i| (i % between == between - 1).then(|| close_at(0));
    (0..count).flat_map(|i| [Some(write_at(0, i * 7 % units)), close(i)]).flatten().collect()
}

#[test]
fn padding_is_the_rest_of_the_block_and_nobody_waits_for_it() {
    let after = |requests: Vec<HostRequest>| run(&one_die(&[]), vec![open(requests)]);
    let writes = |count| (0..count).map(|unit| write_at(0, unit)).collect::<Vec<_>>();
    let ssd = after([writes(5), vec![close_at(40 * MS), read_at(40 * MS, 0)]].concat());
    assert_eq!(told(&ssd), (PAGES - 5, 1, 1, 0));
    assert_eq!(times_of_closes(&ssd), [0], "it ends when the padding is on its way");
    // Again, with nothing to close; a full block needs no padding, and neither does an empty drive.
    assert_eq!(told(&after([writes(5), vec![close_at(40 * MS), close_at(40 * MS)]].concat())), (19, 1, 1, 0));
    assert_eq!(told(&after([writes(PAGES), vec![close_at(40 * MS)]].concat())), (0, 0, 1, 0));
    assert_eq!(told(&after(vec![close_at(0)])), (0, 0, 0, 0));
    // The next write begins another block, when the padding that is before it in its queue is programmed.
    let ssd = after([writes(5), vec![close_at(40 * MS), write_at(40 * MS, 6)]].concat());
    assert_eq!(told(&ssd), (PAGES - 5, 1, 1, 1));
    assert_eq!(latencies(&ssd).last(), Some(&((PAGES - 5 + 1) * (T_DMA + T_PROG))));
    // Writes that are on their way belong to the block: only what comes later lies elsewhere.
    let ssd = after([writes(5), vec![close_at(0), write_at(0, 6)]].concat());
    assert_eq!(told(&ssd), (PAGES - 5, 1, 1, 1));
    assert_eq!(ssd.metrics().count_of(Op::Close), 1);
}

/// What was acknowledged goes to the group that is closed, whether it waits for its program to be full or is in the write cache.
#[test]
fn it_takes_along_what_was_acknowledged() {
    let units =
        ["ssd.page_bytes=16384", "ftl.unit_bytes=4096", "cache.mode=write", "cache.capacity_bytes=262144"];
    for flush in ["cache.flush=eager", "cache.flush=full"] {
        let config = one_die(&[&units[..], &[flush, "ftl.unit_wait_us=1e3"]].concat());
        let ssd = run(&config, vec![open([write_at(0, 3), write_at(0, 9), close_at(MS)])]);
        let counters = ssd.ftl().counters();
        assert_eq!((counters.closed_groups, ssd.ftl().units_waiting()), (1, 0), "{flush}");
        assert_eq!((counters.user_writes, counters.padding), (2, PAGES * 4 - 2), "{flush}");
    }
}

/// The groups of pages that the host has written, in order of the pages.
fn groups_of(ssd: &Ssd) -> Vec<u32> {
    let table = ssd.ftl().blocks().table().iter().enumerate();
    let filled = table.filter(|(_, block)| block.next_page > 0);
    filled.map(|(_, block)| u32::from(block.valid)).collect()
}

/// A write cache holds what came before a request to close and what comes behind it at the same time: they lie in two groups, and
/// older data that do not fit into the open one open another of their own.
#[test]
fn a_write_cache_keeps_older_data_from_newer_ones() {
    let cache = ["cache.mode=write", "cache.capacity_bytes=67108864"];
    let writes = |from: u64, to: u64| (from..to).map(|unit| write_at(0, unit));
    for flush in ["cache.flush=full", "cache.flush=eager"] {
        let config = one_die(&[&cache[..], &[flush]].concat());
        let after = |older: u64| {
            let requests = writes(0, older).chain([close_at(0)]).chain(writes(100, 105)).chain([close_at(0)]);
            let ssd = run(&config, vec![open(requests)]);
            assert_eq!(ssd.metrics().count_of(Op::Close), 2);
            (groups_of(&ssd), ssd.ftl().counters().padding)
        };
        assert_eq!(after(5), (vec![5, 5], 2 * (PAGES - 5)), "{flush}");
        assert_eq!(after(PAGES + 2), (vec![24, 2, 5], 2 * PAGES - 7), "{flush}");
    }
}

/// With `ftl.closing = "leave"` only what a program lacks is padding: the rest of the group has nothing until its erase.
#[test]
fn the_rest_of_a_group_can_be_left() {
    let leave = "ftl.closing=leave";
    let units = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096"];
    let requests = || open([write_at(0, 3), write_at(0, 9), close_at(MS), write_at(2 * MS, 4)]);
    let ssd = run(&one_die(&[&units[..], &[leave]].concat()), vec![requests()]);
    assert_eq!((groups_of(&ssd), told(&ssd)), (vec![2, 1], (2 + 3, 1, 1, 1)));
    let superblocks = [
        "ftl.group=superblock",
        "ssd.planes_per_die=2",
        "ssd.channels=2",
        "ftl.parity=4",
        "ssd.overprovisioning=0.5",
    ];
    let ssd = run(&one_die(&[&superblocks[..], &[leave]].concat()), vec![requests()]);
    let counters = ssd.ftl().counters();
    assert_eq!((counters.padding, counters.parity, counters.closed_groups), (1, 1, 1));
    // The group is emptied and erased like any other, also where power goes meanwhile.
    let full = ["precondition.fill=1.0", "precondition.overwrite=1.0", leave];
    let config = one_die(&full);
    let requests = every(10, 3_000, config.host_pages());
    let ssd = run(&config, vec![closed(1, requests.clone())]);
    let counters = ssd.ftl().counters();
    assert!(
        counters.gc_jobs > 100 && counters.closed_on_request == 300 && counters.padding == 0,
        "{counters:?}"
    );
    let mut ssd = Ssd::new(&config, vec![closed(1, requests)], &CHECKED);
    ssd.precondition(&config, None, &mut |_| true).unwrap();
    ssd.run_until(40 * MS, &mut |_| true).unwrap();
    ssd.power_cut().unwrap();
    ssd.power_up(MS).unwrap();
    ssd.run(&mut |_| true).unwrap();
}

/// GC at work keeps no group open: each request closes the one that the writes before it have opened.
#[test]
fn it_acts_while_gc_is_at_work() {
    let one_pool = ["ftl.group=planes", "ssd.planes_per_die=2", "gc.pacing=in-step"];
    for settings in [&[][..], &["gc.preemptible=false"], &["gc.frontier=shared"], &one_pool] {
        let config = one_die(&[&["precondition.fill=1.0", "precondition.overwrite=1.0"], settings].concat());
        let ssd = run(&config, vec![closed(1, every(10, 3_000, config.host_pages()))]);
        let counters = *ssd.ftl().counters();
        assert!(counters.gc_jobs > 100, "{settings:?}: {counters:?}");
        assert_eq!(ssd.metrics().count_of(Op::Close), 300, "{settings:?}");
        if !settings.contains(&"gc.frontier=shared") {
            let pages = PAGES * u64::from(config.ssd.planes_per_die);
            assert_eq!(counters.closed_on_request, 300, "{settings:?}");
            assert_eq!(counters.padding, 300 * (pages - 10), "{settings:?}");
            assert_eq!(times_of_closes(&ssd), [0; 300], "{settings:?}");
        }
    }
}

/// Where what moves goes behind the host's pages, and no other block is free for it, the request waits for GC, and a loss of
/// power ends it as it ends others.
#[test]
fn it_waits_where_gc_needs_the_block() {
    let settings = ["precondition.fill=1.0", "precondition.overwrite=1.0", "gc.frontier=shared"];
    let config = one_die(&[&settings[..], &["ssd.overprovisioning=0.1"]].concat());
    let requests = every(10, 3_000, config.host_pages());
    let ssd = run(&config, vec![closed(1, requests.clone())]);
    assert_eq!(ssd.metrics().count_of(Op::Close), 300);
    let late: Vec<_> = log(&ssd).iter().filter(|e| e.op == Op::Close && e.completed > e.arrival).collect();
    assert!((2..100).contains(&late.len()), "{}", late.len());
    let at = late[1].arrival.midpoint(late[1].completed);
    let mut ssd = Ssd::new(&config, vec![closed(1, requests)], &CHECKED);
    ssd.precondition(&config, None, &mut |_| true).unwrap();
    ssd.run_until(at, &mut |_| true).unwrap();
    assert_eq!(ssd.power_cut().unwrap().interrupted_requests, 1);
    ssd.power_up(MS).unwrap();
    ssd.run(&mut |_| true).unwrap();
    assert_eq!(ssd.metrics().count_of(Op::Close), 299);
}

/// Blocks of pages that GC has moved, of pages from before the run and of fast ones are not the host's to close.
#[test]
fn streams_that_are_not_the_hosts_stay_open() {
    let open_for = |settings: &[&str], requests: Vec<HostRequest>| {
        let config = one_die(settings);
        let streams = config.streams();
        let ssd = run(&config, vec![closed(1, requests)]);
        let blocks = ssd.ftl().blocks().table().iter();
        let open = blocks.filter(|block| block.state() == BlockState::Open);
        let mut purposes: Vec<_> = open.map(|block| streams.get(block.stream).purpose).collect();
        purposes.dedup();
        purposes
    };
    let used = ["precondition.fill=1.0", "precondition.overwrite=1.0"];
    let closing =
        |units: u64| writes((0..500).map(|i| i * 7 % units)).into_iter().chain([close_at(0)]).collect();
    assert_eq!(open_for(&used, closing(1_000)), [Purpose::Moved]);
    assert_eq!(open_for(&[], vec![read_at(0, 3), write_at(0, 4), close_at(0)]), [Purpose::Preload]);
    // What a fill left open is the host's, and so are the pages of a mapping table on flash.
    assert_eq!(open_for(&["precondition.fill=0.51"], vec![]), [Purpose::Host(0)]);
    assert_eq!(open_for(&["precondition.fill=0.51"], vec![close_at(0)]), []);
    let table = ["ftl.mapping=dftl", "ftl.cmt_bytes=64", "ftl.unmapped_read=zero"];
    let writes_and =
        |last| writes((0..40).map(|i| i * 29 % 1000)).into_iter().chain(last).collect::<Vec<_>>();
    assert!(run(&one_die(&table), vec![closed(1, writes_and(None))]).ftl().counters().map_writes > 0);
    assert_eq!(open_for(&table, writes_and(None)), [Purpose::Host(0)]);
    assert_eq!(open_for(&table, writes_and(Some(close_at(0)))), []);
    let cache = ["coding.cell=tlc", "ssd.overprovisioning=0.4", "slc.policy=idle", "slc.read_us=20.0"];
    let cache = [&cache[..], &["slc.program_us=100.0", "slc.erase_us=1000.0"]].concat();
    assert_eq!(open_for(&cache, writes([1, 2])), [Purpose::Cache]);
    assert_eq!(open_for(&cache, [writes([1, 2]), vec![close_at(0)]].concat()), []);
}

/// Programs of padding that a loss of power ends take nothing with them, and neither does one while the request waits.
#[test]
fn a_cut_in_the_midst_of_it_loses_nothing() {
    let cache = ["cache.mode=write", "cache.flush=full", "ssd.page_bytes=16384", "ftl.unit_bytes=4096"];
    for settings in [&[][..], &["gc.frontier=shared"], &["ftl.group=planes", "ssd.planes_per_die=2"], &cache]
    {
        for at_us in (4_000..16_000).step_by(700) {
            let mut all: Vec<_> = (0..5).map(|unit| write_at(0, unit)).collect();
            all.push(close_at(4 * MS));
            all.extend((0..5).map(|unit| read_at(60 * MS, unit)));
            let mut ssd = Ssd::new(&one_die(settings), vec![open(all)], &CHECKED);
            ssd.run_until(at_us * US, &mut |_| true).unwrap();
            let cut = ssd.power_cut().unwrap();
            ssd.power_up(MS).unwrap();
            ssd.run(&mut |_| true).unwrap();
            assert_eq!((cut.lost_cache_pages, ssd.metrics().read().count()), (0, 5), "cut at {at_us} us");
        }
    }
}
