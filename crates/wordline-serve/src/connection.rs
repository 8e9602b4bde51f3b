//! One client and its socket.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::PollFlags;

use crate::clock::Instant;
use crate::protocol::{Export, Input, Request, Session};

/// Requests of one client that may wait for their answers.
const REQUESTS_MAX: u32 = 4096;
/// Bytes that may wait for a client to take them, before no more is read from it.
const OUT_BYTES_MAX: usize = 64 << 20;
/// Bytes that a client may send before others have their turn.
const TURN_BYTES: usize = 8 << 20;
/// How long a client may take to begin.
const HANDSHAKE_TIME: Duration = Duration::from_secs(30);

/// A socket of either kind.
#[derive(Debug)]
pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.read(into),
            Stream::Tcp(stream) => stream.read(into),
        }
    }

    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(data),
            Stream::Tcp(stream) => stream.write(data),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Unix(stream) => stream.as_fd(),
            Stream::Tcp(stream) => stream.as_fd(),
        }
    }
}

/// A client.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Its number, which no other client gets.
    pub id: u64,
    stream: Stream,
    session: Session,
    out: Vec<u8>,
    /// Bytes of `out` that have left.
    sent: usize,
    /// Requests that are not answered.
    requests: u32,
    since: Instant,
    /// It sends nothing more, and leaves when all is answered.
    is_leaving: bool,
    /// It is gone.
    is_closed: bool,
}

impl Connection {
    pub fn new(id: u64, stream: Stream, now: Instant) -> Connection {
        let mut out = Vec::new();
        let session = Session::new(&mut out);
        Connection {
            id,
            stream,
            session,
            out,
            sent: 0,
            requests: 0,
            since: now,
            is_leaving: false,
            is_closed: false,
        }
    }

    /// Takes what has come, as far as it may, and gives the requests among it to `take`.
    pub fn receive(&mut self, scratch: &mut [u8], export: &Export, take: &mut dyn FnMut(u64, Request)) {
        let mut bytes = 0;
        while self.wants_bytes() && bytes < TURN_BYTES {
            match self.stream.read(scratch) {
                Ok(0) => self.is_closed = true,
                Ok(count) => {
                    bytes += count;
                    self.session.receive(&scratch[..count]);
                    self.understand(export, take);
                    if count < scratch.len() {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.is_closed |= error.kind() != io::ErrorKind::WouldBlock;
                    break;
                }
            }
        }
    }

    fn understand(&mut self, export: &Export, take: &mut dyn FnMut(u64, Request)) {
        while !self.is_leaving && !self.is_closed {
            match self.session.next_input(export, &mut self.out) {
                Ok(Some(Input::Request(request))) => {
                    self.requests += 1;
                    take(self.id, request);
                }
                Ok(Some(Input::Leave)) => self.is_leaving = true,
                Ok(None) => break,
                Err(_) => self.is_closed = true,
            }
        }
    }

    /// Lets `reply` answer a request; it is told whether replies are structured.
    pub fn answer(&mut self, reply: impl FnOnce(&mut Vec<u8>, bool)) {
        reply(&mut self.out, self.session.is_structured());
        self.requests -= 1;
    }

    /// Sends as much as the client takes now.
    pub fn send(&mut self) {
        while self.has_bytes() && !self.is_closed {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(0) => self.is_closed = true,
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.is_closed |= error.kind() != io::ErrorKind::WouldBlock;
                    break;
                }
            }
        }
        if !self.has_bytes() {
            self.out.clear();
            self.sent = 0;
            // A long answer must not hold its memory for ever.
            self.out.shrink_to(1 << 20);
        }
    }

    /// Closes the connection where nothing is left to say, or its time is over; true when it is closed.
    pub fn is_over(&mut self, now: Instant) -> bool {
        self.is_closed |= self.is_leaving && self.requests == 0 && !self.has_bytes();
        self.is_closed |=
            !self.is_transmitting() && now.saturating_duration_since(self.since) > HANDSHAKE_TIME;
        self.is_closed
    }

    /// True once the client may send requests.
    pub fn is_transmitting(&self) -> bool {
        self.session.is_transmitting()
    }

    fn has_bytes(&self) -> bool {
        self.sent < self.out.len()
    }

    fn wants_bytes(&self) -> bool {
        let has_room = self.requests < REQUESTS_MAX && self.out.len() - self.sent < OUT_BYTES_MAX;
        has_room && !self.is_leaving && !self.is_closed
    }

    /// What to wait for.
    pub fn interest(&self) -> PollFlags {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, self.wants_bytes());
        flags.set(PollFlags::OUT, self.has_bytes());
        flags
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
