//! What was there before the run, written without time.

use std::io;

use super::Ssd;
use super::steady::{SteadyTest, Written};
use crate::SimError;
use crate::config::{Config, OverwriteShape};
use crate::engine::{LoadError, Loader, Saver, State};
use crate::flash::{PageOp, WrittenPage};
use crate::ftl::Ftl;
use crate::host::FlowsByAddress;
use crate::nand::Lpn;
use wordline_cells::variation::{Purpose, below};

/// Pages between two reports of preconditioning: a few tens of milliseconds, a second where GC moves very much.
const PAGES_PER_REPORT: u64 = 1 << 17;

/// The pages that are overwritten before a run, in order, as often as they are asked for. Nothing may mean that none is at
/// hand yet, so that whoever asks can stop.
pub trait Overwrites: Iterator<Item = WrittenPage> {
    /// Bytes of the host in the writes so far: a write may cover a part of a page.
    fn host_bytes(&self) -> u64;

    /// Pages so far.
    fn pages(&self) -> u64;

    /// No more are to come.
    fn is_over(&self) -> bool;
}

/// Pages anywhere, whole, by the flows in whose parts of the device they lie.
struct Anywhere {
    seed: u64,
    range: u64,
    /// So far.
    pages: u64,
    page_bytes: u32,
    by_address: FlowsByAddress,
}

impl Iterator for Anywhere {
    type Item = WrittenPage;

    fn next(&mut self) -> Option<WrittenPage> {
        let page = Lpn::from_index(below(self.seed, self.pages, Purpose::Precondition, self.range) as usize);
        self.pages += 1;
        Some(self.by_address.page(page))
    }
}

impl Overwrites for Anywhere {
    fn host_bytes(&self) -> u64 {
        self.pages * u64::from(self.page_bytes)
    }

    fn pages(&self) -> u64 {
        self.pages
    }

    fn is_over(&self) -> bool {
        false
    }
}

impl Ssd {
    /// Writes what was there before the run: the fill, then the overwrites, through the same mapping,
    /// allocation and GC as the run, but without time. `shape` names the pages that a workload-shaped
    /// overwrite goes to, as often as they are asked for. All others count as written by the flow in whose part of the
    /// device they lie.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when the data does not fit, [`SimError::Stopped`] when `report` says so.
    pub fn precondition(
        &mut self,
        config: &Config,
        shape: Option<&mut dyn Overwrites>,
        report: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), SimError> {
        let share = config.filled_share();
        if self.zoned.is_some() {
            return self.fill_zones(share, report);
        }
        let pages = self.ftl.host_pages();
        let filled = (pages as f64 * share) as u64;
        let times = config.precondition.overwrite.times();
        let overwrites = times.map(|times| (pages as f64 * times) as u64);
        let all = filled as f64 + overwrites.unwrap_or(pages) as f64;
        let by_address = self.host.by_address(config.unit_bytes());
        let mut from = 0;
        while from < filled {
            let to = filled.min(from + PAGES_PER_REPORT);
            self.ftl.fill(
                Lpn::from_index(from as usize)
                    .to(Lpn::from_index(to as usize))
                    .map(|lpn| by_address.page(lpn)),
                &mut self.shared.nand,
            )?;
            from = to;
            if !report(from as f64 / all) {
                return Err(SimError::Stopped);
            }
        }
        let range = if filled > 0 { filled } else { pages };
        let page_bytes = config.unit_bytes();
        let mut anywhere = Anywhere { seed: self.seed, range, pages: 0, page_bytes, by_address };
        let source: &mut dyn Overwrites = match shape {
            Some(shape) if config.precondition.shape == OverwriteShape::Workload => shape,
            _ => &mut anywhere,
        };
        match overwrites {
            Some(overwrites) => {
                let goes_on = &mut |left: u64| report(1.0 - left as f64 / all);
                self.overwrite_from(source, overwrites, goes_on)?;
            }
            None => self.overwrite_until_steady(config, source, report)?,
        }
        self.preconditioned = self.ftl.take_preconditioned();
        self.ftl.age_data();
        Ok(())
    }

    /// Fills a share of the zones, the first ones; a part of a zone at the end of the share.
    fn fill_zones(&mut self, share: f64, report: &mut dyn FnMut(f64) -> bool) -> Result<(), SimError> {
        for (first, units) in self.zones_to_fill(share) {
            let end = first + units;
            for from in (first..end).step_by(PAGES_PER_REPORT as usize) {
                let to = end.min(from + PAGES_PER_REPORT);
                let lpns = Lpn::from_index(from as usize).to(Lpn::from_index(to as usize));
                self.ftl.fill(lpns, &mut self.shared.nand)?;
                if !report(0.5) {
                    return Err(SimError::Stopped);
                }
            }
        }
        self.preconditioned = self.ftl.take_preconditioned();
        self.ftl.age_data();
        Ok(())
    }

    /// Overwrites pages until the drive is at equilibrium.
    fn overwrite_until_steady(
        &mut self,
        config: &Config,
        source: &mut dyn Overwrites,
        report: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), SimError> {
        let geometry = config.unit_geometry();
        let of_group = (geometry.pages_per_block.into(), self.ftl.blocks_per_group().into());
        let most = config.precondition.overwrite_max;
        let mut test = SteadyTest::new(self.ftl.host_pages(), of_group, geometry.page_bytes.into(), most);
        let written = |ftl: &Ftl, host_bytes: u64| {
            let counters = ftl.counters();
            Written {
                host_bytes,
                media_pages: counters.user_writes + counters.moved + counters.padding + counters.parity,
                moved_pages: counters.moved,
                erases: counters.erases,
                free_blocks: ftl.blocks().free(),
            }
        };
        test.begin(written(&self.ftl, source.host_bytes()), self.ftl.full_groups());
        loop {
            let before = self.ftl.counters().user_programs();
            let goes_on = &mut |_: u64| report(test.fraction());
            self.overwrite_from(source, test.round_pages(), goes_on)?;
            let pages = self.ftl.counters().user_programs() - before;
            self.steady =
                test.end_round(pages, written(&self.ftl, source.host_bytes()), self.ftl.full_groups());
            if self.steady.is_some() {
                return Ok(());
            }
        }
    }

    /// Overwrites so many pages, or all that there are; `report` is told how many are left.
    fn overwrite_from(
        &mut self,
        source: &mut dyn Overwrites,
        pages: u64,
        report: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), SimError> {
        let mut left = pages;
        while left > 0 && !source.is_over() {
            let before = source.pages();
            self.ftl.overwrite(source.take(left.min(PAGES_PER_REPORT) as usize), &mut self.shared.nand)?;
            left -= source.pages() - before;
            if !report(left) {
                return Err(SimError::Stopped);
            }
        }
        Ok(())
    }

    /// Writes further pages before the run, also without time: what a workload rewrote since the fill.
    ///
    /// # Errors
    /// See [`Ssd::precondition`].
    pub fn update(
        &mut self,
        pages: &mut dyn Iterator<Item = WrittenPage>,
        report: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), SimError> {
        let mut pages = pages.peekable();
        while pages.peek().is_some() {
            self.ftl.overwrite(pages.by_ref().take(PAGES_PER_REPORT as usize), &mut self.shared.nand)?;
            if !report(1.0) {
                return Err(SimError::Stopped);
            }
        }
        self.preconditioned += self.ftl.take_preconditioned();
        Ok(())
    }

    /// Writes what preconditioning has changed. Checked mode's record is not part of it.
    ///
    /// # Errors
    /// What is written to fails.
    pub fn save_preconditioned(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.ftl.save_written(to)?;
        self.zoned.save(to)?;
        to.value(&(self.preconditioned, self.steady))
    }

    /// Takes what preconditioning has changed in an SSD that is equal in everything that it reads.
    ///
    /// # Errors
    /// [`LoadError`]. The SSD is then of no further use.
    pub fn load_preconditioned(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.ftl.load_written(from)?;
        self.zoned.load(from)?;
        (self.preconditioned, self.steady) = from.value()?;
        Ok(())
    }

    /// A checksum of the differences between the P/E cycles of the blocks.
    #[must_use]
    pub fn wear_pattern(&self) -> u32 {
        let cycles =
            || self.shared.nand.geometry.all_blocks().map(|block| self.shared.nand.health(block).pec);
        let least = cycles().min().unwrap_or(0);
        let mut hasher = crc32fast::Hasher::new();
        cycles().for_each(|cycles| hasher.update(&(cycles - least).to_le_bytes()));
        hasher.finalize()
    }

    /// Switches the SSD off in good order after a run, without time: what only the volatile cache holds goes to flash,
    /// and the cache is empty.
    ///
    /// # Errors
    /// [`SimError::OutOfSpace`] when there is no room for it.
    pub fn put_away(&mut self) -> Result<(), SimError> {
        let Some(cache) = &mut self.cache else {
            self.ftl.close_pages();
            return Ok(());
        };
        let written = |PageOp { lpn, writer, .. }| WrittenPage { writer, ..WrittenPage::from(lpn) };
        let mut dirty = cache.power_cut().into_iter().map(written);
        self.ftl.close_pages();
        self.ftl.overwrite(&mut dirty, &mut self.shared.nand)?;
        self.ftl.close_pages();
        Ok(())
    }
}
