//! The SLC cache: what it takes, when it is folded, and what both cost.

use crate::common::*;
use wordline_cells::ids::BlockId;
use wordline_core::Ssd;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::flash::BlockState;
use wordline_core::host::{HostRequest, Op};

/// One plane of 40 blocks of 24 TLC pages, that is of 8 in SLC mode.
const TLC: &[&str] = &[
    "coding.cell=tlc",
    "ssd.blocks_per_plane=40",
    "ssd.pages_per_block=24",
    "ssd.overprovisioning=0.4",
    "slc.policy=idle",
    "slc.read_us=20.0",
    "slc.program_us=100.0",
    "slc.erase_us=1000.0",
];

const SLC_PAGES: u64 = 8;
const SLC_T_R: Ns = 20 * US;
const SLC_T_PROG: Ns = 100 * US;

fn tlc(settings: &[&str]) -> Config {
    one_die(&[TLC, settings].concat())
}

/// Static blocks alone.
fn fixed(settings: &[&str]) -> Config {
    tlc(&[&["slc.static_blocks=3", "slc.dynamic_share=0.0"], settings].concat())
}

/// Blocks that hold data of the cache.
fn cached(ssd: &Ssd) -> usize {
    let holds = |state| !matches!(state, BlockState::Free | BlockState::Bad);
    ssd.ftl()
        .blocks()
        .table()
        .iter()
        .filter(|block| !block.mode().is_native() && holds(block.state()))
        .count()
}

#[test]
fn write_speed_falls_first_when_a_static_cache_is_full() {
    // One write after the other: the time of each says where it went.
    let size = 3 * SLC_PAGES;
    let ssd = run(&fixed(&[]), vec![closed(1, writes(0..size + 20))]);
    let (inside, outside) = (T_DMA + SLC_T_PROG, T_DMA + T_PROG);
    let expected: Vec<_> = (0..size + 20).map(|i| if i < size { inside } else { outside }).collect();
    assert_eq!(latencies(&ssd), expected);
    let counters = ssd.ftl().counters();
    assert_eq!((counters.slc_writes, counters.user_writes, counters.moved), (size, size + 20, 0));
}

#[test]
fn a_dynamic_cache_has_its_share_of_what_is_free() {
    for share in [0.25, 0.5] {
        let dynamic = format!("slc.dynamic_share={share}");
        let config = tlc(&["slc.static_blocks=0.0", &dynamic]);
        let ssd = run(&config, vec![closed(1, writes(0..400))]);
        let fast = latencies(&ssd).iter().take_while(|&&time| time == T_DMA + SLC_T_PROG).count();
        // All blocks are free at first.
        assert_eq!(fast as u64, (share * 40.0) as u64 * SLC_PAGES, "a share of {share}");
        assert_eq!(ssd.ftl().counters().slc_writes, fast as u64);
    }
}

#[test]
fn a_dynamic_cache_shrinks_as_the_drive_fills() {
    let first_fall = |fill: &str| {
        let fill = format!("precondition.fill={fill}");
        let config = tlc(&["slc.static_blocks=0.0", "slc.dynamic_share=0.5", &fill]);
        let ssd = run(&config, vec![closed(1, writes(0..200))]);
        latencies(&ssd).iter().take_while(|&&time| time == T_DMA + SLC_T_PROG).count() as u64 / SLC_PAGES
    };
    // 24 blocks hold the host's data when the drive is full, and 12 when it is half full.
    assert_eq!([first_fall("0.0"), first_fall("0.5"), first_fall("1.0")], [20, 14, 8]);
}

#[test]
fn reads_of_data_that_are_not_folded_take_the_time_of_slc() {
    let config = fixed(&["precondition.fill=1.0"]);
    let requests = [request(Op::Write, 5, 1), request(Op::Read, 5, 1), request(Op::Read, 6, 1)];
    let ssd = run(&config, vec![closed(1, requests)]);
    assert_eq!(latencies(&ssd)[1..], [SLC_T_R + T_DMA, T_R + T_DMA]);
}

#[test]
fn an_idle_host_lets_the_cache_be_folded_and_a_busy_one_does_not() {
    let config = fixed(&["slc.idle_ms=10.0"]);
    let late = 1_000_000 * US;
    // Two blocks of the cache, and a page of the third; then nothing for a second, then a read.
    let burst = (0..2 * SLC_PAGES + 1).map(|i| write_at(0, i));
    let ssd = run(&config, vec![open(burst.chain([read_at(late, 3), read_at(late, 2 * SLC_PAGES)]))]);
    let counters = ssd.ftl().counters();
    assert_eq!((counters.fold_jobs, counters.fold_moved, counters.moved), (2, 2 * SLC_PAGES, 2 * SLC_PAGES));
    assert_eq!((counters.gc_jobs, counters.erases, cached(&ssd)), (0, 2, 1));
    let times = latencies(&ssd);
    // What was folded is read in the chip's own mode, and what is left in the open block is not.
    assert!(times[times.len() - 2..].contains(&(T_R + T_DMA)), "{times:?}");
    // The run ends with its requests: nothing waits for the next idle time.
    assert!(end(&ssd) < late + 1_000 * US);
    let ssd = run(&config, vec![closed(1, writes(0..2 * SLC_PAGES + 1))]);
    assert_eq!(ssd.ftl().counters().fold_jobs, 0);
}

/// Once it is full the cache takes nothing until it is empty; meanwhile the host has its share of what is programmed.
#[test]
fn a_full_cache_is_emptied_in_one_go() {
    for (share, writes_beside) in [(0.2, 20), (0.5, 80)] {
        let share = format!("slc.emptying_share={share}");
        let size = 10 * SLC_PAGES;
        let config = tlc(&["slc.static_blocks=10", "slc.dynamic_share=0.0", "slc.idle_ms=1e9", &share]);
        let of = |count: u64| {
            let ssd = run(&config, vec![closed(1, writes(0..count))]);
            (*ssd.ftl().counters(), latencies(&ssd))
        };
        let (counters, _) = of(size - 1);
        assert_eq!((counters.slc_writes, counters.fold_moved), (size - 1, 0), "not full");
        // Its share, and what it has asked for when the cache takes data again.
        let slow = writes_beside + 1;
        let (counters, times) = of(2 * size + slow - 1);
        assert_eq!(counters.fold_moved, size, "{share}: all of it, and nothing twice");
        assert_eq!(counters.slc_writes, 2 * size - 1, "{share}");
        let fast = T_DMA + SLC_T_PROG;
        let is_fast: Vec<bool> = times.iter().map(|&time| time == fast).collect();
        let (first, rest) = is_fast.split_at(size as usize);
        let (second, third) = rest.split_at(slow as usize);
        assert!(first.iter().all(|&is| is) && second.iter().all(|&is| !is), "{share}: {times:?}");
        assert!(third.iter().all(|&is| is), "{share}: {times:?}");
    }
}

#[test]
fn a_watermark_folds_while_the_host_writes() {
    let config = fixed(&["slc.policy=watermark", "slc.fold_above=0.5"]);
    // The host leaves the die some time.
    let write = |i: u64| write_at(i * 600 * US, i * 7 % 300);
    let ssd = run(&config, vec![open((0..600).map(write))]);
    let counters = ssd.ftl().counters();
    assert!(counters.fold_jobs > 10 && counters.fold_moved > 0, "{counters:?}");
    assert!(counters.slc_writes > 3 * SLC_PAGES, "what was folded takes data again: {counters:?}");
    assert!(counters.slc_writes < counters.user_writes, "what finds no room goes around: {counters:?}");
}

#[test]
fn a_cache_that_has_the_drive_is_folded_to_make_room() {
    let config = tlc(&["slc.static_blocks=0.0", "slc.dynamic_share=1.0", "gc.threshold=0.2"]);
    let ssd = run(&config, vec![closed(4, writes((0..3_000).map(|i| i * 7 % config.host_pages())))]);
    let counters = ssd.ftl().counters();
    assert!(counters.fold_jobs > 0 && counters.fold_moved > 0 && counters.slc_writes > 0, "{counters:?}");
}

#[test]
fn large_requests_go_around() {
    let config = fixed(&["slc.around_bytes=16384"]);
    let ssd = run(&config, vec![closed(1, [request(Op::Write, 0, 3), request(Op::Write, 8, 4)])]);
    assert_eq!(ssd.ftl().counters().slc_writes, 3);
}

#[test]
fn cycles_are_counted_by_mode() {
    let config = fixed(&["slc.policy=watermark", "slc.fold_above=0.0"]);
    let write = |i: u64| write_at(i * 1_000 * US, i * 7 % 300);
    let ssd = run(&config, vec![open((0..4_000).map(write))]);
    let nand = ssd.nand();
    let of = |id| (nand.health(id).pec, nand.pec_in_other_modes(id));
    for id in 0..40 {
        let (all, in_slc) = of(BlockId::new(id));
        assert_eq!(in_slc, if id < 3 { all } else { 0 }, "block {id}");
    }
    assert_eq!(nand.wearing_pec(BlockId::new(0)), of(BlockId::new(0)).0 / 10, "a tenth of the wear");
    assert!((0..3).all(|id| of(BlockId::new(id)).0 > 20) && (3..40).any(|id| of(BlockId::new(id)).0 > 0));
}

#[test]
fn copyback_folds_without_the_channel() {
    let fold = |copyback| {
        let copyback = format!("slc.copyback={copyback}");
        let config = fixed(&["slc.idle_ms=1.0", &copyback]);
        let burst = (0..2 * SLC_PAGES + 1).map(|i| write_at(0, i));
        let ssd = run(&config, vec![open(burst.chain([read_at(1_000_000 * US, 3)]))]);
        assert_eq!(ssd.ftl().counters().fold_moved, 2 * SLC_PAGES);
        ssd.controller().buses()[0].time()
    };
    let (through, inside) = (fold(false), fold(true));
    assert!(inside.write < through.write && inside.correct < through.correct);
}

#[test]
fn units_and_groups_of_planes_go_through_the_cache() {
    let config = one_die(&[
        "coding.cell=tlc",
        "ssd.planes_per_die=2",
        "ssd.blocks_per_plane=40",
        "ssd.pages_per_block=12",
        "ssd.page_bytes=16384",
        "ssd.overprovisioning=0.4",
        "ftl.unit_bytes=4096",
        "ftl.group=planes",
        "nand.multiplane=same-page",
        "cache.mode=write",
        "cache.flush=eager",
        "slc.policy=idle",
        "slc.idle_ms=5.0",
        "slc.static_blocks=2",
        "slc.dynamic_share=0.3",
        "reliability.factory_bad=0.02",
    ]);
    let units = config.host_units();
    let write = move |i: u64| HostRequest {
        arrival_ns: i / 100 * 20_000 * US,
        ..request(Op::Write, i * 37 % units, 1)
    };
    let ssd = run(&config, vec![open((0..4_000).map(write))]);
    let counters = ssd.ftl().counters();
    assert!(counters.slc_writes > 1_000 && counters.fold_moved > 500, "{counters:?}");
    assert!(ssd.controller().counters.multiplane > 100);
}

#[test]
fn a_cache_over_planes_and_units_takes_all_that_fits() {
    for group in ["block", "planes", "superblock"] {
        let group = format!("ftl.group={group}");
        let config = tlc(&[
            "slc.static_blocks=2",
            "slc.dynamic_share=0.0",
            "ssd.channels=2",
            "ssd.planes_per_die=2",
            "ssd.page_bytes=16384",
            "ftl.unit_bytes=4096",
            "cache.mode=write",
            "cache.flush=eager",
            &group,
        ]);
        // Blocks, their pages in SLC mode, and units of a page, in four planes.
        let size = 4 * 2 * SLC_PAGES * 4;
        let ssd = run(&config, vec![closed(8, writes(0..2 * size))]);
        let counters = ssd.ftl().counters();
        assert_eq!((counters.slc_writes, counters.user_writes), (size, 2 * size), "{group}");
    }
}

#[test]
fn what_an_slc_cache_does_not_go_with_is_refused_with_the_reason() {
    for (settings, reason) in [
        (&["slc.dynamic_share=0.0"][..], "no block may be in SLC mode"),
        (&["coding.cell=slc"], "cells of one bit"),
        (&["coding.policy=ida"], "merges states"),
        (&["program.write_streams=1"], "chooses the blocks itself"),
        (&["gc.frontier=shared"], "leaves pages"),
        (&["ftl.streams=2"], "`ftl.streams` keeps data apart"),
        (&["program.unit=wordline", "ssd.pages_per_block=24"], "all page types"),
        (&["slc.copyback=true", "ftl.group=planes"], "keeps pages in their plane"),
        (&["slc.copyback=true", "ftl.unit_bytes=4096"], "moves whole pages"),
        (&["slc.static_blocks=38"], ""),
    ] {
        let settings =
            [&["coding.cell=tlc", "slc.policy=idle", "ssd.blocks_per_plane=64"], settings].concat();
        let layers: Vec<Layer> =
            settings.iter().map(|s| Layer::assignment(s).expect("an assignment")).collect();
        let error = resolve(&layers).expect_err("it is refused");
        let key = match reason {
            "" => "ssd.overprovisioning",
            "keeps pages in their plane" => "ftl.group",
            "moves whole pages" => "ftl.unit_bytes",
            _ => "slc.policy",
        };
        assert_eq!(error.key, key, "{error}");
        assert!(error.message.contains(reason), "{error}");
    }
}

#[test]
fn nothing_is_lost_when_power_is_cut_while_the_cache_is_folded() {
    let mut folded = 0;
    for (round, more) in [
        &["slc.policy=watermark", "slc.fold_above=0.0"][..],
        &["slc.idle_ms=0.1", "slc.copyback=true"],
        &["slc.idle_ms=0.1", "ssd.planes_per_die=2", "ftl.group=planes"],
        &["slc.idle_ms=0.1", "ssd.channels=2", "ssd.planes_per_die=2", "ftl.group=superblock"],
        &["slc.policy=watermark", "ssd.page_bytes=16384", "ftl.unit_bytes=4096"],
    ]
    .into_iter()
    .enumerate()
    {
        let config =
            tlc(&[&["slc.static_blocks=2", "slc.dynamic_share=0.5", "precondition.fill=0.5"], more].concat());
        let units = config.host_units();
        let write = move |i: u64| write_at(i / 16 * 2_500 * US, i * 37 % units);
        let mut ssd = Ssd::new(&config, vec![open((0..3_000).map(write))], &CHECKED);
        ssd.precondition(&config, None, &mut |_| true).expect("room for the data");
        for cut in 0..25u64 {
            if !ssd.run_until(ssd.now() + 1_300 * US + cut * 777_777, &mut |_| true).expect("it goes on") {
                break;
            }
            ssd.power_cut().expect("the table is in DRAM");
            // Every accepted write is compared with the flash.
            ssd.power_up(1_000 * US).unwrap_or_else(|error| panic!("round {round}, cut {cut}: {error}"));
        }
        ssd.run(&mut |_| true).unwrap_or_else(|error| panic!("round {round}: {error}"));
        folded += ssd.ftl().counters().fold_moved;
    }
    assert!(folded > 500, "{folded} pages folded");
}

#[test]
fn a_run_goes_on_from_a_state_in_the_middle_of_folding() {
    let config = fixed(&["slc.policy=watermark", "slc.fold_above=0.2", "slc.dynamic_share=0.3"]);
    let flows = || vec![closed(4, writes((0..1_000).map(|i| i * 7 % 300)))];
    let whole = run(&config, flows());
    assert!(whole.ftl().counters().fold_jobs > 0);
    for part in [3, 5, 7] {
        assert_goes_on(&config, flows, &CHECKED, whole.now() * part / 8);
    }
}

/// Folding waits for an idle host, and the host is served long before: its idle time begins when power is back, and replay is replay.
#[test]
fn power_up_waits_for_no_rest() {
    let settings = ["slc.policy=idle", "slc.idle_ms=100000000", "slc.dynamic_share=0.5", "coding.cell=tlc"];
    let journal = ["journal.mode=on", "ssd.overprovisioning=0.5", "gc.threshold=0.1"];
    for idle in ["slc.idle_ms=100000000", "slc.idle_ms=0.001"] {
        let config = one_die(&[&settings[..], &journal, &[idle]].concat());
        let mut ssd = Ssd::new(&config, vec![closed(8, writes((0..400).map(|i| i % 200)))], &CHECKED);
        assert!(ssd.run_until(20_000 * US, &mut |_| true).unwrap());
        ssd.power_cut().unwrap();
        let report = ssd.power_up(US).unwrap();
        assert!(report.time < 50_000 * US, "{idle}: {report:?}");
        let counters = ssd.ftl().counters();
        assert!(report.replay_reads < 200 && counters.fold_moved == 0, "{idle}: {report:?}, {counters:?}");
        ssd.run(&mut |_| true).unwrap();
    }
}
