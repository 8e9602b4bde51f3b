//! The sections of a configuration: every key with its default, range, unit, help and source.
//!
//! `presets/base/*.toml`, the reference page, the JSON Schema and all checks of single keys follow from
//! these declarations. What policies need beyond them, they declare themselves.

mod cells;
mod controller;
mod flash;
mod ftl;
mod host;
mod program;
mod run;

pub use cells::{CellsConfig, ReliabilityConfig, WornBy};
pub use controller::{
    BusOrder, ChannelConfig, DramConfig, EccCode, EccConfig, EccEngine, EraseConfig, EraseYield, PsoScope,
    ReadConfig, ScheduleConfig, ScheduleUnit,
};
pub use flash::{AdjustTime, CodingConfig, Multiplane, NandConfig, SsdConfig};
pub use ftl::{
    CacheConfig, CacheMode, FtlConfig, GcConfig, MappingKind, RefreshAtStart, RefreshConfig, Transfer,
    UnmappedRead, WearConfig,
};
pub use host::{Arbitration, HostConfig, HostMode};
pub use program::{FastFirst, PowerConfig, ProgramConfig, QueueAtPowerLoss, QueuedUntil, StaleEntries};
pub use run::{Fill, FillWord, MetricsConfig, PreconditionConfig, Shape};

use super::{Device, WorkloadConfig};
use crate::parameter::{Parameter, section, words};

/// Longest single operation that a configuration may ask for, us (100 s).
///
/// Simulated time is checked now and then ([`crate::TIME_MAX`]); no operation is so long that a sum of times
/// could leave 64 bits in between.
const OPERATION_MAX_US: f64 = 1e8;

/// An operation of the array, us.
const fn operation() -> Parameter {
    words::number(0.0, OPERATION_MAX_US).unit("us")
}

/// An operation of the array that takes some time, us.
const fn positive_operation() -> Parameter {
    words::above(0.0, OPERATION_MAX_US).unit("us")
}

/// A delay on a bus, ns: at most 1 s.
const fn delay() -> Parameter {
    words::whole(0, 1_000_000_000).unit("ns")
}

/// A data rate; 0 stands for no time at all.
const fn rate() -> Parameter {
    use crate::parameter::Domain::Number;
    words::either(&[
        Number { low: 0.01, high: 1e7, above: false, below: false },
        Number { low: 0.0, high: 0.0, above: false, below: false },
    ])
    .unit("MB/s")
}

section! {
    /// A whole resolved configuration.
    pub struct Config {
        /// Variation between blocks and every random choice follow from it.
        seed: u64 = 1, whole(0, i64::MAX);
        section ssd: SsdConfig;
        section nand: NandConfig;
        section channel: ChannelConfig;
        section ecc: EccConfig;
        section dram: DramConfig;
        section host: HostConfig;
        section ftl: FtlConfig;
        section gc: GcConfig;
        section wear: WearConfig;
        section refresh: RefreshConfig;
        section cache: CacheConfig;
        section schedule: ScheduleConfig;
        section read: ReadConfig;
        section erase: EraseConfig;
        section program: ProgramConfig;
        section power: PowerConfig;
        section coding: CodingConfig;
        section cells: CellsConfig;
        section reliability: ReliabilityConfig;
        section precondition: PreconditionConfig;
        section metrics: MetricsConfig;
        section workload: WorkloadConfig;
        skip device: Device;
    }
}
