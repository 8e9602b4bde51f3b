//! A flow: one source of requests with its own submission queue.

use std::collections::VecDeque;
use std::io;

use serde::{Deserialize, Serialize};

use super::ahead::{Ahead, LOOKAHEAD, NOTHING};
use super::{HostRequest, Namespace};
use crate::engine::{LoadError, Loader, Ns, Saver, State, state};
use crate::error::SimError;
use crate::flash::Priority;

/// What a workload may fail with.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Requests in order of arrival, many at once. Every iterator over them is one.
pub trait Requests: Send {
    /// Puts the next requests into `batch`, from its first place on, and says how many. They are fewer than
    /// it has places only where no more are to come, or where the workload fails with the error beside them.
    fn take_batch(&mut self, batch: &mut [HostRequest]) -> (usize, Result<(), SourceError>);

    /// Passes over the next `count` requests, which come.
    ///
    /// # Errors
    /// The workload fails, or ends before.
    fn skip(&mut self, count: u64) -> Result<(), SourceError> {
        let mut batch = [NOTHING; LOOKAHEAD];
        let mut left = count;
        while left > 0 {
            let places = left.min(LOOKAHEAD as u64) as usize;
            let (taken, outcome) = self.take_batch(&mut batch[..places]);
            outcome?;
            if taken < places {
                return Err(format!("end {left} before they should").into());
            }
            left -= taken as u64;
        }
        Ok(())
    }
}

impl<I: Iterator<Item = Result<HostRequest, SourceError>> + Send> Requests for I {
    fn take_batch(&mut self, batch: &mut [HostRequest]) -> (usize, Result<(), SourceError>) {
        for (count, place) in batch.iter_mut().enumerate() {
            match self.next() {
                Some(Ok(request)) => *place = request,
                Some(Err(error)) => return (count, Err(error)),
                None => return (count, Ok(())),
            }
        }
        (batch.len(), Ok(()))
    }
}

/// Where a flow's requests come from.
pub type BoxedRequests = Box<dyn Requests>;

/// When a flow submits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Replay {
    /// Always this many requests outstanding; arrival times are ignored.
    Closed {
        /// Requests outstanding.
        depth: u32,
    },
    /// At the arrival times.
    Open,
    /// At the arrival times, but never more than `depth` outstanding: late requests go when one completes.
    Paced {
        /// Requests outstanding, at most.
        depth: u32,
        /// When it rests.
        rest: Rest,
    },
}

/// Pauses of a paced flow: after so many requests it waits until none is outstanding, and then for a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// Requests between two pauses; 0: it never rests.
    pub every: u32,
    /// Length of a pause, ns.
    pub pause: Ns,
}

/// A flow, as a run is given it.
pub struct FlowInput {
    /// Its name in results.
    pub name: String,
    /// Its requests, in order of arrival.
    pub source: BoxedRequests,
    /// When it submits.
    pub replay: Replay,
    /// Its share under weighted arbitration; at least 1.
    pub weight: u32,
    /// How urgent its requests are at the dies.
    pub priority: Priority,
    /// Where its sector 0 lies on the device.
    pub first_sector: u64,
    /// Sectors of the device that are its own from there on; beyond the end of the device as well.
    pub sectors: u64,
    /// Arrival times are multiplied by this.
    pub time_scale: f64,
    /// Flows begin by group, from 0: each group when all requests of the one before are complete.
    pub group: u32,
    /// It submits for this long, ns; 0: until its requests end.
    pub lasts: Ns,
    /// Requests that arrive within this time after it began are simulated but not counted, ns.
    pub ramp: Ns,
    /// The placement handle of its writes that have none of their own, counted from 1; 0: none.
    pub handle: u16,
    /// The namespace that its sectors and handles are of; none for those of the device.
    pub namespace: Option<Namespace>,
    /// What it submits is kept; see [`Host::submissions`](super::Host::submissions).
    pub is_logged: bool,
}

impl FlowInput {
    /// A flow over the whole device that begins at once and ends with its requests.
    #[must_use]
    pub fn new(name: &str, source: BoxedRequests, replay: Replay) -> FlowInput {
        FlowInput {
            name: name.to_owned(),
            source,
            replay,
            weight: 1,
            priority: Priority::High,
            first_sector: 0,
            sectors: u64::MAX,
            time_scale: 1.0,
            group: 0,
            lasts: 0,
            ramp: 0,
            handle: 0,
            namespace: None,
            is_logged: false,
        }
    }

    /// A request as the device gets it.
    #[inline]
    pub(super) fn place(&self, request: &mut HostRequest) {
        request.sector += self.first_sector;
        request.hint = if request.hint == 0 { self.handle } else { request.hint };
        if let Some(namespace) = &self.namespace {
            namespace.translate(request);
        }
    }

    /// Where its sector 0 lies on the device.
    pub(super) fn begins_at(&self) -> u64 {
        self.first_sector + self.namespace.as_ref().map_or(0, |namespace| namespace.first_sector)
    }

    /// The device's placement identifier of its writes that have none of their own.
    pub(super) fn identifier(&self) -> u16 {
        self.namespace.as_ref().map_or(self.handle, |namespace| namespace.identifier(self.handle))
    }
}

impl std::fmt::Debug for FlowInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FlowInput")
            .field("name", &self.name)
            .field("replay", &self.replay)
            .finish_non_exhaustive()
    }
}

/// What all flows share when they take requests from their sources.
#[derive(Debug)]
pub(super) struct Intake {
    pub capacity_sectors: u64,
    /// When all flows stop, ns.
    pub stop_at: Ns,
    /// The flow that a batch of requests was taken for, until somebody looks ahead.
    pub news_of: Option<u16>,
}

state! {
    Intake {
        values: stop_at;
        derived: capacity_sectors, news_of;
    }
}

/// A flow at work.
#[derive(Debug)]
pub(super) struct Flow {
    pub input: FlowInput,
    /// Its place among the flows.
    place: u16,
    /// Submitted, not yet taken by the device.
    pub queue: VecDeque<u32>,
    /// Taken from the source, not yet submitted.
    pub ahead: Ahead,
    /// The next request of an open loop.
    pub upcoming: Option<HostRequest>,
    /// Requests that it may still submit in this round of weighted arbitration.
    pub credit: u32,
    /// When its group began, and the time since then that the SSD was off and busy with itself: requests arrive
    /// later by both, ns.
    pub later_by: Ns,
    /// When its group began, ns.
    pub begun_at: Ns,
    /// When its last request so far arrived, ns.
    pub last_arrival: Ns,
    /// When it stops, ns; nothing before it has begun.
    pub stop_at: Option<Ns>,
    /// Where requests are paced.
    pub pace: Pace,
}

/// The state of a paced flow.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Pace {
    pub outstanding: u32,
    submitted: u32,
    /// It waits until nothing is outstanding.
    is_tired: bool,
    rests_until: Ns,
    /// An event for its next request is on its way.
    pub is_awaited: bool,
}

/// What of a flow has to be the same in a run that goes on: name, replay, weight, priority, place, times, group.
type Shape = (String, Replay, u32, Priority, (u64, u16), f64, u32, Ns, Ns);

impl Flow {
    /// True while it has requests that the host has not submitted.
    pub fn is_expecting(&self) -> bool {
        self.upcoming.is_some() || self.ahead.is_expecting()
    }

    fn shape(&self) -> Shape {
        let FlowInput {
            name,
            source: _,
            replay,
            weight,
            priority,
            first_sector: _,
            sectors: _,
            time_scale,
            group,
            lasts,
            ramp,
            handle: _,
            namespace: _,
            is_logged: _,
        } = &self.input;
        let place = (self.input.begins_at(), self.input.identifier());
        (name.clone(), *replay, *weight, *priority, place, *time_scale, *group, *lasts, *ramp)
    }
}

/// The source is brought to where it was.
impl State for Flow {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        let Flow {
            input: _,
            place: _,
            queue,
            ahead,
            upcoming,
            credit,
            later_by,
            begun_at,
            last_arrival,
            stop_at,
            pace,
        } = self;
        to.value(&self.shape())?;
        to.value(&(queue, upcoming, credit, later_by, begun_at, last_arrival, stop_at, pace))?;
        ahead.save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        let shape: Shape = from.value()?;
        if shape != self.shape() {
            return Err(LoadError::Other(format!(
                "flow `{}` was another one, `{}`",
                self.input.name, shape.0
            )));
        }
        let (queue, upcoming, credit, later_by, begun_at, last_arrival, stop_at, pace) = from.value()?;
        (self.queue, self.upcoming, self.credit) = (queue, upcoming, credit);
        (self.later_by, self.begun_at, self.last_arrival) = (later_by, begun_at, last_arrival);
        (self.stop_at, self.pace) = (stop_at, pace);
        self.ahead.load(from)?;
        self.ahead.bring(&mut self.input)
    }
}

impl Flow {
    /// The flow at this place, which has not begun.
    pub fn new(input: FlowInput, place: u16) -> Flow {
        let credit = input.weight;
        Flow {
            input,
            place,
            queue: VecDeque::new(),
            ahead: Ahead::default(),
            upcoming: None,
            credit,
            later_by: 0,
            begun_at: 0,
            last_arrival: 0,
            stop_at: None,
            pace: Pace::default(),
        }
    }

    /// Its group begins.
    pub fn begin(&mut self, now: Ns, intake: &Intake) {
        self.later_by = now;
        self.begun_at = now;
        let end = if self.input.lasts > 0 { now.saturating_add(self.input.lasts) } else { Ns::MAX };
        self.stop_at = Some(end.min(intake.stop_at));
    }

    /// When the next request of an open or paced flow may be submitted; nothing where a completion has to come before.
    pub fn may_submit_at(&self, arrival: Ns) -> Option<Ns> {
        match self.input.replay {
            Replay::Paced { depth, .. } => (self.pace.outstanding < depth && !self.pace.is_tired)
                .then(|| arrival.max(self.pace.rests_until)),
            Replay::Open | Replay::Closed { .. } => Some(arrival),
        }
    }

    /// A paced flow has submitted a request.
    pub fn paced(&mut self) {
        let Replay::Paced { rest, .. } = self.input.replay else { return };
        self.pace.outstanding += 1;
        self.pace.submitted += 1;
        if rest.every > 0 && self.pace.submitted >= rest.every {
            self.pace.submitted = 0;
            self.pace.is_tired = true;
        }
    }

    /// A request of a paced flow is complete: returns when the next one may go, unless an event for it is on its way.
    pub fn rested(&mut self, now: Ns) -> Option<Ns> {
        let Replay::Paced { rest, .. } = self.input.replay else { return None };
        self.pace.outstanding -= 1;
        if self.pace.is_tired && self.pace.outstanding == 0 {
            self.pace.is_tired = false;
            self.pace.rests_until = now + rest.pause;
        }
        if self.pace.is_awaited {
            return None;
        }
        let time = self.may_submit_at(self.upcoming?.arrival_ns)?;
        self.pace.is_awaited = true;
        Some(time.max(now))
    }

    /// The power is back, and its requests come later by this time: returns when an open or paced flow goes on, if it has a
    /// request. Nothing of a paced one is outstanding, so a pause that waited for that begins.
    pub fn power_up(&mut self, now: Ns, later_by: Ns) -> Option<Ns> {
        self.pace.outstanding = 0;
        if let Replay::Paced { rest, .. } = self.input.replay
            && std::mem::take(&mut self.pace.is_tired)
        {
            self.pace.rests_until = now + rest.pause;
        }
        let request = self.upcoming.as_mut()?;
        request.arrival_ns += later_by;
        let time = self.may_submit_at(self.upcoming?.arrival_ns)?;
        self.pace.is_awaited = true;
        // A request that others held up is late already.
        Some(time.max(now))
    }

    /// The next request.
    #[inline(always)]
    pub fn take(&mut self, intake: &mut Intake) -> Result<Option<HostRequest>, SimError> {
        Ok(match self.ahead.take() {
            Some(request) => Some(request),
            None => {
                self.turn(intake)?;
                self.ahead.take()
            }
        })
    }

    /// The next request of a closed flow; none when its time is over.
    #[inline(always)]
    pub fn take_closed(&mut self, intake: &mut Intake, now: Ns) -> Result<Option<HostRequest>, SimError> {
        if self.stop_at.is_some_and(|stop| now >= stop) {
            self.ahead.stop();
        }
        self.take(intake)
    }

    /// Brings the next batch of requests to the front.
    #[inline(never)]
    fn turn(&mut self, intake: &mut Intake) -> Result<(), SimError> {
        intake.news_of = Some(self.place);
        self.ahead.turn(&mut self.input, intake.capacity_sectors)
    }
}
