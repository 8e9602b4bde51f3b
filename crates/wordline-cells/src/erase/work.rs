//! The pulses that a block needs: a tabulated, monotone function of its age.
//!
//! The table gives the share of blocks that are erased within a number of 0.5-ms pulses, after some P/E cycles under
//! ISPE (AERO, Fig. 4). A block keeps its rank among all blocks, its *hardness*, for life.

use super::constants::WorkKnot;

/// The pulses that blocks need, by P/E cycles under ISPE and hardness.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkTable {
    knots: Vec<WorkKnot>,
}

impl WorkTable {
    /// Builds a table from its knots.
    ///
    /// # Errors
    /// If P/E cycles do not rise, or a knot is not a distribution function.
    pub fn new(knots: Vec<WorkKnot>) -> Result<WorkTable, String> {
        if knots.is_empty() {
            return Err("erase work needs at least one entry".to_owned());
        }
        if knots.windows(2).any(|pair| pair[0].pec >= pair[1].pec) {
            return Err("erase work: `pec` must rise from entry to entry".to_owned());
        }
        for knot in &knots {
            check(knot).map_err(|why| format!("erase work at {} P/E cycles: {why}", knot.pec))?;
        }
        Ok(WorkTable { knots })
    }

    /// Pulses of 0.5 ms, at ISPE's voltages, that erase a block of this hardness after `pec` cycles under ISPE. Linear
    /// between the tabulated counts, constant outside of them.
    #[must_use]
    pub fn pulses(&self, pec: f64, hardness: f64) -> f64 {
        self.between(pec, |entry| quantile(&self.knots[entry], hardness))
    }

    /// [`WorkTable::pulses`] of one hardness, to be asked for many counts of P/E cycles.
    pub(super) fn pulses_of(&self, hardness: f64) -> impl Fn(f64) -> f64 {
        let pulses: Vec<f64> = self.knots.iter().map(|knot| quantile(knot, hardness)).collect();
        move |pec| self.between(pec, |entry| pulses[entry])
    }

    fn between(&self, pec: f64, pulses: impl Fn(usize) -> f64) -> f64 {
        let after = self.knots.partition_point(|knot| knot.pec <= pec);
        if after == 0 {
            return pulses(0);
        }
        let (before, low) = (&self.knots[after - 1], pulses(after - 1));
        match self.knots.get(after) {
            None => low,
            Some(next) => {
                let part = (pec - before.pec) / (next.pec - before.pec);
                low + (pulses(after) - low) * part
            }
        }
    }

    /// P/E cycles of the last entry.
    #[must_use]
    pub fn last_pec(&self) -> f64 {
        self.knots[self.knots.len() - 1].pec
    }

    /// The P/E cycles that have an entry.
    pub fn pecs(&self) -> impl Iterator<Item = f64> {
        self.knots.iter().map(|knot| knot.pec)
    }
}

fn check(knot: &WorkKnot) -> Result<(), String> {
    let (share, pulses) = (&knot.share, &knot.pulses);
    if share.len() != pulses.len() || share.len() < 2 {
        return Err("`share` and `pulses` must have the same length, two or more".to_owned());
    }
    if share[0] != 0.0 || share[share.len() - 1] != 1.0 || share.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err("`share` must rise from 0 to 1".to_owned());
    }
    if pulses[0] <= 0.0 || pulses.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err("`pulses` must be above 0 and must not fall".to_owned());
    }
    Ok(())
}

fn quantile(knot: &WorkKnot, hardness: f64) -> f64 {
    let after = knot.share.partition_point(|&share| share <= hardness).clamp(1, knot.share.len() - 1);
    let (s0, s1) = (knot.share[after - 1], knot.share[after]);
    let (p0, p1) = (knot.pulses[after - 1], knot.pulses[after]);
    if s1 > s0 { p0 + (p1 - p0) * ((hardness - s0) / (s1 - s0)).clamp(0.0, 1.0) } else { p1 }
}
