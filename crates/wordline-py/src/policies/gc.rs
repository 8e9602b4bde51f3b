//! Slot `gc`.

use pyo3::prelude::*;
use wordline_cells::geometry::BlockId;
use wordline_core::flash::Block;
use wordline_core::policy::gc::{self, ExternalGc};

use super::asked::Asked;
use super::columns::{Column, generator};

/// What a GC policy sees: the blocks of one plane that may be victims, a number of each column for each.
#[pyclass(frozen, module = "wordline._core")]
pub struct GcView {
    block: Column,
    valid: Column,
    filled: Column,
    stream: Column,
    /// The plane to collect in.
    #[pyo3(get)]
    plane: u32,
    /// Pages of a block: what a victim wins beside its live pages. With superblocks, the pages of one.
    #[pyo3(get)]
    pages_per_block: u32,
    /// Blocks that were filled so far: the clock of `filled`.
    #[pyo3(get)]
    now: u32,
    seed: String,
}

#[pymethods]
impl GcView {
    /// Numbers of the blocks, ascending: `choose` returns one of them.
    #[getter]
    fn block(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.block.array(py)
    }

    /// Their pages with live data.
    #[getter]
    fn valid(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.valid.array(py)
    }

    /// How many blocks were filled when each became full: `now - filled` is its age.
    #[getter]
    fn filled(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.filled.array(py)
    }

    /// The streams that filled them.
    #[getter]
    fn stream(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.stream.array(py)
    }

    /// A `random.Random` for this question.
    #[getter]
    fn random<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        generator(py, &self.seed)
    }
}

impl ExternalGc for Asked {
    fn choose(&mut self, view: &gc::GcView<'_>) -> Option<BlockId> {
        let of = |number: fn(BlockId, &Block) -> i64| {
            Column::of(view.candidates().map(|(id, block)| number(id, block)))
        };
        let shown = GcView {
            block: of(|id, _| id.number().into()),
            valid: of(|_, block| block.valid.into()),
            filled: of(|_, block| block.filled_seq.into()),
            stream: of(|_, block| usize::from(block.stream) as i64),
            plane: view.plane.number(),
            pages_per_block: view.pages_per_block,
            now: view.blocks.filled(),
            seed: self.seed(),
        };
        let blocks = shown.block.values();
        self.ask("choose", |py| Ok(Py::new(py, shown)?.into_any()), |answer| chosen(answer, &blocks))?
    }
}

/// The block that a policy names, one of these, or none.
pub fn chosen(answer: &Bound<'_, PyAny>, blocks: &[i64]) -> Result<Option<BlockId>, String> {
    if answer.is_none() {
        return Ok(None);
    }
    let number = answer.call_method0("__index__").and_then(|number| number.extract::<i64>());
    match number {
        Ok(number) if blocks.binary_search(&number).is_ok() => Ok(Some(BlockId::new(number as u32))),
        _ => Err(format!("one of the {} numbers in view.block, or None", blocks.len())),
    }
}
