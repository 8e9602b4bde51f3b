//! The errors that each read reference adds to a page that senses it.
//!
//! References differ in the number of cells close to them (`reference_weights`) and in their drift: higher states hold
//! more charge, so their voltages fall further (`vth.rs`). Each page type senses other references. So LSB, CSB and MSB
//! pages differ in their errors at the best voltages, and in how fast errors grow away from them.

use super::constants::ReadConstants;

/// The errors that the references of a page add.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Errors at the best voltages, relative to the page type with the most.
    pub floor: f32,
    /// Errors away from them, relative to the mean page type.
    pub climb: f32,
}

/// How a page of a wordline with merged states is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedRead {
    /// References that a sense applies, a bit each, lowest first.
    pub sensed: u16,
    /// States that hold cells; each holds an equal share.
    pub states: u32,
}

/// Weights by page type, and of any set of references.
#[derive(Clone, Debug)]
pub struct References {
    by_type: Vec<Weights>,
    /// By reference, lowest first.
    by_reference: Vec<Weights>,
}

/// Drift of the lower and the upper state beside a reference (from 0), relative to the mean over the references.
pub(super) fn drift(reference: usize, references: usize) -> f64 {
    // 0 for the erased state, 2 for one above the highest.
    (2 * reference + 1) as f64 / (references + 1) as f64
}

impl References {
    /// The references of a kind of chip.
    #[must_use]
    pub fn new(constants: &ReadConstants) -> References {
        let weights = &constants.valley.reference_weights;
        let all = weights.len();
        let climb = |reference: usize| weights[reference] * drift(reference, all);
        let sums = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let sum = |sensed: &Vec<u8>| sensed.iter().map(|&reference| of(usize::from(reference) - 1)).sum();
            constants.references.iter().map(sum).collect()
        };
        let (floors, climbs) = (sums(&|reference| weights[reference]), sums(&climb));
        let most = floors.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mean = climbs.iter().sum::<f64>() / climbs.len().max(1) as f64;
        let relative =
            |floor: f64, climb: f64| Weights { floor: (floor / most) as f32, climb: (climb / mean) as f32 };
        References {
            by_type: floors.iter().zip(&climbs).map(|(&floor, &climb)| relative(floor, climb)).collect(),
            by_reference: (0..all).map(|reference| relative(weights[reference], climb(reference))).collect(),
        }
    }

    /// A page of a type (0 = LSB) of a wordline as it was programmed.
    #[inline]
    #[must_use]
    pub fn of_type(&self, page_type: u32) -> Weights {
        self.by_type.get(page_type as usize).copied().unwrap_or(Weights { floor: 1.0, climb: 1.0 })
    }

    /// A page that senses the references of `sensed` (a bit each) in a wordline with `states` states left. With fewer
    /// states more cells are close to each reference.
    #[must_use]
    pub fn of_merged(&self, sensed: u16, states: u32) -> Weights {
        let crowded = (self.by_reference.len() + 1) as f32 / states.max(1) as f32;
        let mut sum = Weights::default();
        for (bit, weights) in self.by_reference.iter().enumerate() {
            if sensed >> bit & 1 == 1 {
                sum.floor += crowded * weights.floor;
                sum.climb += crowded * weights.climb;
            }
        }
        sum
    }

    /// Mean of the errors at the best voltages over the page types.
    #[must_use]
    pub fn mean_floor(&self) -> f64 {
        self.by_type.iter().map(|weights| f64::from(weights.floor)).sum::<f64>()
            / self.by_type.len().max(1) as f64
    }
}
