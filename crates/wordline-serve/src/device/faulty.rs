//! A disk whose calls fail when a test says so, and that forgets in a crash what was not synced.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::store::Disk;

const SECTOR: usize = 512;

/// How calls fail from some call on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Calls that still succeed.
    pub after: u32,
    /// Calls that fail then.
    pub calls: u32,
    pub errno: rustix::io::Errno,
}

#[derive(Debug)]
struct Inner {
    /// What the system holds: reads see it.
    held: Vec<u8>,
    /// What a crash of the machine leaves.
    safe: Vec<u8>,
    /// Sectors that the next sync brings to `safe`.
    is_dirty: Vec<bool>,
    plan: Option<Plan>,
    failures: u64,
    random: Xoshiro256PlusPlus,
}

/// A disk; a clone is the same one.
#[derive(Clone, Debug)]
pub(super) struct Faulty(Arc<Mutex<Inner>>);

impl Inner {
    fn below(&mut self, n: usize) -> usize {
        (self.random.next_u64() % n as u64) as usize
    }

    /// Whether the call that begins now fails.
    fn fails(&mut self, has_place: bool) -> io::Result<()> {
        let Some(plan) = &mut self.plan else { return Ok(()) };
        if plan.errno == rustix::io::Errno::NOSPC && has_place {
            return Ok(());
        }
        if plan.after > 0 {
            plan.after -= 1;
            return Ok(());
        }
        if plan.calls == 0 {
            return Ok(());
        }
        plan.calls -= 1;
        self.failures += 1;
        Err(plan.errno.into())
    }

    fn put(&mut self, offset: u64, bytes: usize, data: impl Fn(usize) -> u8) {
        let offset = offset as usize;
        (0..bytes).for_each(|i| self.held[offset + i] = data(i));
        self.is_dirty[offset / SECTOR..(offset + bytes) / SECTOR].fill(true);
    }
}

impl Faulty {
    pub fn new(bytes: usize, random: Xoshiro256PlusPlus) -> Faulty {
        let zeros = vec![0; bytes];
        Faulty(Arc::new(Mutex::new(Inner {
            held: zeros.clone(),
            safe: zeros,
            is_dirty: vec![false; bytes / SECTOR],
            plan: None,
            failures: 0,
            random,
        })))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    pub fn set(&self, plan: Option<Plan>) {
        self.inner().plan = plan;
    }

    /// Calls that have failed so far.
    pub fn failures(&self) -> u64 {
        self.inner().failures
    }

    /// The machine crashes. Of what was not synced, the system may have written any part.
    pub fn crash(&self) {
        let mut inner = self.inner();
        for sector in 0..inner.is_dirty.len() {
            let range = sector * SECTOR..(sector + 1) * SECTOR;
            if std::mem::take(&mut inner.is_dirty[sector]) && inner.below(2) == 0 {
                let Inner { held, safe, .. } = &mut *inner;
                safe[range.clone()].copy_from_slice(&held[range]);
            }
        }
        inner.held = inner.safe.clone();
    }
}

impl Disk for Faulty {
    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let mut inner = self.inner();
        inner.fails(true)?;
        into.copy_from_slice(&inner.held[offset as usize..][..into.len()]);
        Ok(())
    }

    /// A write may end early, also one of which the rest fails.
    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<usize> {
        let mut inner = self.inner();
        inner.fails(false)?;
        let sectors = data.len() / SECTOR;
        let count = if inner.below(3) == 0 { 1 + inner.below(sectors) } else { sectors };
        inner.put(offset, count * SECTOR, |i| data[i]);
        Ok(count * SECTOR)
    }

    fn punch_hole(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        let mut inner = self.inner();
        inner.fails(false)?;
        inner.put(offset, bytes as usize, |_| 0);
        Ok(())
    }

    /// As Linux does: what a failed sync has not written counts as written.
    fn sync(&mut self) -> io::Result<()> {
        let mut inner = self.inner();
        let failed = inner.fails(false);
        for sector in 0..inner.is_dirty.len() {
            let range = sector * SECTOR..(sector + 1) * SECTOR;
            if std::mem::take(&mut inner.is_dirty[sector]) && (failed.is_ok() || inner.below(2) == 0) {
                let Inner { held, safe, .. } = &mut *inner;
                safe[range.clone()].copy_from_slice(&held[range]);
            }
        }
        failed
    }

    fn extent(&self, at: u64, end: u64) -> io::Result<(bool, u64)> {
        let mut inner = self.inner();
        inner.fails(true)?;
        let has_data = |at: u64| inner.held[at as usize..][..SECTOR] != [0; SECTOR];
        let first = has_data(at);
        let step = SECTOR as u64;
        let until = (at..end).step_by(SECTOR).find(|&at| has_data(at) != first).unwrap_or(end);
        Ok((first, until.max(at + step).min(end)))
    }
}
