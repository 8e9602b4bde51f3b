//! Commands of a read beside its first: retry senses, SET FEATURE and RESET.
//!
//! They are a few bytes, and a controller sends them between the bytes of a page that is on the bus. So they do not wait
//! for the bus. Their time is added to that of the die's phase, and the bus is occupied for as long, at once or behind the
//! page that it carries.

use super::command::Place;
use super::{Controller, Shared};
use crate::engine::Ns;
use crate::flash::Phase;
use crate::nand::{LunId, NONE};

impl Controller {
    /// A retry sense is started by the controller.
    #[inline]
    pub(super) fn send_retry(&mut self, lun: LunId, shared: &mut Shared) {
        self.counters.retry_senses += 1;
        self.occupy_bus(lun, shared.nand.timing.read.retry_command, shared);
    }

    /// A phase begins that the controller has to ask for.
    #[inline]
    pub(super) fn send_phase(&mut self, lun: LunId, phase: Phase, shared: &mut Shared) {
        match phase {
            Phase::SetFeature(_) => self.occupy_bus(lun, shared.nand.timing.set_feature_command, shared),
            Phase::Reset(_) => self.occupy_bus(lun, shared.nand.timing.reset_command, shared),
            _ => {}
        }
    }

    fn occupy_bus(&mut self, lun: LunId, time: Ns, shared: &mut Shared) {
        if time == 0 {
            return;
        }
        let channel = self.channel_of(lun);
        let bus = &mut self.channels[channel];
        bus.end_ecc_wait(shared.now);
        let begin = bus.free_at.max(shared.now);
        bus.free_at = begin + time;
        bus.time.correct += time;
        let id = self.luns[lun][Place::Array].txns[0];
        if shared.timeline.is_on() && id != NONE {
            shared.timeline.channel(channel, "command", begin, time, (&shared.outbox.txns, id));
        }
        if bus.has_work() {
            self.channels.note(channel);
        }
    }
}
