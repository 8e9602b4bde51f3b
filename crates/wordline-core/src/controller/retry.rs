//! Reads that may fail: what the controller keeps of them, and the steps at which their policy is asked.
//!
//! What is kept lies beside the commands, by unit, so that commands stay small where no read fails.

use super::flow::Arrival;
use super::unit::{ARRAY, REGISTER};
use super::{Controller, Stage};
use crate::config::{Config, PsoScope};
use crate::engine::Ns;
use crate::engine::variation::{Purpose, hash};
use crate::flash::{Phases, Txn};
use crate::nand::{Nand, PLANES_MAX, Page, PrechargeCut};
use crate::policy::read_retry::{Hints, ReadContext, ReadProgress, ReadRules, Voltages, VrefTracker};
use wordline_cells::ecc::{Code, Predictor, Verdict};
use wordline_cells::read::{ReadTimingTables, mean_bits};

/// One page of a read command.
#[derive(Clone, Copy, Debug, Default)]
struct RetriedPage {
    page: Page,
    hints: Hints,
    /// Number of the sense that was started last, from 0, in this round.
    attempt: u8,
    /// What the ECC makes, or would make, of it as it was sensed last.
    verdict: Option<Verdict>,
    /// Similar word lines (PSO).
    group: u32,
    /// Which sense is on its way to the controller.
    shipped: Arrival,
}

/// A read command.
#[derive(Clone, Copy, Debug, Default)]
struct Retry {
    progress: ReadProgress,
    /// By how much AR2 shortens tPRE.
    cut: PrechargeCut,
    /// Planes that the last sense was started for.
    sensing: u8,
    /// Retry senses that were needed, of the page that needed most.
    needed: u8,
    /// When the array was done with the pages that ship next.
    sensed_at: Ns,
    pages: [RetriedPage; PLANES_MAX],
}

/// All that has to do with retries; nothing where no page ever fails.
#[derive(Debug)]
pub(super) struct Retries {
    rules: ReadRules,
    /// By unit: the command in the array, and the one in the second register.
    commands: Vec<[Retry; 2]>,
    tracker: VrefTracker,
    scope: PsoScope,
    /// Layers of a block, at most.
    layers: u32,
    /// Cuts of tPRE that AR2 chooses from, the deepest first; at the end there is none.
    cuts: Vec<PrechargeCut>,
    /// Which of them, by the state of a block (RPT); where there is none the first.
    timing_tables: Option<ReadTimingTables>,
    code: Code,
    /// The die's check (RiF).
    predictor: Option<Predictor>,
    seed: u64,
    /// Page reads by the number of retry senses that they took; those that took none are not counted.
    pub steps: Vec<u64>,
}

/// Grain in which the controller looks a block up: cycles, and parts of a month.
const LOOK_UP_GRAIN: (u32, f32) = (50, 10.0);

impl Retries {
    pub fn new(config: &Config, nand: &Nand, units: u32) -> Retries {
        let retry = config.read.retry;
        let geometry = config.geometry();
        let scope = config.read.pso_scope;
        // Of a chip that is not known every page is a layer of its own; a block of few word lines skips
        // layers of its chip.
        let of_chip = config.device.chip.as_ref().map_or(0, |chip| chip.geometry.layers);
        let layers = of_chip.max(geometry.pages_per_block);
        let places = match (retry.voltages, scope) {
            (Voltages::Pso, PsoScope::Die) => geometry.dies() * layers,
            (Voltages::Pso, PsoScope::Block) => geometry.blocks() * layers,
            _ => 0,
        };
        let given = config.read.tpre_cut as f32;
        let profiles = retry.shortened && given == 0.0;
        let timing_tables = if profiles {
            nand.reads.timing_tables(
                config.ecc.correctable_bits as f32,
                geometry.dies(),
                geometry.pages_per_block,
            )
        } else {
            None
        };
        let mut fractions = timing_tables.as_ref().map_or(vec![given], |tables| tables.cuts().collect());
        fractions.push(0.0);
        fractions.sort_by(|a, b| b.total_cmp(a));
        fractions.dedup();
        Retries {
            rules: ReadRules::new(config, nand.reads.table_steps()),
            commands: if retry.is_ideal() { Vec::new() } else { vec![[Retry::default(); 2]; units as usize] },
            tracker: VrefTracker::new(places, config.read.pso_min_steps, config.read.pso_drift_share),
            scope,
            layers,
            cuts: fractions.into_iter().map(|fraction| nand.reads.cut(fraction)).collect(),
            timing_tables,
            code: config.ecc.code(config.ssd.page_bytes),
            predictor: (retry.voltages == Voltages::Rif)
                .then(|| Predictor::ldpc(config.ssd.page_bytes, config.ecc.max_iterations as u8)),
            seed: config.seed,
            steps: Vec::new(),
        }
    }

    /// True where no page ever fails.
    #[inline]
    pub fn are_off(&self) -> bool {
        self.commands.is_empty()
    }

    /// What becomes of a page: its state, and what the controller knows.
    fn page(&self, txn: &Txn, stage: &Stage) -> RetriedPage {
        let page = stage.nand.page(txn.ppn, txn.die, stage.now);
        let mut retried = RetriedPage { page, ..RetriedPage::default() };
        let geometry = &stage.nand.geometry;
        match self.rules.retry.voltages {
            Voltages::Predictive => {
                let block = geometry.block_of(txn.ppn);
                let months = stage.nand.data_age_months(block, stage.now);
                let cycles = stage.nand.health(block).pec as f32;
                retried.hints.start = u8::from(stage.nand.reads.expects_failure(cycles, months));
            }
            Voltages::Pso => {
                let block = geometry.block_of(txn.ppn);
                let place = match self.scope {
                    PsoScope::Die => txn.die,
                    PsoScope::Block => block,
                };
                let place = place * self.layers + page.place.layer;
                retried.group = self.tracker.group(place, stage.nand.data_age_months(block, stage.now));
                retried.hints = self.tracker.hints(retried.group, self.rules.table_steps);
            }
            _ => {}
        }
        retried
    }

    /// The cut of tPRE that is safe for a page's block, as an index into `cuts`.
    fn cut_of(&self, txn: &Txn, stage: &Stage) -> usize {
        let Some(tables) = &self.timing_tables else { return 0 };
        let block = stage.nand.geometry.block_of(txn.ppn);
        let (grain, parts) = LOOK_UP_GRAIN;
        let cycles = stage.nand.health(block).pec / grain * grain;
        let months = (stage.nand.data_age_months(block, stage.now) * parts + 0.5).floor() / parts;
        let safe = tables.cut(cycles, months, stage.nand.added_bits(block));
        self.cuts.iter().position(|cut| cut.fraction <= safe).unwrap_or(self.cuts.len() - 1)
    }

    /// Errors in the page of a plane, as the sense that has ended read it: of its worst 1-KiB codeword, or, for a code
    /// that is judged by the error rate of a page, of its mean one.
    fn errors(&self, unit: u32, plane: u8, nand: &Nand) -> f32 {
        let retry = &self.commands[unit as usize][ARRAY];
        let page = &retry.pages[plane as usize];
        let position = self.rules.position(page.attempt, &page.hints);
        let none = PrechargeCut::default();
        let cut = if retry.progress.is_short { &retry.cut } else { &none };
        let worst = nand.reads.errors(&page.page, position, cut);
        match self.code {
            Code::Bounded { .. } => worst,
            Code::Ldpc(_) => mean_bits(f64::from(worst)) as f32,
        }
    }

    /// Bits that belong to a page and to the sense that has ended.
    fn bits(&self, unit: u32, plane: u8, purpose: Purpose) -> u64 {
        let retry = &self.commands[unit as usize][ARRAY];
        let place = retry.pages[plane as usize].page.place;
        let sense =
            u64::from(place.block) << 32 | u64::from(place.page) << 8 | u64::from(retry.progress.retries);
        hash(self.seed, sense, purpose)
    }

    /// The planes whose pages decode as they were sensed last.
    fn decoding(&mut self, unit: u32, nand: &Nand) -> u8 {
        let retry = &self.commands[unit as usize][ARRAY];
        let is_given = self.rules.retry.voltages == Voltages::OneStep && retry.progress.retries > 0;
        let mut decoding = 0;
        for plane in planes(retry.sensing) {
            let bits = self.bits(unit, plane, Purpose::Decoding);
            let mut verdict = self.code.judge(self.errors(unit, plane, nand), bits);
            verdict.ok |= is_given;
            decoding |= u8::from(verdict.ok) << plane;
            self.commands[unit as usize][ARRAY].pages[plane as usize].verdict = Some(verdict);
        }
        decoding
    }

    /// The planes whose pages the die takes for doomed.
    fn doomed(&self, unit: u32, decoding: u8, nand: &Nand) -> u8 {
        let Some(predictor) = &self.predictor else { return 0 };
        planes(self.commands[unit as usize][ARRAY].sensing)
            .filter(|&plane| {
                let bits = self.bits(unit, plane, Purpose::Prediction);
                predictor.says_retry(self.errors(unit, plane, nand), decoding >> plane & 1 == 1, bits)
            })
            .fold(0, |mask, plane| mask | 1 << plane)
    }

    /// A further sense is started.
    fn sense(&mut self, unit: u32, mask: u8, from_the_start: bool, nand: &Nand) {
        let voltages = self.rules.retry.voltages;
        let retry = &mut self.commands[unit as usize][ARRAY];
        retry.sensing = mask;
        for plane in planes(mask) {
            let RetriedPage { page, hints, attempt, .. } = &mut retry.pages[plane as usize];
            *attempt = if from_the_start { 1 } else { *attempt + 1 };
            match voltages {
                Voltages::OneStep => hints.estimate = page.state.optimum_steps,
                Voltages::Sentinel => hints.estimate = nand.reads.sentinel(page, *attempt - 1),
                Voltages::SwiftRead | Voltages::Rif => {
                    hints.estimate = nand.reads.counting(page, *attempt - 1);
                }
                Voltages::Ideal | Voltages::Regular | Voltages::Predictive | Voltages::Pso => {}
            }
        }
    }

    /// Notes which sense the pages of these planes were in that cross the channel now.
    fn note_shipped(&mut self, unit: u32, mask: u8, sensed_at: Ns) {
        let retry = &mut self.commands[unit as usize][ARRAY];
        retry.sensed_at = sensed_at;
        for plane in planes(mask) {
            let page = &mut retry.pages[plane as usize];
            let position = self.rules.position(page.attempt, &page.hints);
            page.shipped = Arrival {
                retries: retry.progress.retries,
                step: position as u8,
                iterations: page.verdict.map_or(0, |verdict| verdict.iterations),
            };
        }
    }

    /// The command in the array moves to the second register.
    #[inline]
    pub fn moved_to_register(&mut self, unit: u32) {
        if let Some(commands) = self.commands.get_mut(unit as usize) {
            commands[REGISTER] = commands[ARRAY];
        }
    }

    /// The planes that the running, or last, sense was started for.
    #[inline]
    pub fn sensing(&self, unit: u32) -> u8 {
        self.commands.get(unit as usize).map_or(u8::MAX, |commands| commands[ARRAY].sensing)
    }

    /// The senses of the command are shortened, which has to be set back.
    #[inline]
    pub fn is_short(&self, unit: u32) -> bool {
        self.commands.get(unit as usize).is_some_and(|commands| commands[ARRAY].progress.is_short)
    }

    /// When the array was done with the pages of a command that ship; nothing where reads are not retried.
    #[inline]
    pub fn sensed_at(&self, unit: u32, slot: u8) -> Option<Ns> {
        self.commands.get(unit as usize).map(|commands| commands[slot as usize].sensed_at)
    }

    /// Which sense of a page is on its way.
    #[inline]
    pub fn arrival(&self, unit: u32, slot: usize, plane: u8) -> Arrival {
        self.commands
            .get(unit as usize)
            .map_or(Arrival::default(), |commands| commands[slot].pages[plane as usize].shipped)
    }

    /// A page has been decoded.
    #[inline]
    pub fn decoded(&mut self, unit: u32, slot: usize, plane: u8, arrival: Arrival) {
        let Some(commands) = self.commands.get_mut(unit as usize) else { return };
        let retry = &mut commands[slot];
        retry.needed = retry.needed.max(arrival.retries);
        if arrival.retries > 0 {
            let retries = usize::from(arrival.retries);
            if self.steps.len() <= retries {
                self.steps.resize(retries + 1, 0);
            }
            self.steps[retries] += 1;
        }
        if self.rules.retry.voltages == Voltages::Pso {
            self.tracker.learn(retry.pages[plane as usize].group, arrival.step);
        }
    }
}

/// The planes in a mask.
fn planes(mask: u8) -> impl Iterator<Item = u8> {
    (0..PLANES_MAX as u8).filter(move |plane| mask >> plane & 1 == 1)
}

impl Controller {
    /// A read command reaches the die: its first phases.
    #[inline(never)]
    pub(super) fn begin_read(&mut self, unit: u32, stage: &Stage) {
        let command = &self.units[unit as usize].slots[ARRAY];
        let mut retry = Retry { sensing: command.pending, ..Retry::default() };
        for (page, &id) in retry.pages.iter_mut().zip(command.txns()) {
            *page = self.retries.page(&stage.outbox.txns[id], stage);
        }
        // The die has one timing: what is safe for the block that bears least.
        let cuts = command.txns().iter().map(|&id| self.retries.cut_of(&stage.outbox.txns[id], stage));
        let cut = self.retries.cuts[cuts.max().unwrap_or(0)];
        retry.cut = cut;
        self.retries.commands[unit as usize][ARRAY] = retry;
        let context = self.read_context(unit, ARRAY, cut, stage);
        let progress = &mut self.retries.commands[unit as usize][ARRAY].progress;
        let phases = self.retries.rules.begin(progress, &context);
        self.units[unit as usize].slots[ARRAY].phases = phases;
    }

    /// What the policy may know of a command.
    fn read_context(&self, unit: u32, slot: usize, cut: PrechargeCut, stage: &Stage) -> ReadContext {
        let timing = &stage.nand.timing;
        let command = &self.units[unit as usize].slots[slot];
        let pages = &self.retries.commands[unit as usize][slot].pages;
        ReadContext {
            sense: command.slowest,
            short_sense: timing.shortened(command.slowest, cut.fraction),
            reset: timing.reset,
            set_feature: timing.set_feature,
            check: timing.on_die_check,
            is_running: command.running.is_some(),
            expects_failure: self.retries.rules.retry.voltages == Voltages::Predictive
                && pages[..command.planes as usize].iter().any(|page| page.hints.start > 0),
            attempt: planes(command.pending).map(|plane| pages[plane as usize].attempt).min().unwrap_or(0),
        }
    }

    /// A sense has ended and the register is free: ship its pages, or check them on the die first.
    pub(super) fn retry_sensed(&mut self, unit: u32, stage: &mut Stage) {
        let &Retry { mut progress, cut, sensing, .. } = &self.retries.commands[unit as usize][ARRAY];
        let context = self.read_context(unit, ARRAY, cut, stage);
        let decoding = self.retries.decoding(unit, &stage.nand);
        let is_first = progress.retries == 0;
        let plan = self.retries.rules.sensed(&mut progress, &context);
        let command = &mut self.units[unit as usize].slots[ARRAY];
        command.phases = plan.phases;
        if !plan.ships {
            self.counters.on_die_checks += 1;
            self.next_phase(unit, stage.now, stage);
            return;
        }
        let (pending, sensed_at) = (command.pending, command.phase_end);
        // A plane whose page has been decoded while this sense ran drops out.
        let shipped = sensing & pending;
        if is_first {
            self.counters.first_failures += u64::from((shipped & !decoding).count_ones());
        }
        self.retries.note_shipped(unit, shipped, sensed_at);
        let retry = &mut self.retries.commands[unit as usize][ARRAY];
        retry.progress = progress;
        if plan.senses {
            self.retries.sense(unit, pending, false, &stage.nand);
            self.counters.retry_senses += 1;
        }
        self.ship(unit, shipped, decoding, stage);
    }

    /// The check on the die has ended: pages that look good cross the channel, the others are sensed again.
    pub(super) fn checked_on_die(&mut self, unit: u32, stage: &mut Stage) {
        let &Retry { mut progress, cut, sensing, .. } = &self.retries.commands[unit as usize][ARRAY];
        let command = &self.units[unit as usize].slots[ARRAY];
        let sensed_at = command.phase_end;
        let decoding = self.retries.decoding(unit, &stage.nand);
        let doomed = self.retries.doomed(unit, decoding, &stage.nand);
        let shipped = sensing & !doomed;
        if progress.retries == 0 {
            self.counters.first_failures += u64::from((sensing & !decoding).count_ones());
        }
        self.counters.needless_on_die_retries += u64::from((doomed & decoding).count_ones());
        self.counters.missed_on_die += u64::from((shipped & !decoding).count_ones());
        self.retries.note_shipped(unit, shipped, sensed_at);
        if doomed != 0 {
            let context = self.read_context(unit, ARRAY, cut, stage);
            let phases = self.retries.rules.doomed(&mut progress, &context);
            let retry = &mut self.retries.commands[unit as usize][ARRAY];
            retry.progress = progress;
            self.retries.sense(unit, doomed, false, &stage.nand);
            self.counters.retry_senses += 1;
            self.units[unit as usize].slots[ARRAY].phases = phases;
        }
        if shipped == 0 {
            self.next_phase(unit, stage.now, stage);
        } else {
            self.ship(unit, shipped, decoding, stage);
        }
    }

    /// Nothing of a read is under way any more, and some of its pages have not decoded.
    pub(super) fn retry_failed(&mut self, unit: u32, stage: &mut Stage) {
        let &Retry { mut progress, cut, .. } = &self.retries.commands[unit as usize][ARRAY];
        let context = self.read_context(unit, ARRAY, cut, stage);
        let had_fallen_back = progress.has_fallen_back;
        let phases = self.retries.rules.failed(&mut progress, &context);
        let command = &mut self.units[unit as usize].slots[ARRAY];
        let retry = &mut self.retries.commands[unit as usize][ARRAY];
        retry.progress = progress;
        if phases.is_empty() {
            // Everything has been tried: the data are lost, which is not the simulator's to mend.
            retry.needed = progress.retries;
            for plane in planes(std::mem::take(&mut command.pending)) {
                self.counters.uncorrectable_pages += 1;
                stage.done.push(command.txns[plane as usize]);
            }
            self.go_on(unit, ARRAY, stage);
            return;
        }
        let falls_back = progress.has_fallen_back != had_fallen_back;
        self.counters.fallbacks += u64::from(falls_back);
        self.counters.retry_senses += 1;
        command.phases = phases;
        self.retries.sense(unit, command.pending, falls_back, &stage.nand);
        self.next_phase(unit, stage.now, stage);
    }

    /// All pages of a read are decoded: what the die still has to do.
    pub(super) fn retry_finished(&mut self, unit: u32, slot: usize, stage: &Stage) -> Phases {
        let &Retry { progress, cut, needed, .. } = &self.retries.commands[unit as usize][slot];
        self.counters.wasted_senses += u64::from(progress.retries - needed);
        let context = self.read_context(unit, slot, cut, stage);
        self.retries.rules.finished(&progress, &context)
    }
}
