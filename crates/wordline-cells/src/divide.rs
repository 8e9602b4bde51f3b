//! Division by a number that stays the same for a whole run.

/// Divides by a fixed number with one multiplication. A read needs a dozen divisions to find its block, plane, die and
/// page, and the divide instruction takes several times as long.
///
/// For 32-bit numbers the high half of `(x + 1) * floor((2^64 - 1) / d)` is exact (Robison, "N-bit unsigned division
/// via N-bit multiply-add", 2005): the product is less than `(x + 1) / d`, by at most `1 / d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divider {
    divisor: u32,
    /// `floor((2^64 - 1) / divisor)`.
    reciprocal: u64,
}

impl Divider {
    /// Builds a divider by `divisor`, which must not be 0.
    ///
    /// # Panics
    /// If `divisor` is 0.
    #[must_use]
    pub fn new(divisor: u32) -> Divider {
        Divider { divisor, reciprocal: u64::MAX / u64::from(divisor) }
    }

    /// The divisor.
    #[inline]
    #[must_use]
    pub fn divisor(self) -> u32 {
        self.divisor
    }

    /// `x / divisor`.
    #[inline]
    #[must_use]
    pub fn quotient(self, x: u32) -> u32 {
        ((u128::from(u64::from(x) + 1) * u128::from(self.reciprocal)) >> 64) as u32
    }

    /// `x % divisor`.
    #[inline]
    #[must_use]
    pub fn remainder(self, x: u32) -> u32 {
        x - self.quotient(x) * self.divisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn divides_as_the_processor_does(x: u32, divisor in 1u32..) {
            let divider = Divider::new(divisor);
            prop_assert_eq!(divider.quotient(x), x / divisor);
            prop_assert_eq!(divider.remainder(x), x % divisor);
        }
    }

    #[test]
    fn divides_at_the_edges() {
        for divisor in [1, 2, 3, 255, 256, 65_535, 1 << 31, u32::MAX - 1, u32::MAX] {
            let divider = Divider::new(divisor);
            for x in [0, 1, divisor - 1, divisor, divisor.saturating_add(1), u32::MAX - 1, u32::MAX] {
                assert_eq!(divider.quotient(x), x / divisor, "{x} / {divisor}");
            }
        }
    }
}
