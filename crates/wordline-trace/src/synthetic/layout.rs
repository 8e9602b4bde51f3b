//! The addresses of the workload: its footprint, the written part, and the part that is never written.

use wordline_core::config::WorkloadConfig;
use wordline_core::host::SECTOR_BYTES;

use super::error::SyntheticError;
use super::size::Sizes;

/// A range of sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// First sector.
    pub start: u64,
    /// End, exclusive.
    pub end: u64,
}

/// The regions of a workload on a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Everything.
    pub footprint: Region,
    /// The region of writes and trims: the first part of the footprint.
    pub written: Region,
    /// The region of cold reads: the rest, if `cold_ratio` is set.
    pub cold: Region,
    /// Footprint on this device over the requested footprint: below 1 if the device is smaller.
    pub scale: f64,
    /// Alignment of reads, sectors.
    pub read_align: u64,
    /// Alignment of writes and trims, sectors.
    pub write_align: u64,
}

impl Layout {
    /// Lays out the regions, scaled down in proportion if the device is too small for them.
    pub fn new(
        config: &WorkloadConfig,
        capacity_sectors: u64,
        reads: &Sizes,
        writes: &Sizes,
    ) -> Result<Self, SyntheticError> {
        let align_of = |sizes: &Sizes| match config.align_bytes {
            0 => u64::from(sizes.min()),
            bytes => bytes / SECTOR_BYTES,
        };
        let (read_align, write_align) = (align_of(reads), align_of(writes));
        // A region need not start aligned: up to one alignment is lost at its start.
        let least_read = u64::from(reads.max()) + read_align;
        let least = least_read.max(u64::from(writes.max()) + write_align);

        let start = config.offset_bytes / SECTOR_BYTES;
        let available = capacity_sectors.saturating_sub(start);
        let asked = match config.footprint_bytes {
            0 => (capacity_sectors as f64 * config.footprint_ratio) as u64,
            bytes => bytes / SECTOR_BYTES,
        };
        let sectors = asked.min(available);
        let scale = if asked == 0 { 1.0 } else { sectors as f64 / asked as f64 };

        let split = config.cold_ratio >= 0.0;
        let written_sectors = match config.write_footprint_bytes {
            0 if split => sectors / 2,
            0 => sectors,
            bytes if scale < 1.0 => ((bytes / SECTOR_BYTES) as f64 * scale) as u64,
            bytes => bytes / SECTOR_BYTES,
        };
        // Scaling must not reduce a small written region below one request while there is room elsewhere.
        let written_sectors = written_sectors.max(least).min(sectors);
        let cold_sectors = sectors - written_sectors;
        if written_sectors < least || (split && cold_sectors < least_read) {
            let needed = least + if split { least_read } else { 0 };
            return Err(SyntheticError::CapacityTooSmall {
                name: config.name.clone(),
                needed_bytes: needed * SECTOR_BYTES,
                available_bytes: sectors * SECTOR_BYTES,
            });
        }
        let (middle, end) = (start + written_sectors, start + sectors);
        Ok(Self {
            footprint: Region { start, end },
            written: Region { start, end: middle },
            cold: Region { start: middle, end },
            scale,
            read_align,
            write_align,
        })
    }
}
