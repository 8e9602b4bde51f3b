//! Claims `aero.fig9.*`: shallow erasure.

use wordline_core::nand::erase::figures::{ShallowResult, shallow};

use super::chips::{Bench, REQUIREMENT_BITS, SEED};

/// Both ages of the paper's figure, for one tSE in short pulses.
fn both(pulses: u8) -> [ShallowResult; 2] {
    let bench = Bench::tlc_48l();
    let ept = bench.ept(REQUIREMENT_BITS);
    [100.0, 500.0].map(|pec| shallow(&bench.cells, &ept, pec, 1000, SEED, pulses))
}

fn mean(of: impl Fn(&ShallowResult) -> f64, results: &[ShallowResult; 2]) -> f64 {
    results.iter().map(of).sum::<f64>() / 2.0
}

#[test]
fn shallow_erasure_shortens_most_single_loop_erases() {
    let all = [1, 2, 3, 4].map(both);
    let reduced = all.each_ref().map(|results| mean(|r| r.reduced_share, results));
    assert!((reduced[1] - 0.85).abs() <= 0.04, "aero.fig9.reduced: {reduced:?}");
    assert!(reduced.is_sorted(), "not decreasing in tSE: {reduced:?}");
    let cut = 1.0 - mean(|r| r.mean_ms, &all[1]) / 3.5;
    assert!((cut - 0.21).abs() <= 0.05, "aero.fig9.latency: {cut}");
    for age in 0..2 {
        let times = all.each_ref().map(|results| results[age].mean_ms);
        let (low, high) = times.iter().fold((f64::MAX, 0.0_f64), |(l, h), &t| (l.min(t), h.max(t)));
        assert!((high - low) / low <= 0.1, "aero.fig9.spread: {times:?}");
    }
    let within_2_ms: f64 = all[1][1].latency_shares[..4].iter().sum();
    assert!((within_2_ms - 0.02).abs() <= 0.01, "aero.fig9.over: {within_2_ms}");
    for result in all.iter().flatten() {
        assert!((result.range_shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((result.latency_shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
