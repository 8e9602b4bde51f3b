//! Open groups that nobody writes to are closed (`ftl.open_timeout_ms`): a block that stays open keeps a wordline whose neighbour
//! is not programmed, and wears worse than a full one.
//!
//! A timer looks at all open groups at intervals, so that a write has nothing to do for it.

use serde::{Deserialize, Serialize};

use super::closing::Ending;
use super::pages::Pages;
use crate::config::Config;
use crate::engine::{Ns, state};
use crate::error::SimError;
use crate::flash::{Class, Purpose};
use crate::ftl::{Ftl, Step};
use crate::metrics::HandleEventKind;
use crate::nand::{BlockId, FrontierId, IdVec, PoolId};
use wordline_cells::ns_from_us;

/// Looks at an open group until it has waited long enough: it is closed later by one part of these at most.
const LOOKS: Ns = 8;

/// What an open group was like when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    head: BlockId,
    /// Pages that it had handed out.
    taken: u32,
    /// When it was seen so first.
    since: Ns,
}

/// When open groups are closed.
#[derive(Debug)]
pub(in crate::ftl) struct OpenTimeout {
    /// 0 where they never are.
    timeout: Ns,
    /// Free groups of a pool that GC keeps.
    kept: usize,
    /// By frontier of a stream.
    seen: IdVec<FrontierId, Option<Seen>>,
    /// By frontier of a stream: the group that was closed last, also where the host asked for it.
    closed: IdVec<FrontierId, Option<BlockId>>,
}

state! {
    OpenTimeout {
        values: seen, closed;
        derived: timeout, kept;
    }
}

impl OpenTimeout {
    pub fn new(config: &Config, frontiers: usize) -> OpenTimeout {
        let timeout = match config.ftl.open_timeout_ms {
            0.0 => 0,
            timeout_ms => ns_from_us(timeout_ms * 1e3).max(LOOKS),
        };
        OpenTimeout {
            timeout,
            kept: config.gc_thresholds().begins_below,
            seen: IdVec::filled(frontiers, None),
            closed: IdVec::filled(frontiers, None),
        }
    }

    /// The open group of a frontier is closed.
    pub fn note_closed(&mut self, frontier: FrontierId, head: BlockId) {
        // Nobody looks at seats.
        if let Some(last) = self.closed.get_mut(frontier.index()) {
            *last = Some(head);
        }
    }

    /// How long the open group of a frontier may stay as it was seen last, ns; none where there is no limit.
    pub fn left(&self, frontier: FrontierId, now: Ns) -> Option<Ns> {
        let seen = self.seen.get(frontier.index()).copied().flatten();
        let since = seen.map_or(now, |seen| seen.since);
        (self.timeout > 0).then(|| self.timeout.saturating_sub(now - since))
    }

    /// An open group is as it is now; true where it has been so for long enough.
    fn is_due(&mut self, frontier: FrontierId, group: Option<(BlockId, u32)>, now: Ns) -> bool {
        let seen = &mut self.seen[frontier];
        let Some((head, taken)) = group else {
            *seen = None;
            return false;
        };
        match *seen {
            Some(before) if (before.head, before.taken) == (head, taken) => {
                now - before.since >= self.timeout
            }
            _ => {
                *seen = Some(Seen { head, taken, since: now });
                false
            }
        }
    }
}

impl Ftl {
    /// How often open groups are looked at, ns; 0 where they never are.
    #[must_use]
    pub fn open_scan_period(&self) -> Ns {
        self.open_timeout.timeout / LOOKS
    }

    /// Closes open groups that nobody has written to for long enough.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn close_idle_groups(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        let streams: Vec<_> = self.pages.placement.streams.ids().collect();
        for pool in self.pages.blocks.pools() {
            for &stream in &streams {
                // Pages that lie there since before the run are where no drive would have them; those that were written fast
                // are soon written again.
                let purpose = self.pages.placement.streams.get(stream).purpose;
                let is_left = matches!(purpose, Purpose::Preload | Purpose::Fast);
                let frontier = self.pages.blocks.frontier(pool, stream);
                let group = self.pages.blocks.taken_of(frontier);
                let is_due = self.open_timeout.is_due(frontier, group, step.now);
                let Some((head, _)) = group.filter(|_| is_due && !is_left) else { continue };
                if !self.may_close(head, pool, frontier) {
                    continue;
                }
                // In the queue of what the program already holds, so that it is in order; else nobody waits.
                let packs = self.pages.packing.packs();
                let class = if packs { self.pages.class_of(frontier) } else { Class::InternalWrite };
                self.note_closed(frontier, HandleEventKind::TimeLimitExceeded, step.now);
                self.close_group(frontier, Ending::Pad, class, step)?;
            }
        }
        Ok(())
    }

    /// A job needs its open groups, and so does GC where room is short. Programs that wait for their die are writes, too: of
    /// the group, and of the one that was closed before. Else a time-out that is shorter than a program would close one group
    /// after the other, with all their padding on its way.
    fn may_close(&self, head: BlockId, pool: PoolId, frontier: FrontierId) -> bool {
        let Pages { blocks, packing, .. } = &self.pages;
        let is_short = blocks.free_count(pool) <= self.open_timeout.kept;
        let is_written = blocks.unprogrammed_of(head) == packing.units_in(frontier)
            && self.open_timeout.closed[frontier].is_none_or(|before| blocks.unprogrammed_of(before) == 0);
        !is_short && is_written && !self.reclaim.is_busy(pool) && !self.parking.holds_for(pool)
    }
}
