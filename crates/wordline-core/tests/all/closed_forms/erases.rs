//! Erases of an SSD: AERO's Eq. 1 and 2 to the nanosecond, whatever the reads around them.

use crate::common::*;
use wordline_cells::ids::BlockId;
use wordline_core::Ssd;
use wordline_core::engine::Ns;

const T_EP: Ns = 3_500 * US;
const T_VR: Ns = 100 * US;

/// A full device that is overwritten until it has erased many blocks.
fn worn(scheme: &str, settings: &[&str]) -> Ssd {
    let scheme = format!("erase.scheme={scheme}");
    let base = [
        "cells.chip=tlc-48l",
        &scheme,
        "nand.set_feature_us=0.0",
        "precondition.fill=1.0",
        "ssd.blocks_per_plane=64",
        "ssd.pages_per_block=16",
        "metrics.digits=4",
    ];
    let config = one_die(&[&base, settings].concat());
    let pages = config.host_pages();
    run(&config, vec![closed(4, writes((0..6 * pages).map(|i| i * 7_919 % pages)))])
}

/// Times of all erase commands, as multiples of 0.1 ms.
fn times(ssd: &Ssd) -> Vec<(u64, u64)> {
    let tenth = 100 * US;
    ssd.controller()
        .erase_times()
        .latency(4)
        .bins()
        .map(|(ns, count)| {
            let tenths = (ns + tenth / 2) / tenth;
            assert!(ns.abs_diff(tenths * tenth) * 2_000 < ns, "{ns} ns is no sum of pulses and verifies");
            (tenths, count)
        })
        .collect()
}

#[test]
fn ispe_takes_whole_loops() {
    // At 0 P/E cycles one loop erases every block (AERO, Section 3.3).
    let ssd = worn("ispe", &[]);
    let summary = ssd.controller().erase_times().latency(4).summary();
    let us = (T_EP + T_VR) as f64 / 1e3;
    assert!(summary.count > 100, "{} erases", summary.count);
    assert_eq!((summary.spread.min, summary.spread.max), (us, us));
    // Later two loops or more, each of them whole (Eq. 1).
    let ssd = worn("ispe", &["reliability.pec=3000"]);
    let found = times(&ssd);
    assert!(found.len() >= 3 && found[0].0 == 72, "{found:?}");
    assert!(found.iter().all(|(tenths, _)| tenths % 36 == 0), "{found:?}");
}

#[test]
fn aero_leaves_pulses_out_and_a_fixed_erase_takes_t_bers() {
    let mean = |scheme: &str| {
        let ssd = worn(scheme, &["reliability.pec=500"]);
        let spread = ssd.controller().erase_times().latency(4).summary().spread;
        times(&ssd);
        (spread.mean, ssd.controller().counters.incomplete_erases)
    };
    let [(ispe, none), (cons, nothing), (aero, some)] = ["ispe", "aero-cons", "aero"].map(mean);
    assert!(aero < cons && cons < 0.95 * ispe, "aero {aero}, aero-cons {cons}, ispe {ispe} us");
    assert!(none == 0 && nothing == 0 && some > 0, "{none}, {nothing}, {some} incomplete erases");
    let fixed = worn("fixed", &[]);
    let spread = fixed.controller().erase_times().latency(4).summary().spread;
    assert_eq!((spread.min, spread.max), (spread.mean, spread.mean));
}

/// The command takes the time of the slowest of its planes; each block is worn only by its own pulses.
#[test]
fn planes_erase_together_and_wear_apart() {
    let settings = ["reliability.pec=3000", "ssd.planes_per_die=2", "nand.multiplane=any"];
    let ssd = worn("ispe", &settings);
    let erases = ssd.controller().counters.erases;
    assert!(ssd.controller().counters.multiplane > 0);
    assert_eq!(ssd.controller().erase_times().latency(4).count(), erases, "each block counts");
    let alone = worn("ispe", &[&settings[..2], &["nand.multiplane=off"]].concat());
    let stress = |ssd: &Ssd| {
        let blocks = ssd.nand().geometry.blocks();
        let worn: Vec<_> =
            BlockId::first(blocks).map(|b| *ssd.nand().health(b)).filter(|h| h.pec > 3000).collect();
        worn.iter().map(|h| f64::from(h.stress)).sum::<f64>() / worn.len() as f64
    };
    // A block is worn as much when others are erased with it.
    assert!((stress(&ssd) / stress(&alone) - 1.0).abs() < 0.02, "{} and {}", stress(&ssd), stress(&alone));
    assert!(
        ssd.controller().erase_times().latency(4).mean_ns()
            > alone.controller().erase_times().latency(4).mean_ns()
    );
}

/// The last loop of an erase may wait for the first program of the block: the die works as long, but later.
#[test]
fn the_last_loop_may_wait_for_the_first_write() {
    let lazily =
        |pec: &str| worn("ispe", &["erase.last_loop=at-first-write", &format!("reliability.pec={pec}")]);
    // One loop erases every block: none of it is left for the erase itself.
    let ssd = lazily("0");
    let counters = ssd.controller().counters;
    let [_, programs, erases] = ssd.controller().luns()[0].busy();
    let loops = (programs - counters.programs * T_PROG) / (T_EP + T_VR);
    assert_eq!((programs - counters.programs * T_PROG, erases), (loops * (T_EP + T_VR), 0));
    // Some of the blocks are free at the end.
    assert!((counters.erases - 64..counters.erases).contains(&loops), "{loops} of {}", counters.erases);
    assert_eq!(ssd.controller().erase_times().latency(4).summary().spread.max, (T_EP + T_VR) as f64 / 1e3);
    // Of more loops the others run at once.
    let ssd = lazily("3000");
    let [_, programs, erases] = ssd.controller().luns()[0].busy();
    let left = programs - ssd.controller().counters.programs * T_PROG;
    let all: Ns = times(&ssd).iter().map(|(tenths, count)| tenths * count * 100 * US).sum();
    assert_eq!((left % (T_EP + T_VR), erases % (T_EP + T_VR)), (0, 0));
    assert!(left > 0 && erases > 0 && left + erases <= all, "{left} and {erases} of {all} ns");
}

/// Under DPES programs take longer while it lowers the voltage (AERO, Table 2).
#[test]
fn dpes_stretches_programs() {
    let mean = |scheme: &str, pec: &str| {
        let settings = ["precondition.fill=0.2", pec, "cells.chip=tlc-48l", scheme];
        let ssd = run(&one_die(&settings), vec![closed(1, writes(0..8))]);
        ssd.metrics().write().mean_ns()
    };
    for (pec, stretch) in [("500", 1.1), ("2500", 1.3), ("3500", 1.0)] {
        let pec = format!("reliability.pec={pec}");
        let (dpes, ispe) = (mean("erase.scheme=dpes", &pec), mean("erase.scheme=ispe", &pec));
        let program = T_PROG as f64;
        assert!((dpes - ispe - (stretch - 1.0) * program).abs() < 1.0, "{pec}: {dpes} and {ispe} ns");
    }
}
