//! The free blocks of a plane: how many GC keeps, and how many there can be.

use super::{Config, Fill, FreeBlocks, Frontier, Group, JournalMode, MappingKind, Scale};

/// Fewest free blocks at which GC is urgent: one for GC to write into, one for the user.
const URGENT_MIN_BLOCKS: usize = 2;
/// With less of a plane's blocks to spare above what GC keeps, random writes move some 40 pages for each page written:
/// (1 - s) / 2s for a share of s.
const SPARE_MIN_SHARE: f64 = 0.0125;

/// Numbers of free blocks of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GcThresholds {
    /// With fewer GC begins.
    pub begins_below: usize,
    /// With these or fewer it is urgent.
    pub urgent_upto: usize,
}

impl Config {
    /// Blocks of a plane; where a reclaim unit has several, they count as one.
    #[must_use]
    pub fn groups_per_plane(&self) -> u32 {
        self.ssd.blocks_per_plane / self.fdp.layers()
    }

    /// The numbers of free blocks at which GC begins and becomes urgent. GC that may wait for user I/O begins so early that
    /// every stream can open a block before it is urgent, as far as there are blocks for that.
    #[must_use]
    pub fn gc_thresholds(&self) -> GcThresholds {
        let of_blocks = |free: FreeBlocks| free.of(self.groups_per_plane()) as usize;
        let urgent_upto = of_blocks(self.gc.hard_threshold).max(URGENT_MIN_BLOCKS);
        // Handles are many, and seldom need another group at the same time.
        let of_host = if self.fdp.is_on() { 1 } else { self.ftl.streams as usize };
        let streams = of_host + usize::from(self.has_journal());
        let ahead = if self.gc.preemptible { urgent_upto + 1 + streams } else { 0 };
        let reachable = ahead.min(self.free_blocks_when_full() as usize);
        // Where moved pages go behind the host's, the open block counts as free: GC must begin one block earlier.
        // Otherwise the journal waits for a block, and GC does not begin.
        let least = match self.gc.frontier {
            Frontier::Shared if self.keeps_a_spare_block() => URGENT_MIN_BLOCKS + 2,
            _ => URGENT_MIN_BLOCKS + 1,
        };
        GcThresholds { begins_below: of_blocks(self.gc.threshold).max(reachable).max(least), urgent_upto }
    }

    /// GC keeps a second block for live pages: the one that it moves them into may go bad, or be smaller than the victim, where
    /// blocks of groups are bad.
    pub(crate) fn keeps_a_spare_block(&self) -> bool {
        self.reliability.grown_bad > 0.0
            || self.reliability.factory_bad > 0.0 && self.ftl.group != Group::Block
    }

    /// Changes of the mapping table are written to flash.
    #[must_use]
    pub fn has_journal(&self) -> bool {
        self.journal.mode == JournalMode::On
    }

    /// Blocks of a plane that are always in SLC mode.
    #[must_use]
    pub fn static_blocks(&self) -> u32 {
        match self.slc.policy.uses_cache() {
            true => self.slc.static_blocks.of(self.groups_per_plane()).round() as u32,
            false => 0,
        }
    }

    /// Blocks of a plane that over-provisioning adds, where a part of each block is parity.
    #[must_use]
    pub fn spare_blocks(&self) -> f64 {
        let blocks = f64::from(self.groups_per_plane());
        match self.ftl.parity {
            0 => blocks * self.ssd.overprovisioning,
            _ => blocks - blocks * (1.0 - self.ssd.overprovisioning) / self.data_share(),
        }
    }

    /// The share of a group's pages that is not parity.
    #[must_use]
    pub fn data_share(&self) -> f64 {
        match self.ftl.parity {
            0 => 1.0,
            pages => 1.0 - 1.0 / f64::from(pages),
        }
    }

    /// Spare blocks of a plane that are never free for long: open blocks of the streams of the user, one for GC, one
    /// where wear levelling parks cold data, one for fast writes, those of an SLC cache that are always its, and the mapping table
    /// where it is on flash.
    pub(super) fn spare_blocks_in_use(&self) -> f64 {
        let parking = if self.wear.policy.moves_data(&self.wear.policies) { 1.0 } else { 0.0 };
        let fast = if self.program.policy.fast_dvpp(&self.program.policies).is_some() { 1.0 } else { 0.0 };
        // Open blocks of the cache and of what is folded out of it.
        let cache = if self.slc.policy.uses_cache() { 2.0 + f64::from(self.static_blocks()) } else { 0.0 };
        let kept = if self.keeps_a_spare_block() { 2.0 } else { 1.0 };
        self.open_blocks_of_host()
            + kept
            + parking
            + fast
            + cache
            + self.table_blocks()
            + self.padded_blocks()
    }

    /// Blocks of a plane that the mapping table takes where it is on flash, with its journal.
    fn table_blocks(&self) -> f64 {
        let share = f64::from(self.ftl.entry_bytes) / f64::from(self.unit_bytes());
        let data = f64::from(self.groups_per_plane()) * (1.0 - self.ssd.overprovisioning) / self.data_share();
        let table = data * share;
        match (self.ftl.mapping, self.has_journal()) {
            (MappingKind::Dftl, _) => table.ceil(),
            (MappingKind::Flat, true) => 1.0 + (table * (1.0 + self.journal.share)).ceil(),
            (MappingKind::Flat, false) => 0.0,
        }
    }

    /// Open blocks of the host's streams; those of handles are half empty in the mean.
    fn open_blocks_of_host(&self) -> f64 {
        if !self.fdp.is_on() {
            return f64::from(self.ftl.streams);
        }
        let moved = if self.gc.frontier == Frontier::Separate { self.fdp.persistent() } else { 0 };
        0.5 * f64::from(self.fdp.handles + moved)
    }

    /// Blocks of a plane that padding may take: without backup power the last program of each victim is filled up, so each
    /// group may have one such program.
    pub(super) fn padded_blocks(&self) -> f64 {
        if !self.has_journal() || self.power.protected {
            return 0.0;
        }
        let planes = if self.ftl.group == Group::Block { 1 } else { self.ssd.planes_per_die };
        let on_die = self.ssd.pages_per_block * planes * self.units_per_page();
        let dies = if self.ftl.group == Group::Superblock { self.geometry().dies() } else { 1 };
        let share = f64::from(self.units_of_program() - 1) / (f64::from(on_die) * f64::from(dies));
        f64::from(self.groups_per_plane()) * share
    }

    /// Free blocks of a plane when the host has written everything and nothing is left to reclaim.
    pub(super) fn free_blocks_when_full(&self) -> f64 {
        (self.spare_blocks() - self.spare_blocks_in_use()).max(0.0)
    }

    /// The live share of the blocks that GC can take, when the host has written everything.
    pub(super) fn live_share_when_full(&self) -> f64 {
        let never_full = self.spare_blocks_in_use() - self.table_blocks();
        1.0 - self.free_blocks_when_full() / (f64::from(self.groups_per_plane()) - never_full)
    }

    /// Free blocks of a plane at most when the run begins.
    pub(super) fn free_blocks_when_filled(&self) -> f64 {
        let data = f64::from(self.groups_per_plane()) - self.spare_blocks();
        let unwritten = match self.precondition.fill {
            Fill::Share(share) => data * (1.0 - share),
            Fill::Word(_) => data,
        };
        self.free_blocks_when_full() + unwritten
    }

    /// Warns where GC, to keep its free blocks, leaves hardly any for invalid pages: it then moves many pages for each that is
    /// written once the SSD is full.
    #[must_use]
    pub fn spare_warning(&self) -> Option<String> {
        let GcThresholds { begins_below, .. } = self.gc_thresholds();
        let left = self.free_blocks_when_full() - begins_below as f64;
        (left < SPARE_MIN_SHARE * f64::from(self.groups_per_plane())).then(|| {
            format!(
                "GC keeps {begins_below} blocks of a plane free, and the spare ones barely exceed that: of {:.1} in each plane {:.1} are left for \
                 invalid data, so GC moves very many pages once the SSD is full; {}raise ssd.overprovisioning or lower gc.threshold",
                self.spare_blocks(),
                left.max(0.0),
                if self.ssd.scale == Scale::WHOLE { "" } else { "the whole drive has more: simulate a larger part (ssd.scale), or " }
            )
        })
    }
}
