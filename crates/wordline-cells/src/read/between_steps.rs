//! The rough state of a wordline that is programmed in two steps, between its steps.
//!
//! The first step stores all bits but the last one. Its states are half as many, so twice as far apart, and each holds
//! twice as many cells. They are wider than the finished ones: the first step is coarse, and the neighbour's first step
//! disturbs them. If a finished state ends `m` standard deviations beside the best voltage (`valley.rs`), a rough one that is
//! `width` times as wide ends `2 m / width` beside it. Its page has
//!
//! ```text
//! floor_rough = floor · 2 · Q(2 m / width) / Q(m)      Q: upper tail of a normal distribution
//! ```
//!
//! errors at the best voltages. So at `width = 2` they are twice those of the finished page. A step of the retry table
//! misplaces the voltages by half as much of the valley. Wear and retention widen rough states as they widen finished
//! ones, and their best voltages drift alike: both are guesses. Errors in the cold, of incomplete erases and of read
//! disturb are those of the finished page; Cai et al. ("Vulnerabilities in MLC NAND Flash Memory Programming", HPCA 2017,
//! abstract) found more of the last.

use super::constants::{BetweenStepsConstants, ReadConstants, ValleyConstants};
use super::curve::Interpolation;
use super::references::References;
use super::valley::{Valley, tail};
use super::valley_table::ValleyTable;
use super::vth::mean_page;

/// Errors of the worst finished page that the table covers, bits of a codeword, and its points; constant
/// beyond.
const WORST_BITS: (f32, usize) = (2048.0, 1024);

/// The errors of the first step's pages.
#[derive(Clone, Debug)]
pub(super) struct BetweenSteps {
    /// Errors of the worst page, by those that it has when it is finished.
    worst: Interpolation,
    valley: ValleyTable,
    /// Errors away from the best voltages of a page of all types, relative to those of the first step.
    climb: f32,
    /// 1 / errors of the worst fresh page, per bit.
    per_fresh_bits: f32,
}

impl BetweenSteps {
    /// The model of a chip with `bits` bits per cell, at least 2.
    pub(super) fn new(constants: &ReadConstants, between: &BetweenStepsConstants, bits: u32) -> BetweenSteps {
        let finished = Valley::new(&constants.valley, bits);
        let mean = mean_page(constants);
        let rough = |margin: f64| 2.0 * margin / between.width;
        let worst_bits = |worst: f64| {
            let margin = finished.margin(worst * mean);
            worst * 2.0 * tail(rough(margin)) / tail(margin)
        };
        let fresh = constants.floor.fresh_bits;
        // The same voltages are half as much of a valley that is twice as wide.
        let ValleyConstants { misfit, step, .. } = constants.valley;
        let wide = ValleyConstants { misfit: 0.5 * misfit, step: 0.5 * step, ..constants.valley.clone() };
        let valley = Valley::new(&wide, bits - 1);
        let fresh_mean = 2.0 * valley.misread(rough(finished.margin(fresh * mean)), 0.0);
        let references = References::new(constants);
        let climbs: f32 = (0..bits - 1).map(|page_type| references.of_type(page_type).climb).sum();
        BetweenSteps {
            worst: Interpolation::new(WORST_BITS.0, WORST_BITS.1, worst_bits),
            valley: ValleyTable::new(&valley, fresh_mean),
            climb: (bits - 1) as f32 / climbs,
            per_fresh_bits: (1.0 / worst_bits(fresh)) as f32,
        }
    }

    /// Errors of the worst page at the best voltages, bits, by those that it has when it is finished.
    pub(super) fn worst_bits(&self, finished_bits: f32) -> f32 {
        self.worst.at(finished_bits)
    }

    /// Errors away from the best voltages with so many at them, relative to the mean fresh page.
    pub(super) fn climb(&self, worst_bits: f32) -> f32 {
        self.climb * (worst_bits * self.per_fresh_bits).sqrt()
    }

    /// The valley between two rough states.
    #[inline]
    pub(super) fn valley(&self) -> &ValleyTable {
        &self.valley
    }
}
