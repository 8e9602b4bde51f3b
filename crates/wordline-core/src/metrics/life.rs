//! What happened to a drive in all of its runs.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::Preconditioned;

/// Requests of one kind that are complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commands {
    /// How many.
    pub count: u64,
    /// Their sectors.
    pub sectors: u64,
}

impl AddAssign for Commands {
    fn add_assign(&mut self, more: Commands) {
        self.count += more.count;
        self.sectors += more.sectors;
    }
}

/// What happened to a drive since it was new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Bytes of all writes that the device has taken.
    pub host_bytes: u64,
    /// Reads of the host.
    pub reads: Commands,
    /// Writes of the host.
    pub writes: Commands,
    /// Mapping units that were programmed.
    pub programs: u64,
    /// Pages that were read from flash.
    pub page_reads: u64,
    /// Blocks that were erased.
    pub erases: u64,
    /// Pages that did not decode.
    pub uncorrectable_pages: u64,
    /// Pages that parity made again.
    pub rebuilt_pages: u64,
    /// Times that power was lost.
    pub power_losses: u64,
    /// Times that it was switched off.
    pub shutdowns: u64,
    /// Placement handles that the host has written to, in any reclaim group: a bit each.
    pub handles: u128,
    /// What preconditioning did, which is in none of the others.
    pub aging: Preconditioned,
}

impl AddAssign for Life {
    fn add_assign(&mut self, more: Life) {
        self.host_bytes += more.host_bytes;
        self.reads += more.reads;
        self.writes += more.writes;
        self.programs += more.programs;
        self.page_reads += more.page_reads;
        self.erases += more.erases;
        self.uncorrectable_pages += more.uncorrectable_pages;
        self.rebuilt_pages += more.rebuilt_pages;
        self.power_losses += more.power_losses;
        self.shutdowns += more.shutdowns;
        self.handles |= more.handles;
        self.aging += more.aging;
    }
}
