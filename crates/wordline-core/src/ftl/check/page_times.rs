//! Checked mode: a time for each page that was programmed, compared with what the flash array says of its data's age.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::Ns;
use crate::error::SimError;
use crate::nand::Pun;

/// When each physical page was programmed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::ftl) struct PageTimes {
    programmed: BTreeMap<Pun, Ns>,
}

impl PageTimes {
    /// A page was programmed.
    pub fn programmed(&mut self, pun: Pun, now: Ns) {
        self.programmed.insert(pun, now);
    }

    /// A page was erased.
    pub fn erased(&mut self, pun: Pun) {
        self.programmed.remove(&pun);
    }

    /// Data of a page arrive that the flash array takes to have been programmed at `since`; nothing: before the run.
    ///
    /// # Errors
    /// [`SimError::Check`] if it was programmed before that, or in this run and not before it.
    pub fn check(&self, pun: Pun, since: Option<Ns>) -> Result<(), SimError> {
        let really = self.programmed.get(&pun).copied();
        let is_right = match (really, since) {
            (Some(really), Some(since)) => since <= really,
            (really, since) => really == since,
        };
        if is_right {
            return Ok(());
        }
        let at = |time: Option<Ns>| time.map_or("before the run".to_owned(), |ns| format!("at {ns} ns"));
        Err(SimError::Check(format!(
            "physical page {pun} was programmed {}, and is read as if {}",
            at(really),
            at(since)
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_no_younger_than_it_is_and_old_only_if_it_was_there() {
        let mut times = PageTimes::default();
        times.programmed(Pun::new(7), 100);
        for (pun, since, is_right) in [
            (7, Some(100), true),
            (7, Some(90), true),
            (7, Some(101), false),
            (7, None, false),
            (8, None, true),
            (8, Some(90), false),
        ] {
            assert_eq!(times.check(Pun::new(pun), since).is_ok(), is_right, "page {pun}, {since:?}");
        }
        times.erased(Pun::new(7));
        assert!(times.check(Pun::new(7), None).is_ok());
    }
}
