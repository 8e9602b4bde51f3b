//! A chip lab for erases: repeats AERO's measurements on the device model, with results as columns in JSON.

use serde_json::{Value, json};
use wordline_cells::erase::{BlockFloor, EraseCells};
use wordline_core::characterize::erase::{
    LatencyCurve, fail_bits, latencies, ranges, scheme_erases, shallow,
};
use wordline_core::characterize::erase_steps::{erases_after_ispe, m_rber_in_pieces, steps, worn_block};
use wordline_core::config::{Config, WornBy};
use wordline_core::nand::erase::{BlockSet, Erased, lifetime, margins, profile};
use wordline_core::policy::erase::{Ept, PulseKind, Scheme, SchemeParams};

use super::column;
use crate::WrongValue;

/// The condition of AERO's M_RBER (Section 5.4): a year at 30 C. It does not give the temperature of the read.
const RETENTION_MONTHS: f64 = 12.0;
const READ_AT_C: f64 = 85.0;

/// Blocks of a kind of chip under test, with evenly spaced hardness.
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

impl EraseBench {
    /// Builds a bench with the configuration's chip, scheme, parameters and seed. `errors_of` provides the read errors
    /// if nobody measured those of the configuration's chip.
    pub fn new(config: &Config, blocks: u32, errors_of: Option<&Config>) -> Result<Self, WrongValue> {
        let wrong = WrongValue::new;
        let chip = config.device.chip.as_ref().ok_or_else(|| {
            wrong("`cells.chip` = \"none\" says nothing about erases; name a chip, such as tlc-48l")
        })?;
        let cells = config.device.erase_cells.as_deref().cloned().ok_or_else(|| {
            wrong("the chip of `cells.chip` has no `[erase]` part; name one that has, such as tlc-48l")
        })?;
        let lender = errors_of.and_then(|other| other.device.chip.as_ref());
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
            .map_err(|refusal| wrong(&format!("{}; {}", refusal.why, refusal.fix)))?;
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

    /// Smallest erase latency of each block under ISPE: AERO, Fig. 4.
    #[must_use]
    pub fn latencies(&self, pecs: &[f64], blocks: u32) -> Value {
        let rows = latencies(&self.cells, pecs, blocks);
        let curve = |c: &LatencyCurve| json!({ "pec": c.pec, "latency_ms": c.latency_ms, "loops": c.loops });
        Value::from_iter(rows.iter().map(curve))
    }

    /// Fail bits after each short pulse of the last loop: AERO, Fig. 7.
    #[must_use]
    pub fn fail_bits(&self) -> Value {
        let rows = fail_bits(&self.cells, self.blocks, self.seed);
        json!({
            "loops": column(&rows, |r| r.loops),
            "needed_pulses": column(&rows, |r| r.needed_pulses),
            "pulses": column(&rows, |r| r.pulses),
            "fail_bits": column(&rows, |r| r.fail_bits),
            "mean": column(&rows, |r| r.mean),
            "erases": column(&rows, |r| r.erases),
        })
    }

    /// Pulses that blocks need in their last loop, by the fail bits before it: AERO, Fig. 8.
    #[must_use]
    pub fn ranges(&self) -> Value {
        let rows = ranges(&self.cells, &self.params.ept, self.blocks, self.seed, self.params.shallow_pulses);
        json!({
            "loops": column(&rows, |r| r.loops),
            "range": column(&rows, |r| r.range),
            "needed_pulses": column(&rows, |r| r.needed_pulses),
            "erases": column(&rows, |r| r.erases),
        })
    }

    /// Shallow erasure of some lengths (in short pulses) at some ages: AERO, Fig. 9.
    #[must_use]
    pub fn shallow(&self, pecs: &[f64], shallow_pulses: &[u8], blocks: u32) -> Value {
        let ept = &self.params.ept;
        let one = |(pec, pulses): (f64, u8)| {
            let r = shallow(&self.cells, ept, pec, blocks, self.seed, pulses);
            json!({
                "pec": r.pec, "shallow_ms": r.shallow_ms, "range_shares": r.range_shares,
                "reduced_share": r.reduced_share, "mean_ms": r.mean_ms, "latency_shares": r.latency_shares,
            })
        };
        let all = pecs.iter().flat_map(|&pec| shallow_pulses.iter().map(move |&pulses| (pec, pulses)));
        Value::from_iter(all.map(one))
    }

    /// Largest M_RBER with and without the last loop, by loops and fail-bit range: AERO, Fig. 10 and 11.
    #[must_use]
    pub fn margins(&self) -> Value {
        let m_rber = |block: usize, stress: f64| self.floor.bits(block, stress);
        let (ept, pulses) = (&self.params.ept, self.params.shallow_pulses);
        let rows = margins(&self.cells, &m_rber, ept, self.blocks, self.seed, pulses);
        json!({
            "loops": column(&rows, |r| r.loops),
            "range": column(&rows, |r| r.range),
            "erases": column(&rows, |r| r.erases),
            "complete_bits": column(&rows, |r| r.complete_bits),
            "incomplete_bits": column(&rows, |r| r.incomplete_bits),
            "fresh_bits": (0..self.blocks as usize).map(|block| self.floor.bits(block, 0.0)).collect::<Vec<_>>(),
        })
    }

    /// The erase-timing parameter table from profiling: AERO, Table 1 and Section 6.
    #[must_use]
    pub fn table(&self) -> Value {
        let ept: &Ept = &self.params.ept;
        let loops = usize::from(ept.loops);
        let ms = |rows: &[[u8; 8]]| -> Vec<Vec<f64>> {
            let row =
                |row: &[u8; 8]| row.iter().map(|&p| f64::from(p) * self.cells.constants.pulse_ms).collect();
            rows.iter().map(row).collect()
        };
        json!({
            "gamma": ept.gamma, "delta": ept.delta, "entries": ept.entries(), "bytes": ept.bytes(),
            "complete_ms": ms(&ept.complete[..loops]), "with_margin_ms": ms(&ept.with_margin[..loops]),
            "left_ranges": ept.left[..loops],
        })
    }

    /// One erase of each block under a scheme at some ages, with the wear of the scheme itself.
    pub fn erases(&self, scheme: &str, pecs: &[u32]) -> Result<Value, WrongValue> {
        let scheme = named(scheme)?;
        let found = scheme_erases(&self.cells, scheme, &self.params, pecs, self.blocks, self.seed);
        let rows: Vec<(u32, u32, Erased)> = found
            .iter()
            .flat_map(|at| (0..).zip(&at.erases).map(|(block, erased)| (at.pec, block, *erased)))
            .collect();
        Ok(erased_columns(&rows))
    }

    /// One erase of each block under a scheme at some ages, with the wear of plain ISPE, next to its needs.
    pub fn erases_after_ispe(&self, scheme: &str, pecs: &[u32], blocks: u32) -> Result<Value, WrongValue> {
        let found = erases_after_ispe(&self.cells, named(scheme)?, &self.params, pecs, blocks, self.seed);
        let rows: Vec<(u32, u32, Erased)> = found.iter().map(|r| (r.pec, r.block, r.erased)).collect();
        let mut columns = erased_columns(&rows);
        columns["needed_pulses"] = column(&found, |r| r.needed_pulses);
        Ok(columns)
    }

    /// M_RBER over the life of the blocks under a scheme, until it exceeds the requirement: AERO, Fig. 13.
    pub fn lifetime(&self, scheme: &str) -> Result<Value, WrongValue> {
        let set = BlockSet::new(&self.cells, named(scheme)?, &self.params, self.blocks, self.seed);
        let m_rber = |block: usize, stress: f64| self.floor.bits(block, stress);
        let life = lifetime(set, &m_rber, self.requirement_bits);
        let rows = &life.points;
        Ok(json!({
            "lifetime_pec": life.lifetime_pec,
            "pec": column(rows, |r| r.pec),
            "m_rber_bits": column(rows, |r| r.m_rber_bits),
            "m_rber_most_bits": column(rows, |r| r.m_rber_most_bits),
            "stress": column(rows, |r| r.stress),
            "residual_bits": column(rows, |r| r.residual_bits),
            "latency_ms": column(rows, |r| r.latency_ms),
            "within_two_loops": column(rows, |r| r.within_two_loops),
        }))
    }

    /// Mean M_RBER after cycles of ISPE that are split into pieces of this many short pulses: AERO, Section 5.1.
    #[must_use]
    pub fn m_rber_in_pieces(&self, pec: u32, short_pulses: u8) -> f64 {
        m_rber_in_pieces(&self.cells, &self.floor, self.blocks, pec, short_pulses)
    }

    /// Share of programs in the stress of a P/E cycle under ISPE.
    #[must_use]
    pub fn program_stress(&self) -> f64 {
        self.cells.constants.program_share
    }

    /// One erase of a block of some hardness, with the configuration's age and its wear, step by step.
    #[must_use]
    pub fn steps(&self, hardness: f64) -> Value {
        let (cells, scheme, params) = (&self.cells, self.scheme, &self.params);
        let block = worn_block(cells, scheme, params, self.seed, self.pec, hardness, self.worn_by_ispe);
        let (steps, erased) = steps(cells, scheme, params, self.seed, block);
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
        json!({
            "scheme": scheme.name(), "pec": self.pec, "hardness": hardness, "stress_pec": block.stress,
            "needed_ms": whole_pulses(needed) * constants.pulse_ms, "loops_under_ispe": erased.loops,
            "fail_bits_pass": params.pass_fail_bits, "gamma": params.ept.gamma, "delta": params.ept.delta,
            "steps": rows, "latency_ms": erased.latency_ms + f64::from(features) * self.feature_us / 1000.0,
            "stress": erased.stress, "residual_bits": erased.residual_bits,
        })
    }
}

/// Rounds up to whole pulses; ignores a rounding error.
fn whole_pulses(pulses: f64) -> f64 {
    (pulses - 1e-6).ceil()
}

fn named(name: &str) -> Result<Scheme, WrongValue> {
    let by_loop = || Scheme::ALL.iter().copied().filter(|scheme| scheme.is_by_loop());
    by_loop().find(|scheme| scheme.name() == name).ok_or_else(|| {
        let known: Vec<_> = by_loop().map(Scheme::name).collect();
        WrongValue(format!("no erase scheme `{name}`; known: {}", known.join(", ")))
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
