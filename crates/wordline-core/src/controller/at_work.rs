//! What dies, channels and ECC engines are doing at a moment, for the second account of checked mode.

use serde::{Deserialize, Serialize};

use super::array::kind;
use super::command::Place;
use super::{Bus, Controller, Lun};
use crate::config::EccEngine;
use crate::engine::Ns;
use crate::error::SimError;
use wordline_cells::ids::ChannelId;

/// A stretch of time that is known to be spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// What it is spent on: reads, programs and erases of a die; commands, data of reads and waiting of a channel.
    pub kind: usize,
    /// When it begins.
    pub from: Ns,
    /// When it ends, if nothing comes between.
    pub to: Ns,
}

impl Lun {
    /// The phase in the array.
    #[must_use]
    pub fn at_work(&self) -> Option<Stretch> {
        let command = &self[Place::Array];
        let phase = command.running.filter(|_| self.has(Place::Array))?;
        let to = command.phase_end;
        Some(Stretch { kind: kind(command.op), from: to - phase.ns(), to })
    }
}

/// Commands, of all operations, and data that come in.
pub const COMMANDS: usize = 0;
/// Data of reads.
pub const DATA_OUT: usize = 1;
/// A page waits for a place in the ECC engine.
pub const ECC_WAIT: usize = 2;

impl Bus {
    /// What the bus is carrying at `now`, or waiting for.
    #[must_use]
    pub fn at_work(&self, now: Ns) -> Option<Stretch> {
        if self.free_at > now {
            let kind = if self.current.is_some() { DATA_OUT } else { COMMANDS };
            return Some(Stretch { kind, from: now, to: self.free_at });
        }
        self.ecc_wait_since.map(|_| Stretch { kind: ECC_WAIT, from: now, to: Ns::MAX })
    }
}

impl Controller {
    /// Pages that the ECC engine of a channel is decoding, where it works on all it has at once; else at most one.
    #[must_use]
    pub fn decoding(&self, channel: ChannelId) -> u64 {
        let bus = &self.channels[channel];
        let inside = u64::from(bus.ecc_pages) - u64::from(bus.current.is_some());
        match self.behaviour.ecc {
            EccEngine::None => 0,
            EccEngine::Serial => inside.min(1),
            EccEngine::Pipelined => inside,
        }
    }

    /// Checked mode, when a run has ended: retry senses are those that pages needed and those that were wasted.
    ///
    /// # Errors
    /// [`SimError::Check`] where a sense is missing, or one too many.
    pub fn verify(&self) -> Result<(), SimError> {
        let counters = &self.counters;
        let (retries, wasted) = (counters.retry_senses, counters.wasted_senses);
        let steps: u64 = (0..).zip(&self.retries.steps).map(|(n, &pages)| n * pages).sum();
        // Planes of one command are sensed together; a page that cannot be corrected needed all of its senses.
        let is_exact = counters.multiplane == 0 && counters.uncorrectable_pages == 0;
        let fits = if is_exact {
            retries == steps + wasted
        } else {
            counters.uncorrectable_pages > 0 || retries <= steps + wasted
        };
        // A sense that is abandoned does not end.
        let ended = counters.senses <= counters.reads + retries;
        if fits && ended {
            return Ok(());
        }
        Err(SimError::Check(format!(
            "{retries} retry senses were begun, but pages needed {steps} and {wasted} were wasted; {} senses of {} reads ended",
            counters.senses, counters.reads
        )))
    }
}
