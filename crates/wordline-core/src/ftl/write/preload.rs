//! What was there before the run: a unit that is read before it was ever written gets the place where it would have been.

use super::pages::Pages;
use super::put::{BeforeRun, Placing, To, Why};
use crate::flash::{Class, SectorMask};
use crate::nand::{Lpn, Nand, PoolId, UnitAddress};

impl Pages {
    /// Gives a page that is read before it was ever written the place where it would have been. A full plane has no
    /// room for it: the read finds no data.
    #[inline(always)]
    pub fn preload_at_home(
        &mut self,
        pool: PoolId,
        lpn: Lpn,
        sectors: SectorMask,
        nand: &mut Nand,
    ) -> Option<UnitAddress> {
        if self.neighbours.are_alone() {
            return self.preload_in(pool, lpn, sectors, nand);
        }
        self.preload_row(pool, lpn, nand)
    }

    /// The same for all that a fill would have put beside it: the other units of its page, and the pages of the other
    /// planes in the same row, or of the same program. Otherwise whatever is read together for the first time would lie
    /// together, and one sense would bring all of it.
    #[inline(never)]
    fn preload_row(&mut self, pool: PoolId, lpn: Lpn, nand: &mut Nand) -> Option<UnitAddress> {
        let plane = self.allocator.home(self.format.home_of(lpn));
        for unit in self.neighbours.of(lpn, plane) {
            let is_there = !self.format.is_of_table(unit) && self.mapping.get(unit).is_none();
            if is_there
                && !self.mapping.is_trimmed(unit)
                && self.preload_in(pool, unit, self.format.full_page, nand).is_none()
            {
                break;
            }
        }
        self.mapping.get(lpn).map(|pun| self.geometry.address(pun))
    }

    #[inline(always)]
    fn preload_in(
        &mut self,
        pool: PoolId,
        lpn: Lpn,
        sectors: SectorMask,
        nand: &mut Nand,
    ) -> Option<UnitAddress> {
        let stream = self.placement.preload?;
        let why = Why::Preload;
        let placing =
            Placing { lpn, sectors, why, ..Placing::padding(pool, To::Stream(stream), Class::UserWrite) };
        // Nothing of it is checked: the controller does not have it.
        self.put(&placing, &mut BeforeRun(nand)).ok().flatten().map(|placed| placed.at)
    }
}
