//! Where every page is, and what every block holds. All parts of the FTL read and change this.

use super::neighbours::Neighbours;
use super::packing::Packing;
use super::placement::Placement;
use crate::config::{Config, Frontier, Multiplane};
use crate::engine::state;
use crate::error::SimError;
use crate::flash::{
    Block, BlockState, Carried, Class, Outbox, Owner, PageOp, Priority, SectorMask, StreamId, Txn, TxnOp,
    Writer, full_page,
};
use crate::ftl::blocks::Blocks;
use crate::ftl::blocks::group::Grouping;
use crate::ftl::check::shadow::Shadow;
use crate::ftl::map::format::Format;
use crate::ftl::map::journal::Journal;
use crate::ftl::map::mapping::Mapping;
use crate::ftl::map::sector_map::SectorMap;
use crate::metrics::{FtlCounters, HandleCounters};
use crate::nand::{BlockId, Lpn, Nand, PlaneId, PoolId, Pun, UnitAddress, UnitGeometry};
use crate::options::RunOptions;
use crate::policy::allocation::Allocator;
use crate::policy::placement::Reason;
use wordline_cells::variation::{Purpose, unit};

/// The data of a pool that holds so much more than the mean are spread unevenly.
const UNEVEN_PERCENT: u64 = 2;

/// Mapping, blocks and places of new pages.
#[derive(Debug)]
pub(in crate::ftl) struct Pages {
    pub geometry: UnitGeometry,
    pub format: Format,
    pub mapping: Mapping,
    pub blocks: Blocks,
    pub allocator: Allocator,
    pub sector_map: Option<SectorMap>,
    pub placement: Placement,
    pub packing: Packing,
    /// What of the mapping table is written to flash, and what a loss of power undoes.
    pub journal: Option<Box<Journal>>,
    pub(super) neighbours: Neighbours,
    /// Live pages in blocks that were written fast (OFWAR).
    pub fast_live: u64,
    /// What happened, for the results.
    pub counters: FtlCounters,
    /// The same by placement handle, and then that of data which are no handle's; empty where there are no handles.
    pub by_handle: Vec<HandleCounters>,
    /// The latest contents of every page, in checked mode.
    pub shadow: Option<Box<Shadow>>,
}

state! {
    Pages {
        parts: mapping, blocks, allocator, sector_map, placement, packing, journal;
        values: fast_live, counters, by_handle;
        derived: geometry, format, neighbours, shadow;
    }
}

/// What to read of a page, and who is told.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct Read {
    pub class: Class,
    pub owner: Owner,
    pub lpn: Lpn,
    pub sectors: SectorMask,
    pub priority: Priority,
}

impl Pages {
    /// Nothing is written. The mapping table's own pages follow the host's logical pages.
    pub fn new(
        config: &Config,
        allocator: Allocator,
        journal: Option<Box<Journal>>,
        logical_pages: u64,
        options: &RunOptions,
    ) -> Pages {
        let geometry = config.unit_geometry();
        let (format, placement) = (Format::new(config), Placement::new(config));
        let packing = Packing::new(config, format, placement.streams.len());
        let neighbours = Neighbours::new(config, &allocator);
        let (grouping, streams) = (Grouping::new(config), &placement.streams);
        let (seed, bad) = (config.seed, config.reliability.factory_bad);
        let is_bad = move |block| bad > 0.0 && unit(seed, u64::from(block), Purpose::FactoryBad) < bad;
        let mut blocks =
            Blocks::new(&geometry, grouping, streams, config.units_of_block(), config.wear.dynamic, is_bad);
        blocks.pack_units(config.units_per_page());
        if config.programs_wordlines() {
            blocks.program_wordlines(config.modes().iter().map(|mode| mode.in_block).collect());
        }
        if let Some(cache) = placement.cache {
            blocks.add_cache(cache, config);
        }
        blocks.protect(config.ftl.parity);
        if config.nand.multiplane == Multiplane::Overtaking {
            blocks.let_overtake();
        }
        if config.keeps_a_spare_block() {
            blocks.let_go_bad();
        }
        if config.fdp.is_on() {
            blocks.note_filled();
        }
        if config.has_zones() {
            blocks.keep_none_for_gc();
        }
        if config.gc.frontier == Frontier::Shared {
            blocks.share_frontier();
        }
        let full_page = full_page(geometry.sectors_per_page());
        let undoes = journal.as_ref().is_some_and(|journal| !journal.is_protected);
        let pages = geometry.pages();
        let rows = if placement.by_handle { placement.streams.hosts().len() + 1 } else { 0 };
        let by_handle = vec![HandleCounters::default(); rows];
        Pages {
            geometry,
            format,
            mapping: Mapping::new(
                logical_pages,
                pages,
                options.uses_little_of(logical_pages * size_of::<u32>() as u64),
            ),
            blocks,
            allocator,
            sector_map: config.ftl.sector_map.then(|| SectorMap::new(pages as usize, full_page)),
            placement,
            packing,
            neighbours,
            fast_live: 0,
            counters: FtlCounters::default(),
            by_handle,
            journal,
            shadow: options.check.then(|| Box::new(Shadow::new(&geometry, logical_pages, undoes))),
        }
    }

    /// The plane of a physical page.
    #[inline]
    pub fn plane_of(&self, pun: Pun) -> PlaneId {
        self.geometry.plane_of(self.geometry.block_of(pun))
    }

    /// The next live unit behind another in the same page.
    #[inline]
    pub fn next_in_page(&self, unit: Pun) -> Option<Pun> {
        let end = self.format.end_of_page(unit);
        if unit + 1 < end { self.mapping.next_valid(unit + 1, end) } else { None }
    }

    /// The pool of a physical page.
    #[inline]
    pub fn pool_of_page(&self, pun: Pun) -> PoolId {
        self.blocks.pool_of(self.plane_of(pun))
    }

    /// The page after the last one of a block.
    #[inline]
    pub fn end_of(&self, block: BlockId) -> Pun {
        self.geometry.first_page(block) + self.geometry.pages_per_block
    }

    /// The sectors of a page that hold data, as far as the FTL knows.
    #[inline]
    pub fn held(&self, pun: Pun) -> SectorMask {
        self.sector_map.as_ref().map_or(self.format.full_page, |map| map.held(pun))
    }

    /// A page will be needed very soon and its mapping entry is at hand: prefetches what it points to.
    #[inline]
    pub fn prefetch_block(&self, lpn: Lpn) {
        if let Some(pun) = self.mapping.get(lpn) {
            self.blocks.prefetch(self.geometry.block_of(pun));
            self.mapping.prefetch_valid(pun);
            if let Some(map) = &self.sector_map {
                map.prefetch(pun);
            }
        }
    }

    /// The pool of a write that goes to the SLC cache, where that has room in it.
    #[inline(never)]
    pub fn pool_to_cache(&mut self, lpn: Lpn) -> Option<PoolId> {
        let cache = self.placement.cache?;
        let pool = self.pool_to_write(lpn, cache, |_| false);
        self.blocks.has_room(pool, cache).then_some(pool)
    }

    /// The pool of a write: its own, or one that has room. Where a program takes several units, it goes to the next pool in
    /// turn, whatever the address of its first unit: else data that are seldom written, and ride with others that often are,
    /// pile up in a pool. A pool loses its turn that holds clearly more than the others, and one for which writes wait already,
    /// as `is_waited_for` says: else the fullest pool, which is the slowest, would be given as many as the others.
    #[inline]
    pub fn pool_to_write(
        &mut self,
        lpn: Lpn,
        stream: StreamId,
        is_waited_for: impl Fn(PoolId) -> bool,
    ) -> PoolId {
        if self.packing.packs() || self.placement.streams.are_divided() {
            return self.pool_in_turn(stream, is_waited_for);
        }
        let blocks = &self.blocks;
        let home = self.format.home_of(lpn);
        let plane = self.allocator.plane_for(home, |plane| blocks.has_room(blocks.pool_of(plane), stream));
        blocks.pool_of(plane)
    }

    /// The pool of the next unit of a stream whose units share programs: that of the program which it is filling, or the next
    /// one in turn that has room.
    fn pool_in_turn(&mut self, stream: StreamId, is_waited_for: impl Fn(PoolId) -> bool) -> PoolId {
        if let Some(pool) = self.pool_being_filled(stream)
            && self.blocks.has_room(pool, stream)
        {
            return pool;
        }
        let Pages { blocks, packing, allocator, placement, .. } = self;
        let (grouping, group) = (blocks.grouping(), placement.streams.group_of(stream));
        let is_in_group = |plane| group.is_none_or(|group| grouping.reclaim_group_of(plane) == group);
        let has_room = |plane| {
            let pool = blocks.pool_of(plane);
            !is_waited_for(pool) && is_in_group(plane) && blocks.has_room(pool, stream)
        };
        let suits = |plane| has_room(plane) && !blocks.is_fuller(blocks.pool_of(plane));
        let turn = packing.turn(stream);
        let first = allocator.plane_for(Lpn::new(turn), suits);
        // An SLC cache that is full in one pool soon is in all, and data have another place then.
        let looks_on = !suits(first) && !allocator.goes_anywhere() && !blocks.is_cache(stream);
        let others = if looks_on { blocks.grouping().all_planes() } else { 1 };
        let later = |fits: &dyn Fn(PlaneId) -> bool| {
            (1..others).find_map(|later| {
                let turn = turn.wrapping_add(later);
                Some((turn, allocator.home(Lpn::new(turn)))).filter(|&(_, plane)| fits(plane))
            })
        };
        let other = later(&suits).or_else(|| if has_room(first) { None } else { later(&has_room) });
        // Where none has room, writes wait in all of them in turn.
        let (mut turn, mut plane) = other.unwrap_or((turn, first));
        while !is_in_group(plane) {
            turn = turn.wrapping_add(1);
            plane = allocator.home(Lpn::new(turn));
        }
        packing.took_turn(stream, turn);
        blocks.pool_of(plane)
    }

    /// The pool where a page is that was never written.
    #[inline(always)]
    pub fn home(&self, lpn: Lpn) -> PoolId {
        self.blocks.pool_of(self.allocator.home(self.format.home_of(lpn)))
    }

    /// Reads a page for the host from where it is.
    #[inline(always)]
    pub fn read_from(&mut self, address: UnitAddress, op: PageOp, out: &mut Outbox) -> Result<(), SimError> {
        if !self.blocks.is_in_controller(address) {
            return self.read_flash(address, op, out);
        }
        // Its program is on its way, and the controller has it.
        if let Some(shadow) = &mut self.shadow {
            shadow.check_lookup(op.lpn, Some(address.place), op.sectors)?;
        }
        self.counters.reads_without_flash += 1;
        out.served.push(op.owner);
        Ok(())
    }

    /// Reads a page for the host from flash.
    #[inline(always)]
    pub fn read_flash(&mut self, address: UnitAddress, op: PageOp, out: &mut Outbox) -> Result<(), SimError> {
        if let Some(shadow) = &mut self.shadow {
            shadow.check_lookup(op.lpn, Some(address.place), op.sectors)?;
        }
        self.counters.user_reads += 1;
        let PageOp { owner, lpn, sectors, priority, .. } = op;
        self.order_read(Read { class: Class::UserRead, owner, lpn, sectors, priority }, address, out);
        Ok(())
    }

    /// Asks for a whole page, for the FTL's own use.
    pub fn read_whole(&mut self, class: Class, owner: Owner, pun: Pun, lpn: Lpn, out: &mut Outbox) {
        let address = self.geometry.address(pun);
        let read = Read { class, owner, lpn, sectors: self.format.full_page, priority: Priority::High };
        self.order_read(read, address, out);
    }

    /// Asks for all live units of a page, the first of which is known, for the FTL's own use. Returns how many they are.
    #[inline]
    pub fn read_live(&mut self, class: Class, owner: Owner, first: Pun, out: &mut Outbox) -> u32 {
        let Pages { geometry, blocks, mapping, format, shadow, .. } = self;
        let (page, sectors) = (format.page_of(first), format.full_page);
        let bytes = format.read_bytes(sectors);
        let block = blocks.get_mut(geometry.block_of(first));
        let txn = Txn { mode: block.mode(), ..Txn::new(TxnOp::Read, class, page, bytes) };
        let carried = |unit: Pun| {
            let lpn = mapping.lpn_of(unit);
            mapping.prefetch(lpn);
            Carried::new(owner, lpn, unit)
        };
        let id = out.order(txn, carried(first));
        let end = format.end_of_page(first);
        let mut count = 1;
        let more = mapping.valid_in(first + 1, end).inspect(|_| count += 1);
        out.add_units(id, more.map(carried), (bytes, format.page()), |unit| format.codeword_of(unit));
        block.add_reads(count);
        if let Some(shadow) = shadow {
            shadow.read_started(id, first, sectors);
            mapping.valid_in(first + 1, end).for_each(|unit| shadow.read_started(id, unit, sectors));
        }
        count
    }

    /// Asks for a read of sectors, and makes erases of its block wait for it.
    #[inline(always)]
    pub fn order_read(&mut self, read: Read, address: UnitAddress, out: &mut Outbox) {
        let Read { class, owner, lpn, sectors, priority } = read;
        let block = self.blocks.get_mut(address.block);
        block.add_reads(1);
        let mode = block.mode();
        let bytes = self.format.read_bytes(sectors);
        let txn =
            Txn { priority, mode, ..Txn::new(TxnOp::Read, class, self.format.page_of(address.place), bytes) };
        let unit = Carried::new(owner, lpn, address.place);
        let read = if self.packing.packs() {
            out.order_in_page(txn, unit, self.format.page(), |unit| self.format.codeword_of(unit))
        } else {
            out.order(txn, unit)
        };
        if let Some(shadow) = &mut self.shadow {
            shadow.read_started(read, address.place, sectors);
        }
    }

    /// Checked mode: data that the drive writes for itself are the newest from now on, and on their way unless they are written `at_once`.
    pub fn take_in(&mut self, op: &PageOp, at_once: bool) {
        let Some(shadow) = &mut self.shadow else { return };
        shadow.accept(op.lpn, op.sectors);
        if !at_once {
            shadow.at_hand.delivered(op.lpn, op.sectors, self.mapping.get(op.lpn).is_none());
        }
    }

    /// Forgets a page; returns where it was.
    pub fn forget(&mut self, lpn: Lpn) -> Result<Option<Pun>, SimError> {
        let old = self.mapping.unbind(lpn);
        if let Some(old) = old {
            self.retire(old);
            self.counters.trimmed += 1;
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.forgotten(lpn)?;
        }
        Ok(old)
    }

    /// A physical page lost its data to a newer copy, or to nobody.
    #[inline]
    pub fn retire(&mut self, pun: Pun) {
        self.blocks.invalidate(pun);
        if self.placement.fast.is_some() && self.is_fast(pun) {
            debug_assert!(self.fast_live > 0);
            self.fast_live -= 1;
        }
    }

    /// True for a page of a block that is written fast.
    #[inline]
    pub fn is_fast(&self, pun: Pun) -> bool {
        self.placement.fast == Some(self.stream_of(pun))
    }

    /// The stream of the block of a page.
    #[inline]
    pub fn stream_of(&self, pun: Pun) -> StreamId {
        self.blocks.get(self.geometry.block_of(pun)).stream
    }

    /// What was counted so far, which begins anew.
    pub fn take_counters(&mut self) -> FtlCounters {
        self.by_handle.fill(HandleCounters::default());
        std::mem::take(&mut self.counters)
    }

    /// What is counted by handle, of what the blocks of a stream hold.
    pub fn of_handle(&mut self, stream: StreamId) -> Option<&mut HandleCounters> {
        let mixed = self.by_handle.len().checked_sub(1)?;
        let row = self.placement.streams.host_of(stream).map_or(mixed, usize::from);
        Some(&mut self.by_handle[row])
    }

    /// The stream that a complete page goes to.
    #[inline(always)]
    pub fn stream_for(&mut self, lpn: Lpn, writer: Writer) -> StreamId {
        let Pages { placement, mapping, blocks, geometry, format, .. } = self;
        if format.is_of_table(lpn) {
            return placement.map;
        }
        let stream_of = |pun| blocks.get(geometry.block_of(pun)).stream;
        placement.host(lpn, writer, || mapping.get(lpn).map(stream_of))
    }

    /// The stream that a page goes to which moves.
    #[inline]
    pub fn stream_for_moved(&mut self, (lpn, from): (Lpn, Pun), reason: Reason) -> StreamId {
        let stream = self.stream_of(from);
        self.placement.moved(lpn, stream, reason)
    }

    /// What the blocks of a group that hold something are doing.
    pub fn set_state(&mut self, head: BlockId, state: BlockState) {
        for block in self.blocks.grouping().members(head) {
            let block = self.blocks.get_mut(block);
            if !matches!(block.state(), BlockState::Free | BlockState::Bad) {
                block.set_state(state);
            }
        }
    }

    /// Pages of a group of blocks, but for those of parity.
    pub fn pages_per_group(&self) -> u32 {
        self.geometry.pages_per_block * (self.blocks.grouping().width() - self.blocks.parity_blocks())
    }

    /// Pages of a group that one page of the block stands for that policies see: their counts have 16 bits.
    pub fn part_of_group(&self) -> u32 {
        self.pages_per_group().div_ceil(u16::MAX.into())
    }

    /// Pages of a group that can be won.
    pub fn gain(&self, head: BlockId) -> u32 {
        self.pages_per_group() - self.blocks.group(head).valid
    }

    /// True when less than one page in 32 of a group can be won: reclaiming such groups one after the other hardly makes room.
    pub fn is_almost_live(&self, head: BlockId) -> bool {
        self.gain(head) * 32 < self.pages_per_group()
    }

    /// A block is erased: back to the pool, or out of use.
    pub fn erased(&mut self, block: BlockId, bad: bool, nand: &Nand) -> Result<(), SimError> {
        if let Some(shadow) = &mut self.shadow {
            shadow.erased(block)?;
        }
        self.blocks.erased(block, bad, nand);
        self.counters.erases += 1;
        self.counters.grown_bad += u64::from(bad);
        Ok(())
    }

    /// Says why a pool has no room, and what to do about it.
    pub fn no_room(&self, pool: PoolId) -> String {
        let grouping = self.blocks.grouping();
        let bad = self.blocks_of(pool).filter(|block| block.state() == BlockState::Bad).count();
        let live = self.live_of(pool);
        let pools = self.blocks.pools().count() as u64;
        let mean = self.blocks.pools().map(|pool| self.live_of(pool)).sum::<u64>() / pools;
        let remedy = "raise ssd.overprovisioning, or lower precondition.fill or the workload's footprint";
        let remedy = if live * 100 > mean * (100 + UNEVEN_PERCENT) {
            let more = 100.0 * (live as f64 / mean.max(1) as f64 - 1.0);
            format!(
                "they are {more:.0} % more than in the mean: the data are spread unevenly; set ftl.group = \"superblock\" or \
                 ftl.allocation = \"dynamic\", or {remedy}"
            )
        } else {
            remedy.to_owned()
        };
        format!(
            "{} has {} free {}, {bad} bad blocks, {live} live pages of {} and no block worth reclaiming; {remedy}",
            grouping.name(pool),
            self.blocks.free_count(pool),
            grouping.groups(),
            u64::from(grouping.pool_planes() * self.geometry.blocks_per_plane)
                * u64::from(self.geometry.pages_per_block),
        )
    }

    fn blocks_of(&self, pool: PoolId) -> impl Iterator<Item = &Block> {
        let planes = self.blocks.grouping().planes_of(pool);
        planes.flat_map(|plane| self.blocks.of_plane(plane)).map(|(_, block)| block)
    }

    /// Live pages of a pool.
    pub fn live_of(&self, pool: PoolId) -> u64 {
        self.blocks.live_of(pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::blocks::Use;

    #[test]
    fn a_pool_without_room_says_whether_the_data_are_uneven() {
        let config = Config::default();
        let allocator = config.ftl.allocation.begin(&config.ftl.policies, &config.device_view());
        let mut pages = Pages::new(&config, allocator, None, 1, &RunOptions::default());
        let stream = pages.placement.normal;
        let mut fill = |pool: u32, count: u32| {
            (0..count).for_each(|_| {
                _ = pages.blocks.allocate(
                    PoolId::new(pool),
                    pages.blocks.frontier(PoolId::new(pool), stream),
                    Use::Host,
                )
            });
            (pages.no_room(PoolId::new(0)), pages.no_room(PoolId::new(1)))
        };
        for pool in 0..config.geometry().planes() {
            fill(pool, 1_000);
        }
        let (even, _) = fill(0, 10);
        assert!(even.contains("1010 live pages") && !even.contains("unevenly"), "{even}");
        let (full, other) = fill(0, 90);
        assert!(
            full.contains("ftl.group = \"superblock\"") && full.contains("10 % more than in the mean"),
            "{full}"
        );
        assert!(!other.contains("unevenly") && other.contains("raise ssd.overprovisioning"), "{other}");
    }
}
