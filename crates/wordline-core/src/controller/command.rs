//! A command: the transactions that a die carries out together, and where in the die's LUN it sits.

use serde::{Deserialize, Serialize};

use super::read_state::ReadCommand;
use crate::engine::Ns;
use crate::flash::{Phase, Phases, TxnOp};
use crate::nand::{NONE, PLANES_MAX};

/// Where a command sits in its LUN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub(super) enum Place {
    /// In the array.
    Array,
    /// The second page register: a read whose data waits for the channel, or a program whose data is there before the array
    /// is free.
    Register,
    /// A program or erase that reads have interrupted.
    Suspended,
    /// A program whose data made way for a read in the page register: they cross the channel again.
    Dropped,
}

/// Number of [`Place`]s.
pub(super) const PLACES: usize = Place::Dropped as usize + 1;

/// A command on a die: one transaction, or one in each of several planes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Command {
    /// What it does.
    pub op: TxnOp,
    /// Number of transactions.
    pub planes: u8,
    /// Tells this command from later ones in the same place.
    pub serial: u32,
    pub txns: [u32; PLANES_MAX],
    /// What has become of it, where it reads.
    pub read: ReadCommand,
    /// What was left of the phase that a suspension interrupted.
    pub resumed: Option<Phase>,
    /// tR, or tPROG, of the slowest page.
    pub slowest: Ns,
    /// Phases to come.
    pub phases: Phases,
    /// The phase that the array is in.
    pub running: Option<Phase>,
    pub phase_end: Ns,
    /// Of the event at `phase_end`.
    pub ticket: u64,
    pub suspends: u32,
    /// A program that came before reads that wait, since it was its turn: they do not interrupt it. An erase lasts too long
    /// for that, and a block has only one.
    pub has_its_turn: bool,
    /// Its data are on the die, but the SSD has no power for it (`nand.max_programs`).
    pub waits_for_power: bool,
}

impl Default for Command {
    fn default() -> Self {
        Command {
            op: TxnOp::Read,
            planes: 0,
            serial: 0,
            txns: [NONE; PLANES_MAX],
            read: ReadCommand::default(),
            resumed: None,
            slowest: 0,
            phases: Phases::default(),
            running: None,
            phase_end: 0,
            ticket: 0,
            suspends: 0,
            has_its_turn: false,
            waits_for_power: false,
        }
    }
}

impl Command {
    /// A command of one transaction.
    #[inline(always)]
    pub fn of_one(op: TxnOp, id: u32, slowest: Ns) -> Command {
        let mut txns = [NONE; PLANES_MAX];
        txns[0] = id;
        Command { op, planes: 1, txns, read: ReadCommand::of_one_page(), slowest, ..Command::default() }
    }

    /// Another plane takes part.
    #[inline]
    pub fn add(&mut self, id: u32, time: Ns) {
        self.slowest = self.slowest.max(time);
        self.txns[self.planes as usize] = id;
        self.planes += 1;
        self.read.add_page();
    }

    /// True when the array has no phase of it left to begin.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.phases.is_empty() && self.resumed.is_none()
    }

    pub fn txns(&self) -> &[u32] {
        &self.txns[..self.planes as usize]
    }
}

/// The planes in a mask.
pub(super) fn planes(mut mask: u8) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let plane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (plane < u8::BITS).then_some(plane as u8)
    })
}
