//! The sections of a configuration: every key with its default, range, unit, help and source.
//!
//! `presets/base/*.toml`, the reference page, the JSON Schema and all checks of single keys follow from
//! these declarations. What policies need beyond them, they declare themselves.

mod cells;
mod controller;
mod fdp;
mod flash;
mod ftl;
mod host;
mod journal;
mod program;
mod run;
mod slc;
mod zones;

pub use cells::{CellsConfig, ReliabilityConfig, WornBy};
pub use controller::{
    BusOrder, ChannelConfig, ControllerConfig, DramConfig, DramTiming, EccCode, EccConfig, EccEngine,
    EraseConfig, EraseYield, LastLoop, ReadConfig, ScheduleConfig, ScheduleUnit,
};
pub use fdp::{FdpConfig, HandleVictims, Isolation};
pub use flash::{CodingConfig, Multiplane, NandConfig, SsdConfig};
pub use ftl::{
    CacheConfig, CacheMode, Ending, Frontier, FtlConfig, GcConfig, Group, MapTransfer, MappingKind,
    PacingKind, RefreshAtStart, RefreshConfig, Transfer, UnmappedRead, Victims, WearConfig,
};
pub use host::{Arbitration, HostConfig, HostMode, LinkKind};
pub use journal::{JournalConfig, JournalLoad, JournalMode};
pub use program::{PowerConfig, ProgramConfig, ProgramUnit, SuspendLoaded};
pub use run::{
    CollectedTo, Fill, FillWord, LostReads, MetricsConfig, Overwrite, OverwriteShape, OverwriteWord,
    PreconditionConfig,
};
pub use slc::SlcConfig;
pub use zones::{ResetErase, ZonesConfig, ZonesMode};

use super::{Device, Model, WorkloadConfig};
use crate::parameter::section;
use crate::policy::Externals;

section! {
    /// A whole resolved configuration.
    pub struct Config {
        /// Variation between blocks and every random choice follow from it.
        seed: u64 = 1, whole(0, i64::MAX);
        section ssd: SsdConfig;
        section nand: NandConfig;
        section channel: ChannelConfig;
        section controller: ControllerConfig;
        section ecc: EccConfig;
        section dram: DramConfig;
        section host: HostConfig;
        section ftl: FtlConfig;
        section fdp: FdpConfig;
        section gc: GcConfig;
        section slc: SlcConfig;
        section zones: ZonesConfig;
        section wear: WearConfig;
        section refresh: RefreshConfig;
        section cache: CacheConfig;
        section schedule: ScheduleConfig;
        section read: ReadConfig;
        section erase: EraseConfig;
        section program: ProgramConfig;
        section power: PowerConfig;
        section journal: JournalConfig;
        section coding: CodingConfig;
        section cells: CellsConfig;
        section reliability: ReliabilityConfig;
        section precondition: PreconditionConfig;
        section metrics: MetricsConfig;
        section workload: WorkloadConfig;
        skip device: Device;
        skip model: Model;
        skip externals: Externals;
    }
}
