//! `predictive`: where the controller's model of the block expects the first read to fail, the read
//! begins with the retry table instead (PR2/AR2, Section 8, "Further reduction of read-retry
//! latency"). The model knows what the firmware knows, the block's P/E cycles and the age of its data,
//! and what chips of the kind do on average then; not the page.
//!
//! Such a read is a retry from its first sense on: `pr2` and `ar2` apply at once.
//!
//! Only the default read is skipped, since the paper proposes no more; it comes last, for the pages
//! that the model was wrong about.

use std::io;

use super::{ChipView, DeviceView, NoParameters, PageView, Policy, Source};
use crate::engine::{LoadError, Loader, Saver};
use crate::policy::{Counter, counters};
use wordline_cells::read::ReadAt;

counters! {
    /// What `predictive` counts.
    struct Counts {
        /// Page reads that were expected to fail at the default V_REF, and began with the retry table.
        expected_failures,
        /// Page reads that were not, and failed.
        missed_failures,
    }
}

/// The table, without the default read where that is expected to fail.
#[derive(Clone, Copy, Debug)]
pub struct Predictive {
    counts: Counts,
}

impl Policy for Predictive {
    const NAME: &'static str = "predictive";
    const HELP: &'static str =
        "the table, without the default read where the block's model expects it to fail";
    type Parameters = NoParameters;
    const COUNTERS: &'static [Counter] = Counts::ALL;

    fn counts(&self) -> Vec<u64> {
        self.counts.values()
    }

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.counts)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.counts = from.value()?;
        Ok(())
    }
}

impl Source for Predictive {
    type Memory = bool;

    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &ChipView<'_>) -> Predictive {
        Predictive { counts: Counts::default() }
    }

    fn page(&mut self, page: &PageView<'_>) -> bool {
        let expects_failure = page.is_expected_to_fail();
        self.counts.expected_failures += u64::from(expects_failure);
        expects_failure
    }

    fn expects_failure(&self, &expects_failure: &bool) -> bool {
        expects_failure
    }

    fn position(&self, attempt: u8, &expects_failure: &bool, table_steps: u8) -> Option<ReadAt> {
        if attempt > table_steps {
            return None;
        }
        if !expects_failure {
            return Some(ReadAt::Entry(attempt));
        }
        Some(ReadAt::Entry(if attempt == table_steps { 0 } else { attempt + 1 }))
    }

    fn learn(&mut self, &expects_failure: &bool, step: u8) {
        self.counts.missed_failures += u64::from(!expects_failure && step > 0);
    }
}
