//! The loop: clients, device and clock, on one thread.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wordline_core::engine::Ns;
use wordline_run::result::{Lateness, WallSession};

use crate::clock::{Clock, Instant, Pace};
use crate::connection::Connection;
use crate::device::{Advance, Answer, Arrival, Device, DeviceError, errno_of};
use crate::lateness::{self, SHARE_MAX};
use crate::listener::Listener;
use crate::options::ServeOptions;
use crate::protocol::{Command, Errno, Export, NbdRequest, reply};
use crate::status::{Meter, SessionReport, Status};
use crate::store::Store;

/// Wall time between two looks at the user.
const REPORT_TIME: Duration = Duration::from_millis(100);
/// What is due so soon is waited for without sleep: waking up takes as long.
const SPIN_TIME: Duration = Duration::from_micros(120);
/// How long a server that ends with its last client waits for another: programs such as fio connect, look, and come back.
const LINGER_TIME: Duration = Duration::from_millis(500);
/// How long a handshake may take where another client waits for its place.
const PATIENCE: Duration = Duration::from_millis(500);
/// Rounds of a busy loop between two looks for new clients.
const ROUNDS_PER_ACCEPT: u32 = 256;
/// Bytes read at once.
const SCRATCH_BYTES: usize = 256 << 10;
/// The end of simulated time.
const NEVER: Ns = Ns::MAX - 1;

/// A server at work.
pub(crate) struct Serving<'a> {
    device: Device<'a>,
    clock: Clock,
    lateness: lateness::Lateness,
    meter: Meter,
    connections: Vec<Connection>,
    arrivals: Vec<Arrival>,
    scratch: Vec<u8>,
    clients: u64,
    /// Since when there is no client any more, for a server that ends then.
    left: Option<Instant>,
    was_cut: bool,
    /// Requests that the power cut left without an answer.
    unanswered: u64,
    /// When the first request came, and when the latest answer left.
    wall: Option<(Instant, Instant)>,
    export: Export,
    listener: Listener,
    options: ServeOptions,
}

impl<'a> Serving<'a> {
    pub fn new(device: Device<'a>, listener: Listener, export: Export, options: ServeOptions) -> Serving<'a> {
        Serving {
            device,
            clock: Clock::new(options.pace),
            lateness: lateness::Lateness::new(),
            meter: Meter::new(Instant::now()),
            connections: Vec::new(),
            arrivals: Vec::new(),
            scratch: vec![0; SCRATCH_BYTES],
            clients: 0,
            left: None,
            was_cut: false,
            unanswered: 0,
            wall: None,
            export,
            listener,
            options,
        }
    }

    /// Serves until there is a reason to end.
    pub fn run(&mut self, report: &mut dyn FnMut(&Status) -> bool) -> Result<(), DeviceError> {
        let mut next_report = Instant::now();
        let mut rounds = 0;
        loop {
            let now = Instant::now();
            if now >= next_report {
                next_report = now + REPORT_TIME;
                self.adapt(now);
                let (slow_down, share) = (self.clock.slow_down(), self.lateness.share());
                let status =
                    self.meter.status(now, self.device.ssd, self.connections.len(), slow_down, share);
                if !report(&status) {
                    return Ok(());
                }
            }
            let has_told = self.receive();
            self.go_on()?;
            let is_busy = self.answer() || has_told;
            self.close_what_is_over(now);
            if self.options.once && self.is_left(now) {
                return Ok(());
            }
            rounds += 1;
            let wait = if is_busy { Duration::ZERO } else { self.time_to_wait(next_report) };
            if wait > Duration::ZERO || rounds % ROUNDS_PER_ACCEPT == 0 {
                self.wait(wait);
            }
        }
    }

    /// Takes what clients have sent; true if some of it is answered already.
    fn receive(&mut self) -> bool {
        let mut has_told = false;
        let Serving { connections, arrivals, scratch, export, device, .. } = self;
        for connection in connections.iter_mut() {
            let mut status_requests = Vec::new();
            connection.receive(scratch, export, &mut |client, request| {
                if matches!(request.command, Command::BlockStatus { .. }) {
                    status_requests.push(request);
                } else {
                    arrivals.push(Arrival { client, request });
                }
            });
            // Where data are is nothing that the SSD is asked.
            has_told |= !status_requests.is_empty();
            for request in status_requests {
                connection.answer(request.payload_bytes(), |out, is_structured| {
                    block_status(&device.store, &request, out, is_structured);
                });
            }
        }
        has_told
    }

    /// Requests that have come arrive at the SSD, and simulated time goes on.
    fn go_on(&mut self) -> Result<(), DeviceError> {
        let now = Instant::now();
        if !self.arrivals.is_empty() {
            self.clock.start(now);
            self.wall.get_or_insert((now, now));
            let at = self.clock.simulated(now);
            if self.device.is_cut_before(at) {
                return self.cut_power();
            }
            self.device.arrive(at, &mut self.arrivals)?;
        }
        let limit = if self.clock.is_virtual() { NEVER } else { self.clock.simulated(now) };
        match self.device.advance(limit, self.clock.is_virtual())? {
            Advance::Done => Ok(()),
            Advance::CutDue => self.cut_power(),
        }
    }

    /// The power fails: clients hear what was complete before, and find the connection closed.
    fn cut_power(&mut self) -> Result<(), DeviceError> {
        self.device.run_to_cut()?;
        self.answer();
        self.unanswered += self.device.cut_power()? + self.arrivals.len() as u64;
        self.arrivals.clear();
        self.connections.clear();
        self.was_cut = true;
        self.clock.jump(self.device.ssd.now(), Instant::now());
        Ok(())
    }

    /// Sends the answers that there are; true if there were any.
    fn answer(&mut self) -> bool {
        let answers = std::mem::take(&mut self.device.answers);
        let has_answers = !answers.is_empty();
        for answer in &answers {
            self.meter.add(answer);
            if let Some(connection) = self.connections.iter_mut().find(|it| it.id == answer.client) {
                let store = &self.device.store;
                connection.answer(answer.payload_bytes, |out, is_structured| {
                    write_answer(store, answer, out, is_structured);
                });
            }
        }
        for connection in &mut self.connections {
            connection.send();
        }
        if has_answers {
            self.note_time(&answers);
        }
        self.device.answers = answers;
        self.device.answers.clear();
        has_answers
    }

    /// Notes when answers have left.
    fn note_time(&mut self, answers: &[Answer]) {
        let now = Instant::now();
        if let Some((_, latest)) = &mut self.wall {
            *latest = now;
        }
        if self.clock.is_virtual() {
            return;
        }
        for answer in answers {
            let response_ns = (answer.completed - answer.arrived) as f64 * self.clock.slow_down();
            self.lateness.add(self.clock.late_ns(answer.completed, now), response_ns);
        }
    }

    fn adapt(&mut self, now: Instant) {
        if self.options.pace == Pace::Auto
            && let Some(better) = self.lateness.better(self.clock.slow_down())
        {
            self.clock.set_slow_down(better, now);
        }
    }

    fn close_what_is_over(&mut self, now: Instant) {
        self.connections.retain_mut(|connection| !connection.is_over(now));
    }

    /// True when clients have asked for something, and all of them have been gone for a while.
    fn is_left(&mut self, now: Instant) -> bool {
        if self.meter.requests == 0 || !self.connections.is_empty() {
            self.left = None;
            return false;
        }
        now.saturating_duration_since(*self.left.get_or_insert(now)) >= LINGER_TIME
    }

    /// Until when nothing is to do but what a client asks for; zero where that comes so soon that it is not worth a sleep.
    fn time_to_wait(&self, next_report: Instant) -> Duration {
        let now = Instant::now();
        let report = next_report.saturating_duration_since(now).max(Duration::from_micros(1));
        if !self.device.ssd.has_requests() {
            return report;
        }
        if self.clock.is_virtual() {
            return Duration::ZERO;
        }
        let event = self.device.ssd.next_event_at().unwrap_or(NEVER);
        report.min(self.clock.until(event, now).saturating_sub(SPIN_TIME))
    }

    /// Waits for clients, up to a time, and lets new ones in.
    fn wait(&mut self, time: Duration) {
        let mut places = vec![PollFd::new(&self.listener, PollFlags::IN)];
        places
            .extend(self.connections.iter().map(|connection| PollFd::new(connection, connection.interest())));
        let time = Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos().into() };
        // A signal ends the wait: the next look at the user follows soon.
        let ready = poll(&mut places, Some(&time)).unwrap_or(0);
        let comes = ready > 0 && places[0].revents().contains(PollFlags::IN);
        drop(places);
        while comes && let Some(stream) = self.listener.accept() {
            if self.connections.len() >= self.options.clients_max {
                self.close_the_idlest();
            }
            if self.connections.len() < self.options.clients_max {
                self.clients += 1;
                let mut connection = Connection::new(self.clients, stream, Instant::now());
                connection.send();
                self.connections.push(connection);
            }
        }
    }

    /// A client waits, and there is room for no more: the one that has taken longest over its handshake gives way.
    fn close_the_idlest(&mut self) {
        let now = Instant::now();
        let idle =
            self.connections.iter().enumerate().filter_map(|(i, its)| Some((its.handshake_time(now)?, i)));
        if let Some((time, i)) = idle.max_by_key(|&(time, i)| (time, usize::MAX - i))
            && time > PATIENCE
        {
            self.connections.remove(i);
        }
    }

    /// Ends the requests under way, and the run.
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        let finished = self.device.finish();
        self.answer();
        finished
    }

    /// What is to say of the session.
    pub fn session(&self) -> SessionReport {
        let slow_down = self.clock.slow_down();
        let spread = self.lateness.spread();
        let lateness = (!self.clock.is_virtual()).then(|| Lateness {
            mean_us: spread.mean,
            p50_us: spread.p50,
            p99_us: spread.p99,
            p999_us: spread.p999,
            max_us: spread.max,
            share_of_response: self.lateness.share(),
        });
        let mut warnings = Vec::new();
        if let Some(lateness) = lateness.as_ref().filter(|lateness| lateness.share_of_response > SHARE_MAX) {
            warnings.push(format!(
                "answers came {:.0} us late in the mean, {:.0} % of the mean response: the simulated times are right, but \
                 the program had to wait longer; raise --slow-down above {slow_down:.3}, or use --slow-down auto",
                lateness.mean_us,
                lateness.share_of_response * 100.0
            ));
        }
        if self.device.store_failures > 0 {
            warnings.push(format!(
                "{} requests failed because the store could not take their data",
                self.device.store_failures
            ));
        }
        let store_failure = self.device.store_ended.as_ref().map(ToString::to_string);
        let session = WallSession {
            clients: self.clients,
            requests: self.meter.requests,
            wall_s: self.wall.map_or(0.0, |(first, latest)| latest.duration_since(first).as_secs_f64()),
            slow_down,
            lateness,
            power_was_cut: self.was_cut,
            unanswered: self.unanswered,
            store_failure,
        };
        SessionReport { session, warnings }
    }
}

fn write_answer(store: &Store, answer: &Answer, out: &mut Vec<u8>, is_structured: bool) {
    match (answer.failure, answer.data) {
        (Some(failure), _) => reply::failed(out, is_structured, answer.cookie, failure),
        (None, Some((offset, bytes))) => {
            reply::data(out, is_structured, answer.cookie, offset, bytes, |into| {
                store.read(offset, into).map_err(|error| errno_of(&error))
            })
        }
        (None, None) => reply::done(out, is_structured, answer.cookie),
    }
}

fn block_status(store: &Store, request: &NbdRequest, out: &mut Vec<u8>, is_structured: bool) {
    let only_first = matches!(request.command, Command::BlockStatus { only_first: true });
    match store.extents(request.offset, request.bytes, only_first) {
        Ok(extents) => reply::block_status(out, request.cookie, &extents),
        Err(_) => reply::failed(out, is_structured, request.cookie, Errno::Io),
    }
}
