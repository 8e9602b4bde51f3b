//! Refresh: data that has been in a block for a while is corrected and written anew.
//!
//! Remapping-based refresh moves all valid pages of a block elsewhere and erases it, as GC does. With
//! `coding.policy = "ida"` it leaves some of them in place and merges the states of their wordlines (`in_place.rs`).
//! `at_start.rs` refreshes everything once before or at the start of a run.

mod at_start;
mod in_place;
mod shadow;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::config::{Config, RefreshAtStart};
use crate::engine::{Ns, state};
use crate::error::SimError;
use crate::flash::{Block, BlockState};
use crate::ftl::write::pages::Pages;
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, IdVec, Nand, PoolId, Pun};
use crate::policy::Counted;
use crate::policy::coding::{Action, CodingKeys, CodingPolicy};
use crate::policy::refresh::{RefreshView, Refreshes};
use wordline_cells::variation::{Purpose, unit};

pub(super) use in_place::JobStage;

/// When and how to refresh.
#[derive(Clone, Copy, Debug)]
struct RefreshConfig {
    at_start: RefreshAtStart,
    /// What is done with each wordline.
    policy: CodingPolicy,
    keys: CodingKeys,
    seed: u64,
}

/// A group whose data is to be refreshed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Due {
    /// Its head.
    block: BlockId,
    /// Because the run starts, whatever its age.
    at_start: bool,
}

/// Which blocks are to be refreshed, and how.
#[derive(Debug)]
pub(in crate::ftl) struct Refresh {
    config: RefreshConfig,
    policies: Refreshes,
    /// By pool.
    due: IdVec<PoolId, VecDeque<Due>>,
    /// A block was due in this run.
    has_begun: bool,
    /// Count of filled blocks when the data became old that is there before a run.
    aged_upto: u32,
}

state! {
    Refresh {
        parts: policies;
        values: due, has_begun, aged_upto;
        derived: config;
    }
}

impl Refresh {
    /// What its policies have counted of their own.
    pub fn counted(&self) -> Vec<Counted> {
        self.policies.counted()
    }

    /// Nothing is due.
    pub fn new(config: &Config, planes: usize) -> Refresh {
        Refresh {
            config: RefreshConfig {
                at_start: config.refresh.at_start,
                policy: config.coding.policy,
                keys: config.coding.policies,
                seed: config.seed,
            },
            policies: Refreshes::new(config.refresh.policy, &config.refresh.policies, &config.device_view()),
            due: IdVec::filled(planes, VecDeque::new()),
            has_begun: false,
            aged_upto: 0,
        }
    }

    /// True when a pool has a group to refresh.
    #[inline]
    pub fn is_due(&self, pool: PoolId) -> bool {
        self.has_begun && !self.due[pool].is_empty()
    }

    /// Notes the groups of a pool whose data is due: that of one of its blocks.
    fn scan(&mut self, pool: PoolId, pages: &Pages, nand: &Nand, now: Ns) {
        let Refresh { policies, due, has_begun, .. } = self;
        let due = &mut due[pool];
        let old = pages.blocks.groups_of(pool).filter(|(head, group)| {
            group.state == BlockState::Full
                && group.valid > 0
                && any_of(*head, pages, |id, block| policies.is_due(&view(id, block, nand, now)))
        });
        for (block, _) in old {
            if !due.iter().any(|due| due.block == block) {
                due.push_back(Due { block, at_start: false });
                *has_begun = true;
            }
        }
    }

    /// The next group to refresh in a pool, of those that are still due and full.
    pub fn next(&mut self, pool: PoolId, pages: &Pages, nand: &Nand, now: Ns) -> Option<BlockId> {
        while let Some(Due { block, at_start }) = self.due[pool].pop_front() {
            let info = pages.blocks.group(block);
            let is_due = any_of(block, pages, |id, block| match at_start {
                true => nand.block_since(id).is_none(),
                false => self.policies.is_due(&view(id, block, nand, now)),
            });
            let is_whole = info.programmed == info.next_page;
            if info.state == BlockState::Full && is_due && is_whole {
                return Some(block);
            }
        }
        None
    }

    /// Whether a group is due because of its reads. Only an erase ends their disturb, so all its pages are moved.
    pub fn is_read_reclaim(&self, head: BlockId, pages: &Pages, nand: &Nand, now: Ns) -> bool {
        let is_read = |id, block: &Block| self.policies.is_read_reclaim(&view(id, block, nand, now));
        nand.counts_reads() && any_of(head, pages, is_read)
    }

    /// How the refresh of a group begins. An IDA block is emptied: it is reclaimed in the next refresh (IDA,
    /// Section III-C).
    pub fn first_stage(&self, block: BlockId, nand: &Nand) -> JobStage {
        if self.config.policy.merges() && !nand.is_merged(block) { JobStage::Gather } else { JobStage::Empty }
    }

    /// Whether the adjustment breaks a page that it kept. A share of the pages, drawn by place and P/E cycle
    /// (IDA, Section V-B: "x% of the pages experience errors").
    fn is_broken(&self, pun: Pun, pages: &Pages, nand: &Nand) -> bool {
        let pec = nand.health(pages.geometry.block_of(pun)).pec;
        let place = u64::from(pec) << 32 | u64::from(pun);
        let rate = self.config.policy.broken_share(&self.config.keys);
        rate > 0.0 && unit(self.config.seed, place, Purpose::AdjustmentError) < rate
    }

    /// The pages of a wordline that adjusting breaks, a bit each.
    fn broken_of(&self, first: Pun, pages: &Pages, nand: &Nand) -> u8 {
        let wordline = 0..pages.pages_of_wordline(first);
        wordline.map(|page| u8::from(self.is_broken(first + page, pages, nand)) << page).sum()
    }
}

impl Pages {
    /// Pages of the wordline that begins with a page: fewer than the cell has bits only at the end of a block.
    pub(in crate::ftl) fn pages_of_wordline(&self, first: Pun) -> u32 {
        let rest = self.geometry.pages_per_block - self.geometry.page_in_block(first);
        rest.min(self.geometry.bits_per_cell)
    }

    /// What is to be done with the wordline that begins with a page, as its pages are valid now.
    fn action_for(&self, first: Pun, config: &RefreshConfig) -> Action {
        let valid = (0..self.pages_of_wordline(first))
            .map(|page| u8::from(self.mapping.is_valid(first + page)) << page)
            .sum();
        config.policy.action(&config.keys, self.geometry.bits_per_cell as usize, valid)
    }
}

impl Ftl {
    /// Time from one look for due blocks to the next, ns; 0 where nothing is refreshed by its state.
    #[must_use]
    pub fn refresh_scan_period(&self) -> Ns {
        self.reclaim.refresh.policies.looks_every().unwrap_or(0)
    }

    /// Looks for blocks whose data is due.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when there is no room to move pages into.
    pub fn look_for_due_blocks(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        for pool in self.pages.blocks.pools() {
            self.reclaim.refresh.scan(pool, &self.pages, step.nand, step.now);
            self.reclaim_if_due(pool, step)?;
        }
        Ok(())
    }
}

/// True when something is so of a block of a group that holds data.
fn any_of(head: BlockId, pages: &Pages, is_so: impl Fn(BlockId, &Block) -> bool) -> bool {
    pages.blocks.written_members(head).any(|id| is_so(id, pages.blocks.get(id)))
}

/// What refresh policies see of a block.
fn view<'a>(id: BlockId, block: &'a Block, nand: &'a Nand, now: Ns) -> RefreshView<'a> {
    RefreshView {
        block,
        health: nand.health(id),
        age: nand.data_age(id, now),
        reads: nand.reads_since_erase(id),
        errors: nand.errors_seen(id),
    }
}
