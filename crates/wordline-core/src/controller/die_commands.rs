//! Commands of a read beside its first: retry senses, SET FEATURE and RESET.
//!
//! They are a few bytes, and a controller sends them between the bytes of a page that is on the bus. So they do not wait
//! for the bus. Their time is added to that of the die's phase, and the bus is occupied for as long, at once or behind the
//! page that it carries.

use super::command::Place;
use super::{Controller, Stage};
use crate::engine::Ns;
use crate::flash::Phase;
use crate::nand::{LunId, NONE};

impl Controller {
    /// A retry sense is started by the controller.
    #[inline]
    pub(super) fn send_retry(&mut self, lun: LunId, stage: &mut Stage) {
        self.counters.retry_senses += 1;
        self.occupy_bus(lun, stage.nand.timing.read.retry_command, stage);
    }

    /// A phase begins that the controller has to ask for.
    #[inline]
    pub(super) fn send_phase(&mut self, lun: LunId, phase: Phase, stage: &mut Stage) {
        match phase {
            Phase::SetFeature(_) => self.occupy_bus(lun, stage.nand.timing.set_feature_command, stage),
            Phase::Reset(_) => self.occupy_bus(lun, stage.nand.timing.reset_command, stage),
            _ => {}
        }
    }

    fn occupy_bus(&mut self, lun: LunId, time: Ns, stage: &mut Stage) {
        if time == 0 {
            return;
        }
        let channel = self.channel_of(lun);
        let bus = &mut self.channels[channel];
        bus.end_ecc_wait(stage.now);
        let begin = bus.free_at.max(stage.now);
        bus.free_at = begin + time;
        bus.time.correct += time;
        let id = self.luns[lun][Place::Array].txns[0];
        if stage.timeline.is_on() && id != NONE {
            stage.timeline.channel(channel, "command", begin, time, (&stage.outbox.txns, id));
        }
        if bus.has_work() {
            self.channels.note(channel);
        }
    }
}
