//! Programs in two steps: times to the nanosecond, the order of the page types, reads between the steps, and what is
//! refused.

use crate::common::*;
use wordline_cells::PageOrder;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::host::{HostRequest, Op};

/// Cells by name, with the program times of their page types, us; sense `n` takes `n` times tR.
const CELLS: [(&str, &[Ns]); 3] =
    [("mlc", &[300, 900]), ("tlc", &[400, 401, 1300]), ("qlc", &[500, 501, 502, 2900])];

fn device(cell: &str, times: &[Ns], more: &[&str]) -> Config {
    let times: Vec<String> = times.iter().map(|us| format!("{us}.0")).collect();
    let (cell, times) = (format!("coding.cell={cell}"), format!("nand.program_us=[{}]", times.join(",")));
    let settings = ["ssd.pages_per_block=24", "program.policy=two-step", &cell, &times];
    config(&[ONE_DIE, &settings, more].concat())
}

/// The page types of a block in the order of the steps: all but the last, then the last one of the wordline before.
fn page_types(bits: usize, wordlines: usize) -> Vec<usize> {
    let mut types: Vec<usize> = (0..bits - 1).collect();
    for _ in 1..wordlines {
        types.extend(0..bits);
    }
    types.push(bits - 1);
    types
}

#[test]
fn a_program_takes_the_time_of_its_page_type_in_the_order_of_the_steps() {
    for (cell, times) in CELLS {
        let ssd = run(&device(cell, times, &[]), vec![closed(1, writes(0..48))]);
        let types = page_types(times.len(), 24 / times.len());
        // Two blocks, one after the other.
        let block = types.iter().map(|&page_type| T_DMA + times[page_type] * US);
        let expected: Vec<Ns> = block.clone().chain(block).collect();
        assert_eq!(latencies(&ssd), expected, "{cell}");
    }
}

#[test]
fn a_read_takes_the_senses_of_its_page_type_in_the_order_of_the_steps() {
    for (cell, times) in CELLS {
        let ssd = run(&device(cell, times, &["precondition.fill=0.5"]), vec![closed(1, reads(0..24))]);
        let types = page_types(times.len(), 24 / times.len());
        let expected: Vec<Ns> = types.iter().map(|&page_type| (1 << page_type) * T_R + T_DMA).collect();
        assert_eq!(latencies(&ssd), expected, "{cell}");
    }
}

/// The same pages in the same order take the same time as a whole: only the times of the page types move.
#[test]
fn a_block_takes_as_long_as_wordline_by_wordline() {
    for (cell, times) in CELLS {
        let total = |policy| {
            let ssd = run(&device(cell, times, &[policy]), vec![closed(1, writes(0..24))]);
            latencies(&ssd).iter().sum::<Ns>()
        };
        assert_eq!(total("program.policy=two-step"), total("program.policy=normal"), "{cell}");
    }
}

/// Planes of a command are in step, so that a command is of one page type.
#[test]
fn planes_are_programmed_in_step() {
    let times = &[500, 501, 502, 2900];
    let more = ["ssd.planes_per_die=2", "nand.multiplane=same-page", "ftl.allocation=PDWC"];
    let pairs = (0..24).map(|i| request(Op::Write, 2 * i, 2));
    let ssd = run(&device("qlc", times, &more), vec![closed(1, pairs)]);
    let types = page_types(4, 6);
    let expected: Vec<Ns> = types.iter().map(|&page_type| 2 * T_DMA + times[page_type] * US).collect();
    assert_eq!(latencies(&ssd), expected);
}

/// The ECC that just corrects a page of a finished wordline does not correct it between the steps: it needs retries.
#[test]
fn a_read_between_the_steps_finds_other_errors_than_after_them() {
    let of = |policy: &str, bits: u32| {
        let bits = format!("ecc.correctable_bits={bits}");
        let settings = [
            "ssd.pages_per_block=24",
            "coding.cell=tlc",
            "cells.chip=tlc-48l",
            "read.retry=baseline",
            "reliability.pec=1000",
            policy,
            &bits,
        ];
        let write = |unit| request(Op::Write, unit, 1);
        let read = || request(Op::Read, 0, 1);
        let first_step = [write(0), read()].into_iter();
        let requests: Vec<HostRequest> = first_step.chain((1..6).map(write)).chain([read()]).collect();
        let all = latencies(&run(&config(&[ONE_DIE, &settings].concat()), vec![closed(1, requests)]));
        [all[1], all[7]]
    };
    let once = T_R + T_DMA;
    let enough =
        (1..72).find(|&bits| of("program.policy=normal", bits) == [once; 2]).expect("fewer than 72 errors");
    let [between, after] = of("program.policy=two-step", enough);
    assert!(between > once, "{between} with {enough} bits");
    assert_eq!(after, once);
    assert_eq!(of("program.policy=two-step", 2 * enough), [once; 2], "twice the errors, and no more");
}

#[test]
fn what_cannot_go_in_two_steps_is_refused_with_a_way_out() {
    let refused = |settings: &[&str]| {
        let layers = ["program.policy=two-step", "ssd.pages_per_block=24"].iter().chain(settings);
        resolve(&layers.map(|s| Layer::assignment(s).unwrap()).collect::<Vec<_>>()).map(|_| ()).unwrap_err()
    };
    for (settings, why, fix) in [
        (&["coding.cell=slc"][..], "one bit", "coding.cell = \"mlc\""),
        (&["coding.cell=qlc", "ssd.pages_per_block=26"], "whole wordlines", "such as 28"),
        (&["coding.cell=tlc", "coding.scheme=tlc-2-3-2"], "by itself", "coding.scheme = \"auto\""),
        (&["coding.cell=mlc", "coding.scheme=[\"11\",\"10\",\"00\",\"01\"]"], "", ""),
        (&["coding.cell=mlc", "coding.scheme=[\"11\",\"01\",\"00\",\"10\"]"], "by itself", "\"auto\""),
        (&["coding.cell=tlc", "nand.multiplane=overtaking"], "in order", "nand.multiplane = \"same-page\""),
        (&["coding.cell=tlc", "coding.policy=ida"], "ida", "coding.policy = \"conventional\""),
    ] {
        if why.is_empty() {
            let layers = ["program.policy=two-step", "ssd.pages_per_block=24"].iter().chain(settings);
            let layers: Vec<_> = layers.map(|s| Layer::assignment(s).unwrap()).collect();
            let geometry = resolve(&layers).unwrap().config.geometry();
            assert_eq!(geometry.page_order, PageOrder::TwoStep);
            continue;
        }
        let error = refused(settings);
        assert_eq!(error.key, "program.policy", "{error}");
        assert!(error.message.contains(why) && error.fix.contains(fix), "{error}");
    }
}
