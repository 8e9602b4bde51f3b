//! `predictive`: where the controller's model of the block expects the first read to fail, the read
//! begins with the retry table instead (PR2/AR2, Section 8, "Further reduction of read-retry
//! latency"). The model knows what the firmware knows, the block's P/E cycles and the age of its data,
//! and what chips of the kind do on average then; not the page.
//!
//! Such a read is a retry from its first sense on: `pr2` and `ar2` apply at once.
//!
//! Only the default read is skipped, since the paper proposes no more; it comes last, for the pages
//! that the model was wrong about.

use super::{ChipView, DeviceView, NoParameters, PageView, Policy, Source};
use wordline_cells::read::ReadAt;

/// The table, without the default read where that is expected to fail.
#[derive(Clone, Copy, Debug)]
pub struct Predictive;

impl Policy for Predictive {
    const NAME: &'static str = "predictive";
    const HELP: &'static str =
        "the table, without the default read where the block's model expects it to fail";
    type Parameters = NoParameters;
}

impl Source for Predictive {
    type Memory = bool;

    fn new(_: &NoParameters, _: &DeviceView<'_>, _: &ChipView<'_>) -> Predictive {
        Predictive
    }

    fn page(&self, page: &PageView<'_>) -> bool {
        page.is_expected_to_fail()
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
}
