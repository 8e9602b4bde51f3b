//! The number of wrong bits of a chunk at a raw bit error rate.

use super::matrix::CODE_BITS;

/// The largest number of errors in the tables; no rate in use reaches it.
pub const ERRORS_MAX: usize = 1200;
/// The largest raw bit error rate in use, which keeps the distribution within [`ERRORS_MAX`].
pub const RBER_MAX: f64 = 0.026;

/// Returns the probability of 0, 1, … [`ERRORS_MAX`] errors in a chunk. The recursion of the binomial distribution
/// needs no math function of the platform. `rber` is clamped to 0 to [`RBER_MAX`].
#[must_use]
pub fn errors_at(rber: f64) -> Vec<f64> {
    let rber = rber.clamp(0.0, RBER_MAX);
    let n = CODE_BITS as f64;
    let odds = rber / (1.0 - rber);
    let mode = ((n + 1.0) * rber) as usize;
    let mut weights = vec![0.0; ERRORS_MAX + 1];
    weights[mode] = 1.0;
    for k in mode + 1..=ERRORS_MAX {
        weights[k] = weights[k - 1] * odds * (n - k as f64 + 1.0) / k as f64;
    }
    for k in (0..mode).rev() {
        weights[k] = weights[k + 1] * (k as f64 + 1.0) / (odds * (n - k as f64));
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_mean_and_variance_of_a_binomial_distribution() {
        for rber in [1e-6, 1e-4, 0.004, 0.0088, 0.0195] {
            let weights = errors_at(rber);
            let mean: f64 = weights.iter().enumerate().map(|(k, p)| k as f64 * p).sum();
            let square: f64 = weights.iter().enumerate().map(|(k, p)| (k * k) as f64 * p).sum();
            let n = CODE_BITS as f64;
            assert!((mean / (n * rber) - 1.0).abs() < 1e-9, "mean {mean} at {rber}");
            let variance = square - mean * mean;
            assert!(
                (variance / (n * rber * (1.0 - rber)) - 1.0).abs() < 1e-6,
                "variance {variance} at {rber}"
            );
        }
        assert_eq!(errors_at(0.0)[0], 1.0);
    }
}
