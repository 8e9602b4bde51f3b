//! Generates the simplest requests, many at once.

use wordline_core::host::{HostRequest, Op};

use super::address::Places;
use super::random::{Chance, Random};

/// The draws of each request, if all arrive at the same time, reads have one size and writes have one, and both may go
/// anywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniform {
    arrival_ns: u64,
    read: Chance,
    /// Writes, then reads: their operation, places and number of sectors.
    kinds: [(Op, Places, u32); 2],
}

impl Uniform {
    /// Builds it from the places and sizes of reads and writes.
    pub fn new(arrival_ns: u64, read: Chance, reads: (Places, u32), writes: (Places, u32)) -> Self {
        let kinds = [(Op::Write, writes.0, writes.1), (Op::Read, reads.0, reads.1)];
        Self { arrival_ns, read, kinds }
    }

    /// Draws the same requests as one by one, but without look-ups between them. It is out of line, and selects the
    /// kind by an index, because the processor cannot predict a branch.
    #[inline(never)]
    pub fn fill(&self, requests: &mut [HostRequest], random: &mut Random) {
        // A copy, so that it stays in the processor's registers.
        let mut drawn = random.clone();
        for request in requests {
            let (op, places, sectors) = self.kinds[usize::from(self.read.hits(&mut drawn))];
            *request = HostRequest::new(self.arrival_ns, op, places.draw(&mut drawn), sectors);
        }
        *random = drawn;
    }
}
