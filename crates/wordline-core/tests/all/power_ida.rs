//! Power cut at random moments of a refresh that merges wordlines (IDA, Section III-C), in checked mode: at every power-up
//! everything that the SSD had taken in is there, although half-adjusted wordlines hold nothing.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::host::{HostRequest, Op};

/// Power cuts of one SSD at most.
const CUTS_MAX: u64 = 80;

fn device(seed: u64) -> Config {
    let draw = |number: u64, n: u64| below(seed, number, Purpose::Precondition, n) as usize;
    let cell = ["mlc", "tlc", "qlc"][draw(1, 3)];
    let error_rate = ["0.0", "0.2", "0.8"][draw(2, 3)];
    let planes = ["1", "2"][draw(3, 2)];
    let suspend = ["false", "true"][draw(4, 2)];
    let at_start = ["during", "before"][draw(5, 4) / 3];
    let in_flight = ["1", "8"][draw(6, 2)];
    // 1.7 s, or 0.17 s, which is less than it takes to refresh all blocks once.
    let period = ["0.00002", "0.000002"][draw(7, 4) / 3];
    let settings = [
        format!("seed={seed}"),
        format!("coding.cell={cell}"),
        format!("coding.ida_error_rate={error_rate}"),
        format!("ssd.planes_per_die={planes}"),
        format!("program.suspend={suspend}"),
        format!("refresh.at_start={at_start}"),
        format!("gc.moves_in_flight={in_flight}"),
        format!("refresh.period_days={period}"),
    ];
    let fixed = [
        "coding.policy=ida",
        "nand.multiplane=same-page",
        "ssd.overprovisioning=0.5",
        "ssd.blocks_per_plane=24",
        "precondition.fill=0.8",
        "precondition.overwrite=0.6",
    ];
    let all: Vec<&str> = fixed.into_iter().chain(settings.iter().map(String::as_str)).collect();
    one_die(&all)
}

/// Reads and writes of single units, so that pages become invalid while their block is refreshed.
fn requests(config: &Config, seed: u64) -> Vec<HostRequest> {
    let units = config.host_sectors() / 8 * 7 / 10;
    (0..300)
        .map(|i| {
            let op = if below(seed, 2 * i, Purpose::VictimChoice, 3) == 0 { Op::Write } else { Op::Read };
            let unit = below(seed, 2 * i + 1, Purpose::VictimChoice, units);
            HostRequest { arrival_ns: i * 800 * US, ..request(op, unit, 1) }
        })
        .collect()
}

#[test]
fn power_cuts_in_the_middle_of_merging_lose_nothing() {
    let (mut cuts, mut merging, mut adjusted, mut kept) = (0, 0, 0, 0);
    for seed in 0..200 {
        let config = device(seed);
        let mut ssd = Ssd::new(&config, vec![open(requests(&config, seed))], &CHECKED);
        ssd.precondition(&config, None, &mut |_| true).unwrap();
        // Some three times as many as the requests last; a refresh that is always due would go on for ever.
        for cut in 0..CUTS_MAX {
            let gap = 1 + below(seed, cut, Purpose::FactoryBad, 20_000) * US;
            let goes_on = ssd.run_until(ssd.now() + gap, &mut |_| true);
            if !goes_on.unwrap_or_else(|error| panic!("seed {seed}, before cut {cut}: {error}")) {
                break;
            }
            merging += ssd.ftl().blocks().merging();
            cuts += 1;
            ssd.power_cut().unwrap();
            ssd.power_up(0).unwrap_or_else(|error| panic!("seed {seed}, cut {cut}: {error}"));
        }
        ssd.run(&mut |_| true).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        adjusted += ssd.ftl().counters().adjusted_wordlines;
        kept += ssd.ftl().counters().refresh_kept_pages;
    }
    assert!(cuts > 1_000 && merging > 100, "{cuts} cuts, {merging} blocks that were being merged");
    assert!(adjusted > 1_000 && kept > 1_000, "{adjusted} wordlines adjusted, {kept} pages read back");
}
