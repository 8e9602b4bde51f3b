//! Wordlines whose states were merged after some of their pages became invalid (IDA, Section III-B), and how long
//! their pages take to read.
//!
//! A bit in [`BlockHealth`](super::BlockHealth) says that a block has such wordlines; a bit a page says here which
//! pages their wordline was merged without. A wordline that is as it was programmed has no bit set, one that was merged
//! has at least one: that is the paper's bit per wordline (Section III-C), for any number of bits per cell.

use super::{BlockId, Geometry, Nand, Ppn};
use crate::config::Config;
use crate::engine::{Ns, Table, state};
use crate::flash::{ModeId, PageAges};
use wordline_cells::coding::{BITS_MAX, Merged, STATES_MAX};
use wordline_cells::ns_from_us;
use wordline_cells::read::{Condition, MergedRead, Page};

/// The merged wordlines of all blocks; there is none where no policy merges any.
#[derive(Debug)]
pub struct MergedWordlines {
    /// Pages that merging gave up, a bit each.
    gone: Table<u64>,
    /// The states that are left, by the set of pages that were given up.
    merged: Merged,
    /// Its pages have the errors of these states, not those of plain wordlines.
    has_errors_of_states: bool,
    /// tR by the pages that were given up and the page's type.
    sense: [[Ns; BITS_MAX]; STATES_MAX],
    /// Time of the adjustment by the pages that it gives up.
    adjust: [Ns; STATES_MAX],
}

state! {
    MergedWordlines {
        parts: gone;
        derived: merged, has_errors_of_states, sense, adjust;
    }
}

impl MergedWordlines {
    /// The table for a configuration, where its coding policy merges wordlines.
    pub(super) fn new(config: &Config, geometry: &Geometry) -> Option<Box<MergedWordlines>> {
        if !config.coding.policy.merges() {
            return None;
        }
        let merged = Merged::new(&config.coding.scheme.resolve(config.coding.cell).gray());
        let bits = geometry.bits_per_cell as usize;
        let nand = &config.nand;
        let msb_program_us = *nand.program_us.get(bits - 1).unwrap_or(&nand.program_us[0]);
        let mut sense = [[0; BITS_MAX]; STATES_MAX];
        let mut adjust = [0; STATES_MAX];
        for invalid in 0..1usize << bits {
            for (page_type, time) in sense[invalid].iter_mut().enumerate().take(bits) {
                let needed = merged.senses(invalid as u8, page_type as u32);
                let senses = config.coding.policy.timed_senses(&config.coding.policies, needed);
                if senses > 0 {
                    *time = ns_from_us(nand.read_us[senses - 1]);
                }
            }
            let ispp_share = f64::from(merged.ispp_share(invalid as u8));
            let share = config.coding.policy.adjust_share(&config.coding.policies, ispp_share);
            adjust[invalid] = ns_from_us(msb_program_us * share);
        }
        let gone = Table::zeroed(geometry.pages() as usize / 64 + 1);
        let has_errors_of_states = config.coding.policy.has_errors_of_states(&config.coding.policies);
        Some(Box::new(MergedWordlines { gone, merged, has_errors_of_states, sense, adjust }))
    }

    /// The ways in which their pages are read.
    pub(super) fn reads(&self) -> Vec<MergedRead> {
        self.merged.reads()
    }

    #[inline]
    fn is_gone(&self, ppn: Ppn) -> bool {
        self.gone[ppn.index() / 64] >> (ppn.index() % 64) & 1 == 1
    }

    /// The pages that a wordline was merged without, by its first page; 0 where it was not.
    fn invalid(&self, first: Ppn, bits: u32) -> u8 {
        (0..bits).map(|page| u8::from(self.is_gone(first + page)) << page).sum()
    }
}

impl Nand {
    /// tR of a page, by its number and its index in its block of a mode, as its wordline is coded now.
    #[inline]
    #[must_use]
    pub fn sense(&self, mode: ModeId, ppn: Ppn, page_in_block: u32) -> Ns {
        match &self.merged {
            Some(merged) if self.is_merged(self.geometry.block_of(ppn)) => self.merged_sense(merged, ppn),
            _ => self.timing.sense(mode, page_in_block),
        }
    }

    #[inline(never)]
    fn merged_sense(&self, merged: &MergedWordlines, ppn: Ppn) -> Ns {
        let (invalid, page_type) = self.merged_without(merged, ppn);
        merged.sense[usize::from(invalid)][page_type as usize]
    }

    /// The pages that merging gave up in the wordline of a page, a bit each, and the type of the page.
    fn merged_without(&self, merged: &MergedWordlines, ppn: Ppn) -> (u8, u32) {
        let page_type = self.geometry.page_type(self.geometry.page_in_block(ppn));
        // The last wordline of a block may have fewer pages than the cell has bits. It is never merged.
        let first = ppn - page_type;
        let pages = self.geometry.first_page(self.geometry.block_of(ppn) + 1) - first;
        let invalid = merged.invalid(first, self.geometry.bits_per_cell.min(pages));
        debug_assert!(!merged.is_gone(ppn), "a page that merging gave up is not read");
        (invalid, page_type)
    }

    /// A page of a block with merged wordlines, in its condition.
    #[inline(never)]
    pub(super) fn merged_page(
        &self,
        merged: &MergedWordlines,
        ppn: Ppn,
        die: u32,
        condition: &Condition,
    ) -> Page {
        let (invalid, page_type) = self.merged_without(merged, ppn);
        let block = self.geometry.block_of(ppn);
        let page = ppn - self.geometry.first_page(block);
        if invalid == 0 || !merged.has_errors_of_states {
            return self.reads.page(die, block.number(), page, condition);
        }
        let table = &merged.merged;
        let merge = MergedRead { sensed: table.references(invalid, page_type), states: table.kept(invalid) };
        self.reads.merged_page(die, block.number(), page, condition, merge)
    }

    /// True when the wordline of a page was merged, and its errors are those of the states that are left.
    #[inline]
    #[must_use]
    pub fn has_merged_errors(&self, ppn: Ppn) -> bool {
        self.merged.as_ref().is_some_and(|merged| {
            merged.has_errors_of_states
                && self.is_merged(self.geometry.block_of(ppn))
                && self.merged_without(merged, ppn).0 != 0
        })
    }

    /// True when a block has merged wordlines: the paper's IDA block.
    #[inline]
    #[must_use]
    pub fn is_merged(&self, block: BlockId) -> bool {
        self.health(block).merged
    }

    /// True when a page was given up by merging its wordline: nothing will ever read it again.
    #[must_use]
    pub fn is_given_up(&self, ppn: Ppn) -> bool {
        self.merged.as_ref().is_some_and(|merged| merged.is_gone(ppn))
    }

    /// Time of a voltage adjustment that gives up these pages of a wordline (a bit each), ns.
    #[must_use]
    pub fn adjust_time(&self, invalid: u8) -> Ns {
        self.merged.as_ref().map_or(0, |merged| merged.adjust[usize::from(invalid) % STATES_MAX])
    }

    /// A wordline, given by its first page, was adjusted without some of its pages (a bit each).
    pub fn adjusted(&mut self, first: Ppn, invalid: u8) {
        let Some(merged) = &mut self.merged else { return };
        for page in (0..BITS_MAX as u32).filter(|page| invalid >> page & 1 == 1) {
            let ppn = first + page;
            merged.gone[ppn.index() / 64] |= 1 << (ppn.index() % 64);
        }
        let block = self.geometry.block_of(first);
        self.health_mut(block).merged = true;
    }

    /// A block was erased without time: its wordlines are plain again.
    pub fn forget_merging(&mut self, block: BlockId) {
        if std::mem::take(&mut self.health_mut(block).merged) {
            self.unmerge(block);
        }
    }

    /// An erase makes plain wordlines of all.
    pub(super) fn unmerge(&mut self, block: BlockId) {
        let Some(merged) = &mut self.merged else { return };
        let first = self.geometry.first_page(block);
        for ppn in first.to(first + self.geometry.pages_per_block) {
            merged.gone[ppn.index() / 64] &= !(1 << (ppn.index() % 64));
        }
    }

    /// What every wordline of a block holds was just programmed to its place: its data is as good as new.
    ///
    /// Adjusting a wordline brings every cell up to the verify level of its state, also those that keep their state
    /// and have leaked since, as the in-place reprogramming of FCR does (IDA, reference 23). All data that is left in an IDA
    /// block is on adjusted wordlines, so the block's refresh period starts anew (Section III-C: it is reclaimed in the
    /// next refresh).
    pub fn refreshed_in_place(&mut self, block: BlockId, now: Ns) {
        self.health_mut(block).ages = PageAges::all_at(now);
        self.forget_preloaded(block);
    }
}
