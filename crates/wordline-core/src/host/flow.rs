//! A flow: one source of requests with its own submission queue.

use std::collections::VecDeque;

use super::HostRequest;
use super::ahead::Ahead;
use crate::engine::Ns;
use crate::error::SimError;

/// What a workload may fail with.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Requests in order of arrival, many at once. Every iterator over them is one.
pub trait Requests: Send {
    /// Puts the next requests into `batch`, from its first place on, and says how many. They are fewer than
    /// it has places only where no more are to come, or where the workload fails with the error beside them.
    fn take_batch(&mut self, batch: &mut [HostRequest]) -> (usize, Result<(), SourceError>);
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
pub type Source = Box<dyn Requests>;

/// When a flow submits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Always this many requests outstanding; arrival times are ignored.
    Closed {
        /// Requests outstanding.
        depth: u32,
    },
    /// At the arrival times.
    Open,
}

/// A flow, as a run is given it.
pub struct FlowInput {
    /// Its name in results.
    pub name: String,
    /// Its requests, in order of arrival.
    pub source: Source,
    /// When it submits.
    pub replay: Replay,
    /// Its share under weighted arbitration; at least 1.
    pub weight: u32,
    /// Where its sector 0 lies on the device.
    pub first_sector: u64,
    /// Arrival times are multiplied by this.
    pub time_scale: f64,
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
    /// When closed flows stop, ns.
    pub stop_at: Ns,
    /// The flow that a batch of requests was taken for, until somebody looks ahead.
    pub news_of: Option<u16>,
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
    /// The stream of open blocks that its writes go to.
    pub stream: u8,
    /// Time that the SSD was off, and busy with itself afterwards: requests arrive later by it, ns.
    pub later_by: Ns,
}

impl Flow {
    /// The flow at this place, which has not begun; `streams` is `ftl.streams`.
    pub fn new(input: FlowInput, place: u16, streams: u32) -> Flow {
        let credit = input.weight;
        Flow {
            input,
            place,
            queue: VecDeque::new(),
            ahead: Ahead::default(),
            upcoming: None,
            credit,
            stream: (u32::from(place) % streams) as u8,
            later_by: 0,
        }
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

    /// The next request of a closed flow, whose time may be over.
    #[inline(always)]
    pub fn take_closed(&mut self, intake: &mut Intake, now: Ns) -> Result<Option<HostRequest>, SimError> {
        if now >= intake.stop_at {
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
