//! How units go to flash where several share a program (`ftl.unit_bytes`, `program.unit`): into the open one of their group,
//! which begins when it is full, or is filled up with padding when it has waited long enough. [`Packing`](crate::ftl::write::packing) has the
//! open programs.

use super::pages::Pages;
use super::put::{AtOnce, NoPower};
use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::{Outbox, StreamId};
use crate::ftl::blocks::Blocks;
use crate::ftl::{Ftl, Step};
use crate::nand::{FrontierId, PoolId, Pun};

impl Pages {
    /// Asks for an open program, which is full.
    pub(in crate::ftl) fn program_open(&mut self, frontier: FrontierId, out: &mut Outbox) {
        let Pages { packing, allocator, geometry, .. } = self;
        packing.program(frontier, geometry, out, |block| allocator.began(geometry.plane_of(block)));
    }

    /// All frontiers that may have an open program.
    fn frontiers_that_pack(&self) -> Vec<FrontierId> {
        self.packing.frontiers().filter(|&frontier| self.blocks.is_frontier(frontier)).collect()
    }

    /// The pool of the program that a stream of the host is filling.
    #[inline]
    pub fn pool_being_filled(&self, stream: StreamId) -> Option<PoolId> {
        let pool = self.packing.last_pool(stream);
        let frontier = self.blocks.frontier(pool, stream);
        (self.packing.packs() && self.is_within_program(frontier)).then_some(pool)
    }

    /// [`Blocks::is_within_program`], by a shorter way where the program has units.
    #[inline]
    pub fn is_within_program(&self, frontier: FrontierId) -> bool {
        if self.packing.units_in(frontier) == 0 || self.blocks.open_group_of(frontier).is_none() {
            return self.blocks.is_within_program(frontier);
        }
        debug_assert!(self.blocks.is_within_program(frontier), "a program with units is not full");
        true
    }

    /// Fills an open program up with padding and asks for it; returns its pool.
    pub fn pad(&mut self, frontier: FrontierId, step: &mut Step<'_>) -> PoolId {
        let is_within = |blocks: &Blocks| blocks.is_within_program(frontier);
        self.pad_while(frontier, self.class_of(frontier), step, is_within);
        self.program_open(frontier, step.out);
        self.blocks.of_frontier(frontier).0
    }

    /// Without time: programs that are not full are filled up with padding, and hold their data.
    pub fn close_pages(&mut self) {
        for frontier in self.frontiers_that_pack() {
            for unit in self.packing.take_units(frontier) {
                self.blocks.programmed(self.geometry.address(unit.unit));
                if let Some(held) = self.entry_is_safe(unit.lpn, unit.unit) {
                    self.blocks.get_mut(self.geometry.block_of(held)).end_read();
                }
                if let Some(shadow) = &mut self.shadow {
                    shadow.program_done(unit.unit, self.mapping.is_valid(unit.unit));
                }
            }
            let is_within = |blocks: &Blocks| blocks.is_within_program(frontier);
            self.pad_while(frontier, self.class_of(frontier), &mut AtOnce, is_within);
        }
        self.packing.power_cut();
    }

    /// Power is gone: groups that go on do so behind the program that they were within.
    pub fn leave_open_programs(&mut self) {
        for frontier in self.frontiers_that_pack() {
            let (pool, _) = self.blocks.of_frontier(frontier);
            if !self.blocks.needs_its_open_groups(pool) {
                continue;
            }
            let is_within = |blocks: &Blocks| blocks.is_within_program(frontier);
            self.pad_while(frontier, self.class_of(frontier), &mut NoPower, is_within);
        }
    }
}

impl Ftl {
    /// When the next open program has waited long enough, if an event is wanted for that.
    #[inline(always)]
    pub fn packing_alarm(&mut self, now: Ns) -> Option<Ns> {
        if self.pages.packing.wants_alarm { self.pages.packing.take_alarm(now) } else { None }
    }

    /// Programs that have waited long enough are filled up. Where writes wait for lines of the cache, `leaving` is how many lines leave
    /// it: as long as some of them do so without these programs, the writes will fill them.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn pad_due_pages(&mut self, leaving: usize, step: &mut Step<'_>) -> Result<(), SimError> {
        while let Some((frontier, is_urgent)) = self.pages.packing.next_due(step.now) {
            let more_come =
                !is_urgent && leaving > self.pages.packing.waiting_of_cache() && !step.out.txns.is_empty();
            if more_come {
                self.pages.packing.postpone(frontier, step.now);
            } else {
                self.complete_program(frontier, step)?;
            }
        }
        Ok(())
    }

    /// Fills an open program up: with writes that wait for room, whatever their pool, and padding where there are no more of its
    /// stream.
    fn complete_program(&mut self, frontier: FrontierId, step: &mut Step<'_>) -> Result<(), SimError> {
        let (pool, _) = self.pages.blocks.of_frontier(frontier);
        self.place_waiting_in(frontier, step)?;
        if self.pages.packing.units_in(frontier) > 0 {
            self.pages.pad(frontier, step);
        }
        self.after_allocation(pool, step)
    }

    /// At a shutdown: programs that are not full are filled up, whoever waits for them. Returns their units, and those of the mapping
    /// table that are not on flash.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn pad_open_programs(&mut self, step: &mut Step<'_>) -> Result<Vec<Pun>, SimError> {
        let Pages { packing, mapping, blocks, format, journal, .. } = &self.pages;
        let of_table =
            journal.iter().flat_map(|journal| format.host_end.to(format.host_end + journal.units()));
        let table = of_table.filter_map(|lpn| mapping.get(lpn)).filter(|&unit| blocks.is_in_flight(unit));
        let units = packing.waiting_units().chain(table).collect();
        for frontier in self.pages.frontiers_that_pack() {
            if self.pages.packing.units_in(frontier) > 0 {
                self.complete_program(frontier, step)?;
            }
        }
        Ok(units)
    }

    /// True while one of these units, or a write that has no place yet, is not on flash; forgets those that are.
    pub fn are_on_their_way(&self, units: &mut Vec<Pun>) -> bool {
        units.retain(|&unit| self.pages.blocks.is_in_flight(unit));
        !units.is_empty() || self.parking.waiting().is_some()
    }

    /// The host waits for all that it has written, or does so no more.
    #[inline]
    pub fn hurry(&mut self, is_hurried: bool, now: Ns) {
        if self.pages.packing.packs() {
            self.pages.packing.hurry(is_hurried, now);
        }
    }

    /// Mapping units that have a place, in a program that is not full.
    #[must_use]
    pub fn units_waiting(&self) -> usize {
        self.pages.packing.waiting()
    }

    /// See [`Pages::close_pages`].
    pub fn close_pages(&mut self) {
        self.pages.close_pages();
    }
}
