//! Slot `folding`.

use pyo3::prelude::*;
use wordline_core::engine::Ns;
use wordline_core::flash::Writer;
use wordline_core::policy::folding::{self, ExternalFolding};

use super::asked::{Asked, time, truth};

/// What a folding policy sees of a request that writes.
#[pyclass(frozen, get_all, module = "wordline._core")]
pub struct WriterView {
    /// Number of its flow, from 0.
    flow: u16,
    /// Its placement handle or write hint; 0: none.
    handle: u16,
    /// Its sectors of 512 bytes, up to 65,535.
    sectors: u16,
}

/// What a folding policy sees of a pool. All numbers are of groups of blocks.
#[pyclass(frozen, get_all, module = "wordline._core")]
pub struct FoldView {
    /// Full groups of the cache.
    full: u32,
    /// Groups that the cache may have as things are.
    limit: u32,
    /// Full groups of the cache that are free for the chip's own mode, too, when they are folded.
    full_dynamic: u32,
    /// GC is due.
    is_short: bool,
    /// The host has asked for nothing for as long as `idle_after` says.
    is_idle: bool,
}

impl ExternalFolding for Asked {
    fn takes(&self, writer: &Writer) -> bool {
        let shown = WriterView { flow: writer.flow, handle: writer.hint, sectors: writer.sectors };
        self.ask("takes", |py| Ok(Py::new(py, shown)?.into_any()), truth).unwrap_or(false)
    }

    fn idle_after(&self) -> Option<Ns> {
        self.ask_plain("idle_after", time)?
    }

    fn folds(&self, view: &folding::FoldView) -> bool {
        let &folding::FoldView { full, limit, full_dynamic, is_short, is_idle } = view;
        let shown = FoldView { full, limit, full_dynamic, is_short, is_idle };
        self.ask("folds", |py| Ok(Py::new(py, shown)?.into_any()), truth).unwrap_or(false)
    }
}
