//! What clients take for a device: the live SSD, the data that go with it, and the requests under way.

use std::io;

use wordline_core::engine::Ns;
use wordline_core::flash::{Completion, Notice, Status};
use wordline_core::host::{HostRequest, Op};
use wordline_core::{SimError, Ssd};
use wordline_trace::{TraceOp, TraceRequest};

use crate::protocol::{Command, Errno, NbdRequest};
use crate::queue::Piece;
use crate::record::Record;
use crate::store::Store;

/// Simulated time before a power cut in which no request arrives any more, so that none arrives behind it, ns.
const BEFORE_CUT: Ns = 1_000;

/// Events of the SSD after which clients are heard again.
const STEPS_MAX: u32 = 8192;

/// Turns of clients whose requests are answered at once, after which time goes on to one more answer.
const TURNS_WITHOUT_TIME: u32 = 16;

/// A request of a client that is named by a number, or a piece of one.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub client: u64,
    pub piece: Piece,
}

/// A request under way.
#[derive(Debug)]
struct Flight {
    client: u64,
    piece: Piece,
    /// When, for a request that has.
    arrived: Option<Ns>,
    failure: Option<Errno>,
}

/// A request that is complete.
#[derive(Debug)]
pub(crate) struct Answer {
    pub client: u64,
    pub cookie: u64,
    /// See [`NbdRequest::payload_bytes`].
    pub payload_bytes: u64,
    /// Where and how much, for a read that brings data.
    pub data: Option<(u64, u32)>,
    pub failure: Option<Errno>,
    /// See [`Piece`].
    pub units: u64,
    pub of: Option<u64>,
    pub arrived: Ns,
    pub completed: Ns,
}

impl Answer {
    fn of(client: u64, piece: &Piece, failure: Option<Errno>, arrived: Ns, completed: Ns) -> Answer {
        let Piece { request, units, of } = piece;
        let data = matches!(request.command, Command::Read).then_some((request.offset, request.bytes));
        let (cookie, payload_bytes) = (request.cookie, request.payload_bytes());
        let (units, of) = (*units, *of);
        Answer { client, cookie, payload_bytes, data, failure, units, of, arrived, completed }
    }
}

/// Where [`Device::advance`] stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// At the next answer, or when clients have waited long enough to be heard.
    Answer,
    /// When clients have waited long enough to be heard.
    Turn,
    /// At the limit only.
    Limit,
}

/// How far [`Device::advance`] came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    Done,
    /// The power is to be cut now.
    CutDue,
}

/// The device.
pub(crate) struct Device<'a> {
    pub ssd: &'a mut Ssd,
    pub store: Store,
    record: Option<Record>,
    /// Why there is no record of the session, where there was to be one.
    pub record_ended: Option<io::Error>,
    flights: Vec<Option<Flight>>,
    pub answers: Vec<Answer>,
    cut_at: Option<Ns>,
    off_time: Ns,
    fails_uncorrectable: bool,
    /// Requests that failed because of the store.
    pub store_failures: u64,
    /// Why the store does not have all that the SSD held at the end.
    pub store_ended: Option<io::Error>,
    turns_without_time: u32,
    notices: Vec<Notice>,
    requests: Vec<HostRequest>,
    names: Vec<u32>,
}

/// What a device does beside serving requests.
pub(crate) struct Behaviour {
    /// Simulated time of a power cut, and how long the SSD is off then, ns.
    pub cut: Option<(Ns, Ns)>,
    /// Reads of pages that cannot be decoded fail.
    pub fails_uncorrectable: bool,
}

/// What the SSD is asked for a request.
fn to_host(request: &NbdRequest) -> HostRequest {
    let op = match request.command {
        Command::Read | Command::Cache | Command::BlockStatus { .. } => Op::Read,
        Command::Write(_) | Command::WriteZeroes { may_deallocate: false } => Op::Write,
        Command::Trim | Command::WriteZeroes { may_deallocate: true } => Op::Trim,
        Command::Flush => return FLUSH,
    };
    let asked = HostRequest::new(0, op, request.offset / 512, request.bytes / 512);
    // A trim outlives every loss of power.
    HostRequest { fua: request.fua && op == Op::Write, ..asked }
}

/// What a record says of a request: what the SSD is asked, and what the client meant.
fn to_trace(request: HostRequest, flight: &Flight) -> TraceRequest {
    let asked = TraceRequest::from(request);
    let op = match flight.piece.request.command {
        Command::WriteZeroes { may_deallocate: true } if request.op == Op::Trim => TraceOp::WriteZeroes,
        Command::WriteZeroes { may_deallocate: false } if request.op == Op::Write => {
            TraceOp::WriteZeroesAllocated
        }
        _ => asked.op,
    };
    let connection = u16::try_from(flight.client).unwrap_or(u16::MAX);
    TraceRequest { op, connection, ..asked }
}

const FLUSH: HostRequest = HostRequest::new(0, Op::Flush, 0, 0);

impl<'a> Device<'a> {
    pub fn new(
        ssd: &'a mut Ssd,
        store: Store,
        record: Option<Record>,
        behaviour: &Behaviour,
    ) -> Result<Device<'a>, SimError> {
        if ssd.zones().is_some() {
            return Err(SimError::Request(
                "NBD has no zones: a drive with zones.mode = \"on\" cannot be served; use `wordline run` or `wordline.open`".to_owned(),
            ));
        }
        if behaviour.cut.is_some() && ssd.ftl().has_journal() && !ssd.is_protected() {
            // The store does not know what is on its way to flash.
            return Err(SimError::Request(
                "a power cut of a served SSD loses what only the cache holds, and with a journal it would lose more: set \
                 journal.mode = \"off\", or power.protected = true"
                    .to_owned(),
            ));
        }
        ssd.go_live()?;
        Ok(Device {
            ssd,
            store,
            record,
            record_ended: None,
            flights: Vec::new(),
            answers: Vec::new(),
            cut_at: behaviour.cut.map(|(at, _)| at),
            off_time: behaviour.cut.map_or(0, |(_, off)| off),
            fails_uncorrectable: behaviour.fails_uncorrectable,
            store_failures: 0,
            store_ended: None,
            turns_without_time: 0,
            notices: Vec::new(),
            requests: Vec::new(),
            names: Vec::new(),
        })
    }

    /// Requests arrive together, at `at` or as soon as they can.
    pub fn arrive(&mut self, at: Ns, arrivals: &mut Vec<Arrival>) -> Result<(), SimError> {
        self.refuse_what_has_no_place(at, arrivals);
        if arrivals.is_empty() {
            return Ok(());
        }
        let flights = arrivals.drain(..).map(|Arrival { client, piece }| Flight {
            client,
            piece,
            arrived: None,
            failure: None,
        });
        let flights: Vec<Flight> = flights.collect();
        self.requests.clear();
        self.requests.extend(flights.iter().map(|flight| to_host(&flight.piece.request)));
        self.submit(at, flights)
    }

    /// While the store takes nothing, new data are refused, and never reach the SSD. A trim may make room.
    fn refuse_what_has_no_place(&mut self, at: Ns, arrivals: &mut Vec<Arrival>) {
        if !arrivals.iter().any(|arrival| arrival.piece.request.changes_data()) {
            return;
        }
        let Err(error) = self.store.ready_for_writes() else { return };
        let takes_trims = self.store.trusted().is_ok();
        let errno = errno_of(&error);
        let at = at.max(self.ssd.now());
        for Arrival { client, piece } in arrivals.extract_if(.., |Arrival { piece, .. }| {
            piece.request.changes_data() && !(takes_trims && piece.request.makes_room())
        }) {
            self.store_failures += 1;
            self.answers.push(Answer::of(client, &piece, Some(errno), at, at));
        }
    }

    /// Submits `self.requests`, one for each flight.
    fn submit(&mut self, at: Ns, flights: Vec<Flight>) -> Result<(), SimError> {
        let at = self.ssd.run_to_arrival(at)?;
        // What happens on the way comes first: it may free names that are given again.
        self.hear();
        self.names.clear();
        self.ssd.submit(self.requests.iter().map(|&request| (0, request)), &mut self.names)?;
        self.record(at, &flights);
        for (&name, mut flight) in self.names.iter().zip(flights) {
            flight.arrived.get_or_insert(at);
            let place = name as usize;
            if self.flights.len() <= place {
                self.flights.resize_with(place + 1, || None);
            }
            self.flights[place] = Some(flight);
        }
        self.hear();
        Ok(())
    }

    /// Writes down what arrives. A record that cannot go on ends here: the session is served without it.
    fn record(&mut self, at: Ns, flights: &[Flight]) {
        let Some(record) = &mut self.record else { return };
        let mut arrivals = self.requests.iter().zip(flights);
        let recorded = arrivals.try_for_each(|(&request, flight)| record.add(to_trace(request, flight), at));
        if let Err(error) = recorded {
            self.record_ended = Some(error);
            self.record = None;
        }
    }

    /// Lets simulated time go on up to `limit`, ns, or not so far.
    pub fn advance(&mut self, limit: Ns, how: Until) -> Result<Advance, SimError> {
        let stop = self.cut_at.map_or(limit, |cut| limit.min(cut));
        let stops_at_answer = how == Until::Answer;
        // Requests that take no time must not keep others from going on.
        let enough = if self.turns_without_time < TURNS_WITHOUT_TIME { 0 } else { self.answers.len() };
        let mut steps = 0;
        loop {
            if stops_at_answer && self.answers.len() > enough || !self.ssd.step_live(stop)? {
                break;
            }
            if self.ssd.has_notices() {
                self.hear();
            }
            steps += 1;
            if steps == STEPS_MAX && how != Until::Limit {
                self.turns_without_time = 0;
                return Ok(Advance::Done);
            }
        }
        self.turns_without_time = if steps == 0 { self.turns_without_time.saturating_add(1) } else { 0 };
        let is_idle_in_virtual_time = stops_at_answer && !self.ssd.has_requests();
        let is_cut_due = self.answers.is_empty() && stop < limit && !is_idle_in_virtual_time;
        Ok(if is_cut_due { Advance::CutDue } else { Advance::Done })
    }

    /// True where requests that arrive at `at` would come too late for the power to be on.
    pub fn is_cut_before(&self, at: Ns) -> bool {
        self.cut_at.is_some_and(|cut| at.max(self.ssd.now()) + BEFORE_CUT >= cut)
    }

    /// Lets time go on to the power cut. What is complete until then can be answered, with data that the cut may lose.
    pub fn run_to_cut(&mut self) -> Result<(), SimError> {
        if let Some(cut_at) = self.cut_at {
            self.ssd.run_until(cut_at, &mut |_| true)?;
            self.hear();
        }
        Ok(())
    }

    /// Cuts the power, and gives it back. Requests under way get no answer.
    pub fn cut_power(&mut self) -> Result<(), SimError> {
        self.cut_at = None;
        let off = self.ssd.power_cycle(self.off_time)?;
        if self.ssd.is_protected() {
            self.store.cache_saved();
        } else {
            self.store.power_cut();
        }
        self.flights.clear();
        if let Some(record) = &mut self.record {
            record.was_off(off);
        }
        Ok(())
    }

    /// No request arrives any more: ends those under way, and switches off in good order.
    pub fn finish(&mut self) -> Result<(), SimError> {
        let ended = self.finish_requests();
        if let Some(Err(error)) = self.record.take().map(Record::finish) {
            self.record_ended = Some(error);
        }
        self.store_ended = self.store.shut_down().err();
        ended
    }

    fn finish_requests(&mut self) -> Result<(), SimError> {
        self.cut_at = None;
        self.advance(Ns::MAX - 1, Until::Limit)?;
        self.ssd.end_live();
        self.ssd.run(&mut |_| true)?;
        self.hear();
        Ok(())
    }

    /// Takes in what the SSD tells.
    fn hear(&mut self) {
        let mut notices = std::mem::take(&mut self.notices);
        self.ssd.take_notices(&mut notices);
        for notice in notices.drain(..) {
            self.take(notice);
        }
        self.notices = notices;
    }

    fn take(&mut self, notice: Notice) {
        let request = match notice {
            Notice::Flushed { lpn } => return self.store.flushed(lpn),
            Notice::BehindOwnWork { .. } => return,
            Notice::Cached { request, .. }
            | Notice::Kept { request, .. }
            | Notice::Trimmed { request, .. }
            | Notice::Completed(Completion { request, .. }) => request,
        };
        let Some(place) = self.flights.get_mut(request as usize) else { return };
        let Some(flight) = place else { return };
        let (offset, data) = (flight.piece.request.offset, data_of(&flight.piece.request));
        let stored = match notice {
            Notice::Cached { lpn, sectors, .. } => {
                self.store.cache(lpn, sectors, offset, data);
                Ok(())
            }
            Notice::Kept { lpn, sectors, .. } => self.store.keep(lpn, sectors, offset, data),
            Notice::Trimmed { lpn, sectors, .. } => self.store.forget(lpn, sectors),
            Notice::Completed(completion) => {
                if let Some(flight) = place.take() {
                    self.complete(flight, completion);
                }
                return;
            }
            Notice::Flushed { .. } | Notice::BehindOwnWork { .. } => Ok(()),
        };
        if let Err(error) = stored {
            self.store_failures += u64::from(flight.failure.is_none());
            flight.failure = Some(errno_of(&error));
        }
    }

    fn complete(&mut self, mut flight: Flight, Completion { status, at: completed, .. }: Completion) {
        if let Some(errno) = self.errno_of_status(status, &flight.piece.request) {
            flight.failure = Some(errno);
        }
        let Flight { client, piece, arrived, mut failure, .. } = flight;
        if failure.is_none() && piece.request.is_durable_when_answered() {
            if self.ssd.is_protected() {
                // The cache outlives a loss of power, so the SSD gives nothing of it to flash for this answer.
                self.store.cache_saved();
            }
            failure = self.store.settle().err().map(|error| self.failed(&error));
        }
        let arrived = arrived.unwrap_or(completed);
        self.answers.push(Answer::of(client, &piece, failure, arrived, completed));
    }

    /// A request fails because of the store; what its client hears.
    fn failed(&mut self, error: &io::Error) -> Errno {
        self.store_failures += 1;
        errno_of(error)
    }

    /// What a client hears of a request that the SSD has ended so.
    fn errno_of_status(&self, status: Status, request: &NbdRequest) -> Option<Errno> {
        match status {
            Status::Success => None,
            Status::InvalidField => Some(Errno::Invalid),
            Status::LbaOutOfRange => Some(Errno::beyond(&request.command)),
            Status::UnrecoveredReadError => self.fails_uncorrectable.then_some(Errno::Io),
            // Nobody is connected any more that could hear of it.
            Status::AbortedPowerLoss | Status::AbortedSqDeletion => Some(Errno::Io),
            // Of drives of zones, which are not served.
            _ => Some(Errno::Io),
        }
    }
}

/// The data of a write; none for one of zeros.
fn data_of(request: &NbdRequest) -> Option<&[u8]> {
    match &request.command {
        Command::Write(data) => Some(data),
        _ => None,
    }
}

/// What a client hears of a fault of the store.
pub(crate) fn errno_of(error: &io::Error) -> Errno {
    let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    if is_full { Errno::NoSpace } else { Errno::Io }
}

#[cfg(test)]
mod durability;
#[cfg(test)]
mod faulty;
