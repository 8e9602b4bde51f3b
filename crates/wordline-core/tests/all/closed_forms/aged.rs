//! A drive that is overwritten until it is steady has the write amplification of its workload's equilibrium, that of a small log
//! which runs much longer, or says how far it is from that. Seldom written data are the hard part: for tens of drive writes
//! they lie where the fill has put them, and the rest of the drive has all of the spare.

use super::mean_field::Skew;
use super::small_log::{Pick, SmallLog};
use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::Config;
use wordline_core::flash::WrittenPage;
use wordline_core::nand::Lpn;
use wordline_core::{Overwrites, RunOptions, Ssd, Steady};

const BLOCKS: usize = 512;
const PAGES: usize = 32;
/// Drive writes of the small log before its measurement, and in it.
const ROUNDS: u64 = 80;

fn device(most: f64) -> Config {
    let settings = [
        format!("ssd.blocks_per_plane={BLOCKS}"),
        format!("ssd.pages_per_block={PAGES}"),
        "ssd.overprovisioning=0.15".to_owned(),
        "gc.policy=greedy".to_owned(),
        "gc.victims=any".to_owned(),
        "gc.threshold=0.0".to_owned(),
        "gc.hard_threshold=0.0".to_owned(),
        "precondition.fill=1.0".to_owned(),
        "precondition.overwrite=steady".to_owned(),
        format!("precondition.overwrite_max={most:?}"),
        "precondition.shape=workload".to_owned(),
    ];
    one_die(&settings.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Writes of single pages, without end.
struct Endless<F> {
    page_of: F,
    host_pages: usize,
    count: u64,
}

impl<F: Fn(usize, u64) -> usize> Iterator for Endless<F> {
    type Item = WrittenPage;

    fn next(&mut self) -> Option<WrittenPage> {
        let page = (self.page_of)(self.host_pages, self.count);
        self.count += 1;
        Some(Lpn::from_index(page).into())
    }
}

impl<F: Fn(usize, u64) -> usize> Overwrites for Endless<F> {
    fn host_bytes(&self) -> u64 {
        self.count * 4096
    }

    fn pages(&self) -> u64 {
        self.count
    }

    fn is_over(&self) -> bool {
        false
    }
}

fn aged(most: f64, page_of: impl Fn(usize, u64) -> usize) -> Steady {
    let config = device(most);
    let mut ssd = Ssd::new(&config, Vec::new(), &RunOptions::default());
    let mut writes = Endless { page_of, host_pages: config.host_pages() as usize, count: 0 };
    ssd.precondition(&config, Some(&mut writes), &mut |_| true).unwrap();
    ssd.steady().expect("asked for")
}

fn in_small_log(page_of: impl Fn(usize, u64) -> usize) -> f64 {
    let pages = device(1.0).host_pages();
    SmallLog::new(BLOCKS, PAGES, pages as usize, Pick::OldestFew(BLOCKS))
        .amplification_of(page_of, ROUNDS * pages)
}

/// The hot pages come first, in order, as in a fill.
fn apart(skew: Skew) -> impl Fn(usize, u64) -> usize + Copy {
    move |pages, write| {
        let hot = (pages as f64 * skew.pages) as u64;
        let draw = |place, count| below(6, place, Purpose::Precondition, count);
        let is_hot = draw(2 * write, 1_000_000) < (skew.writes * 1e6) as u64;
        let (first, count) = if is_hot { (0, hot) } else { (hot, pages as u64 - hot) };
        (first + draw(2 * write + 1, count)) as usize
    }
}

#[test]
fn a_steady_drive_has_the_write_amplification_of_a_small_log_at_equilibrium() {
    for (pages, writes) in [(0.01, 0.99), (0.1, 0.99)] {
        let skew = Skew { pages, writes };
        let steady = aged(80.0, apart(skew));
        assert!(steady.is_flat, "{skew:?}: {steady:?}");
        let found = steady.write_amplification.unwrap();
        assert_near(&format!("{skew:?}, hot pages apart"), found, in_small_log(apart(skew)), 0.03);
    }
}

#[test]
fn a_drive_that_takes_longer_says_how_far_it_is() {
    let steady = aged(20.0, apart(Skew { pages: 0.5, writes: 0.999 }));
    assert!(!steady.is_flat && (0.15..0.5).contains(&steady.old_share), "{steady:?}");
    let left = steady.drive_writes_left.unwrap();
    assert!((60.0..400.0).contains(&left), "{steady:?}");
}

#[test]
fn data_that_nobody_writes_are_not_waited_for() {
    // Half of the drive is written at random: 0.15 / 0.65 of what it shares is spare.
    let half = |pages: usize, write: u64| below(8, write, Purpose::Precondition, pages as u64 / 2) as usize;
    let steady = aged(20.0, half);
    assert!(steady.is_flat && steady.drive_writes < 15.0, "{steady:?}");
    assert_near("half of the drive", steady.write_amplification.unwrap(), in_small_log(half), 0.03);
}
