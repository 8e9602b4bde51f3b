//! `ar2`, Adaptive Read-Retry: retry steps precharge the bit lines for a shorter time, since the final
//! step decodes with margin (PR2/AR2, Section 6.2, Fig. 13). SET FEATURE goes before the first retry
//! step and, to roll back, after the last: `tRETRY = tSET + N (rho tR + tDMA + tECC)`, and with `pr2`
//! `tSET + rho N tR + tDMA + tECC` (Eq. 5). If no step decodes, the whole retry is done once more at the
//! default timing.
//!
//! How much shorter is looked up by the block's P/E cycles and the age of its data (the RPT), or given by
//! `read.tpre_cut`. `read.shorten_first` shortens the regular read too (Section 8).

use serde::{Deserialize, Serialize};

use super::{ChipView, DeviceView, Modifier, PageView, Policy, ReadContext, ReadProgress, Refusal};
use crate::parameter::section;
use wordline_cells::read::{MONTH_DAYS, PrechargeCut, ReadTimingTables};

section! {
    /// The keys of `ar2`.
    #[derive(Copy)]
    pub struct Keys {
        /// `ar2` shortens the regular read too.
        shorten_first: bool = false, truth().source("PR2/AR2 section 8").when("read.retry", &["ar2", "pnar2"]);
        /// Share by which `ar2` shortens tPRE; 0 = by the chip's table (RPT).
        tpre_cut: f64 = 0.0, number(0.0, 0.9).when("read.retry", &["ar2", "pnar2"]);
    }
}

/// Retry senses precharge for a shorter time.
#[derive(Clone, Debug)]
pub struct Ar2 {
    /// Cuts of tPRE to choose from, the deepest first; at the end there is none.
    cuts: Vec<PrechargeCut>,
    /// Which of them, by the state of a block (RPT); where there is none the first.
    timing_tables: Option<ReadTimingTables>,
    shorten_first: bool,
}

/// What AR2 keeps of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ar2Memory {
    /// The cut that is safe for all of its blocks, as an index into `cuts`: the die has one timing.
    safe: u16,
    /// All shortened steps have failed.
    has_fallen_back: bool,
}

/// A controller keeps the age of data in whole days.
const DAYS_IN_MONTH: f32 = MONTH_DAYS as f32;

impl Policy for Ar2 {
    const NAME: &'static str = "ar2";
    const HELP: &'static str = "retry senses precharge for a shorter time, as far as the block bears it";
    type Parameters = Keys;

    fn check(keys: &Keys, device: &DeviceView<'_>) -> Result<(), Refusal> {
        if keys.tpre_cut > 0.0 || device.has_read_model {
            return Ok(());
        }
        Err(Refusal::of_device(
            "looks up how far tPRE can be cut in a table of the chip (RPT), and there is no chip",
            "name one in cells.chip, or give the cut yourself in read.tpre_cut",
        ))
    }
}

impl Modifier for Ar2 {
    type Memory = Ar2Memory;

    fn new(keys: &Keys, device: &DeviceView<'_>, chip: &ChipView<'_>) -> Ar2 {
        let given = keys.tpre_cut as f32;
        let timing_tables = if given == 0.0 { chip.timing_tables(device) } else { None };
        let mut fractions = timing_tables.as_ref().map_or(vec![given], |tables| tables.cuts().collect());
        fractions.push(0.0);
        fractions.sort_by(|a, b| b.total_cmp(a));
        fractions.dedup();
        Ar2 {
            cuts: fractions.into_iter().map(|fraction| chip.cut(fraction)).collect(),
            timing_tables,
            shorten_first: keys.shorten_first,
        }
    }

    fn page(&mut self, memory: &mut Ar2Memory, page: &PageView<'_>) {
        memory.safe = memory.safe.max(self.cut_of(page) as u16);
    }

    fn timing(
        &self,
        memory: &Ar2Memory,
        progress: &ReadProgress,
        context: &ReadContext<'_>,
    ) -> Option<PrechargeCut> {
        let cut = self.cuts[usize::from(memory.safe)];
        let applies = self.shorten_first || progress.is_retrying || progress.retries > 0;
        let is_shorter = || context.times.shortened(context.sense, cut.fraction) < context.sense;
        (applies && !memory.has_fallen_back && is_shorter()).then_some(cut)
    }

    fn starts_again(&self, memory: &mut Ar2Memory, progress: &ReadProgress) -> bool {
        memory.has_fallen_back |= progress.is_short();
        progress.is_short()
    }
}

impl Ar2 {
    /// The cut of tPRE that is safe for a page's block, as an index into `cuts`.
    fn cut_of(&self, page: &PageView<'_>) -> usize {
        let Some(tables) = &self.timing_tables else { return 0 };
        let months = (page.months() * DAYS_IN_MONTH).floor() / DAYS_IN_MONTH;
        let safe = tables.cut(page.die, page.pec, months, page.added_bits(), page.is_merged);
        self.cuts.iter().position(|cut| cut.fraction <= safe).unwrap_or(self.cuts.len() - 1)
    }
}
