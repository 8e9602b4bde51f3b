//! `[read]` of a chip: the constants of drift and errors. Every value has its source beside it in the file.

use serde::{Deserialize, Serialize};

/// `[read]`: what a read of the chip finds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadConstants {
    /// Entries of the retry table: no step lies further from the default voltages.
    pub table_steps: u8,
    /// Which read references a page of each type senses, LSB first; reference 1 parts the erased state
    /// from the first programmed one.
    pub references: Vec<Vec<u8>>,
    /// `[read.drift]`
    pub drift: DriftConstants,
    /// `[read.floor]`
    pub floor: FloorConstants,
    /// `[read.valley]`
    pub valley: ValleyConstants,
    /// `[read.cuts]`
    pub cuts: CutConstants,
    /// `[read.estimates]`
    pub estimates: EstimateConstants,
}

/// `[read.drift]`: where the best read voltages are, in steps of the retry table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriftConstants {
    /// Retention after which drift turns from linear to logarithmic in time, months.
    pub onset_months: f64,
    /// Steps per e-fold of time, of an unworn block.
    pub steps_per_log: f64,
    /// Growth of that per 1,000 cycles of stress, a fraction.
    pub steps_per_log_growth: f64,
    /// Steps of drift that the default voltages bear before a page needs a retry.
    pub margin_steps: f64,
    /// Drift through stress alone, at most, steps.
    pub wear_steps: f64,
    /// Stress at which a fraction `1 - 1/e` of it is there, cycles.
    pub wear_stress: f64,
    /// How steeply it sets in, a power.
    pub wear_power: f64,
    /// A page drifts between `1 - spread` and `1 + spread` times the mean.
    pub spread: f64,
    /// Largest distance of the best voltages from a whole step, steps.
    pub residual_steps: f64,
    /// What the spread is made of; the shares add up to 1.
    pub shares: DriftShares,
}

/// `[read.drift.shares]`: what the spread of drift is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriftShares {
    /// Differs between chips.
    pub chip: f64,
    /// Differs between blocks of a chip.
    pub block: f64,
    /// Height of the layer: the same in every block.
    pub profile: f64,
    /// Differs between the layers of a block.
    pub layer: f64,
    /// Differs between the pages of a layer.
    pub page: f64,
}

/// `[read.floor]`: raw bit errors of the worst 1-KiB codeword at the step that succeeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorConstants {
    /// Worst page of all, unworn, just programmed, 85 C, bits.
    pub fresh_bits: f64,
    /// What 12 months add to it, bits.
    pub retention_bits: f64,
    /// Retention after which that turns from linear to logarithmic in time, months.
    pub onset_months: f64,
    /// What the first cycles add at 12 months, bits: it saturates.
    pub early_bits: f64,
    /// Stress at which a fraction `1 - 1/e` of it is there, cycles.
    pub early_stress: f64,
    /// What the first 1,000 cycles of stress add at 12 months through lasting wear, bits.
    pub wear_bits: f64,
    /// How that grows with stress, a power.
    pub wear_power: f64,
    /// Share of the errors from stress that are there at once; the others come with retention.
    pub prompt_share: f64,
    /// What the worst page adds at 55 C and at 30 C, bits.
    pub cold_bits: [f64; 2],
    /// How much better than the worst page another can be.
    pub shares: FloorShares,
}

/// `[read.floor.shares]`: how much fewer errors than the worst page others have, fractions of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorShares {
    /// Best chip.
    pub chip: f64,
    /// Best block of a chip.
    pub block: f64,
    /// Best layer of a block.
    pub layer: f64,
    /// Best page of a layer; few pages are much worse than others.
    pub page: f64,
}

/// `[read.valley]`: how errors climb beside the best voltages, and the states on either side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValleyConstants {
    /// Half the distance between two states, volts.
    pub half_width_volts: f64,
    /// How far an entry of the retry table that does not fit misplaces references, in half widths.
    pub misfit: f64,
    /// Steps within which that sets in.
    pub reach_steps: f64,
    /// Shift of the voltages per step, in half widths.
    pub step: f64,
    /// Errors at each reference, relative to each other, lowest reference first.
    pub reference_weights: Vec<f64>,
    /// Deviation of the erased state's voltages relative to a programmed one's.
    pub erased_width: f64,
}

/// `[read.cuts]`: errors that shorter senses add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutConstants {
    /// Of tPRE.
    pub precharge: CutCurve,
    /// Of tEVAL.
    pub evaluation: CutCurve,
    /// Of tDISCH.
    pub discharge: CutCurve,
    /// Errors per product of tPRE's with the square of tDISCH's, 1 / bits².
    pub interaction: f64,
    /// Growth per 1,000 cycles of stress, a fraction.
    pub stress_growth: f64,
    /// Growth through 12 months, a fraction.
    pub retention_growth: f64,
    /// Errors that a deep cut of tPRE adds at 30 C, at most, bits.
    pub cold_bits: f64,
    /// Cut of tPRE from which on it does.
    pub cold_cut: f64,
}

/// Errors that a cut adds to the worst page just programmed, after 1,000 cycles, at 85 C: an exponential.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutCurve {
    /// Errors at one cut, bits.
    pub bits: f64,
    /// That cut, a fraction.
    pub at: f64,
    /// E-folds per whole default time.
    pub steepness: f64,
}

/// `[read.estimates]`: how well controllers and chips find the best voltages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateConstants {
    /// Largest error of the first estimate from sentinel cells, steps (SENC).
    pub sentinel_steps: f64,
    /// Largest error of the estimates after that, steps.
    pub sentinel_next_steps: f64,
    /// Largest error of in-chip counting, steps (SWR; RiF on die).
    pub counting_steps: f64,
}
