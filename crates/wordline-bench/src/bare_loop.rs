//! The practical limit: draw an address, look it up in a table the size of the mapping table, push
//! and pop two events for each read. No SSD can be simulated faster than this.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wordline_core::engine::Table;

use crate::timer::seconds;

const TABLE_ENTRIES: usize = 64 << 20;
const OUTSTANDING: u64 = 32;

/// Reads per second of the bare loop over a 256-MB table.
pub fn reads_per_second(reads: u64) -> f64 {
    let mut table = Table::<u32>::zeroed(TABLE_ENTRIES, true);
    for (i, entry) in table.iter_mut().enumerate() {
        *entry = (i as u32).wrapping_mul(2_654_435_761);
    }
    let mut heap: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::with_capacity(1024);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut seq = 0u64;
    let mut sum = 0u64;
    for _ in 0..OUTSTANDING {
        seq += 1;
        heap.push(Reverse((seq, seq << 1)));
    }
    let (mut done, mut at_transfer) = (0u64, 0u64);
    let time = seconds(|| {
        while done < reads {
            let Some(Reverse((now, key))) = heap.pop() else { break };
            seq += 1;
            if key & 1 == 0 {
                // A sense ends: the data goes over the channel.
                heap.push(Reverse((now + 12_288, seq << 1 | 1)));
                at_transfer += 1;
            } else {
                // A transfer ends: the next read is drawn and looked up.
                done += 1;
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let index = ((state >> 32) * TABLE_ENTRIES as u64) >> 32;
                let page = u64::from(table[index as usize]);
                sum = sum.wrapping_add(page);
                heap.push(Reverse((now + 75_000 + (page & 1023), seq << 1)));
            }
        }
    });
    std::hint::black_box((sum, at_transfer));
    reads as f64 / time
}
