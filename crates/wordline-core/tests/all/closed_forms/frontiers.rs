//! Write amplification of every policy as it was published: victims among all blocks, moved pages behind the host's or apart,
//! uniform writes and hot and cold ones, against the mean field. With two frontiers, what a block of moved pages holds depends on
//! the victims behind each other, which the mean field does not know: hot and cold writes are then compared with a small log.

use super::mean_field::{Collector, Skew, UNIFORM, amplification, fifo};
use super::small_log::{Pick, SmallLog, page_of};
use crate::common::*;
use wordline_core::RunOptions;
use wordline_core::config::Config;
use wordline_core::controller::Controller;
use wordline_core::ftl::Ftl;
use wordline_core::nand::{Lpn, Nand};

const BLOCKS: usize = 2_048;
const PAGES: usize = 16;
/// Blocks of the window of windowed greedy.
const WINDOW: usize = 1_024;
const SKEWED: Skew = Skew { pages: 0.2, writes: 0.8 };
const SPARE: [f64; 3] = [0.1, 0.28, 0.17];
const FRONTIERS: [&str; 2] = ["separate", "shared"];
/// Host writes before and in the measurement, as a multiple of the host's pages.
const ROUNDS: u64 = 5;

/// The first; all with `WORDLINE_CASES`, as in `make verify`.
fn spares() -> impl Iterator<Item = f64> {
    let count = if number("WORDLINE_CASES", 0) > 0 { SPARE.len() } else { 1 };
    SPARE.into_iter().take(count)
}

fn device(policy: &str, frontier: &str, spare: f64) -> Config {
    let settings = [
        format!("ssd.blocks_per_plane={BLOCKS}"),
        format!("ssd.pages_per_block={PAGES}"),
        format!("ssd.overprovisioning={spare}"),
        format!("gc.policy={policy}"),
        format!("gc.frontier={frontier}"),
        format!("gc.window={WINDOW}"),
        "gc.d=2".to_owned(),
        "gc.victims=any".to_owned(),
        // As few free blocks as can be: they are no part of the models.
        "gc.threshold=0.0".to_owned(),
        "gc.hard_threshold=0.0".to_owned(),
    ];
    one_die(&settings.iter().map(String::as_str).collect::<Vec<_>>())
}

fn measured(config: &Config, skew: Skew) -> f64 {
    let mut nand = Nand::new(config);
    let mut ftl = Ftl::new(config, Controller::dies_per_lun(config), &RunOptions::default());
    let pages = ftl.host_pages();
    ftl.fill(Lpn::first(pages), &mut nand).unwrap();
    let count = ROUNDS * pages;
    let writes = |from: u64| {
        (from..from + count).map(move |write| Lpn::from_index(page_of(skew, pages as usize, write)))
    };
    ftl.overwrite(writes(0), &mut nand).unwrap();
    ftl.take_preconditioned();
    ftl.overwrite(writes(count), &mut nand).unwrap();
    1.0 + ftl.take_preconditioned().moved_pages as f64 / count as f64
}

/// Live pages over pages in full blocks. Each frontier has a block that is half full on average; three blocks are free beside
/// them, or two where they share one.
fn utilisation(config: &Config, frontier: &str) -> f64 {
    let (open, free) = if frontier == "shared" { (1.0, 2.0) } else { (2.0, 3.0) };
    let live = config.host_pages() as f64 - open * PAGES as f64 / 2.0;
    live / ((BLOCKS as f64 - free - open) * PAGES as f64)
}

/// What a policy and its model say, everywhere.
fn agrees(policy: &str, expected: impl Fn(&Config, &str, Skew) -> f64) {
    let mut cases = Vec::new();
    for frontier in FRONTIERS {
        for (writes, skew) in [("uniform", UNIFORM), ("hot and cold", SKEWED)] {
            cases.extend(spares().map(|spare| (frontier, writes, skew, spare)));
        }
    }
    for (frontier, writes, skew, spare) in cases {
        let config = device(policy, frontier, spare);
        let expected = expected(&config, frontier, skew);
        let what = format!("{policy}, {frontier} frontier, {writes} writes, {spare} spare");
        assert_near(&what, measured(&config, skew), expected, 0.02);
    }
}

fn collected(choices: f64, window: f64, pick: Pick) -> impl Fn(&Config, &str, Skew) -> f64 {
    move |config, frontier, skew| {
        if frontier == "separate" && skew.pages != UNIFORM.pages {
            return in_small_log(config, skew, pick);
        }
        amplification(utilisation(config, frontier), PAGES, skew, Collector { choices, window })
    }
}

fn in_small_log(config: &Config, skew: Skew, pick: Pick) -> f64 {
    let pages = config.host_pages();
    SmallLog::new(BLOCKS, PAGES, pages as usize, pick).amplification(skew, ROUNDS * pages)
}

#[test]
fn fifo_over_all_blocks_has_its_closed_form() {
    agrees("fifo", |config, frontier, skew| fifo(utilisation(config, frontier), skew));
}

#[test]
fn random_victims_over_all_blocks_do_not_care_what_is_written() {
    agrees("random", |config, frontier, _| 1.0 / (1.0 - utilisation(config, frontier)));
}

#[test]
fn two_choices_over_all_blocks_have_their_mean_field() {
    agrees("d-choices", collected(2.0, 1.0, Pick::Drawn(2)));
}

#[test]
fn greedy_has_its_mean_field_with_hot_and_cold_writes_too() {
    agrees("greedy", collected(400.0, 1.0, Pick::OldestFew(BLOCKS)));
}

#[test]
fn windowed_greedy_has_its_mean_field() {
    agrees("windowed-greedy", collected(100.0, WINDOW as f64 / BLOCKS as f64, Pick::OldestFew(WINDOW)));
}

#[test]
fn cost_benefit_is_that_of_a_small_log() {
    for (writes, skew) in [("uniform", UNIFORM), ("hot and cold", SKEWED)] {
        for spare in spares() {
            let config = device("cost-benefit", "separate", spare);
            let expected = in_small_log(&config, skew, Pick::CostBenefit);
            assert_near(&format!("{writes}, {spare}"), measured(&config, skew), expected, 0.02);
        }
    }
}

/// A victim without a page to reclaim wins nothing, and costs a whole block of moves: leaving it out changes FIFO and random
/// victims where some data is cold, and nothing where all pages are alike.
#[test]
fn leaving_out_blocks_without_an_invalid_page_matters_for_cold_data() {
    let of = |victims: &str, skew: Skew| {
        let mut config = device("random", "separate", 0.1);
        config.gc.victims = match victims {
            "any" => wordline_core::config::Victims::Any,
            _ => wordline_core::config::Victims::WithInvalid,
        };
        measured(&config, skew)
    };
    let cold = Skew { pages: 0.1, writes: 0.99 };
    assert!(of("with-invalid", cold) < 0.9 * of("any", cold));
}
