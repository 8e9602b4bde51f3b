//! The events of NVMe's FDP log (NVM Express Base Specification 2.1, section 5.1.12.1.30).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::engine::Ns;
use crate::nand::Lpn;

/// Events of each log that a drive keeps: the last ones.
const KEPT: usize = 63;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HandleEventKind {
    /// The host has closed a reclaim unit that was not full.
    NotFullyWritten,
    /// Nobody wrote to a reclaim unit for so long that it was closed.
    TimeLimitExceeded,
    /// A loss of power has closed a reclaim unit.
    ResetModified,
    /// A write named an identifier that the drive does not have.
    InvalidIdentifier,
    /// GC moves data.
    MediaReallocated,
    /// A reclaim unit is full, and its handle goes on in another one.
    ImplicitlyModified,
}

/// All kinds, in the order of their types.
pub const HANDLE_EVENTS: [HandleEventKind; 6] = [
    HandleEventKind::NotFullyWritten,
    HandleEventKind::TimeLimitExceeded,
    HandleEventKind::ResetModified,
    HandleEventKind::InvalidIdentifier,
    HandleEventKind::MediaReallocated,
    HandleEventKind::ImplicitlyModified,
];

impl HandleEventKind {
    /// NVMe's event type. Those from 80h on are of the controller, the others of the host.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            HandleEventKind::NotFullyWritten => 0,
            HandleEventKind::TimeLimitExceeded => 1,
            HandleEventKind::ResetModified => 2,
            HandleEventKind::InvalidIdentifier => 3,
            HandleEventKind::MediaReallocated => 0x80,
            HandleEventKind::ImplicitlyModified => 0x81,
        }
    }

    fn is_of_host(self) -> bool {
        self.number() < 0x80
    }
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandleEvent {
    /// When, ns since the drive was new.
    pub at: Ns,
    /// What.
    pub kind: HandleEventKind,
    /// The stream of the host, counted from 0: the place of its placement identifier in the drive's list. That which a write named,
    /// where the drive does not have it; none where the data are of several.
    pub stream: Option<u16>,
    /// Mapping units that move, and the first of them.
    pub moved: Option<(u32, Lpn)>,
}

/// The log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandleEvents {
    /// How often each kind has happened in this run, by its place in [`HANDLE_EVENTS`].
    counts: [u64; HANDLE_EVENTS.len()],
    /// The last ones of the host, and of the controller.
    last: [VecDeque<HandleEvent>; 2],
}

impl HandleEvents {
    /// How often each kind has happened in this run, in the order of [`HANDLE_EVENTS`].
    #[must_use]
    pub fn counts(&self) -> [u64; HANDLE_EVENTS.len()] {
        self.counts
    }

    /// The last events, the oldest first.
    #[must_use]
    pub fn last(&self) -> Vec<HandleEvent> {
        let mut events: Vec<_> = self.last.iter().flatten().copied().collect();
        events.sort_by_key(|event| event.at);
        events
    }

    /// Another run begins: the log goes on.
    pub fn begin_anew(&mut self) {
        self.counts = [0; HANDLE_EVENTS.len()];
    }

    /// Something has happened.
    pub fn note(&mut self, event: HandleEvent) {
        let place = HANDLE_EVENTS.iter().position(|&kind| kind == event.kind).unwrap_or_default();
        self.counts[place] += 1;
        let last = &mut self.last[usize::from(!event.kind.is_of_host())];
        if last.len() == KEPT {
            last.pop_front();
        }
        last.push_back(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_events_of_host_and_controller_are_kept_and_all_are_counted() {
        let mut events = HandleEvents::default();
        let mut note = |kind, at| events.note(HandleEvent { at, kind, stream: Some(1), moved: None });
        (0..100).for_each(|at| note(HandleEventKind::ImplicitlyModified, at));
        note(HandleEventKind::NotFullyWritten, 200);
        assert_eq!(events.counts(), [1, 0, 0, 0, 0, 100]);
        let last = events.last();
        assert_eq!((last.len(), last[0].at, last[63].at), (64, 37, 200));
        assert_eq!(last[63].kind.number(), 0);
    }
}
