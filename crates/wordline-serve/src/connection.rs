//! One client and its socket.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::PollFlags;

use crate::clock::Instant;
use crate::protocol::{Export, Input, Session};
use crate::queue::Queue;

/// Requests of one client that may wait for their answers.
const REQUESTS_MAX: u32 = 4096;
/// Bytes that these may bring or ask for, with the answers that wait for the client, before no more are taken.
const BYTES_MAX: u64 = 64 << 20;
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
    /// Bytes that these have brought, or are to bring.
    requested_bytes: u64,
    /// Those that the SSD has not been asked yet.
    pub queue: Queue,
    since: Instant,
    /// When it last sent something, or could not.
    heard: Instant,
    /// When it last took something, or there was nothing to take.
    told: Instant,
    /// It sends nothing more, and leaves when all is answered.
    is_leaving: bool,
    /// It is gone.
    is_closed: bool,
}

impl Connection {
    pub fn new(id: u64, stream: Stream, unit_bytes: u32, now: Instant) -> Connection {
        Connection::with(id, stream, unit_bytes, now, None)
    }

    /// A client that is told why it cannot be served, and no more.
    pub fn turned_away(stream: Stream, reason: &str, now: Instant) -> Connection {
        Connection::with(0, stream, 1, now, Some(reason.to_owned()))
    }

    fn with(id: u64, stream: Stream, unit_bytes: u32, now: Instant, refusal: Option<String>) -> Connection {
        let mut out = Vec::new();
        let session = Session::new(&mut out, refusal);
        Connection {
            id,
            stream,
            session,
            out,
            sent: 0,
            requests: 0,
            requested_bytes: 0,
            queue: Queue::new(unit_bytes),
            since: now,
            heard: now,
            told: now,
            is_leaving: false,
            is_closed: false,
        }
    }

    /// Takes what has come, as far as it may, and no more than `turn_bytes`; the requests among it wait in the queue.
    pub fn receive(&mut self, scratch: &mut [u8], turn_bytes: usize, export: &Export, now: Instant) {
        // There may be room for requests now that had come before.
        self.understand(export);
        if !self.wants_more() {
            self.heard = now;
        }
        let mut bytes = 0;
        while self.wants_more() && bytes < turn_bytes {
            match self.stream.read(scratch) {
                Ok(0) => self.is_closed = true,
                Ok(count) => {
                    bytes += count;
                    self.heard = now;
                    self.session.receive(&scratch[..count]);
                    self.understand(export);
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

    fn understand(&mut self, export: &Export) {
        while self.wants_more() {
            match self.session.next_input(export, &mut self.out) {
                Ok(Some(Input::Request(request))) => {
                    self.requests += 1;
                    self.requested_bytes += request.payload_bytes();
                    self.queue.push(request);
                }
                Ok(Some(Input::Leave)) => self.is_leaving = true,
                Ok(None) => break,
                Err(_) => self.is_closed = true,
            }
        }
    }

    /// Lets `reply` answer a request of so many bytes; it is told whether replies are structured.
    pub fn answer(&mut self, payload_bytes: u64, reply: impl FnOnce(&mut Vec<u8>, bool)) {
        if !self.has_bytes() {
            self.told = Instant::now();
        }
        reply(&mut self.out, self.session.is_structured());
        self.requests -= 1;
        self.requested_bytes -= payload_bytes;
    }

    /// Requests that are not answered.
    pub fn requests(&self) -> u64 {
        self.requests.into()
    }

    /// Sends as much as the client takes now.
    pub fn send(&mut self, now: Instant) {
        while self.has_bytes() && !self.is_closed {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(0) => self.is_closed = true,
                Ok(count) => (self.sent, self.told) = (self.sent + count, now),
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
            self.told = now;
            // A long answer must not hold its memory for ever.
            self.out.shrink_to(1 << 20);
        }
    }

    /// Closes the connection where nothing is left to say, or the client has kept the server waiting for longer than
    /// `patience`; true when it is closed.
    pub fn is_over(&mut self, now: Instant, patience: Duration) -> bool {
        self.is_closed |= self.is_leaving && self.requests == 0 && !self.has_bytes();
        self.is_closed |= self.handshake_time(now).is_some_and(|time| time > HANDSHAKE_TIME);
        let since = |then| now.saturating_duration_since(then);
        self.is_closed |= self.has_bytes() && since(self.told) > patience;
        self.is_closed |=
            self.wants_more() && self.session.is_inside_request() && since(self.heard) > patience;
        self.is_closed
    }

    /// How long it has taken over its handshake, while that is not over.
    pub fn handshake_time(&self, now: Instant) -> Option<Duration> {
        (!self.is_transmitting()).then(|| now.saturating_duration_since(self.since))
    }

    /// True once the client may send requests.
    pub fn is_transmitting(&self) -> bool {
        self.session.is_transmitting()
    }

    fn has_bytes(&self) -> bool {
        self.sent < self.out.len()
    }

    /// True while there is room for another request and its answer.
    fn wants_more(&self) -> bool {
        let bytes = self.requested_bytes + (self.out.len() - self.sent) as u64;
        let has_room = self.requests < REQUESTS_MAX && bytes < BYTES_MAX;
        has_room && !self.is_leaving && !self.is_closed
    }

    /// What to wait for.
    pub fn interest(&self) -> PollFlags {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, self.wants_more());
        flags.set(PollFlags::OUT, self.has_bytes());
        flags
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_BYTES: u32 = 32 << 20;

    fn reads(count: u64) -> Vec<u8> {
        let read = |cookie: u64| {
            [
                &0x2560_9513u32.to_be_bytes()[..],
                &[0; 4],
                &cookie.to_be_bytes(),
                &[0; 8],
                &READ_BYTES.to_be_bytes(),
            ]
            .concat()
        };
        (0..count).flat_map(read).collect()
    }

    #[test]
    fn what_a_client_asks_for_at_once_is_taken_bit_by_bit() {
        let (mut client, server) = UnixStream::pair().unwrap();
        server.set_nonblocking(true).unwrap();
        let export =
            Export { name: String::new(), description: String::new(), bytes: 1 << 40, preferred_bytes: 4096 };
        let mut connection = Connection::new(1, Stream::Unix(server), 4096, Instant::now());
        let begin = [&[0, 0, 0, 3][..], b"IHAVEOPT", &[0, 0, 0, 1], &[0; 4]].concat();
        client.write_all(&[begin, reads(100)].concat()).unwrap();
        let mut scratch = vec![0; 1 << 16];
        for _ in 0..50 {
            connection.receive(&mut scratch, 1 << 20, &export, Instant::now());
            assert_eq!(connection.requests(), 2, "64 MiB at a time");
            assert!(!connection.interest().contains(PollFlags::IN));
            for _ in 0..2 {
                connection.answer(READ_BYTES.into(), |_, _| ());
            }
        }
        connection.receive(&mut scratch, 1 << 20, &export, Instant::now());
        assert_eq!(connection.requests(), 0, "all hundred are answered");
    }
}
