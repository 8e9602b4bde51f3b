//! The data of a program of several pages come to the die page by page, and reads of other dies pass between them: their
//! commands, and their data as far as `channel.order` lets these go first. No other program begins on the channel meanwhile.
//!
//! A read that suspends a program may take the place of the data that have come for the next one (`program.suspend_loaded`).

use serde::{Deserialize, Serialize};

use super::command::{Command, Place};
use super::{Controller, Shared};
use crate::config::SuspendLoaded;
use crate::engine::Ns;
use crate::flash::TxnOp;
use wordline_cells::ids::{ChannelId, LunId};

/// A program whose data are coming to its die.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Load {
    pub lun: LunId,
    /// Pages to come.
    left: u32,
    /// Bus time of each.
    time: Ns,
}

impl Load {
    /// The data of a command, where they are of several pages, with the bus time of the first one.
    pub fn of(lun: LunId, command: &Command, shared: &Shared) -> Option<(Load, Ns)> {
        let pages = pages_of(command, shared);
        if command.op != TxnOp::Program || pages == 1 {
            return None;
        }
        let timing = &shared.nand.timing;
        let first = &shared.outbox.txns[command.txns[0]];
        let data = timing.data_in(first.bytes / u32::from(first.pages));
        let further = timing.program_command(2) - timing.program_command(1);
        Some((Load { lun, left: pages - 1, time: further + data }, timing.program_command(1) + data))
    }
}

/// Pages of a command.
pub(super) fn pages_of(command: &Command, shared: &Shared) -> u32 {
    command.txns().iter().map(|&id| u32::from(shared.outbox.txns[id].pages)).sum()
}

impl Controller {
    /// Brings the next page of a program to its die, after which the bus may have more to do.
    #[inline(never)]
    pub(super) fn go_on_loading(&mut self, channel: ChannelId, load: Load, shared: &mut Shared) {
        let loaded = shared.now + load.time;
        let bus = &mut self.channels[channel];
        bus.end_ecc_wait(shared.now);
        bus.free_at = loaded;
        bus.time.write += load.time;
        let left = load.left - 1;
        bus.loading = (left > 0).then_some(Load { left, ..load });
        // The command may have come from the register into the array meanwhile.
        let state = &mut self.luns[load.lun];
        let is_in_register = state.has(Place::Register) && state[Place::Register].op == TxnOp::Program;
        let place = if is_in_register { Place::Register } else { Place::Array };
        state[place].phase_end = loaded;
        let what = (&shared.outbox.txns, state[place].txns[0]);
        shared.timeline.channel(channel, "command", shared.now, load.time, what);
        if left == 0 {
            self.data_are_in(load.lun, place, loaded, shared);
            self.look_again(load.lun, shared);
        }
    }

    /// All data of a program are on its die: it begins, unless it had begun already when its data made way for a read.
    pub(super) fn data_are_in(&mut self, lun: LunId, place: Place, loaded: Ns, shared: &mut Shared) {
        if self.luns[lun][place].phases.is_empty() {
            self.begin(lun, place, loaded, shared);
        } else if place == Place::Array {
            self.begin_in_array(lun, loaded, shared);
        }
    }

    /// The program that is loaded, or on its way in, makes way for a read where its latches are needed. It is loaded again
    /// before anything but reads.
    #[inline(never)]
    pub(super) fn make_way(&mut self, lun: LunId) {
        if self.behaviour.suspend_loaded != SuspendLoaded::Reload {
            return;
        }
        if self.is_loading(lun) {
            let channel = self.channel_of(lun);
            self.channels[channel].loading = None;
        }
        let state = &mut self.luns[lun];
        let command = state.lift(Place::Register);
        state.put(Place::Dropped, command);
    }

    /// True while data of a program are coming to a LUN.
    pub(super) fn is_loading(&self, lun: LunId) -> bool {
        self.channels[self.channel_of(lun)].loading.is_some_and(|load| load.lun == lun)
    }
}
