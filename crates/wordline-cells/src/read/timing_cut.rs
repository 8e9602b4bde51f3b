//! Shorter senses: errors from cutting tPRE, tEVAL and tDISCH (PR2/AR2, Section 5.2).
//!
//! ```text
//! added = severity(s, t) · (P + E + D + interaction · P · D²) + cold(T)
//! P, E, D = a · (exp(b · cut) - 1)
//! severity(s, t) = (1 + growth · (s - 1000) / 1000) · (1 + retention · r(t))       1 at 1,000 cycles, 0 months
//! ```
//!
//! Bit lines differ in capacitance; the share that is not ready in time grows about exponentially with the cut. A bit
//! line that was discharged too briefly starts its next precharge from a wrong level: this is the interaction. The
//! square keeps a small cut of tDISCH as harmless as measured. tEVAL in combination with the others was not measured:
//! we assume that it adds up.

use serde::{Deserialize, Serialize};

use super::constants::{CutConstants, CutCurve};
use super::floor::Floor;

/// Cuts of the three phases of a sense, fractions of the default times, `0.0..1.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimingCut {
    /// The cut of tPRE.
    pub precharge: f64,
    /// The cut of tEVAL.
    pub evaluation: f64,
    /// The cut of tDISCH.
    pub discharge: f64,
}

impl TimingCut {
    /// A cut of tPRE alone, as in AR2.
    #[must_use]
    pub fn precharge(fraction: f64) -> TimingCut {
        TimingCut { precharge: fraction, ..TimingCut::default() }
    }
}

/// The effect of a cut on a page, computed once for many reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CutEffect {
    /// Errors of the worst page at severity 1, bits.
    pub bits: f32,
    /// Share of the additional errors at low temperature that it causes, `0..=1`.
    pub cold: f32,
}

impl CutEffect {
    /// Senses of default length.
    pub const NONE: CutEffect = CutEffect { bits: 0.0, cold: 0.0 };
}

/// The effect of cuts on a kind of chip.
#[derive(Clone, Debug)]
pub struct Cuts {
    constants: CutConstants,
    /// Errors that low temperature adds to a deep cut, per error that it adds to the floor.
    cold_per_bit: f32,
    /// One over the severity of the worst tested condition, in which low temperature adds most.
    per_worst_severity: f32,
}

/// Lowest tested temperature, degrees Celsius.
const COLD_C: f64 = 30.0;
/// Stress of the worst tested condition, cycles; its retention was a year.
const WORST_STRESS: f64 = 2000.0;

fn grown(curve: &CutCurve, cut: f64) -> f64 {
    curve.bits * libm::expm1(curve.steepness * cut) / libm::expm1(curve.steepness * curve.at)
}

impl Cuts {
    /// The effect of cuts on a kind of chip.
    #[must_use]
    pub fn new(constants: &CutConstants, floor: &Floor) -> Cuts {
        let cold_per_bit = constants.cold_bits / floor.cold_bits(COLD_C).max(f64::MIN_POSITIVE);
        let mut cuts =
            Cuts { constants: constants.clone(), cold_per_bit: cold_per_bit as f32, per_worst_severity: 1.0 };
        cuts.per_worst_severity = (1.0 / cuts.severity(WORST_STRESS, 1.0)) as f32;
        cuts
    }

    /// The effect of a cut.
    #[must_use]
    pub fn effect(&self, cut: TimingCut) -> CutEffect {
        let c = &self.constants;
        let precharge = grown(&c.precharge, cut.precharge);
        let evaluation = grown(&c.evaluation, cut.evaluation);
        let discharge = grown(&c.discharge, cut.discharge);
        let together = c.interaction * precharge * discharge * discharge;
        CutEffect {
            bits: (precharge + evaluation + discharge + together) as f32,
            cold: (precharge / grown(&c.precharge, c.cold_cut)).min(1.0) as f32,
        }
    }

    /// Factor on the errors of a cut, relative to freshly programmed pages at 1,000 cycles. `retention` is
    /// [`Floor::retention`].
    #[must_use]
    pub fn severity(&self, stress: f64, retention: f64) -> f64 {
        let c = &self.constants;
        (1.0 + c.stress_growth * (stress - 1000.0) / 1000.0) * (1.0 + c.retention_growth * retention)
    }

    /// Errors that low temperature adds to a deep cut, bits; `floor_cold_bits` is what it adds to the floor.
    #[inline]
    #[must_use]
    pub fn cold_bits(&self, severity: f32, floor_cold_bits: f32) -> f32 {
        self.cold_per_bit * floor_cold_bits * (severity * self.per_worst_severity).min(1.0)
    }
}
