//! Many requests at once: whatever is the bottleneck is busy all the time, so the whole run takes a
//! time that can be computed exactly.

use crate::common::*;
use wordline_core::config::Config;
use wordline_core::engine::Ns;

const READS: u64 = 480;

fn end_of_reads(config: &Config) -> Ns {
    end(&run(config, vec![closed(64, reads((0..READS).map(|i| i * 7 % 480)))]))
}

#[test]
fn a_die_reads_a_page_after_the_other() {
    let config = one_die(&["precondition.fill=0.5"]);
    assert_eq!(end_of_reads(&config), READS * (T_R + T_DMA));
}

#[test]
fn a_cache_register_overlaps_sense_and_transfer() {
    let config = one_die(&["precondition.fill=0.5", "nand.cache_register=true"]);
    assert_eq!(end_of_reads(&config), READS * T_R + T_DMA, "the array is the bottleneck");
    let config = one_die(&["precondition.fill=0.5", "nand.cache_register=true", "channel.rate_mb_s=51.2"]);
    assert_eq!(end_of_reads(&config), T_R + READS * 80 * US, "the channel is");
}

#[test]
fn a_channel_of_many_dies_moves_a_page_in_tdma() {
    // 50 us of sensing hide behind the 10-us transfers of seven other dies.
    let config = one_die(&["precondition.fill=0.5", "ssd.chips_per_channel=8", "channel.rate_mb_s=409.6"]);
    let ssd = run(&config, vec![closed(64, reads(0..READS))]);
    assert_eq!(end(&ssd), T_R + READS * 10 * US);
    assert_eq!(ssd.controller().buses()[0].time().correct, READS * 10 * US);
}

/// Programs that take no longer than half a transfer: whenever the channel is free, all dies but one wait for it. A channel
/// that served the first of them would serve two dies alone until these have nothing left.
#[test]
fn dies_take_turns_on_a_channel() {
    let config = one_die(&["ssd.chips_per_channel=4", "nand.program_us=[2.0]"]);
    let ssd = run(&config, vec![open(writes(0..READS))]);
    assert_eq!(latencies(&ssd), (1..=READS).map(|done| done * T_DMA + 2 * US).collect::<Vec<_>>());
    let order: Vec<u64> = log(&ssd).iter().map(|entry| entry.sector / 8 % 4).collect();
    assert!(order.iter().zip((0..4).cycle()).all(|(&die, turn)| die == turn), "{order:?}");
}

#[test]
fn channels_work_side_by_side() {
    let config = one_die(&[
        "precondition.fill=0.5",
        "ssd.channels=4",
        "ssd.chips_per_channel=8",
        "channel.rate_mb_s=409.6",
        "ftl.allocation=CWDP",
    ]);
    let ssd = run(&config, vec![closed(256, reads(0..READS))]);
    assert_eq!(end(&ssd), T_R + READS / 4 * 10 * US);
}

#[test]
fn a_chip_that_serves_one_command_at_a_time_is_one_die() {
    let dies = |unit: &str| {
        let unit = format!("schedule.unit={unit}");
        end_of_reads(&one_die(&[
            "precondition.fill=0.5",
            "ssd.dies_per_chip=2",
            "ftl.allocation=DWCP",
            &unit,
        ]))
    };
    assert_eq!(dies("chip"), READS * (T_R + T_DMA));
    // Two dies hide each other's transfers, but for the second die's first wait and the last page.
    let two = dies("die");
    assert!(two <= READS / 2 * (T_R + T_DMA) + T_DMA, "{two}");
    assert!(two >= READS / 2 * (T_R + T_DMA), "{two}");
}

#[test]
fn a_serial_decoder_bounds_the_channel_and_a_pipelined_one_does_not() {
    let config = |engine: &str, buffer: u32| {
        one_die(&[
            "precondition.fill=0.5",
            "ssd.chips_per_channel=16",
            "channel.rate_mb_s=409.6",
            "ecc.decode_us=20.0",
            &format!("ecc.engine={engine}"),
            &format!("ecc.buffer_pages={buffer}"),
        ])
    };
    let dma = 10 * US;
    let decode = 20 * US;
    let end_with = |engine, buffer| end(&run(&config(engine, buffer), vec![closed(64, reads(0..READS))]));
    assert_eq!(end_with("pipelined", 1), T_R + READS * dma + decode);
    assert_eq!(end_with("serial", 2), T_R + dma + READS * decode, "transfers hide behind decoding");
    assert_eq!(end_with("serial", 1), T_R + READS * (dma + decode), "one place: nothing overlaps");
    let ssd = run(&config("serial", 2), vec![closed(64, reads(0..READS))]);
    let time = ssd.controller().buses()[0].time();
    assert_eq!(time.correct, READS * dma);
    // From the third page on, each waits for a place while the one before the last is decoded.
    assert_eq!(time.ecc_wait, (READS - 2) * (decode - dma));
}

#[test]
fn a_die_programs_a_page_after_the_other() {
    let writes = || vec![closed(32, writes(0..480))];
    assert_eq!(end(&run(&one_die(&[]), writes())), 480 * (T_DMA + T_PROG));
    let cached = one_die(&["nand.cache_register=true"]);
    assert_eq!(end(&run(&cached, writes())), T_DMA + 480 * T_PROG, "data comes in behind the program");
}

#[test]
fn planes_program_together() {
    for (planes, per_command) in [(2, 2), (4, 4), (8, 8)] {
        let config = one_die(&[
            &format!("ssd.planes_per_die={planes}"),
            "nand.multiplane=same-page",
            "ftl.allocation=PDWC",
        ]);
        let ssd = run(&config, vec![closed(32, writes(0..480))]);
        assert_eq!(end(&ssd), 480 / per_command * (per_command * T_DMA + T_PROG), "{planes} planes");
    }
    let apart = one_die(&["ssd.planes_per_die=2", "nand.multiplane=off", "ftl.allocation=PDWC"]);
    assert_eq!(end(&run(&apart, vec![closed(32, writes(0..480))])), 480 * (T_DMA + T_PROG));
}

#[test]
fn planes_that_stand_at_different_pages_work_together_only_where_the_die_can() {
    let end_with = |multiplane: &str| {
        let multiplane = format!("nand.multiplane={multiplane}");
        let config =
            one_die(&["ssd.planes_per_die=2", "ftl.allocation=PDWC", "precondition.fill=0.5", &multiplane]);
        // Page 1 of the second plane (host page 3) with page 0 of the first (host page 0).
        end(&run(&config, vec![closed(2, reads([0, 3]))]))
    };
    assert_eq!(end_with("same-page"), 2 * (T_R + T_DMA));
    assert_eq!(end_with("any"), T_R + 2 * T_DMA);
}

#[test]
fn the_link_and_the_dram_are_serial() {
    // Each way 64 pages/ms is far slower than eight channels of eight dies.
    let fast = ["precondition.fill=0.5", "ssd.channels=8", "ssd.chips_per_channel=8"];
    let link = one_die(&[&fast[..], &["host.link_rate_mb_s=409.6"]].concat());
    assert_eq!(end(&run(&link, vec![closed(256, reads(0..READS))])), T_R + T_DMA + READS * 10 * US);
    let ssd = run(&link, vec![closed(1024, writes(0..READS))]);
    assert_eq!(end(&ssd), READS * 10 * US + T_DMA + T_PROG, "the last page is programmed at once");
    let dram = ["cache.mode=write", "dram.rate_mb_s=409.6", "dram.latency_ns=500"];
    let dram = one_die(&[&fast[..], &dram].concat());
    assert_eq!(end(&run(&dram, vec![closed(256, writes(0..READS))])), READS * 10_500);
}
