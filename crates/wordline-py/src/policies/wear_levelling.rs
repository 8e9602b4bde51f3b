//! Slot `wear_levelling`.

use pyo3::prelude::*;
use wordline_cells::geometry::BlockId;
use wordline_core::policy::wear_levelling::{self, ExternalWear};

use super::asked::Asked;
use super::columns::{Column, generator};
use super::gc::chosen;

/// What a policy of wear levelling sees of the plane that is about to reclaim a block: a number of each column for each block.
#[pyclass(frozen, module = "wordline._core")]
pub struct WearView {
    block: Column,
    pec: Column,
    valid: Column,
    used_pec: Column,
    /// The plane.
    #[pyo3(get)]
    plane: u32,
    seed: String,
}

#[pymethods]
impl WearView {
    /// Numbers of the blocks whose data can move, ascending: `choose` returns one of them, or None.
    #[getter]
    fn block(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.block.array(py)
    }

    /// Their P/E cycles.
    #[getter]
    fn pec(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.pec.array(py)
    }

    /// Their pages with live data.
    #[getter]
    fn valid(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.valid.array(py)
    }

    /// P/E cycles of every block of the plane that is in use, also of those whose data cannot move.
    #[getter]
    fn used_pec(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.used_pec.array(py)
    }

    /// A `random.Random` for this question.
    #[getter]
    fn random<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        generator(py, &self.seed)
    }
}

impl ExternalWear for Asked {
    fn choose(&mut self, view: &wear_levelling::WearView<'_>) -> Option<BlockId> {
        let shown = WearView {
            block: Column::of(view.candidates().map(|(id, _)| id.number().into())),
            pec: Column::of(view.candidates().map(|(id, _)| view.pec(id).into())),
            valid: Column::of(view.candidates().map(|(_, block)| block.valid.into())),
            used_pec: Column::of(view.in_use().map(|(id, _)| view.pec(id).into())),
            plane: view.plane.number(),
            seed: self.seed(),
        };
        let blocks = shown.block.values();
        self.ask("choose", |py| Ok(Py::new(py, shown)?.into_any()), |answer| chosen(answer, &blocks))?
    }
}
