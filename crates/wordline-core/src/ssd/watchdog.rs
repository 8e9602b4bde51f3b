//! A run that gets nowhere ends with an error that names what waits.

use std::fmt::Write as _;

use super::{EVENTS_PER_REPORT, Ssd};
use crate::engine::Ns;
use crate::error::SimError;

/// Events without any step of the host after which a run gets nowhere, at least: some seconds of a processor.
const IDLE_MAX: u64 = 1 << 25;
/// The same for each page of a row of blocks, one of each plane: a single write may have to wait for many victims.
const IDLE_MAX_PER_PAGE: u64 = 64;
/// Events of one instant without a step of the host: work that takes no time and goes on for ever.
const STILL_MAX: u64 = 1 << 22;
/// Events between two looks where they are counted one by one.
pub(super) const EVENTS_PER_LOOK: u32 = 1 << 12;

/// How far the host had come when it last got on. No part of a state: a run that goes on begins to watch anew.
#[derive(Debug)]
pub(super) struct Watchdog {
    /// Events until the next look, where they are counted one by one.
    pub until_look: u32,
    idle_max: u64,
    /// Steps of the host so far.
    steps: u64,
    /// When it last got on, ns, and events since then.
    since: Ns,
    idle: u64,
    /// The time at the last look, ns, and events since it has changed.
    at: Ns,
    still: u64,
}

/// In which way a run gets nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    /// Time goes on.
    Idle,
    /// Time does not.
    Still,
}

impl Watchdog {
    /// For an SSD with so many pages in a row of blocks.
    pub fn new(pages_of_a_row: u64) -> Watchdog {
        Watchdog {
            until_look: EVENTS_PER_LOOK,
            idle_max: IDLE_MAX.max(IDLE_MAX_PER_PAGE * pages_of_a_row),
            steps: 0,
            since: 0,
            idle: 0,
            at: 0,
            still: 0,
        }
    }

    /// So many events have passed; `steps` of the host are behind it so far, and a request waits or does not.
    fn look(&mut self, events: u64, steps: u64, is_waiting: bool, now: Ns) -> Option<Stuck> {
        self.still = if now == self.at && steps == self.steps { self.still + events } else { 0 };
        self.at = now;
        if steps != self.steps || !is_waiting {
            (self.steps, self.since, self.idle) = (steps, now, 0);
        } else {
            self.idle += events;
        }
        if self.still >= STILL_MAX {
            return Some(Stuck::Still);
        }
        (self.idle >= self.idle_max).then_some(Stuck::Idle)
    }
}

impl Ssd {
    /// Events without any step of the host after which [`Ssd::run`] ends with [`SimError::Stuck`].
    pub fn set_patience(&mut self, events: u64) {
        self.watchdog.idle_max = events;
    }

    /// One more event.
    #[inline]
    pub(super) fn watch_event(&mut self) -> Result<(), SimError> {
        self.watchdog.until_look -= 1;
        if self.watchdog.until_look > 0 {
            return Ok(());
        }
        self.watchdog.until_look = EVENTS_PER_LOOK;
        self.watch_events(EVENTS_PER_LOOK)
    }

    /// So many more events.
    pub(super) fn watch_events(&mut self, events: u32) -> Result<(), SimError> {
        debug_assert!(events <= EVENTS_PER_REPORT);
        let steps = self.ftl.host_steps() + self.metrics.completed_count() + self.metrics.uncounted();
        let is_waiting = !self.host.requests.is_empty();
        let stuck = self.watchdog.look(u64::from(events), steps, is_waiting, self.shared.now);
        stuck.map_or(Ok(()), |stuck| Err(SimError::Stuck(self.what_waits(stuck))))
    }

    #[cold]
    fn what_waits(&self, stuck: Stuck) -> String {
        let us = |time: Ns| (time - self.began_at) as f64 / 1e3;
        let Watchdog { idle, since, still, .. } = self.watchdog;
        let mut words = match stuck {
            Stuck::Idle => format!(
                "{idle} events served nothing of a request, from {:.3} to {:.3} us",
                us(since),
                us(self.shared.now)
            ),
            Stuck::Still => format!("{still} events took no time, at {:.3} us", us(self.shared.now)),
        };
        let waiting = self.host.waiting().len();
        let requests = &self.host.requests;
        let oldest = requests.names().map(|id| &requests[id]).min_by_key(|it| it.request.arrival_ns);
        if let Some(oldest) = oldest {
            let flow = self.host.flow_names().nth(usize::from(oldest.flow)).unwrap_or_default();
            let (op, at) = (format!("{:?}", oldest.request.op).to_lowercase(), us(oldest.request.arrival_ns));
            let count = requests.len();
            _ = write!(
                words,
                "; {count} requests wait, {waiting} of them in submission queues, first a {op} of flow `{flow}` from {at:.3} us"
            );
        }
        _ = write!(words, "; {} transactions are under way", self.shared.outbox.txns.len());
        self.ftl.tell_what_works(&mut words);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_gets_nowhere_while_time_goes_on() {
        let mut dog = Watchdog::new(1);
        let mut looks = |steps, is_waiting, times: std::ops::Range<Ns>| {
            times.map(|now| dog.look(1 << 16, steps, is_waiting, now)).find_map(|stuck| stuck)
        };
        assert_eq!(looks(7, true, 0..512), None, "the first look saw a step");
        assert_eq!(looks(8, true, 512..1024), None, "another step");
        assert_eq!(looks(8, false, 1024..9_000), None, "nobody waits");
        assert_eq!(looks(8, true, 9_000..9_511), None, "an event short of it");
        assert_eq!(looks(8, true, 9_511..9_512), Some(Stuck::Idle));
    }

    #[test]
    fn time_stands_still() {
        let mut dog = Watchdog::new(1);
        let mut looks = |steps: std::ops::Range<u64>| {
            steps.map(|steps| dog.look(1 << 16, steps, true, 5)).find_map(|stuck| stuck)
        };
        assert_eq!(looks(1..1_000), None, "requests are served in no time");
        let none_served = |dog: &mut Watchdog| dog.look(1 << 16, 999, true, 5);
        let stuck: Vec<_> = (0..64).map(|_| none_served(&mut dog)).collect();
        assert_eq!((stuck[62], stuck[63]), (None, Some(Stuck::Still)));
    }

    #[test]
    fn a_large_drive_may_take_longer() {
        assert_eq!(Watchdog::new(1).idle_max, IDLE_MAX);
        assert_eq!(Watchdog::new(1 << 22).idle_max, 1 << 28);
    }
}
