//! What mapping, cache, refresh and wear levelling do, counted one by one.

use std::collections::BTreeSet;

use crate::common::*;
use wordline_cells::ids::{BlockId, Lpn, PlaneId};
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::flash::BlockState;
use wordline_core::host::{HostRequest, Op};

/// A cached mapping table over 8-byte entries: 512 to a translation page.
const DFTL: &[&str] = &["ftl.mapping=dftl", "precondition.fill=0.5", "ssd.blocks_per_plane=256"];

fn dftl(further: &[&str]) -> wordline_core::config::Config {
    one_die(&[DFTL, further].concat())
}

#[test]
fn a_miss_costs_one_flash_read_and_a_hit_none() {
    let pages = [5, 5, 600, 5, 600, 1_200];
    let ssd = run(&dftl(&[]), vec![closed(1, reads(pages))]);
    let (hit, miss) = (T_R + T_DMA, 2 * (T_R + T_DMA));
    assert_eq!(latencies(&ssd), [miss, hit, miss, hit, hit, miss]);
    let counters = *ssd.ftl().counters();
    assert_eq!((counters.map_hits, counters.map_misses, counters.map_reads), (3, 3, 3));
    assert_eq!(ssd.controller().counters.reads, 6 + 3);
}

#[test]
fn the_entry_used_longest_ago_leaves_and_only_a_changed_one_is_written_back() {
    // Two entries fit. Reads change nothing: no page of the table is written.
    let two = "ftl.cmt_bytes=16";
    let ssd = run(&dftl(&[two]), vec![closed(1, reads([1, 2, 1, 3, 1, 2]))]);
    let counters = *ssd.ftl().counters();
    assert_eq!((counters.map_hits, counters.map_misses, counters.map_writes), (2, 4, 0), "2 left for 3");
    // A changed entry leaves with one write; another changed one of its page goes along.
    let mut requests = writes([1, 2]);
    requests.extend(reads([3, 4, 5]));
    let ssd = run(&dftl(&[two]), vec![closed(1, requests)]);
    assert_eq!(ssd.ftl().counters().map_writes, 1);
}

/// Each of four entries drives the last one out, of a table page that is being read to be written: one program for three.
#[test]
fn write_backs_that_share_a_program_count_once() {
    let ssd = run(&dftl(&["ftl.cmt_bytes=8"]), vec![closed(4, writes(1..5))]);
    let counters = *ssd.ftl().counters();
    assert_eq!((counters.map_writes, counters.user_programs()), (1, 4));
    assert_eq!(counters.programs(), ssd.controller().counters.programs);
}

#[test]
fn requests_for_one_translation_page_share_its_read() {
    let ssd = run(&dftl(&[]), vec![closed(8, reads(0..8))]);
    assert_eq!((ssd.ftl().counters().map_misses, ssd.ftl().counters().map_reads), (8, 1));
}

#[test]
fn the_write_buffer_answers_at_once_and_flushes_what_is_oldest() {
    let config = one_die(&["cache.mode=write", "cache.capacity_bytes=40960"]);
    let ssd = run(&config, vec![closed(1, writes(0..13))]);
    let cache = ssd.cache().unwrap().counters;
    assert_eq!((cache.write_misses, cache.flushes), (13, 3), "ten pages fit");
    let latencies = latencies(&ssd);
    assert_eq!(latencies[..10], [0; 10]);
    assert_eq!(latencies[10], T_DMA + T_PROG, "the eleventh waits for the first to be flushed");
}

#[test]
fn a_flush_leaves_the_buffer_clean() {
    let config = one_die(&["cache.mode=write", "cache.capacity_bytes=409600"]);
    let mut requests = writes(0..20);
    requests.push(request(Op::Flush, 0, 0));
    let ssd = run(&config, vec![closed(1, requests)]);
    assert_eq!(ssd.ftl().counters().user_writes, 20);
    assert!(Lpn::first(20).all(|lpn| ssd.cache().unwrap().dirty_sectors(lpn) == 0));
    assert_eq!(*latencies(&ssd).last().unwrap(), 20 * (T_DMA + T_PROG));
}

#[test]
fn overwrites_in_the_buffer_never_reach_flash() {
    let config = one_die(&["cache.mode=write", "cache.capacity_bytes=409600"]);
    let ssd = run(&config, vec![closed(4, writes((0..1_000).map(|i| i % 50)))]);
    assert_eq!(ssd.ftl().counters().user_writes, 0);
}

#[test]
fn the_read_cache_serves_the_second_read() {
    let config = one_die(&["cache.mode=read", "precondition.fill=0.5", "cache.capacity_bytes=40960"]);
    let ssd = run(&config, vec![closed(1, reads([1, 1, 2, 1]))]);
    assert_eq!(latencies(&ssd), [T_R + T_DMA, 0, T_R + T_DMA, 0]);
}

/// A read of a trimmed page finds nothing, and does not bring it back.
#[test]
fn a_trimmed_page_takes_no_room_and_no_flash_read() {
    for unmapped in ["preloaded", "zero"] {
        let config = one_die(&["precondition.fill=0.5", &format!("ftl.unmapped_read={unmapped}")]);
        let requests = [request(Op::Trim, 3, 4), request(Op::Read, 3, 4), request(Op::Read, 2, 1)];
        let ssd = run(&config, vec![closed(1, requests)]);
        let counters = *ssd.ftl().counters();
        assert_eq!((counters.trimmed, counters.reads_without_flash, counters.preloaded), (4, 4, 0));
        assert_eq!(latencies(&ssd), [0, 0, T_R + T_DMA]);
    }
}

#[test]
fn trims_make_garbage_collection_cheap() {
    let moved = |trim: bool| {
        let config = one_die(&["precondition.fill=1.0", "ssd.overprovisioning=0.12"]);
        let pages = config.host_pages();
        let mut requests = Vec::new();
        if trim {
            requests.push(request(Op::Trim, pages / 2, (pages / 2) as u32));
        }
        requests.extend((0..6_000).map(|i| write_at(0, below(1, i, Purpose::Precondition, pages / 2))));
        run(&config, vec![closed(8, requests)]).ftl().counters().moved
    };
    let (with, without) = (moved(true), moved(false));
    assert!(with * 4 < without, "{with} pages moved with the other half trimmed, {without} without");
}

/// The times at which each block was first programmed since its last erase tell how old its data is.
fn oldest_data(ssd: &Ssd) -> Ns {
    let nand = ssd.nand();
    let full = ssd
        .ftl()
        .blocks()
        .of_plane(PlaneId::new(0))
        .filter(|(_, b)| b.state() == BlockState::Full && b.valid > 0);
    full.map(|(id, _)| nand.data_age(id, ssd.now())).max().unwrap()
}

#[test]
fn refresh_rewrites_data_within_its_period() {
    // 0.001 days are 86.4 s; reads go on for four periods.
    let device = |period: &str| one_die(&["precondition.fill=0.5", "ssd.blocks_per_plane=32", period]);
    let lasting = || (0..700).map(|i| read_at(i * 500_000 * US, i % 300)).collect::<Vec<_>>();
    let with = run(&device("refresh.period_days=0.001"), vec![open(lasting())]);
    let without = run(&device("refresh.period_days=0.0"), vec![open(lasting())]);
    let period = 86_400_000_000;
    // A scan comes every 64th of the period, and rewriting all takes less than one.
    assert!(oldest_data(&with) < period + period / 16, "data of {} s", oldest_data(&with) / 1_000_000_000);
    assert!(oldest_data(&without) > 4 * period);
    let jobs = with.ftl().counters().refresh_jobs;
    assert!((3 * 12..=5 * 13).contains(&jobs), "12 blocks of data, four times: {jobs}");
    assert_eq!(without.ftl().counters().moved, 0);
}

#[test]
fn refresh_rewrites_aged_data_when_the_run_begins() {
    let config =
        one_die(&["precondition.fill=0.5", "refresh.period_days=20.0", "reliability.retention_months=1.0"]);
    let ssd = run(&config, vec![open((0..100).map(|i| read_at(i * 50_000 * US, i)).collect::<Vec<_>>())]);
    assert_eq!(ssd.ftl().counters().refresh_jobs, 24, "every full block of 576 pages");
    assert!(oldest_data(&ssd) <= ssd.now());
}

/// P/E cycles of the most and the least worn block.
fn wear(ssd: &Ssd) -> (u32, u32) {
    let blocks = ssd.nand().geometry.blocks();
    let cycles = || BlockId::first(blocks).map(|block| ssd.nand().health(block).pec);
    (cycles().min().unwrap(), cycles().max().unwrap())
}

#[test]
fn static_wear_levelling_narrows_the_spread_of_wear() {
    // Nine tenths of the data never change: without levelling, their blocks are never erased.
    for threshold in ["gc.threshold=0.1", "gc.threshold=0.0"] {
        let of = |wear: &str| {
            let config = one_die(&["precondition.fill=1.0", threshold, "gc.hard_threshold=0.0", wear]);
            let hot = config.host_pages() / 10;
            let requests = writes((0..60_000).map(|i| below(2, i, Purpose::Precondition, hot)));
            run(&config, vec![closed(8, requests)])
        };
        let (without, with) = (of("wear.static_threshold=0"), of("wear.static_threshold=10"));
        let (least, most) = wear(&without);
        assert!(least == 0 && most > 60, "{threshold}: {least} to {most} cycles");
        let (least, most) = wear(&with);
        assert!(most - least <= 14, "{threshold}: {least} to {most} cycles with levelling");
        assert!(with.ftl().counters().wear_jobs > 0);
    }
}

#[test]
fn dynamic_wear_levelling_takes_the_least_worn_free_block() {
    // Data that lay still for long are trimmed: their blocks come free, much less worn than the others. Writes are slow
    // enough that GC keeps half of the blocks free.
    let of = |dynamic: bool| {
        let config =
            one_die(&["precondition.fill=0.2", &format!("wear.dynamic={dynamic}"), "gc.threshold=0.5"]);
        let hot = |seed| writes((0..15_000).map(move |i| below(seed, i, Purpose::Precondition, 200)));
        let trims = (200..config.host_pages() / 5).map(|unit| request(Op::Trim, unit, 1));
        let requests = [hot(4), trims.collect(), hot(5)].concat().into_iter().zip(0..);
        let requests = requests.map(|(request, i)| HostRequest { arrival_ns: i * 5_000 * US, ..request });
        let (least, most) = wear(&run(&config, vec![open(requests.collect::<Vec<_>>())]));
        most - least
    };
    assert!(2 * of(true) < of(false), "{} and {}", of(true), of(false));
}

#[test]
fn factory_bad_blocks_are_never_touched() {
    let config = one_die(&["reliability.factory_bad=0.05", "precondition.fill=0.9", "ssd.channels=2"]);
    let pages = config.host_pages();
    let requests = writes((0..20_000).map(|i| below(6, i, Purpose::Precondition, pages)));
    let ssd = run(&config, vec![closed(8, requests)]);
    let bad: Vec<_> = (0..2)
        .flat_map(|plane| ssd.ftl().blocks().of_plane(PlaneId::new(plane)))
        .filter(|(_, block)| block.state() == BlockState::Bad)
        .map(|(id, _)| id)
        .collect();
    assert!((2..=14).contains(&bad.len()), "{bad:?}, of 128 blocks at 5 %");
    for id in bad {
        assert_eq!((ssd.nand().health(id).pec, ssd.nand().block_since(id)), (0, None), "block {id}");
    }
}

#[test]
fn dynamic_allocation_uses_all_dies() {
    let device = |order: &str| {
        let order = format!("ftl.allocation={order}");
        one_die(&["ssd.channels=2", "ssd.chips_per_channel=2", "ssd.dies_per_chip=2", &order])
    };
    // Every eighth page: a static order sends all of them to one die.
    let requests = || writes((0..400).map(|i| i * 8));
    let fixed = run(&device("CWDP"), vec![closed(32, requests())]);
    let dynamic = run(&device("dynamic"), vec![closed(32, requests())]);
    let busy = |ssd: &Ssd| ssd.controller().luns().iter().map(|lun| lun.busy()[1]).collect::<Vec<_>>();
    assert_eq!(busy(&fixed).iter().filter(|&&time| time > 0).count(), 1);
    assert_eq!(busy(&dynamic), [50 * T_PROG; 8]);
    assert_eq!(busy(&dynamic).iter().collect::<BTreeSet<_>>().len(), 1);
    assert!(end(&dynamic) * 7 < end(&fixed));
}

/// Reads that keep a die busy must not keep GC from making room for writes that wait for it.
#[test]
fn gc_goes_first_once_its_plane_runs_out_of_blocks() {
    let config = one_die(&["precondition.fill=1.0", "gc.threshold=0.12", "schedule.max_read_burst=2"]);
    let pages = config.host_pages();
    let writes: Vec<_> = (0..1_500).map(|i| write_at(0, below(8, i, Purpose::Precondition, pages))).collect();
    let reads: Vec<_> = (0..60_000).map(|i| read_at(0, below(9, i, Purpose::Precondition, pages))).collect();
    let ssd = run(&config, vec![closed(16, writes), closed(4, reads)]);
    let last_write = log(&ssd).iter().filter(|e| e.op == Op::Write).map(|e| e.completed).max().unwrap();
    assert!(
        last_write < end(&ssd) * 9 / 10,
        "writes wait for the end of the reads: {last_write} of {}",
        end(&ssd)
    );
}
