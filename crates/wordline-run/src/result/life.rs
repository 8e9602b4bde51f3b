//! What a result says of the drive's life: all runs since it was new.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::Ssd;
use wordline_core::metrics::Commands;

use super::times::s;

/// Requests of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LifeRequests {
    /// Requests that are complete.
    #[schemars(extend("x-unit" = "count"))]
    pub count: u64,
    /// Their bytes.
    #[schemars(extend("x-unit" = "bytes"))]
    pub bytes: u64,
}

impl LifeRequests {
    fn of(commands: Commands) -> LifeRequests {
        LifeRequests { count: commands.count, bytes: commands.sectors * wordline_core::host::SECTOR_BYTES }
    }
}

/// Bytes that preconditioning wrote, which are in no other number of the drive's life.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "bytes"))]
pub struct AgingBytes {
    /// For the host, in mapping units.
    pub host: u64,
    /// Programmed: those, and what GC moved meanwhile.
    pub media: u64,
    /// Erased.
    pub erased: u64,
}

/// The drive since it was new: all runs that went on with its state, from their beginning to rest.
// What NVMe's SMART and FDP statistics logs count.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Life {
    /// Simulated time of all runs.
    #[schemars(extend("x-unit" = "s"))]
    pub time_s: f64,
    /// Bytes of all writes that the device has taken (HBMW of NVMe's FDP statistics).
    #[schemars(extend("x-unit" = "bytes"))]
    pub host_bytes: u64,
    /// Whole pages that were programmed, for any purpose (MBMW).
    #[schemars(extend("x-unit" = "bytes"))]
    pub media_bytes: u64,
    /// Whole blocks that were erased (MBE).
    #[schemars(extend("x-unit" = "bytes"))]
    pub erased_bytes: u64,
    /// Whole pages that were read from flash, for any purpose.
    #[schemars(extend("x-unit" = "bytes"))]
    pub media_read_bytes: u64,
    /// Reads of the host that are complete.
    pub reads: LifeRequests,
    /// Writes of the host that are complete.
    pub writes: LifeRequests,
    /// Pages that did not decode at any step.
    #[schemars(extend("x-unit" = "count"))]
    pub uncorrectable_pages: u64,
    /// Pages that parity made again.
    #[schemars(extend("x-unit" = "count"))]
    pub rebuilt_pages: u64,
    /// Times that power was lost.
    #[schemars(extend("x-unit" = "count"))]
    pub power_losses: u64,
    /// Times that the drive was switched off.
    #[schemars(extend("x-unit" = "count"))]
    pub shutdowns: u64,
    /// P/E cycles of the blocks: the fewest, and the most.
    #[schemars(extend("x-unit" = "pec"))]
    pub pec: [u32; 2],
    /// What preconditioning wrote.
    pub aging: AgingBytes,
}

impl Life {
    pub(super) fn of(ssd: &Ssd) -> Life {
        let (life, geometry) = (ssd.life(), ssd.ftl().geometry());
        let (unit_bytes, page_bytes) =
            (u64::from(geometry.page_bytes), u64::from(ssd.nand().geometry.page_bytes));
        let block_bytes = unit_bytes * u64::from(geometry.pages_per_block);
        let pec = ssd.nand().all_health().iter().map(|block| block.pec);
        let aging = life.aging;
        Life {
            time_s: s(ssd.began_at() + ssd.now()),
            host_bytes: life.host_bytes,
            media_bytes: life.programs * unit_bytes,
            erased_bytes: life.erases * block_bytes,
            media_read_bytes: life.page_reads * page_bytes,
            reads: LifeRequests::of(life.reads),
            writes: LifeRequests::of(life.writes),
            uncorrectable_pages: life.uncorrectable_pages,
            rebuilt_pages: life.rebuilt_pages,
            power_losses: life.power_losses,
            shutdowns: life.shutdowns,
            pec: [pec.clone().min().unwrap_or(0), pec.max().unwrap_or(0)],
            aging: AgingBytes {
                host: aging.host_pages * unit_bytes,
                media: (aging.host_pages + aging.moved_pages) * unit_bytes,
                erased: aging.erases * block_bytes,
            },
        }
    }
}
