//! Chips under test: the errors of reads, measured on the device model like PR2/AR2 on real chips.

use pyo3::prelude::*;
use serde_json::{Value, json};
use wordline_cells::Cell;
use wordline_cells::bench::read::{Bench, PageSample};
use wordline_cells::read::{
    Cells, Drift, Estimates, Floor, PageState, Place, Profile, ReadConstants, States, TimingCut,
};

use super::{Setup, to_python, wrong};
use crate::bug;

/// Every page of some blocks of some chips of the kind that a configuration names (`cells.chip`).
///
/// The user's retry table, the ECC's capability (`ecc.correctable_bits`) and the seed come from the configuration.
/// `cycles` are P/E cycles of stress, `months` retention at 30 C, `temperature_c` is that of the read.
///
/// Args:
///     config: The configuration.
///     chips: Number of chips under test.
///     blocks: Number of blocks per chip.
///     pages: Number of pages per block.
///
/// Raises:
///     WrongValueError: `cells.chip` names no chip, or one whose reads are unknown.
#[pyclass(frozen, module = "wordline._core")]
pub struct ReadBench {
    constants: ReadConstants,
    cell: Cell,
    cells: Cells,
    estimates: Estimates,
    sample: PageSample,
    capability_bits: f32,
}

#[pymethods]
impl ReadBench {
    // PR2/AR2, Section 4: chips, blocks per chip, and pages per block.
    #[new]
    #[pyo3(signature = (config, *, chips=160, blocks=120, pages=576))]
    fn new(config: Setup, chips: u32, blocks: u32, pages: u32) -> PyResult<Self> {
        let config = config.config();
        let chip = config.device.chip.as_ref();
        let Some((chip, constants)) = chip.and_then(|chip| Some((chip, chip.read.as_ref()?))) else {
            return Err(wrong(
                "the chip of `cells.chip` has no `[read]` part; name one that has, such as tlc-48l",
            ));
        };
        if chips == 0 || blocks == 0 || pages < chip.cell.bits() {
            return Err(wrong("a sample needs chips, blocks, and a word line of pages"));
        }
        let mut cells = Cells::new(constants, chip.cell, chip.geometry.layers, pages, config.seed);
        if let Some(table) = &config.device.retry_table {
            cells = cells.with_retry_table(table.as_ref().clone());
        }
        Ok(Self {
            constants: constants.clone(),
            cell: chip.cell,
            estimates: Estimates::new(&constants.estimates, cells.table_steps(), config.seed),
            cells,
            sample: PageSample { chips, blocks, pages },
            capability_bits: config.ecc.correctable_bits as f32,
        })
    }

    /// Number of entries of the retry table.
    #[getter]
    fn table_steps(&self) -> u8 {
        self.cells.table_steps()
    }

    /// Returns the share of pages by retry steps, from 0; the last number is the share that no step can read.
    ///
    /// PR2/AR2, Fig. 5.
    #[pyo3(signature = (cycles, months, temperature_c=30.0))]
    fn retry_steps(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || self.bench().retry_steps_by_months(cycles, &[months], temperature_c).remove(0))
    }

    /// Returns M_ERR, the most errors in 1 KiB of any page at the step that succeeds, for each given cut.
    ///
    /// A cut is three fractions, by which tPRE, tEVAL and tDISCH are cut; PR2/AR2, Fig. 7 to 10.
    #[pyo3(signature = (cycles, months, temperature_c, cuts=vec![(0.0, 0.0, 0.0)]))]
    fn m_err(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        cuts: Vec<(f64, f64, f64)>,
    ) -> PyResult<Vec<f64>> {
        let cut = |(precharge, evaluation, discharge)| TimingCut { precharge, evaluation, discharge };
        let cuts: Vec<TimingCut> = cuts.into_iter().map(cut).collect();
        bug::detached(py, || self.bench().m_err_by_cut(cycles, months, temperature_c, &cuts))
    }

    /// Returns the read-timing table from profiling: `cuts` of tPRE by `cycles`, then `months`, and its `bytes`.
    ///
    /// PR2/AR2, Fig. 11.
    fn timing_table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let profile = Profile { capability_bits: self.capability_bits, ..Profile::default() };
        let table = bug::detached(py, || self.bench().timing_table(&profile))?;
        let (cycles, months) = table.axes();
        let rows = table.cuts().chunks(months.len()).map(rounded);
        let document = json!({
            "cycles": cycles, "months": months, "cuts": Value::from_iter(rows), "bytes": table.bytes(),
            "safety_bits": profile.safety_bits,
        });
        to_python(py, &document)
    }

    /// Returns errors in 1 KiB in the last steps of the first page that needs `steps`; none if no page does.
    ///
    /// PR2/AR2, Fig. 4b.
    #[pyo3(signature = (steps, count, cycles, months, temperature_c=85.0))]
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

    /// Returns the days until the first page needs a retry (RiF).
    fn first_retry_days(&self, py: Python<'_>, cycles: f64) -> PyResult<f64> {
        bug::detached(py, || self.bench().first_retry_days(&[cycles])[0])
    }

    /// Mean number of further reads, at voltages that `sentinel` cells or `counting` of cells estimate, of pages whose
    /// first read fails; NaN if none fails.
    fn further_reads(&self, py: Python<'_>, by: &str, cycles: f64, months: f64) -> PyResult<f64> {
        let estimate = match by {
            "sentinel" => Estimates::sentinel,
            "counting" => Estimates::counting,
            _ => {
                return Err(wrong(format!(
                    "voltages are estimated by `sentinel` or `counting`, not by `{by}`"
                )));
            }
        };
        let further = bug::detached(py, || {
            let at = |place: Place, page: &PageState, nth: u8| estimate(&self.estimates, place, page, nth);
            self.bench().further_reads(cycles, months, 30.0, at)
        })?;
        Ok(further.unwrap_or(f64::NAN))
    }

    /// Returns M_RBER: errors in 1 KiB of each block's worst page, averaged over the blocks.
    fn m_rber(&self, py: Python<'_>, cycles: f64, months: f64, temperature_c: f64) -> PyResult<f64> {
        bug::detached(py, || self.bench().m_rber_by_cycles(&[cycles], months, temperature_c)[0])
    }

    /// Returns quantiles (0 best, 1 worst) of raw bit error rates, some steps short of the best voltages.
    #[pyo3(signature = (cycles, months, temperature_c, quantiles, behind_steps=0.0))]
    fn rber_quantiles(
        &self,
        py: Python<'_>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
        quantiles: Vec<f64>,
        behind_steps: f64,
    ) -> PyResult<Vec<f64>> {
        bug::detached(py, || {
            self.bench().rber_quantiles(cycles, months, temperature_c, behind_steps, &quantiles)
        })
    }

    /// Returns V_TH in the mean page: `mean_v` and `sigma_v` by state, default and best read voltages.
    #[pyo3(signature = (cycles, months, temperature_c=30.0))]
    fn vth<'py>(
        &self,
        py: Python<'py>,
        cycles: f64,
        months: f64,
        temperature_c: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let states = States::new(&self.constants, self.cell);
        let steps = Drift::new(&self.constants.drift).mean_steps(cycles, months);
        let voltages = states.voltages(cycles, months, temperature_c);
        let document = json!({
            "drift_steps": steps,
            "mean_v": voltages.iter().map(|state| state.mean_volts).collect::<Vec<_>>(),
            "sigma_v": voltages.iter().map(|state| state.sigma_volts).collect::<Vec<_>>(),
            "default_reads_v": states.references(0.0),
            "best_reads_v": states.references(whole(steps)),
        });
        to_python(py, &document)
    }

    /// Returns the values of the formulas: mean drift (steps), and errors of the worst page (bits of 1 KiB).
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

/// Converts cuts to their written values, without the error of 32 bits.
fn rounded(cuts: &[f32]) -> Value {
    cuts.iter().map(|&cut| (f64::from(cut) * 1e4).round() / 1e4).collect()
}
