//! The practical limit: draw an address, look it up in a table of the mapping table's size, push and pop two events per
//! read. No SSD simulation can be faster than this.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wordline_core::engine::Table;

use crate::timer::seconds;

const TABLE_ENTRIES: usize = 64 << 20;
const OUTSTANDING: u64 = 32;

/// A bare loop over a 256-MB table, which can run in slices.
pub struct BareLoop {
    table: Table<u32>,
    heap: BinaryHeap<Reverse<(u64, u64)>>,
    random: u64,
    seq: u64,
    sum: u64,
    reads: u64,
    seconds: f64,
}

impl BareLoop {
    pub fn new() -> BareLoop {
        let mut table = Table::zeroed_for_random_use(TABLE_ENTRIES);
        for (i, entry) in table.iter_mut().enumerate() {
            *entry = (i as u32).wrapping_mul(2_654_435_761);
        }
        let heap = (1..=OUTSTANDING).map(|seq| Reverse((seq, seq << 1))).collect();
        BareLoop {
            table,
            heap,
            random: 0x9e37_79b9_7f4a_7c15,
            seq: OUTSTANDING,
            sum: 0,
            reads: 0,
            seconds: 0.0,
        }
    }

    /// Runs and times a number of reads.
    pub fn advance(&mut self, reads: u64) {
        let until = self.reads + reads;
        self.seconds += seconds(|| {
            while self.reads < until {
                self.step();
            }
        });
        std::hint::black_box(self.sum);
    }

    #[inline]
    fn step(&mut self) {
        let Some(Reverse((now, key))) = self.heap.pop() else { return };
        self.seq += 1;
        if key & 1 == 0 {
            // End of a sense: the data goes over the channel.
            self.heap.push(Reverse((now + 12_288, self.seq << 1 | 1)));
            return;
        }
        // End of a transfer: the next read is drawn and looked up.
        self.reads += 1;
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let index = ((self.random >> 32) * TABLE_ENTRIES as u64) >> 32;
        let page = u64::from(self.table[index as usize]);
        self.sum = self.sum.wrapping_add(page);
        self.heap.push(Reverse((now + 75_000 + (page & 1023), self.seq << 1)));
    }

    /// Reads per second over all slices so far.
    pub fn reads_per_second(&self) -> f64 {
        self.reads as f64 / self.seconds
    }
}
