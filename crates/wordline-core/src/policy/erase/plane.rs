//! What an erase policy knows of one block, and what it answers.
//!
//! A policy is asked before the first pulse and after each verify, for each plane of the command apart.
//! The command takes the time of the slowest plane; a block that is done gets no further pulse (AERO,
//! Section 6, multi-plane operations).

use serde::{Deserialize, Serialize};

use super::{DpesParams, Ept, EraseKeys};
use crate::engine::Ns;
use wordline_cells::erase::EraseCells;

/// What has to be known about the chip and the scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeParams {
    /// tEP in 0.5-ms pulses.
    pub pulses_per_loop: u8,
    /// Voltages that there are.
    pub max_loops: u8,
    /// F_PASS, bitlines.
    pub pass_fail_bits: u32,
    /// tSE in 0.5-ms pulses (AERO).
    pub shallow_pulses: u8,
    /// Share of predictions after which the block turns out to need 0.5 ms more (AERO, Section 7.4).
    pub mispredict_rate: f32,
    /// The erase-timing parameter table (AERO).
    pub ept: Ept,
    /// When and how voltage is lowered (DPES).
    pub dpes: DpesParams,
    /// The keys of all schemes, as the configuration has them.
    pub keys: EraseKeys,
}

impl SchemeParams {
    /// The parameters for a chip: AERO's tSE is given, nothing is mispredicted, all keys have their defaults.
    #[must_use]
    pub fn new(cells: &EraseCells, ept: Ept, shallow_pulses: u8) -> SchemeParams {
        SchemeParams {
            pulses_per_loop: cells.constants.pulses_per_loop,
            max_loops: cells.constants.max_loops,
            pass_fail_bits: cells.fail_bits.pass(),
            shallow_pulses,
            mispredict_rate: 0.0,
            ept,
            dpes: DpesParams::default(),
            keys: EraseKeys::default(),
        }
    }

    /// The same with these keys.
    #[must_use]
    pub fn with_keys(self, keys: EraseKeys) -> SchemeParams {
        SchemeParams { mispredict_rate: keys.mispredict_rate(), keys, ..self }
    }
}

/// What a policy sees of a block when it is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneView {
    /// Fail bits that the last verify counted.
    pub fail_bits: u32,
    /// P/E cycles of the block.
    pub pec: u32,
    /// The last pulse was predicted too short: it takes one short pulse more, whatever the fail bits are.
    pub fell_short: bool,
}

/// What the last pulse of a block was for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PulseKind {
    /// Nothing has been done.
    #[default]
    Begin,
    /// Shallow erasure (AERO's loop 0).
    Shallow,
    /// A full pulse.
    Full,
    /// A pulse whose length was predicted.
    Predicted,
    /// What a misprediction made necessary.
    Extra,
}

/// How far the erase of one block has come, as its policy sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneProgress {
    /// The block's note: AERO's shallow-erasure flag (1: skip it), i-ISPE's last loop.
    pub note: u8,
    /// Loop whose voltage was applied last; 0 before the first pulse.
    pub level: u8,
    /// 0.5-ms pulses at that voltage.
    pub in_level: u8,
    /// 0.5-ms pulses so far.
    pub pulses: u8,
    /// Verifies so far.
    pub verifies: u8,
    /// What the last pulse was.
    pub stage: PulseKind,
}

/// What to do next to a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextPulse {
    /// Pulse, then verify.
    Pulse(PulseOrder),
    /// The block is erased as far as the policy wants; its progress carries the note.
    Done,
}

/// One pulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PulseOrder {
    /// Loop whose voltage is applied, from 1.
    pub level: u8,
    /// Length in 0.5-ms pulses.
    pub short_pulses: u8,
    /// Share by which the voltage is lowered.
    pub voltage_cut: f64,
    /// Feature commands: SET FEATURE for tEP before it, GET FEATURE for the fail bits after it.
    pub features: u8,
}

impl PlaneProgress {
    /// The erase of a block begins; `note` is what its last erase left.
    #[must_use]
    pub fn new(note: u8) -> PlaneProgress {
        PlaneProgress { note, ..PlaneProgress::default() }
    }

    /// The pulse that was ordered last takes one short pulse more.
    pub(crate) fn lengthen(&mut self) {
        self.in_level += 1;
        self.pulses = self.pulses.saturating_add(1);
    }

    /// Orders a pulse, and remembers it.
    #[must_use]
    pub(super) fn pulse(
        mut self,
        level: u8,
        short_pulses: u8,
        stage: PulseKind,
    ) -> (PlaneProgress, NextPulse) {
        self.in_level = if level == self.level { self.in_level + short_pulses } else { short_pulses };
        self.level = level;
        self.pulses = self.pulses.saturating_add(short_pulses);
        self.verifies = self.verifies.saturating_add(1);
        self.stage = stage;
        (self, NextPulse::Pulse(PulseOrder { level, short_pulses, voltage_cut: 0.0, features: 0 }))
    }

    /// tBERS so far without feature commands, ns: pulses and verifies (AERO, Eq. 1).
    #[must_use]
    pub fn time_ns(&self, pulse_ns: Ns, verify_ns: Ns) -> Ns {
        Ns::from(self.pulses) * pulse_ns + Ns::from(self.verifies) * verify_ns
    }
}
