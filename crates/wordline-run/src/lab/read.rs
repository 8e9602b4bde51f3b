//! A chip lab for reads: repeats PR2/AR2's measurements on the device model.

use serde_json::{Value, json};
use wordline_cells::Cell;
use wordline_cells::characterize::read::{Bench, PageSample};
use wordline_cells::read::{Cells, Drift, Estimates, Floor, Profile, ReadConstants, States, TimingCut};
use wordline_core::config::Config;

use crate::WrongValue;

/// Pages of a kind of chip under test: every page of some blocks on each of some chips.
pub struct ReadBench {
    constants: ReadConstants,
    cell: Cell,
    cells: Cells,
    estimates: Estimates,
    sample: PageSample,
    capability_bits: f32,
}

impl ReadBench {
    /// Builds a bench with the configuration's chip, retry table, ECC capability and seed.
    pub fn new(config: &Config, chips: u32, blocks: u32, pages: u32) -> Result<Self, WrongValue> {
        let chip = config.device.chip.as_ref();
        let Some((chip, constants)) = chip.and_then(|chip| Some((chip, chip.read.as_ref()?))) else {
            return Err(WrongValue::new(
                "the chip of `cells.chip` has no `[read]` part; name one that has, such as tlc-48l",
            ));
        };
        if chips == 0 || blocks == 0 || pages < chip.cell.bits() {
            return Err(WrongValue::new("a sample needs chips, blocks, and a word line of pages"));
        }
        let mut cells = Cells::new(constants, chip.cell, chip.geometry.layers, pages, config.seed);
        if let Some(table) = &config.device.retry_table {
            cells = cells.with_retry_table(table.as_ref().clone());
        }
        let sample = PageSample { chips, blocks, pages };
        Ok(Self {
            constants: constants.clone(),
            cell: chip.cell,
            estimates: Estimates::new(&constants.estimates, cells.table_steps(), config.seed),
            cells,
            sample,
            capability_bits: config.ecc.correctable_bits as f32,
        })
    }

    /// Entries of the retry table.
    #[must_use]
    pub fn table_steps(&self) -> u8 {
        self.cells.table_steps()
    }

    /// Share of pages by retry steps; the last number is the share that no step can read: PR2/AR2, Fig. 5.
    #[must_use]
    pub fn retry_steps(&self, cycles: f64, months: f64, temperature_c: f64) -> Vec<f64> {
        self.bench().retry_steps_by_months(cycles, &[months], temperature_c).remove(0)
    }

    /// Most errors of any page at the step that succeeds, for each cut of (tPRE, tEVAL, tDISCH): PR2/AR2,
    /// Fig. 7 to 10.
    #[must_use]
    pub fn m_err(&self, cycles: f64, months: f64, temperature_c: f64, cuts: &[TimingCut]) -> Vec<f64> {
        self.bench().m_err_by_cut(cycles, months, temperature_c, cuts)
    }

    /// The table of safe cuts of tPRE by cycles and months: PR2/AR2, Fig. 11.
    #[must_use]
    pub fn timing_table(&self) -> Value {
        let profile = Profile { capability_bits: self.capability_bits, ..Profile::default() };
        let table = self.bench().timing_table(&profile);
        let (cycles, months) = table.axes();
        let rows: Vec<&[f32]> = table.cuts().chunks(months.len()).collect();
        json!({
            "cycles": cycles, "months": months, "cuts": rows.iter().map(|row| rounded(row)).collect::<Vec<_>>(),
            "bytes": table.bytes(), "safety_bits": profile.safety_bits,
        })
    }

    /// Errors in the last `count` steps of the first page that takes `steps`: PR2/AR2, Fig. 4b.
    #[must_use]
    pub fn errors_in_last_steps(
        &self,
        steps: u8,
        count: u8,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> Vec<f64> {
        self.bench().errors_in_last_steps(steps, count, cycles, months, temperature_c)
    }

    /// Days until the first page needs a retry: RiF.
    #[must_use]
    pub fn first_retry_days(&self, cycles: f64) -> f64 {
        self.bench().first_retry_days(&[cycles])[0]
    }

    /// Mean number of further reads of the pages whose first read fails; NaN if none fails. Sentinel cells, or else counts
    /// of cells, give the voltages.
    #[must_use]
    pub fn further_reads(&self, is_sentinel: bool, cycles: f64, months: f64, temperature_c: f64) -> f64 {
        let further = self.bench().further_reads(cycles, months, temperature_c, |place, page, nth| {
            if is_sentinel {
                self.estimates.sentinel(place, page, nth)
            } else {
                self.estimates.counting(place, page, nth)
            }
        });
        further.unwrap_or(f64::NAN)
    }

    /// Errors of each block's worst page, averaged over the blocks.
    #[must_use]
    pub fn m_rber(&self, cycles: f64, months: f64, temperature_c: f64) -> f64 {
        self.bench().m_rber_by_cycles(&[cycles], months, temperature_c)[0]
    }

    /// Raw bit error rates at some quantiles of the pages, read this many steps short of their best voltages.
    #[must_use]
    pub fn rber_quantiles(
        &self,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        behind_steps: f64,
        quantiles: &[f64],
    ) -> Vec<f64> {
        self.bench().rber_quantiles(cycles, months, temperature_c, behind_steps, quantiles)
    }

    /// Threshold voltages of the mean page's states, and the references of the retry table.
    #[must_use]
    pub fn vth(&self, cycles: f64, months: f64, temperature_c: f64) -> Value {
        let states = States::new(&self.constants, self.cell);
        let steps = Drift::new(&self.constants.drift).mean_steps(cycles, months);
        let voltages = states.voltages(cycles, months, temperature_c);
        json!({
            "drift_steps": steps,
            "mean_v": voltages.iter().map(|state| state.mean_volts).collect::<Vec<_>>(),
            "sigma_v": voltages.iter().map(|state| state.sigma_volts).collect::<Vec<_>>(),
            "default_reads_v": states.references(0.0),
            "best_reads_v": states.references(whole(steps)),
        })
    }

    /// The values of the formulas: mean drift (steps) and errors of the worst page (bits).
    #[must_use]
    pub fn formulas(&self, cycles: f64, months: f64, temperature_c: f64) -> (f64, f64) {
        let drift = Drift::new(&self.constants.drift).mean_steps(cycles, months);
        (drift, Floor::new(&self.constants.floor).worst_bits(cycles, months, temperature_c))
    }
}

impl ReadBench {
    fn bench(&self) -> Bench<'_> {
        Bench { cells: &self.cells, sample: self.sample, capability_bits: self.capability_bits }
    }
}

/// Rounds half up: steps are never negative.
fn whole(steps: f64) -> f64 {
    (steps + 0.5).floor()
}

/// Converts cuts to their written values, without the error of 32 bits.
fn rounded(cuts: &[f32]) -> Value {
    cuts.iter().map(|&cut| (f64::from(cut) * 1e4).round() / 1e4).collect()
}
