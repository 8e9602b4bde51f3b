//! The kinds of events, and how they are packed into a few bits.

use wordline_cells::ids::{ChannelId, LunId};

/// What happens at an instant. The index names the flow, request, LUN, channel or page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A flow has a request to submit.
    Arrival(u32),
    /// The device has a request's command, and its data if it is a write.
    Fetched(u32),
    /// A phase on a die's array ends.
    Die(LunId),
    /// A channel's bus comes free.
    Bus(ChannelId),
    /// A page leaves the ECC engine (index of its transaction).
    Decoded(u32),
    /// The host sees a request complete.
    Respond(u32),
    /// An alarm rings: the number of an [`Alarm`](super::Alarm), so that all kinds are unpacked alike.
    Alarm(u32),
    /// A transfer of the cache's DRAM ends.
    Dram(u32),
    /// The array phase of a LUN begins for which a read waits that may interrupt it.
    Look(LunId),
}

const INDEX_BITS: u32 = 24;
const KIND_BITS: u32 = 4;
/// Bits of a packed event.
pub(super) const PAYLOAD_BITS: u32 = INDEX_BITS + KIND_BITS;

impl Event {
    /// Largest index an event can carry.
    pub const INDEX_MAX: u32 = (1 << INDEX_BITS) - 1;

    /// The event in [`PAYLOAD_BITS`].
    #[inline]
    pub(super) fn pack(self) -> u64 {
        let (kind, index) = match self {
            Event::Arrival(i) => (0, i),
            Event::Fetched(i) => (1, i),
            Event::Die(i) => (2, i.number()),
            Event::Bus(i) => (3, i.number()),
            Event::Decoded(i) => (4, i),
            Event::Respond(i) => (5, i),
            Event::Alarm(i) => (6, i),
            Event::Dram(i) => (7, i),
            Event::Look(i) => (8, i.number()),
        };
        debug_assert!(index <= Event::INDEX_MAX);
        kind << INDEX_BITS | u64::from(index)
    }

    /// The event in the lowest [`PAYLOAD_BITS`].
    #[inline]
    pub(super) fn unpack(payload: u64) -> Event {
        let index = payload as u32 & Event::INDEX_MAX;
        match payload >> INDEX_BITS & ((1 << KIND_BITS) - 1) {
            0 => Event::Arrival(index),
            1 => Event::Fetched(index),
            2 => Event::Die(LunId::new(index)),
            3 => Event::Bus(ChannelId::new(index)),
            4 => Event::Decoded(index),
            5 => Event::Respond(index),
            6 => Event::Alarm(index),
            7 => Event::Dram(index),
            _ => Event::Look(LunId::new(index)),
        }
    }

    /// Whether the lowest [`PAYLOAD_BITS`] are those of an event.
    pub(super) fn is_one(payload: u64) -> bool {
        match payload >> INDEX_BITS & ((1 << KIND_BITS) - 1) {
            6 => ((payload as u32 & Event::INDEX_MAX) as usize) < super::Alarm::ALL.len(),
            kind => kind <= 8,
        }
    }

    /// The lane that it waits in: one for what passes between host and device, one for the dies, one for
    /// the channels and what is behind them. An alarm is far away and a transfer of the DRAM near, whatever is under way: they
    /// wait in none.
    #[inline]
    pub(super) fn lane(self) -> Option<usize> {
        match self {
            Event::Arrival(_) | Event::Fetched(_) | Event::Respond(_) => Some(0),
            Event::Die(_) | Event::Look(_) => Some(1),
            Event::Bus(_) | Event::Decoded(_) => Some(2),
            Event::Alarm(_) | Event::Dram(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_packing() {
        let index = Event::INDEX_MAX;
        let all = [
            Event::Arrival(3),
            Event::Fetched(0),
            Event::Die(LunId::new(index)),
            Event::Bus(ChannelId::new(1)),
            Event::Decoded(2),
            Event::Respond(index),
            Event::Alarm(6),
            Event::Dram(0),
            Event::Look(LunId::new(4)),
        ];
        for event in all {
            assert_eq!(Event::unpack(event.pack()), event);
        }
    }
}
