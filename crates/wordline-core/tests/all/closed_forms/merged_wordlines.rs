//! IDA on an idle SSD: latencies of merged wordlines to the nanosecond, and the page counts of its refresh.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::flash::WrittenPage;
use wordline_core::nand::Lpn;

/// The timing of IDA's SSD (Table II) on one plane, without the host link.
fn ida_ssd(preset: &'static str, settings: &[&str]) -> Config {
    let mut layers = vec![Layer::file("preset", preset)];
    let small = [
        "ssd.channels=1",
        "ssd.chips_per_channel=1",
        "ssd.dies_per_chip=1",
        "ssd.planes_per_die=1",
        "ssd.blocks_per_plane=48",
        "ssd.overprovisioning=0.5",
        "host.link_rate_mb_s=0.0",
        "refresh.period_days=0.0",
        "precondition.fill=0.375",
        "coding.policy=ida",
        "coding.ida_error_rate=0.0",
    ];
    layers.extend(small.iter().chain(settings).map(|s| Layer::assignment(s).expect("an assignment")));
    resolve(&layers).unwrap_or_else(|error| panic!("{error}")).config
}

const TLC: &str = include_str!("../../../../../presets/ssd/ida.toml");
const MLC: &str = include_str!("../../../../../presets/ssd/ida-mlc.toml");
/// Wordlines that hold data before the updates: those of nine whole blocks.
const BLOCKS: u32 = 9;
const PAGES: u32 = 192;

/// Fills, then rewrites the pages whose bit in the case of their wordline is set: wordline `w` is in case `w % 2^bits`
/// (Table I counts the invalid LSB by 1, the invalid CSB by 2, the invalid MSB by 4). Then runs reads of some pages.
fn run_cases(config: &Config, reads_of: Vec<u64>) -> Ssd {
    let bits = config.coding.cell.bits();
    let mut ssd = Ssd::new(config, vec![closed(1, pages(reads_of))], &CHECKED);
    ssd.precondition(config, None, &mut |_| true).unwrap();
    let rewritten = (0..BLOCKS * PAGES).filter(|lpn| is_invalid(*lpn, bits));
    ssd.update(&mut rewritten.map(|lpn| WrittenPage::from(Lpn::new(lpn))), &mut |_| true).unwrap();
    ssd.run(&mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    ssd
}

fn pages(lpns: Vec<u64>) -> Vec<wordline_core::host::HostRequest> {
    lpns.into_iter().map(|lpn| request(wordline_core::host::Op::Read, 2 * lpn, 2)).collect()
}

/// On one plane that was filled in order, page `p` of the host is page `p` of the flash.
fn is_invalid(lpn: u32, bits: u32) -> bool {
    let wordline = lpn % PAGES / bits;
    (wordline % (1 << bits)) >> (lpn % bits) & 1 == 1
}

fn case_of(lpn: u32, bits: u32) -> u32 {
    lpn % PAGES / bits % (1 << bits) + 1
}

/// Valid pages of wordlines whose MSB is valid, but for the LSB: those that stay.
fn stays(lpn: u32, bits: u32) -> bool {
    let msb_is_valid = case_of(lpn, bits) <= 1 << (bits - 1);
    msb_is_valid && !lpn.is_multiple_of(bits) && !is_invalid(lpn, bits)
}

#[test]
fn pages_of_merged_wordlines_take_their_fewer_senses() {
    for (preset, bits) in [(TLC, 3), (MLC, 2)] {
        let config = ida_ssd(preset, &["refresh.at_start=before"]);
        let kept: Vec<u32> = (0..BLOCKS * PAGES).filter(|&lpn| stays(lpn, bits)).collect();
        let ssd = run_cases(&config, kept.iter().map(|&lpn| lpn.into()).collect());
        let expected: Vec<Ns> = kept
            .iter()
            .map(|&lpn| match (bits, lpn % bits, case_of(lpn, bits)) {
                (3, 2, 1 | 2) => 168 * US,
                (3, _, _) => 118 * US,
                _ => 133 * US,
            })
            .collect();
        assert_eq!(latencies(&ssd), expected, "{bits} bits a cell");
        assert!(expected.len() > 100);
    }
}

/// IDA, Section V-A: "the same time as an LSB read".
#[test]
fn pages_of_merged_wordlines_may_take_the_time_of_an_lsb() {
    let config = ida_ssd(TLC, &["refresh.at_start=before", "coding.ida_read_time=lsb"]);
    let kept: Vec<u64> = (0..BLOCKS * PAGES).filter(|&lpn| stays(lpn, 3)).map(u64::from).collect();
    let ssd = run_cases(&config, kept.clone());
    assert_eq!(latencies(&ssd), vec![118 * US; kept.len()]);
}

/// IDA, Section V-F, counts further senses late in life, and gives both codings the same errors.
#[test]
fn pages_of_merged_wordlines_fail_as_their_states_do_or_as_plain_ones() {
    let kept: Vec<u64> = (0..BLOCKS * PAGES).filter(|&lpn| stays(lpn, 3)).map(u64::from).collect();
    let failures = |settings: &[&str]| {
        let late = ["cells.chip=tlc-micron", "read.retry=baseline", "reliability.pec=2150"];
        let aged = ["reliability.retention_months=0.5", "reliability.retention_spread=1.0"];
        let config = ida_ssd(TLC, &[&late[..], &aged, settings].concat());
        let ssd = run_cases(&config, kept.clone());
        let counters = ssd.controller().counters;
        (counters.first_failures, counters.senses)
    };
    let plain = failures(&["coding.policy=conventional"]);
    let states = failures(&["refresh.at_start=before"]);
    let as_plain = failures(&["refresh.at_start=before", "coding.ida_errors=plain"]);
    assert!(states.0 > plain.0 && plain.0 > 20, "{states:?} and {plain:?} of {}", kept.len());
    assert_eq!(as_plain.0, plain.0, "the same pages, in the same blocks, with the same errors");
    assert!(as_plain.1 < states.1, "{as_plain:?} and {states:?}");
}

#[test]
fn pages_of_plain_wordlines_take_the_times_of_table_ii() {
    for (preset, times) in [(TLC, &[118, 168, 218][..]), (MLC, &[133, 183])] {
        let config = ida_ssd(preset, &[]);
        let bits = times.len();
        let valid = (0..BLOCKS * PAGES).filter(|&lpn| !is_invalid(lpn, bits as u32)).map(u64::from);
        let ssd = run_cases(&config, valid.clone().collect());
        let expected: Vec<Ns> = valid.map(|lpn| times[lpn as usize % bits] * US).collect();
        assert_eq!(latencies(&ssd), expected);
    }
}

/// The host reads on while blocks are refreshed. When the last page of a block is in the controller, reads of the host may still
/// be on their way to it; its wordlines are adjusted once those are done, which checked mode verifies.
#[test]
fn wordlines_are_adjusted_when_no_read_is_on_its_way_to_them() {
    let config = ida_ssd(TLC, &["refresh.at_start=during"]);
    // Only the LSBs are invalid, so that no page has to move before the adjustments.
    let live: Vec<u64> = (0..u64::from(BLOCKS * PAGES)).filter(|lpn| lpn % 3 > 0).collect();
    let reads = (0..4 * live.len()).map(|i| live[i * 607 % live.len()]).collect();
    let mut ssd = Ssd::new(&config, vec![closed(8, pages(reads))], &CHECKED);
    ssd.precondition(&config, None, &mut |_| true).unwrap();
    ssd.update(&mut (0..BLOCKS * PAGES).step_by(3).map(|lpn| WrittenPage::from(Lpn::new(lpn))), &mut |_| {
        true
    })
    .unwrap();
    ssd.run(&mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ssd.ftl().counters().adjusted_wordlines, u64::from(BLOCKS * PAGES / 3));
}

/// `N_valid + N_target` reads, `N_valid - N_target + N_error` programs (the paper counts an adjustment for each
/// of the `N_target` pages as a write; it is done once a wordline), IDA, Section III-C.
#[test]
fn refresh_reads_and_writes_what_the_paper_counts() {
    for (at_start, error_rate) in [("before", 0.2_f64), ("during", 0.0), ("during", 0.2), ("during", 0.8)] {
        let config = ida_ssd(
            TLC,
            &[&format!("refresh.at_start={at_start}"), &format!("coding.ida_error_rate={error_rate}")],
        );
        let ssd = run_cases(&config, vec![]);
        let all = 0..BLOCKS * PAGES;
        let valid = all.clone().filter(|&lpn| !is_invalid(lpn, 3)).count() as u64;
        let kept = all.clone().filter(|&lpn| stays(lpn, 3)).count() as u64;
        let adjusted = all.filter(|&lpn| lpn % 3 == 2 && stays(lpn, 3)).count() as u64;
        let (ftl, flash) = (*ssd.ftl().counters(), ssd.controller().counters);
        // What was rewritten since is young and stays where it is.
        assert_eq!(ftl.refresh_jobs, u64::from(BLOCKS));
        assert_eq!(ftl.refresh_valid_pages, valid, "N_valid");
        assert_eq!(ftl.refresh_kept_pages, kept, "N_target");
        assert_eq!(ftl.adjusted_wordlines, adjusted);
        let share = ftl.refresh_written_back as f64 / ftl.refresh_kept_pages as f64;
        // Four standard deviations of a binomial share.
        let slack = 4.0 * (error_rate * (1.0 - error_rate) / ftl.refresh_kept_pages as f64).sqrt();
        assert!((share - error_rate).abs() <= slack, "{share} of the pages broke, not {error_rate}");
        if at_start == "during" {
            assert_eq!(flash.reads, ftl.refresh_valid_pages + ftl.refresh_kept_pages);
            assert_eq!(
                flash.programs,
                ftl.refresh_valid_pages - ftl.refresh_kept_pages + ftl.refresh_written_back
            );
            assert_eq!(flash.adjusts, ftl.adjusted_wordlines);
        }
    }
}

/// The adjustment holds the die as long as an MSB program, or for the share of it that ISPP's range takes (IDA, Section
/// III-B: half of it where only the LSB is given up).
#[test]
fn an_adjustment_takes_an_msb_program_or_its_ispp_range() {
    for (key, half_of_it) in [("msb-program", false), ("ispp-range", true)] {
        let setting = format!("coding.ida_adjust_time={key}");
        let config = ida_ssd(TLC, &["refresh.at_start=during", &setting]);
        let ssd = run_cases(&config, vec![]);
        let (ftl, flash) = (*ssd.ftl().counters(), ssd.controller().counters);
        let [_, program, _] = ssd.controller().luns()[0].busy();
        let programs = flash.programs * 2300 * US;
        let adjusting = program - programs;
        let all = ftl.adjusted_wordlines * 2300 * US;
        if half_of_it {
            // Wordlines without a valid CSB sweep over two of eight states, the others over four.
            let whole = u64::from(BLOCKS) * 64 / 8;
            let narrow = 2 * whole;
            let wide = ftl.adjusted_wordlines - narrow;
            assert_eq!(adjusting, (wide * 2300 / 2 + narrow * 2300 / 4) * US);
        } else {
            assert_eq!(adjusting, all);
        }
    }
}
