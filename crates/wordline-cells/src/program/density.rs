//! Densities on a grid of voltages, and the convolutions of Eq. 1-8.

use super::normal;

/// Mass below this is rounding error.
const DUST: f64 = 1e-14;

/// Probability mass at equally spaced voltages: `(start + i) * step` has `mass[i]`.
///
/// A continuous density is divided between the two grid points next to each voltage, in proportion to the distance.
/// This keeps its mean exactly.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Density {
    pub(crate) step: f64,
    pub(crate) start: i64,
    pub(crate) mass: Vec<f64>,
}

impl Density {
    /// All mass at one voltage.
    pub(crate) fn point(step: f64, at: f64) -> Density {
        // The second integral of a point is a ramp.
        Density::from_second_integral(step, at, at, |x| (x - at).max(0.0))
    }

    /// Eq. 1.
    pub(crate) fn gaussian(step: f64, mean: f64, sigma: f64) -> Density {
        let reach = 8.0 * sigma;
        Density::from_second_integral(step, mean - reach, mean + reach, |x| {
            let z = (x - mean) / sigma;
            sigma * (z * normal::below(z) + normal::density(z))
        })
    }

    /// Eq. 2.
    pub(crate) fn uniform(step: f64, low: f64, width: f64) -> Density {
        Density::from_second_integral(step, low, low + width, |x| {
            let inside = (x - low).clamp(0.0, width);
            inside * inside / (2.0 * width) + (x - low - width).max(0.0)
        })
    }

    /// The grid version of a density that is zero outside `low..high`, from its second integral.
    fn from_second_integral(step: f64, low: f64, high: f64, second: impl Fn(f64) -> f64) -> Density {
        let start = (low / step).floor() as i64 - 1;
        let end = (high / step).ceil() as i64 + 1;
        let integral: Vec<f64> = (start - 1..=end + 1).map(|i| second(i as f64 * step)).collect();
        let mass = integral.windows(3).map(|w| ((w[2] - w[1]) - (w[1] - w[0])) / step).collect();
        Density { step, start, mass }.tidied()
    }

    /// Removes mass below [`DUST`] and scales the sum to 1.
    fn tidied(mut self) -> Density {
        for mass in &mut self.mass {
            if *mass < DUST {
                *mass = 0.0;
            }
        }
        let first = self.mass.iter().position(|&m| m > 0.0).unwrap_or(0);
        let last = self.mass.iter().rposition(|&m| m > 0.0).unwrap_or(0);
        self.mass.truncate(last + 1);
        self.mass.drain(..first);
        self.start += first as i64;
        let sum: f64 = self.mass.iter().sum();
        for mass in &mut self.mass {
            *mass /= sum;
        }
        self
    }

    /// The density of the sum of two independent voltages.
    pub(crate) fn convolve(&self, other: &Density) -> Density {
        let mut mass = vec![0.0; self.mass.len() + other.mass.len() - 1];
        for (i, &a) in self.mass.iter().enumerate() {
            for (sum, &b) in mass[i..].iter_mut().zip(&other.mass) {
                *sum += a * b;
            }
        }
        Density { step: self.step, start: self.start + other.start, mass }.tidied()
    }

    /// The density of the sum with a symmetric exponential fluctuation of mean size `scale` (Eq. 3 and 6).
    pub(crate) fn with_exponential(&self, scale: f64) -> Density {
        if scale <= 0.0 {
            return self.clone();
        }
        // The exponential's mass in the bin k steps away is sinh(a / 2) e^(-a |k|). So two decaying running sums, one
        // up and one down, give the whole convolution.
        let a = self.step / scale;
        let (decay, middle) = (libm::exp(-a), -libm::expm1(-0.5 * a));
        // sinh(a / 2) e^(-a), in a form that does not overflow.
        let side = 0.5 * (libm::exp(-0.5 * a) - libm::exp(-1.5 * a));
        let margin = (-libm::log(DUST) / a).ceil() as usize + 1;
        let mut padded = vec![0.0; self.mass.len() + 2 * margin];
        padded[margin..margin + self.mass.len()].copy_from_slice(&self.mass);
        let mut mass: Vec<f64> = padded.iter().map(|m| m * middle).collect();
        let mut tail = 0.0;
        for (sum, &m) in mass.iter_mut().zip(&padded) {
            *sum += side * tail;
            tail = tail * decay + m;
        }
        tail = 0.0;
        for (sum, &m) in mass.iter_mut().zip(&padded).rev() {
            *sum += side * tail;
            tail = tail * decay + m;
        }
        Density { step: self.step, start: self.start - margin as i64, mass }.tidied()
    }

    /// The mixture of densities with weights.
    pub(crate) fn mixture(parts: &[(f64, Density)]) -> Density {
        let step = parts[0].1.step;
        let start = parts.iter().map(|(_, d)| d.start).min().unwrap_or(0);
        let end = parts.iter().map(|(_, d)| d.start + d.mass.len() as i64).max().unwrap_or(0);
        let mut mass = vec![0.0; (end - start) as usize];
        for (weight, part) in parts {
            let offset = (part.start - start) as usize;
            for (sum, m) in mass[offset..].iter_mut().zip(&part.mass) {
                *sum += weight * m;
            }
        }
        Density { step, start, mass }.tidied()
    }

    /// The lowest and highest voltage.
    pub(crate) fn range(&self) -> (f64, f64) {
        let at = |i: i64| i as f64 * self.step;
        (at(self.start), at(self.start + self.mass.len() as i64 - 1))
    }

    /// Voltages and their mass, rising: those below `v` (`sign` 1) or above it (-1), and up to `margin` beyond it.
    pub(crate) fn side(&self, v: f64, margin: f64, sign: f64) -> impl Iterator<Item = (f64, f64)> {
        let border = ((v + sign * margin) / self.step).floor() as i64 - self.start + 1;
        let border = border.clamp(0, self.mass.len() as i64) as usize;
        let (from, to) = if sign > 0.0 { (0, border) } else { (border.saturating_sub(1), self.mass.len()) };
        let place = move |i: usize| (self.start + (from + i) as i64) as f64 * self.step;
        self.mass[from..to].iter().enumerate().map(move |(i, &m)| (place(i), m))
    }

    /// Voltages and their mass, rising.
    pub(crate) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.mass.iter().enumerate().map(|(i, &m)| ((self.start + i as i64) as f64 * self.step, m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f64 = 0.005;

    fn moments(density: &Density) -> (f64, f64, f64) {
        let sum: f64 = density.mass.iter().sum();
        let mean: f64 = density.points().map(|(v, m)| v * m).sum();
        let variance: f64 = density.points().map(|(v, m)| (v - mean) * (v - mean) * m).sum();
        (sum, mean, variance)
    }

    fn check(density: &Density, mean: f64, variance: f64) {
        let (sum, got_mean, got_variance) = moments(density);
        assert!((sum - 1.0).abs() < 1e-12, "sum {sum}");
        assert!((got_mean - mean).abs() < 1e-9, "mean {got_mean}, not {mean}");
        // The division between two points adds up to a quarter of a step squared, per density.
        assert!((got_variance - variance).abs() < STEP * STEP, "variance {got_variance}, not {variance}");
        assert!(density.mass.iter().all(|&m| m >= 0.0));
    }

    #[test]
    fn densities_have_their_mass_mean_and_variance() {
        check(&Density::gaussian(STEP, 1.1034, 0.35), 1.1034, 0.1225);
        check(&Density::gaussian(STEP, 0.0137, 0.0004), 0.0137, 0.0);
        check(&Density::uniform(STEP, 2.7013, 0.3), 2.8513, 0.0075);
        check(&Density::point(STEP, 0.0012), 0.0012, 0.0);
        check(&Density::point(STEP, 0.01), 0.01, 0.0);
    }

    #[test]
    fn convolutions_add_means_and_variances() {
        let uniform = Density::uniform(STEP, 2.7, 0.3);
        let gaussian = Density::gaussian(STEP, 0.15, 0.05);
        check(&uniform.convolve(&gaussian), 3.0, 0.0075 + 0.0025);
        // A symmetric exponential with mean size s has the variance 2 s^2.
        check(&uniform.with_exponential(0.027), 2.85, 0.0075 + 2.0 * 0.027 * 0.027);
        check(&uniform.with_exponential(0.0), 2.85, 0.0075);
        check(&uniform.with_exponential(1e-6), 2.85, 0.0075);
        let mixture =
            Density::mixture(&[(0.25, Density::point(STEP, 0.0)), (0.75, Density::point(STEP, 1.0))]);
        check(&mixture, 0.75, 0.1875);
    }
}
