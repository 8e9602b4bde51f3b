//! M/D/1: Poisson arrivals at one die whose service takes a constant time.

use crate::common::*;
use wordline_core::engine::Ns;
use wordline_trace::synthetic::Generator;

const SERVICE: Ns = T_R + T_DMA;

/// Waiting times at a load, ns, in order of arrival.
fn waits(load: f64, requests: u64, seed: u64) -> Vec<f64> {
    let config = one_die(&[
        "precondition.fill=1.0",
        &format!("seed={seed}"),
        "workload.arrival=exponential",
        &format!("workload.inter_arrival_us={}", SERVICE as f64 / 1000.0 / load),
        &format!("workload.requests={requests}"),
    ]);
    let generator = Generator::new(&config.workload, config.host_sectors(), config.seed).unwrap();
    let ssd = run(&config, vec![open(generator.collect::<Vec<_>>())]);
    assert_eq!(log(&ssd).len() as u64, requests);
    latencies(&ssd).into_iter().map(|ns| (ns - SERVICE) as f64).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean and its standard error from 50 batches, each much longer than a busy period, so that their
/// means are nearly independent.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let batches: Vec<f64> = values.chunks_exact(values.len() / 50).map(mean).collect();
    let centre = mean(&batches);
    let variance = batches.iter().map(|b| (b - centre) * (b - centre)).sum::<f64>() / 49.0;
    (centre, (variance / 50.0).sqrt())
}

/// Pollaczek and Khinchine: the mean wait is `rho * S / (2 * (1 - rho))` for constant service.
#[test]
fn the_mean_wait_is_that_of_m_d_1() {
    for load in [0.2, 0.5, 0.7, 0.9] {
        let expected = load * SERVICE as f64 / (2.0 * (1.0 - load));
        let (wait, error) = mean_and_error(&waits(load, 400_000, 11));
        let off = (wait - expected).abs();
        // Four standard errors: one false alarm in 16,000, and the seed is fixed. The error itself
        // must be small, or the test could not fail.
        assert!(error < 0.02 * expected, "load {load}: standard error {error:.1} of {expected:.1}");
        assert!(off < 4.0 * error, "load {load}: waits {wait:.1} ns, not {expected:.1} (error {error:.1})");
    }
}

/// The chance to wait at all is the load (Poisson arrivals see time averages).
#[test]
fn the_chance_to_wait_is_the_load() {
    for load in [0.3, 0.6] {
        let waits = waits(load, 200_000, 5);
        let share = waits.iter().filter(|&&wait| wait > 0.0).count() as f64 / waits.len() as f64;
        assert_near(&format!("share that waits at load {load}"), share, load, 0.02);
    }
}
