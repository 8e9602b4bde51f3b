//! Statistics of a trace: `wordline trace stat`.

mod collect;
mod pages;

use serde::{Deserialize, Serialize};

pub use collect::StatCollector;

/// Bytes of a page here, for any page size of the simulated flash: the unit of most hosts and of the published tables.
pub const PAGE_BYTES: u64 = 4096;

/// Options of the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatOptions {
    /// Number of latest requests among which a sequential request may find its predecessor, because several streams may
    /// interleave. 1 to 1024.
    pub sequential_window: usize,
}

impl Default for StatOptions {
    fn default() -> Self {
        Self { sequential_window: 32 }
    }
}

/// Requests of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCount {
    /// The size, a multiple of 512.
    pub bytes: u64,
    /// Reads of this size.
    pub reads: u64,
    /// Writes of this size.
    pub writes: u64,
}

/// Times between arrivals of consecutive requests of any kind. Percentiles are exact to 1 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterArrival {
    /// Mean.
    pub mean_us: f64,
    /// Median.
    pub p50_us: f64,
    /// 90 % are at most this long.
    pub p90_us: f64,
    /// 99 % are at most this long.
    pub p99_us: f64,
    /// 99.9 % are at most this long.
    pub p999_us: f64,
    /// The longest, exact.
    pub max_us: f64,
}

/// The requests of one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Second {
    /// The second, from 0, since time zero of the trace.
    pub second: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes read and written.
    pub bytes: u64,
}

/// Statistics of a trace. An undefined ratio or mean is `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceStat {
    /// All requests.
    pub requests: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Trims.
    pub trims: u64,
    /// Flushes.
    pub flushes: u64,
    /// Requests to close the groups that are open for data of the host.
    pub closes: u64,
    /// Devices of the trace, as far as its format tells; all of them, also where one is taken.
    pub devices: u64,
    /// Reads among reads and writes.
    pub read_ratio: Option<f64>,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Bytes trimmed.
    pub trim_bytes: u64,
    /// Mean size of a read or write.
    pub mean_bytes: Option<f64>,
    /// Mean size of a read.
    pub mean_read_bytes: Option<f64>,
    /// Mean size of a write.
    pub mean_write_bytes: Option<f64>,
    /// Reads and writes by size, smallest first.
    pub sizes: Vec<SizeCount>,
    /// From the first arrival to the last.
    pub duration_s: f64,
    /// Requests per second over that time.
    pub mean_iops: Option<f64>,
    /// Times between arrivals; `None` for a single request.
    pub inter_arrival: Option<InterArrival>,
    /// 4-KiB pages read or written at least once, in bytes.
    pub footprint_bytes: u64,
    /// 4-KiB pages read at least once, in bytes.
    pub read_footprint_bytes: u64,
    /// 4-KiB pages written at least once, in bytes.
    pub write_footprint_bytes: u64,
    /// The smallest device that holds every read, write and trim, in sectors of 512 bytes.
    pub capacity_sectors: u64,
    /// Cold reads as a share of all reads. A read is cold if the trace never writes the 4-KiB page in which it starts,
    /// before or after it. This is the quantity of Table 2 in Park et al., "Reducing Solid-State Drive Read Latency by
    /// Optimizing Read-Retry" (PR2/AR2), ASPLOS '21, section 7.1. The paper has one target page per request; here the
    /// first page represents all. A page that the trace writes even once is not cold; a trim is not a write.
    pub cold_ratio: Option<f64>,
    /// The share of reads and writes that start at the end of one of the latest [`StatOptions::sequential_window`]
    /// requests.
    pub sequential_ratio: Option<f64>,
    /// The share of reads and writes that start and end on 4-KiB boundaries.
    pub aligned_ratio: Option<f64>,
    /// The requests of each second; seconds without reads and writes are left out.
    pub seconds: Vec<Second>,
}
