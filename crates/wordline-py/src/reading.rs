//! A chip lab for reads: what PR2/AR2 measured on its chips, from the device model.

use pyo3::prelude::*;
use serde_json::{Value, json};
use wordline_cells::characterize::read::{Bench, Sample};
use wordline_cells::read::{Cells, Drift, Floor, Profile, ReadConstants, States, TimingCut};
use wordline_core::config::Cell;

use crate::bug;
use crate::config::Configuration;
use crate::errors;

/// Pages of a kind of chip on the bench: every page of some blocks of each of some chips.
#[pyclass(frozen, module = "wordline._core")]
pub struct ReadBench {
    constants: ReadConstants,
    cell: Cell,
    cells: Cells,
    sample: Sample,
    capability_bits: f32,
}

#[pymethods]
impl ReadBench {
    /// The chip, the user's retry table, what the ECC corrects, and the seed are the configuration's.
    #[new]
    #[pyo3(signature = (config, *, chips, blocks, pages))]
    fn new(config: &Configuration, chips: u32, blocks: u32, pages: u32) -> PyResult<Self> {
        let own = &config.resolved.config;
        let chip = own.device.chip.as_ref();
        let Some((chip, constants)) = chip.and_then(|chip| Some((chip, chip.read.as_ref()?))) else {
            return Err(errors::wrong_value(
                "the chip of `cells.chip` has no `[read]` part; name one that has, such as tlc-48l",
            ));
        };
        if chips == 0 || blocks == 0 || pages < chip.cell.bits() {
            return Err(errors::wrong_value("a sample needs chips, blocks, and a word line of pages"));
        }
        let mut cells = Cells::new(constants, chip.cell, chip.geometry.layers, pages, own.seed);
        if let Some(table) = &own.device.retry_table {
            cells = cells.with_retry_table(table.as_ref().clone());
        }
        let sample = Sample { chips, blocks, pages };
        Ok(Self {
            constants: constants.clone(),
            cell: chip.cell,
            cells,
            sample,
            capability_bits: own.ecc.correctable_bits as f32,
        })
    }

    /// Entries of the retry table.
    fn table_steps(&self) -> u8 {
        self.cells.table_steps()
    }

    /// Share of pages by retry steps; the last number is the share that no step reads: PR2/AR2, Fig. 5.
    fn retry_steps(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || self.bench().retry_steps_by_months(cycles, &[months], temperature_c).remove(0))
    }

    /// Most errors of any page at the step that succeeds, for each cut of (tPRE, tEVAL, tDISCH): PR2/AR2,
    /// Fig. 7 to 10.
    fn m_err(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        cuts: Vec<(f64, f64, f64)>,
    ) -> PyResult<Vec<f64>> {
        let cuts: Vec<TimingCut> = cuts
            .into_iter()
            .map(|(precharge, evaluation, discharge)| TimingCut { precharge, evaluation, discharge })
            .collect();
        bug::detached(py, || self.bench().m_err_by_cut(cycles, months, temperature_c, &cuts))
    }

    /// The table of safe cuts of tPRE by cycles and months: PR2/AR2, Fig. 11.
    fn timing_table(&self, py: Python<'_>) -> PyResult<String> {
        let profile = Profile { capability_bits: self.capability_bits, ..Profile::default() };
        let table = bug::detached(py, || self.bench().timing_table(&profile))?;
        let (cycles, months) = table.axes();
        let rows: Vec<&[f32]> = table.cuts().chunks(months.len()).collect();
        let document = json!({
            "cycles": cycles, "months": months, "cuts": rows.iter().map(|row| rounded(row)).collect::<Vec<_>>(),
            "bytes": table.bytes(), "safety_bits": profile.safety_bits,
        });
        Ok(document.to_string())
    }

    /// Errors in the last `count` steps of the first page that takes `steps`: PR2/AR2, Fig. 4b.
    fn errors_in_last_steps(
        &self,
        py: Python<'_>,
        steps: u8,
        count: u8,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || self.bench().errors_in_last_steps(steps, count, cycles, months, temperature_c))
    }

    /// Days until the first page needs a retry: RiF.
    fn first_retry_days(&self, py: Python<'_>, cycles: f64) -> PyResult<f64> {
        bug::detached(py, || self.bench().first_retry_days(&[cycles])[0])
    }

    /// Errors of each block's worst page, averaged over the blocks.
    fn m_rber(&self, py: Python<'_>, cycles: f64, months: f64, temperature_c: f64) -> PyResult<f64> {
        bug::detached(py, || self.bench().m_rber_by_cycles(&[cycles], months, temperature_c)[0])
    }

    /// Raw bit error rates at some quantiles of the pages, read so many steps short of their best voltages.
    fn rber_quantiles(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        behind_steps: f64,
        quantiles: Vec<f64>,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || {
            self.bench().rber_quantiles(cycles, months, temperature_c, behind_steps, &quantiles)
        })
    }

    /// Threshold voltages of the mean page's states, and where the retry table reads.
    fn vth(&self, cycles: f64, months: f64, temperature_c: f64) -> String {
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
        .to_string()
    }

    /// The formulas themselves: mean drift (steps) and errors of the worst page (bits).
    fn formulas(&self, cycles: f64, months: f64, temperature_c: f64) -> (f64, f64) {
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

/// Cuts as they were written, not as 32 bits hold them.
fn rounded(cuts: &[f32]) -> Value {
    cuts.iter().map(|&cut| (f64::from(cut) * 1e4).round() / 1e4).collect()
}
