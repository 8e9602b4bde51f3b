//! The flash translation layer: what the host's pages become.
//!
//! A [`PageOp`] comes in; [`Txn`]s and finished owners go out through the [`Outbox`]. `user.rs` is the
//! way of a page operation, `merge.rs` that of a partial write, `reclaim.rs` that of GC and wear
//! levelling, `refresh/` that of refresh, `translation.rs` that of a mapping table that does not fit in DRAM.

mod allocation;
mod blocks;
mod mapping;
mod merge;
mod power;
mod precondition;
mod reclaim;
mod refresh;
mod rows;
mod sector_map;
mod shadow;
mod translation;
mod two_speed;
mod user;
mod verify;

use std::collections::VecDeque;

pub use allocation::{Allocation, Allocator, Level};
pub use blocks::Blocks;
pub use power::Remains;
pub use precondition::Preconditioned;
pub use reclaim::Reason;
pub use shadow::Shadow;

use crate::config::{Config, MappingKind, Multiplane, Transfer, UnmappedRead};
use crate::engine::Ns;
use crate::engine::variation::{Purpose, unit};
use crate::error::SimError;
use crate::flash::{BlockState, Outbox, Owner, SectorMask, Txn, TxnOp};
use crate::metrics::FtlCounters;
use crate::nand::{Geometry, Lpn, Nand, PlaneId};
use crate::options::RunOptions;
use mapping::Mapping;
use merge::Merges;
use reclaim::{Job, ReclaimConfig};
use refresh::{Due, RefreshConfig};
use sector_map::SectorMap;
use translation::Translation;
use two_speed::TwoSpeed;

/// A program that waits for its plane to have a free block.
#[derive(Clone, Copy, Debug)]
struct Parked {
    lpn: Lpn,
    sectors: SectorMask,
    owner: Owner,
    stream: u8,
}

/// The translation layer.
#[derive(Debug)]
pub struct Ftl {
    geometry: Geometry,
    host_pages: u32,
    full_page: SectorMask,
    page_bytes: u32,
    spare_bytes: u32,
    mapping: Mapping,
    blocks: Blocks,
    allocator: Allocator,
    merges: Merges,
    sector_map: Option<SectorMap>,
    parked: Vec<VecDeque<Parked>>,
    parked_count: usize,
    jobs: Vec<Option<Job>>,
    /// Page operations of the host that were asked for, and those that were served by flash.
    host_steps: u64,
    /// By plane: `host_steps` when its last job began, and how many jobs began since it last changed.
    jobs_alone: Vec<(u64, u32)>,
    refresh_due: Vec<VecDeque<Due>>,
    /// A block was due for a refresh in this run.
    refreshes: bool,
    reclaim: ReclaimConfig,
    refresh: RefreshConfig,
    /// Count of filled blocks when the data became old that is there before a run.
    aged_upto: u32,
    translation: Option<Translation>,
    two_speed: Option<TwoSpeed>,
    preloaded: bool,
    preload_stream: usize,
    whole_page_reads: bool,
    coalesce: bool,
    user_streams: usize,
    seed: u64,
    /// By plane: whether GC must go before user I/O.
    is_urgent: Vec<bool>,
    planes_per_unit: u32,
    /// What happened, for the results.
    pub counters: FtlCounters,
    /// The latest contents of every page, in checked mode.
    pub shadow: Option<Box<Shadow>>,
}

/// Open-block streams beside the user's: where GC moves pages, where wear levelling parks cold ones,
/// and where pages lie that are read before the run wrote them.
const INTERNAL_STREAMS: usize = 3;

impl Ftl {
    /// An empty device.
    #[must_use]
    pub fn new(config: &Config, planes_per_unit: u32, options: &RunOptions) -> Ftl {
        let geometry = config.geometry();
        let host_pages = config.host_pages() as u32;
        let (seed, bad) = (config.seed, config.reliability.factory_bad);
        let is_bad = move |block| bad > 0.0 && unit(seed, u64::from(block), Purpose::FactoryBad) < bad;
        let user_streams = config.ftl.streams as usize;
        let translation =
            (config.ftl.mapping == MappingKind::Dftl).then(|| Translation::new(config, host_pages));
        let logical = host_pages + translation.as_ref().map_or(0, Translation::pages);
        let planes = geometry.planes() as usize;
        let sectors = geometry.sectors_per_page();
        let full_page = if sectors == 64 { u64::MAX } else { (1 << sectors) - 1 };
        let allocation = Allocation::parse(&config.ftl.allocation).unwrap_or(Allocation::Dynamic);
        let allocator = Allocator::new(allocation, &geometry);
        let fast_stream = user_streams + INTERNAL_STREAMS;
        let two_speed = TwoSpeed::new(config, &geometry, allocator.is_dynamic(), fast_stream);
        let fast_streams = usize::from(config.program.policy.writes_fast());
        let streams = fast_stream + fast_streams;
        let mut blocks = Blocks::new(&geometry, streams, config.wear.dynamic, is_bad);
        if config.nand.multiplane == Multiplane::Overtaking {
            blocks.let_overtake();
        }
        Ftl {
            geometry,
            host_pages,
            full_page,
            page_bytes: geometry.page_bytes,
            spare_bytes: config.ssd.spare_bytes,
            mapping: Mapping::new(logical, geometry.pages() as u32, options.is_short()),
            blocks,
            allocator,
            merges: Merges::default(),
            sector_map: config.ftl.sector_map.then(|| SectorMap::new(geometry.pages() as usize, full_page)),
            parked: vec![VecDeque::new(); planes],
            parked_count: 0,
            jobs: vec![None; planes],
            host_steps: 0,
            jobs_alone: vec![(0, 0); planes],
            refresh_due: vec![VecDeque::new(); planes],
            refreshes: false,
            reclaim: ReclaimConfig::new(config),
            refresh: RefreshConfig::new(config),
            aged_upto: 0,
            translation,
            two_speed,
            preloaded: config.ftl.unmapped_read != UnmappedRead::Zero,
            preload_stream: match config.ftl.unmapped_read {
                UnmappedRead::Frontier => 0,
                UnmappedRead::Preloaded | UnmappedRead::Zero => user_streams + INTERNAL_STREAMS - 1,
            },
            whole_page_reads: config.ftl.transfer == Transfer::Page,
            coalesce: config.ftl.coalesce,
            user_streams,
            seed,
            is_urgent: vec![false; planes],
            planes_per_unit,
            counters: FtlCounters::default(),
            shadow: options.check.then(|| Box::new(Shadow::new(&geometry, logical))),
        }
    }

    /// True where more than the write queue is in DRAM when power goes: a part of the mapping table, or the
    /// pages of a block that is refreshed in place.
    #[must_use]
    pub fn has_state_in_dram(&self) -> bool {
        self.translation.is_some()
    }

    fn gc_stream(&self) -> usize {
        self.user_streams
    }

    fn cold_stream(&self) -> usize {
        self.user_streams + 1
    }

    /// Pages that the host sees.
    #[must_use]
    pub fn host_pages(&self) -> u32 {
        self.host_pages
    }

    /// All blocks, to look at.
    #[must_use]
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// A transaction is done: settle it, tell its owner, and start what waited for it.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when a plane has no room left, [`SimError::Check`] in checked mode.
    #[inline(always)]
    pub fn done(&mut self, id: u32, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        let txn = &out.txns[id];
        let is_plain = matches!((txn.op, txn.owner), (TxnOp::Read, Owner::Request(_)));
        if is_plain && self.shadow.is_none() && self.two_speed.is_none() {
            let (owner, ppn) = (txn.owner, txn.ppn);
            self.host_steps += 1;
            out.served.push(owner);
            return self.release_read(ppn, nand, now, out);
        }
        if txn.op == TxnOp::Program && self.two_speed.is_none() {
            return self.program_done(id, nand, now, out);
        }
        self.any_done(id, nand, now, out)
    }

    /// See [`Ftl::done`].
    #[inline(never)]
    fn any_done(&mut self, id: u32, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        let txn = &out.txns[id].clone();
        match txn.op {
            TxnOp::Read => self.read_done(txn, nand, now, out)?,
            TxnOp::Program | TxnOp::Copyback => self.program_done(id, nand, now, out)?,
            TxnOp::Erase => self.erase_done(txn, nand, now, out)?,
            TxnOp::Adjust => self.adjust_done(txn, nand, now, out)?,
        }
        if self.two_speed.is_some() { self.write_path_done(txn, nand, now, out) } else { Ok(()) }
    }

    fn read_done(&mut self, txn: &Txn, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        if let Some(shadow) = &mut self.shadow {
            shadow.read_done(txn)?;
        }
        match txn.owner {
            Owner::Merge(id) => self.merge_read_done(id, nand, now, out)?,
            Owner::Job(plane) => self.move_read_done(plane, txn, nand, now, out)?,
            Owner::Map(page) => self.map_read_done(page, nand, now, out)?,
            Owner::Rewrite(id) => self.rewrite_read_done(id, nand, now, out)?,
            owner => {
                self.host_steps += 1;
                out.served.push(owner);
            }
        }
        self.release_read(txn.ppn, nand, now, out)
    }

    #[inline(never)]
    fn program_done(&mut self, id: u32, nand: &mut Nand, now: Ns, out: &mut Outbox) -> Result<(), SimError> {
        let Txn { op, owner, ppn, speed, .. } = out.txns[id];
        let address = self.geometry.address(ppn);
        nand.programmed(address, speed, now);
        self.blocks.programmed(address);
        let plane = self.geometry.plane_of(address.block);
        self.allocator.ended(plane);
        match owner {
            Owner::Merge(id) => self.merge_program_done(id, out),
            Owner::Job(plane) => {
                if op == TxnOp::Copyback {
                    let txn = out.txns[id];
                    self.copied_back(&txn, nand, now, out)?;
                }
                self.move_done(plane, nand, now, out)?;
            }
            Owner::Rewrite(id) => {
                self.host_steps += 1;
                self.rewrite_done(id);
            }
            Owner::Map(_) | Owner::Nobody => {}
            owner => {
                self.host_steps += 1;
                out.served.push(owner);
            }
        }
        // The block may just have become a candidate that GC was waiting for.
        if self.wants_reclaim(plane) && self.jobs[plane as usize].is_none() {
            self.reclaim(plane, nand, now, out)?;
        }
        Ok(())
    }

    /// Everything that waits for something that will never come, in words; `None` if nothing does.
    #[must_use]
    pub fn stuck(&self) -> Option<String> {
        let queued = self.two_speed.as_ref().map_or(0, TwoSpeed::queued);
        let mut parked = self.parked.iter().enumerate().filter(|(_, parked)| !parked.is_empty());
        let (plane, waiting) = parked.next().map_or((0, 0), |(plane, parked)| (plane, parked.len()));
        let count = waiting + queued as usize;
        (count > 0).then(|| format!("{count} writes wait for room: {}", self.no_room(plane as PlaneId)))
    }

    /// Why a plane has no room, in words, and what to do about it.
    fn no_room(&self, plane: PlaneId) -> String {
        let live: u32 = self.blocks.of_plane(plane).map(|(_, b)| u32::from(b.valid)).sum();
        let bad = self.blocks.of_plane(plane).filter(|(_, b)| b.state == BlockState::Bad).count();
        format!(
            "plane {plane} has {} free blocks, {bad} bad ones, {live} live pages of {} and no block worth reclaiming; \
             raise ssd.overprovisioning, or lower precondition.fill or the workload's footprint",
            self.blocks.free_count(plane),
            self.geometry.blocks_per_plane * self.geometry.pages_per_block,
        )
    }
}
