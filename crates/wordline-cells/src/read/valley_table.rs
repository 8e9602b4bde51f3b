//! The valley for the simulator: three tables, a few multiplications.

use super::curve::{Interpolation, LogCurve};
use super::valley::{Valley, tail};

/// [`Valley::errors`] from tables.
#[derive(Clone, Debug)]
pub struct ValleyTable {
    cells: f32,
    /// Upper tail of the normal distribution, from -`LOWEST`.
    tail: Interpolation,
    /// Misplacement by distance, up to `NEAR_STEPS`; linear beyond.
    near: Interpolation,
    beyond: f32,
    step: f32,
    /// Margin by floor.
    margin: LogCurve,
}

/// Most negative argument of the tail: below it nearly every cell reads wrong.
const LOWEST: f32 = 5.0;
const HIGHEST: f32 = 11.0;
const NEAR_STEPS: f32 = 4.0;
/// Floors that the tables cover, bits; constant beyond.
const FLOORS: (f32, f32) = (1.0 / 64.0, 1024.0);

impl ValleyTable {
    /// Builds the tables of a valley.
    #[must_use]
    pub fn new(valley: &Valley) -> ValleyTable {
        let near = Interpolation::new(NEAR_STEPS, 256, |distance| valley.misplacement(distance));
        let far = f64::from(NEAR_STEPS);
        let step = valley.misplacement(far + 1.0) - valley.misplacement(far);
        ValleyTable {
            cells: valley.cells() as f32,
            tail: Interpolation::new(LOWEST + HIGHEST, 2048, |y| tail(y - f64::from(LOWEST))),
            near,
            beyond: (valley.misplacement(far) - step * far) as f32,
            step: step as f32,
            margin: LogCurve::new(FLOORS.0, FLOORS.1, |bits| valley.margin(bits)),
        }
    }

    /// See [`Valley::margin`].
    #[inline]
    #[must_use]
    pub fn margin(&self, floor_bits: f32) -> f32 {
        self.margin.at(floor_bits)
    }

    /// Errors in excess of the floor, for a read `distance_steps` from the best voltages.
    #[inline]
    #[must_use]
    pub fn climb(&self, margin: f32, distance_steps: f32) -> f32 {
        let distance = distance_steps.abs();
        let k =
            if distance < NEAR_STEPS { self.near.at(distance) } else { self.beyond + self.step * distance };
        let tail = |deviations: f32| self.tail.at(deviations + LOWEST);
        let climb = tail(margin * (1.0 - k)) + tail(margin * (1.0 + k)) - 2.0 * tail(margin);
        self.cells * climb.max(0.0)
    }
}
