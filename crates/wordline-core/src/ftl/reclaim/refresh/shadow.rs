//! Checked mode follows voltage adjustments. From the order of an adjustment until its end a wordline holds nothing. Pages
//! that it gives up or breaks stay lost. Only the controller's copies keep their data.

use crate::engine::Ns;
use crate::error::SimError;
use crate::flash::SectorMask;
use crate::ftl::check::shadow::Shadow;
use crate::nand::{BlockId, Pun};

/// The version in a sector whose cells have left the states that a program gave them; no write has this version.
const GARBAGE: u32 = u32::MAX;

impl Shadow {
    /// Begins the adjustment of a wordline. These of its pages (a bit each) stay valid; the controller has a copy of them.
    ///
    /// # Errors
    /// [`SimError::Check`] if one of its pages is being read, which would find a half-adjusted wordline, or if one that
    /// stays was not read before.
    pub fn adjusting(&mut self, first: Pun, pages: u32, stays: u8) -> Result<(), SimError> {
        for page in 0..pages {
            let pun = first + page;
            self.check_unread(pun, "is being read while its wordline is adjusted")?;
            if stays >> page & 1 == 1
                && let Some(lpn) = self.owner_of(pun)
            {
                self.check_at_hand(lpn, pun, SectorMask::MAX)?;
            }
            let row = self.stored.row_mut(pun);
            if stays >> page & 1 == 1 {
                self.copies.insert(pun, row.to_vec());
            }
            row.fill(GARBAGE);
        }
        Ok(())
    }

    /// Ends the adjustment of a wordline. These of its pages (a bit each) can be read from it again.
    ///
    /// # Errors
    /// [`SimError::Check`] if a read of it has begun meanwhile.
    pub fn adjusted(&mut self, first: Pun, pages: u32, readable: u8) -> Result<(), SimError> {
        for page in 0..pages {
            let pun = first + page;
            self.check_unread(pun, "was read while its wordline was adjusted")?;
            if readable >> page & 1 == 1
                && let Some(copy) = self.copies.get(&pun)
            {
                self.stored.row_mut(pun).copy_from_slice(copy);
            }
        }
        Ok(())
    }

    /// Every page of a block was brought up to the verify levels of its states.
    pub fn refreshed_in_place(&mut self, block: BlockId, now: Ns) {
        let pages = self.geometry.pages_of(block);
        pages.start.to(pages.end).for_each(|pun| self.times.programmed(pun, now));
    }

    /// Checks that nobody reads a page; `fault` says what it means if somebody does.
    fn check_unread(&self, pun: Pun, fault: &str) -> Result<(), SimError> {
        if self.is_being_read(pun) {
            return Err(SimError::Check(format!("physical page {pun} {fault}")));
        }
        Ok(())
    }

    /// The controller gives up its copies of a block's pages: from now on only flash counts.
    pub fn drop_copies(&mut self, block: BlockId) {
        let pages = self.geometry.pages_of(block);
        let all: Vec<Pun> = self.copies.range(pages.clone()).map(|(&pun, _)| pun).collect();
        for pun in all {
            self.copies.remove(&pun);
        }
        self.at_hand.let_go_of(&pages);
    }

    fn is_being_read(&self, pun: Pun) -> bool {
        self.expected.range((pun, 0)..=(pun, u64::MAX)).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nand::{Lpn, Shape, UnitGeometry};
    use wordline_cells::PageOrder;

    /// A wordline of three pages that hold the logical pages 5, 6 and 7, whole.
    fn wordline() -> Shadow {
        let geometry = UnitGeometry::from(Shape {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 4,
            pages_per_block: 6,
            page_bytes: 4096,
            bits_per_cell: 3,
            page_order: PageOrder::default(),
        });
        let mut shadow = Shadow::new(&geometry, 16, false);
        for page in 0..3 {
            shadow.accept(Lpn::new(5 + page), 0xff);
            shadow.commit(Lpn::new(5 + page), Pun::new(page), 0xff, None);
            shadow.at_hand.keep(Lpn::new(5 + page), Pun::new(page), 0xff, &[page + 1; 8], true);
        }
        shadow
    }

    #[test]
    fn copies_stand_in_until_a_wordline_is_adjusted() {
        let mut shadow = wordline();
        shadow.adjusting(Pun::new(0), 3, 0b110).unwrap();
        shadow.check_lookup(Lpn::new(6), Some(Pun::new(1)), 0xff).unwrap();
        assert!(shadow.check_lookup(Lpn::new(5), Some(Pun::new(0)), 0xff).is_err(), "the LSB is given up");
        shadow.adjusted(Pun::new(0), 3, 0b110).unwrap();
        shadow.drop_copies(BlockId::new(0));
        shadow.check_lookup(Lpn::new(7), Some(Pun::new(2)), 0xff).unwrap();
    }

    #[test]
    fn a_page_that_nobody_has_read_has_no_copy() {
        let mut shadow = wordline();
        shadow.at_hand.let_go(Lpn::new(7));
        let error = shadow.adjusting(Pun::new(0), 3, 0b110).unwrap_err().to_string();
        assert!(error.contains("logical page 7") && error.contains("nobody has read it"), "{error}");
    }

    #[test]
    fn a_page_to_be_done_again_stays_at_hand_when_a_job_moves_it_before() {
        let mut shadow = wordline();
        shadow.power_cut(&[(Lpn::new(7), 0)], &[Lpn::new(7)].into());
        shadow.moved(Lpn::new(7), (Pun::new(2), Pun::new(9)), false).unwrap();
        shadow.program_done(Pun::new(9), true);
        shadow.written(Lpn::new(7), Pun::new(10), (0, Some(Pun::new(9)), 0xff), false).unwrap();
        let error = shadow
            .written(Lpn::new(7), Pun::new(11), (0, Some(Pun::new(9)), 0xff), false)
            .unwrap_err()
            .to_string();
        assert!(error.contains("nobody has read it"), "{error}");
    }

    #[test]
    fn a_broken_page_is_lost_with_its_copy() {
        let mut shadow = wordline();
        shadow.adjusting(Pun::new(0), 3, 0b110).unwrap();
        shadow.adjusted(Pun::new(0), 3, 0b010).unwrap();
        shadow.moved(Lpn::new(7), (Pun::new(2), Pun::new(9)), true).unwrap();
        shadow.drop_copies(BlockId::new(0));
        shadow.check_lookup(Lpn::new(7), Some(Pun::new(9)), 0xff).unwrap();
        let error =
            shadow.check_lookup(Lpn::new(7), Some(Pun::new(2)), 0xff).expect_err("the page is broken");
        assert!(error.to_string().contains("page 7 should hold"), "{error}");
    }

    #[test]
    fn reads_of_a_wordline_that_is_adjusted_are_found() {
        let mut shadow = wordline();
        shadow.read_started(0, Pun::new(1), 1);
        assert!(shadow.adjusting(Pun::new(0), 3, 0b110).unwrap_err().to_string().contains("is being read"));
        let mut shadow = wordline();
        shadow.adjusting(Pun::new(0), 3, 0b110).unwrap();
        shadow.read_started(0, Pun::new(2), 1);
        assert!(shadow.adjusted(Pun::new(0), 3, 0b110).unwrap_err().to_string().contains("was read while"));
    }
}
