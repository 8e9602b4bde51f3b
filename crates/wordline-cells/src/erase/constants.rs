//! The `[erase]` part of a chip: the erase of its blocks, and the damage it does.

use serde::{Deserialize, Serialize};

/// Constants of erasing one kind of chip. The files that use voltages, weights and errors explain them: `work.rs`,
/// `pulse.rs`, `fail_bits.rs`, `residual.rs`, `stress.rs`, `age.rs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EraseConstants {
    /// The granularity of pulses, ms.
    pub pulse_ms: f64,
    /// tEP: short pulses in one loop of ISPE.
    pub pulses_per_loop: u8,
    /// tVR, us.
    pub verify_us: f64,
    /// Number of erase voltages of ISPE.
    pub max_loops: u8,
    /// Erase voltage of the first loop, V.
    pub voltage_v: f64,
    /// Voltage step per loop, V.
    pub voltage_step_v: f64,
    /// Damage of a pulse, relative to a pulse of the previous loop.
    pub damage_per_loop: f64,
    /// Rate at which an overdriven pulse closes the gap to its voltage, per pulse.
    pub overdrive_speed: f64,
    /// Exponent of the progress of an overdriven pulse in its damage, 0 to 1.
    pub overdrive_damage: f64,
    /// Share of the pulses left out by an incomplete erase that the next erase has to add: in blocks that need no more than
    /// one loop, and in those that need two or more.
    pub undone_carried: [f64; 2],
    /// Damage of switching a pulse on and off, in pulses.
    pub ramp_damage: f64,
    /// Share of programs in the stress of a P/E cycle under ISPE.
    pub program_share: f64,
    /// How closely the stress of a cycle follows the block's own erase work: 0 not at all, 1 fully.
    pub hardness_spread: f64,
    /// Share of the growth of erase age in a cycle that does not depend on its pulses: in fresh blocks, and from 4,000 P/E
    /// cycles on.
    pub ageing_without_pulses: [f64; 2],
    /// F_PASS: fail bits at which a block counts as erased.
    pub fail_bits_pass: f64,
    /// gamma: fail bits with one short pulse to go.
    pub fail_bits_gamma: f64,
    /// delta: fail bits that a short pulse removes, in the slowest erase.
    pub fail_bits_delta: f64,
    /// Variation of delta between erases, as a share.
    pub fail_bits_spread: f64,
    /// Fail bits of a block before any pulse.
    pub fail_bits_saturation: f64,
    /// Errors in 1 KiB that gamma fail bits leave, by the loops that the block needs; twice as many in a block that needs
    /// half a loop.
    pub residual_gamma_bits: Vec<f64>,
    /// Errors in 1 KiB that delta fail bits leave, likewise.
    pub residual_delta_bits: Vec<f64>,
    /// Pulses that blocks need, by P/E cycles under ISPE.
    pub work: Vec<WorkKnot>,
}

/// The pulses that blocks need after some P/E cycles under ISPE: a distribution function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkKnot {
    /// P/E cycles under ISPE.
    pub pec: f64,
    /// Shares of the blocks, 0 to 1, rising.
    pub share: Vec<f64>,
    /// Short pulses within which that share is erased.
    pub pulses: Vec<f64>,
}

impl EraseConstants {
    /// Checks the numbers.
    ///
    /// # Errors
    /// Names the first key with an invalid value, and its range.
    pub fn check(&self) -> Result<(), String> {
        let loops = usize::from(self.max_loops);
        let rules: [(bool, &str); 16] = [
            (self.pulse_ms > 0.0, "erase.pulse_ms must be above 0"),
            ((1..=32).contains(&self.pulses_per_loop), "erase.pulses_per_loop must be 1 to 32"),
            (self.verify_us >= 0.0, "erase.verify_us must not be negative"),
            ((1..=7).contains(&loops), "erase.max_loops must be 1 to 7"),
            (self.voltage_v > 0.0 && self.voltage_step_v > 0.0, "erase voltages must be above 0"),
            (self.damage_per_loop >= 1.0, "erase.damage_per_loop must be 1 or more"),
            (self.overdrive_speed > 0.0, "erase.overdrive_speed must be above 0"),
            ((0.0..=1.0).contains(&self.overdrive_damage), "erase.overdrive_damage must be 0 to 1"),
            (
                self.undone_carried.iter().all(|share| (0.0..=1.0).contains(share)),
                "erase.undone_carried must be two shares, 0 to 1",
            ),
            ((0.0..=1.0).contains(&self.ramp_damage), "erase.ramp_damage must be 0 to 1"),
            ((0.0..1.0).contains(&self.program_share), "erase.program_share must be 0 to below 1"),
            ((0.0..=1.0).contains(&self.hardness_spread), "erase.hardness_spread must be 0 to 1"),
            (
                self.ageing_without_pulses.iter().all(|share| (0.0..=1.0).contains(share)),
                "erase.ageing_without_pulses must be two shares, 0 to 1",
            ),
            (
                0.0 <= self.fail_bits_pass
                    && self.fail_bits_pass < self.fail_bits_gamma
                    && self.fail_bits_gamma < self.fail_bits_delta
                    && self.fail_bits_delta * 7.0 < self.fail_bits_saturation
                    && (0.0..0.5).contains(&self.fail_bits_spread),
                "erase.fail_bits must rise: pass, gamma, delta, and saturation above 7 delta; spread is 0 to 0.5",
            ),
            (
                self.residual_gamma_bits.len() == loops && self.residual_delta_bits.len() == loops,
                "erase.residual_*_bits must have one number a loop",
            ),
            (!self.work.is_empty(), "erase.work must have at least one entry"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, message)) => Err((*message).to_owned()),
            None => Ok(()),
        }
    }
}
