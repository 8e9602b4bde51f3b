//! The second stage of aging: the workload itself, with its times, caches and schedule, on a drive that was aged without.
//!
//! It runs on an SSD of its own, whose flows have no end. Then that SSD comes to rest, and the one of the run takes its drive.

use super::Ssd;
use super::steady::{SteadyTest, Written};
use crate::SimError;
use crate::config::{Config, PacingKind};
use crate::engine::{LoadError, Loader, Saver};
use crate::host::SECTOR_BYTES;
use crate::metrics::Preconditioned;

/// Steps between two looks whether a round is over.
const STEPS_PER_LOOK: u32 = 1 << 12;
/// Steps between two reports.
const LOOKS_PER_REPORT: u32 = 16;
/// A round is over after so many requests for each page that it would write.
const REQUESTS_PER_PAGE: u64 = 2;
/// Where so few of the pages of a round were written, write amplification does not matter, and would take long to be known.
const SELDOM: f64 = 0.25;
/// Where a write cache leaves less than this share of a round's pages for the flash, the round goes on until that is programmed: too
/// few blocks say nothing.
const ABSORBED: f64 = 0.5;
/// But it lasts at most so many times as long.
const ABSORBED_ROUNDS: u64 = 8;

impl Ssd {
    /// Takes the drive of an SSD of the same configuration on which nothing is under way, and gives it its own.
    pub fn exchange_drives(&mut self, other: &mut Ssd) {
        std::mem::swap(&mut self.shared.now, &mut other.shared.now);
        std::mem::swap(&mut self.shared.nand, &mut other.shared.nand);
        std::mem::swap(&mut self.ftl, &mut other.ftl);
        std::mem::swap(&mut self.cache, &mut other.cache);
        std::mem::swap(&mut self.zoned, &mut other.zoned);
        std::mem::swap(&mut self.preconditioned, &mut other.preconditioned);
        std::mem::swap(&mut self.steady, &mut other.steady);
    }

    /// Goes on with the drive of an SSD of the same configuration that has been aged with time, and with its clock.
    ///
    /// # Errors
    /// What its read policy has learned cannot be taken over, which is a bug.
    pub fn take_aged_drive(&mut self, aged: &mut Ssd) -> Result<(), LoadError> {
        self.exchange_drives(aged);
        let mut learned = Vec::new();
        aged.controller.save_learned(&mut Saver::new(&mut learned))?;
        self.controller.load_learned(&mut Loader::new(&mut learned.as_slice()))?;
        let counters = self.ftl.counters();
        self.preconditioned += Preconditioned {
            host_pages: counters.user_programs(),
            moved_pages: counters.moved,
            erases: counters.erases,
        };
        self.begin_clocks_anew();
        self.ftl.begin_counters_anew(&self.shared.nand);
        Ok(())
    }

    /// Runs its flows, which have no end, until write amplification and free blocks are level, at most
    /// `precondition.timed_max` times the host's pages; then comes to rest. [`Ssd::steady`] says how it ended.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn age_with_time(
        &mut self,
        config: &Config,
        report: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), SimError> {
        let Some(untimed) = self.steady else { return Ok(()) };
        self.begin_run()?;
        let geometry = config.unit_geometry();
        let shape =
            (geometry.pages_per_block.into(), self.ftl.blocks_per_group().into(), geometry.planes().into());
        let most = config.precondition.timed_max;
        let mut test = SteadyTest::timed(self.ftl.host_pages(), shape, geometry.page_bytes.into(), most);
        test.begin(self.written_with_time(), self.ftl.full_groups());
        loop {
            let before = self.ftl.counters().user_programs();
            self.timed_round(test.round_pages(), &mut || report(test.fraction()))?;
            let pages = self.ftl.counters().user_programs() - before;
            if (pages as f64) < SELDOM * test.round_pages() as f64 {
                break;
            }
            let (written, look) = (self.written_with_time(), self.ftl.full_groups());
            if let Some(steady) = test.end_timed_round(pages, written, look, untimed) {
                self.steady = Some(steady);
                break;
            }
        }
        let (room_bytes, of_flash) = (self.room_bytes(), self.share_that_reaches_flash());
        self.come_to_rest(config, &mut || report(1.0))?;
        let rest_bytes = self.room_bytes().saturating_sub(room_bytes);
        let rest_bytes = (rest_bytes as f64 / of_flash) as u64;
        if let Some(timed) = self.steady.as_mut().and_then(|steady| steady.timed.as_mut()) {
            timed.rest_bytes = rest_bytes;
        }
        Ok(())
    }

    /// What the host can write until there is neither room in the write cache nor in blocks; of interest are differences.
    fn room_bytes(&self) -> u64 {
        let unwritten_bytes = self.ftl.unwritten_units() * u64::from(self.ftl.geometry().page_bytes);
        let dirty_sectors = self.cache.iter().flat_map(|cache| cache.dirty());
        let dirty_bytes =
            dirty_sectors.map(|(_, sectors)| u64::from(sectors.count_ones()) * SECTOR_BYTES).sum::<u64>();
        // What is dirty takes room in blocks later.
        unwritten_bytes.saturating_sub(dirty_bytes)
    }

    /// What is programmed for the host as a share of what it writes: the write cache absorbs the rest.
    fn share_that_reaches_flash(&self) -> f64 {
        let programmed_bytes =
            self.ftl.counters().user_programs() * u64::from(self.ftl.geometry().page_bytes);
        let share = programmed_bytes as f64 / self.metrics.bytes_taken() as f64;
        if share > 0.0 { share.min(1.0) } else { 1.0 }
    }

    /// Runs until the host has written so many pages, or has asked for much else. Where a write cache keeps most of them from the
    /// flash, it takes longer.
    fn timed_round(&mut self, pages: u64, report: &mut dyn FnMut() -> bool) -> Result<(), SimError> {
        let bytes = pages * u64::from(self.ftl.geometry().page_bytes);
        let (bytes_before, requests_before) = (self.metrics.bytes_taken(), self.host.submitted);
        let programs_before = self.ftl.counters().user_programs();
        let is_over = |ssd: &Ssd| {
            let taken = ssd.metrics.bytes_taken() - bytes_before;
            let requests = ssd.host.submitted - requests_before;
            let lasts =
                |rounds: u64| taken >= rounds * bytes || requests >= rounds * pages * REQUESTS_PER_PAGE;
            let programs = ssd.ftl.counters().user_programs() - programs_before;
            let is_absorbed =
                (programs as f64) < ABSORBED * pages as f64 && taken as f64 >= SELDOM * bytes as f64;
            lasts(if is_absorbed { ABSORBED_ROUNDS } else { 1 })
        };
        let mut looks = 0;
        while !is_over(self) {
            if !self.checked_steps(STEPS_PER_LOOK)? {
                return Ok(());
            }
            looks += 1;
            if looks % LOOKS_PER_REPORT == 0 && !report() {
                return Err(SimError::Stopped);
            }
        }
        Ok(())
    }

    fn written_with_time(&self) -> Written {
        let counters = self.ftl.counters();
        Written {
            host_bytes: self.metrics.bytes_taken(),
            media_pages: counters.programs(),
            moved_pages: counters.moved,
            erases: counters.erases,
            free_blocks: self.ftl.blocks().free(),
        }
    }

    /// No flow asks for anything more, and what is under way ends. GC that only waited for a pause does not use this one.
    fn come_to_rest(&mut self, config: &Config, report: &mut dyn FnMut() -> bool) -> Result<(), SimError> {
        self.host.stop();
        if config.gc.pacing == PacingKind::Off {
            self.ftl.collect_no_further(true);
        }
        while self.checked_steps(STEPS_PER_LOOK)? {
            if !report() {
                return Err(SimError::Stopped);
            }
        }
        self.ftl.collect_no_further(false);
        self.check_nothing_is_left()
    }
}
