//! The queue of future events, ordered by `(time, seq)`.
//!
//! `seq` counts pushes, so that events of the same instant leave in the order in which they were
//! pushed: the order of a run depends on nothing but the run.

use std::collections::VecDeque;

use super::Ns;
use super::ring::SortedRing;

/// What happens at an instant. The index says to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A flow has a request to submit.
    Arrival(u32),
    /// The device has a request's command, and its data if it is a write.
    Fetched(u32),
    /// A phase on a die's array ends.
    Die(u32),
    /// A channel's bus comes free.
    Bus(u32),
    /// A page leaves the ECC engine (index of its transaction).
    Decoded(u32),
    /// The host sees a request complete.
    Respond(u32),
    /// An FTL timer (refresh scan, or search for rewrites that are due).
    Timer(u32),
}

const INDEX_BITS: u32 = 24;
const KIND_BITS: u32 = 3;
const PAYLOAD_BITS: u32 = INDEX_BITS + KIND_BITS;

impl Event {
    /// Largest index an event can carry.
    pub const INDEX_MAX: u32 = (1 << INDEX_BITS) - 1;

    fn pack(self) -> u64 {
        let (kind, index) = match self {
            Event::Arrival(i) => (0, i),
            Event::Fetched(i) => (1, i),
            Event::Die(i) => (2, i),
            Event::Bus(i) => (3, i),
            Event::Decoded(i) => (4, i),
            Event::Respond(i) => (5, i),
            Event::Timer(i) => (6, i),
        };
        debug_assert!(index <= Event::INDEX_MAX);
        kind << INDEX_BITS | u64::from(index)
    }

    fn unpack(payload: u64) -> Event {
        let index = payload as u32 & Event::INDEX_MAX;
        match payload >> INDEX_BITS & ((1 << KIND_BITS) - 1) {
            0 => Event::Arrival(index),
            1 => Event::Fetched(index),
            2 => Event::Die(index),
            3 => Event::Bus(index),
            4 => Event::Decoded(index),
            5 => Event::Respond(index),
            _ => Event::Timer(index),
        }
    }
}

/// A waiting line: events whose times never go back from one push to the next need no heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Commands on the way to the device.
    CommandsIn,
    /// Write data on the way to the device.
    DataIn,
    /// Completions without data on the way to the host.
    CompletionsOut,
    /// Read data on the way to the host.
    DataOut,
}

const LINES: usize = 4;
/// Where an event comes from, beside the lines.
const SORTED: usize = LINES;
const HEAP: usize = LINES + 1;

/// Events to come. One event is one `u128`: time, then push count, then payload.
///
/// Most events are either nearly the next or nearly the last of those to come, so the first few are
/// kept in a sorted ring, where such an event costs a comparison or two; what does not fit there
/// goes into a 4-ary heap. Which of the two an event waits in has no bearing on when it leaves.
#[derive(Debug)]
pub struct EventQueue {
    sorted: SortedRing,
    heap: Vec<u128>,
    lines: [VecDeque<u128>; LINES],
    /// The earliest of each line, or `u128::MAX`.
    fronts: [u128; LINES],
    /// The earliest of all lines, and which it is in.
    line_least: u128,
    line_of_least: usize,
    pushed: u64,
}

const ARITY: usize = 4;

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue {
            sorted: SortedRing::new(),
            heap: Vec::new(),
            lines: Default::default(),
            fronts: [u128::MAX; LINES],
            line_least: u128::MAX,
            line_of_least: 0,
            pushed: 0,
        }
    }
}

impl EventQueue {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        EventQueue::default()
    }

    /// The key of a new event, and its ticket.
    #[inline]
    fn key(&mut self, time: Ns, event: Event) -> (u128, u64) {
        self.pushed += 1;
        let ticket = self.pushed;
        (u128::from(time) << 64 | u128::from(ticket << PAYLOAD_BITS | event.pack()), ticket)
    }

    /// Puts an event at the end of a line. Its time is not before that of the last one there.
    #[inline]
    pub fn push_line(&mut self, line: Line, time: Ns, event: Event) {
        let (key, _) = self.key(time, event);
        let queue = &mut self.lines[line as usize];
        debug_assert!(queue.back().is_none_or(|&last| last < key), "a line's times never go back");
        if queue.is_empty() {
            self.fronts[line as usize] = key;
            if key < self.line_least {
                self.line_least = key;
                self.line_of_least = line as usize;
            }
        }
        queue.push_back(key);
    }

    #[inline]
    fn find_line_of_least(&mut self) {
        self.line_least = u128::MAX;
        for (line, &front) in self.fronts.iter().enumerate() {
            if front < self.line_least {
                self.line_least = front;
                self.line_of_least = line;
            }
        }
    }

    /// Puts an event at `time` and returns its ticket, by which [`EventQueue::pop`] names it again.
    ///
    /// There is no removal: who changes plans keeps the newest ticket and ignores older ones.
    #[inline]
    pub fn push(&mut self, time: Ns, event: Event) -> u64 {
        let (key, ticket) = self.key(time, event);
        if self.sorted.is_full() {
            self.push_heap(key)
        } else {
            self.sorted.insert(key)
        }
        ticket
    }

    fn push_heap(&mut self, key: u128) {
        let mut at = self.heap.len();
        self.heap.push(key);
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = key;
    }

    /// Takes the earliest event: its time, ticket and what it is.
    #[inline]
    pub fn pop(&mut self) -> Option<(Ns, u64, Event)> {
        let mut least = self.sorted.least();
        let mut from = SORTED;
        if self.line_least < least {
            least = self.line_least;
            from = self.line_of_least;
        }
        if let Some(&top) = self.heap.first()
            && top < least
        {
            least = top;
            from = HEAP;
        }
        if least == u128::MAX {
            return None;
        }
        if from == SORTED {
            self.sorted.pop();
        } else if from < LINES {
            self.lines[from].pop_front();
            self.fronts[from] = self.lines[from].front().copied().unwrap_or(u128::MAX);
            self.find_line_of_least();
        } else {
            let last = self.heap.pop()?;
            if !self.heap.is_empty() {
                self.sift_down(last);
            }
        }
        let low = least as u64;
        let payload = low & ((1 << PAYLOAD_BITS) - 1);
        Some(((least >> 64) as Ns, low >> PAYLOAD_BITS, Event::unpack(payload)))
    }

    #[inline]
    fn sift_down(&mut self, key: u128) {
        let len = self.heap.len();
        let mut at = 0;
        loop {
            let first = at * ARITY + 1;
            if first >= len {
                break;
            }
            let mut least = first;
            let end = (first + ARITY).min(len);
            for child in first + 1..end {
                if self.heap[child] < self.heap[least] {
                    least = child;
                }
            }
            if key <= self.heap[least] {
                break;
            }
            self.heap[at] = self.heap[least];
            at = least;
        }
        self.heap[at] = key;
    }

    /// True when nothing happens up to and at `time`: a lone consequence of what happens now may be
    /// brought forward to then without an event of its own.
    #[inline]
    #[must_use]
    pub fn is_quiet_until(&self, time: Ns) -> bool {
        let heap = self.heap.first().copied().unwrap_or(u128::MAX);
        let next = self.sorted.least().min(self.line_least).min(heap);
        (next >> 64) as Ns > time
    }

    /// Number of events to come.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len() + self.heap.len() + self.lines.iter().map(VecDeque::len).sum::<usize>()
    }

    /// Forgets all events to come. Tickets go on counting, so that none is given twice.
    pub fn clear(&mut self) {
        *self = EventQueue { pushed: self.pushed, ..EventQueue::default() };
    }

    /// True when nothing is to come.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty() && self.heap.is_empty() && self.lines.iter().all(VecDeque::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn leaves_by_time_then_by_push(times in prop::collection::vec(0u64..50, 1..300)) {
            let mut queue = EventQueue::new();
            let mut last = 0;
            for (i, &t) in times.iter().enumerate() {
                // Whatever does not go back may as well wait in a line.
                if t >= last && i % 3 > 0 {
                    last = t;
                    queue.push_line(Line::DataIn, t, Event::Die(i as u32));
                } else {
                    queue.push(t, Event::Die(i as u32));
                }
            }
            let mut expected: Vec<(u64, u32)> = times.iter().copied().zip(0..).collect();
            expected.sort();
            for (time, index) in expected {
                let (t, _, event) = queue.pop().unwrap();
                prop_assert_eq!((t, event), (time, Event::Die(index)));
            }
            prop_assert!(queue.is_empty());
        }
    }

    #[test]
    fn events_survive_packing() {
        let index = Event::INDEX_MAX;
        let all = [
            Event::Arrival(3),
            Event::Fetched(0),
            Event::Die(index),
            Event::Bus(1),
            Event::Decoded(2),
            Event::Respond(index),
            Event::Timer(9),
        ];
        for event in all {
            assert_eq!(Event::unpack(event.pack()), event);
        }
    }
}
