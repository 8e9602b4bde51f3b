//! Mapping units smaller than a page (`ftl.unit_bytes`).

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::host::{HostRequest, Op};

/// Pages of four units of 4 KiB, with a write buffer.
const UNITS: &[&str] = &[
    "ssd.page_bytes=16384",
    "ftl.unit_bytes=4096",
    "cache.mode=write",
    "cache.flush=eager",
    "cache.capacity_bytes=262144",
];

fn programs(ssd: &Ssd) -> u64 {
    ssd.controller().counters.programs
}

#[test]
fn units_of_any_addresses_share_a_page() {
    let config = one_die(UNITS);
    let ssd = run(&config, vec![closed(1, writes((0..40).map(|i| i * 7)))]);
    assert_eq!((programs(&ssd), ssd.ftl().counters().padding), (10, 0));
    assert_eq!(ssd.ftl().counters().merge_reads, 0, "a unit that is written whole reads nothing");
}

#[test]
fn a_page_that_waits_in_vain_is_filled_with_padding() {
    let config = one_die(UNITS);
    let late = 5_000 * US;
    let ssd = run(&config, vec![open([write_at(0, 3), write_at(0, 9), write_at(late, 4)])]);
    assert_eq!((programs(&ssd), ssd.ftl().counters().padding), (2, 5));
    // A flush does not wait.
    let flush = HostRequest { arrival_ns: 0, ..HostRequest::new(0, Op::Flush, 0, 0) };
    let ssd = run(&config, vec![open([write_at(0, 3), flush])]);
    assert_eq!((programs(&ssd), ssd.ftl().counters().padding), (1, 3));
    assert!(end(&ssd) < 600 * US, "{} ns", end(&ssd));
}

#[test]
fn without_a_cache_what_comes_together_shares_a_page() {
    let config = one_die(&["ssd.page_bytes=16384", "ftl.unit_bytes=4096"]);
    let ssd = run(&config, vec![closed(1, [request(Op::Write, 5, 3), request(Op::Write, 50, 4)])]);
    assert_eq!((programs(&ssd), ssd.ftl().counters().padding), (2, 1));
}

#[test]
fn units_of_one_page_take_one_sense_and_move_their_own_bytes() {
    let config = one_die(&[&UNITS[..2], &["precondition.fill=1.0"]].concat());
    let ssd = run(&config, vec![closed(1, [request(Op::Read, 4, 4), request(Op::Read, 9, 2)])]);
    assert_eq!(ssd.controller().counters.reads, 2);
    assert_eq!(latencies(&ssd), [T_R + 4 * T_DMA, T_R + 2 * T_DMA]);
}

#[test]
fn a_part_of_a_unit_reads_the_rest_of_it_alone() {
    let config = one_die(&[&UNITS[..2], &["precondition.fill=1.0"]].concat());
    let ssd = run(&config, vec![closed(1, [HostRequest::new(0, Op::Write, 8 * 11 + 2, 3)])]);
    assert_eq!((ssd.ftl().counters().merge_reads, programs(&ssd)), (1, 1));
    // Three codewords have the other five sectors, and a whole page goes.
    assert_eq!(latencies(&ssd), [T_R + 3 * 1024 + 4 * T_DMA + T_PROG]);
}

#[test]
fn a_read_brings_whole_codewords_and_each_of_them_once() {
    let first = |settings: &[&str], sectors| {
        let config = one_die(&[&["ssd.page_bytes=16384", "precondition.fill=1.0"], settings].concat());
        latencies(&run(&config, vec![closed(1, [HostRequest::new(0, Op::Read, 1, sectors)])]))
    };
    let units = &["ftl.unit_bytes=4096"][..];
    assert_eq!(
        [1, 2, 8].map(|sectors| first(units, sectors)[0]),
        [1024, 2048, 5120].map(|bytes| T_R + bytes)
    );
    let ldpc = &["ftl.unit_bytes=4096", "ecc.code=ldpc"][..];
    assert_eq!([1, 7, 8].map(|sectors| first(ldpc, sectors)[0]), [4096, 4096, 8192].map(|bytes| T_R + bytes));
    // Units that share a codeword: the second and the third here.
    assert_eq!(
        [1, 2, 3].map(|sectors| first(&["ftl.unit_bytes=512"], sectors)[0]),
        [1024, 2048, 2048].map(|bytes| T_R + bytes)
    );
    // Where a unit is a page, only the sectors cross the channel, as in MQSim.
    assert_eq!(first(&[], 1), [T_R + 512]);
}

#[test]
fn a_unit_of_a_worn_page_fails_with_its_own_codewords() {
    let senses = |code: &str, settings: &[&str], units: u64| {
        let base = [
            "ssd.page_bytes=16384",
            "precondition.fill=1.0",
            "read.retry=baseline",
            "cells.chip=tlc-48l",
            "coding.cell=tlc",
            "coding.scheme=tlc-2-3-2",
            "ssd.pages_per_block=192",
            "reliability.pec=1000",
            "reliability.retention_months=6",
            code,
        ];
        let config = one_die(&[&base, settings].concat());
        let requests = (0..800 / units).map(move |i| request(Op::Read, i * units, units as u32));
        run(&config, vec![closed(1, requests)]).controller().counters.retry_senses
    };
    // So few that the pages are near it.
    let code = "ecc.correctable_bits=20.0";
    let units = &["ftl.unit_bytes=4096"][..];
    let (by_page, by_unit, whole) = (senses(code, units, 4), senses(code, units, 1), senses(code, &[], 1));
    // Four reads of a page as a whole take four times its retries; those of units less, as most have fewer errors than the worst.
    assert!(by_page > 1_000 && by_unit < 4 * by_page * 9 / 10 && by_unit > by_page, "{by_unit}, {by_page}");
    assert_near("a page as a whole", whole as f64 / 4.0, by_page as f64, 0.1);
}

#[test]
fn sequential_writes_program_a_byte_a_byte() {
    let settings = ["ssd.blocks_per_plane=32", "precondition.fill=1.0", "precondition.overwrite=0.0"];
    let config = one_die(&[UNITS, &settings].concat());
    let units = config.host_units();
    let requests: Vec<_> =
        (0..3 * units / 8).map(|i| request(Op::Write, i * 8 % (units / 8 * 8), 8)).collect();
    let ssd = run(&config, vec![closed(8, requests)]);
    let counters = ssd.ftl().counters();
    assert!(counters.erases > 0);
    assert_near("bytes a byte", counters.programs() as f64 / counters.user_writes as f64, 1.0, 0.005);
}

#[test]
fn what_takes_pages_for_units_is_refused_with_the_reason() {
    use wordline_core::config::{Layer, resolve};
    for (setting, reason) in [
        ("gc.copyback=true", "moves whole pages"),
        ("coding.policy=ida", "keeps whole pages in place"),
        ("program.write_streams=1", "holds whole pages"),
        ("ftl.unmapped_read=frontier", "among those that are being filled"),
        ("ssd.page_bytes=4096", ""),
    ] {
        let settings = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096", setting];
        let layers: Vec<Layer> =
            settings.iter().map(|s| Layer::assignment(s).expect("an assignment")).collect();
        match resolve(&layers) {
            Ok(resolved) => assert_eq!((reason, resolved.config.units_per_page()), ("", 1), "{setting}"),
            Err(error) => assert!(!reason.is_empty() && error.to_string().contains(reason), "{error}"),
        }
    }
}
