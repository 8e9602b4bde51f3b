//! `one_step`: a page that fails at the default V_REF decodes at the next sense, whatever its errors.
//! A bound, not a mechanism: RiF's SSD_real, "the optimal read-retry solution" with one retry step
//! ("Impact of Read-Retry on SSD's Performance").

use super::Hints;

/// The estimate is where the page is, for this policy alone.
pub(super) fn position(attempt: u8, hints: &Hints) -> Option<f32> {
    match attempt {
        0 => Some(0.0),
        1 => Some(hints.estimate),
        _ => None,
    }
}
