//! The valley as the simulator reads it: a table of distance, a multiplication.

use super::curve::Interpolation;
use super::valley::Valley;

/// Errors beside the best voltages, by distance.
#[derive(Clone, Debug)]
pub struct ValleyTable {
    near: Interpolation,
    far: Interpolation,
}

/// Distances that the finer table covers, and the coarser one, steps; it stays at its end beyond.
const NEAR_STEPS: f32 = 4.0;
const FAR_STEPS: f32 = 128.0;

impl ValleyTable {
    /// Tables of a valley whose floor is so many bits.
    #[must_use]
    pub fn new(valley: &Valley, floor_bits: f64) -> ValleyTable {
        let margin = valley.margin(floor_bits);
        let climb = |distance| valley.errors_at(margin, distance) - floor_bits;
        ValleyTable {
            near: Interpolation::new(NEAR_STEPS, 512, climb),
            far: Interpolation::new(FAR_STEPS, 512, climb),
        }
    }

    /// Errors above the floor of a read `distance_steps` away from the best voltages.
    #[inline]
    #[must_use]
    pub fn climb(&self, distance_steps: f32) -> f32 {
        let distance = distance_steps.abs();
        if distance < NEAR_STEPS { self.near.at(distance) } else { self.far.at(distance) }
    }
}
