//! Checked mode: which sectors a drive without backup power may lose, and which it may not.
//!
//! A flush that has ended promises what had been acknowledged when it came; without a buffer each acknowledgement does. When
//! power is back, a sector must hold what was promised, or something newer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::at_hand::sectors_of;
use super::rows::Rows;
use crate::flash::SectorMask;
use crate::nand::Lpn;

/// Sectors of a page with their versions.
type Versions = BTreeMap<Lpn, Vec<u32>>;

/// What the host may count on.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct Promises {
    /// Version of each sector that no loss of power may undo.
    kept: Rows<Lpn>,
    /// What requests under way have written.
    written: BTreeMap<u32, Versions>,
    /// What was acknowledged since the last flush came.
    acknowledged: Versions,
    /// What flushes under way promise, by request.
    flushes: BTreeMap<u32, Versions>,
}

impl Promises {
    pub fn new(pages: usize, sectors: usize) -> Promises {
        let (written, flushes) = (BTreeMap::new(), BTreeMap::new());
        Promises { kept: Rows::new(pages, sectors), written, acknowledged: Versions::new(), flushes }
    }

    /// A request writes sectors, which have this version then.
    pub fn writes(&mut self, request: u32, lpn: Lpn, sectors: SectorMask, version: u32) {
        let row = self.written.entry(request).or_default().entry(lpn).or_insert_with(|| vec![0; 64]);
        sectors_of(sectors).for_each(|i| row[i] = version);
    }

    /// A flush comes.
    pub fn flush_comes(&mut self, request: u32) {
        self.flushes.insert(request, std::mem::take(&mut self.acknowledged));
    }

    /// A request is over, and `is_done` or not; what it has written is kept where nothing `is_buffered`.
    pub fn ends(&mut self, request: u32, is_done: bool, is_buffered: bool) {
        let written = self.written.remove(&request).unwrap_or_default();
        if !is_done {
            self.flushes.remove(&request);
            return;
        }
        if is_buffered {
            written.into_iter().for_each(|(lpn, row)| merge(&mut self.acknowledged, lpn, &row));
        } else {
            self.keep(written);
        }
        if let Some(promised) = self.flushes.remove(&request) {
            self.keep(promised);
        }
    }

    fn keep(&mut self, promised: Versions) {
        for (lpn, versions) in promised {
            let row = self.kept.row_mut(lpn);
            row.iter_mut().zip(versions).for_each(|(kept, version)| *kept = version.max(*kept));
        }
    }

    /// A page was trimmed: nothing is promised of it.
    pub fn trimmed(&mut self, lpn: Lpn) {
        self.kept.clear(lpn);
        let all = self.written.values_mut().chain(self.flushes.values_mut()).chain([&mut self.acknowledged]);
        all.for_each(|versions| _ = versions.remove(&lpn));
    }

    /// The version of a sector that no loss of power may undo.
    pub fn of(&self, lpn: Lpn, sector: usize) -> u32 {
        self.kept.get(lpn, sector)
    }

    /// Power is gone: what was not promised may be lost.
    pub fn power_cut(&mut self) {
        self.written.clear();
        self.acknowledged.clear();
        self.flushes.clear();
    }
}

/// Sectors that were written again have their newest version.
fn merge(all: &mut Versions, lpn: Lpn, row: &[u32]) {
    let known = all.entry(lpn).or_insert_with(|| vec![0; 64]);
    known.iter_mut().zip(row).for_each(|(known, &version)| *known = version.max(*known));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_promises_what_was_acknowledged_when_it_came() {
        let mut promises = Promises::new(8, 8);
        promises.writes(1, Lpn::new(5), 0b11, 10);
        promises.writes(2, Lpn::new(5), 0b10, 11);
        promises.ends(1, true, true);
        promises.flush_comes(3);
        promises.ends(2, true, true);
        assert_eq!(promises.of(Lpn::new(5), 0), 0, "the flush is under way");
        promises.ends(3, true, true);
        assert_eq!((promises.of(Lpn::new(5), 0), promises.of(Lpn::new(5), 1)), (10, 10));
        promises.flush_comes(4);
        promises.power_cut();
        promises.ends(4, true, true);
        assert_eq!(promises.of(Lpn::new(5), 1), 10, "the power went first");
        promises.writes(6, Lpn::new(5), 0b10, 12);
        promises.ends(6, true, false);
        assert_eq!(promises.of(Lpn::new(5), 1), 12);
        promises.trimmed(Lpn::new(5));
        assert_eq!((promises.of(Lpn::new(5), 0), promises.of(Lpn::new(5), 1)), (0, 0));
    }
}
