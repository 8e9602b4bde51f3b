//! The available kinds of chips, with their parts.

use pyo3::prelude::*;
use wordline_cells::Chip;

use crate::config::Configuration;
use crate::errors;

/// Name, description, cell, and parts.
type Description = (String, String, String, Vec<&'static str>);

/// The chips that come with Wordline.
#[pyfunction]
pub fn chips() -> PyResult<Vec<Description>> {
    let read = |name| match Chip::built_in(name) {
        Some(Ok(chip)) => Ok(describe(name, &chip)),
        Some(Err(error)) => Err(errors::config(&error)),
        None => Err(errors::unexpected(format!("no chip {name}"))),
    };
    Chip::names().map(read).collect()
}

/// The chip of a configuration, if it names one.
#[pyfunction]
pub fn chip_of(config: &Configuration) -> Option<Description> {
    let own = &config.resolved.config;
    own.device.chip.as_ref().map(|chip| describe(&own.cells.chip, chip))
}

fn describe(name: &str, chip: &Chip) -> Description {
    let known =
        [("read", chip.read.is_some()), ("erase", chip.erase.is_some()), ("program", chip.program.is_some())];
    let parts = known.into_iter().filter(|(_, there)| *there).map(|(part, _)| part).collect();
    (name.to_owned(), chip.description.clone(), format!("{:?}", chip.cell).to_lowercase(), parts)
}
