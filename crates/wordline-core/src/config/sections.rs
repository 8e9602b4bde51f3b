//! The sections of a configuration, as plain data. `presets/base/ssd.toml` documents every key.

use serde::{Deserialize, Serialize};
use wordline_cells::Cell;

use crate::parameter::{self, choices};
use crate::policy::gc::{GcKeys, VictimPolicy};
use crate::policy::schedule::Schedule;

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(missing_docs, reason = "presets/base/ssd.toml documents every key where its default stands")]
        pub struct $name { $($(#[$fdoc])* pub $field: $type),* }
    };
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "presets/base/ssd.toml says what each choice means")]
        pub enum $name { $($variant),* }
    };
}

section! {
    /// `[ssd]`: the shape of the device.
    SsdConfig {
        channels: u32, chips_per_channel: u32, dies_per_chip: u32, planes_per_die: u32,
        blocks_per_plane: u32, pages_per_block: u32, page_bytes: u32, spare_bytes: u32,
        overprovisioning: f64,
    }
}

choice! {
    /// Which pages planes of a die may work on together.
    Multiplane { Off, SamePage, Overtaking, Any }
}

section! {
    /// `[nand]`: how long the array takes.
    NandConfig {
        read_us: Vec<f64>, program_us: Vec<f64>, erase_us: f64, multiplane: Multiplane,
        cache_register: bool, program_suspend_us: f64, erase_suspend_us: f64, resume_us: f64,
        set_feature_us: f64, reset_us: f64, precharge_us: f64, evaluate_us: f64, discharge_us: f64,
        on_die_check: bool, on_die_check_us: f64,
    }
}

choice! {
    /// What goes first over a free channel.
    BusOrder { CommandsFirst, DataFirst }
}

section! {
    /// `[channel]`: how long a channel's bus takes.
    ChannelConfig {
        rate_mb_s: f64, read_command_ns: u64, read_command_plane_ns: u64, program_command_ns: u64,
        program_command_plane_ns: u64, erase_command_ns: u64, erase_command_plane_ns: u64, data_out_ns: u64,
        order: BusOrder,
    }
}

choice! {
    /// The kind of ECC engine behind each channel.
    EccEngine { None, Pipelined, Serial }
}

choice! {
    /// What the ECC can correct.
    EccCode { Bounded, Ldpc }
}

section! {
    /// `[ecc]`: the engine behind each channel.
    EccConfig {
        engine: EccEngine, decode_us: f64, decode_fail_us: f64, buffer_pages: u32, hold_die: bool,
        code: EccCode, correctable_bits: f64, max_iterations: u32, iteration_us: f64,
    }
}

section! {
    /// `[dram]`: the controller's memory.
    DramConfig { rate_mb_s: f64, latency_ns: u64 }
}

choice! {
    /// How a workload is replayed.
    HostMode { Auto, Closed, Open }
}

choice! {
    /// How submission queues share the device.
    Arbitration { RoundRobin, Weighted }
}

section! {
    /// `[host]`: queues and the link.
    HostConfig {
        mode: HostMode, queue_depth: u32, device_queue_depth: u32, time_scale: f64,
        arbitration: Arbitration, link_rate_mb_s: f64, submit_ns: u64, complete_ns: u64,
        link_request_ns: u64, wrap: bool, duration_s: f64, warmup_requests: u64,
    }
}

choice! {
    /// What a read of a page that was never written does.
    UnmappedRead { Preloaded, Frontier, Zero }
}

choice! {
    /// What a user read moves over the channel.
    Transfer { Sectors, Page }
}

choice! {
    /// Where the mapping table lives.
    MappingKind { Flat, Dftl }
}

section! {
    /// `[ftl]`: mapping and allocation.
    FtlConfig {
        allocation: String, unmapped_read: UnmappedRead, transfer: Transfer, coalesce: bool,
        sector_map: bool,
        mapping: MappingKind, cmt_bytes: u64, entry_bytes: u32, streams: u32,
    }
}

parameter::section! {
    /// `[gc]`: garbage collection.
    pub struct GcConfig {
        /// How GC picks its victim.
        policy: VictimPolicy = VictimPolicy::Greedy, word(VictimPolicy::CHOICES);
        /// A plane collects while fewer than this share of its blocks are free.
        threshold: f64 = 0.05, number(0.0, 0.9);
        /// Below this, GC goes before user I/O.
        hard_threshold: f64 = 0.005, number(0.0, 0.9);
        /// Above the hard threshold GC waits while user I/O is queued.
        preemptible: bool = true, truth();
        /// Pages move inside a plane without the channel.
        copyback: bool = false, truth();
        /// Pages of one victim on the move at once.
        moves_in_flight: u32 = 8, whole(1, 1024).unit("pages");
        flatten policies: GcKeys;
    }
}

parameter::section! {
    /// `[wear]`: wear levelling.
    pub struct WearConfig {
        /// New blocks are the least worn of the free ones.
        dynamic: bool = true, truth();
        /// P/E cycles between a plane's most and least worn block that trigger a swap; 0 = off.
        static_threshold: u32 = 0, whole(0, 1_000_000).unit("P/E cycles");
    }
}

choice! {
    /// Whether all data is refreshed once when a run starts.
    RefreshAtStart { Never, Before, During }
}

section! {
    /// `[refresh]`: periodic rewriting of old data.
    RefreshConfig { period_days: f64, at_start: RefreshAtStart }
}

choices! {
    /// What the DRAM data cache serves.
    pub enum CacheMode {
        /// No cache
        Off = "off",
        /// Writes
        Write = "write",
        /// Reads
        Read = "read",
        /// Both
        ReadWrite = "read-write",
    }
}

section! {
    /// `[cache]`: the DRAM data cache.
    CacheConfig {
        mode: CacheMode, capacity_bytes: u64, write_back: bool, flush: crate::policy::flush::FlushName,
        high_watermark: f64, low_watermark: f64,
    }
}

choice! {
    /// What serves one command at a time.
    ScheduleUnit { Die, Chip }
}

section! {
    /// `[schedule]`: which transaction next.
    ScheduleConfig {
        policy: Schedule, unit: ScheduleUnit, suspend_min_remaining_us: f64, max_suspends: u32,
        max_read_burst: u32,
    }
}

choice! {
    /// Which word lines of a horizontal layer count as similar.
    PsoScope { Die, Block }
}

section! {
    /// `[read]`: what happens when a page does not decode.
    ReadConfig {
        retry: crate::policy::read_retry::ReadRetry, pipeline_first: bool, shorten_first: bool, tpre_cut: f64,
        pso_min_steps: u8, pso_drift_share: f64, pso_scope: PsoScope, on_die_retries: u8,
    }
}

choice! {
    /// Where an erase lets reads in.
    EraseYield { None, Loop, Suspend }
}

section! {
    /// `[erase]`: how a block is erased.
    EraseConfig {
        scheme: crate::policy::erase::Scheme,
        #[serde(rename = "yield")]
        yield_at: EraseYield,
        shallow_us: f64, mispredict_rate: f64, rber_requirement_bits: f64,
    }
}

choice! {
    /// Whether entries of the rewrite queue count whose pages have newer copies.
    StaleEntries { Count, Ignore }
}

choice! {
    /// Until when a page is in the write queue: until its program begins, or ends.
    QueuedUntil { Begun, Done }
}

choice! {
    /// When GC takes a fast block before others.
    FastFirst { Always, Ties, Never }
}

choice! {
    /// What becomes of the rewrite queue when power is lost.
    QueueAtPowerLoss { Saved, Lost }
}

section! {
    /// `[program]`: how a page is programmed.
    ProgramConfig {
        policy: crate::policy::program::Program, suspend: bool, write_streams: u32, fast_dvpp: f64,
        fast_write_threshold: u32, rewrite_threshold: u32, rewrite_queue_pages: u32, rewrites_in_flight: u32,
        stale_entries: StaleEntries, queued_until: QueuedUntil, gc_fast_first: FastFirst, rewrite_slack_h: f64,
        queue_at_power_loss: QueueAtPowerLoss,
    }
}

section! {
    /// `[power]`: power losses and shutdowns.
    PowerConfig { cut_at_s: f64, off_h: f64, shutdown_at_s: f64 }
}

choice! {
    /// How long IDA's voltage adjustment of a wordline takes.
    AdjustTime { MsbProgram, IsppRange }
}

section! {
    /// `[coding]`: how many senses a page takes, and whether refresh merges states.
    CodingConfig {
        scheme: crate::policy::coding::CodingScheme, cell: Cell, policy: crate::policy::coding::CodingPolicy,
        ida_error_rate: f64, ida_adjust_time: AdjustTime,
    }
}

section! {
    /// `[cells]`: the kind of chip, or measurements of one.
    CellsConfig { chip: String, retry_table: String, erase_table: String }
}

choice! {
    /// The erase scheme that gave the blocks the wear that they start with.
    WornBy { Ispe, Scheme }
}

section! {
    /// `[reliability]`: the operating condition.
    ReliabilityConfig {
        pec: u32, worn_by: WornBy, retention_months: f64, retention_spread: f64, temperature_c: f64, retry_steps: u32,
        factory_bad: f64, grown_bad: f64,
    }
}

/// How much of the device holds data when the run starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fill {
    /// `"lazy"`: every page that is read was there.
    Word(FillWord),
    /// This share of the host's pages is written first, in order.
    Share(f64),
}

choice! {
    /// The words that `precondition.fill` takes.
    FillWord { Lazy }
}

choice! {
    /// Where preconditioning's overwrites go.
    Shape { Random, Workload }
}

section! {
    /// `[precondition]`: what was written before the run.
    PreconditionConfig { fill: Fill, overwrite: f64, shape: Shape }
}

section! {
    /// `[metrics]`: how results are kept.
    MetricsConfig { digits: u8, series_ms: f64 }
}

section! {
    /// A whole resolved configuration.
    Config {
        seed: u64, ssd: SsdConfig, nand: NandConfig, channel: ChannelConfig, ecc: EccConfig,
        dram: DramConfig, host: HostConfig, ftl: FtlConfig, gc: GcConfig, wear: WearConfig,
        refresh: RefreshConfig, cache: CacheConfig, schedule: ScheduleConfig, read: ReadConfig,
        erase: EraseConfig, program: ProgramConfig, power: PowerConfig, coding: CodingConfig, cells: CellsConfig,
        reliability: ReliabilityConfig, precondition: PreconditionConfig, metrics: MetricsConfig,
        workload: super::WorkloadConfig,
        /// What `[cells]` names, read.
        #[serde(skip)]
        device: super::Device,
    }
}
