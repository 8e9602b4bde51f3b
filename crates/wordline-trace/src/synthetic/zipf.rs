//! Zipf-distributed ranks in constant memory, with about one try on average.

use super::random::Random;

/// Rejection-inversion after Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", ACM TOMACS 6(3), 1996: it inverts the integral of `x^-theta`, rounds, and rejects the small part
/// outside the histogram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    n: f64,
    theta: f64,
    /// Integral at 1.5, minus the whole bar of rank 1.
    low: f64,
    /// Integral at n + 0.5.
    high: f64,
    /// Distance from a rank within which it is accepted at once.
    sure: f64,
}

impl Zipf {
    /// Ranks `0..n`; rank k has weight `1 / (k + 1)^theta`.
    pub fn new(n: u64, theta: f64) -> Self {
        let n = n as f64;
        let mut zipf = Self { n, theta, low: 0.0, high: 0.0, sure: 0.0 };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(n + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    /// Draws a rank.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let area = self.high + random.fraction() * (self.low - self.high);
            let x = self.inverse(area);
            let rank = libm::floor(x + 0.5).clamp(1.0, self.n);
            if rank - x <= self.sure || area >= self.integral(rank + 0.5) - self.weight(rank) {
                return rank as u64 - 1;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        libm::exp(-self.theta * libm::log(x))
    }

    /// `(x^(1-theta) - 1) / (1-theta)`, or `ln x` at theta 1, without cancellation near it.
    fn integral(&self, x: f64) -> f64 {
        let ln = libm::log(x);
        let t = (1.0 - self.theta) * ln;
        if t.abs() < 1e-8 { ln * (1.0 + t / 2.0) } else { ln * libm::expm1(t) / t }
    }

    fn inverse(&self, area: f64) -> f64 {
        let t = (area * (1.0 - self.theta)).max(-1.0);
        let ratio = if t.abs() < 1e-8 { 1.0 - t / 2.0 } else { libm::log1p(t) / t };
        libm::exp(ratio * area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares counts with the exact weights, within 6 standard deviations.
    #[test]
    fn frequencies_follow_the_law() {
        const N: usize = 1000;
        const DRAWS: u32 = 400_000;
        for theta in [0.0, 0.5, 0.99, 1.0, 1.2, 3.0] {
            let zipf = Zipf::new(N as u64, theta);
            let mut random = Random::new(7);
            let mut counts = [0u32; N];
            for _ in 0..DRAWS {
                counts[zipf.draw(&mut random) as usize] += 1;
            }
            let weights: Vec<f64> = (1..=N).map(|k| libm::pow(k as f64, -theta)).collect();
            let total: f64 = weights.iter().sum();
            for (k, (&count, weight)) in counts.iter().zip(&weights).enumerate() {
                let expected = f64::from(DRAWS) * weight / total;
                let tolerance = 6.0 * (expected + 1.0).sqrt();
                assert!(
                    (f64::from(count) - expected).abs() < tolerance,
                    "theta {theta}, rank {k}: {count} draws, {expected:.1} expected"
                );
            }
        }
    }

    #[test]
    fn one_place_is_always_rank_zero() {
        let zipf = Zipf::new(1, 0.99);
        let mut random = Random::new(1);
        assert!((0..100).all(|_| zipf.draw(&mut random) == 0));
    }
}
