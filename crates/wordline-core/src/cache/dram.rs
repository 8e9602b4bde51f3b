//! The DRAM of the data cache: data crosses it one transfer after the other.
//!
//! What the cache takes in or serves crosses it, and so does a page that leaves for flash later than it was written.
//! A read that the cache does not serve passes it by; where reads are cached, its data occupies it afterwards and nobody
//! waits for that. MQSim counts so (`Data_Cache_Manager_Flash_Advanced`).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::config::{DramConfig, DramTiming};
use crate::engine::{Ns, TIME_MAX, state};
use crate::flash::PageOp;
use crate::nand::{femtoseconds_per_byte, transfer};

/// What a transfer is for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Transfer {
    /// Data of a request of the host, which waits for it as it waits for a page.
    Request(u32),
    /// A page that leaves for flash.
    Leaves(PageOp),
}

/// The DRAM.
#[derive(Debug)]
pub struct Dram {
    timing: DramTiming,
    byte_fs: u64,
    latency: Ns,
    row_bytes: u64,
    burst_bytes: u64,
    precharge: Ns,
    free_at: Ns,
    /// Transfers that somebody waits for, in the order in which they end.
    under_way: VecDeque<Transfer>,
}

state! {
    Dram {
        values: free_at, under_way;
        derived: timing, byte_fs, latency, row_bytes, burst_bytes, precharge;
    }
}

impl Dram {
    /// An idle DRAM.
    pub(super) fn new(config: &DramConfig) -> Dram {
        Dram {
            timing: config.timing,
            byte_fs: femtoseconds_per_byte(config.rate_mb_s),
            latency: config.latency_ns,
            row_bytes: u64::from(config.row_bytes),
            burst_bytes: u64::from(config.burst_bytes),
            precharge: config.precharge_ns,
            free_at: 0,
            under_way: VecDeque::new(),
        }
    }

    /// Queues transfers of so many bytes, one after the other; returns when the last one ends, or `None` where the DRAM takes no time and
    /// nothing has to wait.
    pub fn start(&mut self, what: Transfer, bytes: impl Iterator<Item = u64>, now: Ns) -> Option<Ns> {
        if self.byte_fs == 0 && self.latency == 0 {
            return None;
        }
        bytes.for_each(|bytes| self.occupy(bytes, now));
        self.under_way.push_back(what);
        Some(self.free_at)
    }

    /// Queues a transfer that nobody waits for.
    pub(super) fn occupy(&mut self, bytes: u64, now: Ns) {
        // The queue of a slow DRAM may reach beyond the latest time; the run ends with an error when it gets there.
        self.free_at = (self.free_at.max(now) + self.access_time(bytes)).min(TIME_MAX + 1);
    }

    /// The oldest transfer has ended.
    pub fn ended(&mut self) -> Option<Transfer> {
        self.under_way.pop_front()
    }

    /// Transfers that somebody waits for, in the order in which they end.
    pub(super) fn under_way(&self) -> impl Iterator<Item = &Transfer> {
        self.under_way.iter()
    }

    /// Whether the pages that cross it can leave, and its time is one that there is.
    pub(super) fn is_sound(&self, is_leaving: impl Fn(&PageOp) -> bool) -> bool {
        let is_sound = |transfer: &Transfer| match transfer {
            Transfer::Request(_) => true,
            Transfer::Leaves(op) => is_leaving(op),
        };
        self.free_at <= TIME_MAX + 1 && self.under_way.iter().all(is_sound)
    }

    /// True while somebody waits for a transfer.
    #[must_use]
    pub fn is_waited_for(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// How long one access takes.
    fn access_time(&self, bytes: u64) -> Ns {
        if self.timing == DramTiming::Linear || bytes <= self.row_bytes {
            return self.latency + transfer(self.byte_fs, bytes);
        }
        // As `estimate_dram_access_time` of MQSim. Its burst time is that of two bursts.
        let row = self.latency + transfer(self.byte_fs, self.row_bytes) + self.precharge;
        let burst_fs = u128::from(2 * self.burst_bytes * self.byte_fs).max(1);
        let rest = u128::from(bytes % self.row_bytes) * 1_000_000 / (u128::from(self.burst_bytes) * burst_fs);
        bytes / self.row_bytes / 2 * row + self.latency + if self.byte_fs == 0 { 0 } else { rest as Ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time_of(kib: u64, timing: DramTiming) -> Ns {
        let config = DramConfig { timing, rate_mb_s: 200.0, latency_ns: 26, ..DramConfig::default() };
        Dram::new(&config).access_time(kib << 10)
    }

    /// MQSim's shipped device: 100 MT/s of one byte, two transfers a clock; tRCD, tCL and tRP of 13 ns; rows of 8 KiB. The
    /// values are those of its own function.
    #[test]
    fn mqsims_formula_forgets_every_second_row_and_the_rest() {
        let expected = [(4, 20_506), (8, 40_986), (12, 435), (16, 41_025), (32, 82_024), (64, 164_022)];
        for (kib, time) in expected {
            assert_eq!(time_of(kib, DramTiming::Mqsim), time, "{kib} KiB");
        }
    }

    #[test]
    fn linear_time_grows_with_the_bytes() {
        for kib in [4, 8, 12, 16, 64] {
            assert_eq!(time_of(kib, DramTiming::Linear), 26 + kib * 1024 * 5, "{kib} KiB");
        }
    }
}
