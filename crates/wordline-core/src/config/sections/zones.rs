//! Zones.

use crate::parameter::{choices, section};

choices! {
    /// Whether the drive is divided into zones.
    pub enum ZonesMode {
        /// No: any sector may be written at any time
        Off = "off",
        /// Yes (NVMe ZNS): writes only at the write pointer of a zone, and no GC
        On = "on",
    }
}

choices! {
    /// When a reset is complete.
    pub enum ResetErase {
        /// After its time; the blocks are erased behind it
        Background = "background",
        /// After its time, and when the blocks are erased
        Foreground = "foreground",
    }
}

section! {
    /// `[zones]`: a drive of zones (NVMe Zoned Namespaces). A zone is a superblock; ssd.overprovisioning is the share of superblocks
    /// that are no zone.
    pub struct ZonesConfig {
        /// Whether the drive is divided into zones.
        mode: ZonesMode = ZonesMode::Off, word(ZonesMode::CHOICES);
        /// Bytes of a zone that can be written; 0 = those of a superblock.
        capacity_bytes: u64 = 0, whole(0, 1 << 50).unit("bytes").when("zones.mode", &["on"]);
        /// Bytes from the start of a zone to the start of the next; 0 = its capacity.
        size_bytes: u64 = 0, whole(0, 1 << 50).unit("bytes").when("zones.mode", &["on"]);
        /// Zones that may be open at once; 0 = any number.
        max_open: u32 = 0, whole(0, 1 << 20).when("zones.mode", &["on"]);
        /// Zones that may be open or closed at once; 0 = any number.
        max_active: u32 = 0, whole(0, 1 << 20).when("zones.mode", &["on"]);
        /// Largest append; 0 = any.
        max_append_bytes: u64 = 0, whole(0, 1 << 50).unit("bytes").when("zones.mode", &["on"]);
        /// Zones that can only be read: the last ones before those that are offline.
        read_only: u32 = 0, whole(0, 1 << 20).when("zones.mode", &["on"]);
        /// Zones that cannot be used: the last ones.
        offline: u32 = 0, whole(0, 1 << 20).when("zones.mode", &["on"]);
        /// A write is acknowledged when the controller has its data, unless so much is being programmed; 0 = two programs of each die.
        buffer_bytes: u64 = 0, whole(0, 1 << 50).unit("bytes").when("zones.mode", &["on"]);
        /// Time of the controller's processor for an append beyond that of a write.
        append_ns: u64 = 0, whole(0, 1_000_000_000).unit("ns").when("zones.mode", &["on"]);
        /// Time of a reset, whatever is written.
        reset_us: f64 = 0.0, number(0.0, 1e9).unit("us").when("zones.mode", &["on"]);
        /// Time that a reset of a zone takes beyond that which the host has written to the end; for a part, as much of it.
        reset_full_us: f64 = 0.0, number(0.0, 1e9).unit("us").when("zones.mode", &["on"]);
        /// Time that a reset of a zone takes beyond that which is written in part and was not finished, once a program of it has begun.
        reset_open_us: f64 = 0.0, number(0.0, 1e9).unit("us").when("zones.mode", &["on"]);
        /// Share of the time of a reset, from its beginning, in which the drive begins no other command.
        reset_holds: f64 = 0.0, fraction().when("zones.mode", &["on"]);
        /// When a reset is complete.
        reset_erase: ResetErase = ResetErase::Background, word(ResetErase::CHOICES).when("zones.mode", &["on"]);
    }
}
