//! Plain counts of what happened. Their comments are the descriptions in the reference of a result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the FTL did. Its pages are mapping units (`ftl.unit_bytes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct FtlCounters {
    /// Pages read for the host.
    pub user_reads: u64,
    /// Page reads that needed no flash: never written, trimmed, or still in the controller.
    pub reads_without_flash: u64,
    /// Pages that were read before the run wrote them, and count as written before it.
    pub preloaded: u64,
    /// Pages programmed for the host, the cache and the mapping table.
    pub user_writes: u64,
    /// Of `user_writes`, pages of the host or the cache whose programs a loss of power had cut off, programmed again.
    pub redone: u64,
    /// Mapping units of padding, with which pages were filled up that somebody waited for, and open groups that were closed.
    pub padding: u64,
    /// Open groups of blocks that were filled up with padding, since nobody wrote to them (`ftl.open_timeout_ms`) or the host asked for it.
    pub closed_groups: u64,
    /// Of these, groups that the host asked to close.
    pub closed_on_request: u64,
    /// Writes that waited until GC had won more room (`gc.pacing`); those that waited behind them do not count.
    pub paced_writes: u64,
    /// Mapping units of parity (`ftl.parity`).
    pub parity: u64,
    /// Pages that did not decode and were made again from the others of their stripes.
    pub parity_rebuilds: u64,
    /// Pages read for that.
    pub parity_rebuild_reads: u64,
    /// Pages that did not decode and could not be made again, since another page of the stripe did not decode either, or a loss of power,
    /// or bad blocks, had left it without parity.
    pub parity_failed: u64,
    /// Pages read because a write covered only part of them.
    pub merge_reads: u64,
    /// Writes that waited for a free block.
    pub parked_writes: u64,
    /// Pages that the host gave up (trim).
    pub trimmed: u64,
    /// Of `user_writes`, pages that went to the SLC cache.
    pub slc_writes: u64,
    /// Pages moved by GC, wear levelling, refresh and folding: also in vain, where one was overwritten while the die copied it.
    pub moved: u64,
    /// Of these, pages that static wear levelling moved.
    pub wear_moved: u64,
    /// Of these, pages that refresh moved, those of read reclaim among them.
    pub refresh_moved: u64,
    /// Of these, pages that were folded: moved out of the SLC cache.
    pub fold_moved: u64,
    /// Pages of the user that were programmed fast.
    pub fast_writes: u64,
    /// Pages that would have been programmed fast, had the next block not been too worn to keep them.
    pub too_worn_writes: u64,
    /// Writes of pages whose newest copy was a fast one that waited for its rewrite.
    pub rewrite_hits: u64,
    /// Fast pages that were programmed again at normal speed, GC's moves not included.
    pub rewrites: u64,
    /// Those of them that were due.
    pub forced_rewrites: u64,
    /// Entries of the rewrite queue that came to its top when their pages had newer copies.
    pub stale_dropped: u64,
    /// Most entries of the rewrite queue at a time since the window began.
    pub rewrite_queue_max: u64,
    /// Most pages of the write queue at a time since the window began.
    pub queued_max: u64,
    /// Fast pages that outlived their retention before they were programmed again.
    pub lost_pages: u64,
    /// Writes that named a placement handle which the drive does not have, and went to the first one (NVMe's FDP event 3h).
    pub invalid_handles: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Blocks that GC reclaimed, or began to.
    pub gc_jobs: u64,
    /// Blocks that static wear levelling emptied, or began to.
    pub wear_jobs: u64,
    /// Blocks of the SLC cache that were folded, or whose folding began.
    pub fold_jobs: u64,
    /// Blocks that refresh rewrote, or began to: Refresh Counts of OCP's SMART log.
    pub refresh_jobs: u64,
    /// Valid pages of the blocks that refresh rewrote.
    pub refresh_valid_pages: u64,
    /// Pages that refresh kept in place, in wordlines whose voltages it adjusted, and read back (IDA).
    pub refresh_kept_pages: u64,
    /// Of these, pages that the adjustment broke and that were written elsewhere.
    pub refresh_written_back: u64,
    /// Wordlines that refresh adjusted.
    pub adjusted_wordlines: u64,
    /// Those of `refresh_jobs` that were due because their block was read often, or with many errors.
    pub read_reclaim_jobs: u64,
    /// Valid pages of these blocks when their jobs began.
    pub read_reclaim_pages: u64,
    /// Blocks that an erase turned bad: what Bad User NAND Blocks of OCP's SMART log grows by.
    pub grown_bad: u64,
    /// Mapping entries found in DRAM.
    pub map_hits: u64,
    /// Mapping entries not found there.
    pub map_misses: u64,
    /// Translation pages read for them.
    pub map_reads: u64,
    /// Translation pages written back; units of the journal and of checkpoints.
    pub map_writes: u64,
    /// Of `map_writes`, units of the journal (`journal.mode`).
    pub journal_writes: u64,
}

impl FtlCounters {
    /// Pages programmed: those of the host, the cache and the mapping table, those that were moved or rewritten, padding and parity.
    #[must_use]
    pub fn programs(&self) -> u64 {
        self.user_writes + self.moved + self.rewrites + self.padding + self.parity
    }

    /// Pages programmed for the host and the cache. Pages of the mapping table take the path of user data, and are counted
    /// with it in `user_writes`; so is what is done again after a loss of power.
    #[must_use]
    pub fn user_programs(&self) -> u64 {
        self.user_writes.saturating_sub(self.map_writes + self.redone)
    }
}

/// Mapping units that were programmed for a placement handle, by cause, and what the host asked of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct HandleCounters {
    /// Written by the host, or by the cache on its behalf.
    pub host: u64,
    /// Moved by garbage collection out of blocks of the handle.
    pub gc: u64,
    /// Moved by garbage collection, out of whatever blocks, while the handle was the last that had opened a group.
    pub gc_caused: u64,
    /// Moved by wear levelling and refresh out of blocks of the handle.
    pub other_moves: u64,
    /// Pages of the mapping table.
    pub table: u64,
    /// Programmed again after a loss of power.
    pub redone: u64,
    /// Padding.
    pub padding: u64,
    /// Parity.
    pub parity: u64,
}

impl HandleCounters {
    /// The sum of two.
    #[must_use]
    pub fn plus(self, more: HandleCounters) -> HandleCounters {
        HandleCounters {
            host: self.host + more.host,
            gc: self.gc + more.gc,
            gc_caused: self.gc_caused + more.gc_caused,
            other_moves: self.other_moves + more.other_moves,
            table: self.table + more.table,
            redone: self.redone + more.redone,
            padding: self.padding + more.padding,
            parity: self.parity + more.parity,
        }
    }
}

/// What the flash controller did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct ControllerCounters {
    /// Pages read from flash, for any purpose.
    pub reads: u64,
    /// Pages programmed.
    pub programs: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Wordlines whose voltages were adjusted.
    pub adjusts: u64,
    /// Senses, retries included.
    pub senses: u64,
    /// Most senses of a block since its last erase, of blocks that were read since the window began; 0 where they are not
    /// counted by block.
    pub block_reads_max: u64,
    /// Senses after the first of their command: retry steps, of the die's own account included.
    pub retry_senses: u64,
    /// Of these, senses that turned out needless: started before it was known that all pages decode.
    pub wasted_senses: u64,
    /// RESETs that ended a needless sense.
    pub resets: u64,
    /// SET FEATUREs.
    pub set_features: u64,
    /// Reads retried once more at the default timing, since no shortened step decoded.
    pub fallbacks: u64,
    /// Pages that do not decode as they were sensed first.
    pub first_failures: u64,
    /// Pages that were moved to the controller and failed to decode there.
    pub failed_decodes: u64,
    /// Pages that decoded only with soft decisions.
    pub soft_decodes: u64,
    /// Pages that did not decode at any step, so that their data are lost unless parity brings them back: Uncorrectable Read Error Count of OCP's SMART log.
    pub uncorrectable_pages: u64,
    /// Checks of a sense on the die.
    pub on_die_checks: u64,
    /// Pages that such a check judged undecodable and that would have decoded.
    pub needless_on_die_retries: u64,
    /// Pages that such a check let pass and that do not decode.
    pub missed_on_die: u64,
    /// Blocks that an erase left with errors: less than complete, within what ECC can bear.
    pub incomplete_erases: u64,
    /// Commands for more than one plane.
    pub multiplane: u64,
    /// Programs and erases interrupted for a read.
    pub suspends: u64,
    /// Of these, programs whose successor's data were on the die already.
    pub loaded_suspends: u64,
}
