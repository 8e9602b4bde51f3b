//! Reads that may fail: what the controller keeps of them for their policy, and what the ECC finds in their pages.
//!
//! What is kept lies beside the commands, by LUN, so that commands stay small where no read fails.

use serde::{Deserialize, Serialize};

use super::Shared;
use super::codewords::{Codewords, UnitsOfPage};
use super::command::{Command, Place, planes};
use super::transfer::{ArrivedSense, Decision};
use crate::config::Config;
use crate::engine::{Ns, state};
use crate::flash::Class;
use crate::nand::{IdVec, LunId, Nand, PLANES_MAX, Pun};
use crate::policy::read_retry::{
    ChipView, FailedSense, PageModel, PageView, ReadPolicy, ReadProgress, SourceMemory,
};
use wordline_cells::ecc::{CHUNK_BYTES, Code, SoftSenses, Verdict};
use wordline_cells::read::{Page, ReadAt};
use wordline_cells::variation::{Purpose, hash};

/// The command in the array: the only one that senses.
const ARRAY: usize = Place::Array as usize;

/// One page of a read command.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct RetriedPage {
    page: Page,
    /// What is read of it.
    codewords: Codewords,
    /// Its block is in a mode without errors.
    is_clean: bool,
    /// What the policy knows of it.
    memory: SourceMemory,
    /// Number of the sense that was started last, from 0, in this round.
    attempt: u8,
    /// Its voltages.
    at: ReadAt,
    /// What the ECC finds, or would find, in it as it was sensed last.
    verdict: Option<Verdict>,
    /// [`Retries::worst_bits`] of the sense that had the fewest so far; noted only for soft decisions.
    fewest_bits: Option<f32>,
    /// Which sense is on its way to the controller.
    shipped: ArrivedSense,
}

/// A read command that may fail.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct RetriedRead {
    progress: ReadProgress,
    /// Planes that the last sense was started for.
    sensing: u8,
    /// Retry senses that were needed, of the page that needed most.
    needed: u8,
    /// When the array was done with the pages that ship next.
    sensed_at: Ns,
    pages: [RetriedPage; PLANES_MAX],
}

/// The state of all reads that may fail; empty where no page ever fails.
#[derive(Debug)]
pub(super) struct Retries {
    pub policy: ReadPolicy,
    /// By LUN: the command in the array, and the one in the second register.
    commands: IdVec<LunId, [RetriedRead; 2]>,
    code: Code,
    /// The same code with soft decisions, where a policy takes them.
    soft_code: Option<Code>,
    units_of_page: Option<UnitsOfPage>,
    seed: u64,
    /// Page reads by the number of retry senses that they took; those that took none are not counted.
    pub steps: Vec<u64>,
}

state! {
    Retries {
        values: commands, steps;
        derived: policy, code, soft_code, units_of_page, seed;
    }
}

impl Retries {
    pub fn new(config: &Config, nand: &Nand, luns: u32) -> Retries {
        let is_ideal = config.read.retry.is_ideal();
        let policy = ReadPolicy::new(
            config.read.retry,
            &config.read.policies,
            &config.device_view(),
            &ChipView::new(&nand.reads),
        );
        let soft_senses = SoftSenses::of(policy.soft_senses());
        let units_of_page = UnitsOfPage::new(config);
        // Chunks that are read one by one are judged one by one.
        let page_bytes = if units_of_page.is_some() { CHUNK_BYTES } else { config.ssd.page_bytes };
        Retries {
            policy,
            soft_code: soft_senses.map(|senses| config.ecc.soft_code(page_bytes, senses)),
            commands: IdVec::filled(if is_ideal { 0 } else { luns as usize }, [RetriedRead::default(); 2]),
            code: config.ecc.code(page_bytes),
            units_of_page,
            seed: config.seed,
            steps: Vec::new(),
        }
    }

    /// True where no page ever fails.
    #[inline]
    pub fn are_off(&self) -> bool {
        self.commands.is_empty()
    }

    /// A command has reached the die: its pages, of which the first sense is about to start.
    pub fn begin(&mut self, lun: LunId, command: &Command, shared: &Shared) {
        let mut progress = ReadProgress::default();
        for (plane, &id) in command.txns().iter().enumerate() {
            let page = self.page(id, &mut progress, shared);
            self.commands[lun][ARRAY].pages[plane] = page;
        }
        let retry = &mut self.commands[lun][ARRAY];
        // What other planes had in an earlier command is never looked at.
        (retry.progress, retry.sensing) = (progress, command.read.pending());
        (retry.needed, retry.sensed_at) = (0, 0);
    }

    /// The policy, and what it keeps of a command.
    #[inline]
    pub fn asked(&mut self, lun: LunId, place: Place) -> (&ReadPolicy, &mut ReadProgress) {
        (&self.policy, &mut self.commands[lun][place as usize].progress)
    }

    /// How far the command in the array has come.
    #[inline]
    pub fn progress(&self, lun: LunId) -> ReadProgress {
        self.commands[lun][ARRAY].progress
    }

    /// Number of the last sense of the round, from 0, of the page in `mask` that was sensed least.
    #[inline]
    pub fn attempt(&self, lun: LunId, place: Place, mask: u8) -> u8 {
        let pages = &self.commands[lun][place as usize].pages;
        planes(mask).map(|plane| pages[plane as usize].attempt).min().unwrap_or(0)
    }

    /// A page of a command that has reached the die: its state, and what the controller knows.
    fn page(&mut self, id: u32, progress: &mut ReadProgress, shared: &Shared) -> RetriedPage {
        let txn = &shared.outbox.txns[id];
        let (nand, die) = (&shared.nand, txn.handling.die);
        let block = nand.geometry.block_of(txn.ppn);
        let condition = match txn.class {
            Class::MapRead => nand.condition_of_mapping(txn.ppn, shared.now),
            _ => nand.condition(txn.ppn, shared.now),
        };
        let page = nand.page_in(txn.ppn, die, &condition);
        let view = PageView {
            die,
            block,
            layer: page.place.layer,
            pec: nand.wearing_pec(block),
            is_merged: nand.has_merged_errors(txn.ppn),
            model: PageModel::new(&nand.reads, &condition),
        };
        let memory = self.policy.page(progress, &view);
        let is_clean = !nand.timing.modes[txn.mode].has_errors;
        let units = || shared.outbox.txns.all_carried(id).map(|carried| carried.unit);
        let codewords = self.units_of_page.as_ref().map(|of_page| of_page.codewords(txn.ppn, units()));
        let at = self.policy.position(0, &memory);
        RetriedPage {
            page,
            codewords: codewords.unwrap_or_default(),
            memory,
            is_clean,
            at,
            ..RetriedPage::default()
        }
    }

    /// Errors in the page of a plane, as the sense that has ended read it: see [`Codewords::errors`].
    fn errors(&self, lun: LunId, plane: u8, nand: &Nand) -> f32 {
        let codewords = self.commands[lun][ARRAY].pages[plane as usize].codewords;
        codewords.errors(self.worst_bits(lun, plane, nand), &self.code, self.seed)
    }

    /// Errors that the worst codeword of a page has on average, as the sense that has ended read it.
    #[inline]
    fn worst_bits(&self, lun: LunId, plane: u8, nand: &Nand) -> f32 {
        let retry = &self.commands[lun][ARRAY];
        let page = &retry.pages[plane as usize];
        if page.is_clean {
            return 0.0;
        }
        let cut = retry.progress.cut.unwrap_or_default();
        nand.reads.errors(&page.page, page.at, &cut)
    }

    /// Bits that belong to a chunk of a page and to the sense that has ended.
    fn bits(&self, lun: LunId, plane: u8, chunk: u32, purpose: Purpose) -> u64 {
        let retry = &self.commands[lun][ARRAY];
        let place = retry.pages[plane as usize].page.place;
        let sense =
            u64::from(place.block) << 32 | u64::from(place.page) << 8 | u64::from(retry.progress.retries);
        let sense = sense ^ u64::from(chunk) << 28;
        hash(self.seed, sense, purpose)
    }

    /// The planes whose pages decode as they were sensed last.
    pub fn decoding(&mut self, lun: LunId, nand: &Nand) -> u8 {
        let retry = &self.commands[lun][ARRAY];
        let is_given = self.policy.decodes_anyway(retry.progress.retries);
        let mut decoding = 0;
        for plane in planes(retry.sensing) {
            let mut verdict = self.verdict(lun, plane, self.worst_bits(lun, plane, nand));
            verdict.ok |= is_given;
            decoding |= u8::from(verdict.ok) << plane;
            self.commands[lun][ARRAY].pages[plane as usize].verdict = Some(verdict);
        }
        decoding
    }

    /// What the ECC finds in the page of a plane. Soft decisions need all their senses, which lie around the voltages with the
    /// fewest errors so far.
    #[inline]
    fn verdict(&mut self, lun: LunId, plane: u8, worst_bits: f32) -> Verdict {
        let retry = &mut self.commands[lun][ARRAY];
        let (senses, page) = (retry.progress.soft, &mut retry.pages[plane as usize]);
        let (code, worst_bits) = match &self.soft_code {
            None => (&self.code, worst_bits),
            Some(_) if senses == 0 => {
                let fewest = &mut page.fewest_bits;
                *fewest = Some(fewest.map_or(worst_bits, |fewest| fewest.min(worst_bits)));
                (&self.code, worst_bits)
            }
            Some(_) if senses < self.policy.soft_senses() => return Verdict { ok: false, iterations: 0 },
            Some(code) => (code, page.fewest_bits.unwrap_or(worst_bits)),
        };
        let mut codewords = page.codewords;
        let draw = |chunk| self.bits(lun, plane, chunk, Purpose::Decoding);
        let verdict = codewords.decode(code, worst_bits, self.seed, draw);
        self.commands[lun][ARRAY].pages[plane as usize].codewords = codewords;
        verdict
    }

    /// Whether a mapping unit of the page of a plane is lost, since what was read of the page did not all decode.
    pub fn is_lost(&self, lun: LunId, plane: u8, mapping_unit: Pun) -> bool {
        let codewords = &self.commands[lun][ARRAY].pages[plane as usize].codewords;
        self.units_of_page.as_ref().is_none_or(|of_page| codewords.lacks(of_page.kib_of(mapping_unit)))
    }

    /// What becomes of the pages of the sense that has ended.
    fn decision(&self, progress: &ReadProgress) -> Decision {
        match progress.soft {
            0 => Decision::Hard,
            senses if senses < self.policy.soft_senses() => Decision::Gathered,
            _ => Decision::Soft,
        }
    }

    /// The planes whose pages the die takes for doomed.
    pub fn doomed(&self, lun: LunId, decoding: u8, nand: &Nand) -> u8 {
        let Some(predictor) = self.policy.predictor() else { return 0 };
        planes(self.commands[lun][ARRAY].sensing)
            .filter(|&plane| {
                let bits = self.bits(lun, plane, 0, Purpose::Prediction);
                predictor.says_retry(self.errors(lun, plane, nand), decoding >> plane & 1 == 1, bits)
            })
            .fold(0, |mask, plane| mask | 1 << plane)
    }

    /// Notes the errors of pages that decode as they were sensed last.
    #[inline(never)]
    pub fn note_errors(&self, lun: LunId, decoding: u8, command: &Command, shared: &mut Shared) {
        for plane in planes(decoding & command.read.pending()) {
            let bits = self.errors(lun, plane, &shared.nand);
            let ppn = shared.outbox.txns[command.txns[plane as usize]].ppn;
            shared.nand.corrected(ppn, bits);
        }
    }

    /// A further sense is started.
    pub fn sense(&mut self, lun: LunId, mask: u8, from_the_start: bool, nand: &Nand) {
        let retry = &mut self.commands[lun][ARRAY];
        retry.sensing = mask;
        if retry.progress.soft > 0 {
            // Beside the references: no further step.
            return;
        }
        for plane in planes(mask) {
            let RetriedPage { page, memory, attempt, at, .. } = &mut retry.pages[plane as usize];
            let last = if from_the_start { 0 } else { *attempt };
            self.policy.estimate(memory, &FailedSense::new(&nand.reads, page, last));
            *attempt = last + 1;
            *at = self.policy.position(*attempt, memory);
        }
    }

    /// Notes which sense the pages of these planes were in that cross the channel now: the one that has ended, and after
    /// which the command was at `progress`.
    pub fn note_shipped(&mut self, lun: LunId, mask: u8, sensed_at: Ns, progress: &ReadProgress) {
        let decision = self.decision(progress);
        let retry = &mut self.commands[lun][ARRAY];
        retry.sensed_at = sensed_at;
        for plane in planes(mask) {
            let page = &mut retry.pages[plane as usize];
            page.shipped = ArrivedSense {
                retries: progress.retries,
                step: page.at.entry(),
                iterations: page.verdict.map_or(0, |verdict| verdict.iterations),
                decision,
            };
        }
    }

    /// A page needed all the senses that there were.
    pub fn all_were_needed(&mut self, lun: LunId) {
        let retry = &mut self.commands[lun][ARRAY];
        retry.needed = retry.progress.retries;
    }

    /// Retry senses of a command that no page needed.
    #[inline]
    pub fn wasted_senses(&self, lun: LunId, place: Place) -> u64 {
        let RetriedRead { progress, needed, .. } = &self.commands[lun][place as usize];
        u64::from(progress.retries - needed)
    }

    /// The command in the array moves to the second register.
    #[inline]
    pub fn moved_to_register(&mut self, lun: LunId) {
        if let Some(commands) = self.commands.get_mut(lun.index()) {
            commands[Place::Register as usize] = commands[ARRAY];
        }
    }

    /// The planes that the running, or last, sense was started for.
    #[inline]
    pub fn sensing(&self, lun: LunId) -> u8 {
        self.commands.get(lun.index()).map_or(u8::MAX, |commands| commands[ARRAY].sensing)
    }

    /// The senses of the command are shortened, which has to be set back.
    #[inline]
    pub fn is_short(&self, lun: LunId) -> bool {
        self.commands.get(lun.index()).is_some_and(|commands| commands[ARRAY].progress.is_short())
    }

    /// When the array was done with the pages of a command that ship; nothing where reads are not retried.
    #[inline]
    pub fn sensed_at(&self, lun: LunId, place: Place) -> Option<Ns> {
        self.commands.get(lun.index()).map(|commands| commands[place as usize].sensed_at)
    }

    /// Which sense of a page is on its way.
    #[inline]
    pub fn arrival(&self, lun: LunId, place: Place, plane: u8) -> ArrivedSense {
        self.commands.get(lun.index()).map_or(ArrivedSense::default(), |commands| {
            commands[place as usize].pages[plane as usize].shipped
        })
    }

    /// The die has to wait until it is known whether a page decodes: it has begun the next step, which RESET ends, or its
    /// timing has to be set back (PR2/AR2, Fig. 12b and 13).
    #[inline]
    pub fn waits_for_verdict(&self, lun: LunId, place: Place, arrival: ArrivedSense) -> bool {
        self.commands.get(lun.index()).is_some_and(|commands| {
            let progress = &commands[place as usize].progress;
            progress.retries > arrival.retries || progress.is_short()
        })
    }

    /// A page has been decoded.
    #[inline]
    pub fn decoded(&mut self, lun: LunId, place: Place, plane: u8, arrival: ArrivedSense) {
        let Some(commands) = self.commands.get_mut(lun.index()) else { return };
        let retry = &mut commands[place as usize];
        retry.needed = retry.needed.max(arrival.retries);
        if arrival.retries > 0 {
            let retries = usize::from(arrival.retries);
            if self.steps.len() <= retries {
                self.steps.resize(retries + 1, 0);
            }
            self.steps[retries] += 1;
        }
        if arrival.decision == Decision::Hard {
            self.policy.learn(&retry.pages[plane as usize].memory, arrival.step);
        }
    }
}
