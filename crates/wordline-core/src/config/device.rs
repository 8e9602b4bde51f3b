//! What `[cells]` names: a chip that comes with Wordline, or files of the user's.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use super::made::Made;
use super::{CellsConfig, Config, ConfigError, ConfigErrorKind, Multiplane, Origin, ProgramConfig};
use crate::policy::DeviceView;
use wordline_cells::Chip;
use wordline_cells::erase::{EraseCells, EraseConstants, measured};
use wordline_cells::program::{FastProgram, ProgramConstants};
use wordline_cells::read::RetryTable;

/// Gives the text of a file, or says why it cannot: the core itself does no I/O.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// Chips' own erase sides, by their constants.
static ERASE_CELLS: Made<EraseConstants, EraseCells> = Made::new();
/// Fast programs, by the constants of programs and the step over the normal one.
static FAST_PROGRAMS: Made<(ProgramConstants, f64), FastProgram> = Made::new();

/// The device model that a configuration asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// The chip; `None` where cells have no errors of their own.
    pub chip: Option<Arc<Chip>>,
    /// How its blocks are erased, where the chip or the user's measurements say so.
    pub erase_cells: Option<Arc<EraseCells>>,
    /// Retry steps that the user has measured.
    pub retry_table: Option<Arc<RetryTable>>,
    /// What fast programs bring and cost on it, where `program.policy` asks for them.
    pub fast_program: Option<Arc<FastProgram>>,
}

impl Device {
    /// The chip's read errors are known.
    #[must_use]
    pub fn has_read_model(&self) -> bool {
        self.chip.as_ref().is_some_and(|chip| chip.read.is_some())
    }

    pub(super) fn load(
        cells: &CellsConfig,
        program: &ProgramConfig,
        origins: &BTreeMap<String, Origin>,
        read: &ReadFile<'_>,
    ) -> Result<Device, ConfigError> {
        let chip = match cells.chip.as_str() {
            "none" => None,
            name => Some(Arc::new(chip(name, origins, read)?)),
        };
        let erase_cells = match &chip {
            Some(chip) => erase_cells(chip, cells, origins, read)?,
            None => None,
        };
        let retry_table = match cells.retry_table.as_str() {
            "" => None,
            path => {
                let fix = "name a CSV file with retry steps by word line, or write \"\"".to_owned();
                let text = read(path).map_err(|why| at("cells.retry_table", origins, why, fix))?;
                Some(Arc::new(RetryTable::parse(path, &text)?))
            }
        };
        let constants = chip.as_ref().and_then(|chip| chip.program.as_ref());
        let fast_program = constants
            .zip(program.policy.fast_dvpp(&program.policies))
            .map(|(constants, dvpp)| fast_program(constants.clone(), dvpp));
        Ok(Device { chip, erase_cells, retry_table, fast_program })
    }
}

impl Config {
    /// What policies may know of the device.
    #[must_use]
    pub fn device_view(&self) -> DeviceView<'_> {
        let chip = self.device.chip.as_deref();
        let reads = chip.and_then(|chip| chip.read.as_ref());
        DeviceView {
            geometry: self.geometry(),
            seed: self.seed,
            chip_layers: chip.map_or(0, |chip| chip.geometry.layers),
            has_read_model: reads.is_some(),
            knows_reads_between_steps: reads.is_some_and(|reads| reads.between_steps.is_some()),
            erase_cells: self.device.erase_cells.as_deref(),
            coding: self.coding.scheme.resolve(self.coding.cell).gray(),
            merges_wordlines: self.coding.policy.merges(),
            programs_in_order: self.nand.multiplane != Multiplane::Overtaking,
            fast_program: self.device.fast_program.as_deref(),
            has_cache_register: self.nand.cache_register,
            has_on_die_check: self.nand.on_die_check,
            correctable_bits: self.ecc.correctable_bits as f32,
            decoder_iterations: self.ecc.max_iterations as u8,
            externals: &self.externals,
        }
    }
}

fn chip(name: &str, origins: &BTreeMap<String, Origin>, read: &ReadFile<'_>) -> Result<Chip, ConfigError> {
    if let Some(chip) = Chip::built_in(name) {
        return chip;
    }
    let known: Vec<_> = Chip::names().collect();
    let fix = format!("name a chip ({}) or a TOML file, or write \"none\"", known.join(", "));
    if !name.ends_with(".toml") {
        return Err(at("cells.chip", origins, format!("there is no chip \"{name}\""), fix));
    }
    let text = read(name).map_err(|why| at("cells.chip", origins, why, fix))?;
    Chip::parse(name, &text)
}

/// The erase side of a chip, with the user's erase latencies in place of the chip's where there are some.
fn erase_cells(
    chip: &Chip,
    cells: &CellsConfig,
    origins: &BTreeMap<String, Origin>,
    read: &ReadFile<'_>,
) -> Result<Option<Arc<EraseCells>>, ConfigError> {
    let Some(constants) = &chip.erase else { return Ok(None) };
    let made = match cells.erase_table.as_str() {
        "" => ERASE_CELLS.of(constants.clone(), EraseCells::new),
        path => {
            let fix = "name a CSV file with erase latencies by P/E cycles, or write \"\"".to_owned();
            let text = read(path).map_err(|why| at("cells.erase_table", origins, why, fix))?;
            EraseCells::with_work(constants, measured::parse(path, &text, constants)?).map(Arc::new)
        }
    };
    let fix = "mend it in the `[erase]` part of the chip".to_owned();
    made.map(Some).map_err(|why| at("cells.chip", origins, why, fix))
}

fn fast_program(constants: ProgramConstants, dvpp: f64) -> Arc<FastProgram> {
    let make = |(constants, dvpp): &(ProgramConstants, f64)| Ok(FastProgram::new(constants, *dvpp));
    let Ok::<_, Infallible>(model) = FAST_PROGRAMS.of((constants, dvpp), make);
    model
}

/// A mistake in what a key names, at the line that set the key.
fn at(key: &str, origins: &BTreeMap<String, Origin>, message: String, fix: String) -> ConfigError {
    let origin = origins.get(key);
    ConfigError {
        kind: ConfigErrorKind::WrongValue,
        source: origin.map_or_else(|| "configuration".to_owned(), |o| o.layer.clone()),
        line: origin.map_or(0, |o| o.line),
        key: key.to_owned(),
        message: format!("`{key}`: {message}"),
        fix,
    }
}
