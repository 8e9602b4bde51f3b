//! Requests that a flow has taken from its source ahead of their time.

use super::{FlowInput, HostRequest, Op};
use crate::engine::{LoadError, state};
use crate::error::SimError;

/// Requests that are taken from a source at once, ahead of their time, so that the mapping entries
/// which they will need can be fetched into the processor's cache meanwhile: many at once, so that
/// the processor translates their addresses side by side. Between one and two batches lie ahead.
pub(super) const LOOKAHEAD: usize = 64;

/// What a place in a batch holds before its request is there.
pub(super) const NOTHING: HostRequest = HostRequest::new(0, Op::Flush, 0, 0);

/// Two batches of requests: one to submit from, one behind it.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    near: Vec<HostRequest>,
    /// Requests of `near` that have left.
    taken: usize,
    far: Vec<HostRequest>,
    /// Requests that the source has yielded so far.
    yielded: u64,
    /// The source is not asked for more.
    ended: bool,
    /// Because the flow was stopped.
    is_stopped: bool,
}

state! {
    Ahead {
        values: near, taken, far, yielded, ended, is_stopped;
    }
}

impl Ahead {
    /// True when [`Ahead::turn`] has to come before the next request can be taken.
    #[inline]
    pub fn is_used_up(&self) -> bool {
        self.taken >= self.near.len()
    }

    /// The next request.
    #[inline(always)]
    pub fn take(&mut self) -> Option<HostRequest> {
        let request = *self.near.get(self.taken)?;
        self.taken += 1;
        Some(request)
    }

    /// True while requests are to come.
    pub fn is_expecting(&self) -> bool {
        !self.ended || !self.is_used_up() || !self.far.is_empty()
    }

    /// The batch at the back moves up, and the source fills another one, until there is a request to take
    /// or none is to come.
    ///
    /// # Errors
    /// [`SimError::Workload`] when the source fails, [`SimError::Request`] for an address at or beyond
    /// `capacity_sectors`.
    pub fn turn(&mut self, input: &mut FlowInput, capacity_sectors: u64) -> Result<(), SimError> {
        while self.is_used_up() && self.is_expecting() {
            std::mem::swap(&mut self.near, &mut self.far);
            self.taken = 0;
            if self.ended {
                self.far.clear();
            } else {
                self.fill(input, capacity_sectors)?;
            }
        }
        Ok(())
    }

    /// A batch of requests from the source, where they lie on the device.
    fn fill(&mut self, input: &mut FlowInput, capacity_sectors: u64) -> Result<(), SimError> {
        self.far.resize(LOOKAHEAD, NOTHING);
        let (count, outcome) = input.source.take_batch(&mut self.far);
        self.far.truncate(count);
        self.ended = count < LOOKAHEAD;
        let mut end_of_all = 0;
        for request in &mut self.far {
            input.place(request);
            end_of_all = end_of_all.max(end_of(request));
        }
        if end_of_all > capacity_sectors {
            return Err(self.beyond(&input.name, capacity_sectors));
        }
        self.yielded += count as u64;
        outcome.map_err(SimError::Workload)
    }

    /// Brings a source that has yielded nothing to where the one was that these requests were taken from.
    ///
    /// # Errors
    /// [`LoadError::Other`] when the source fails, or is another one.
    pub fn bring(&self, input: &mut FlowInput) -> Result<(), LoadError> {
        let name = input.name.clone();
        let other =
            |what: &dyn std::fmt::Display| LoadError::Other(format!("the requests of {name}: {what}"));
        // Both batches are taken again, to be compared; at the end of the source, so is the end.
        let ends = usize::from(self.ended && !self.is_stopped);
        let mut again = vec![NOTHING; self.near.len() + self.far.len() + ends];
        let before = self.yielded.checked_sub((self.near.len() + self.far.len()) as u64);
        let before = before.filter(|_| self.taken <= self.near.len()).ok_or(LoadError::Damaged)?;
        input.source.skip(before).map_err(|error| other(&error))?;
        let (count, outcome) = input.source.take_batch(&mut again);
        outcome.map_err(|error| other(&error))?;
        again.truncate(count);
        for request in &mut again {
            input.place(request);
        }
        let is_same = again.iter().eq(self.near.iter().chain(&self.far));
        if is_same { Ok(()) } else { Err(other(&"they are others than before")) }
    }

    /// Names the first request of the new batch that reaches too far.
    fn beyond(&self, name: &str, capacity_sectors: u64) -> SimError {
        let reaches_too_far = |request: &&HostRequest| end_of(request) > capacity_sectors;
        let place = self.far.iter().take_while(|request| !reaches_too_far(request)).count();
        SimError::Request(format!(
            "request {} of {name} reaches sector {}, but the SSD has {capacity_sectors}; \
             choose a larger SSD, or set host.wrap = true",
            self.yielded + place as u64 + 1,
            self.far.get(place).map_or(0, end_of),
        ))
    }

    /// The requests of the new batch, and those that are taken before.
    pub fn batches(&self) -> (&[HostRequest], &[HostRequest]) {
        (&self.far, &self.near[self.taken..])
    }

    /// The source is asked for nothing more.
    pub fn stop(&mut self) {
        *self = Ahead { ended: true, is_stopped: true, yielded: self.yielded, ..Ahead::default() };
    }
}

/// The sector behind a request.
fn end_of(request: &HostRequest) -> u64 {
    request.sector + u64::from(request.sectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Replay;

    fn read_at(sector: u64) -> HostRequest {
        HostRequest::new(0, Op::Read, sector, 1)
    }

    fn flow(count: u64, first_sector: u64) -> FlowInput {
        let source = Box::new((0..count).map(|sector| Ok(read_at(sector))));
        FlowInput { first_sector, ..FlowInput::new("reads", source, Replay::Open) }
    }

    #[test]
    fn every_request_leaves_once_and_in_order() {
        let batch = LOOKAHEAD as u64;
        for count in [0, 1, batch - 1, batch, batch + 1, 2 * batch, 5 * batch + 3] {
            let (mut input, mut ahead) = (flow(count, 7), Ahead::default());
            let mut taken = Vec::new();
            while ahead.is_expecting() {
                if ahead.is_used_up() {
                    ahead.turn(&mut input, 1_000).unwrap();
                    let (far, near) = ahead.batches();
                    let left = count as usize - taken.len();
                    assert_eq!((near.len(), far.len()), (left.min(64), left.saturating_sub(64).min(64)));
                }
                taken.extend(ahead.take());
            }
            assert_eq!(taken, (7..7 + count).map(read_at).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_request_beyond_the_device_is_named() {
        let (mut input, mut ahead) = (flow(1_000, 0), Ahead::default());
        ahead.turn(&mut input, 150).unwrap();
        while ahead.take().is_some() {}
        let Err(SimError::Request(why)) = ahead.turn(&mut input, 150) else {
            panic!("sector 150 is too far")
        };
        assert!(why.contains("request 151 of reads reaches sector 151, but the SSD has 150"), "{why}");
    }

    #[test]
    fn requests_that_the_source_did_not_yield_are_refused() {
        let taken = || {
            let (mut input, mut ahead) = (flow(1_000, 0), Ahead::default());
            ahead.turn(&mut input, 1_000).unwrap();
            ahead.take();
            ahead
        };
        assert!(taken().bring(&mut flow(1_000, 0)).is_ok());
        let forge: [&dyn Fn(&mut Ahead); 5] = [
            &|ahead| ahead.yielded = 1,
            &|ahead| ahead.yielded = 900,
            &|ahead| ahead.taken = 65,
            &|ahead| ahead.near[5].sector = 2_000,
            &|ahead| ahead.far[5].sectors = 9,
        ];
        for (number, forge) in forge.iter().enumerate() {
            let mut ahead = taken();
            forge(&mut ahead);
            assert!(ahead.bring(&mut flow(1_000, 0)).is_err(), "{number}");
        }
    }

    #[test]
    fn nothing_comes_after_a_stop() {
        let (mut input, mut ahead) = (flow(1_000, 0), Ahead::default());
        ahead.turn(&mut input, 1_000).unwrap();
        ahead.stop();
        assert!(ahead.is_used_up() && !ahead.is_expecting());
        ahead.turn(&mut input, 1_000).unwrap();
        assert_eq!(ahead.take(), None);
    }
}
