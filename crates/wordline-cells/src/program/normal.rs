//! The normal distribution from a table, because the model evaluates it millions of times.

/// Points of the table per unit.
const PER_UNIT: f64 = 32.0;
/// The tail beyond this many standard deviations is negligible (6e-17).
pub(super) const REACH: f64 = 8.3;

/// Upper tail and density of the standard normal distribution at equal distances, with cubic interpolation.
pub(super) struct Normal {
    points: Vec<(f64, f64)>,
}

impl Normal {
    pub(super) fn new() -> Normal {
        let count = (REACH * PER_UNIT) as usize + 2;
        let points = (0..count).map(|i| i as f64 / PER_UNIT).map(|z| (tail(z), density(z))).collect();
        Normal { points }
    }

    /// Probability of a value up to `z`; relative error below 1e-4 in both tails.
    #[inline]
    pub(super) fn below(&self, z: f64) -> f64 {
        let upper = self.upper(z.abs());
        if z < 0.0 { upper } else { 1.0 - upper }
    }

    fn upper(&self, z: f64) -> f64 {
        if z >= REACH {
            return 0.0;
        }
        let place = z * PER_UNIT;
        let index = place as usize;
        let t = place - index as f64;
        let ((q0, d0), (q1, d1)) = (self.points[index], self.points[index + 1]);
        // Cubic Hermite; the slope of the tail is minus its density.
        let (slope0, slope1) = (-d0 / PER_UNIT, -d1 / PER_UNIT);
        let rise = q1 - q0;
        q0 + t * (slope0 + t * (3.0 * rise - 2.0 * slope0 - slope1 + t * (slope0 + slope1 - 2.0 * rise)))
    }
}

fn tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// Density of the standard normal distribution: the same bits on every machine.
#[must_use]
pub fn density(z: f64) -> f64 {
    const SCALE: f64 = 0.398_942_280_401_432_7; // 1 / sqrt(2 pi)
    SCALE * libm::exp(-0.5 * z * z)
}

/// Probability of a value up to `z`, without the table.
pub(super) fn below(z: f64) -> f64 {
    tail(-z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_function() {
        let table = Normal::new();
        for i in -8200..=8200 {
            let z = f64::from(i) * 1e-3 + 3e-4;
            let exact = below(z);
            assert!((table.below(z) / exact - 1.0).abs() < 1e-4, "{z}: {} {exact}", table.below(z));
        }
        assert_eq!((table.below(-9.0), table.below(9.0)), (0.0, 1.0));
    }
}
