//! `soft`: what follows when all hard decisions have failed, to the nanosecond.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::flash::Status;
use wordline_core::host::Op;

const T_ECC: Ns = 20 * US;
/// tR by page type: 2, 3 and 2 senses on [`ONE_DIE`].
const T_R_OF: [Ns; 3] = [100 * US, 150 * US, 100 * US];
/// Entries of the retry table of tlc-48l behind the default voltages.
const STEPS: Ns = 48;
const PAGES: u64 = 48;

/// The 48-layer TLC on one die, with an ECC that corrects less than many of its pages need.
const WEAK: &[&str] = &[
    "cells.chip=tlc-48l",
    "coding.cell=tlc",
    "coding.scheme=tlc-2-3-2",
    "precondition.fill=0.5",
    "nand.cache_register=true",
    "nand.on_die_check=true",
    "ecc.engine=pipelined",
    "ecc.hold_die=true",
    "ecc.decode_us=20.0",
    "ecc.correctable_bits=7.0",
    "read.tpre_cut=0.4",
];

fn read_all(retry: &str, settings: &[&str]) -> Ssd {
    let retry = format!("read.retry={retry}");
    run(&one_die(&[WEAK, &[&retry], settings].concat()), vec![closed(1, reads(0..PAGES))])
}

fn lost(ssd: &Ssd) -> u64 {
    ssd.controller().counters.uncorrectable_pages
}

/// By page: its tR, and the latency of its read under a policy and under the same with `soft`.
fn compared(retry: &str, senses: u64) -> Vec<(Ns, Ns, Ns)> {
    let hard = read_all(retry, &[]);
    let soft = read_all(&format!("{retry}+soft"), &[&format!("read.soft_senses={senses}")]);
    let decodes = soft.controller().counters.soft_decodes;
    assert!(decodes > 0, "{retry}: some pages need soft decisions");
    assert_eq!(lost(&hard), decodes + lost(&soft), "{retry}: the others decode as before");
    let t_r = (0..PAGES).map(|page| T_R_OF[page as usize % 3]);
    t_r.zip(latencies(&hard)).zip(latencies(&soft)).map(|((t_r, hard), soft)| (t_r, hard, soft)).collect()
}

/// A read whose data are lost has tried everything: with `skip` the time of that counts nowhere.
#[test]
fn reads_that_lost_their_data_count_or_are_left_out() {
    // An ECC that some pages defeat, and others do not.
    let found = (1..60).find_map(|bits| {
        let ecc = format!("ecc.correctable_bits={bits}.0");
        let ssd = read_all("baseline", &[&ecc]);
        (lost(&ssd) > 0 && lost(&ssd) < PAGES).then_some((ecc, ssd))
    });
    let (ecc, counted) = found.expect("pages differ");
    let skipped = read_all("baseline", &[&ecc, "metrics.lost_reads=skip"]);
    let failed = lost(&counted);
    let ends = |ssd: &Ssd| {
        let metrics = ssd.metrics();
        [Status::UnrecoveredReadError, Status::Success].map(|status| metrics.with_status(status))
    };
    assert_eq!((ends(&counted), counted.metrics().read().count()), ([failed, PAGES - failed], PAGES));
    assert_eq!(
        (ends(&skipped), skipped.metrics().read().count()),
        ([failed, PAGES - failed], PAGES - failed)
    );
    let longest = |ssd: &Ssd| ssd.metrics().read().summary().spread.max;
    assert!(longest(&skipped) < longest(&counted));
}

/// One after the other: `n (tR + tDMA) + tECC` behind the whole table.
#[test]
fn soft_senses_follow_the_whole_table() {
    for senses in [2, 3] {
        let mut seen = 0;
        for (t_r, hard, soft) in compared("baseline", senses) {
            let one = t_r + T_DMA + T_ECC;
            if hard == (STEPS + 1) * one {
                assert_eq!(soft, hard + senses * (t_r + T_DMA) + T_ECC);
                seen += 1;
            } else {
                assert_eq!(soft, hard);
            }
        }
        assert!(seen > 0);
    }
}

/// With `pr2` the senses overlap with the transfers: `n tR + tDMA + tECC`.
#[test]
fn soft_senses_are_pipelined_too() {
    for senses in [2, 3] {
        let mut seen = 0;
        for (t_r, hard, soft) in compared("pr2", senses) {
            if hard == t_r + T_DMA + T_ECC + STEPS * t_r + T_DMA + T_ECC {
                assert_eq!(soft, hard + senses * t_r + T_DMA + T_ECC);
                seen += 1;
            }
        }
        assert!(seen > 0);
    }
}

/// Whatever the steps before cost, the same pages are left to soft decisions.
#[test]
fn soft_stands_behind_any_policy() {
    let regular = read_all("soft", &[]).controller().counters;
    for retry in ["pnar2+soft", "ar2+soft", "pso+soft"] {
        let counters = read_all(retry, &[]).controller().counters;
        assert_eq!(counters.soft_decodes, regular.soft_decodes, "{retry}");
        assert_eq!(counters.uncorrectable_pages, regular.uncorrectable_pages, "{retry}");
    }
    for retry in ["rif+soft", "sentinel+pnar2+soft", "swift_read+soft"] {
        let (hard, soft) = (retry.trim_end_matches("+soft"), read_all(retry, &[]));
        assert!(soft.controller().counters.soft_decodes > 0, "{retry}");
        assert!(lost(&soft) < lost(&read_all(hard, &[])), "{retry}");
    }
}

/// A page of two planes that decodes does not wait for soft senses of the other's.
#[test]
fn planes_take_soft_senses_for_themselves() {
    let two_planes = |retry: &str| {
        let retry = format!("read.retry={retry}");
        let planes = ["ssd.planes_per_die=2", "nand.multiplane=any", "ftl.allocation=PDWC", &retry];
        let pairs = (0..PAGES / 2).map(|i| request(Op::Read, 2 * i, 2));
        run(&one_die(&[WEAK, &planes].concat()), vec![closed(1, pairs)])
    };
    for retry in ["baseline", "pnar2"] {
        let (hard, soft) = (two_planes(retry), two_planes(&format!("{retry}+soft")));
        assert!(soft.controller().counters.multiplane > 0);
        assert_eq!(lost(&hard), soft.controller().counters.soft_decodes + lost(&soft), "{retry}");
        assert!(lost(&soft) < lost(&hard), "{retry}");
    }
}

/// The code of the tables: pages far beyond hard decisions decode, in as many iterations as soft ones take.
#[test]
fn the_ldpc_code_decodes_softly() {
    let worn =
        ["ecc.code=ldpc", "ecc.iteration_us=1.0", "reliability.pec=9000", "reliability.retention_months=12"];
    let (hard, soft) = (read_all("pr2", &worn), read_all("pr2+soft", &worn));
    assert!(lost(&hard) > 0 && lost(&soft) < lost(&hard), "{} and {} pages lost", lost(&hard), lost(&soft));
    assert_eq!(lost(&hard), soft.controller().counters.soft_decodes + lost(&soft));
}

#[test]
fn a_run_goes_on_from_between_two_soft_senses() {
    let config = one_die(&[WEAK, &["read.retry=pnar2+soft"]].concat());
    for at in (1..8).map(|i| i * 3_137 * US) {
        assert_goes_on(&config, || vec![closed(2, reads(0..PAGES))], &CHECKED, at);
    }
}
