//! Whether the FTL of a state is possible: whoever sent it may have changed it.

use super::Ftl;
use super::write::pages::Pages;
use super::write::put::{Placing, To};
use crate::flash::{BlockState, Carried, ModeId, Owner, StreamId, TxnOp, Txns};
use crate::nand::{BlockId, Lpn, Pun};

impl Ftl {
    /// Whether a state names only what there is.
    pub(super) fn is_sound(&self) -> bool {
        let Pages { packing, placement, geometry, blocks, mapping, .. } = &self.pages;
        let (pools, streams) = (geometry.planes() as usize, placement.streams.len());
        let is_stream = |stream: StreamId| usize::from(stream) < streams;
        let is_place = |to: To| match to {
            To::Stream(stream) => is_stream(stream),
            To::Group(frontier) => blocks.is_frontier(frontier),
        };
        let is_write = |write: &Placing| {
            write.pool.index() < pools
                && self.has_page(write.lpn)
                && is_place(write.to)
                && write.rather.is_none_or(is_stream)
        };
        // A copyback's target counts before its page is mapped; what merging gives up is in the controller meanwhile.
        let counts_valid = |id: BlockId| {
            let (block, pages) = (blocks.get(id), geometry.first_page(id)..self.pages.end_of(id));
            block.state() == BlockState::Merging
                || mapping.valid_in(pages.start, pages.end).count() <= usize::from(block.valid)
        };
        self.parking.is_sound(pools, is_write)
            && geometry.all_blocks().all(counts_valid)
            && packing.has_streams(streams)
            && packing.is_sound(pools, geometry, |unit| self.has_unit(unit))
            && self.reclaim.is_sound(pools, |block| blocks.is_head(block))
            && self.merges.is_sound(|lpn| self.has_page(lpn))
    }

    /// Whether an owner exists; of the host's requests it is not known here.
    pub(crate) fn has_owner(&self, owner: Owner) -> bool {
        match owner {
            Owner::Request(_) | Owner::Moved | Owner::Nobody => true,
            Owner::Slot(lpn) => self.has_page(lpn),
            Owner::Merge(id) => self.merges.has(id),
            Owner::Job(pool) => self.reclaim.has_job(pool),
            Owner::Map(_) => self.translation.is_some(),
            Owner::Rewrite(_) => self.two_speed.is_some(),
            Owner::Parity(id) => self.rebuilds.has(id),
        }
    }

    /// Owners of parked writes, and of units that wait for their program.
    pub(crate) fn waiting_owners(&self) -> impl Iterator<Item = Owner> {
        self.parking.owners().chain(self.pages.packing.owners())
    }

    /// True for a mode that blocks may be in.
    pub(crate) fn has_mode(&self, mode: ModeId) -> bool {
        mode.place() < self.pages.blocks.modes()
    }

    /// True for what a transaction may carry.
    pub(crate) fn has_unit(&self, carried: &Carried) -> bool {
        u64::from(carried.unit) < self.pages.geometry.pages()
            && (carried.lpn == Lpn::NONE || self.has_page(carried.lpn))
    }

    /// Whether programs are under way to all pages that were handed out and hold no data, and to no others; a unit whose program is
    /// not full has yet to be asked for.
    pub(crate) fn are_programs_sound(&self, txns: &Txns) -> bool {
        let Pages { blocks, packing, format, .. } = &self.pages;
        let per_page = if packing.packs() { format.units_per_page() } else { 1 };
        let mut coming: Vec<Pun> = packing.waiting_units().collect();
        for id in txns.names().filter(|&id| matches!(txns[id].op, TxnOp::Program | TxnOp::Copyback)) {
            let (txn, first) = (txns[id], txns.carried(id).unit);
            let units = first..first + u32::from(txn.pages) * per_page;
            if txn.ppn != format.page_of(first)
                || !txns.all_carried(id).all(|each| units.contains(&each.unit))
            {
                return false;
            }
            coming.extend(units.start.to(units.end));
        }
        coming.sort_unstable();
        blocks.are_to_come(&coming)
    }
}
