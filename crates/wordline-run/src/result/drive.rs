//! What a result says of the drive: garbage collection, blocks, preconditioning, fast programs, power.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::cache::CacheCounters;
use wordline_core::config::Config;
use wordline_core::engine::Ns;
use wordline_core::flash::Block;
use wordline_core::metrics::{ControllerCounters, FtlCounters};
use wordline_core::policy::Counted;
use wordline_core::{Accounts, PowerCut, PowerReport, Ssd};

use super::times::s;
use wordline_cells::ids::BlockId;

/// What was counted, by stage.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StageCounters {
    /// The FTL.
    pub ftl: FtlCounters,
    /// The flash controller.
    pub controller: ControllerCounters,
    /// The DRAM data cache; null where there is none.
    pub cache: Option<CacheCounters>,
    /// What policies of the run count of their own, by policy and name; `wordline.policies()` says what they are.
    #[schemars(extend("x-unit" = "count"))]
    pub policy: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
}

impl StageCounters {
    pub(super) fn of(ssd: &Ssd, accounts: &Accounts) -> StageCounters {
        let cache = ssd.cache().map(|_| accounts.cache);
        let mut values = accounts.policies.iter().copied();
        let policy = ssd.counted().into_iter().map(|Counted { policy, counters, .. }| {
            (policy, counters.iter().map(|counter| counter.name).zip(&mut values).collect())
        });
        let policy = policy.collect();
        StageCounters { ftl: accounts.ftl, controller: accounts.controller, cache, policy }
    }
}

/// Garbage collection.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct GarbageCollection {
    /// Blocks that garbage collection reclaimed, or began to.
    pub jobs: u64,
    /// Pages moved by garbage collection, wear levelling, refresh and folding.
    pub moved_pages: u64,
    /// Blocks erased.
    pub erases: u64,
}

/// Blocks of the SSD.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct Blocks {
    /// All of them.
    pub all: u32,
    /// Blocks that held data before the refresh at the start.
    pub in_use_before_refresh: usize,
    /// Blocks that held data when the run began.
    pub in_use_at_start: usize,
    /// Blocks that held data at the end of the window.
    pub in_use: u64,
    /// Planes of the SSD.
    pub planes: u32,
    /// Free blocks of all planes together below which garbage collection begins.
    pub gc_begins_below: u32,
    /// Blocks with wordlines whose voltages were adjusted (IDA).
    pub merged: usize,
}

impl Blocks {
    /// Those of an SSD, whose window ended with these accounts.
    pub(super) fn of(config: &Config, ssd: &Ssd, end: &Accounts) -> Blocks {
        let geometry = &ssd.nand().geometry;
        let (all, planes) = (geometry.blocks(), geometry.planes());
        let (start, blocks) = (ssd.blocks_in_use(), ssd.ftl().blocks());
        // Blocks that do not hold data are free or bad.
        let grown_bad = ssd.ftl().counters().grown_bad - end.ftl.grown_bad;
        Blocks {
            all,
            in_use_before_refresh: start.before_refresh,
            in_use_at_start: start.at_start,
            in_use: blocks.in_use() as u64 + blocks.free() + grown_bad - end.standing.free_blocks,
            planes,
            gc_begins_below: config.gc_thresholds().begins_below as u32 * planes,
            merged: BlockId::first(all).filter(|&block| ssd.nand().is_merged(block)).count(),
        }
    }
}

/// What preconditioning wrote.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct Precondition {
    /// Pages that it wrote.
    pub host_pages: u64,
    /// Pages that garbage collection moved meanwhile.
    pub moved_pages: u64,
    /// Blocks erased meanwhile.
    pub erases: u64,
    /// How overwriting until write amplification was flat ended; null where `precondition.overwrite` is a number.
    pub steady: Option<wordline_core::Steady>,
}

/// Fast programs of the chip, and what they left to do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "days"))]
pub struct FastPrograms {
    /// Time of a fast program over a normal one.
    #[schemars(extend("x-unit" = "share"))]
    pub fast_time_share: f64,
    /// Retention of a page that is programmed fast into the most worn block of the SSD as it is now.
    pub fast_retention_days: f64,
    /// The same at the chip's rated P/E cycles.
    pub rated_fast_retention_days: f64,
    /// Fast pages that still wait for their rewrite.
    #[schemars(extend("x-unit" = "count"))]
    pub fast_pages_left: u64,
}

impl FastPrograms {
    pub(super) fn of(config: &Config, ssd: &Ssd) -> Option<FastPrograms> {
        let fast = config.device.fast_program.as_ref()?;
        let worst = ssd.nand().all_health().iter().map(|block| block.stress).fold(0.0, f32::max);
        let days = |retention: Ns| retention as f64 / 86_400e9;
        Some(FastPrograms {
            fast_time_share: fast.time_share,
            fast_retention_days: days(fast.retention_at(worst)),
            rated_fast_retention_days: days(fast.rated_retention),
            fast_pages_left: ssd.ftl().fast_pages(),
        })
    }
}

/// The SLC cache, as it is now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct SlcCache {
    /// Blocks that are always in SLC mode.
    pub static_blocks: u32,
    /// Blocks that hold data of the cache, or did until those were written elsewhere.
    pub blocks_in_use: u32,
    /// P/E cycles of a block in SLC mode, in the mean.
    #[schemars(extend("x-unit" = "P/E cycles"))]
    pub pec_in_slc_mode: f64,
    /// P/E cycles of a block in the chip's own mode, in the mean.
    #[schemars(extend("x-unit" = "P/E cycles"))]
    pub pec_in_own_mode: f64,
}

impl SlcCache {
    pub(super) fn of(config: &Config, ssd: &Ssd) -> Option<SlcCache> {
        config.slc.policy.uses_cache().then(|| {
            let (nand, blocks) = (ssd.nand(), ssd.ftl().blocks().table());
            let all = nand.geometry.blocks();
            let count =
                |is_so: fn(&Block) -> bool| blocks.iter().filter(|&block| is_so(block)).count() as u32;
            let mean = |of: &dyn Fn(BlockId) -> u32| {
                BlockId::first(all).map(|id| f64::from(of(id))).sum::<f64>() / f64::from(all)
            };
            SlcCache {
                static_blocks: count(Block::is_fixed),
                blocks_in_use: count(|block| !block.mode().is_native() && block.next_page > 0),
                pec_in_slc_mode: mean(&|id| nand.pec_in_other_modes(id)),
                pec_in_own_mode: mean(&|id| nand.health(id).pec - nand.pec_in_other_modes(id)),
            }
        })
    }
}

/// Power events of a run; each is null where it did not happen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Power {
    /// The power cut.
    pub cut: Option<PowerCutResult>,
    /// What the SSD did when power was back.
    pub power_up: Option<PowerUpResult>,
    /// What it did before it was switched off in order.
    pub shutdown: Option<PowerUpResult>,
}

/// What a power cut hit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct PowerCutResult {
    /// Requests that the SSD had taken and not answered.
    pub interrupted_requests: usize,
    /// Requests that waited in submission queues.
    pub waiting_requests: usize,
    /// Programs that the cut ended.
    pub programs_cut_off: usize,
    /// Pages of the write queue.
    pub queued_pages: usize,
    /// Fast pages.
    pub fast_pages: u64,
    /// Pages of which only the volatile cache held the newest data or, with a journal, what was on its way to flash.
    pub lost_cache_pages: usize,
    /// Bytes of these pages, whole.
    #[schemars(extend("x-unit" = "bytes"))]
    pub lost_bytes: u64,
    /// The same pages of a cache with backup power, which wrote them to flash.
    pub dumped_pages: usize,
    /// Bytes of these, of the write queue, of the programs cut off and of journal entries; 0 without backup power.
    #[schemars(extend("x-unit" = "bytes"))]
    pub dumped_bytes: u64,
    /// How long backup power has to last for them; 0 without it.
    #[schemars(extend("x-unit" = "s"))]
    pub dump_s: f64,
}

/// What the SSD did until it held no fast page and no changed mapping.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "count"))]
pub struct PowerUpResult {
    /// Fast pages programmed again.
    pub rewritten_pages: u64,
    /// Pages that were lost.
    pub lost_pages: u64,
    /// Pages of the mapping table that were written.
    pub map_writes: u64,
    /// Pages of the flash that were read to know the mapping table: of the journal, of the checkpoint, and those of which the
    /// journal says nothing.
    pub replay_reads: u64,
    /// How long these and the dump took: requests wait for it.
    #[schemars(extend("x-unit" = "ms"))]
    pub replay_ms: f64,
    /// How long all of it took.
    #[schemars(extend("x-unit" = "s"))]
    pub time_s: f64,
}

impl Power {
    pub(super) fn of(ssd: &Ssd) -> Option<Power> {
        let log = ssd.power_log();
        (log.cut.is_some() || log.shutdown.is_some()).then(|| Power {
            cut: log.cut.as_ref().map(|(cut, _)| PowerCutResult::of(cut)),
            power_up: log.cut.as_ref().map(|(_, report)| PowerUpResult::of(report)),
            shutdown: log.shutdown.as_ref().map(PowerUpResult::of),
        })
    }
}

impl PowerCutResult {
    fn of(cut: &PowerCut) -> PowerCutResult {
        PowerCutResult {
            interrupted_requests: cut.interrupted_requests,
            waiting_requests: cut.waiting_requests,
            programs_cut_off: cut.programs_cut_off,
            queued_pages: cut.queued_pages,
            fast_pages: cut.fast_pages,
            lost_cache_pages: cut.lost_cache_pages,
            lost_bytes: cut.lost_bytes,
            dumped_pages: cut.dumped_pages,
            dumped_bytes: cut.dumped_bytes,
            dump_s: s(cut.dump_time),
        }
    }
}

impl PowerUpResult {
    fn of(report: &PowerReport) -> PowerUpResult {
        PowerUpResult {
            rewritten_pages: report.rewritten_pages,
            lost_pages: report.lost_pages,
            map_writes: report.map_writes,
            replay_reads: report.replay_reads,
            replay_ms: report.replay_time as f64 / 1e6,
            time_s: s(report.time),
        }
    }
}
