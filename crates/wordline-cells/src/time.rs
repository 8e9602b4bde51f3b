//! Simulated time.

/// Simulated time or a span of it, in nanoseconds.
pub type Ns = u64;

/// Converts microseconds from a configuration to nanoseconds, rounded to the nearest.
///
/// The argument is a non-negative number of at most 2^53 ns; configuration checks ensure this.
#[must_use]
pub fn ns_from_us(us: f64) -> Ns {
    (us * 1000.0 + 0.5) as Ns
}
