//! One request at a time on an idle SSD: the sum of its parts, to the nanosecond.

use crate::common::*;
use wordline_core::config::{Config, parameters};
use wordline_core::engine::Ns;
use wordline_core::host::{HostRequest, Op};
use wordline_core::metrics::Track;
use wordline_core::nand::{ChannelId, LunId};
use wordline_core::parameter::Domain;

/// Command times that are all different, so that a mix-up shows.
const COMMANDS: &[&str] = &[
    "channel.read_command_ns=290",
    "channel.read_command_plane_ns=650",
    "channel.program_command_ns=361",
    "channel.program_command_plane_ns=816",
    "channel.erase_command_ns=220",
    "channel.erase_command_plane_ns=700",
];

fn with_commands(settings: &[&str]) -> Config {
    config(&[ONE_DIE, COMMANDS, settings].concat())
}

/// Cells and codings with their senses by page type.
const CODINGS: [(&str, &str, &[Ns]); 5] = [
    ("slc", "auto", &[1]),
    ("mlc", "auto", &[1, 2]),
    ("tlc", "tlc-1-2-4", &[1, 2, 4]),
    ("tlc", "tlc-2-3-2", &[2, 3, 2]),
    ("qlc", "auto", &[1, 2, 4, 8]),
];

#[test]
fn a_read_takes_command_senses_and_transfer() {
    for (cell, coding, senses) in CODINGS {
        let config = with_commands(&[
            "precondition.fill=0.5",
            &format!("coding.cell={cell}"),
            &format!("coding.scheme={coding}"),
        ]);
        // Filled in order on one plane, page p of the host is page p of the flash.
        let ssd = run(&config, vec![closed(1, reads(0..24))]);
        let expected: Vec<Ns> = (0..24).map(|page| 290 + senses[page % senses.len()] * T_R + T_DMA).collect();
        assert_eq!(latencies(&ssd), expected, "{cell} {coding}");
    }
}

#[test]
fn a_program_takes_command_data_and_the_time_of_its_page_type() {
    for (cell, times) in [
        ("slc", &[200][..]),
        ("mlc", &[300, 900]),
        ("tlc", &[400, 700, 1300]),
        ("qlc", &[500, 800, 1700, 2900]),
        ("tlc", &[660]),
    ] {
        let text: Vec<String> = times.iter().map(|us| format!("{us}.0")).collect();
        let config = with_commands(&[
            &format!("coding.cell={cell}"),
            &format!("nand.program_us=[{}]", text.join(",")),
        ]);
        let ssd = run(&config, vec![closed(1, writes((0..24).map(|i| 7 * i % 24)))]);
        let expected: Vec<Ns> = (0..24).map(|page| 361 + T_DMA + times[page % times.len()] * US).collect();
        assert_eq!(latencies(&ssd), expected, "{cell} {times:?}");
    }
}

#[test]
fn an_erase_takes_its_command_and_one_pulse() {
    let config = with_commands(&["precondition.fill=1.0"]);
    let ssd = run_with_timeline(&config, vec![closed(1, writes((0..400).map(|i| 31 * i % 1152)))]);
    let slices = &ssd.timeline().slices;
    let pulses: Vec<_> = slices.iter().filter(|s| s.name == "erase pulse").collect();
    assert!(!pulses.is_empty());
    assert_eq!(pulses.len() as u64, ssd.controller().counters.erases);
    for pulse in pulses {
        assert_eq!((pulse.duration, pulse.track), (T_BERS, Track::Array(LunId::new(0))));
        let command = slices.iter().find(|s| {
            s.track == Track::Channel(ChannelId::new(0))
                && s.start + s.duration == pulse.start
                && s.duration == 220
        });
        assert!(command.is_some(), "no erase command ends where the pulse at {} begins", pulse.start);
    }
}

#[test]
fn the_link_adds_its_parts() {
    let config = with_commands(&[
        "precondition.fill=0.5",
        "host.submit_ns=1000",
        "host.complete_ns=2000",
        "host.link_request_ns=300",
        "host.link_rate_mb_s=2000.0",
        "ecc.engine=pipelined",
        "ecc.decode_us=8.0",
    ]);
    let link = 4096 / 2;
    let ssd = run(&config, vec![closed(1, [request(Op::Read, 3, 1), request(Op::Write, 5, 1)])]);
    let read = 1000 + 290 + T_R + T_DMA + 8 * US + link + 2000;
    let write = 1000 + 300 + link + 361 + T_DMA + T_PROG + 2000;
    assert_eq!(latencies(&ssd), [read, write]);
}

/// Only what the data cache takes in or serves crosses its DRAM, in every mode.
#[test]
fn the_dram_carries_what_the_cache_moves() {
    let latencies_with = |mode: &str| {
        let mode = format!("cache.mode={mode}");
        let dram = ["precondition.fill=0.5", "dram.rate_mb_s=4000.0", "dram.latency_ns=70", &mode];
        let requests = [(Op::Read, 3), (Op::Read, 3), (Op::Write, 5), (Op::Read, 5)];
        let requests = requests.map(|(op, unit)| request(op, unit, 1));
        latencies(&run(&with_commands(&dram), vec![closed(1, requests)]))
    };
    let (read, write, dram) = (290 + T_R + T_DMA, 361 + T_DMA + T_PROG, 70 + 4096 / 4);
    assert_eq!(latencies_with("off"), [read, read, write, read]);
    assert_eq!(latencies_with("write"), [read, read, dram, dram]);
    assert_eq!(latencies_with("read"), [read, 2 * dram, write, read], "the hit waits for the fill before it");
    assert_eq!(latencies_with("read-write"), [read, 2 * dram, dram, dram]);
}

/// Pages of one request cross the DRAM together; a read that is served in part waits for its other part, too.
#[test]
fn the_dram_carries_a_request_at_once() {
    let config = with_commands(&[
        "precondition.fill=0.5",
        "dram.rate_mb_s=4.0",
        "dram.latency_ns=70",
        "cache.mode=write",
    ]);
    let requests = [request(Op::Write, 8, 3), request(Op::Read, 10, 2)];
    let ssd = run(&config, vec![closed(1, requests)]);
    assert_eq!(latencies(&ssd), [70 + 3 * 4096 * 250, 70 + 4096 * 250]);
}

/// A page that leaves later than it was written is read from DRAM first.
#[test]
fn a_page_that_leaves_later_crosses_the_dram_again() {
    let end_with = |flush: &str| {
        let flush = format!("cache.flush={flush}");
        let config = with_commands(&["dram.latency_ns=50000", "cache.mode=write", &flush]);
        let requests = [request(Op::Write, 8, 1), HostRequest { op: Op::Flush, ..request(Op::Write, 0, 0) }];
        latencies(&run(&config, vec![closed(1, requests)]))
    };
    let program = 361 + T_DMA + T_PROG;
    assert_eq!(end_with("full"), [50 * US, 50 * US + program]);
    assert_eq!(end_with("eager"), [50 * US, program - 50 * US]);
}

#[test]
fn part_of_a_page_moves_only_its_sectors_and_spare_bytes_come_with_whole_pages() {
    let of = |settings: &[&str], sectors: u32| {
        let config = config(&[ONE_DIE, &["precondition.fill=0.5", "ssd.spare_bytes=128"], settings].concat());
        let mut read = request(Op::Read, 2, 1);
        read.sectors = sectors;
        latencies(&run(&config, vec![closed(1, [read])]))[0]
    };
    assert_eq!(of(&[], 1), T_R + 512);
    assert_eq!(of(&[], 7), T_R + 7 * 512);
    assert_eq!(of(&[], 8), T_R + T_DMA + 128);
    assert_eq!(of(&["ftl.transfer=page"], 1), T_R + T_DMA + 128);
    assert_eq!(of(&["channel.data_out_ns=40"], 1), T_R + 40 + 512);
}

/// A page of more sectors than a mask has bits would move nothing, and take no time for it.
#[test]
fn a_page_of_every_size_that_is_taken_moves_whole() {
    let row = parameters().iter().find(|row| row.key == "ssd.page_bytes").expect("a key");
    let Domain::OneOf(sizes) = row.parameter.domain else { panic!("{:?}", row.parameter.domain) };
    for &bytes in sizes {
        let of = |settings: &[&str]| {
            let size = format!("ssd.page_bytes={bytes}");
            let config = config(&[ONE_DIE, &["precondition.fill=0.5", &size], settings].concat());
            let units = bytes as u32 / 4096;
            let requests = [request(Op::Write, 0, units), request(Op::Read, 0, units)];
            latencies(&run(&config, vec![closed(1, requests)]))
        };
        let transfer = bytes as Ns;
        assert_eq!(of(&[]), [transfer + T_PROG, T_R + transfer], "{bytes} bytes");
        assert_eq!(of(&["cache.mode=read-write"]), [0, 0], "{bytes} bytes, which the cache has");
    }
}

#[test]
fn a_partial_write_reads_the_rest_of_its_page_first() {
    let config = with_commands(&["precondition.fill=0.5"]);
    let mut write = request(Op::Write, 2, 1);
    write.sectors = 3;
    let ssd = run(&config, vec![closed(1, [write])]);
    assert_eq!(latencies(&ssd), [290 + T_R + 5 * 512 + 361 + T_DMA + T_PROG]);
    assert_eq!(ssd.ftl().counters().merge_reads, 1);
}

#[test]
fn planes_of_a_die_share_one_sense_and_one_program() {
    let config = with_commands(&[
        "precondition.fill=0.5",
        "ssd.planes_per_die=4",
        "nand.multiplane=same-page",
        "ftl.allocation=PDWC",
    ]);
    let ssd = run(&config, vec![closed(1, [request(Op::Read, 0, 4), request(Op::Write, 4, 4)])]);
    let read = 290 + 3 * 650 + T_R + 4 * T_DMA;
    let write = 361 + 3 * 816 + 4 * T_DMA + T_PROG;
    assert_eq!(latencies(&ssd), [read, write]);
    assert_eq!(ssd.controller().counters.multiplane, 2);
}

/// One plane reads an LSB page and the other an MSB page: the command takes as long as the MSB page.
#[test]
fn planes_with_pages_of_other_kinds_wait_for_the_slowest() {
    let config = with_commands(&[
        "precondition.fill=0.5",
        "ssd.planes_per_die=2",
        "nand.multiplane=any",
        "ftl.allocation=PDWC",
        "coding.cell=tlc",
        "coding.scheme=tlc-1-2-4",
        "nand.read_us=[10.0, 20.0, 30.0, 40.0]",
    ]);
    for pages in [[0, 5], [4, 1]] {
        let ssd = run(&config, vec![closed(2, reads(pages))]);
        assert_eq!(ssd.controller().counters.multiplane, 1);
        let first = 290 + 650 + 40 * US + T_DMA;
        assert_eq!(latencies(&ssd), [first, first + T_DMA]);
    }
}

#[test]
fn each_read_counts_the_time_that_it_waited_itself() {
    let config = one_die(&["precondition.fill=0.5", "nand.cache_register=false"]);
    let requests = [read_at(1_000 * US, 0), read_at(1_000 * US, 1), read_at(5_000 * US, 2)];
    let ssd = run(&config, vec![open(requests)]);
    let parts = ssd.metrics().breakdown;
    assert_eq!((parts.queue, parts.array, parts.transfer), (T_R + T_DMA, 3 * T_R, 3 * T_DMA));
    assert_eq!(parts.total, latencies(&ssd).into_iter().sum::<Ns>());
}

#[test]
fn a_page_that_fails_may_decode_for_longer() {
    let config = one_die(&[
        "precondition.fill=0.5",
        "read.retry=baseline",
        "reliability.retry_steps=3",
        "ecc.engine=serial",
        "ecc.decode_us=4.0",
        "ecc.decode_fail_us=20.0",
    ]);
    let ssd = run(&config, vec![closed(1, reads([0]))]);
    assert_eq!(latencies(&ssd), [4 * (T_R + T_DMA) + 3 * 20 * US + 4 * US]);
}

/// Each place has its own time, the same each time, and all of them the mean that is set.
#[test]
fn programs_take_times_around_their_mean() {
    let times = |seed: &str| -> Vec<f64> {
        let ssd = run(&one_die(&["nand.program_spread=0.2", seed]), vec![closed(1, writes(0..600))]);
        latencies(&ssd).iter().map(|&latency| (latency - T_DMA) as f64 / T_PROG as f64).collect()
    };
    let shares = times("seed=1");
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / shares.len() as f64;
    assert_near("mean", mean, 1.0, 0.02);
    assert_near("variance of a uniform draw", variance, 0.4 * 0.4 / 12.0, 0.15);
    assert!(shares.iter().all(|share| (0.8..=1.2).contains(share)));
    assert_eq!(shares, times("seed=1"));
    assert_ne!(shares, times("seed=2"));
}
