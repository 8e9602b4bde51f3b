//! One client, from its first byte to its last.

use super::handshake::{Handshake, HandshakeStep, greet};
use super::request::{HEADER_BYTES, Header};
use super::violation::Violation;
use super::{Export, NbdRequest, PAYLOAD_MAX, reply};

/// What a client wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A request, to be answered.
    Request(NbdRequest),
    /// The client leaves once what it asked for is answered.
    Leave,
}

/// What is known of a client.
#[derive(Debug)]
pub struct Session {
    /// Bytes that have come; those before `used` are taken.
    input: Vec<u8>,
    used: usize,
    handshake: Handshake,
    is_transmitting: bool,
}

impl Session {
    /// A client that has just connected; `out` begins with the greeting. With a refusal, that is all that it hears when it
    /// asks for the device.
    #[must_use]
    pub fn new(out: &mut Vec<u8>, refusal: Option<String>) -> Session {
        greet(out);
        let handshake = Handshake::new(refusal);
        Session { input: Vec::new(), used: 0, handshake, is_transmitting: false }
    }

    /// True where a request has begun, and bytes of it are to come, once [`Session::next_input`] has nothing more.
    #[must_use]
    pub fn is_inside_request(&self) -> bool {
        self.is_transmitting && self.used < self.input.len()
    }

    /// Adds bytes of the client.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.used == self.input.len() {
            self.input.clear();
            self.used = 0;
        } else if self.used > self.input.len() / 2 {
            self.input.drain(..self.used);
            self.used = 0;
        }
        self.input.extend_from_slice(bytes);
    }

    /// True once the handshake is over.
    #[must_use]
    pub fn is_transmitting(&self) -> bool {
        self.is_transmitting
    }

    /// True when the client understands structured replies.
    #[must_use]
    pub fn is_structured(&self) -> bool {
        self.handshake.has_structured_replies
    }

    /// What the client wants next, or none until more of its bytes have come. What needs no device is answered at once,
    /// in `out`.
    ///
    /// # Errors
    /// [`Violation`] for a client that has to be left.
    pub fn next_input(&mut self, export: &Export, out: &mut Vec<u8>) -> Result<Option<Input>, Violation> {
        while !self.is_transmitting {
            let (used, step) = self.handshake.step(&self.input[self.used..], export, out)?;
            self.used += used;
            match step {
                HandshakeStep::More => {}
                HandshakeStep::Wait => return Ok(None),
                HandshakeStep::Go => self.is_transmitting = true,
                HandshakeStep::Leave => return Ok(Some(Input::Leave)),
            }
        }
        self.next_request(export, out)
    }

    fn next_request(&mut self, export: &Export, out: &mut Vec<u8>) -> Result<Option<Input>, Violation> {
        loop {
            let input = &self.input[self.used..];
            if input.len() < HEADER_BYTES {
                return Ok(None);
            }
            let header = Header::parse(input).ok_or(Violation("a request without its magic number"))?;
            if header.is_write() && header.bytes > PAYLOAD_MAX {
                return Err(Violation("a write that is too long"));
            }
            if header.is_disconnect() {
                self.used += HEADER_BYTES;
                return Ok(Some(Input::Leave));
            }
            let end = HEADER_BYTES + header.payload_bytes() as usize;
            let Some(payload) = input.get(HEADER_BYTES..end) else {
                return Ok(None);
            };
            let Handshake { has_structured_replies, has_block_status, .. } = self.handshake;
            let request = header.check(payload, export, has_structured_replies, has_block_status);
            self.used += end;
            match request {
                Ok(request) => return Ok(Some(Input::Request(request))),
                Err(error) => reply::failed(out, has_structured_replies, header.cookie, error),
            }
        }
    }
}
