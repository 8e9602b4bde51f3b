//! Read positions of the policies that estimate the best read voltages. (PSO estimates nothing: it starts near the
//! steps that worked lately, `policy/read_retry/pso.rs`.)
//!
//! - SENC: an estimate from sentinel cells whose data is known; 1.2 additional reads on average, compared to 6.6 with
//!   the retry table.
//! - SWR, and RiF on the die: counts cells within the chip; about 1 additional read.
//!
//! Each estimate misses the best voltages by a bounded error, a hash of the page. The errors at that position decide
//! whether the ECC can correct the read.

use super::constants::EstimateConstants;
use super::page::PageState;
use super::place::Place;
use crate::variation::{Purpose, hash};

/// The precision of estimates on a kind of chip.
#[derive(Clone, Debug)]
pub struct Estimates {
    constants: EstimateConstants,
    table_steps: f32,
    seed: u64,
}

/// A draw in `-1..1`.
#[inline]
fn either(hash: u64) -> f32 {
    (hash >> 40) as f32 * (2.0 / (1u32 << 24) as f32) - 1.0
}

impl Estimates {
    /// Builds the estimates of a kind of chip with `table_steps` entries in its retry table.
    #[must_use]
    pub fn new(constants: &EstimateConstants, table_steps: u8, seed: u64) -> Estimates {
        Estimates { constants: constants.clone(), table_steps: f32::from(table_steps), seed }
    }

    #[inline]
    fn draw(&self, place: Place, attempt: u8, purpose: Purpose) -> f32 {
        let page = u64::from(place.block) << 24 | u64::from(place.page) << 8 | u64::from(attempt);
        either(hash(self.seed, page, purpose))
    }

    /// SENC: the position of additional read `attempt` (from 0), steps.
    #[inline]
    #[must_use]
    pub fn sentinel(&self, place: Place, page: &PageState, attempt: u8) -> f32 {
        let c = &self.constants;
        let largest = if attempt == 0 { c.sentinel_steps } else { c.sentinel_next_steps };
        self.near(page, largest as f32 * self.draw(place, attempt, Purpose::Sentinel))
    }

    /// SWR and RiF: the position of additional read `attempt` (from 0), steps.
    #[inline]
    #[must_use]
    pub fn counting(&self, place: Place, page: &PageState, attempt: u8) -> f32 {
        let miss = self.draw(place, attempt, Purpose::Counting);
        self.near(page, self.constants.counting_steps as f32 * miss)
    }

    #[inline]
    fn near(&self, page: &PageState, miss: f32) -> f32 {
        (page.optimum_steps + miss).clamp(-1.0, self.table_steps)
    }
}
