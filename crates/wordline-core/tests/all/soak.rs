//! Random SSDs of all techniques that lose their power at random moments, for as long as one likes: `make soak`.
//!
//! `WORDLINE_SOAK_ROUNDS` SSDs beginning with `WORDLINE_SOAK_SEED`; each is drawn from its seed alone.

use crate::checked_mode::devices::{self, Device};
use crate::checked_mode::workloads::{self, Mix};
use crate::common::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::MappingKind;
use wordline_core::{SimError, Ssd};

/// What a soak has done.
#[derive(Debug, Default)]
struct Done {
    page_operations: u64,
    requests: u64,
    power_cuts: u64,
    /// SSDs that ran out of space, as so small ones may when blocks go bad or the power fails.
    full: u64,
}

/// The SSD and the requests of a seed.
fn drawn(seed: u64) -> (Device, Mix) {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Cases { failure_persistence: None, ..Cases::default() }, rng);
    let tree = (devices::any(), workloads::any()).new_tree(&mut runner).expect("nothing is rejected");
    let (device, mix) = tree.current();
    // Longer than where each case is run several times, so that blocks are worn and refreshed more than once.
    (device, Mix { count: 3 * mix.count + 500, ..mix })
}

/// Runs until the end, with power cuts where they can be simulated.
fn run_round(seed: u64, done: &mut Done) -> Result<(), SimError> {
    let (device, mix) = drawn(seed);
    let config = device.config();
    let requests = mix.requests(config.host_sectors());
    done.requests += requests.len() as u64;
    let mut ssd = Ssd::new(&config, vec![flow(mix.replay, requests)], &CHECKED);
    ssd.precondition(&config, None, &mut |_| true)?;
    let mut cuts = 0;
    let outcome = cut_now_and_then(&mut ssd, seed, config.ftl.mapping == MappingKind::Flat, &mut cuts);
    let counters = ssd.controller().counters;
    done.page_operations += counters.reads + counters.programs;
    done.power_cuts += cuts;
    match outcome {
        Err(SimError::OutOfSpace(_)) if device.may_run_out() || cuts > 0 => done.full += 1,
        outcome => outcome?,
    }
    Ok(())
}

/// At most so many cuts of one SSD: each wastes the rest of the blocks that were being written.
const CUTS_MAX: u64 = 12;

fn cut_now_and_then(ssd: &mut Ssd, seed: u64, may_cut: bool, cuts: &mut u64) -> Result<(), SimError> {
    let draw = |number: u64, n: u64| below(seed, number, Purpose::Precondition, n);
    let longest = [50 * US, 1_000 * US, 20_000 * US][draw(0, 3) as usize];
    while may_cut && *cuts < CUTS_MAX && draw(1, 4) > 0 {
        let gap = 1 + draw(2 + 2 * *cuts, longest);
        if !ssd.run_until(ssd.now() + gap, &mut |_| true)? {
            break;
        }
        ssd.power_cut()?;
        *cuts += 1;
        ssd.power_up(draw(3 + 2 * *cuts, 1_000_000 * US))?;
    }
    let mut reports = 0;
    ssd.run(&mut |_| {
        reports += 1;
        reports < 200
    })
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn random_ssds_keep_all_that_they_took_in() {
    let (first, rounds) = (number("WORDLINE_SOAK_SEED", 0), number("WORDLINE_SOAK_ROUNDS", 60));
    let mut done = Done::default();
    for seed in first..first + rounds {
        if let Err(error) = run_round(seed, &mut done) {
            let (device, mix) = drawn(seed);
            panic!("seed {seed}: {error}\n{device:?} {mix:?}");
        }
    }
    // What `tools/soak.py` reads.
    println!(
        "soak: {{\"rounds\": {rounds}, \"page_operations\": {}, \"requests\": {}, \"power_cuts\": {}, \"full\": {}}}",
        done.page_operations, done.requests, done.power_cuts, done.full
    );
    // One SSD alone may lose its power once, or be full.
    if rounds < 20 {
        return;
    }
    assert!(done.page_operations > 500 * rounds && done.power_cuts > 2 * rounds, "{done:?} is too little");
    assert!(4 * done.full < rounds, "{done:?}: most SSDs have room");
}
