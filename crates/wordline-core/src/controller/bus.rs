//! A channel: its bus, the pages that wait for it, and the ECC engine behind it.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::command::Place;
use super::loading::Load;
use crate::engine::{Ns, state};
use crate::nand::PLANES_MAX;
use wordline_cells::ids::{ChannelId, IdVec, LunId};

/// Where a channel's time went, ns. What is left of the run is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelTime {
    /// Commands and data of reads that decode.
    pub correct: Ns,
    /// Data of reads that do not decode.
    pub uncorrectable: Ns,
    /// A page waits for a place in the ECC engine, and the bus is otherwise idle.
    pub ecc_wait: Ns,
    /// Commands and data of programs, and commands of erases.
    pub write: Ns,
}

/// A page on its way from a die to the controller.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Shipment {
    pub lun: LunId,
    pub place: Place,
    pub plane: u8,
    pub serial: u32,
}

/// One channel.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Bus {
    /// When the bus comes free.
    pub(super) free_at: Ns,
    /// Ticket of the `Bus` event at `free_at`, or 0 when none is under way.
    pub(super) ticket: u64,
    /// Luns of the channel that may have something to dispatch.
    pub(super) candidates: u64,
    /// Luns at and after the one to look at first, a bit each.
    pub(super) from_turn: u64,
    pub(super) current: Option<Shipment>,
    pub(super) waiting: VecDeque<Shipment>,
    /// The program whose data are coming page by page.
    pub(super) loading: Option<Load>,
    /// Pages that were moved since the last command with data.
    pub(super) pages_in_a_row: u32,
    /// Pages in the ECC engine, on the way there included.
    pub(super) ecc_pages: u32,
    /// When the serial ECC engine comes free.
    pub(super) ecc_free_at: Ns,
    /// Since when a page waits for the ECC engine with the bus free.
    pub(super) ecc_wait_since: Option<Ns>,
    pub(super) ecc_busy: Ns,
    pub(super) time: ChannelTime,
}

impl Bus {
    /// Where the channel's time went so far.
    #[must_use]
    pub fn time(&self) -> ChannelTime {
        self.time
    }

    /// Time that the ECC engine decoded, ns.
    #[must_use]
    pub fn ecc_busy(&self) -> Ns {
        self.ecc_busy
    }

    /// True when a page waits for the channel, or a LUN may have something to dispatch.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        self.has_commands() || !self.waiting.is_empty()
    }

    /// True when a LUN may have something to dispatch, or a program waits for more of its data.
    #[inline]
    pub(super) fn has_commands(&self) -> bool {
        self.candidates != 0 || self.loading.is_some()
    }

    /// A page has waited for the ECC engine until now.
    #[inline]
    pub(super) fn end_ecc_wait(&mut self, now: Ns) {
        if let Some(since) = self.ecc_wait_since.take() {
            self.time.ecc_wait += now - since;
        }
    }
}

/// All channels.
#[derive(Debug)]
pub(super) struct Channels {
    buses: IdVec<ChannelId, Bus>,
    /// Those for which something changed, a bit each.
    noted: u64,
}

state! {
    Channels {
        values: buses, noted;
    }
}

impl Channels {
    /// Whether there are so many, and all that waits for them is there.
    pub fn are_sound(&self, count: usize, luns: usize, per_channel: u32) -> bool {
        let fits = |bits: u64, count: u32| count >= u64::BITS || bits >> count == 0;
        let is_shipped =
            |shipment: &Shipment| shipment.lun.index() < luns && usize::from(shipment.plane) < PLANES_MAX;
        let is_sound = |bus: &Bus| {
            fits(bus.candidates, per_channel) && bus.current.iter().chain(&bus.waiting).all(is_shipped)
        };
        self.buses.len() == count && fits(self.noted, count as u32) && self.buses.iter().all(is_sound)
    }

    /// Idle ones.
    pub fn new(count: u32) -> Channels {
        Channels { buses: (0..count).map(|_| Bus::default()).collect::<Vec<_>>().into(), noted: 0 }
    }

    /// The channels, for their time accounts.
    pub fn all(&self) -> &[Bus] {
        &self.buses
    }

    /// Something changed for a channel: it is served next.
    #[inline(always)]
    pub fn note(&mut self, channel: ChannelId) {
        self.noted |= 1 << channel.number();
    }

    /// True when something changed for a channel.
    #[inline(always)]
    pub fn any_noted(&self) -> bool {
        self.noted != 0
    }

    /// Takes the first channel for which something changed.
    #[inline(always)]
    pub fn take_noted(&mut self) -> Option<ChannelId> {
        if self.noted == 0 {
            return None;
        }
        let channel = ChannelId::new(self.noted.trailing_zeros());
        self.noted &= self.noted - 1;
        Some(channel)
    }

    /// Power is gone: everything on the way is forgotten; the accounts stay.
    pub fn power_cut(&mut self) {
        self.noted = 0;
        for bus in self.buses.iter_mut() {
            *bus = Bus { time: bus.time, ecc_busy: bus.ecc_busy, ..Bus::default() };
        }
    }
}

impl Index<ChannelId> for Channels {
    type Output = Bus;

    #[inline(always)]
    fn index(&self, channel: ChannelId) -> &Bus {
        &self.buses[channel]
    }
}

impl IndexMut<ChannelId> for Channels {
    #[inline(always)]
    fn index_mut(&mut self, channel: ChannelId) -> &mut Bus {
        &mut self.buses[channel]
    }
}
