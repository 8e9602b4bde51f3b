//! Checked mode, when a run has ended: nothing waits to be written, and every fast page is remembered.

use std::collections::BTreeSet;

use super::TwoSpeed;
use super::rewrite::is_live;
use crate::engine::Ns;
use crate::ftl::write::pages::Pages;
use wordline_cells::ids::Pun;

impl TwoSpeed {
    /// Looks at the age of all live pages that were written fast.
    pub fn note_age(&self, pages: &mut Pages, now: Ns) {
        let Pages { shadow: Some(shadow), mapping, .. } = pages else { return };
        if self.fast.is_some() {
            shadow.count_outlived(now, |pun| mapping.is_valid(pun));
        }
    }

    /// Compares the rewrite queue with what is live in fast blocks, and the pages that were lost with what was found too old.
    pub fn verify(&self, pages: &Pages) -> Result<(), String> {
        if self.queued > 0 || self.queues.iter().any(|queue| !queue.is_empty()) {
            return Err(format!("the run is over, but {} pages wait to be written", self.queued));
        }
        if let Some(load) = self.loads.iter().find(|load| load.writing + load.rewriting + load.others > 0) {
            return Err(format!("the run is over, but a channel still has to do: {load:?}"));
        }
        let Some(fast) = &self.fast else { return Ok(()) };
        if !fast.active.is_empty() {
            return Err(format!("the run is over, but {} pages are being rewritten", fast.active.len()));
        }
        let least = fast.asked.least_retention;
        if let Some(entry) = fast.queue.iter().find(|entry| entry.retention < least) {
            return Err(format!("{entry:?} is in a block that does not keep fast data for {least} ns"));
        }
        let remembered: BTreeSet<_> =
            fast.queue.iter().filter(|entry| is_live(entry, pages)).map(|entry| entry.pun).collect();
        let all = pages.mapping.valid_in(Pun::new(0), pages.geometry.end());
        let live: Vec<_> = all.filter(|&pun| pages.is_fast(pun)).collect();
        if let Some(pun) = live.iter().find(|pun| !remembered.contains(pun)) {
            return Err(format!("physical page {pun} was written fast, and nothing will rewrite it"));
        }
        if live.len() as u64 != pages.fast_live {
            return Err(format!(
                "{} live pages were written fast, the rewrite queue counts {}",
                live.len(),
                pages.fast_live
            ));
        }
        let outlived = pages.shadow.as_ref().map_or(0, |shadow| shadow.outlived());
        if outlived > pages.counters.lost_pages {
            return Err(format!(
                "{outlived} pages outlived the retention of their fast write, but {} are counted as lost",
                pages.counters.lost_pages
            ));
        }
        Ok(())
    }
}
