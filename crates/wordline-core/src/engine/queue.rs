//! The queue of future events, ordered by `(time, seq)`.
//!
//! `seq` counts pushes, so that events of the same instant leave in the order in which they were
//! pushed: the order of a run depends on nothing but the run.

use std::io;

use super::event::{Event, PAYLOAD_BITS};
use super::ring::{SortedRing, time_of};
use super::{LoadError, Loader, Ns, Saver, State};

/// Lanes of events; see [`Event::lane`].
const LANES: usize = 3;
/// The lane of the dies.
const DIES: usize = 1;
/// The source of an event that waits in no lane.
const ELSEWHERE: usize = LANES;

/// Events to come. One event is one `u128`: time, then push count, then payload.
///
/// Events of one kind are pushed nearly in the order in which they leave. So each kind has its lane, a
/// short sorted ring, where a new event goes to the end or a few places before it (see [`Event::lane`]). On a die a program takes ten times as
/// long as a read: once reads overtake many programs, what takes long gets a ring of its own. What does not
/// fit in a ring goes into a 4-ary heap. The place where an event waits does not change when it leaves.
#[derive(Debug)]
pub struct EventQueue {
    lanes: [SortedRing; LANES],
    /// The earliest of each lane, or one at the end of time.
    fronts: [u128; LANES],
    /// What takes long on a die, and how long anything else takes there at most.
    long: SortedRing,
    usual_max: Ns,
    heap: Vec<u128>,
    /// The earliest that waits in no lane, or one at the end of time.
    elsewhere: u128,
    /// The earliest of all, or one at the end of time, and the lane that it waits in.
    least: u128,
    from: usize,
    /// The last ticket, without a payload.
    pushed: u64,
}

const ARITY: usize = 4;

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue {
            lanes: Default::default(),
            fronts: [u128::MAX; LANES],
            long: SortedRing::default(),
            usual_max: Ns::MAX,
            heap: Vec::new(),
            elsewhere: u128::MAX,
            least: u128::MAX,
            from: 0,
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

    /// Puts an event at `time` and returns its ticket, by which [`EventQueue::pop`] names it again; it is never 0.
    ///
    /// There is no removal: who changes plans keeps the newest ticket and ignores older ones.
    #[inline(always)]
    pub fn push(&mut self, time: Ns, event: Event) -> u64 {
        self.pushed += 1 << PAYLOAD_BITS;
        let ticket = self.pushed | event.pack();
        let key = u128::from(time) << 64 | u128::from(ticket);
        let Some(into) = event.lane() else {
            self.push_heap(key);
            return ticket;
        };
        if into == DIES && time.saturating_sub(time_of(self.least)) > self.usual_max {
            self.push_long(key);
            return ticket;
        }
        let lane = &mut self.lanes[into];
        // No ticket is higher: of those at its time this event is the last.
        if time < lane.back() || lane.is_full() {
            self.push_aside(key, into);
            return ticket;
        }
        lane.append(key);
        if time < time_of(self.fronts[into]) {
            self.fronts[into] = key;
            self.note(key, into);
        }
        ticket
    }

    /// An event may be the earliest of all.
    #[inline(always)]
    fn note(&mut self, key: u128, from: usize) {
        if key < self.least {
            (self.least, self.from) = (key, from);
        }
    }

    /// Inserts an event that takes long on its die.
    #[inline(never)]
    fn push_long(&mut self, key: u128) {
        let shorter = &self.lanes[DIES];
        if shorter.is_empty() && time_of(self.least).saturating_sub(shorter.back()) > self.usual_max {
            // Nothing shorter has been under way for some time.
            self.usual_max = Ns::MAX;
            return self.push_aside(key, DIES);
        }
        if self.long.is_full() {
            return self.push_heap(key);
        }
        self.long.insert(key);
        self.wait_elsewhere(key);
    }

    /// Inserts an event into its lane.
    #[inline(never)]
    fn push_aside(&mut self, key: u128, into: usize) {
        if into == DIES && self.lanes[DIES].is_far_from_ends(key) {
            self.usual_max = time_of(key).saturating_sub(time_of(self.least)).saturating_mul(2);
            self.put_off(key);
        }
        let lane = &mut self.lanes[into];
        if lane.is_full() {
            return self.push_heap(key);
        }
        lane.insert(key);
        self.fronts[into] = lane.front();
        self.note(key, into);
    }

    /// Whatever an event overtakes on the dies takes long.
    fn put_off(&mut self, key: u128) {
        let lane = &mut self.lanes[DIES];
        while time_of(key) < lane.back() && !self.long.is_full() {
            self.long.insert(lane.pop_back());
        }
        self.look_elsewhere();
    }

    /// An event waits in no lane.
    fn wait_elsewhere(&mut self, key: u128) {
        if key < self.elsewhere {
            self.elsewhere = key;
            self.note(key, ELSEWHERE);
        }
    }

    /// Finds the earliest event that waits in no lane.
    fn look_elsewhere(&mut self) {
        let first = self.heap.first().copied().unwrap_or(u128::MAX);
        self.elsewhere = self.long.front().min(first);
    }

    /// The earliest event that waits in no lane may be the earliest of all.
    #[inline(never)]
    fn note_elsewhere(&mut self) {
        self.note(self.elsewhere, ELSEWHERE);
    }

    /// Takes out the earliest event that waits in no lane.
    #[inline(never)]
    fn pop_elsewhere(&mut self) {
        if self.heap.first() == Some(&self.elsewhere) {
            self.pop_heap();
        } else {
            self.long.pop();
        }
        self.look_elsewhere();
    }

    #[inline(never)]
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
        self.wait_elsewhere(key);
    }

    /// Takes the earliest event: its time, ticket and what it is.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(Ns, u64, Event)> {
        let key = self.least;
        if self.is_empty() {
            return None;
        }
        match self.lanes.get_mut(self.from) {
            Some(lane) => {
                lane.pop();
                self.fronts[self.from] = lane.front();
            }
            None => self.pop_elsewhere(),
        }
        let [mut least, second, third] = self.fronts;
        let mut from = 0;
        if second < least {
            (least, from) = (second, 1);
        }
        if third < least {
            (least, from) = (third, 2);
        }
        (self.least, self.from) = (least, from);
        if time_of(self.elsewhere) <= time_of(least) {
            self.note_elsewhere();
        }
        let ticket = key as u64;
        Some((time_of(key), ticket, Event::unpack(ticket)))
    }

    /// Takes the least key out of the heap.
    #[inline(never)]
    fn pop_heap(&mut self) {
        let last = self.heap.pop().unwrap_or(u128::MAX);
        if !self.heap.is_empty() {
            self.sift_down(last);
        }
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

    /// True when no event is due up to and at `time`.
    #[inline]
    #[must_use]
    pub fn is_quiet_until(&self, time: Ns) -> bool {
        time_of(self.least) > time
    }

    /// When the earliest event is due, if one is to come.
    #[must_use]
    pub fn next_time(&self) -> Option<Ns> {
        (!self.is_empty()).then(|| time_of(self.least))
    }

    /// Number of events to come.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len() + self.long.len() + self.lanes.iter().map(SortedRing::len).sum::<usize>()
    }

    /// Forgets all events to come. Tickets go on counting, so that none is given twice.
    pub fn clear(&mut self) {
        *self = EventQueue { pushed: self.pushed, ..EventQueue::default() };
    }

    /// True when nothing is to come.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // Nothing happens at the end of time.
        time_of(self.least) == Ns::MAX
    }
}

/// A state is the number of pushes and the events to come, in order. Where each waits is decided anew.
impl EventQueue {
    fn keys(&self) -> impl Iterator<Item = u128> {
        let rings = self.lanes.iter().chain([&self.long]).flat_map(SortedRing::keys);
        rings.chain(self.heap.iter().copied())
    }

    /// All events that are to come, with their times, in any order.
    pub fn all(&self) -> impl Iterator<Item = (Ns, Event)> {
        self.keys().map(|key| (time_of(key), Event::unpack(key as u64)))
    }
}

impl State for EventQueue {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        let mut keys: Vec<u128> = self.keys().collect();
        keys.sort_unstable();
        to.value(&(self.pushed, keys))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        let (pushed, mut keys): (u64, Vec<u128>) = from.value()?;
        if !keys.iter().all(|&key| Event::is_one(key as u64)) {
            return Err(LoadError::Damaged);
        }
        keys.sort_unstable();
        *self = EventQueue { pushed, ..EventQueue::default() };
        for key in keys {
            let lane = Event::unpack(key as u64).lane();
            let Some(into) = lane.filter(|&into| !self.lanes[into].is_full()) else {
                self.push_heap(key);
                continue;
            };
            self.lanes[into].append(key);
            self.fronts[into] = self.lanes[into].front();
            self.note(key, into);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wordline_cells::ids::{ChannelId, LunId};

    proptest! {
        #[test]
        fn leaves_by_time_then_by_push(times in prop::collection::vec(0u64..50, 1..600)) {
            let mut queue = EventQueue::new();
            // More of one kind than its lane holds, some of each other kind.
            let event = |i: u32| match i % 7 {
                0 if i.is_multiple_of(2) => Event::Dram(i),
                0 => Event::Respond(i),
                1 => Event::Bus(ChannelId::new(i)),
                _ => Event::Die(LunId::new(i)),
            };
            for (&time, i) in times.iter().zip(0..) {
                queue.push(time, event(i));
            }
            prop_assert_eq!(queue.len(), times.len());
            let mut expected: Vec<(u64, u32)> = times.iter().copied().zip(0..).collect();
            expected.sort();
            for (time, index) in expected {
                prop_assert!(!queue.is_quiet_until(time) && (time == 0 || queue.is_quiet_until(time - 1)));
                let (t, _, e) = queue.pop().unwrap();
                prop_assert_eq!((t, e), (time, event(index)));
            }
            prop_assert!(queue.is_empty() && queue.pop().is_none());
        }

        /// Reads among programs, erases and transfers.
        #[test]
        fn keeps_the_order_while_it_is_used(
            steps in prop::collection::vec((0u64..8, 0u64..9, any::<bool>()), 1..1500),
            most in 2usize..200,
        ) {
            let mut queue = EventQueue::new();
            let mut model = std::collections::BTreeMap::new();
            let mut now = 0;
            for (i, (kind, more, pop)) in (0..).zip(steps) {
                if i % 400 == 399 {
                    let mut bytes = Vec::new();
                    queue.save(&mut Saver::new(&mut bytes)).unwrap();
                    queue = EventQueue::new();
                    queue.load(&mut Loader::new(&mut bytes.as_slice())).unwrap();
                }
                if pop || model.len() == most {
                    let expected = model.pop_first().map(|((time, _), (ticket, event))| (time, ticket, event));
                    now = expected.map_or(now, |(time, ..)| time);
                    prop_assert_eq!(queue.pop(), expected);
                } else {
                    let (ns, event) = match kind {
                        0 => (10, Event::Fetched(i)),
                        1 => (20 + 10 * (more % 2), Event::Bus(ChannelId::new(i))),
                        2 => (3500, Event::Die(LunId::new(i))),
                        3 => (750, Event::Die(LunId::new(i))),
                        4 => (1, Event::Dram(i)),
                        5 => (1000 * more, Event::Alarm(more as u32 % 3)),
                        _ => (75 + more, Event::Die(LunId::new(i))),
                    };
                    let ticket = queue.push(now + ns, event);
                    model.insert((now + ns, i), (ticket, event));
                }
                prop_assert_eq!(queue.len(), model.len());
            }
            for ((time, _), (ticket, event)) in model {
                prop_assert_eq!(queue.pop(), Some((time, ticket, event)));
            }
            prop_assert!(queue.is_empty());
        }
    }
}
