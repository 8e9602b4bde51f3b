//! Policies in Python: one more implementation of the `external` row of a slot, of an object that Python gives.
//!
//! `asked` calls the object and keeps its first error, `columns` shows numbers of blocks as NumPy arrays, and each other file is a slot.
//! `wordline.python_policies` finds the object, names it and explains its errors.

mod asked;
mod columns;
mod folding;
mod gc;
mod placement;
mod refresh;
mod wear_levelling;

pub use asked::Failure;
pub use folding::{FoldView, WriterView};
pub use gc::GcView;
pub use placement::{HostPageView, MovedPageView};
pub use refresh::RefreshView;
pub use wear_levelling::WearView;

use std::sync::Arc;

use pyo3::prelude::*;
use wordline_core::config::Config;
use wordline_core::policy::folding::ExternalFolding;
use wordline_core::policy::gc::ExternalGc;
use wordline_core::policy::placement::ExternalPlacement;
use wordline_core::policy::refresh::ExternalRefresh;
use wordline_core::policy::wear_levelling::ExternalWear;
use wordline_core::policy::{DeviceView, Maker};

use asked::Asked;

/// Gives a configuration the Python objects of the external policies that it asks for. Their errors go to `failure`.
///
/// # Errors
/// `PolicyError` if there is no such object.
pub fn give(py: Python<'_>, config: &mut Config, failure: &Failure) -> PyResult<()> {
    let wanted: Vec<_> =
        config.wanted_externals().iter().map(|each| (each.slot, each.key, each.name.to_owned())).collect();
    for (slot, key, name) in wanted {
        let held = py.import("wordline.python_policies")?.call_method1("found", (slot, key, name))?.unbind();
        let maker = Objects { slot, held: Arc::new(held), failure: failure.clone() };
        let externals = &mut config.externals;
        match slot {
            "gc" => {
                let make = move |of: &DeviceView<'_>| Box::new(maker.asked(of)) as Box<dyn ExternalGc>;
                externals.give(Maker::new(make));
            }
            "wear_levelling" => {
                let make = move |of: &DeviceView<'_>| Box::new(maker.asked(of)) as Box<dyn ExternalWear>;
                externals.give(Maker::new(make));
            }
            "refresh" => {
                let make = move |of: &DeviceView<'_>| Box::new(maker.asked(of)) as Box<dyn ExternalRefresh>;
                externals.give(Maker::new(make));
            }
            "folding" => {
                let make = move |of: &DeviceView<'_>| Box::new(maker.asked(of)) as Box<dyn ExternalFolding>;
                externals.give(Maker::new(make));
            }
            _ => {
                let make = move |of: &DeviceView<'_>| Box::new(maker.asked(of)) as Box<dyn ExternalPlacement>;
                externals.give(Maker::new(make));
            }
        }
    }
    Ok(())
}

/// Makes a Python object for each SSD: each begins as the one that Python gave.
struct Objects {
    slot: &'static str,
    held: Arc<Py<PyAny>>,
    failure: Failure,
}

impl Objects {
    fn asked(&self, device: &DeviceView<'_>) -> Asked {
        Asked::new(self.slot, &self.held, self.failure.clone(), device)
    }
}
