//! The only code that reads a clock.

/// Seconds that some work takes.
#[expect(clippy::disallowed_types, reason = "a benchmark measures wall time")]
pub fn seconds(work: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    work();
    start.elapsed().as_secs_f64()
}
