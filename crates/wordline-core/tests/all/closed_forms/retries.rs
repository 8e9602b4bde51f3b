//! Reads that are retried, one at a time on an idle SSD: PR2/AR2's equations and RiF's times, to the
//! nanosecond.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::host::Op;
use wordline_core::metrics::Track;
use wordline_core::nand::LunId;

const T_ECC: Ns = 20 * US;
const T_SET: Ns = US;
const T_RST: Ns = 5 * US;
const T_CHECK: Ns = 2_500;
/// tR with tPRE cut by 40 %: 24 of its 39 parts are precharge.
const T_SHORT: Ns = 37_692;
/// A whole read without retries.
const READ: Ns = T_R + T_DMA + T_ECC;

/// Ten reads, each submitted when the one before is complete, of pages that all take `steps` steps.
fn ten_reads(retry: &str, steps: u64, settings: &[&str]) -> Ssd {
    let base = [
        "precondition.fill=0.5",
        "ecc.engine=pipelined",
        "ecc.hold_die=true",
        "ecc.decode_us=20.0",
        "nand.cache_register=true",
        "nand.on_die_check=true",
        "read.tpre_cut=0.4",
    ];
    let more = [format!("read.retry={retry}"), format!("reliability.retry_steps={steps}")];
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    run(&one_die(&[&base, &more[..], settings].concat()), vec![closed(1, reads(0..10))])
}

/// All reads take `latency`; those behind the first also wait for what the die had left to do.
#[track_caller]
fn assert_each(what: &str, ssd: &Ssd, latency: Ns, left: Ns) {
    let expected: Vec<Ns> = (0..10).map(|i| if i == 0 { latency } else { latency + left }).collect();
    assert_eq!(latencies(ssd), expected, "{what}");
}

/// Baseline read-retry: N steps take N times `tR + tDMA + tECC` on top of the first read
/// (PR2/AR2, Eq. 2 and 3).
#[test]
fn each_retry_step_takes_a_whole_read() {
    for engine in ["pipelined", "serial"] {
        for steps in 0..=20 {
            let config = one_die(&[
                "precondition.fill=0.5",
                "read.retry=baseline",
                "ecc.hold_die=true",
                "ecc.decode_us=20.0",
                &format!("ecc.engine={engine}"),
                &format!("reliability.retry_steps={steps}"),
            ]);
            let ssd = run(&config, vec![closed(2, reads(0..10))]);
            let one = (steps + 1) * (T_R + T_DMA + 20 * US);
            // The die is held: the second of two outstanding requests waits for all of the first.
            let expected: Vec<Ns> = (0..10).map(|i| if i == 0 { one } else { 2 * one }).collect();
            assert_eq!(latencies(&ssd), expected, "{engine}, {steps} steps");
            let time = ssd.controller().buses()[0].time();
            assert_eq!((time.uncorrectable, time.correct), (10 * steps * T_DMA, 10 * T_DMA));
            assert_eq!(ssd.controller().counters.retry_senses, 10 * steps);
        }
    }
}

/// PR2/AR2, Section 3.2.1 and Fig. 6a: the die senses the next page while the one before is decoded, if that one decodes.
#[test]
fn the_die_goes_on_while_a_good_page_is_decoded() {
    for steps in 0..=4 {
        let config = one_die(&[
            "precondition.fill=0.5",
            "read.retry=baseline",
            "ecc.engine=serial",
            "ecc.decode_us=20.0",
            &format!("reliability.retry_steps={steps}"),
        ]);
        let ssd = run(&config, vec![closed(2, reads(0..10))]);
        let die = (steps + 1) * (T_R + T_DMA) + steps * T_ECC;
        let expected: Vec<Ns> = (1..=10).map(|i| die * i.min(2) + if i <= 2 { T_ECC } else { 0 }).collect();
        assert_eq!(latencies(&ssd), expected, "{steps} steps");
    }
}

/// With PR2, the page of the next step waits for the ECC engine until the page before it turns out to be good.
#[test]
fn a_page_that_nobody_needs_any_more_waits_for_the_ecc_no_longer() {
    let decode = 200 * US;
    let config = one_die(&[
        "precondition.fill=0.5",
        "read.retry=pr2",
        "nand.cache_register=true",
        "ecc.engine=serial",
        "ecc.buffer_pages=1",
        "ecc.decode_us=200.0",
        "reliability.retry_steps=1",
    ]);
    let ssd = run(&config, vec![closed(1, reads(0..1))]);
    // The page of the step that decodes is in the engine, and that of the step behind it has been sensed.
    assert_eq!(ssd.controller().buses()[0].time().ecc_wait, decode - (T_R - T_DMA));
    assert_eq!(latencies(&ssd), [2 * (T_R + T_DMA + decode)]);
}

/// It waits where RESET has to end the next step, or the timing has to be set back.
#[test]
fn the_die_waits_where_it_does_not_know_yet() {
    for steps in [1, 5, 20] {
        for name in ["baseline", "pr2", "ar2", "pnar2"] {
            let held = latencies(&ten_reads(name, steps, &[]));
            let free = latencies(&ten_reads(name, steps, &["ecc.hold_die=false"]));
            assert_eq!(free, held, "{name}, {steps} steps");
        }
    }
}

/// Commands of retries take time of the die, and of the bus: a page goes behind the command of the next step.
#[test]
fn commands_of_retries_take_their_time_on_the_bus() {
    let commands = [
        "channel.retry_command_ns=300",
        "channel.set_feature_command_ns=200",
        "channel.reset_command_ns=100",
    ];
    for steps in [1, 5, 20] {
        let ssd = ten_reads("pnar2", steps, &commands);
        let retry = T_SET + 200 + steps * (T_SHORT + 300) + 300 + T_DMA + T_ECC;
        assert_each(&format!("{steps} steps"), &ssd, READ + retry, T_RST + 100 + T_SET + 200);
        let time = ssd.controller().buses()[0].time();
        let sent = (steps + 1) * 300 + 2 * 200 + 100;
        assert_eq!((time.uncorrectable, time.correct), (10 * steps * T_DMA, 10 * (T_DMA + sent)));
    }
}

/// A page may decode while its next, needless, transfer waits for the command of the sense behind it. The parts of its latency
/// still add up.
#[test]
fn a_page_may_decode_before_its_next_transfer_begins() {
    let late = 100;
    let decode = T_R - T_DMA + late;
    let decode_us = format!("ecc.decode_us={}", decode as f64 / 1000.0);
    let ssd = ten_reads("pr2", 1, &["channel.retry_command_ns=300", &decode_us]);
    let retry = 300 + T_R + 300 + T_DMA + decode;
    assert_each("one step", &ssd, T_R + T_DMA + decode + retry, T_RST);
    let parts = ssd.metrics().breakdown;
    assert_eq!(parts.queue + parts.array + parts.channel_wait + parts.transfer, parts.total);
    assert_eq!(parts.transfer, 10 * late, "since the last transfer was ordered");
}

/// Eq. 4: N pipelined steps take `N tR + tDMA + tECC`, and RESET ends the needless sense.
#[test]
fn pipelined_steps_take_a_sense_each_and_one_transfer() {
    for steps in 0..=20 {
        let ssd = ten_reads("pr2", steps, &[]);
        let retry = if steps > 0 { steps * T_R + T_DMA + T_ECC } else { 0 };
        let left = if steps > 0 { T_RST } else { 0 };
        assert_each(&format!("{steps} steps"), &ssd, READ + retry, left);
        let counters = ssd.controller().counters;
        let needless = if steps > 0 { 10 } else { 0 };
        assert_eq!(counters.retry_senses, 10 * steps + needless);
        assert_eq!((counters.wasted_senses, counters.resets), (needless, needless));
        assert_eq!(ssd.controller().retry_steps().len() as u64, steps + 1);
        // The array is charged for what it did, not for what RESET spared it.
        let last = if steps > 0 { T_DMA + T_ECC + T_RST } else { 0 };
        assert_eq!(ssd.controller().luns()[0].busy()[0], 10 * ((steps + 1) * T_R + last));
    }
}

/// The first read overlapped too: `(N + 1) tR + tDMA + tECC`.
#[test]
fn the_first_read_may_be_pipelined_too() {
    for steps in 0..=20 {
        let ssd = ten_reads("pr2", steps, &["read.pipeline_first=true"]);
        assert_each(&format!("{steps} steps"), &ssd, (steps + 1) * T_R + T_DMA + T_ECC, T_RST);
    }
}

/// Eq. 3 with Eq. 5's shorter senses: `tSET + N (rho tR + tDMA + tECC)`.
#[test]
fn shortened_steps_take_one_set_feature_before_and_one_after() {
    for steps in 0..=20 {
        let ssd = ten_reads("ar2", steps, &[]);
        let retry = if steps > 0 { T_SET + steps * (T_SHORT + T_DMA + T_ECC) } else { 0 };
        let left = if steps > 0 { T_SET } else { 0 };
        assert_each(&format!("{steps} steps"), &ssd, READ + retry, left);
        assert_eq!(ssd.controller().counters.set_features, if steps > 0 { 20 } else { 0 });
        assert_eq!(ssd.controller().counters.fallbacks, 0);
    }
}

/// Eq. 5: `tSET + rho N tR + tDMA + tECC`.
#[test]
fn pipelined_and_shortened_steps() {
    for steps in 0..=20 {
        for name in ["pnar2", "pr2+ar2", "baseline+pnar2"] {
            let ssd = ten_reads(name, steps, &[]);
            let retry = if steps > 0 { T_SET + steps * T_SHORT + T_DMA + T_ECC } else { 0 };
            let left = if steps > 0 { T_RST + T_SET } else { 0 };
            assert_each(&format!("{name}, {steps} steps"), &ssd, READ + retry, left);
        }
    }
}

/// A regular read with shorter senses (Section 8): the feature is set for it, and back.
#[test]
fn the_first_read_may_be_shortened_too() {
    for steps in [0, 4] {
        let ssd = ten_reads("ar2", steps, &["read.shorten_first=true"]);
        let latency = T_SET + (steps + 1) * (T_SHORT + T_DMA + T_ECC);
        assert_each(&format!("{steps} steps"), &ssd, latency, T_SET);
    }
}

/// PR2/AR2, Table 1: 2, 3 and 2 senses of 24 + 5 + 10 us, a quarter less with tPRE cut by 40 %.
#[test]
fn the_papers_chip_senses_for_91_us_on_average() {
    let run_with = |retry: &str, steps: u32| {
        let config = one_die(&[
            "precondition.fill=0.5",
            "coding.cell=tlc",
            "coding.scheme=tlc-2-3-2",
            "nand.read_us=[39.0,78.0,117.0]",
            "read.tpre_cut=0.4",
            &format!("read.retry={retry}"),
            &format!("reliability.retry_steps={steps}"),
        ]);
        latencies(&run(&config, vec![closed(1, reads(0..3))]))
    };
    assert_eq!(run_with("baseline", 0), [78 * US + T_DMA, 117 * US + T_DMA, 78 * US + T_DMA]);
    let retry: Vec<Ns> = run_with("ar2", 1).iter().map(|ns| ns - 2 * T_DMA - T_SET).collect();
    // Behind the first, each read waits for the feature to be set back.
    assert_eq!(retry, [78_000 + 58_800, 117_000 + 88_200 + T_SET, 78_000 + 58_800 + T_SET]);
}

/// A page that fails first is read once more, whoever finds the voltage.
#[test]
fn an_estimate_takes_one_more_read() {
    for name in ["one_step", "sentinel", "swift_read"] {
        for steps in [0, 1, 5, 20] {
            let ssd = ten_reads(name, steps, &[]);
            assert_each(&format!("{name}, {steps} steps"), &ssd, READ * (1 + steps.min(1)), 0);
            assert_eq!(ssd.controller().counters.first_failures, 10 * steps.min(1));
        }
    }
    let ssd = ten_reads("sentinel+pnar2", 7, &[]);
    assert_each("shortened", &ssd, READ + T_SET + T_SHORT + T_DMA + T_ECC, T_RST + T_SET);
}

/// RiF: `2 (tR + 2.5 us) + tDMA + tECC` where the second sense is checked too, else one check less.
#[test]
fn a_doomed_page_is_sensed_again_on_the_die() {
    for steps in [0, 1, 5, 20] {
        let doomed = steps.min(1);
        for (retries, checks) in [(1, 1), (3, 1 + doomed)] {
            let ssd = ten_reads("rif", steps, &[&format!("read.on_die_retries={retries}")]);
            let latency = (1 + doomed) * T_R + checks * T_CHECK + T_DMA + T_ECC;
            assert_each(&format!("{steps} steps, at most {retries} on the die"), &ssd, latency, 0);
            let (time, counters) = (ssd.controller().buses()[0].time(), ssd.controller().counters);
            assert_eq!((time.uncorrectable, time.correct), (0, 10 * T_DMA), "nothing crosses in vain");
            assert_eq!(counters.on_die_checks, 10 * checks);
            assert_eq!((counters.missed_on_die, counters.needless_on_die_retries), (0, 0));
        }
    }
    let ssd = ten_reads("rif+ar2", 4, &[]);
    assert_each("shortened", &ssd, T_R + T_SHORT + T_SET + 2 * T_CHECK + T_DMA + T_ECC, T_SET);
}

/// Where the model expects the first read to fail, it is left out (Section 8).
#[test]
fn a_predicted_failure_saves_the_first_read() {
    for steps in 1..=20 {
        assert_each("predictive", &ten_reads("predictive", steps, &[]), steps * READ, 0);
        let ssd = ten_reads("predictive+pnar2", steps, &[]);
        assert_each("pipelined", &ssd, T_SET + steps * T_SHORT + T_DMA + T_ECC, T_RST + T_SET);
    }
    assert_each("no retry", &ten_reads("predictive", 0, &[]), READ, 0);
}

/// PSO starts a step, or as many as are asked for, below what worked for similar word lines, or a quarter of the way
/// where that is more: never more than the regular retry.
#[test]
fn similar_word_lines_start_near_what_worked() {
    for steps in 0..=20 {
        // 24 pages a block, a layer each. Where layers count alone, the second block knows what worked in the first;
        // otherwise the second page knows what worked for the die.
        for (alone_after, first, least) in [(0, 24, 1), (512, 1, 1), (512, 1, 3)] {
            let config = one_die(&[
                "precondition.fill=0.5",
                "read.retry=pso",
                &format!("read.pso_alone_after={alone_after}"),
                &format!("read.pso_min_steps={least}"),
                "ecc.engine=pipelined",
                "ecc.hold_die=true",
                "ecc.decode_us=20.0",
                &format!("reliability.retry_steps={steps}"),
            ]);
            let ssd = run(&config, vec![closed(1, reads(0..48))]);
            let expected: Vec<Ns> = (0..48)
                .map(|page| READ * (1 + if page < first { steps } else { steps.min(least.max(steps / 4)) }))
                .collect();
            assert_eq!(latencies(&ssd), expected, "{steps} steps, alone after {alone_after} reads");
        }
    }
}

/// Planes of a die are sensed together, step by step; their pages cross one after the other.
#[test]
fn planes_retry_together() {
    for (retry, steps) in [("baseline", 3), ("pr2", 3), ("pnar2", 3), ("rif", 3), ("rif", 0)] {
        let config = one_die(&[
            "precondition.fill=0.5",
            "ssd.planes_per_die=2",
            "nand.multiplane=same-page",
            "ftl.allocation=PDWC",
            "ecc.engine=pipelined",
            "ecc.hold_die=true",
            "ecc.decode_us=20.0",
            "nand.cache_register=true",
            "nand.on_die_check=true",
            "read.tpre_cut=0.4",
            "read.on_die_retries=1",
            &format!("read.retry={retry}"),
            &format!("reliability.retry_steps={steps}"),
        ]);
        let ssd = run(&config, vec![closed(1, [request(Op::Read, 0, 2)])]);
        let moved = 2 * T_DMA + T_ECC;
        let expected = match (retry, steps) {
            ("baseline", _) => 4 * (T_R + moved),
            ("pr2", _) => T_R + moved + 3 * T_R + moved,
            ("pnar2", _) => T_R + moved + T_SET + 3 * T_SHORT + moved,
            (_, 0) => T_R + T_CHECK + moved,
            _ => 2 * T_R + T_CHECK + moved,
        };
        assert_eq!(latencies(&ssd), [expected], "{retry}, {steps} steps");
    }
}

/// The timeline shows the needless sense as long as it ran.
#[test]
fn a_reset_ends_the_sense_that_is_running() {
    let config = one_die(&[
        "precondition.fill=0.5",
        "read.retry=pnar2",
        "read.tpre_cut=0.4",
        "nand.cache_register=true",
        "ecc.engine=pipelined",
        "ecc.hold_die=true",
        "ecc.decode_us=20.0",
        "reliability.retry_steps=2",
    ]);
    let ssd = run_with_timeline(&config, vec![closed(1, reads([3]))]);
    let mut array: Vec<_> =
        ssd.timeline().slices.iter().filter(|slice| slice.track == Track::Array(LunId::new(0))).collect();
    array.sort_by_key(|slice| slice.start);
    let done = READ + T_SET + 2 * T_SHORT + T_DMA + T_ECC;
    let expected = [
        ("sense", 0, T_R),
        ("set feature", READ, T_SET),
        ("sense", READ + T_SET, T_SHORT),
        ("sense", READ + T_SET + T_SHORT, T_SHORT),
        ("sense", READ + T_SET + 2 * T_SHORT, T_DMA + T_ECC),
        ("reset", done, T_RST),
        ("set feature", done + T_RST, T_SET),
    ];
    let seen: Vec<_> = array.iter().map(|slice| (slice.name, slice.start, slice.duration)).collect();
    assert_eq!(seen, expected);
}
