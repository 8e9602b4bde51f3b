//! Slot `refresh`.

use pyo3::prelude::*;
use wordline_core::engine::Ns;
use wordline_core::policy::refresh::{self, ExternalRefresh};

use super::asked::{Asked, time, truth};

/// What a refresh policy sees of a full block with live data.
#[pyclass(frozen, get_all, module = "wordline._core")]
pub struct RefreshView {
    /// Age of its data, ns.
    age_ns: u64,
    /// Senses of the block since its last erase.
    reads: u32,
    /// The most errors that the ECC has corrected in 1 KiB of it since then, bits.
    errors: u32,
    /// P/E cycles of the block.
    pec: u32,
    /// Its pages with live data.
    valid: u16,
}

impl ExternalRefresh for Asked {
    fn looks_every(&self) -> Option<Ns> {
        self.ask_plain("looks_every", time)?.map(|time| time.max(1))
    }

    fn is_due(&self, view: &refresh::RefreshView<'_>) -> bool {
        let shown = RefreshView {
            age_ns: view.age,
            reads: view.reads,
            errors: view.errors,
            pec: view.health.pec,
            valid: view.block.valid,
        };
        self.ask("is_due", |py| Ok(Py::new(py, shown)?.into_any()), truth).unwrap_or(false)
    }
}
