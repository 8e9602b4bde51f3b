//! Requests as simple as can be: many at once.

use wordline_core::host::{HostRequest, Op};

use super::address::Places;
use super::random::{Chance, Random};

/// What every request draws, where all arrive at the same time, reads have one size and writes have one, and
/// both may go anywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniform {
    arrival_ns: u64,
    read: Chance,
    /// Of writes, and of reads: where they go, and how many sectors they have.
    kinds: [(Op, Places, u32); 2],
}

impl Uniform {
    /// Of reads and writes with their places and sizes.
    pub fn new(arrival_ns: u64, read: Chance, reads: (Places, u32), writes: (Places, u32)) -> Self {
        let kinds = [(Op::Write, writes.0, writes.1), (Op::Read, reads.0, reads.1)];
        Self { arrival_ns, read, kinds }
    }

    /// Draws the same requests as one by one, but looks nothing up between them. Out of line, so that the two
    /// kinds are told apart by their place in memory: the processor cannot foresee which is next.
    #[inline(never)]
    pub fn fill(&self, requests: &mut [HostRequest], random: &mut Random) {
        // A copy, so that it stays in the processor's registers.
        let mut drawn = random.clone();
        for request in requests {
            let (op, places, sectors) = self.kinds[usize::from(self.read.hits(&mut drawn))];
            *request =
                HostRequest { arrival_ns: self.arrival_ns, sector: places.draw(&mut drawn), sectors, op };
        }
        *random = drawn;
    }
}
