//! Checked mode, when a run has ended: nothing waits to be written, and every fast page is remembered.

use std::collections::BTreeSet;

use crate::ftl::Ftl;

impl Ftl {
    /// Compares the rewrite queue with what is live in fast blocks.
    pub(in crate::ftl) fn verify_write_path(&self) -> Result<(), String> {
        let Some(path) = &self.two_speed else { return Ok(()) };
        if path.queued > 0 || path.queues.iter().any(|queue| !queue.is_empty()) {
            return Err(format!("the run is over, but {} pages wait to be written", path.queued));
        }
        if let Some(load) = path.loads.iter().find(|load| load.writing + load.rewriting + load.others > 0) {
            return Err(format!("the run is over, but a channel still has to do: {load:?}"));
        }
        let Some(fast) = &path.fast else { return Ok(()) };
        if !fast.active.is_empty() {
            return Err(format!("the run is over, but {} pages are being rewritten", fast.active.len()));
        }
        let remembered: BTreeSet<_> =
            fast.queue.iter().filter(|entry| self.is_live(entry)).map(|entry| entry.ppn).collect();
        let (mut live, mut at) = (0u32, 0);
        while let Some(ppn) = self.mapping.next_valid(at, self.geometry.pages() as u32) {
            at = ppn + 1;
            if !self.is_fast(ppn) {
                continue;
            }
            live += 1;
            if !remembered.contains(&ppn) {
                return Err(format!("physical page {ppn} was written fast, and nothing will rewrite it"));
            }
        }
        if live != fast.queue.live() {
            return Err(format!(
                "{live} live pages were written fast, the rewrite queue counts {}",
                fast.queue.live()
            ));
        }
        Ok(())
    }
}
