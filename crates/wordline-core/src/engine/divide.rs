//! Division by a number that stays the same for a whole run.

/// Divides by a fixed number with one multiplication: a read needs a dozen divisions to find its
/// block, plane, die and page, and the processor's own take several times as long.
///
/// For 32-bit numbers the high half of `x * ceil(2^64 / d)` is exact (Lemire, Kaser and Kurz,
/// "Faster remainder by direct computation", 2019).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divider {
    divisor: u32,
    /// `ceil(2^64 / divisor)`; 0 stands for 2^64, when the divisor is 1.
    reciprocal: u64,
}

impl Divider {
    /// A divider by a number that is not 0.
    ///
    /// # Panics
    /// On 0.
    #[must_use]
    pub fn new(divisor: u32) -> Divider {
        Divider { divisor, reciprocal: (u64::MAX / u64::from(divisor)).wrapping_add(1) }
    }

    /// The number that it divides by.
    #[inline]
    #[must_use]
    pub fn divisor(self) -> u32 {
        self.divisor
    }

    /// `x / divisor`.
    #[inline]
    #[must_use]
    pub fn quotient(self, x: u32) -> u32 {
        if self.reciprocal == 0 {
            return x;
        }
        ((u128::from(x) * u128::from(self.reciprocal)) >> 64) as u32
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
