//! Arrivals: when groups of flows begin, and when an open or paced flow's next request is there.

use super::Host;
use super::flow::Replay;
use super::request::{HostRequest, LATEST_ARRIVAL_NS};
use crate::engine::{Event, Ns};
use crate::error::SimError;

impl Host {
    /// Starts the first group of flows, now: closed ones fill their queue depth, open ones name their first arrival.
    ///
    /// # Errors
    /// [`SimError::Workload`] when a source fails, [`SimError::Request`] for an address outside the
    /// device.
    pub fn start(&mut self, now: Ns, schedule: &mut impl FnMut(Ns, Event)) -> Result<(), SimError> {
        self.intake.stop_at = self.intake.stop_at.saturating_add(now);
        self.begin_group(now, schedule)
    }

    /// The flows of the present group begin; where they have nothing to do, those of the next.
    fn begin_group(&mut self, now: Ns, schedule: &mut impl FnMut(Ns, Event)) -> Result<(), SimError> {
        loop {
            for flow in 0..self.flows.len() {
                if self.flows[flow].input.group != self.group.0 {
                    continue;
                }
                self.flows[flow].begin(now, &self.intake);
                match self.flows[flow].input.replay {
                    Replay::Closed { depth } => {
                        for _ in 0..depth {
                            self.submit_next(flow, now)?;
                        }
                    }
                    Replay::Open | Replay::Paced { .. } => self.schedule_arrival(flow, schedule)?,
                }
            }
            if self.group.0 == self.group.1 || !self.is_group_over() {
                return Ok(());
            }
            self.group.0 += 1;
        }
    }

    /// Nothing of the groups that have begun is outstanding or to come.
    fn is_group_over(&self) -> bool {
        self.requests.is_empty()
            && self.flows.iter().all(|flow| flow.input.group > self.group.0 || !flow.is_expecting())
    }

    /// A request has left that no other follows: paced flows may go on, and the next group may begin.
    #[inline(never)]
    pub(super) fn left(&mut self, flow: usize, now: Ns) -> Result<(), SimError> {
        if let Some(time) = self.flows[flow].rested(now) {
            self.due.push((time, Event::Arrival(flow as u32)));
        }
        let mut due = std::mem::take(&mut self.due);
        let begun = self.next_group_if_over(now, &mut |time, event| due.push((time, event)));
        self.due = due;
        begun
    }

    /// The next group of flows begins, where there is one and nothing of those before is left.
    fn next_group_if_over(&mut self, now: Ns, schedule: &mut impl FnMut(Ns, Event)) -> Result<(), SimError> {
        if self.group.0 == self.group.1 || !self.is_group_over() {
            return Ok(());
        }
        self.group.0 += 1;
        self.begin_group(now, schedule)
    }

    fn schedule_arrival(
        &mut self,
        flow: usize,
        schedule: &mut impl FnMut(Ns, Event),
    ) -> Result<(), SimError> {
        let state = &mut self.flows[flow];
        if let Some(mut request) = state.take(&mut self.intake)? {
            let scale = state.input.time_scale;
            if scale != 1.0 {
                request.arrival_ns = (request.arrival_ns as f64 * scale) as Ns;
            }
            let stop_at = state.stop_at.unwrap_or(Ns::MAX);
            let arrival = request.arrival_ns.saturating_add(state.begun_at);
            if arrival > LATEST_ARRIVAL_NS && stop_at > LATEST_ARRIVAL_NS {
                return Err(too_late(&state.input.name, arrival));
            }
            if arrival < stop_at {
                request.arrival_ns += state.later_by;
                state.upcoming = Some(request);
                state.pace.is_awaited = true;
                schedule(request.arrival_ns, Event::Arrival(flow as u32));
            } else {
                state.ahead.stop();
            }
        }
        Ok(())
    }

    /// An `Arrival` event: an open flow's next request is there.
    ///
    /// # Errors
    /// See [`Host::start`].
    pub fn arrived(
        &mut self,
        flow: u32,
        now: Ns,
        schedule: &mut impl FnMut(Ns, Event),
    ) -> Result<(), SimError> {
        let flow = flow as usize;
        // All that arrive at this instant, without an event each.
        while let Some(request) = self.flows[flow].upcoming.take() {
            let state = &mut self.flows[flow];
            let time = state.may_submit_at(request.arrival_ns);
            state.pace.is_awaited = time.is_some();
            if time.is_none_or(|time| time > now) {
                state.upcoming = Some(request);
                if let Some(time) = time {
                    schedule(time, Event::Arrival(flow as u32));
                }
                return Ok(());
            }
            if let Replay::Paced { .. } = state.input.replay {
                if state.stop_at.is_some_and(|stop| now >= stop) {
                    state.ahead.stop();
                    return Ok(());
                }
                // A paced request counts from when it is submitted, as that of a closed flow.
                state.paced();
                self.enqueue(flow, HostRequest { arrival_ns: now, ..request })?;
            } else {
                self.enqueue(flow, request)?;
            }
            let mut next = None;
            self.schedule_arrival(flow, &mut |time, _| next = Some(time))?;
        }
        Ok(())
    }

    /// The SSD answers again, `later_by` after it lost its power: closed flows fill their queue depth again,
    /// open ones go on that much later.
    ///
    /// # Errors
    /// See [`Host::start`].
    pub fn power_up(
        &mut self,
        now: Ns,
        later_by: Ns,
        schedule: &mut impl FnMut(Ns, Event),
    ) -> Result<(), SimError> {
        for flow in 0..self.flows.len() {
            let state = &mut self.flows[flow];
            if state.stop_at.is_none() {
                continue;
            }
            state.later_by += later_by;
            // Arrivals of an open flow are compared as they were before they came later.
            if !matches!(state.input.replay, Replay::Open) {
                state.stop_at = state.stop_at.map(|stop| stop.saturating_add(later_by));
            }
            match state.input.replay {
                Replay::Closed { depth } => {
                    for _ in 0..depth {
                        self.submit_next(flow, now)?;
                    }
                }
                Replay::Open | Replay::Paced { .. } => {
                    if let Some(time) = state.power_up(now, later_by) {
                        schedule(time, Event::Arrival(flow as u32));
                    }
                }
            }
        }
        self.next_group_if_over(now, schedule)
    }
}

#[cold]
fn too_late(flow: &str, arrival_ns: Ns) -> SimError {
    SimError::Request(format!(
        "flow `{flow}`: a request arrives at {arrival_ns} ns, and simulated time for arrivals ends at {LATEST_ARRIVAL_NS} ns (2^62, 146 \
         years); lower host.time_scale, or end before it with host.duration_s"
    ))
}
