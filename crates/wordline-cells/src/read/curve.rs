//! Functions of one variable as tables with linear interpolation: the hot path uses them instead of logarithms and
//! powers.

/// A function on `0..=end`; constant beyond its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Interpolation {
    per_unit: f32,
    /// Number of intervals.
    last: f32,
    values: Vec<f32>,
}

impl Interpolation {
    /// Tabulates `f` at `intervals + 1` equally spaced points.
    #[must_use]
    pub fn new(end: f32, intervals: usize, f: impl Fn(f64) -> f64) -> Interpolation {
        let width = f64::from(end) / intervals as f64;
        // One value more than points, so that the last point has a right neighbour.
        let values = (0..intervals + 2).map(|i| f(i.min(intervals) as f64 * width) as f32).collect();
        Interpolation { per_unit: (1.0 / width) as f32, last: intervals as f32, values }
    }

    /// The function at `x`.
    #[inline]
    #[must_use]
    pub fn at(&self, x: f32) -> f32 {
        let scaled = (x * self.per_unit).clamp(0.0, self.last);
        // The processor converts signed numbers of 32 bits in one step.
        let index = scaled as i32;
        let low = self.values[index as usize];
        low + (self.values[index as usize + 1] - low) * (scaled - index as f32)
    }
}

/// A function of a positive variable over several orders of magnitude; constant beyond its ends.
#[derive(Clone, Debug)]
pub struct LogCurve {
    first: u32,
    end: f32,
    start: f32,
    values: Vec<f32>,
}

/// Points per octave, as bits of the mantissa.
const OCTAVE_BITS: u32 = 5;
const SHIFT: u32 = 23 - OCTAVE_BITS;

impl LogCurve {
    /// Tabulates `f` between `start` and `end`, both positive, at 32 points per octave. The exponent and the upper
    /// mantissa of a number give its index.
    #[must_use]
    pub fn new(start: f32, end: f32, f: impl Fn(f64) -> f64) -> LogCurve {
        let first = start.to_bits() >> SHIFT;
        let last = end.to_bits() >> SHIFT;
        let values = (first..=last + 1).map(|bits| f(f64::from(f32::from_bits(bits << SHIFT))) as f32);
        LogCurve { first, start, end, values: values.collect() }
    }

    /// The function at `x`.
    #[inline]
    #[must_use]
    pub fn at(&self, x: f32) -> f32 {
        let bits = x.clamp(self.start, self.end).to_bits();
        let index = ((bits >> SHIFT) - self.first) as usize;
        let part = (bits & ((1 << SHIFT) - 1)) as f32 * (1.0 / (1u32 << SHIFT) as f32);
        let low = self.values[index];
        low + (self.values[index + 1] - low) * part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_follows_its_function_and_stays_at_its_ends() {
        let curve = Interpolation::new(10.0, 1000, |x| x * x);
        for x in [0.0, 0.003, 1.0, 4.567, 9.999, 10.0] {
            assert!((curve.at(x) - x * x).abs() < 1e-4, "{x}: {}", curve.at(x));
        }
        assert_eq!((curve.at(-1.0), curve.at(11.0)), (0.0, 100.0));
    }

    #[test]
    fn a_log_curve_follows_its_function_over_orders_of_magnitude() {
        let curve = LogCurve::new(0.25, 4096.0, libm::log);
        for x in [0.25, 0.3, 1.0, 1.5, 77.7, 4095.0, 4096.0] {
            let exact = libm::log(f64::from(x)) as f32;
            assert!((curve.at(x) - exact).abs() < 2e-4, "{x}: {}", curve.at(x));
        }
        assert_eq!(curve.at(0.0), curve.at(0.25));
        assert_eq!(curve.at(1e9), curve.at(4096.0));
    }
}
