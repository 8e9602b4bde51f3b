//! Blocks under test: time and effects of erases, measured on the device model like AERO on real chips.

use pyo3::prelude::*;
use serde_json::{Value, json};
use wordline_cells::erase::{BlockFloor, EraseCells};
use wordline_core::config::WornBy;
use wordline_core::nand::erase::figures::{self, LatencyCurve};
use wordline_core::nand::erase::{BlockSet, Erased, lifetime, margins, profile, steps};
use wordline_core::policy::erase::ept::shallow_flags_bytes;
use wordline_core::policy::erase::{Ept, PulseKind, Scheme, SchemeParams};

use super::{Setup, column, to_python, wrong};

/// The condition of AERO's M_RBER (Section 5.4): a year at 30 C. It does not give the temperature of the read.
const RETENTION_MONTHS: f64 = 12.0;
const READ_AT_C: f64 = 85.0;

/// Blocks of the chip that a configuration names (`cells.chip`), with evenly spaced hardness.
///
/// Scheme, tSE, misprediction rate, RBER requirement, P/E cycles and seed come from the configuration.
///
/// Args:
///     config: The configuration.
///     blocks: Number of blocks under test.
///     errors_of: Provides the read errors of its chip if nobody measured those of `config`'s chip.
///
/// Raises:
///     WrongValueError: `cells.chip` names no chip, or one whose erases or errors are unknown.
#[pyclass(frozen, module = "wordline._core")]
pub struct EraseBench {
    cells: EraseCells,
    floor: BlockFloor,
    params: SchemeParams,
    scheme: Scheme,
    worn_by_ispe: bool,
    feature_us: f64,
    pec: u32,
    requirement_bits: f64,
    blocks: u32,
    seed: u64,
}

#[pymethods]
impl EraseBench {
    // AERO, Section 7.2: blocks of a set.
    #[new]
    #[pyo3(signature = (config, *, blocks=120, errors_of=None))]
    fn new(config: Setup, blocks: u32, errors_of: Option<Setup>) -> PyResult<Self> {
        let config = config.config();
        let chip = config.device.chip.as_ref().ok_or_else(|| {
            wrong("`cells.chip` = \"none\" says nothing about erases; name a chip, such as tlc-48l")
        })?;
        let cells = config.device.erase_cells.as_deref().cloned().ok_or_else(|| {
            wrong("the chip of `cells.chip` has no `[erase]` part; name one that has, such as tlc-48l")
        })?;
        let lender = errors_of.as_ref().and_then(|other| other.config().device.chip.as_ref());
        let floor_of = |chip| BlockFloor::new(chip, config.seed, blocks, RETENTION_MONTHS, READ_AT_C);
        let floor = floor_of(chip).or_else(|| lender.and_then(|chip| floor_of(chip))).ok_or_else(|| {
            wrong(
                "the chip of `cells.chip` has no `[read]` part, so its errors are unknown; name one that has",
            )
        })?;
        let keys = config.erase.policies;
        let requirement_bits = keys.rber_requirement_bits();
        let m_rber = |block: usize, stress: f64| floor.bits(block, stress);
        let shallow_pulses = keys
            .shallow_pulses(&cells.constants)
            .map_err(|refusal| wrong(format!("{}; {}", refusal.why, refusal.fix)))?;
        let ept = profile(&cells, &m_rber, blocks, config.seed, shallow_pulses, requirement_bits);
        let params = SchemeParams::new(&cells, ept, shallow_pulses).with_keys(keys);
        Ok(Self {
            params,
            scheme: if config.erase.scheme.is_by_loop() { config.erase.scheme } else { Scheme::Ispe },
            worn_by_ispe: config.reliability.worn_by == WornBy::Ispe,
            feature_us: config.nand.set_feature_us,
            pec: config.reliability.pec,
            requirement_bits,
            blocks,
            seed: config.seed,
            cells,
            floor,
        })
    }

    /// Returns each block's smallest erase latency (ms of pulses, rising) and loops under ISPE, by P/E cycles.
    ///
    /// AERO, Fig. 4.
    fn latencies<'py>(&self, py: Python<'py>, pecs: Vec<f64>, blocks: u32) -> PyResult<Bound<'py, PyAny>> {
        let rows = figures::latencies(&self.cells, &pecs, blocks);
        let curve = |c: &LatencyCurve| json!({ "pec": c.pec, "latency_ms": c.latency_ms, "loops": c.loops });
        to_python(py, &Value::from_iter(rows.iter().map(curve)))
    }

    /// Returns fail bits (most and mean) after each pulse of the last loop, by loops and pulses needed in it.
    ///
    /// AERO, Fig. 7.
    fn fail_bits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = figures::fail_bits(&self.cells, self.blocks, self.seed);
        let columns = json!({
            "loops": column(&rows, |r| r.loops),
            "needed_pulses": column(&rows, |r| r.needed_pulses),
            "pulses": column(&rows, |r| r.pulses),
            "fail_bits": column(&rows, |r| r.fail_bits),
            "mean": column(&rows, |r| r.mean),
            "erases": column(&rows, |r| r.erases),
        });
        to_python(py, &columns)
    }

    /// Counts erases by needed pulses in the last loop, by loops and by the fail-bit range before it.
    ///
    /// AERO, Fig. 8.
    fn ranges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (ept, pulses) = (&self.params.ept, self.params.shallow_pulses);
        let rows = figures::ranges(&self.cells, ept, self.blocks, self.seed, pulses);
        let columns = json!({
            "loops": column(&rows, |r| r.loops),
            "range": column(&rows, |r| r.range),
            "needed_pulses": column(&rows, |r| r.needed_pulses),
            "erases": column(&rows, |r| r.erases),
        });
        to_python(py, &columns)
    }

    /// Returns results and savings of a shallow erasure of some 0.5-ms pulses, by P/E cycles.
    ///
    /// AERO, Fig. 9.
    fn shallow<'py>(
        &self,
        py: Python<'py>,
        pecs: Vec<f64>,
        shallow_pulses: Vec<u8>,
        blocks: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ept = &self.params.ept;
        let one = |(pec, pulses): (f64, u8)| {
            let r = figures::shallow(&self.cells, ept, pec, blocks, self.seed, pulses);
            json!({
                "pec": r.pec, "shallow_ms": r.shallow_ms, "range_shares": r.range_shares,
                "reduced_share": r.reduced_share, "mean_ms": r.mean_ms, "latency_shares": r.latency_shares,
            })
        };
        let all = pecs.iter().flat_map(|&pec| shallow_pulses.iter().map(move |&pulses| (pec, pulses)));
        to_python(py, &Value::from_iter(all.map(one)))
    }

    /// Returns the largest M_RBER (bits in 1 KiB) with the last loop and without it, by loops and fail-bit range.
    ///
    /// AERO, Fig. 10 and 11.
    fn margins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let m_rber = |block: usize, stress: f64| self.floor.bits(block, stress);
        let (ept, pulses) = (&self.params.ept, self.params.shallow_pulses);
        let rows = margins(&self.cells, &m_rber, ept, self.blocks, self.seed, pulses);
        let columns = json!({
            "loops": column(&rows, |r| r.loops),
            "range": column(&rows, |r| r.range),
            "erases": column(&rows, |r| r.erases),
            "complete_bits": column(&rows, |r| r.complete_bits),
            "incomplete_bits": column(&rows, |r| r.incomplete_bits),
            "fresh_bits": (0..self.blocks as usize).map(|block| self.floor.bits(block, 0.0)).collect::<Vec<_>>(),
        });
        to_python(py, &columns)
    }

    /// Returns the erase-timing parameter table from profiling, its gamma and delta, and its size.
    ///
    /// AERO, Table 1 and Section 6.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ept: &Ept = &self.params.ept;
        let loops = usize::from(ept.loops);
        let ms = |rows: &[[u8; 8]]| -> Vec<Vec<f64>> {
            let row =
                |row: &[u8; 8]| row.iter().map(|&p| f64::from(p) * self.cells.constants.pulse_ms).collect();
            rows.iter().map(row).collect()
        };
        let document = json!({
            "gamma": ept.gamma, "delta": ept.delta, "entries": ept.entries(), "bytes": ept.bytes(),
            "complete_ms": ms(&ept.complete[..loops]), "with_margin_ms": ms(&ept.with_margin[..loops]),
            "left_ranges": ept.left[..loops],
        });
        to_python(py, &document)
    }

    /// Returns the bytes of AERO's shallow-erasure flags (Section 6): one bit per block.
    #[staticmethod]
    fn flags_bytes(capacity_bytes: u64, block_bytes: u64) -> u64 {
        shallow_flags_bytes(capacity_bytes, block_bytes)
    }

    /// Returns an erase of each block at some P/E cycles, with the wear that the scheme itself has caused.
    fn erases<'py>(&self, py: Python<'py>, scheme: &str, pecs: Vec<u32>) -> PyResult<Bound<'py, PyAny>> {
        let scheme = named(scheme)?;
        let found = figures::scheme_erases(&self.cells, scheme, &self.params, &pecs, self.blocks, self.seed);
        let rows: Vec<(u32, u32, Erased)> = found
            .iter()
            .flat_map(|at| (0..).zip(&at.erases).map(|(block, erased)| (at.pec, block, *erased)))
            .collect();
        to_python(py, &erased_columns(&rows))
    }

    /// Returns an erase of each block with the wear of plain ISPE, and the pulses that the block needs.
    fn erases_after_ispe<'py>(
        &self,
        py: Python<'py>,
        scheme: &str,
        pecs: Vec<u32>,
        blocks: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (cells, params) = (&self.cells, &self.params);
        let found = steps::erases_after_ispe(cells, named(scheme)?, params, &pecs, blocks, self.seed);
        let rows: Vec<(u32, u32, Erased)> = found.iter().map(|r| (r.pec, r.block, r.erased)).collect();
        let mut columns = erased_columns(&rows);
        columns["needed_pulses"] = column(&found, |r| r.needed_pulses);
        to_python(py, &columns)
    }

    /// Returns M_RBER over P/E cycles under a scheme, until its mean exceeds the requirement (`lifetime_pec`).
    ///
    /// AERO, Fig. 13.
    fn lifetime<'py>(&self, py: Python<'py>, scheme: &str) -> PyResult<Bound<'py, PyAny>> {
        let set = BlockSet::new(&self.cells, named(scheme)?, &self.params, self.blocks, self.seed);
        let m_rber = |block: usize, stress: f64| self.floor.bits(block, stress);
        let life = lifetime(set, &m_rber, self.requirement_bits);
        let rows = &life.points;
        let document = json!({
            "lifetime_pec": life.lifetime_pec,
            "pec": column(rows, |r| r.pec),
            "m_rber_bits": column(rows, |r| r.m_rber_bits),
            "m_rber_most_bits": column(rows, |r| r.m_rber_most_bits),
            "stress": column(rows, |r| r.stress),
            "residual_bits": column(rows, |r| r.residual_bits),
            "latency_ms": column(rows, |r| r.latency_ms),
            "within_two_loops": column(rows, |r| r.within_two_loops),
        });
        to_python(py, &document)
    }

    /// Returns the mean M_RBER (bits in 1 KiB) after ISPE cycles whose loops are split into 0.5-ms pulses.
    ///
    /// AERO, Section 5.1.
    fn m_rber_in_pieces(&self, pec: u32, short_pulses: u8) -> f64 {
        steps::m_rber_in_pieces(&self.cells, &self.floor, self.blocks, pec, short_pulses)
    }

    /// Returns the stress from the programs of a P/E cycle, in cycles of an average block under ISPE.
    fn program_stress(&self) -> f64 {
        self.cells.constants.program_share
    }

    /// Returns one erase at the configuration's age, pulse by pulse; hardness is a rank among all blocks, 0 to 1.
    fn steps<'py>(&self, py: Python<'py>, hardness: f64) -> PyResult<Bound<'py, PyAny>> {
        let (cells, scheme, params) = (&self.cells, self.scheme, &self.params);
        let block =
            steps::worn_block(cells, scheme, params, self.seed, self.pec, hardness, self.worn_by_ispe);
        let (steps, erased) = steps::steps(cells, scheme, params, self.seed, block);
        let constants = &cells.constants;
        let rows: Vec<Value> = steps
            .iter()
            .map(|step| {
                json!({
                    "loop": step.level,
                    "stage": match step.stage {
                        PulseKind::Begin | PulseKind::Full => "full",
                        PulseKind::Shallow => "shallow",
                        PulseKind::Predicted => "predicted",
                        PulseKind::Extra => "extra",
                    },
                    "voltage_v": step.voltage_v,
                    "pulse_ms": f64::from(step.short_pulses) * constants.pulse_ms,
                    "verify_ms": constants.verify_us / 1000.0,
                    "feature_ms": f64::from(step.features) * self.feature_us / 1000.0,
                    "fail_bits": step.fail_bits,
                })
            })
            .collect();
        let needed = cells.required_pulses(block.age_pec, hardness);
        let features: u8 = steps.iter().map(|step| step.features).sum();
        let document = json!({
            "scheme": scheme.name(), "pec": self.pec, "hardness": hardness, "stress_pec": block.stress,
            "needed_ms": whole_pulses(needed) * constants.pulse_ms, "loops_under_ispe": erased.loops,
            "fail_bits_pass": params.pass_fail_bits, "gamma": params.ept.gamma, "delta": params.ept.delta,
            "steps": rows, "latency_ms": erased.latency_ms + f64::from(features) * self.feature_us / 1000.0,
            "stress": erased.stress, "residual_bits": erased.residual_bits,
        });
        to_python(py, &document)
    }
}

/// Rounds up to whole pulses; ignores a rounding error.
fn whole_pulses(pulses: f64) -> f64 {
    (pulses - 1e-6).ceil()
}

fn named(name: &str) -> PyResult<Scheme> {
    let by_loop = || Scheme::ALL.iter().copied().filter(|scheme| scheme.is_by_loop());
    by_loop().find(|scheme| scheme.name() == name).ok_or_else(|| {
        let known: Vec<_> = by_loop().map(Scheme::name).collect();
        wrong(format!("no erase scheme `{name}`; known: {}", known.join(", ")))
    })
}

fn erased_columns(rows: &[(u32, u32, Erased)]) -> Value {
    json!({
        "pec": column(rows, |r| r.0),
        "block": column(rows, |r| r.1),
        "pulses": column(rows, |r| r.2.pulses),
        "verifies": column(rows, |r| r.2.verifies),
        "pulse_ms": column(rows, |r| r.2.pulse_ms),
        "latency_ms": column(rows, |r| r.2.latency_ms),
        "level": column(rows, |r| r.2.level),
        "loops": column(rows, |r| r.2.loops),
        "stress": column(rows, |r| r.2.stress),
        "residual_bits": column(rows, |r| r.2.residual_bits),
        "fail_bits": column(rows, |r| r.2.fail_bits),
    })
}
