//! The zones of a drive, as the configuration gives them.

use super::problem::{Problem, problem};
use super::{Config, Fill, Group, UnmappedRead, ZonesMode};
use crate::zones::ZoneShape;

impl Config {
    /// The share of the host's pages that is written before the run, in order.
    #[must_use]
    pub fn filled_share(&self) -> f64 {
        match self.precondition.fill {
            Fill::Share(share) => share,
            Fill::Word(_) => 0.0,
        }
    }

    /// The drive is divided into zones.
    #[must_use]
    pub fn has_zones(&self) -> bool {
        self.zones.mode == ZonesMode::On
    }

    /// Bytes of a superblock.
    fn superblock_bytes(&self) -> u64 {
        let geometry = self.geometry();
        u64::from(geometry.planes()) * u64::from(self.ssd.pages_per_block) * u64::from(self.ssd.page_bytes)
    }

    /// Bytes of a zone that can be written.
    fn zone_capacity_bytes(&self) -> u64 {
        if self.zones.capacity_bytes == 0 { self.superblock_bytes() } else { self.zones.capacity_bytes }
    }

    /// Bytes from zone to zone.
    pub(super) fn zone_size_bytes(&self) -> u64 {
        if self.zones.size_bytes == 0 { self.zone_capacity_bytes() } else { self.zones.size_bytes }
    }

    /// Number of zones: superblocks that are not spare.
    pub(super) fn zone_count(&self) -> u32 {
        (f64::from(self.ssd.blocks_per_plane) * (1.0 - self.ssd.overprovisioning)) as u32
    }

    /// The shape of the zones; `None` where there are none.
    #[must_use]
    pub fn zone_shape(&self) -> Option<ZoneShape> {
        let sectors = |bytes: u64| bytes / 512;
        let keys = &self.zones;
        self.has_zones().then(|| ZoneShape {
            count: self.zone_count(),
            size: sectors(self.zone_size_bytes()),
            capacity: sectors(self.zone_capacity_bytes()),
            block: self.sectors_per_unit().into(),
            max_open: keys.max_open,
            max_active: keys.max_active,
            max_append: sectors(keys.max_append_bytes),
            read_only: keys.read_only,
            offline: keys.offline,
        })
    }
}

/// A zone is a superblock, or the first part of one.
pub(super) fn check(config: &Config) -> Result<(), Problem> {
    if !config.has_zones() {
        return Ok(());
    }
    superblocks(config)?;
    sizes(config)?;
    counts(config)
}

fn superblocks(config: &Config) -> Result<(), Problem> {
    let (what, key, fix) = if config.ftl.group != Group::Superblock {
        ("a zone is a superblock", "ftl.group", "set ftl.group = \"superblock\"")
    } else if config.ftl.unmapped_read != UnmappedRead::Zero {
        ("what was not written reads as zeros", "ftl.unmapped_read", "set ftl.unmapped_read = \"zero\"")
    } else {
        return Ok(());
    };
    problem(key, format!("`zones.mode` = \"on\": {what}"), fix)
}

fn sizes(config: &Config) -> Result<(), Problem> {
    let (capacity, size) = (config.zone_capacity_bytes(), config.zone_size_bytes());
    let (group, page) = (config.superblock_bytes(), u64::from(config.ssd.page_bytes));
    let (key, what, fix) = if capacity > group {
        let fix = format!("lower it to {group} or less, or set it to 0 for a whole superblock");
        ("zones.capacity_bytes", format!("is more than a superblock of {group} bytes"), fix)
    } else if !capacity.is_multiple_of(page) {
        let fix = format!("take {} or {}", capacity / page * page, capacity.next_multiple_of(page));
        ("zones.capacity_bytes", format!("is no multiple of a page's {page} bytes"), fix)
    } else if size < capacity {
        let fix = format!("raise it to {capacity} or more, or set it to 0");
        ("zones.size_bytes", format!("is less than the {capacity} bytes that can be written"), fix)
    } else if !size.is_multiple_of(page) {
        let fix = format!("take {} or {}", size / page * page, size.next_multiple_of(page));
        ("zones.size_bytes", format!("is no multiple of a page's {page} bytes"), fix)
    } else {
        return Ok(());
    };
    let value = if key == "zones.size_bytes" { size } else { capacity };
    problem(key, format!("`{key}` = {value} {what}"), &fix)
}

fn counts(config: &Config) -> Result<(), Problem> {
    let (zones, groups) = (config.zone_count(), config.ssd.blocks_per_plane);
    let keys = &config.zones;
    if zones == 0 || zones >= groups {
        let message = format!(
            "`ssd.overprovisioning` = {} makes {zones} zones of {groups} superblocks; one zone and one spare superblock are needed",
            config.ssd.overprovisioning
        );
        let fix = if zones == 0 { "lower it" } else { "raise it" };
        return problem(
            "ssd.overprovisioning",
            message,
            &format!("{fix}, or take more ssd.blocks_per_plane"),
        );
    }
    if keys.offline.saturating_add(keys.read_only) >= zones {
        let message =
            format!("{} zones are offline and {} can only be read, of {zones}", keys.offline, keys.read_only);
        return problem("zones.offline", message, "leave one zone that can be written");
    }
    if keys.max_active > 0 && (keys.max_open > keys.max_active || keys.max_open == 0) {
        let message =
            format!("`zones.max_open` = {} and `zones.max_active` = {}", keys.max_open, keys.max_active);
        let fix = format!("an open zone is active: set zones.max_open to 1 to {}", keys.max_active);
        return problem("zones.max_open", message, &fix);
    }
    Ok(())
}
