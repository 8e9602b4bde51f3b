//! A flow: one source of requests with its own submission queue.

use std::collections::VecDeque;

use super::HostRequest;
use crate::engine::Ns;

/// What a workload may fail with.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Requests in order of arrival, one by one or many at once. Every iterator over them is one.
pub trait Requests: Iterator<Item = Result<HostRequest, SourceError>> + Send {
    /// Puts up to `count` requests behind those in `into`: fewer only where no more are to come.
    ///
    /// # Errors
    /// What the workload fails with; the requests before that are there.
    fn take_batch(&mut self, count: usize, into: &mut VecDeque<HostRequest>) -> Result<(), SourceError>;
}

impl<I: Iterator<Item = Result<HostRequest, SourceError>> + Send> Requests for I {
    fn take_batch(&mut self, count: usize, into: &mut VecDeque<HostRequest>) -> Result<(), SourceError> {
        self.take(count).try_for_each(|request| {
            into.push_back(request?);
            Ok(())
        })
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

/// Requests that are taken from a source at once, ahead of their time, so that the mapping entries
/// which they will need can be fetched into the processor's cache meanwhile: many at once, so that
/// the processor translates their addresses side by side. Between one and two batches lie ahead.
pub(super) const LOOKAHEAD: usize = 64;

/// A flow at work.
#[derive(Debug)]
pub(super) struct Flow {
    pub input: FlowInput,
    /// Submitted, not yet taken by the device.
    pub queue: VecDeque<u32>,
    /// Requests that have been taken from the source ahead of their time.
    pub ahead: VecDeque<HostRequest>,
    /// How many of those are new since [`super::Host::ahead`] last looked.
    pub fresh: usize,
    /// The next request of an open loop.
    pub upcoming: Option<HostRequest>,
    /// Requests that it may still submit in this round of weighted arbitration.
    pub credit: u32,
    pub ended: bool,
    /// Time that the SSD was off, and busy with itself afterwards: requests arrive later by it, ns.
    pub later_by: Ns,
}

impl Flow {
    pub fn new(input: FlowInput) -> Flow {
        let credit = input.weight;
        Flow {
            input,
            queue: VecDeque::new(),
            ahead: VecDeque::with_capacity(2 * LOOKAHEAD),
            fresh: 0,
            upcoming: None,
            credit,
            ended: false,
            later_by: 0,
        }
    }
    /// Its time is over: whatever else its source has is not asked for.
    pub fn stop(&mut self) {
        self.ended = true;
        self.ahead.clear();
    }
}
