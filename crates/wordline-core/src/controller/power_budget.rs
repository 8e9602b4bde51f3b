//! How many programs the SSD's power allows at a time (`nand.max_programs`): in the arrays of all dies.
//!
//! A program whose data are on its die waits for its turn, in the order in which they came. Meanwhile the die reads for the
//! host, as while a program is suspended. A program that reads have suspended keeps its turn.

use std::collections::VecDeque;

use super::array::kind;
use super::command::Place;
use super::{Controller, Shared};
use crate::engine::{Ns, state};
use crate::flash::TxnOp;
use wordline_cells::ids::LunId;

/// Programs under way, and the LUNs whose programs wait.
#[derive(Debug)]
pub(super) struct PowerBudget {
    /// At most; 0 = no limit.
    limit: u32,
    under_way: u32,
    waiting: VecDeque<LunId>,
}

state! {
    PowerBudget {
        values: under_way, waiting;
        derived: limit;
    }
}

impl PowerBudget {
    /// Nothing is under way.
    pub fn new(limit: u32) -> PowerBudget {
        PowerBudget { limit, under_way: 0, waiting: VecDeque::new() }
    }

    /// True where what a command does counts.
    #[inline]
    fn counts(&self, op: TxnOp) -> bool {
        self.limit > 0 && kind(op) == kind(TxnOp::Program)
    }

    /// A program may begin; otherwise its LUN waits.
    fn admits(&mut self, lun: LunId) -> bool {
        if self.under_way < self.limit {
            self.under_way += 1;
            return true;
        }
        self.waiting.push_back(lun);
        false
    }

    /// A program has ended: the LUN whose turn it is now.
    fn ended(&mut self) -> Option<LunId> {
        let next = self.waiting.pop_front();
        self.under_way -= u32::from(next.is_none());
        next
    }

    /// Power is gone, and every program with it.
    pub fn power_cut(&mut self) {
        self.under_way = 0;
        self.waiting.clear();
    }
}

impl Controller {
    /// Starts the first phase of the command in the array at `at`. A program for which there is no power makes way for reads.
    #[inline]
    pub(super) fn begin_in_array(&mut self, lun: LunId, at: Ns, shared: &mut Shared) {
        if self.power.counts(self.luns[lun][Place::Array].op) && !self.power.admits(lun) {
            return self.wait_for_power(lun);
        }
        self.next_phase(lun, at, shared);
    }

    #[inline(never)]
    fn wait_for_power(&mut self, lun: LunId) {
        let state = &mut self.luns[lun];
        let mut command = state.lift(Place::Array);
        command.waits_for_power = true;
        state.put(Place::Suspended, command);
        self.offer(lun);
    }

    /// What a command did is over: another program may begin.
    #[inline]
    pub(super) fn give_power_back(&mut self, op: TxnOp, shared: &mut Shared) {
        if self.power.counts(op)
            && let Some(lun) = self.power.ended()
        {
            self.begin_next_program(lun, shared);
        }
    }

    #[inline(never)]
    fn begin_next_program(&mut self, lun: LunId, shared: &mut Shared) {
        let state = &mut self.luns[lun];
        state[Place::Suspended].waits_for_power = false;
        if state.has(Place::Array) || state.has_read_waiting() {
            // It goes on as what reads have suspended.
            return self.offer(lun);
        }
        let command = state.lift(Place::Suspended);
        let at = state.put(Place::Array, command).phase_end.max(shared.now);
        self.next_phase(lun, at, shared);
    }
}
