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
//! errors a page has: it is told what decoded, and what the controller can know of a page ([`Hints`]).

mod ar2;
mod ideal;
mod modifiers;
mod name;
mod one_step;
mod pr2;
mod predictive;
mod pso;
mod regular;
mod rif;
mod sentinel;
mod soft;
mod steer;
mod swift_read;
mod views;

pub use modifiers::Modifier;
pub use name::ReadRetry;
pub use pso::PsoScope;
pub use steer::{ReadPlan, ReadPolicy};
pub use views::{FailedSense, Hints, PageView, ReadContext, ReadProgress, ReadTimes};

use super::{DeviceView, NoParameters, Policy, Refusal, policies};
use crate::parameter::section;
use wordline_cells::ecc::Predictor;
use wordline_cells::read::{PrechargeCut, ReadAt, ReadModel};

/// Where the read voltages of a read go. What a source learns in a run is in its fields.
pub trait Source: Policy {
    /// A bound, not a mechanism: no modifier goes with it.
    fn is_bound() -> bool {
        false
    }

    /// No page ever fails: nothing has to be looked up.
    fn is_ideal() -> bool {
        false
    }

    /// At the beginning of a run.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>, reads: &ReadModel) -> Self;

    /// What it knows of a page when its command reaches the die.
    fn hints(&self, _: &PageView<'_>) -> Hints {
        Hints::default()
    }

    /// The voltages of sense number `attempt` of a round: an entry of the retry table, or an estimate. `None` if there are
    /// no more. The number of attempts must not depend on the hints.
    fn position(&self, attempt: u8, hints: &Hints, table_steps: u8) -> Option<ReadAt>;

    /// A sense has failed, or will: learns from it where the next should read.
    fn estimate(&self, _: &mut Hints, _: &FailedSense<'_>) {}

    /// The page decodes after so many retry senses, whatever its errors.
    fn decodes_anyway(&self, _retries: u8) -> bool {
        false
    }

    /// The die checks the sense that has ended, before its pages cross the channel.
    fn checks_on_die(&self, _: &ReadProgress) -> bool {
        false
    }

    /// The circuit with which the die does so.
    fn predictor(&self) -> Option<&Predictor> {
        None
    }

    /// The page that the hints are of decoded at a step of the table.
    fn learn(&mut self, _: &Hints, _step: u8) {}
}

policies! {
    /// The sources of the slot.
    SourceName, SourceKeys [
        ideal::Ideal,
        one_step::OneStep,
        regular::Regular,
        predictive::Predictive,
        pso::Pso,
        sentinel::Sentinel,
        swift_read::SwiftRead,
        rif::Rif,
    ]

    ask Source {
        /// See [`Source::is_bound`].
        fn is_bound() -> bool;
        /// See [`Source::is_ideal`].
        fn is_ideal() -> bool;
    }

    run SourceRun: Source (device: &DeviceView<'_>, reads: &ReadModel) {
        /// See [`Source::hints`].
        fn hints(&self, page: &PageView<'_>) -> Hints;
        /// See [`Source::position`].
        fn position(&self, attempt: u8, hints: &Hints, table_steps: u8) -> Option<ReadAt>;
        /// See [`Source::estimate`].
        fn estimate(&self, hints: &mut Hints, sense: &FailedSense<'_>);
        /// See [`Source::decodes_anyway`].
        fn decodes_anyway(&self, retries: u8) -> bool;
        /// See [`Source::checks_on_die`].
        fn checks_on_die(&self, progress: &ReadProgress) -> bool;
        /// See [`Source::predictor`].
        fn predictor(&self) -> Option<&Predictor>;
        /// See [`Source::learn`].
        fn learn(&mut self, hints: &Hints, step: u8);
    }
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
