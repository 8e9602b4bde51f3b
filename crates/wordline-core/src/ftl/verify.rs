//! Checked mode, when a run has ended: every account of the FTL must agree with every other.

use std::collections::BTreeMap;

use crate::error::SimError;
use crate::flash::{BlockState, SectorMask};
use crate::ftl::Ftl;
use crate::ftl::write::pages::Pages;
use crate::nand::{BlockId, IdVec, Lpn, Nand, PoolId, Pun};

impl Ftl {
    /// Compares mapping, valid bits, blocks, pools and the shadow with each other, once nothing is
    /// under way any more. `unflushed` names the sectors of a page that only the cache holds.
    ///
    /// # Errors
    /// [`SimError::Check`] with the first contradiction.
    pub fn verify(&self, unflushed: &dyn Fn(Lpn) -> SectorMask) -> Result<(), SimError> {
        let Ftl {
            pages,
            rebuilds,
            reclaim,
            parking,
            merges,
            translation,
            two_speed,
            asked,
            leaving,
            zoned,
            ..
        } = self;
        let checks = [
            reclaim.verify(),
            parking.verify(),
            merges.verify(),
            translation.as_ref().map_or(Ok(()), |table| table.verify()),
            pages.verify_mapping(),
            pages.verify_blocks(),
            pages.blocks.verify_cache(),
            pages.blocks.verify_parity(),
            rebuilds.verify(),
            two_speed.as_ref().map_or(Ok(()), |path| path.verify(pages)),
            zoned.as_ref().map_or(Ok(()), |zoned| zoned.verify(pages.packing.waiting())),
            if asked.is_empty() && leaving.is_empty() {
                Ok(())
            } else {
                Err("the run is over, but open groups wait to be closed".to_owned())
            },
        ];
        checks.into_iter().collect::<Result<(), String>>().map_err(SimError::Check)?;
        match &pages.shadow {
            Some(shadow) => shadow.verify(pages.mapping.mapped(), &|lpn| pages.mapping.get(lpn), unflushed),
            None => Ok(()),
        }
    }

    /// Checked mode, when power is back and jobs may be under way: mapping, valid bits and the shadow agree.
    ///
    /// # Errors
    /// [`SimError::Check`] with the first contradiction.
    pub fn verify_after_cut(&self) -> Result<(), SimError> {
        let Some(shadow) = &self.pages.shadow else { return Ok(()) };
        if self.pages.blocks.merging() > 0 {
            // What merging gives up is in the controller meanwhile.
            return Ok(());
        }
        self.pages.verify_mapping().map_err(SimError::Check)?;
        shadow.verify_newest(self.pages.mapping.mapped(), &|lpn| self.pages.mapping.get(lpn), &|_| 0)
    }

    /// The flash array has programmed the blocks of the SLC cache in its mode, and all others in the chip's own.
    ///
    /// # Errors
    /// [`SimError::Check`] with the first contradiction.
    pub fn verify_modes(&self, nand: &Nand) -> Result<(), SimError> {
        let Pages { blocks, geometry, .. } = &self.pages;
        let is_wrong = |&id: &BlockId| {
            let block = blocks.get(id);
            // Of units that wait for their page to be full, none may be programmed yet.
            block.valid > 0 && block.programmed > 0 && block.mode() != nand.health(id).mode
        };
        match geometry.all_blocks().find(is_wrong) {
            Some(id) => Err(SimError::Check(format!(
                "block {id} is in {:?} and was programmed in {:?}",
                blocks.get(id).mode(),
                nand.health(id).mode
            ))),
            None => Ok(()),
        }
    }

    /// No valid page is one that merging its wordline gave up, and a block without data has no merged wordline.
    ///
    /// # Errors
    /// [`SimError::Check`] with the first contradiction.
    pub fn verify_merged(&self, nand: &Nand) -> Result<(), SimError> {
        let Pages { mapping, blocks, geometry, format, .. } = &self.pages;
        if let Some(pun) =
            mapping.valid_in(Pun::new(0), geometry.end()).find(|&pun| nand.is_given_up(format.page_of(pun)))
        {
            let words = format!("physical page {pun} is valid, but its wordline was merged without it");
            return Err(SimError::Check(words));
        }
        let is_wrong = |&block: &BlockId| nand.is_merged(block) && blocks.get(block).next_page == 0;
        match geometry.all_blocks().find(is_wrong) {
            Some(block) => Err(SimError::Check(format!("block {block} is erased, but has merged wordlines"))),
            None => Ok(()),
        }
    }
}

impl Pages {
    /// The mapping, its inverse and the valid bits are one relation.
    fn verify_mapping(&self) -> Result<(), String> {
        let mut mapped = 0u64;
        for (lpn, pun) in self.mapping.mapped() {
            mapped += 1;
            let back = self.mapping.lpn_of(pun);
            if back != lpn || !self.mapping.is_valid(pun) {
                let valid = if self.mapping.is_valid(pun) { "valid" } else { "not valid" };
                return Err(format!(
                    "logical page {lpn} is mapped to {pun}, which is {valid} and belongs to {back}"
                ));
            }
            if self.shadow.as_ref().is_some_and(|shadow| !shadow.holds(pun, lpn)) {
                return Err(format!("physical page {pun} was not programmed for logical page {lpn}"));
            }
        }
        let valid = self.mapping.valid_in(Pun::new(0), self.geometry.end()).count() as u64;
        if valid != mapped {
            return Err(format!("{mapped} logical pages are mapped, but {valid} physical pages are valid"));
        }
        Ok(())
    }

    /// Every block counts its valid pages, and lies in the pool or place that its state says.
    fn verify_blocks(&self) -> Result<(), String> {
        let mut places = IdVec::filled(self.geometry.blocks() as usize, 0);
        for pool in self.blocks.pools() {
            self.verify_places(pool, &mut places)?;
        }
        let free: usize = self.blocks.pools().map(|pool| self.blocks.free_of(pool).count()).sum();
        if free as u64 != self.blocks.free() {
            return Err(format!("{} blocks count as free, but pools have {free}", self.blocks.free()));
        }
        if !self.blocks.counts_live() {
            return Err("the live units that pools count are not those of their blocks".to_owned());
        }
        // Copies that are kept until newer ones are on flash hold their blocks as reads do.
        let mut holds = BTreeMap::new();
        for pun in self.journal.iter().flat_map(|journal| journal.holds()) {
            *holds.entry(self.geometry.block_of(pun)).or_insert(0) += 1;
        }
        // Units that wait for their program to be full.
        let mut waiting = BTreeMap::new();
        for unit in self.packing.waiting_units().filter(|_| self.packing.packs()) {
            *waiting.entry(self.geometry.block_of(unit)).or_insert(0) += 1;
        }
        let mut left = 0;
        for plane in self.geometry.all_planes() {
            for (id, block) in self.blocks.of_plane(plane) {
                let valid = self.mapping.valid_in(self.geometry.first_page(id), self.end_of(id)).count();
                if valid != usize::from(block.valid) {
                    return Err(format!("block {id} counts {} valid pages and has {valid}", block.valid));
                }
                if block.reads() != holds.get(&id).copied().unwrap_or(0) {
                    return Err(format!(
                        "the run is over, but {} reads of block {id} are not",
                        block.reads()
                    ));
                }
                let next = u32::from(block.next_page);
                left += u64::from(self.blocks.pages_of(block).saturating_sub(next))
                    * u64::from(block.state() == BlockState::Full);
                let fits = match block.state() {
                    BlockState::Free | BlockState::Bad => next == 0 && valid == 0,
                    BlockState::Open => next < self.blocks.pages_of(block),
                    BlockState::Full => next <= self.blocks.pages_of(block),
                    BlockState::Reclaiming | BlockState::Merging => false,
                };
                // A block whose group was cut off in its erases is free before the group is.
                let listed = match block.state() {
                    BlockState::Open => true,
                    BlockState::Free => {
                        self.blocks.group(self.blocks.grouping().head_of(id)).state == BlockState::Free
                    }
                    _ => false,
                };
                let is_there = u32::from(block.programmed) + waiting.get(&id).copied().unwrap_or(0) == next;
                if !fits || !is_there || places[id] != u8::from(listed) {
                    return Err(format!(
                        "block {id} is in {} pools or open places with {valid} valid pages: {block:?}",
                        places[id]
                    ));
                }
            }
        }
        if left != self.blocks.left_units() {
            let counted = self.blocks.left_units();
            return Err(format!(
                "{left} units of full blocks were never handed out, but {counted} were left"
            ));
        }
        Ok(())
    }

    fn verify_places(&self, pool: PoolId, places: &mut IdVec<BlockId, u8>) -> Result<(), String> {
        let open = self.blocks.open_of(pool).map(|id| (id, BlockState::Open));
        let free = self.blocks.free_of(pool).map(|id| (id, BlockState::Free));
        for (id, state) in free.chain(open) {
            let block: BlockId = id;
            if self.blocks.pool_of_block(block) != pool || self.blocks.get(block).state() != state {
                return Err(format!(
                    "block {block} is listed as {state:?} in {}, but is {:?} in plane {}",
                    self.blocks.grouping().name(pool),
                    self.blocks.get(block).state(),
                    self.geometry.plane_of(block)
                ));
            }
            places[block] += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Layer, resolve};
    use crate::flash::{Block, Outbox, PageOp, PageOpKind, Writer};
    use crate::ftl::Step;
    use crate::ftl::blocks::Use;
    use crate::nand::PlaneId;
    use crate::options::RunOptions;
    use wordline_cells::variation::{Purpose, below};

    fn config() -> Config {
        let text = "[ssd]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\n\
                    blocks_per_plane = 16\npages_per_block = 8\noverprovisioning = 0.3\n";
        resolve(&[Layer::file("test", text)]).unwrap().config
    }

    /// A checked device that was filled and overwritten.
    fn used() -> (Ftl, Nand) {
        let config = config();
        let mut nand = Nand::new(&config);
        let mut ftl = Ftl::new(&config, 2, &RunOptions { check: true, ..RunOptions::default() });
        let pages = ftl.host_pages();
        ftl.fill(Lpn::first(pages), &mut nand).unwrap();
        let lpns = (0..2_000).map(|i| Lpn::from_index(below(5, i, Purpose::Precondition, pages) as usize));
        ftl.overwrite(lpns, &mut nand).unwrap();
        (ftl, nand)
    }

    fn complaint(ftl: &Ftl) -> String {
        ftl.verify(&|_| 0).expect_err("the corruption is found").to_string()
    }

    #[test]
    fn a_sound_device_passes() {
        let (ftl, _) = used();
        ftl.verify(&|_| 0).unwrap();
    }

    #[test]
    fn a_mapping_entry_of_another_page_is_found_by_verify_and_by_a_read() {
        let (mut ftl, mut nand) = used();
        let other = ftl.pages.mapping.get(Lpn::new(9)).unwrap();
        ftl.pages.mapping.corrupt(Lpn::new(4), other);
        assert!(complaint(&ftl).contains("logical page 4 is mapped to"));
        let op = PageOp { kind: PageOpKind::Read, ..PageOp::unowned(Lpn::new(4), 1, Writer::default()) };
        let mut step = Step { nand: &mut nand, now: 0, out: &mut Outbox::new(1), failures: &mut Vec::new() };
        let error = ftl.submit(op, &mut step).expect_err("a wrong read");
        assert!(error.to_string().contains("logical page 4 should hold version"), "{error}");
    }

    #[test]
    fn a_lost_mapping_entry_is_found() {
        let (mut ftl, _) = used();
        ftl.pages.mapping.corrupt_to_none(Lpn::new(4));
        assert!(complaint(&ftl).contains("physical pages are valid"));
    }

    #[test]
    fn a_page_that_was_moved_without_its_data_is_found() {
        let (mut ftl, _) = used();
        let frontier = ftl.pages.blocks.frontier(PoolId::new(0), ftl.pages.placement.normal);
        let to = ftl.pages.blocks.allocate(PoolId::new(0), frontier, Use::Reclaim).unwrap();
        ftl.pages.blocks.programmed(to);
        let old = ftl.pages.mapping.get(Lpn::new(0)).unwrap();
        ftl.pages.mapping.bind(Lpn::new(0), Some(old), to.place);
        ftl.pages.blocks.invalidate(old);
        assert!(complaint(&ftl).contains("was not programmed for logical page 0"));
    }

    #[test]
    fn stale_data_is_found() {
        let (mut ftl, _) = used();
        if let Some(shadow) = &mut ftl.pages.shadow {
            shadow.accept(Lpn::new(7), 0b100);
        }
        assert!(complaint(&ftl).contains("page 7"));
        ftl.verify(&|lpn| if lpn == Lpn::new(7) { 0b100 } else { 0 }).unwrap();
    }

    #[test]
    fn wrong_counts_of_a_block_are_found() {
        for change in [
            (|block| block.valid += 1) as fn(&mut Block),
            |block| block.add_reads(1),
            |block| block.set_state(BlockState::Reclaiming),
            |block| block.programmed -= 1,
        ] {
            let (mut ftl, _) = used();
            let full = ftl
                .pages
                .blocks
                .of_plane(PlaneId::new(1))
                .find(|(_, b)| b.state() == BlockState::Full && b.valid > 0);
            change(ftl.pages.blocks.get_mut(full.unwrap().0));
            complaint(&ftl);
        }
    }

    #[test]
    fn a_block_that_is_free_twice_is_found() {
        let (mut ftl, nand) = used();
        let free = ftl.pages.blocks.free_of(PoolId::new(0)).next().unwrap();
        ftl.pages.blocks.erased(free, false, &nand);
        assert!(complaint(&ftl).contains("is in 2 pools"));
    }

    #[test]
    fn an_erase_under_a_read_is_found() {
        let (mut ftl, _) = used();
        let shadow = ftl.pages.shadow.as_mut().unwrap();
        shadow.read_started(0, Pun::new(8), 1);
        assert!(shadow.erased(BlockId::new(1)).unwrap_err().to_string().contains("erased while it was read"));
    }
}
