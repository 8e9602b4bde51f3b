//! The host: flows of requests, NVMe submission queues, arbitration, the link.

mod ahead;
mod arrivals;
mod by_address;
mod cores;
mod flow;
mod link;
mod namespace;
mod processors;
mod request;
mod sata;
mod sound;
mod under_way;
mod writes;

pub use by_address::FlowsByAddress;
pub use cores::Cores;
pub use flow::{BoxedRequests, FlowInput, Replay, Requests, Rest, SourceError};
pub use link::Link;
pub use namespace::Namespace;
pub use processors::{Processors, Work};
pub use request::{HostRequest, LACKING, LATEST_ARRIVAL_NS, Op, SECTOR_BYTES};
pub use under_way::{OnItsWay, Request};

use std::collections::BTreeSet;

use crate::config::{Arbitration, Config, LinkKind};
use crate::engine::{Event, Ns, Slab, state};
use crate::error::SimError;
use crate::flash::Status;
use flow::{Flow, Intake};
use writes::WritesUnderWay;

/// All flows and all requests that are not complete.
#[derive(Debug)]
pub struct Host {
    flows: Vec<Flow>,
    /// Requests between submission and completion.
    pub requests: Slab<Request>,
    writes: WritesUnderWay,
    arbitration: Arbitration,
    turn: usize,
    waiting: usize,
    in_device: u32,
    device_queue_depth: u32,
    intake: Intake,
    /// Requests taken from the flows so far.
    pub submitted: u64,
    /// The group of flows at work, and the last one.
    group: (u32, u32),
    /// A completion may let a flow continue: some are paced, or begin after others.
    has_led: bool,
    /// Arrivals that completions have brought about, until the loop takes them.
    pub due: Vec<(Ns, Event)>,
    /// Requests may still come from outside; see [`Host::submit`].
    pub is_live: bool,
    /// What jobs do takes time, and processors.
    pub processors: Processors,
    submissions: Vec<(u16, HostRequest)>,
}

// Between two steps of the loop nothing is `due`.
state! {
    Host {
        parts: intake, flows, processors;
        values: requests, writes, turn, waiting, in_device, submitted, group, submissions;
        derived: arbitration, device_queue_depth, has_led, due, is_live;
    }
}

impl Host {
    /// A host with its flows, none of which has begun.
    #[must_use]
    pub fn new(config: &Config, flows: Vec<FlowInput>) -> Host {
        let duration = config.host.duration_s;
        let is_paced = |flow: &FlowInput| matches!(flow.replay, Replay::Paced { .. });
        let has_led = flows.iter().any(|flow| flow.group > 0 || is_paced(flow));
        let last_group = flows.iter().map(|flow| flow.group).max().unwrap_or(0);
        Host {
            processors: Processors::new(&config.host, flows.len()),
            flows: (0..).zip(flows).map(|(place, input)| Flow::new(input, place)).collect(),
            requests: Slab::default(),
            writes: WritesUnderWay::new(config.schedule.suspend_write_limit_us > 0.0),
            arbitration: config.host.arbitration,
            turn: 0,
            waiting: 0,
            in_device: 0,
            device_queue_depth: match config.host.link {
                LinkKind::Nvme => config.host.device_queue_depth,
                LinkKind::Sata => config.host.device_queue_depth.min(sata::QUEUE_DEPTH),
            },
            intake: Intake {
                capacity_sectors: config.host_sectors(),
                stop_at: if duration > 0.0 { (duration * 1e9) as Ns } else { Ns::MAX },
                news_of: None,
            },
            submitted: 0,
            group: (0, last_group),
            has_led,
            due: Vec::new(),
            is_live: false,
            submissions: Vec::new(),
        }
    }

    /// Which flow has written what, before the run, as its part of the device tells.
    #[must_use]
    pub fn by_address(&self, page_bytes: u32) -> FlowsByAddress {
        FlowsByAddress::new(self.flows.iter().map(|flow| &flow.input), page_bytes)
    }

    /// Number of flows.
    pub(crate) fn flow_count(&self) -> usize {
        self.flows.len()
    }

    /// True while a flow has requests to come.
    #[must_use]
    pub fn is_expecting(&self) -> bool {
        self.is_live || self.flows.iter().any(Flow::is_expecting)
    }

    /// True where every request is complete and no flow has another one; a live host may still send some.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.requests.is_empty() && !self.flows.iter().any(Flow::is_expecting)
    }

    /// Of each flow that arrives by itself: when it began, and when its last request arrived, ns; `None` of others.
    pub fn arrivals(&self) -> impl Iterator<Item = Option<(Ns, Ns)>> {
        self.flows
            .iter()
            .map(|flow| (flow.input.replay == Replay::Open).then_some((flow.begun_at, flow.last_arrival)))
    }

    /// What logged flows have submitted, in order: the flow, and the request with the time of its submission, ns.
    #[must_use]
    pub fn submissions(&self) -> &[(u16, HostRequest)] {
        &self.submissions
    }

    /// The device's placement identifier for data of a flow that name no handle, or one that its namespace lacks.
    #[must_use]
    pub fn first_identifier(&self, flow: u16) -> u16 {
        let namespace = self.flows[usize::from(flow)].input.namespace.as_ref();
        namespace.map_or(0, |namespace| namespace.identifier(0))
    }

    /// The namespace of each flow, where it has one.
    pub fn namespaces(&self) -> impl Iterator<Item = Option<&Namespace>> {
        self.flows.iter().map(|flow| flow.input.namespace.as_ref())
    }

    /// Names of the flows.
    pub fn flow_names(&self) -> impl Iterator<Item = &str> {
        self.flows.iter().map(|flow| flow.input.name.as_str())
    }

    /// The flow whose batch of requests ahead has not been looked at.
    #[inline(always)]
    pub fn take_news(&mut self) -> Option<u16> {
        let flow = self.intake.news_of?;
        self.intake.news_of = None;
        Some(flow)
    }

    /// When the ramp of a flow is over, ns; requests that arrive before are not counted.
    #[must_use]
    pub fn counts_from(&self, flow: u16) -> Ns {
        let flow = &self.flows[flow as usize];
        flow.begun_at.saturating_add(flow.input.ramp)
    }

    /// What a flow will ask for: the batch of requests that was taken from its source last, and the rest of
    /// the one before.
    #[must_use]
    pub fn ahead(&self, flow: u16) -> (&[HostRequest], &[HostRequest]) {
        self.flows[flow as usize].ahead.batches()
    }

    /// A closed flow submits its next request.
    fn submit_next(&mut self, flow: usize, now: Ns) -> Result<(), SimError> {
        if let Some(request) = self.flows[flow].take_closed(&mut self.intake, now)? {
            self.enqueue(flow, HostRequest { arrival_ns: now, ..request })?;
        }
        Ok(())
    }

    /// A request of a flow that comes from outside, now; returns its name.
    ///
    /// # Errors
    /// [`SimError::Request`] where too many wait.
    pub fn submit(&mut self, flow: u16, request: HostRequest) -> Result<u32, SimError> {
        self.enqueue(usize::from(flow), request)
    }

    /// What the device says to a request before it begins it.
    #[must_use]
    pub fn check(&self, request: &HostRequest) -> Status {
        if !request.op.has_sectors() {
            let is_there = !request.op.has_address() || request.sector < self.intake.capacity_sectors;
            return if is_there { Status::Success } else { Status::LbaOutOfRange };
        }
        let end = request.sector.saturating_add(u64::from(request.sectors));
        match request.sectors {
            0 => Status::InvalidField,
            _ if end > self.intake.capacity_sectors => Status::LbaOutOfRange,
            _ => Status::Success,
        }
    }

    #[inline(always)]
    fn enqueue(&mut self, flow: usize, request: HostRequest) -> Result<u32, SimError> {
        let state = &mut self.flows[flow];
        let (flow, priority) = (flow as u16, state.input.priority);
        state.last_arrival = request.arrival_ns;
        if state.input.is_logged {
            self.submissions.push((flow, request));
        }
        let id = self.requests.insert(Request {
            request,
            flow,
            priority,
            way: OnItsWay::Processed,
            pages_left: 0,
            submitted: 0,
        });
        if id > Event::INDEX_MAX {
            return Err(SimError::Request(format!(
                "more than {} requests wait for the SSD, which cannot keep up with their arrival times; \
                 raise host.time_scale, or replay with host.mode = \"closed\"",
                Event::INDEX_MAX
            )));
        }
        state.queue.push_back(id);
        self.waiting += 1;
        self.submitted += 1;
        Ok(id)
    }

    /// The next request that the device takes, if it has room and one waits.
    #[inline(always)]
    pub fn fetch(&mut self, now: Ns) -> Option<u32> {
        if self.waiting == 0 || self.in_device >= self.device_queue_depth {
            return None;
        }
        let flow = self.arbitrate();
        let id = self.flows[flow].queue.pop_front()?;
        self.waiting -= 1;
        self.in_device += 1;
        let place = &mut self.requests[id];
        place.submitted = now;
        self.writes.taken(id, place.request.op, now);
        Some(id)
    }

    /// The device is done with a request whose answer is to wait for its job: it has room for another one.
    pub fn answered(&mut self, id: u32) {
        let Request { request, way, .. } = &mut self.requests[id];
        *way = OnItsWay::Answered;
        self.writes.completed(id, request.op);
        self.in_device -= 1;
    }

    /// When the device took the oldest write that is not complete, ns; known where `schedule.suspend_write_limit_us` is set.
    #[inline]
    #[must_use]
    pub fn oldest_write(&self) -> Option<Ns> {
        self.writes.oldest()
    }

    /// How each flow sends its requests.
    pub fn replays(&self) -> impl Iterator<Item = Replay> + '_ {
        self.flows.iter().map(|flow| flow.input.replay)
    }

    /// True when a submitted request waits for the device.
    #[inline]
    #[must_use]
    pub fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// The next flow in turn, among those with something queued.
    #[inline]
    fn arbitrate(&mut self) -> usize {
        let count = self.flows.len();
        if count == 1 {
            return 0;
        }
        loop {
            for step in 0..count {
                let flow = (self.turn + step) % count;
                let state = &mut self.flows[flow];
                if state.queue.is_empty() {
                    continue;
                }
                match self.arbitration {
                    Arbitration::RoundRobin => {
                        self.turn = (flow + 1) % count;
                        return flow;
                    }
                    Arbitration::Weighted if state.credit > 0 => {
                        state.credit -= 1;
                        self.turn = if state.credit == 0 { (flow + 1) % count } else { flow };
                        return flow;
                    }
                    Arbitration::Weighted => {}
                }
            }
            // Everyone who waits has used up this round.
            for state in &mut self.flows {
                state.credit = state.input.weight.max(1);
            }
        }
    }

    /// Requests that wait in submission queues, by flow.
    #[must_use]
    pub fn waiting(&self) -> Vec<u32> {
        self.flows.iter().flat_map(|flow| &flow.queue).copied().collect()
    }

    /// Requests that the device has taken, and that the host has not seen complete.
    #[must_use]
    pub fn in_device(&self) -> Vec<u32> {
        let waiting: BTreeSet<u32> = self.waiting().into_iter().collect();
        let is_open = |&id: &u32| !waiting.contains(&id) && self.requests[id].way != OnItsWay::Seen;
        self.requests.names().filter(is_open).collect()
    }

    /// No flow submits anything more; what waits in submission queues is withdrawn.
    pub fn stop(&mut self) {
        for flow in &mut self.flows {
            flow.ahead.stop();
            flow.upcoming = None;
            for id in flow.queue.drain(..) {
                self.requests.remove(id);
            }
        }
        self.waiting = 0;
    }

    /// The SSD has lost its power: no request that was submitted goes on.
    pub fn power_cut(&mut self) {
        self.requests = Slab::default();
        self.writes.power_cut();
        for flow in &mut self.flows {
            flow.queue.clear();
        }
        self.processors.power_cut();
        self.waiting = 0;
        self.in_device = 0;
    }

    /// A request is complete: it leaves, and a closed flow submits its next, under the same name. True where the
    /// device has taken that one already, since the queue was empty; else see [`Host::fetch`].
    ///
    /// # Errors
    /// See [`Host::start`].
    #[inline(always)]
    pub fn complete(&mut self, id: u32, now: Ns) -> Result<bool, SimError> {
        let place = &mut self.requests[id];
        // It has left the device, and its place there is taken by another.
        let has_left = self.processors.reap();
        if !has_left {
            self.writes.completed(id, place.request.op);
        }
        let flow = usize::from(place.flow);
        let state = &mut self.flows[flow];
        let next = match state.input.replay {
            Replay::Closed { .. } => state.take_closed(&mut self.intake, now)?,
            Replay::Open | Replay::Paced { .. } => None,
        };
        if let Some(next) = next {
            place.request = HostRequest { arrival_ns: now, ..next };
            place.submitted = now;
            place.way = OnItsWay::Processed;
            self.submitted += 1;
            if state.input.is_logged {
                self.submissions.push((flow as u16, place.request));
            }
            if self.waiting == 0 && self.flows.len() == 1 && !has_left {
                self.writes.taken(id, next.op, now);
                return Ok(true);
            }
            self.flows[flow].queue.push_back(id);
            self.waiting += 1;
        } else {
            self.requests.remove(id);
            if self.has_led {
                self.left(flow, now)?;
            }
        }
        self.in_device -= u32::from(!has_left);
        Ok(false)
    }
}
