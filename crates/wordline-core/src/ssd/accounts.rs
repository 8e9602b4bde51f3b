//! All that an SSD counts and books, as one value: the difference of two is what happened between them.

use serde::{Deserialize, Serialize};

use crate::cache::CacheCounters;
use crate::controller::ChannelTime;
use crate::engine::Ns;
use crate::metrics::{
    ControllerCounters, FtlCounters, HANDLE_EVENTS, HandleCounters, ReadBreakdown, Standing, Times,
};

/// What an SSD has done until a moment, or between two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Accounts {
    /// When, ns since the run began; of a difference: how long.
    pub at: Ns,
    /// What intervals have too; of a difference, its last two numbers are as they stood at the end.
    pub standing: Standing,
    /// The FTL. Largest values are those since the window began.
    pub ftl: FtlCounters,
    /// The FTL by placement handle, and at last what is no handle's; empty where there are no handles.
    pub handles: Vec<HandleCounters>,
    /// Events of handles, in the order of [`HANDLE_EVENTS`].
    pub handle_events: [u64; HANDLE_EVENTS.len()],
    /// The flash controller. Largest values are those since the window began.
    pub controller: ControllerCounters,
    /// The cache; zeros where there is none.
    pub cache: CacheCounters,
    /// What policies count of their own, in the order of [`Ssd::counted`](super::Ssd::counted).
    pub policies: Vec<u64>,
    /// Where the time of user reads went.
    pub breakdown: ReadBreakdown,
    /// By channel. The transfer that goes on is booked as a whole.
    pub channels: Vec<ChannelTime>,
    /// Time that its ECC engine decoded, by channel, ns. The page that is decoded is booked as a whole.
    pub ecc: Vec<Ns>,
    /// Array time of reads, programs and erases, by unit, ns.
    pub dies: Vec<[Ns; 3]>,
    /// Page reads by the number of retry senses that they took.
    pub retry_steps: Vec<u64>,
    /// tBERS of every block that was erased.
    pub erase_times: Times,
}

impl Accounts {
    /// What happened since `before`, an earlier value of the same SSD or the default one.
    #[must_use]
    pub fn since(&self, before: &Accounts) -> Accounts {
        let of = |number: Ns, before: Ns| number.saturating_sub(before);
        Accounts {
            at: self.at - before.at,
            standing: self.standing.since(&before.standing),
            ftl: self.ftl.since(&before.ftl),
            handles: each(&self.handles, &before.handles, |now, before| now.since(&before)),
            handle_events: std::array::from_fn(|kind| {
                of(self.handle_events[kind], before.handle_events[kind])
            }),
            controller: self.controller.since(&before.controller),
            cache: self.cache.since(&before.cache),
            policies: each(&self.policies, &before.policies, of),
            breakdown: self.breakdown.since(&before.breakdown),
            channels: each(&self.channels, &before.channels, |now, before| now.since(&before)),
            ecc: each(&self.ecc, &before.ecc, of),
            dies: each(&self.dies, &before.dies, |now, before| {
                std::array::from_fn(|i| of(now[i], before[i]))
            }),
            retry_steps: each(&self.retry_steps, &before.retry_steps, of),
            erase_times: self.erase_times.since(&before.erase_times),
        }
    }
}

/// The difference of two lists, item by item; the earlier one may be shorter.
fn each<T: Copy + Default>(now: &[T], before: &[T], difference: impl Fn(T, T) -> T) -> Vec<T> {
    let before = before.iter().copied().chain(std::iter::repeat(T::default()));
    now.iter().zip(before).map(|(&now, before)| difference(now, before)).collect()
}

/// The difference of two values of a type: of what is `counted` the growth, of what is `standing` the later one.
macro_rules! difference {
    ($Part:ident { counted: $($counted:ident),+; $(standing: $($standing:ident),+;)? }) => {
        impl $Part {
            /// What was counted since `before`.
            #[must_use]
            pub fn since(&self, before: &$Part) -> $Part {
                let $Part { $($counted,)+ $($($standing,)+)? } = *self;
                $Part {
                    $($counted: $counted.saturating_sub(before.$counted),)+
                    $($($standing,)+)?
                }
            }
        }
    };
}

difference! { Standing {
    counted: host_bytes, programs, user_programs, moved_pages, erases;
    standing: free_blocks, outstanding;
} }
difference! { FtlCounters {
    counted: user_reads, reads_without_flash, preloaded, user_writes, redone, slc_writes, padding, closed_groups, closed_on_request, paced_writes, parity, parity_rebuilds, parity_rebuild_reads,
        parity_failed, merge_reads, parked_writes, trimmed, moved,
        wear_moved, refresh_moved, fold_moved, fast_writes, too_worn_writes, rewrite_hits, rewrites, forced_rewrites, stale_dropped, lost_pages, invalid_handles, erases,
        gc_jobs, wear_jobs, fold_jobs, refresh_jobs, refresh_valid_pages, refresh_kept_pages, refresh_written_back,
        adjusted_wordlines, read_reclaim_jobs, read_reclaim_pages, grown_bad, map_hits, map_misses, map_reads, map_writes, journal_writes;
    standing: rewrite_queue_max, queued_max;
} }
difference! { HandleCounters { counted: host, gc, gc_caused, other_moves, table, redone, padding, parity; } }
difference! { ControllerCounters {
    counted: reads, programs, erases, adjusts, senses, retry_senses, wasted_senses, resets, set_features, fallbacks,
        first_failures, failed_decodes, soft_decodes, uncorrectable_pages, on_die_checks, needless_on_die_retries,
        missed_on_die, incomplete_erases, multiplane, suspends, loaded_suspends;
    standing: block_reads_max;
} }
difference! { CacheCounters { counted: read_hits, read_misses, write_hits, write_misses, flushes; } }
difference! { ReadBreakdown { counted: reads, queue, array, channel_wait, transfer, total; } }
difference! { ChannelTime { counted: correct, uncorrectable, ecc_wait, write; } }
