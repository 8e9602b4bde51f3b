//! Write amplification: what flash programs for what the host writes, in bytes and in pages.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::Accounts;
use wordline_core::metrics::FtlCounters;
use wordline_core::nand::Shape;

/// Bytes that were written, as NVMe counts them.
// In the endurance group log and in the statistics of Flexible Data Placement: NVM Express Base Specification 2.1, FDP
// Statistics log page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "bytes"))]
pub struct WrittenBytes {
    /// Of all writes that the device has taken from the host: HBMW (host bytes with metadata written) of NVMe's FDP statistics log,
    /// Data Units Written of its SMART log.
    pub host: u64,
    /// Whole pages that were programmed, for any purpose: MBMW (media bytes with metadata written) of NVMe's FDP statistics log,
    /// Physical Media Units Written of OCP's SMART log.
    pub media: u64,
    /// Whole blocks that were erased: MBE (media bytes erased) of NVMe's FDP statistics log.
    pub erased: u64,
    /// The media bytes by cause; they add up to all.
    pub by_cause: MediaBytes,
}

/// Media bytes written, by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "bytes"))]
pub struct MediaBytes {
    /// Mapping units of the host and of the cache. A unit that a write covers in part is programmed whole.
    pub host: u64,
    /// Moved by garbage collection.
    pub gc: u64,
    /// Moved by static wear levelling.
    pub wear_levelling: u64,
    /// Moved by refresh and read reclaim.
    pub refresh: u64,
    /// Folded: moved out of the SLC cache.
    pub folding: u64,
    /// Pages of the mapping table: those of a table on flash, and of checkpoints.
    pub mapping: u64,
    /// Pages of the journal of the mapping table.
    pub journal: u64,
    /// Fast pages that were programmed again.
    pub rewrite: u64,
    /// Mapping units whose programs a loss of power had cut off, programmed again.
    pub redone: u64,
    /// Padding of pages that were programmed before they were full of mapping units, since somebody waited, and of open groups that
    /// were closed (`ftl.open_timeout_ms`, or on request of the host).
    pub padding: u64,
    /// Parity of superblocks (`ftl.parity`).
    pub parity: u64,
}

impl WrittenBytes {
    /// Those of some accounts of an SSD; `geometry` is that of units.
    #[must_use]
    pub fn of(accounts: &Accounts, geometry: &Shape) -> WrittenBytes {
        let ftl = &accounts.ftl;
        let bytes = |units: u64| units * u64::from(geometry.page_bytes);
        WrittenBytes {
            host: accounts.standing.host_bytes,
            media: bytes(ftl.programs()),
            erased: bytes(ftl.erases * u64::from(geometry.pages_per_block)),
            by_cause: MediaBytes {
                host: bytes(ftl.user_programs()),
                gc: bytes(ftl.moved - ftl.wear_moved - ftl.refresh_moved - ftl.fold_moved),
                wear_levelling: bytes(ftl.wear_moved),
                refresh: bytes(ftl.refresh_moved),
                folding: bytes(ftl.fold_moved),
                mapping: bytes(ftl.map_writes - ftl.journal_writes),
                journal: bytes(ftl.journal_writes),
                rewrite: bytes(ftl.rewrites),
                redone: bytes(ftl.redone),
                padding: bytes(ftl.padding),
                parity: bytes(ftl.parity),
            },
        }
    }

    /// Media bytes written per byte that the host wrote; `None` before the first one.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        (self.host > 0).then(|| self.media as f64 / self.host as f64)
    }
}

/// Programmed mapping units per unit that was programmed for the user; `None` before the first one.
#[must_use]
pub fn page_amplification(counters: &FtlCounters) -> Option<f64> {
    let user = counters.user_programs();
    (user > 0).then(|| counters.programs() as f64 / user as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_core::metrics::Standing;

    #[test]
    fn every_page_that_the_user_did_not_write_amplifies() {
        let user = FtlCounters { user_writes: 100, ..FtlCounters::default() };
        assert_eq!(page_amplification(&user), Some(1.0));
        assert_eq!(page_amplification(&FtlCounters { moved: 50, ..user }), Some(1.5));
        assert_eq!(page_amplification(&FtlCounters { rewrites: 25, ..user }), Some(1.25));
        // 20 of the 100 are pages of the mapping table.
        assert_eq!(page_amplification(&FtlCounters { map_writes: 20, ..user }), Some(1.25));
        // A loss of power had cut off 20 of them.
        assert_eq!(page_amplification(&FtlCounters { redone: 20, ..user }), Some(1.25));
        assert_eq!(page_amplification(&FtlCounters { user_writes: 0, ..user }), None);
    }

    #[test]
    fn bytes_by_cause_are_all_bytes() {
        let config = wordline_core::config::Config::default();
        let geometry = config.geometry();
        let ftl = FtlCounters {
            user_writes: 100,
            map_writes: 7,
            journal_writes: 3,
            moved: 60,
            wear_moved: 11,
            refresh_moved: 13,
            fold_moved: 9,
            rewrites: 5,
            redone: 4,
            padding: 3,
            parity: 12,
            erases: 2,
            ..FtlCounters::default()
        };
        let standing = Standing { host_bytes: 100 * 4096, ..Standing::default() };
        let bytes = WrittenBytes::of(&Accounts { ftl, standing, ..Accounts::default() }, &geometry);
        let cause = bytes.by_cause;
        let page = u64::from(geometry.page_bytes);
        assert_eq!((cause.host, cause.redone, cause.gc), (89 * page, 4 * page, 27 * page));
        let moved = cause.gc + cause.wear_levelling + cause.refresh + cause.folding;
        assert_eq!((cause.folding, moved), (9 * page, 60 * page));
        assert_eq!((cause.mapping, cause.journal), (4 * page, 3 * page));
        let internal = moved + cause.mapping + cause.journal + cause.rewrite + cause.redone;
        let sum = cause.host + internal + cause.padding + cause.parity;
        assert_eq!((sum, bytes.media, cause.parity), (180 * page, 180 * page, 12 * page));
        assert_eq!(bytes.erased, 2 * page * u64::from(geometry.pages_per_block));
        assert_eq!(bytes.write_amplification(), Some(180.0 * page as f64 / (100.0 * 4096.0)));
        assert_eq!(WrittenBytes { host: 0, ..bytes }.write_amplification(), None);
    }
}
