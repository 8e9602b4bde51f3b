//! The effect of one pulse: its progress and its damage.
//!
//! Under ISPE the voltage keeps up with the cells. Each pulse of 0.5 ms makes the same progress (AERO, Section 5.2),
//! and each loop's voltage fits the progress of the previous loop. A pulse whose voltage is ahead of the cells is
//! *overdriven*: it closes the gap exponentially, because the tunnelling current grows with the field, and then
//! continues as usual. i-ISPE causes this when it begins with a late loop's voltage.
//!
//! Damage of a pulse, in pulses of the first loop: `damage_per_loop ^ (loop - 1) * progress ^ overdrive_damage`, plus
//! `ramp_damage` for switching it on and off. A lower voltage (DPES) counts as the fraction of a loop by which it is
//! lower. It makes the same progress, since the narrower window asks less of the cells, and the block becomes as hard to
//! erase as at the full voltage (its *ageing*): in the data of AERO's authors DPES's erases are as long as ISPE's at equal
//! P/E cycles.

use super::constants::EraseConstants;

/// The prepared constants of pulses.
#[derive(Clone, Debug, PartialEq)]
pub struct PulseModel {
    per_loop: f64,
    speed: f64,
    decay: f64,
    exponent: f64,
    ramp: f64,
    ln_weight: f64,
    volts: f64,
    step: f64,
    weights: [f64; 8],
}

/// What a pulse does to the cells of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pulsed {
    /// Their progress after it, in short pulses at ISPE's voltages.
    pub done: f64,
    /// Its damage, in pulses of the first loop.
    pub damage: f64,
    /// What it adds to how hard the block is to erase, in the same unit: its damage at the loop's full voltage.
    pub ageing: f64,
}

impl PulseModel {
    pub(super) fn new(constants: &EraseConstants) -> PulseModel {
        let mut weights = [1.0; 8];
        for level in 1..weights.len() {
            weights[level] = weights[level - 1] * constants.damage_per_loop;
        }
        PulseModel {
            per_loop: f64::from(constants.pulses_per_loop),
            speed: constants.overdrive_speed,
            decay: libm::exp(-constants.overdrive_speed),
            exponent: constants.overdrive_damage,
            ramp: constants.ramp_damage,
            ln_weight: libm::log(constants.damage_per_loop),
            volts: constants.voltage_v,
            step: constants.voltage_step_v,
            weights,
        }
    }

    /// Erase voltage of a loop, V.
    #[must_use]
    pub fn voltage_v(&self, level: u8, voltage_cut: f64) -> f64 {
        (self.volts + self.step * f64::from(level.max(1) - 1)) * (1.0 - voltage_cut)
    }

    /// Damage of one 0.5-ms pulse that is not overdriven, in pulses of the first loop.
    #[must_use]
    pub fn weight(&self, level: u8, voltage_cut: f64) -> f64 {
        let full = self.weights[usize::from(level.max(1) - 1).min(self.weights.len() - 1)];
        if voltage_cut == 0.0 {
            return full;
        }
        full * libm::exp(-self.loops_lower(level, voltage_cut) * self.ln_weight)
    }

    /// Distance of a reduced voltage from the loop's own, in voltage steps of a loop.
    fn loops_lower(&self, level: u8, voltage_cut: f64) -> f64 {
        voltage_cut * self.voltage_v(level, 0.0) / self.step
    }

    /// Damage of an erase under ISPE that takes `loops` full loops.
    #[must_use]
    pub fn ispe_damage(&self, loops: u8) -> f64 {
        (1..=loops).map(|level| self.weight(level, 0.0) * (self.per_loop + self.ramp)).sum()
    }

    /// Progress of one 0.5-ms pulse at a loop's voltage, on cells with a progress of `done` pulses.
    #[must_use]
    pub fn progress(&self, level: u8, done: f64) -> f64 {
        let gap = self.per_loop * f64::from(level.max(1) - 1) - done;
        if gap <= 0.0 {
            return 1.0;
        }
        // The remaining distance obeys y' = -speed y with y = gap + 1 / speed, until y = 1 / speed.
        let rest = (gap + 1.0 / self.speed) * self.decay;
        if rest >= 1.0 / self.speed {
            gap + 1.0 / self.speed - rest
        } else {
            gap + 1.0 - libm::log1p(gap * self.speed) / self.speed
        }
    }

    /// A pulse of `short_pulses` times 0.5 ms, on cells with a progress of `done` pulses.
    #[must_use]
    pub fn pulse(&self, level: u8, short_pulses: u8, voltage_cut: f64, done: f64) -> Pulsed {
        let mut came = done;
        let mut damage = if short_pulses > 0 { self.ramp } else { 0.0 };
        for _ in 0..short_pulses {
            let progress = self.progress(level, came);
            came += progress;
            damage += if progress > 1.0 { libm::pow(progress, self.exponent) } else { 1.0 };
        }
        Pulsed {
            done: came,
            damage: damage * self.weight(level, voltage_cut),
            ageing: damage * self.weight(level, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulse_ahead_of_the_cells_comes_further_and_hurts_more() {
        let constants = crate::Chip::built_in("tlc-48l").unwrap().unwrap().erase.unwrap();
        let model = PulseModel::new(&constants);
        let in_step = f64::from(constants.pulses_per_loop) * 2.0;
        let per_progress = |done| {
            let pulsed = model.pulse(3, 1, 0.0, done);
            (pulsed.done - done, pulsed.damage - model.ramp * model.weight(3, 0.0))
        };
        let (progress, damage) = per_progress(in_step);
        assert!((progress - 1.0).abs() < 1e-12 && (damage / model.weight(3, 0.0) - 1.0).abs() < 1e-12);
        let (further, more) = per_progress(0.0);
        assert!(further > 2.0, "{further}");
        assert!(more > 1.05 * damage, "{more} of {damage}");
    }
}
