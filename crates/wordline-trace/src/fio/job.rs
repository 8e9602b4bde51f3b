//! One job of a fio job file, with all options resolved.

use serde::Deserialize;

use super::zbd::Zbd;

/// A job. Every size is in bytes and a multiple of 512.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FioJob {
    /// Operations, by direction.
    pub mix: Mix,
    /// Random addresses (`randread` and similar); otherwise sequential.
    pub random: bool,
    /// Number of requests per new random place (`rw=randread:8`); at least 1.
    pub every: u32,
    /// Between new random places the last place is asked for again (`rw_sequencer=identical`), not those after it.
    pub identical: bool,
    /// Added to the position after each sequential request (`rw=read:4k`); may be negative.
    pub step_bytes: i64,
    /// A block may be drawn again before all others were drawn (`norandommap`).
    pub repeats: bool,
    /// First byte of the region on the flow's part of the device (`offset`).
    pub offset_bytes: u64,
    /// Length of the region, in which requests begin (`size`, or the rest of the file).
    pub region_bytes: u64,
    /// Length of the file, within which requests end: the region's end, or the whole device.
    pub file_bytes: u64,
    /// Bytes of one pass over the region (`size`).
    pub size_bytes: u64,
    /// Bytes to transfer in as many passes as that takes (`io_size`); 0: those of one pass.
    pub io_size_bytes: u64,
    /// Passes (`loops`); at least 1.
    pub loops: u32,
    /// Each pass makes the random choices of the first one again (`randrepeat`).
    #[serde(default)]
    pub same_choices: bool,
    /// A pass also ends with the bytes of one: the engine queues requests. One that completes them at once goes on to the
    /// end of the file, or of the map.
    #[serde(default)]
    pub queues: bool,
    /// Of the job's own random numbers (`randseed`); 0: none.
    #[serde(default)]
    pub seed: u64,
    /// Requests, at most, for each of `loops` (`number_ios`); 0: any number.
    pub requests_max: u64,
    /// Passes follow each other until the run time is over, and no other limit holds (`time_based`).
    pub time_based: bool,
    /// A flush follows each time that the number of writes is a multiple of one of these (`fsync`, `fdatasync`); 0: none.
    pub flush_every: [u32; 2],
    /// A flush ends each pass (`end_fsync`, `fsync_on_close`).
    pub flush_at_end: bool,
    /// Writes have FUA: `sync`, whose `O_SYNC` or `O_DSYNC` makes the kernel send direct writes so, and `writefua`.
    #[serde(default)]
    pub fua: bool,
    /// Requests arrive this much later, ns (`startdelay`).
    pub start_ns: u64,
    /// Time between arrivals, ns (`rate_iops`); 0: as soon as the queue has room.
    pub gap_ns: u64,
    /// The times between arrivals are exponentially distributed, with the mean `gap_ns` (`rate_process=poisson`).
    pub poisson: bool,
    /// If not 0, arrival times follow from the requested bytes, bytes/s (`rate`).
    pub bytes_per_s: u64,
    /// Settings of reads, writes and trims, in this order.
    pub streams: [FioStream; 3],
    /// The zones of the drive (`zonemode=zbd`).
    #[serde(default)]
    pub zbd: Option<Zbd>,
}

impl FioJob {
    /// The job without an end. What it repeats itself (`loops`) is repeated; otherwise it goes on with the same generator, as with
    /// `time_based`.
    #[must_use]
    pub fn endless(self) -> FioJob {
        if self.loops > 1 {
            return FioJob { loops: u32::MAX, requests_max: 0, ..self };
        }
        if self.time_based { self } else { FioJob { time_based: true, same_choices: false, ..self } }
    }

    /// Any of its requests write.
    #[must_use]
    pub fn writes(&self) -> bool {
        !matches!(self.mix, Mix::ReadPercent(100) | Mix::Trim)
    }
}

/// Shares of directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mix {
    /// Percent of reads; the rest are writes.
    ReadPercent(u32),
    /// Only trims.
    Trim,
    /// Each trim is followed by a write of the same place.
    TrimWrite,
}

/// The settings that may differ between reads, writes and trims.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FioStream {
    /// Sizes with percents that add up to 100 (`bs`, `bssplit`); a range (`bsrange`) is in `up_to_bytes`.
    pub sizes: Vec<(u64, u32)>,
    /// Upper end of the range of sizes, which starts at the smallest of `sizes`; 0: draw from `sizes`.
    pub up_to_bytes: u64,
    /// Random places are multiples of this (`blockalign`).
    pub align_bytes: u64,
    /// The distribution of random places.
    pub distribution: Distribution,
    /// Percent of the requests of a random job that are random, 0 to 100 (`percentage_random`).
    pub random_percent: u32,
}

/// `random_distribution`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// Uniform.
    Uniform,
    /// `zipf:theta`, theta above 0 and not 1.
    Zipf(f64),
    /// `pareto:h`, h above 0, below 1.
    Pareto(f64),
    /// `normal:deviation`, percent of the region.
    Normal(f64),
    /// `zoned` and `zoned_abs`: percents of the accesses, each with the end of its part of the region, bytes.
    Zoned(Vec<Zone>),
}

/// A part of the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Percent of the accesses.
    pub percent: u32,
    /// End of the part, bytes from the start of the region; it begins at the end of the previous part.
    pub end_bytes: u64,
}
