//! All blocks of the SSD, in their condition.

use std::sync::Arc;

use super::cycles::CyclesByMode;
use super::erase::EraseDevice;
use super::erases;
use super::merged::MergedWordlines;
use super::read_counts::ReadCounts;
use super::two_step::ProgramSteps;
use super::{Address, BlockId, Geometry, IdVec, Ppn, Timing};
use crate::config::{Config, UnmappedRead};
use crate::engine::{BitTable, Ns, state};
use crate::flash::{BlockHealth, ModeId, PageAges, Speed};
use wordline_cells::PageOrder;
use wordline_cells::erase::EraseOutcome;
use wordline_cells::program::{FastProgram, WideStates};
use wordline_cells::read::Page;
use wordline_cells::read::ReadModel;
use wordline_cells::read::{Cells, Condition};
use wordline_cells::variation::{Purpose, unit};

/// Nanoseconds in a month of 30 days.
const MONTH_NS: f64 = 30.0 * 86_400.0 * 1e9;

/// All blocks of the SSD and how long it takes to work on them.
#[derive(Debug)]
pub struct Nand {
    /// The shape of the array.
    pub geometry: Geometry,
    /// How long operations take.
    pub timing: Timing,
    /// How blocks are erased, where the chip says so.
    pub erases: Option<Box<EraseDevice>>,
    /// The gain and cost of a larger program step.
    pub fast_program: Arc<FastProgram>,
    health: IdVec<BlockId, BlockHealth>,
    /// Where blocks have several modes.
    cycles: Option<Box<CyclesByMode>>,
    pub(super) merged: Option<Box<MergedWordlines>>,
    pub(super) read_counts: Option<Box<ReadCounts>>,
    /// Where wordlines are programmed in two steps.
    steps: Option<Box<ProgramSteps>>,
    /// Pages with data from before the run among those that it programs.
    preloaded: Option<Box<BitTable<Ppn>>>,
    retention: Ns,
    /// By what fraction of that the ages of blocks differ, either way.
    retention_spread: f64,
    /// Data of the mapping table age as others do.
    mapping_ages: bool,
    seed: u64,
    /// Temperature at which pages are read, degrees Celsius.
    temperature_c: f32,
    /// By how much hotter it was when the data from before the run were programmed.
    programmed_hotter_c: f32,
    /// What reads find.
    pub reads: ReadModel,
}

state! {
    Nand {
        parts: merged, read_counts, steps, preloaded, cycles;
        values: health;
        derived: geometry, timing, erases, fast_program, retention, retention_spread, mapping_ages, seed, temperature_c,
            programmed_hotter_c, reads;
    }
}

impl Nand {
    /// An array of blocks in the configured operating condition.
    #[must_use]
    pub fn new(config: &Config) -> Nand {
        let geometry = config.geometry();
        let erases = erases::device(config);
        let merged = MergedWordlines::new(config, &geometry);
        let timing = Timing::new(config);
        let merges = merged.as_ref().map_or(Vec::new(), |merged| merged.reads());
        Nand {
            geometry,
            cycles: CyclesByMode::new(&timing.modes, &geometry),
            timing,
            fast_program: config.device.fast_program.clone().unwrap_or_default(),
            merged,
            read_counts: ReadCounts::new(config, geometry.blocks()),
            steps: ProgramSteps::new(&geometry),
            preloaded: (config.ftl.unmapped_read == UnmappedRead::Frontier)
                .then(|| Box::new(BitTable::zeroed(geometry.pages() as usize))),
            health: erases::worn(config, &geometry, erases.as_ref()).into(),
            erases: erases.map(Box::new),
            retention: (config.reliability.retention_months * MONTH_NS) as Ns,
            retention_spread: config.reliability.retention_spread,
            mapping_ages: config.reliability.mapping_ages,
            seed: config.seed,
            temperature_c: config.reliability.temperature_c as f32,
            programmed_hotter_c: config.reliability.programmed_hotter_c as f32,
            reads: read_model(config).with_merges(merges),
        }
    }

    /// The history of a block.
    #[inline]
    #[must_use]
    pub fn health(&self, block: BlockId) -> &BlockHealth {
        &self.health[block]
    }

    /// P/E cycles of a block in other modes than the chip's own.
    #[must_use]
    pub fn pec_in_other_modes(&self, block: BlockId) -> u32 {
        self.cycles.as_ref().map_or(0, |cycles| cycles.of(block))
    }

    /// P/E cycles of a block as far as they have worn it: those in other modes than the chip's own count by their wear.
    #[must_use]
    pub fn wearing_pec(&self, block: BlockId) -> u32 {
        let (all, others) = (self.health(block).pec, self.pec_in_other_modes(block));
        if others == 0 {
            all
        } else {
            all - others + (others as f32 * self.timing.modes[ModeId::SLC].wear) as u32
        }
    }

    /// The history of all blocks.
    #[inline]
    #[must_use]
    pub fn all_health(&self) -> &IdVec<BlockId, BlockHealth> {
        &self.health
    }

    #[inline]
    pub(super) fn health_mut(&mut self, block: BlockId) -> &mut BlockHealth {
        &mut self.health[block]
    }

    /// Whether blocks are in modes that there are, and hold nothing from a time to come.
    pub(crate) fn is_sound(&self, now: Ns) -> bool {
        let modes = self.timing.modes.iter().count();
        self.health.iter().all(|health| health.mode.place() < modes && health.ages.are_before(now))
    }

    /// When a page was programmed, ns; nothing if its data is from before the run.
    #[inline]
    #[must_use]
    pub fn page_since(&self, ppn: Ppn) -> Option<Ns> {
        if self.preloaded.as_ref().is_some_and(|pages| pages.get(ppn)) {
            return None;
        }
        let block = self.geometry.block_of(ppn);
        self.health(block).ages.of(ppn - self.geometry.first_page(block))
    }

    /// When the oldest data that a block can hold was programmed, ns; nothing if it is from before the run.
    #[must_use]
    pub fn block_since(&self, block: BlockId) -> Option<Ns> {
        let pages = self.geometry.pages_of(block);
        if self.preloaded.as_ref().is_some_and(|old| old.next_set(pages.start, pages.end).is_some()) {
            return None;
        }
        self.health(block).ages.of(0)
    }

    /// Age of the oldest data that a block can hold at `now`, ns.
    #[must_use]
    pub fn data_age(&self, block: BlockId, now: Ns) -> Ns {
        self.age_since(self.block_since(block), block, now)
    }

    #[inline]
    fn age_since(&self, since: Option<Ns>, block: BlockId, now: Ns) -> Ns {
        match since {
            Some(since) => now - since,
            None if self.retention_spread == 0.0 => self.retention + now,
            None => self.age_at_start(block) + now,
        }
    }

    /// Age of a block's data from before the run when it starts, ns, where ages are spread: one for all of these pages.
    fn age_at_start(&self, block: BlockId) -> Ns {
        let place = 2.0 * unit(self.seed, u64::from(block), Purpose::RetentionAge) - 1.0;
        (self.retention as f64 * (1.0 + self.retention_spread * place)) as Ns
    }

    /// tPROG of a page, by its number and its index in its block of a mode, ns: that of its type, longer where the erase
    /// scheme narrows the states.
    #[inline]
    #[must_use]
    pub fn program_ns(&self, mode: ModeId, ppn: Ppn, page_in_block: u32) -> Ns {
        self.stretched(self.timing.program(mode, page_in_block), ppn)
    }

    /// tPROG of pages that are programmed at once, ns; see [`Nand::program_ns`].
    #[must_use]
    pub fn program_together_ns(&self, mode: ModeId, ppn: Ppn, page_in_block: u32, pages: u8) -> Ns {
        self.stretched(self.timing.program_together(mode, page_in_block, pages), ppn)
    }

    /// A time of programs, for the one that begins with a page.
    #[inline(never)]
    fn spread(&self, mean: Ns, ppn: Ppn) -> Ns {
        let place = 2.0 * unit(self.seed, ppn.into(), Purpose::ProgramTime) - 1.0;
        libm::round(mean as f64 * (1.0 + self.timing.program_spread * place)) as Ns
    }

    #[inline]
    fn stretched(&self, plain: Ns, ppn: Ppn) -> Ns {
        let plain = if self.timing.program_spread == 0.0 { plain } else { self.spread(plain, ppn) };
        match &self.erases {
            None => plain,
            Some(device) => {
                let pec = self.health(self.geometry.block_of(ppn)).pec;
                let stretch = device.scheme.program_stretch(&device.params, pec);
                if stretch == 1.0 { plain } else { libm::round(plain as f64 * stretch) as Ns }
            }
        }
    }

    /// A page of a block that is in a mode was programmed.
    #[inline]
    pub fn programmed(&mut self, address: Address, (mode, speed): (ModeId, Speed), now: Ns) {
        if let Some(steps) = &mut self.steps {
            steps.programmed(address, mode);
        }
        if address.page == 0
            && let Some(counts) = &mut self.read_counts
        {
            counts.forget(address.block);
        }
        let health = &mut self.health[address.block];
        if health.ages.programmed(address.page, now) {
            health.program_speed = speed;
            health.mode = mode;
        }
    }

    /// A page was given a place for data that it held before the run.
    #[inline]
    pub fn preloaded(&mut self, ppn: Ppn) {
        if let Some(pages) = &mut self.preloaded {
            pages.set(ppn);
        }
    }

    /// Nothing that a block holds is from before the run.
    pub(super) fn forget_preloaded(&mut self, block: BlockId) {
        let pages = self.geometry.pages_of(block);
        if let Some(table) = &mut self.preloaded {
            pages.start.to(pages.end).for_each(|ppn| table.clear(ppn));
        }
    }

    /// Power was off: what is programmed from now on is younger than all that is there.
    pub fn power_was_off(&mut self) {
        self.health.iter_mut().for_each(|health| health.ages.interrupted());
    }

    /// A block was erased, and this is what it took and left.
    pub fn erased(&mut self, block: BlockId, outcome: &EraseOutcome) {
        let health = &mut self.health[block];
        let mode = std::mem::take(&mut health.mode);
        let wear = self.timing.modes[mode].wear;
        health.pec += 1;
        health.stress += outcome.stress * wear;
        health.erase_age_pec += outcome.age_pec * wear;
        if let Some(cycles) = &mut self.cycles {
            cycles.count(block, mode);
        }
        health.residual_bits = outcome.residual_bits;
        health.undone_pulses = outcome.undone_pulses;
        health.erase_note = outcome.note;
        health.program_speed = Speed::Normal;
        // Until its first page is programmed, all it can hold is what is taken to be from before the run.
        health.ages = PageAges::default();
        if std::mem::take(&mut health.merged) {
            self.unmerge(block);
        }
        if let Some(counts) = &mut self.read_counts {
            counts.forget(block);
        }
        self.forget_preloaded(block);
    }

    /// A page in its condition.
    #[inline]
    #[must_use]
    pub fn page(&self, ppn: Ppn, die: u32, now: Ns) -> Page {
        self.page_in(ppn, die, &self.condition(ppn, now))
    }

    /// A page in this condition.
    #[inline]
    #[must_use]
    pub fn page_in(&self, ppn: Ppn, die: u32, condition: &Condition) -> Page {
        let block = self.geometry.block_of(ppn);
        if let Some(merged) = &self.merged
            && self.is_merged(block)
        {
            return self.merged_page(merged, ppn, die, condition);
        }
        let page = ppn - self.geometry.first_page(block);
        if let Some(steps) = &self.steps
            && steps.is_between(block, page)
        {
            return self.reads.page_between_steps(die, block.number(), page, condition);
        }
        self.reads.page(die, block.number(), page, condition)
    }

    /// What a page has been through.
    #[inline]
    #[must_use]
    pub fn condition(&self, ppn: Ppn, now: Ns) -> Condition {
        self.condition_since(self.page_since(ppn), ppn, now)
    }

    /// What a page of the mapping table has been through: the FTL may keep these pages young.
    #[must_use]
    pub fn condition_of_mapping(&self, ppn: Ppn, now: Ns) -> Condition {
        if self.mapping_ages { self.condition(ppn, now) } else { self.condition_since(Some(now), ppn, now) }
    }

    #[inline]
    fn condition_since(&self, since: Option<Ns>, ppn: Ppn, now: Ns) -> Condition {
        let block = self.geometry.block_of(ppn);
        let health = self.health(block);
        Condition {
            stress: health.stress,
            months: months(self.age_since(since, block, now)),
            temperature_c: self.temperature_c,
            programmed_hotter_c: if since.is_none() { self.programmed_hotter_c } else { 0.0 },
            residual_bits: self.added_bits(block),
            margin_lost: self.wide_states(health).map_or(0.0, |states| states.margin_lost(health.stress)),
        }
    }

    /// What reads find in the states of a block that was programmed fast.
    #[inline]
    fn wide_states(&self, health: &BlockHealth) -> Option<&WideStates> {
        (health.program_speed == Speed::Fast).then_some(&self.fast_program.states)
    }

    /// Errors in a 1-KiB codeword of a block that erasing and programming it in less time, and reading it, has added. The
    /// controller knows them: it ended the erase, it chose the speed, and it counts reads.
    #[inline]
    #[must_use]
    pub fn added_bits(&self, block: BlockId) -> f32 {
        let health = self.health(block);
        let programmed = self.wide_states(health).map_or(0.0, |states| states.added_bits(health.stress));
        health.residual_bits + programmed + self.disturb_bits(block)
    }

    /// Retention of what is programmed fast into a block in its present wear, ns.
    #[must_use]
    pub fn fast_retention(&self, block: BlockId) -> Ns {
        self.fast_program.retention_at(self.health(block).stress)
    }

    /// Months that the oldest data of a block have lain at `now`.
    #[must_use]
    pub fn data_age_months(&self, block: BlockId, now: Ns) -> f32 {
        months(self.data_age(block, now))
    }
}

#[inline]
fn months(age: Ns) -> f32 {
    (age as f64 / MONTH_NS) as f32
}

/// What reads find on the device of a configuration that has been checked.
fn read_model(config: &Config) -> ReadModel {
    let chip = config.device.chip.as_ref().and_then(|chip| Some((chip, chip.read.as_ref()?)));
    let Some((chip, constants)) = chip else {
        return ReadModel::with_steps(config.reliability.retry_steps as u8);
    };
    let (layers, pages) = (chip.geometry.layers, config.ssd.pages_per_block);
    let mut cells = Cells::new(constants, chip.cell, layers, pages, config.seed);
    if config.program.policy.page_order() == PageOrder::TwoStep {
        cells = cells.in_two_steps(constants);
    }
    if let Some(table) = &config.device.retry_table {
        cells = cells.with_retry_table(table.as_ref().clone());
    }
    ReadModel::of_chip(constants, cells, config.seed)
}
