//! Merging states that differ only in invalid bits (IDA, Section III-B), for any Gray coding and any
//! invalid set.
//!
//! The states that agree in all valid bits form a class. Cells can be programmed up, never down, so a class meets in
//! its highest state: every other state of the class is programmed up to it. The remaining states are a subsequence of
//! all states, and a subsequence has no more bit changes than the sequence. So no page ever needs more senses than
//! before.

use super::GrayCoding;
use super::gray::{BITS_MAX, STATES_MAX};
use crate::read::MergedRead;

/// One coding with one set of invalid pages: the state that each state moves to, and the read voltages of the remaining
/// pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    coding: GrayCoding,
    invalid: u8,
    target: [u8; STATES_MAX],
}

impl Merge {
    /// Merges the states of a coding. Bit `p` of `invalid` says that page `p` (0 = LSB) is invalid. Bits beyond the
    /// coding's pages are ignored.
    #[must_use]
    pub fn new(coding: &GrayCoding, invalid: u8) -> Merge {
        let invalid = invalid & ((1 << coding.bits()) - 1);
        let words = coding.words();
        let mut target = [0; STATES_MAX];
        for (state, &word) in words.iter().enumerate() {
            let same = |other: &u8| (other ^ word) & !invalid == 0;
            let highest = words.iter().rposition(same).unwrap_or(state);
            target[state] = highest as u8;
        }
        Merge { coding: *coding, invalid, target }
    }

    /// The coding before the merge.
    #[must_use]
    pub fn coding(&self) -> &GrayCoding {
        &self.coding
    }

    /// The invalid pages, one bit each.
    #[must_use]
    pub fn invalid(&self) -> u8 {
        self.invalid
    }

    /// Whether a page is still valid.
    #[must_use]
    pub fn survives(&self, page: usize) -> bool {
        page < self.coding.bits() && self.invalid >> page & 1 == 0
    }

    /// The state (0 = erased) that cells in `state` move to; never a lower one.
    #[must_use]
    pub fn target(&self, state: usize) -> usize {
        self.target[state].into()
    }

    /// The states that cells are in after the merge, lowest first.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        (0..self.coding.words().len()).filter(|&state| self.target(state) == state)
    }

    /// Pairs of a state that is programmed up and the state that it becomes.
    pub fn moves(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.coding.words().len())
            .map(|state| (state, self.target(state)))
            .filter(|(from, to)| from != to)
    }

    /// Numbers `i` of the read voltages V_i of a page after the merge; none for an invalid page.
    ///
    /// If states between two remaining ones are gone, any voltage in the gap would work. We take the middle one, or the
    /// lower one of two, because retention lowers V_TH. The paper's example has no such gap.
    #[must_use]
    pub fn read_voltages(&self, page: usize) -> Vec<usize> {
        if !self.survives(page) {
            return Vec::new();
        }
        let kept: Vec<usize> = self.kept().collect();
        let changes = kept.windows(2).filter(|w| self.coding.bit(w[0], page) != self.coding.bit(w[1], page));
        changes.map(|w| (w[0] + 1).midpoint(w[1])).collect()
    }

    /// Senses per read of a page after the merge; 0 for an invalid page, which can no longer be read.
    #[must_use]
    pub fn senses(&self, page: usize) -> usize {
        self.read_voltages(page).len()
    }

    /// Whether some page needs fewer senses than before.
    #[must_use]
    pub fn saves(&self) -> bool {
        let fewer = |page| self.survives(page) && self.senses(page) < self.coding.senses(page);
        (0..self.coding.bits()).any(fewer)
    }

    /// The lowest and highest state that the voltage adjustment programs cells to; `None` if no cell moves.
    #[must_use]
    pub fn ispp_range(&self) -> Option<(usize, usize)> {
        let low = self.moves().map(|(_, to)| to).min()?;
        let high = self.moves().map(|(_, to)| to).max()?;
        Some((low, high))
    }

    /// The time of the voltage adjustment as a share of an MSB program: the number of states in the range that ISPP
    /// sweeps, over the number of all states (IDA, Section III-B: S5 to S8 of S1 to S8 is a half). 0 if no cell moves.
    ///
    /// All cells first jump to the lowest target, which the paper does not count as a sweep. With steps between states
    /// counted instead (3 of 7), the paper's half would be 0.43.
    #[must_use]
    pub fn ispp_share(&self) -> f64 {
        let states = self.coding.words().len() as f64;
        self.ispp_range().map_or(0.0, |(low, high)| (high - low + 1) as f64 / states)
    }
}

/// All invalid sets of one coding: the table that the simulator uses for each read of a merged wordline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merged {
    senses: [[u8; BITS_MAX]; STATES_MAX],
    references: [[u16; BITS_MAX]; STATES_MAX],
    kept: [u8; STATES_MAX],
    saves: [bool; STATES_MAX],
    ispp_share: [f32; STATES_MAX],
}

impl Merged {
    /// Builds the tables of a coding.
    #[must_use]
    pub fn new(coding: &GrayCoding) -> Merged {
        let mut merged = Merged {
            senses: [[0; BITS_MAX]; STATES_MAX],
            references: [[0; BITS_MAX]; STATES_MAX],
            kept: [0; STATES_MAX],
            saves: [false; STATES_MAX],
            ispp_share: [0.0; STATES_MAX],
        };
        for invalid in 0..1 << coding.bits() {
            let merge = Merge::new(coding, invalid as u8);
            for page in 0..coding.bits() {
                let voltages = merge.read_voltages(page);
                merged.senses[invalid][page] = voltages.len() as u8;
                merged.references[invalid][page] =
                    voltages.iter().fold(0, |mask, voltage| mask | 1 << (voltage - 1));
            }
            merged.kept[invalid] = merge.kept().count() as u8;
            merged.saves[invalid] = merge.saves();
            merged.ispp_share[invalid] = merge.ispp_share() as f32;
        }
        merged
    }

    /// Senses of a page (0 = LSB) of a wordline that was merged with these pages invalid (one bit each); 0 for an
    /// invalid page. With no page invalid, the senses of the coding itself.
    #[inline]
    #[must_use]
    pub fn senses(&self, invalid_mask: u8, page_type: u32) -> usize {
        self.senses[usize::from(invalid_mask) % STATES_MAX][page_type as usize % BITS_MAX].into()
    }

    /// The references of a sense of the page in a wordline without the invalid pages: a bit each, lowest first.
    #[inline]
    #[must_use]
    pub fn references(&self, invalid_mask: u8, page_type: u32) -> u16 {
        self.references[usize::from(invalid_mask) % STATES_MAX][page_type as usize % BITS_MAX]
    }

    /// The ways in which pages are read whose wordlines were merged to save time, each once.
    #[must_use]
    pub fn reads(&self) -> Vec<MergedRead> {
        let mut found = Vec::new();
        let saving = self.references.iter().enumerate().filter(|&(invalid, _)| self.saves[invalid]);
        for (invalid, pages) in saving {
            for &sensed in pages.iter().filter(|&&sensed| sensed != 0) {
                let read = MergedRead { sensed, states: self.kept[invalid].into() };
                if !found.contains(&read) {
                    found.push(read);
                }
            }
        }
        found
    }

    /// Number of states that hold cells in such a wordline.
    #[inline]
    #[must_use]
    pub fn kept(&self, invalid_mask: u8) -> u32 {
        self.kept[usize::from(invalid_mask) % STATES_MAX].into()
    }

    /// Whether merging with these pages invalid makes some read faster.
    #[must_use]
    pub fn saves(&self, invalid_mask: u8) -> bool {
        self.saves[usize::from(invalid_mask) % STATES_MAX]
    }

    /// The time of the voltage adjustment, as a share of an MSB program; see [`Merge::ispp_share`].
    #[must_use]
    pub fn ispp_share(&self, invalid_mask: u8) -> f32 {
        self.ispp_share[usize::from(invalid_mask) % STATES_MAX]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_merging_gives_up_is_never_read_again() {
        for coding in [2, 3, 4].map(GrayCoding::reflected) {
            for invalid in 0..1u8 << coding.bits() {
                let merge = Merge::new(&coding, invalid);
                for page in 0..coding.bits() {
                    let is_valid = invalid >> page & 1 == 0;
                    assert_eq!(merge.survives(page), is_valid, "{coding:?} {invalid:b} {page}");
                    assert_eq!(merge.senses(page) > 0, is_valid, "{coding:?} {invalid:b} {page}");
                }
                assert!(!merge.survives(coding.bits()));
            }
        }
    }
}
