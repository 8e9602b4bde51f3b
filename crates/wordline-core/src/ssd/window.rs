//! The window of what is measured: from the end of the warm-up to the last completion.
//!
//! A result counts what happened in the window, and tells apart what came before and after it: the warm-up, and the work
//! that goes on when no request is left, such as GC that a last write has set off.

use serde::{Deserialize, Serialize};

use super::{Accounts, Ssd};

/// All accounts at the two ends of the window.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Window {
    /// When the warm-up was over; `None` without one.
    start: Option<Box<Accounts>>,
    /// When the last request so far was complete that no other follows.
    end: Option<Box<Accounts>>,
}

impl Ssd {
    /// The warm-up is over.
    #[inline(never)]
    pub(super) fn open_window(&mut self) {
        self.window.start = Some(Box::new(self.accounts()));
        self.controller.counters.block_reads_max = 0;
        self.ftl.begin_window();
    }

    /// What is measured begins now, in a run that a live host drives: what is complete counts as its warm-up.
    pub fn mark(&mut self) {
        self.look();
        let flash = self.standing();
        self.metrics.mark(self.shared.now, flash, self.ftl.handles());
        self.open_window();
        self.window.end = None;
    }

    /// No request is left, for the time being where a live host may send more.
    #[inline(never)]
    pub(super) fn close_window(&mut self) {
        self.window.end = Some(Box::new(self.accounts()));
    }

    /// The accounts where the window ended, or as they stand in a run that goes on.
    #[must_use]
    pub fn at_end(&self) -> Accounts {
        match &self.window.end {
            Some(end) if self.host.is_done() => (**end).clone(),
            _ => self.accounts(),
        }
    }

    /// The accounts where the window began: zeros without a warm-up. In a run that was all warm-up it begins at its end.
    #[must_use]
    pub fn at_start(&self) -> Accounts {
        if self.metrics.completed_count() == 0 && self.metrics.warmup_requests > 0 {
            return self.at_end();
        }
        self.window.start.as_deref().cloned().unwrap_or_default()
    }
}
