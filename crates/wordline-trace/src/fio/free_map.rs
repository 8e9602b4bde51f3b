//! The blocks of a region that a random job has not touched.

/// A set of blocks that finds the next free one in a few steps: each level has one bit for 64 bits of the level below,
/// set when all of them are taken.
#[derive(Clone, Debug)]
pub(super) struct FreeMap {
    levels: Vec<Vec<u64>>,
    blocks: u64,
}

impl FreeMap {
    /// A map of this many blocks, all free.
    pub fn new(blocks: u64) -> Self {
        let mut map = Self { levels: Vec::new(), blocks };
        let mut bits = blocks;
        loop {
            let words = bits.div_ceil(64).max(1);
            let mut level = vec![0; words as usize];
            // Bits beyond the end are never free.
            if !bits.is_multiple_of(64) {
                level[words as usize - 1] = u64::MAX << (bits % 64);
            }
            map.levels.push(level);
            if words == 1 {
                return map;
            }
            bits = words;
        }
    }

    /// Marks all blocks as free.
    pub fn clear(&mut self) {
        *self = Self::new(self.blocks);
    }

    /// The first free block at or after `block`, else the first of all; `None` if none is left.
    pub fn next_free(&self, block: u64) -> Option<u64> {
        self.from(0, block).or_else(|| self.from(0, 0))
    }

    /// The first clear bit of a level at or after `bit`.
    fn from(&self, level: usize, bit: u64) -> Option<u64> {
        let words = self.levels.get(level)?;
        let (word, shift) = ((bit / 64) as usize, bit % 64);
        let free = !words.get(word)? & (u64::MAX << shift);
        if free != 0 {
            return Some(word as u64 * 64 + u64::from(free.trailing_zeros()));
        }
        let word = self.from(level + 1, word as u64 + 1)?;
        let free = !words[word as usize];
        Some(word * 64 + u64::from(free.trailing_zeros()))
    }

    /// Takes up to `count` consecutive free blocks, starting at the free block `block`; returns how many.
    pub fn take(&mut self, block: u64, count: u64) -> u64 {
        let mut taken = 0;
        while taken < count && self.take_one(block + taken) {
            taken += 1;
        }
        taken
    }

    fn take_one(&mut self, block: u64) -> bool {
        let mut bit = block;
        for (number, level) in self.levels.iter_mut().enumerate() {
            let Some(word) = level.get_mut((bit / 64) as usize) else { return false };
            let mask = 1 << (bit % 64);
            if *word & mask != 0 {
                return number > 0;
            }
            *word |= mask;
            if *word != u64::MAX {
                return true;
            }
            bit /= 64;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_found_once() {
        for blocks in [1, 63, 64, 65, 4096, 4097, 300_000] {
            let mut map = FreeMap::new(blocks);
            let mut seen = vec![false; blocks as usize];
            let mut from = 7 % blocks;
            while let Some(block) = map.next_free(from) {
                assert_eq!(map.take(block, 1), 1);
                assert!(!std::mem::replace(&mut seen[block as usize], true), "{block} of {blocks} twice");
                from = (block * 7919 + 13) % blocks;
            }
            assert!(seen.into_iter().all(|seen| seen), "{blocks} blocks");
        }
    }

    #[test]
    fn a_run_ends_at_a_taken_block_and_at_the_end() {
        let mut map = FreeMap::new(100);
        assert_eq!(map.take(10, 1), 1);
        assert_eq!(map.take(5, 8), 5);
        assert_eq!(map.take(97, 8), 3);
        map.clear();
        assert_eq!(map.take(5, 8), 8);
    }
}
