//! Checks of the constants in `[read]` of a chip.

use super::constants::{CutCurve, ReadConstants};
use crate::Cell;

/// An invalid constant: its section, its key, and the rule for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Section, such as `read.drift`.
    pub section: &'static str,
    /// Key in that section.
    pub key: &'static str,
    /// The rule.
    pub rule: String,
}

type Number = (&'static str, f64);

fn all(
    section: &'static str,
    numbers: &[Number],
    holds: impl Fn(f64) -> bool,
    rule: &str,
) -> Result<(), Misfit> {
    match numbers.iter().find(|(_, value)| !holds(*value)) {
        Some((key, value)) => Err(Misfit { section, key, rule: format!("must be {rule}, and is {value}") }),
        None => Ok(()),
    }
}

fn positive(section: &'static str, numbers: &[Number]) -> Result<(), Misfit> {
    all(section, numbers, |x| x > 0.0 && x.is_finite(), "above 0")
}

fn not_negative(section: &'static str, numbers: &[Number]) -> Result<(), Misfit> {
    all(section, numbers, |x| x >= 0.0 && x.is_finite(), "0 or more")
}

impl ReadConstants {
    /// Checks the constants of a chip with this kind of cell.
    ///
    /// # Errors
    /// The first constant that is out of its range or does not fit the cell.
    pub fn check(&self, cell: Cell) -> Result<(), Misfit> {
        self.check_references(cell)?;
        self.check_drift()?;
        self.check_floor()?;
        let valley = &self.valley;
        positive(
            "read.valley",
            &[
                ("half_width_volts", valley.half_width_volts),
                ("reach_steps", valley.reach_steps),
                ("erased_width", valley.erased_width),
            ],
        )?;
        not_negative("read.valley", &[("misfit", valley.misfit), ("step", valley.step)])?;
        self.check_cuts()?;
        let disturb = &self.disturb;
        not_negative(
            "read.disturb",
            &[("rber_per_read", disturb.rber_per_read), ("wear_power", disturb.wear_power)],
        )?;
        let cross = &self.cross_temperature;
        not_negative(
            "read.cross_temperature",
            &[
                ("steps_per_c", cross.steps_per_c),
                ("hotter_bits_per_c", cross.hotter_bits_per_c),
                ("colder_bits_per_c", cross.colder_bits_per_c),
            ],
        )?;
        if let Some(between) = &self.between_steps {
            positive("read.between_steps", &[("width", between.width)])?;
        }
        let e = &self.estimates;
        not_negative(
            "read.estimates",
            &[
                ("sentinel_steps", e.sentinel_steps),
                ("sentinel_next_steps", e.sentinel_next_steps),
                ("counting_steps", e.counting_steps),
            ],
        )
    }

    fn check_references(&self, cell: Cell) -> Result<(), Misfit> {
        let references = (1usize << cell.bits()) - 1;
        let rule = |key, rule: String| Err(Misfit { section: "read", key, rule });
        let mut sensed: Vec<u8> = self.references.iter().flatten().copied().collect();
        sensed.sort_unstable();
        if self.references.len() != cell.bits() as usize || !sensed.iter().copied().eq(1..=references as u8) {
            let text =
                format!("must name each reference from 1 to {references} once, in {} lists", cell.bits());
            return rule("references", text);
        }
        if self.table_steps == 0 || self.table_steps > 127 {
            return rule("table_steps", format!("must be 1 to 127, and is {}", self.table_steps));
        }
        let weights = &self.valley.reference_weights;
        if weights.len() != references || weights.iter().any(|&weight| weight <= 0.0 || !weight.is_finite()) {
            let rule = format!("must give each of the {references} references a weight above 0");
            return Err(Misfit { section: "read.valley", key: "reference_weights", rule });
        }
        Ok(())
    }

    fn check_drift(&self) -> Result<(), Misfit> {
        let (section, d) = ("read.drift", &self.drift);
        positive(
            section,
            &[("onset_months", d.onset_months), ("wear_stress", d.wear_stress), ("wear_power", d.wear_power)],
        )?;
        not_negative(
            section,
            &[
                ("steps_per_log", d.steps_per_log),
                ("steps_per_log_growth", d.steps_per_log_growth),
                ("margin_steps", d.margin_steps),
                ("wear_steps", d.wear_steps),
            ],
        )?;
        all(section, &[("spread", d.spread)], |x| (0.0..1.0).contains(&x), "at least 0 and below 1")?;
        let residual = [("residual_steps", d.residual_steps)];
        all(section, &residual, |x| (0.0..0.5).contains(&x), "at least 0 and below 0.5")?;
        let s = &d.shares;
        let shares = [s.chip, s.block, s.profile, s.layer, s.page];
        let sum: f64 = shares.iter().sum();
        if shares.iter().any(|&share| share < 0.0) || (sum - 1.0).abs() > 1e-6 {
            let rule = format!("must be 0 or more and add up to 1, and add up to {sum}");
            return Err(Misfit { section, key: "shares", rule });
        }
        Ok(())
    }

    fn check_floor(&self) -> Result<(), Misfit> {
        let (section, f) = ("read.floor", &self.floor);
        positive(
            section,
            &[
                ("fresh_bits", f.fresh_bits),
                ("onset_months", f.onset_months),
                ("early_stress", f.early_stress),
                ("wear_power", f.wear_power),
            ],
        )?;
        not_negative(
            section,
            &[
                ("retention_bits", f.retention_bits),
                ("early_bits", f.early_bits),
                ("wear_bits", f.wear_bits),
                ("cold_bits", f.cold_bits[0]),
                ("cold_bits", f.cold_bits[1]),
            ],
        )?;
        all(section, &[("prompt_share", f.prompt_share)], |x| (0.0..=1.0).contains(&x), "0 to 1")?;
        let s = &f.shares;
        let shares = [s.chip, s.block, s.layer, s.page];
        let sum: f64 = shares.iter().sum();
        if shares.iter().any(|&share| share < 0.0) || sum >= 1.0 || sum.is_nan() {
            let rule = format!("must be 0 or more and add up to less than 1, and add up to {sum}");
            return Err(Misfit { section, key: "shares", rule });
        }
        Ok(())
    }

    fn check_cuts(&self) -> Result<(), Misfit> {
        let (section, c) = ("read.cuts", &self.cuts);
        let curves: [(&'static str, &CutCurve); 3] =
            [("precharge", &c.precharge), ("evaluation", &c.evaluation), ("discharge", &c.discharge)];
        for (key, curve) in curves {
            positive(section, &[(key, curve.at), (key, curve.steepness)])?;
            not_negative(section, &[(key, curve.bits)])?;
        }
        not_negative(
            section,
            &[
                ("interaction", c.interaction),
                ("retention_growth", c.retention_growth),
                ("cold_bits", c.cold_bits),
            ],
        )?;
        positive(section, &[("cold_cut", c.cold_cut)])?;
        // A negative value at zero stress would remove errors.
        all(section, &[("stress_growth", c.stress_growth)], |x| (0.0..=1.0).contains(&x), "0 to 1")
    }
}
