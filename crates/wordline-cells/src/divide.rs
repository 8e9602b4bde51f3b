//! Division by a number that stays the same for a whole run.

/// Divides by a fixed number with one multiplication. A read needs a dozen divisions to find its block, plane, die and
/// page, and the divide instruction takes several times as long.
///
/// The high half of `(x + 1) * floor((2^64 - 1) / d)` is exact while `(x + 1) * d` is at most 2^64, as it is for all 32-bit
/// numbers (Robison, "N-bit unsigned division via N-bit multiply-add", 2005): the product is less than `(x + 1) / d`, by at
/// most `1 / d`. The configuration refuses drives whose page numbers would not fit.
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

    /// `x / divisor`, which fits 32 bits.
    #[inline]
    #[must_use]
    pub fn quotient(self, x: impl Into<u64>) -> u32 {
        ((u128::from(x.into() + 1) * u128::from(self.reciprocal)) >> 64) as u32
    }

    /// `x % divisor`.
    #[inline]
    #[must_use]
    pub fn remainder(self, x: impl Into<u64>) -> u32 {
        let x = x.into();
        (x - u64::from(self.quotient(x)) * u64::from(self.divisor)) as u32
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

        #[test]
        fn divides_numbers_of_40_bits(x in 0u64..1 << 40, divisor in 1u32 << 8..1 << 24) {
            let divider = Divider::new(divisor);
            prop_assert_eq!(u64::from(divider.quotient(x)), x / u64::from(divisor));
            prop_assert_eq!(u64::from(divider.remainder(x)), x % u64::from(divisor));
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

    #[test]
    fn is_exact_to_the_largest_number_that_fits() {
        for divisor in [3, 1000, (1 << 24) - 1, 1 << 24, (1 << 24) + 1, u32::MAX - 1, u32::MAX] {
            let divider = Divider::new(divisor);
            let d = u64::from(divisor);
            let most = ((1 << 64) / u128::from(d)) as u64 - 1;
            for quotient in [1, 2, most / d / 2, most / d - 1, most / d].map(|q| q.min(u64::from(u32::MAX))) {
                for x in [quotient * d - u64::from(quotient > 0), quotient * d].map(|x| x.min(most)) {
                    assert_eq!(u64::from(divider.quotient(x)), x / d, "{x} / {d}");
                }
            }
        }
    }
}
