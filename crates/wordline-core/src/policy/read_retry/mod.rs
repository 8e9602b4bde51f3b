//! Slot `read_retry`: what to do when a sense is over, or a page did or did not decode?
//!
//! A read command senses its pages (one, or one in each plane), ships them to the controller and has
//! them decoded. A policy is a source, which says where the read voltages go, and modifiers, which change
//! how its senses follow each other; `+` joins them. Each is one file and one row below:
//! - a source ([`Source`]) is a function from the number of the sense to a position in the retry table, and
//!   what it wants to know for that;
//! - a modifier ([`Modifier`]) lets senses overlap (`pr2.rs`), changes their timing (`ar2.rs`) or adds a last resort
//!   (`soft.rs`).
//!
//! `name.rs` reads the names; `steer.rs` turns source and modifiers into phases. No policy sees how many
//! errors a page has: it is told what decoded, and what a controller can know of a page (`views.rs`).

mod ar2;
mod baseline;
mod ideal;
mod modifiers;
mod name;
mod one_step;
mod pr2;
mod predictive;
mod pso;
mod rif;
mod sentinel;
mod soft;
mod sources;
mod steer;
mod swift_read;
mod views;

pub use modifiers::Modifier;
pub use name::ReadRetry;
pub use pso::PsoScope;
pub use sources::Source;
pub use steer::{ReadPlan, ReadPolicy};
pub use views::{ChipView, FailedSense, PageModel, PageView, ReadContext, ReadProgress, ReadTimes};

use super::{DeviceView, NoParameters, Policy, Refusal, policies};
use crate::parameter::section;
use wordline_cells::ecc::Predictor;
use wordline_cells::read::{PrechargeCut, ReadAt};

sources::sources! {
    /// The sources of the slot.
    SourceName, SourceKeys [
        ideal::Ideal,
        one_step::OneStep,
        baseline::Baseline,
        predictive::Predictive,
        pso::Pso,
        sentinel::Sentinel,
        swift_read::SwiftRead,
        rif::Rif,
    ]
}

modifiers::modifiers! {
    /// The modifiers of the slot.
    ModifierName, ModifierKeys [
        pr2::Pr2,
        ar2::Ar2,
        soft::Soft,
    ]
}

section! {
    /// The keys of all sources and modifiers.
    #[derive(Copy)]
    pub struct RetryKeys {
        flatten sources: SourceKeys;
        flatten modifiers: ModifierKeys;
    }
}
