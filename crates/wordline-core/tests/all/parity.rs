//! Parity of superblocks: what it costs, and what it brings back.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::flash::Status;
use wordline_core::host::Op;

/// Eight planes on four dies.
const SUPERBLOCKS: &[&str] = &[
    "ssd.channels=2",
    "ssd.chips_per_channel=2",
    "ssd.planes_per_die=2",
    "nand.multiplane=same-page",
    "ftl.group=superblock",
    "wear.static_threshold=0",
];

fn device(parity: u32, settings: &[&str]) -> Config {
    one_die(&[SUPERBLOCKS, &[&format!("ftl.parity={parity}")], settings].concat())
}

/// Pages of data, of any kind, and of parity.
fn programmed(ssd: &Ssd) -> (u64, u64) {
    let counters = ssd.ftl().counters();
    (counters.programs() - counters.parity, counters.parity)
}

#[test]
fn one_page_of_each_stripe_is_parity() {
    let wordlines = ["coding.cell=tlc", "program.unit=wordline"];
    let units = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096"];
    let used = ["precondition.fill=1.0", "precondition.overwrite=0.5", "ssd.overprovisioning=0.6"];
    let mut moved = 0;
    for (parity, more) in [
        (8, &[][..]),
        (2, &["ssd.overprovisioning=0.6"]),
        (4, &used),
        (8, &wordlines),
        (8, &units),
        (8, &[&wordlines[..], &units, &used].concat()),
        (4, &[&wordlines[..], &used].concat()),
        (8, &["coding.cell=mlc", "program.policy=two-step"]),
        (8, &["ssd.planes_per_die=1", "ssd.channels=4", "coding.cell=tlc", "program.unit=wordline"]),
    ] {
        let config = device(parity, more);
        let units = config.host_units();
        let write = move |i| write_at(0, below(3, i, Purpose::Precondition, units));
        let ssd = run(&config, vec![closed(32, (0..6_000).map(write).collect::<Vec<_>>())]);
        let (data, of_parity) = programmed(&ssd);
        // A row of a wordline, begun before the window or not ended in it, for each of four streams.
        let open = 4.0 * 8.0 * f64::from(config.units_per_page()) * f64::from(config.coding.cell.bits());
        let expected = data as f64 / f64::from(parity - 1);
        assert!((of_parity as f64 - expected).abs() <= open, "{parity} {more:?}: {of_parity} for {data}");
        moved += ssd.ftl().counters().moved;
    }
    assert!(moved > 1_000, "{moved} pages of these were moved");
}

/// A page of parity is programmed behind those that it protects, in the last plane of the die with the last turn.
#[test]
fn parity_goes_behind_its_stripe_and_nothing_is_read_for_it() {
    let ssd = run(&device(8, &[]), vec![open(writes(0..7))]);
    assert_eq!(programmed(&ssd), (7, 1));
    assert_eq!(ssd.controller().counters.reads, 0);
    // On each channel four pages, then tPROG of the second die; the host waits for a page fewer on one of them.
    assert_eq!((end(&ssd), ssd.now()), (4 * T_DMA + T_PROG, 4 * T_DMA + T_PROG));
    let ssd = run(&device(8, &[]), vec![open(writes(0..6))]);
    assert_eq!(programmed(&ssd), (6, 0), "the stripe is not whole");
}

/// The parity of a stripe may lie on another die than its data, in a program that the next stripe has to fill: until then it is behind.
/// Checked mode compares both at the end of each run.
#[test]
fn a_run_may_end_while_parity_waits_for_its_program() {
    let planes =
        ["ssd.channels=4", "ssd.chips_per_channel=1", "ssd.planes_per_die=3", "ssd.pages_per_block=12"];
    let wordlines = ["coding.cell=tlc", "program.unit=wordline", "ssd.overprovisioning=0.6"];
    for bad in ["reliability.factory_bad=0.0", "reliability.factory_bad=0.1"] {
        let config = device(4, &[&planes[..], &wordlines, &[bad]].concat());
        // A group has 144 pages, 36 of parity.
        for pages in 80..112 {
            run(&config, vec![open(writes(0..pages))]);
        }
    }
}

/// Each group begins on another die.
#[test]
fn parity_lies_on_all_dies() {
    for (parity, stripes) in [(8, 1), (4, 2)] {
        let config = device(parity, &["ssd.overprovisioning=0.5"]);
        let pages = 24 * 8 / u64::from(parity) * u64::from(parity - 1);
        let ssd = run(&config, vec![closed(32, writes(0..8 * pages))]);
        let mut on_dies = [0; 4];
        for (block, state) in
            ssd.ftl().blocks().table().iter().enumerate().filter(|(_, block)| block.is_parity())
        {
            assert_eq!(state.next_page, 24);
            on_dies[block / 64 / 2] += 1;
        }
        assert_eq!(on_dies, [2 * stripes; 4], "{parity}: parity of eight groups");
    }
}

/// TLC with an ECC that some pages defeat at every step of the retry table.
const WEAK: &[&str] = &[
    "cells.chip=tlc-48l",
    "coding.cell=tlc",
    "coding.scheme=tlc-2-3-2",
    "precondition.fill=0.5",
    "ssd.overprovisioning=0.6",
    "read.retry=baseline",
];

const PAGES: u64 = 400;

fn read_all(parity: u32, correctable_bits: u32, settings: &[&str]) -> Ssd {
    let ecc = format!("ecc.correctable_bits={correctable_bits}");
    let config = device(parity, &[WEAK, &[&ecc], settings].concat());
    run(&config, vec![closed(1, reads(0..PAGES))])
}

fn with_status(ssd: &Ssd, status: Status) -> u64 {
    ssd.metrics().with_status(status)
}

#[test]
fn pages_that_do_not_decode_are_made_again_from_their_stripes() {
    let lost = |ssd: &Ssd| ssd.controller().counters.uncorrectable_pages;
    for (parity, more) in [
        (8, &[][..]),
        (4, &[]),
        (8, &["program.unit=wordline"]),
        (8, &["ssd.page_bytes=16384", "ftl.unit_bytes=4096"]),
        (8, &["read.retry=pnar2", "nand.cache_register=true", "ecc.engine=pipelined", "ecc.decode_us=8.0"]),
    ] {
        let some = |bits: &u32| (4..PAGES / 8).contains(&lost(&read_all(0, *bits, more)));
        let bits = (1..60).rev().find(some).expect("pages differ");
        let plain = read_all(0, bits, more);
        let slowest = *latencies(&plain).iter().max().expect("reads");
        assert!(with_status(&plain, Status::UnrecoveredReadError) > 0);
        let ssd = read_all(parity, bits, more);
        let counters = ssd.ftl().counters();
        let (again, failed) = (counters.parity_rebuilds, counters.parity_failed);
        assert!(again > 0 && again > failed, "{counters:?}");
        assert_eq!(counters.parity_rebuild_reads, u64::from(parity - 1) * (again + failed));
        assert!(lost(&ssd) >= again + failed, "reads of stripes may fail, too");
        let statuses =
            [Status::Success, Status::UnrecoveredReadError].map(|status| with_status(&ssd, status));
        assert_eq!(statuses, [PAGES - failed, failed], "{parity} {more:?}");
        if more.is_empty() {
            assert!(latencies(&ssd).iter().any(|&time| time > slowest + T_R), "the other reads take time");
        }
    }
}

/// Of a page that is read whole, only the units that do not decode by themselves are made again.
#[test]
fn units_of_a_lost_page_that_decode_are_not_made_again() {
    const PAGE: Ns = 4 * T_DMA;
    let read_whole = |parity, bits: u32| {
        let ecc = format!("ecc.correctable_bits={bits}");
        let units = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096", &ecc];
        let config = device(parity, &[WEAK, &units].concat());
        run_with_timeline(&config, vec![closed(1, (0..PAGES / 4).map(|i| request(Op::Read, i * 4, 4)))])
    };
    // So few that many pages are near it: the rest of their stripes may fail, too.
    let many = |bits: &u32| read_whole(0, *bits).controller().counters.uncorrectable_pages > PAGES / 16;
    let bits = (1..60).rev().find(many).expect("pages differ");
    let parts = |parity| {
        let ssd = read_whole(parity, bits);
        let slices = ssd.timeline().slices.iter();
        slices.filter(|slice| slice.name == "data out" && slice.duration < PAGE).count() as u64
    };
    assert_eq!(parts(0), 0, "pages are read whole");
    assert!(parts(8) > 0, "no page has units that decode and units that do not");
}

/// Where another page of the stripe is gone as well, both are lost.
#[test]
fn two_pages_of_a_stripe_are_lost() {
    let ssd = read_all(8, 1, &["reliability.pec=2000", "reliability.retention_months=12.0"]);
    let counters = ssd.ftl().counters();
    assert_eq!((counters.parity_rebuilds, counters.parity_failed), (0, PAGES));
    assert_eq!(with_status(&ssd, Status::UnrecoveredReadError), PAGES);
}

/// What GC reads is brought back, too, and so is what a partial write reads.
#[test]
fn moves_and_merges_use_parity() {
    let found = (1..60).rev().find(|&bits| read_all(8, bits, &[]).ftl().counters().parity_rebuilds > 3);
    let ecc = format!("ecc.correctable_bits={}", found.expect("pages differ"));
    let used = ["precondition.fill=1.0", "precondition.overwrite=0.5", "ssd.page_bytes=8192", &ecc];
    let config = device(8, &[WEAK, &used].concat());
    let units = config.host_sectors() / 8;
    let write = move |i| write_at(0, below(3, i, Purpose::Precondition, units));
    let ssd = run(&config, vec![closed(16, (0..6_000).map(write).collect::<Vec<_>>())]);
    let counters = ssd.ftl().counters();
    assert!(
        counters.parity_rebuilds > 10 && counters.gc_jobs > 0 && counters.merge_reads > 0,
        "{counters:?}"
    );
}

/// A stripe is smaller where blocks are bad, down to a single one, which has no parity.
#[test]
fn bad_blocks_leave_holes_in_stripes() {
    for more in [&[][..], &["program.unit=wordline"]] {
        let bad = ["reliability.factory_bad=0.3", "reliability.grown_bad=0.002", "precondition.fill=1.0"];
        let config =
            device(4, &[WEAK, &["ssd.overprovisioning=0.8", "ecc.correctable_bits=9"], &bad, more].concat());
        let units = config.host_units();
        let op = |i: u64| if i.is_multiple_of(2) { Op::Read } else { Op::Write };
        let ask = move |i| request(op(i), below(3, i, Purpose::Precondition, units), 1);
        let ssd = run(&config, vec![closed(16, (0..8_000).map(ask).collect::<Vec<_>>())]);
        let counters = ssd.ftl().counters();
        let (data, of_parity) = programmed(&ssd);
        assert!(of_parity * 3 > data && of_parity < data, "{of_parity} for {data}");
        assert!(counters.grown_bad > 0, "{counters:?}");
    }
}

#[test]
fn a_cache_of_slc_has_parity() {
    let slc = [
        "coding.cell=tlc",
        "slc.policy=idle",
        "slc.idle_ms=1.0",
        "slc.static_blocks=2",
        "slc.dynamic_share=0.2",
    ];
    let config = device(8, &[&slc[..], &["ssd.overprovisioning=0.5"]].concat());
    let units = config.host_units();
    let write = move |i: u64| write_at(i / 100 * 20_000 * US, i * 37 % units);
    let ssd = run(&config, vec![open((0..4_000).map(write))]);
    let counters = ssd.ftl().counters();
    assert!(counters.slc_writes > 1_000 && counters.fold_moved > 500, "{counters:?}");
    let (data, of_parity) = programmed(&ssd);
    assert!((of_parity * 7).abs_diff(data) < 7 * 24, "{of_parity} for {data}");
}

#[test]
fn a_run_goes_on_from_a_state_while_pages_are_made_again() {
    let bits = ["ecc.correctable_bits=1", "reliability.pec=2000", "reliability.retention_months=12.0"];
    let config = device(8, &[WEAK, &bits].concat());
    let units = config.host_units();
    let ask =
        move |i: u64| request(if i.is_multiple_of(2) { Op::Read } else { Op::Write }, i * 37 % units, 1);
    let flows = move || vec![closed(8, (0..200).map(ask))];
    let whole = run(&config, flows());
    for part in [1, 2, 3] {
        assert_goes_on(&config, flows, &CHECKED, whole.now() * part / 4);
    }
}

#[test]
fn parity_that_cannot_be_is_refused_with_the_reason() {
    for (settings, reason) in [
        (&["ftl.parity=8"][..], "blocks of all dies"),
        (&["ftl.parity=8", "ftl.group=planes"], "blocks of all dies"),
        (&["ftl.parity=5", "ftl.group=superblock"], "cannot share out"),
        (&["ftl.parity=1", "ftl.group=superblock"], "cannot share out"),
        (&["ftl.parity=8", "ftl.group=superblock", "ftl.unmapped_read=frontier"], "counts on programs"),
        (&["ftl.parity=2", "ftl.group=superblock", "ssd.overprovisioning=0.4"], ""),
    ] {
        let layers: Vec<_> = settings.iter().map(|s| Layer::assignment(s).expect("an assignment")).collect();
        let error = resolve(&layers).expect_err("it is refused");
        let key = if reason.is_empty() { "ssd.overprovisioning" } else { "ftl.parity" };
        assert!(error.key == key && error.message.contains(reason), "{error}");
    }
}
