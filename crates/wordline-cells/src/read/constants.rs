//! `[read]` of a chip: the constants of drift and errors. The file gives a source for every value.

use serde::{Deserialize, Serialize};

/// `[read]`: the constants of a read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadConstants {
    /// Entries of the retry table: the most steps from the default voltages.
    pub table_steps: u8,
    /// The read references that a page of each type senses, LSB first; reference 1 separates the erased state from the
    /// first programmed one.
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
    /// `[read.disturb]`; a chip without it is not disturbed.
    #[serde(default)]
    pub disturb: DisturbConstants,
    /// `[read.cross_temperature]`; a chip without it reads the same whatever the temperature of its programs.
    #[serde(default)]
    pub cross_temperature: CrossTemperatureConstants,
    /// `[read.between_steps]`; a chip without it cannot be programmed in two steps.
    pub between_steps: Option<BetweenStepsConstants>,
}

/// `[read.drift]`: the best read voltages, in steps of the retry table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriftConstants {
    /// Retention after which drift turns from linear to logarithmic in time, months.
    pub onset_months: f64,
    /// Steps per e-fold of time, for a block without wear.
    pub steps_per_log: f64,
    /// Growth of that value per 1,000 cycles of stress, a fraction.
    pub steps_per_log_growth: f64,
    /// Steps of drift that the default voltages tolerate before a page needs a retry.
    pub margin_steps: f64,
    /// Maximum drift through stress alone, steps.
    pub wear_steps: f64,
    /// Stress at which a fraction `1 - 1/e` of that drift is reached, cycles.
    pub wear_stress: f64,
    /// Steepness of its onset, an exponent.
    pub wear_power: f64,
    /// A page drifts `1 - spread` to `1 + spread` times the mean.
    pub spread: f64,
    /// Largest distance of the best voltages from a whole step, steps.
    pub residual_steps: f64,
    /// The parts of the spread; the shares add up to 1.
    pub shares: DriftShares,
}

/// `[read.drift.shares]`: the parts of the spread of drift.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriftShares {
    /// Between chips.
    pub chip: f64,
    /// Between blocks of a chip.
    pub block: f64,
    /// By height of the layer: the same in every block.
    pub profile: f64,
    /// Between the layers of a block.
    pub layer: f64,
    /// Between the pages of a layer.
    pub page: f64,
}

/// `[read.floor]`: raw bit errors of the worst 1-KiB codeword at the step that succeeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorConstants {
    /// Worst page of all, without wear, just programmed, 85 C, bits.
    pub fresh_bits: f64,
    /// Additional errors after 12 months, bits.
    pub retention_bits: f64,
    /// Retention after which these turn from linear to logarithmic in time, months.
    pub onset_months: f64,
    /// Additional errors of the first cycles at 12 months, bits; they saturate.
    pub early_bits: f64,
    /// Stress at which a fraction `1 - 1/e` of them is reached, cycles.
    pub early_stress: f64,
    /// Additional errors of the first 1,000 cycles of stress at 12 months through lasting wear, bits.
    pub wear_bits: f64,
    /// Growth of these with stress, an exponent.
    pub wear_power: f64,
    /// Share of the errors from stress that appear at once; the others appear with retention.
    pub prompt_share: f64,
    /// Additional errors of the worst page at 55 C and at 30 C, bits.
    pub cold_bits: [f64; 2],
    /// How much better than the worst page other pages can be.
    pub shares: FloorShares,
}

/// `[read.floor.shares]`: how many fewer errors than the worst page other pages have, as fractions of its errors.
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

/// `[read.valley]`: the growth of errors beside the best voltages, and the states on either side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValleyConstants {
    /// Half the distance between two states, volts.
    pub half_width_volts: f64,
    /// Displacement of references by an entry of the retry table that does not fit, in half widths.
    pub misfit: f64,
    /// Steps over which this displacement develops.
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
    /// Errors by the cut of tPRE.
    pub precharge: CutCurve,
    /// Errors by the cut of tEVAL.
    pub evaluation: CutCurve,
    /// Errors by the cut of tDISCH.
    pub discharge: CutCurve,
    /// Errors per product of those of tPRE and the squared errors of tDISCH, 1 / bits².
    pub interaction: f64,
    /// Growth per 1,000 cycles of stress, a fraction.
    pub stress_growth: f64,
    /// Growth over 12 months, a fraction.
    pub retention_growth: f64,
    /// Maximum errors that a deep cut of tPRE adds at 30 C, bits.
    pub cold_bits: f64,
    /// Smallest cut of tPRE that adds them.
    pub cold_cut: f64,
}

/// Errors that a cut adds to the worst page, just programmed, after 1,000 cycles, at 85 C: an exponential.
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

/// `[read.estimates]`: how precisely controllers and chips find the best voltages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateConstants {
    /// Largest error of the first estimate from sentinel cells, steps (SENC).
    pub sentinel_steps: f64,
    /// Largest error of the later estimates, steps.
    pub sentinel_next_steps: f64,
    /// Largest error of in-chip counting, steps (SWR; RiF on die).
    pub counting_steps: f64,
}

/// `[read.disturb]`: errors that reads of a block bring to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisturbConstants {
    /// Raw bit error rate that each read adds after 2,000 cycles of stress.
    pub rber_per_read: f64,
    /// Growth with stress, an exponent.
    pub wear_power: f64,
}

/// `[read.cross_temperature]`: data programmed at another temperature than that of the read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossTemperatureConstants {
    /// Distance of the best read voltages by degree of difference, steps.
    pub steps_per_c: f64,
    /// Errors at the best voltages by degree that the program was hotter than the read, bits.
    pub hotter_bits_per_c: f64,
    /// The same by degree that it was colder.
    pub colder_bits_per_c: f64,
}

/// `[read.between_steps]`: wordlines that have had the first of two steps of their program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetweenStepsConstants {
    /// Deviation of a state's voltages relative to that of a finished one.
    pub width: f64,
}
