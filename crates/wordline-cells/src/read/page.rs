//! The hot path of each read: a page's state, and its errors at a step of the retry table.
//!
//! Drift, floor and severity are products and sums of functions of stress alone and of retention alone. So each needs
//! one table, made once; the place needs four hashes.

use serde::{Deserialize, Serialize};

use super::between_steps::BetweenSteps;
use super::constants::ReadConstants;
use super::cross_temperature::CrossTemperature;
use super::curve::{Interpolation, LogCurve};
use super::drift::Drift;
use super::floor::Floor;
use super::place::{Place, Spreads};
use super::references::{MergedRead, References, Weights};
use super::retry_table::RetryTable;
use super::timing_cut::{CutEffect, Cuts, TimingCut};
use super::valley::Valley;
use super::valley_table::ValleyTable;
use super::vth::mean_page;
use crate::{Cell, PageNumbers, PageOrder, WordlinePage};

/// The condition that all pages of a block share at a read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Condition {
    /// Accumulated stress, cycles of an average block under ISPE.
    pub stress: f32,
    /// Retention at 30 C, months (see [`effective_months`](super::effective_months) for other temperatures).
    pub months: f32,
    /// Temperature during the read, degrees Celsius.
    pub temperature_c: f32,
    /// By how much hotter it was when the data were programmed, degrees.
    pub programmed_hotter_c: f32,
    /// Errors from an incomplete erase or a fast program, bits per 1-KiB codeword.
    pub residual_bits: f32,
    /// Share of the default voltages' drift margin that wider states use up, 0 to 1 (fast programs).
    pub margin_lost: f32,
}

/// Which voltages a sense reads with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReadAt {
    /// An entry of the retry table; 0 is the default voltages.
    Entry(u8),
    /// A number of steps from the default voltages, which need not be an entry of the table.
    Steps(f32),
}

impl Default for ReadAt {
    fn default() -> Self {
        ReadAt::Entry(0)
    }
}

impl ReadAt {
    /// The entry, or the last one below the voltages.
    #[inline]
    #[must_use]
    pub fn entry(self) -> u8 {
        match self {
            ReadAt::Entry(entry) => entry,
            ReadAt::Steps(steps) => steps as u8,
        }
    }
}

/// A page in its condition: its best voltages, and its errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageState {
    /// Distance of the best read voltages from the default ones, steps of the retry table; not a whole number.
    pub optimum_steps: f32,
    /// Errors of the worst 1-KiB codeword at these voltages, bits.
    pub floor_bits: f32,
    /// Distance of this page's entries of the retry table from whole steps.
    entry_offset: f32,
    /// Errors away from the best voltages, relative to the mean fresh page.
    climb: f32,
    /// The page's share of a cut's errors.
    cut_scale: f32,
    /// Errors that a deep cut adds in the cold, bits.
    cut_cold_bits: f32,
    /// Its wordline has not had the second step of its program.
    is_rough: bool,
}

impl PageState {
    /// Entry of the retry table closest to the best voltages.
    #[inline]
    #[must_use]
    pub fn step(&self) -> u8 {
        (self.optimum_steps + 0.5) as u8
    }

    /// Where a sense reads, steps from the default voltages.
    #[inline]
    #[must_use]
    pub fn steps_of(&self, at: ReadAt) -> f32 {
        match at {
            ReadAt::Entry(0) => 0.0,
            ReadAt::Entry(entry) => f32::from(entry) + self.entry_offset,
            ReadAt::Steps(steps) => steps,
        }
    }

    /// The voltages of the entry that suits the page, even if that is entry 0.
    #[inline]
    #[must_use]
    pub fn near_optimal(&self) -> ReadAt {
        ReadAt::Steps(f32::from(self.step()) + self.entry_offset)
    }
}

/// The read side of a kind of chip, ready for the simulator.
#[derive(Clone, Debug)]
pub struct Cells {
    spreads: Spreads,
    cuts: Cuts,
    valley: ValleyTable,
    margin_steps: f32,
    retry_table: Option<RetryTable>,
    references: References,
    /// 1 / errors of the worst fresh page, per bit.
    per_fresh_bits: f32,
    /// By page of a block.
    pages: Vec<InBlock>,
    word_lines: u32,
    layers: u32,
    bits: u32,
    table_steps: u8,
    by_stress: ByStress,
    by_months: ByMonths,
    by_temperature: Interpolation,
    /// Growth of a cut's severity with retention.
    cut_retention: f32,
    cross_temperature: CrossTemperature,
    /// The model of reads between two program steps, for chips that program a wordline in two.
    between_steps: Option<BetweenSteps>,
}

/// Where a page of a block is.
#[derive(Clone, Copy, Debug)]
struct InBlock {
    word_line: u16,
    layer: u16,
    page_type: u16,
}

#[derive(Clone, Debug)]
struct ByStress {
    rate: Interpolation,
    wear: Interpolation,
    prompt: Interpolation,
    late: Interpolation,
    severity: Interpolation,
}

#[derive(Clone, Debug)]
struct ByMonths {
    log_time: LogCurve,
    retention: LogCurve,
}

/// Stress that the tables cover, cycles, and their points; constant beyond.
const STRESS: (f32, usize) = (20_480.0, 1024);
/// Retention that the tables cover, months (less than a minute counts as 0).
const MONTHS: (f32, f32) = (1.0 / 65_536.0, 1024.0);
/// Lowest temperature of the tables, degrees Celsius.
const COLDEST_C: f32 = -40.0;
const HOTTEST_C: f32 = 125.0;

impl ByMonths {
    fn new(drift: &Drift, floor: &Floor) -> ByMonths {
        let curve = |f: &dyn Fn(f64) -> f64| {
            let first = f64::from(MONTHS.0);
            LogCurve::new(MONTHS.0, MONTHS.1, |months| if months <= first { f(0.0) } else { f(months) })
        };
        ByMonths {
            log_time: curve(&|months| drift.log_time(months)),
            retention: curve(&|months| floor.retention(months)),
        }
    }
}

impl ByStress {
    fn new(drift: &Drift, floor: &Floor, cuts: &Cuts) -> ByStress {
        let curve = |f: &dyn Fn(f64) -> f64| Interpolation::new(STRESS.0, STRESS.1, f);
        ByStress {
            rate: curve(&|stress| drift.rate(stress)),
            wear: curve(&|stress| drift.wear(stress)),
            prompt: curve(&|stress| floor.prompt_bits(stress)),
            late: curve(&|stress| floor.late_bits(stress)),
            severity: curve(&|stress| cuts.severity(stress, 0.0)),
        }
    }
}

/// The pages of a block; word lines are spread evenly over the layers.
fn in_order(order: PageOrder, bits: u32, layers: u32, pages_per_block: u32) -> Vec<InBlock> {
    let numbers = PageNumbers::new(order, bits, pages_per_block);
    let word_lines = (pages_per_block / bits).max(1);
    let in_block = |page| {
        let WordlinePage { wordline, page_type } = numbers.place(page);
        // Pages of a last word line that is not whole belong to the one before.
        let whole = wordline.min(word_lines - 1);
        InBlock {
            word_line: wordline as u16,
            layer: (whole * layers / word_lines) as u16,
            page_type: (page_type + (wordline - whole) * bits) as u16,
        }
    };
    (0..pages_per_block).map(in_block).collect()
}

impl Cells {
    /// Builds the cells of a chip with `layers` layers, in blocks of `pages_per_block` pages.
    #[must_use]
    pub fn new(constants: &ReadConstants, cell: Cell, layers: u32, pages_per_block: u32, seed: u64) -> Cells {
        let drift = Drift::new(&constants.drift);
        let floor = Floor::new(&constants.floor);
        let cuts = Cuts::new(&constants.cuts, &floor);
        let bits = cell.bits();
        Cells {
            spreads: Spreads::new(constants, layers, seed),
            valley: ValleyTable::new(
                &Valley::new(&constants.valley, bits),
                constants.floor.fresh_bits * mean_page(constants),
            ),
            margin_steps: constants.drift.margin_steps as f32,
            retry_table: None,
            per_fresh_bits: (1.0 / constants.floor.fresh_bits) as f32,
            references: References::new(constants),
            pages: in_order(PageOrder::default(), bits, layers, pages_per_block),
            word_lines: (pages_per_block / bits).max(1),
            layers,
            bits,
            table_steps: constants.table_steps,
            by_stress: ByStress::new(&drift, &floor, &cuts),
            by_months: ByMonths::new(&drift, &floor),
            by_temperature: Interpolation::new(HOTTEST_C - COLDEST_C, 330, |above| {
                floor.cold_bits(above + f64::from(COLDEST_C))
            }),
            cut_retention: constants.cuts.retention_growth as f32,
            cross_temperature: CrossTemperature::new(&constants.cross_temperature),
            between_steps: None,
            cuts,
        }
    }

    /// The same cells, in wordlines that are programmed in two steps. A chip of which nothing is known between the steps
    /// has the same errors there.
    #[must_use]
    pub fn in_two_steps(mut self, constants: &ReadConstants) -> Cells {
        self.pages = in_order(PageOrder::TwoStep, self.bits, self.layers, self.pages.len() as u32);
        self.between_steps = constants
            .between_steps
            .as_ref()
            .filter(|_| self.bits > 1)
            .map(|between| BetweenSteps::new(constants, between, self.bits));
        self
    }

    /// The same cells, with the drift that a user measured.
    #[must_use]
    pub fn with_retry_table(mut self, table: RetryTable) -> Cells {
        self.table_steps = self.table_steps.max(table.largest());
        self.retry_table = Some(table);
        self
    }

    /// The place of a page: word lines are spread evenly over the layers.
    ///
    /// # Panics
    /// If the block has no such page.
    #[inline]
    #[must_use]
    pub fn place(&self, chip: u32, block: u32, page: u32) -> Place {
        let InBlock { layer, page_type, .. } = self.pages[page as usize];
        Place { chip, block, layer: layer.into(), page, page_type: page_type.into() }
    }

    /// A page in its condition.
    #[inline]
    #[must_use]
    pub fn page(&self, place: Place, condition: &Condition) -> PageState {
        self.page_sensing(place, condition, self.references.of_type(place.page_type), None)
    }

    /// A page of a wordline whose states were merged. A sense applies only the references of `sensed` (a bit each, lowest
    /// first); each of the remaining `states` states holds an equal share of the cells.
    #[inline(never)]
    #[must_use]
    pub fn merged_page(&self, place: Place, condition: &Condition, merge: MergedRead) -> PageState {
        self.page_sensing(place, condition, self.references.of_merged(merge.sensed, merge.states), None)
    }

    /// A page of the first step of a wordline that has not had its second step.
    #[inline(never)]
    #[must_use]
    pub fn page_between_steps(&self, place: Place, condition: &Condition) -> PageState {
        let weights = self.references.of_type(place.page_type);
        self.page_sensing(place, condition, weights, self.between_steps.as_ref())
    }

    #[inline]
    fn page_sensing(
        &self,
        place: Place,
        condition: &Condition,
        weights: Weights,
        rough: Option<&BetweenSteps>,
    ) -> PageState {
        let Condition { stress, months, .. } = *condition;
        let spread = self.spreads.of(place);
        let steps = match &self.retry_table {
            Some(table) => {
                let word_line = self.pages[place.page as usize].word_line;
                // Measured in whole steps.
                (table.steps(word_line.into(), self.word_lines, stress, months) + 0.5).floor()
            }
            None => {
                let rate = self.by_stress.rate.at(stress) * self.by_months.log_time.at(months);
                let margin = self.margin_steps * (1.0 - condition.margin_lost);
                (rate + self.by_stress.wear.at(stress) - margin).max(0.0) * spread.drift
            }
        };
        // Manufacturers choose the table so that one of its entries is close to the best voltages (PR2/AR2, Section
        // 2.4). They choose the default voltages for young data, so their distance from the best ones is continuous.
        let whole = (steps + 0.5).floor();
        let cold = self.by_temperature.at(condition.temperature_c - COLDEST_C);
        let retention = self.by_months.retention.at(months);
        let finished = self.by_stress.prompt.at(stress) + self.by_stress.late.at(stress) * retention + cold;
        let (worst, climb) = match rough {
            // In wider states more cells are close to the best voltages. If the floor of two normal distributions
            // doubles, the errors of a read one step away grow by the square root of two. Cold does not widen states.
            None => (finished, ((finished - cold) * self.per_fresh_bits).sqrt()),
            Some(rough) => {
                let wide = rough.worst_bits(finished - cold);
                (wide + cold, rough.climb(wide))
            }
        };
        let own = spread.errors * weights.floor;
        let hotter_c = condition.programmed_hotter_c;
        let floor_bits = (worst + self.cross_temperature.bits(hotter_c)) * own + condition.residual_bits;
        let severity = self.by_stress.severity.at(stress) * (1.0 + self.cut_retention * retention);
        PageState {
            optimum_steps: steps + self.cross_temperature.steps(hotter_c),
            floor_bits,
            entry_offset: steps - whole - spread.residual_steps,
            climb: weights.climb * climb,
            cut_scale: severity * own,
            cut_cold_bits: self.cuts.cold_bits(severity, cold) * own,
            is_rough: rough.is_some(),
        }
    }

    /// Errors of a page's worst 1-KiB codeword at these voltages and with shortened senses, bits: the sum of the effects
    /// of everything that happened to its cells.
    #[inline]
    #[must_use]
    pub fn errors(&self, page: &PageState, at: ReadAt, cut: CutEffect) -> f32 {
        let valley = match &self.between_steps {
            Some(rough) if page.is_rough => rough.valley(),
            _ => &self.valley,
        };
        let climb = valley.climb(page.optimum_steps - page.steps_of(at));
        page.floor_bits + page.climb * climb + page.cut_scale * cut.bits + page.cut_cold_bits * cut.cold
    }

    /// The effect of timing cuts.
    #[must_use]
    pub fn cut(&self, cut: TimingCut) -> CutEffect {
        self.cuts.effect(cut)
    }

    /// Retry steps that a page needs: the first entry of the table whose errors the ECC can correct. 0 means the
    /// default voltages, `None` that no entry works.
    #[must_use]
    pub fn retry_steps(&self, page: &PageState, capability_bits: f32, cut: CutEffect) -> Option<u8> {
        (0..=self.table_steps).find(|&step| self.errors(page, ReadAt::Entry(step), cut) <= capability_bits)
    }

    /// Entries of the retry table.
    #[must_use]
    pub fn table_steps(&self) -> u8 {
        self.table_steps
    }

    /// Errors of a page at its best voltages, relative to the worst page of all.
    #[must_use]
    pub fn relative_errors(&self, place: Place) -> f32 {
        self.spreads.of(place).errors * self.references.of_type(place.page_type).floor
    }

    /// The spreads of all places.
    #[must_use]
    pub fn spreads(&self) -> &Spreads {
        &self.spreads
    }
}
