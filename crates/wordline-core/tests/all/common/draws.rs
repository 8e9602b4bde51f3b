//! Numbers that follow from a seed.

use wordline_cells::variation::{Purpose, below};

/// Draws one number after the other.
pub struct Draws {
    pub seed: u64,
    count: u64,
}

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws { seed, count: 0 }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.count += 1;
        below(self.seed, self.count, Purpose::Precondition, n)
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}
