//! Random SSDs of all techniques that lose their power at random moments, for as long as one likes: `make soak`.
//!
//! `WORDLINE_SOAK_ROUNDS` SSDs beginning with `WORDLINE_SOAK_SEED`; each is drawn from its seed alone, and lives
//! `WORDLINE_SOAK_LENGTH` times as long as in `make test`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::checked_mode::devices::Device;
use crate::checked_mode::drawn;
use crate::checked_mode::workloads::{self, Mix};
use crate::common::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::MappingKind;
use wordline_core::{Progress, SimError, Ssd};

/// Names of what is counted, as `tools/soak.py` reads them, and the counts.
type Counts = [(&'static str, u64); 17];

/// What an SSD has that not all have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum With {
    Neither,
    Cache,
    Journal,
}

/// The SSD and the requests of a seed; one with an SLC cache, with a journal, or one of all others.
fn drawn((seed, with): (u64, With), length: u64) -> (Device, Mix) {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Cases { failure_persistence: None, ..Cases::default() }, rng);
    let device = match with {
        With::Neither => drawn::any_of_all().boxed(),
        With::Cache => drawn::any_of_slc().boxed(),
        With::Journal => drawn::any_of_journal().boxed(),
    };
    let tree = (device, workloads::any()).new_tree(&mut runner).expect("nothing is rejected");
    let (device, mix) = tree.current();
    // Longer than where each case is run several times, so that blocks are worn and refreshed more than once.
    let count = length * (3 * mix.count + 500);
    (device, Mix { count, ..mix })
}

/// Runs an SSD until its requests are served, with power cuts where they can be simulated.
fn run_round((seed, with): (u64, With), length: u64) -> Result<Counts, SimError> {
    let (device, mix) = drawn((seed, with), length);
    let config = device.config();
    let requests = mix.requests(config.host_sectors());
    let mut ssd = Ssd::new(&config, vec![flow(mix.replay, requests)], &CHECKED);
    ssd.precondition(&config, None, &mut |_| true)?;
    let (mut cuts, mut watch) = (0, Watch::default());
    let bursts = if config.ftl.mapping == MappingKind::Flat { length } else { 0 };
    let outcome = run_with_bursts(&mut ssd, seed, bursts, &mut watch, &mut cuts);
    let (mut full, mut stopped) = (0, 0);
    match outcome {
        Err(SimError::OutOfSpace(why)) if device.may_run_out_in_the_end() || watch.has_cut_many => {
            full = 1;
            let ftl = ssd.ftl().counters();
            println!("  {why} ({} pages moved, {} of the mapping table written)", ftl.moved, ftl.map_writes);
        }
        Err(SimError::Stopped) if device.may_run_out_in_the_end() || !watch.is_stuck() => stopped = 1,
        outcome => outcome?,
    }
    let (flash, ftl) = (ssd.controller().counters, ssd.ftl().counters());
    Ok([
        ("page operations in checked mode", flash.reads + flash.programs),
        ("power cuts", cuts),
        ("random SSDs", 1),
        ("SSDs that ran full", full),
        ("SSDs that were stopped, since they moved pages for very long", stopped),
        ("requests", ssd.progress().completed),
        ("blocks erased", ftl.erases),
        ("pages moved by GC, levelling and refresh", ftl.moved),
        ("pages written to the SLC cache", ftl.slc_writes),
        ("pages folded", ftl.fold_moved),
        ("blocks levelled", ftl.wear_jobs),
        ("blocks refreshed", ftl.refresh_jobs),
        ("wordlines adjusted (IDA)", ftl.adjusted_wordlines),
        ("fast pages rewritten (OFWAR)", ftl.rewrites),
        ("pages trimmed", ftl.trimmed),
        ("retry senses", flash.retry_senses),
        ("units of the journal and of checkpoints", ftl.map_writes),
    ])
}

/// How far a run has come, so that one that does not end is stopped.
#[derive(Default)]
struct Watch {
    reports: u32,
    completed: u64,
    /// Reports since a request was completed.
    reports_alone: u32,
    /// Of a tenth of all pages the programs were cut off at once: their places are lost, and what is done again needs others.
    has_cut_many: bool,
}

impl Watch {
    fn goes_on(&mut self, progress: &Progress) -> bool {
        self.reports += 1;
        self.reports_alone += 1;
        if progress.completed > self.completed {
            (self.completed, self.reports_alone) = (progress.completed, 0);
        }
        // Some 65,000 events lie between two reports.
        self.reports < 200
    }

    fn is_stuck(&self) -> bool {
        self.reports_alone > 100
    }
}

/// Cuts in short order: each wastes the rest of the blocks that were being written. Between two bursts GC wins them back.
const CUTS_OF_A_BURST: u64 = 12;

/// Runs until the end, with so many bursts of power cuts.
fn run_with_bursts(
    ssd: &mut Ssd,
    seed: u64,
    bursts: u64,
    watch: &mut Watch,
    cuts: &mut u64,
) -> Result<(), SimError> {
    let draw = |number: u64, n: u64| below(seed, number, Purpose::Precondition, n);
    let is_cut = draw(1, 4) > 0;
    for burst in (0..bursts).take_while(|_| is_cut) {
        let longest = [50 * US, 1_000 * US, 20_000 * US][draw(1_000 * burst, 3) as usize];
        if burst > 0 {
            let quiet = [1_000 * US, 100_000 * US, 1_000_000 * US][draw(1_000 * burst + 2, 3) as usize];
            ssd.run_until(ssd.now() + draw(1_000 * burst + 4, quiet), &mut |at| watch.goes_on(at))?;
        }
        for _ in 0..CUTS_OF_A_BURST {
            let gap = 1 + draw(2 + 2 * *cuts, longest);
            if !ssd.run_until(ssd.now() + gap, &mut |at| watch.goes_on(at))? {
                return ssd.run(&mut |at| watch.goes_on(at));
            }
            let cut = ssd.power_cut()?;
            watch.has_cut_many |= 10 * cut.programs_cut_off as u64 > ssd.ftl().geometry().pages();
            *cuts += 1;
            ssd.power_up(draw(3 + 2 * *cuts, 1_000_000 * US))?;
        }
    }
    ssd.run(&mut |at| watch.goes_on(at))
}

#[test]
fn random_ssds_keep_all_that_they_took_in() {
    // SSDs of all kinds are among those of these seeds.
    let (first, rounds) = (number("WORDLINE_SOAK_SEED", 100), number("WORDLINE_SOAK_ROUNDS", 60));
    let length = number("WORDLINE_SOAK_LENGTH", 1);
    let mut all: Option<Counts> = None;
    // A quarter of the seeds has an SSD with an SLC cache and one with a journal, too.
    let also = |with| (first..first + rounds.div_ceil(4)).map(move |seed| (seed, with));
    let all_rounds = (first..first + rounds).map(|seed| (seed, With::Neither));
    for round in all_rounds.chain(also(With::Cache)).chain(also(With::Journal)) {
        let (seed, with) = round;
        // A hunt that is ended from outside says where it was.
        println!("seed {seed}");
        let fault = match catch_unwind(AssertUnwindSafe(|| run_round(round, length))) {
            Ok(Ok(counts)) => {
                match &mut all {
                    Some(all) => all.iter_mut().zip(counts).for_each(|((_, sum), (_, count))| *sum += count),
                    None => all = Some(counts),
                }
                continue;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "a panic; its message is above".to_owned(),
        };
        let (device, mix) = drawn(round, length);
        print_counts(all);
        panic!("seed {seed}, {with:?}: {fault}\n{device:?} {mix:?}");
    }
    print_counts(all);
    // One SSD alone may lose its power once, or be full.
    let Some(counts) = all.filter(|_| rounds >= 20) else { return };
    let count = |name: &str| counts.iter().find(|(other, _)| *other == name).map_or(0, |&(_, count)| count);
    let is_enough =
        count("page operations in checked mode") > 500 * rounds && count("power cuts") > 2 * rounds;
    assert!(is_enough, "{counts:?} is too little");
    let ended_early =
        count("SSDs that ran full") + count("SSDs that were stopped, since they moved pages for very long");
    // A long life with blocks that go bad ends so.
    assert!(2 * ended_early < rounds, "{counts:?}: most SSDs serve all requests");
    // Few of the SSDs adjust wordlines (IDA); `power_ida.rs` has its own. Other seeds may draw none of a kind.
    let may_miss = |name: &str| length > 1 || name.starts_with("SSDs") || name.starts_with("wordlines");
    let missing = counts.iter().find(|&&(name, count)| count == 0 && !may_miss(name));
    assert_eq!(missing, None, "all of this takes place");
}

/// What `tools/soak.py` reads.
fn print_counts(counts: Option<Counts>) {
    let words: Vec<String> =
        counts.iter().flatten().map(|(name, count)| format!("\"{name}\": {count}")).collect();
    println!("soak: {{{}}}", words.join(", "));
}
