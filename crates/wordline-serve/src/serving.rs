//! The loop: clients, device and clock, on one thread.

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wordline_core::SimError;
use wordline_core::engine::Ns;
use wordline_run::result::{Lateness, WallSession};

use crate::clock::{Clock, Instant, Pace};
use crate::connection::{Connection, Stream};
use crate::device::{Advance, Answer, Arrival, Device, Until, errno_of};
use crate::lateness::{self, SHARE_MAX};
use crate::listener::{Listener, Next};
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
/// Wall time of a busy loop between two looks for new clients.
const ACCEPT_TIME: Duration = Duration::from_millis(2);
/// How long nobody is let in after the system could not.
const BLOCKED_TIME: Duration = Duration::from_millis(200);
/// Clients at a time that are told why they cannot be served, and how long that may take.
const TURNED_AWAY_MAX: usize = 16;
const TURNED_AWAY_TIME: Duration = Duration::from_secs(2);
/// Bytes that all clients together may send before the SSD goes on, and one at least.
const ROUND_BYTES: usize = 8 << 20;
const TURN_BYTES_MIN: usize = 256 << 10;
/// Mapping units that come to the SSD before clients are heard again.
const ROUND_UNITS: u64 = 8192;
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
    /// Clients that are told why they cannot be served.
    turned_away: Vec<Connection>,
    /// Which client has the next turn.
    turn: usize,
    /// Mapping units under way in the SSD; see [`Piece`](crate::queue::Piece).
    units: u64,
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
    /// When clients are looked for again.
    accepts_at: Instant,
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
            turned_away: Vec::new(),
            turn: 0,
            units: 0,
            arrivals: Vec::new(),
            scratch: vec![0; SCRATCH_BYTES],
            clients: 0,
            left: None,
            was_cut: false,
            unanswered: 0,
            wall: None,
            export,
            listener,
            accepts_at: Instant::now(),
            options,
        }
    }

    /// Serves until there is a reason to end.
    pub fn run(&mut self, report: &mut dyn FnMut(&Status) -> bool) -> Result<(), SimError> {
        let mut next_report = Instant::now();
        let mut next_look = next_report;
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
            self.receive(now);
            let has_more = self.take_turns();
            self.go_on()?;
            let is_busy = self.answer() || has_more;
            self.close_what_is_over(now);
            if self.options.once && self.is_left(now) {
                return Ok(());
            }
            let wait = if is_busy { Duration::ZERO } else { self.time_to_wait(next_report) };
            if wait > Duration::ZERO || now >= next_look {
                self.wait(wait);
                next_look = Instant::now() + ACCEPT_TIME;
            }
        }
    }

    /// Takes what clients have sent.
    fn receive(&mut self, now: Instant) {
        let turn_bytes = (ROUND_BYTES / self.connections.len().max(1)).max(TURN_BYTES_MIN);
        for connection in self.connections.iter_mut().chain(&mut self.turned_away) {
            connection.receive(&mut self.scratch, turn_bytes, &self.export, now);
        }
    }

    /// Clients have their turns, a request or a piece of one each, until the SSD has enough to do. True where more could
    /// come, or something is answered already.
    fn take_turns(&mut self) -> bool {
        let clients = self.connections.len();
        let (mut units, mut without, mut has_told) = (0, 0, false);
        while without < clients && units < ROUND_UNITS {
            self.turn = (self.turn + 1) % clients;
            let connection = &mut self.connections[self.turn];
            let Some(piece) = connection.queue.next(self.units) else {
                without += 1;
                continue;
            };
            without = 0;
            units += piece.units;
            if matches!(piece.request.command, Command::BlockStatus { .. }) {
                // Where data are is nothing that the SSD is asked.
                has_told = true;
                connection.queue.done(piece.units);
                connection.answer(piece.request.payload_bytes(), |out, is_structured| {
                    block_status(&self.device.store, &piece.request, out, is_structured);
                });
                continue;
            }
            self.units += piece.units;
            self.arrivals.push(Arrival { client: connection.id, piece });
        }
        has_told || units >= ROUND_UNITS
    }

    /// Requests that have come arrive at the SSD, and simulated time goes on.
    fn go_on(&mut self) -> Result<(), SimError> {
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
        let until = if self.clock.is_virtual() { Until::Answer } else { Until::Turn };
        match self.device.advance(limit, until)? {
            Advance::Done => Ok(()),
            Advance::CutDue => self.cut_power(),
        }
    }

    /// The power fails: clients hear what was complete before, and find the connection closed.
    fn cut_power(&mut self) -> Result<(), SimError> {
        self.device.run_to_cut()?;
        self.answer();
        self.device.cut_power()?;
        self.unanswered += self.connections.iter().map(Connection::requests).sum::<u64>();
        self.arrivals.clear();
        self.units = 0;
        self.connections.clear();
        self.was_cut = true;
        self.clock.jump(self.device.ssd.now(), Instant::now());
        Ok(())
    }

    /// Sends the answers that there are; true if there were any.
    fn answer(&mut self) -> bool {
        let mut answers = std::mem::take(&mut self.device.answers);
        let has_answers = !answers.is_empty();
        answers.retain_mut(|answer| self.tell(answer));
        let now = Instant::now();
        for connection in self.connections.iter_mut().chain(&mut self.turned_away) {
            connection.send(now);
        }
        if !answers.is_empty() {
            self.note_time(&answers);
        }
        answers.clear();
        self.device.answers = answers;
        has_answers
    }

    /// Tells a client that a request has ended; false where other pieces of it are under way.
    fn tell(&mut self, answer: &mut Answer) -> bool {
        self.units -= answer.units;
        let connection = self.connections.iter_mut().find(|it| it.id == answer.client);
        let Some(connection) = connection else {
            // Nobody puts its pieces together any more.
            let is_whole = answer.of.is_none();
            if is_whole {
                self.meter.add(answer);
            }
            return is_whole;
        };
        connection.queue.done(answer.units);
        if let Some(of) = answer.of {
            let Some(ended) = connection.queue.piece_done(of, answer.failure, answer.arrived) else {
                return false;
            };
            (answer.failure, answer.arrived) = (ended.failure, ended.arrived);
        }
        self.meter.add(answer);
        let store = &self.device.store;
        connection.answer(answer.payload_bytes, |out, is_structured| {
            write_answer(store, answer, out, is_structured);
        });
        true
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
        let patience = self.options.patience;
        self.connections.retain_mut(|connection| !connection.is_over(now, patience));
        self.turned_away.retain_mut(|connection| {
            let is_late = connection.handshake_time(now).is_none_or(|time| time > TURNED_AWAY_TIME);
            !is_late && !connection.is_over(now, patience)
        });
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
        let accepts = Instant::now() >= self.accepts_at;
        let listener = if accepts { PollFlags::IN } else { PollFlags::empty() };
        let mut places = vec![PollFd::new(&self.listener, listener)];
        let clients = self.connections.iter().chain(&self.turned_away);
        places.extend(clients.map(|connection| PollFd::new(connection, connection.interest())));
        let time = Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos().into() };
        // A signal ends the wait: the next look at the user follows soon.
        let ready = poll(&mut places, Some(&time)).unwrap_or(0);
        let comes = ready > 0 && places[0].revents().contains(PollFlags::IN);
        drop(places);
        if comes {
            self.let_in();
        }
    }

    fn let_in(&mut self) {
        self.listener.keep_spare();
        loop {
            match self.listener.accept() {
                Next::Client(stream) => self.welcome(stream),
                Next::Excess(stream) => self.turn_away(stream, "this machine has no file descriptors left"),
                Next::Gone => {}
                Next::None => return,
                Next::Blocked => {
                    // It would be ready again at once.
                    self.accepts_at = Instant::now() + BLOCKED_TIME;
                    return;
                }
            }
        }
    }

    fn welcome(&mut self, stream: Stream) {
        if self.connections.len() >= self.options.clients_max {
            self.close_the_idlest();
        }
        if self.connections.len() >= self.options.clients_max {
            let reason =
                format!("{} clients are connected, and --clients allows no more", self.connections.len());
            return self.turn_away(stream, &reason);
        }
        self.clients += 1;
        let now = Instant::now();
        let mut connection = Connection::new(self.clients, stream, self.export.preferred_bytes, now);
        connection.send(now);
        self.connections.push(connection);
    }

    fn turn_away(&mut self, stream: Stream, reason: &str) {
        if self.turned_away.len() < TURNED_AWAY_MAX {
            let now = Instant::now();
            let mut connection = Connection::turned_away(stream, reason, now);
            connection.send(now);
            self.turned_away.push(connection);
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
    pub fn finish(&mut self) -> Result<(), SimError> {
        let finished = self.device.finish();
        self.answer();
        finished
    }

    /// What is to say of the session.
    pub fn session(&self) -> SessionReport {
        let slow_down = self.clock.slow_down();
        let spread = self.lateness.spread();
        // Of few answers the latest one.
        let at = |percentile: Option<f64>| percentile.unwrap_or(spread.max);
        let lateness = (!self.clock.is_virtual()).then(|| Lateness {
            mean_us: spread.mean,
            p50_us: at(spread.p50),
            p99_us: at(spread.p99),
            p999_us: at(spread.p999),
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
        let record_failure = self.device.record_ended.as_ref().map(ToString::to_string);
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
            record_failure,
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
