//! The NBD protocol, fixed newstyle, as `doc/proto.md` of the NetworkBlockDevice project describes it. No I/O.
//!
//! [`Session`] takes the bytes of one client and yields its requests; `reply.rs` makes the bytes that answer them.

mod handshake;
pub mod reply;
mod request;
mod session;
mod violation;

pub use request::{Command, NbdRequest};
pub use session::{Input, Session};
pub use violation::Violation;

/// The largest payload of a read or write, bytes: what every client may assume that a server takes.
pub const PAYLOAD_MAX: u32 = 32 << 20;
/// Requests begin and end at multiples of this, bytes: the SSD's sector.
pub const BLOCK_BYTES: u32 = 512;

/// Extents that one answer names, of 8 bytes each.
pub const EXTENTS_MAX: usize = 4096;

/// What a client is told of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name beside the empty one, which is the default export.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Its capacity, bytes.
    pub bytes: u64,
    /// The size below which a write costs a read, bytes: the flash page.
    pub preferred_bytes: u32,
}

/// Why a request fails, by its number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Errno {
    /// Data that cannot be read, or a fault of the store.
    Io = 5,
    /// A request that makes no sense.
    Invalid = 22,
    /// A write behind the end of the device, or a store without room.
    NoSpace = 28,
    /// A request that is too long.
    Overflow = 75,
    /// A request that this server does not know.
    Unsupported = 95,
}

impl Errno {
    /// Of a request that reaches beyond the end of the device.
    #[must_use]
    pub fn beyond(command: &Command) -> Errno {
        let writes = matches!(command, Command::Write(_) | Command::WriteZeroes { .. });
        if writes { Errno::NoSpace } else { Errno::Invalid }
    }

    /// A few words for a person to read.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Io => "the data cannot be read or stored",
            Self::Invalid => "an invalid request",
            Self::NoSpace => "behind the end of the device, or the store is full",
            Self::Overflow => "the request is too long",
            Self::Unsupported => "an unknown request",
        }
    }
}

/// What a client may ask for, as it hears in the handshake.
pub(crate) mod transmission_flags {
    pub const HAS_FLAGS: u16 = 1;
    pub const SEND_FLUSH: u16 = 1 << 2;
    pub const SEND_FUA: u16 = 1 << 3;
    pub const SEND_TRIM: u16 = 1 << 5;
    pub const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub const SEND_DF: u16 = 1 << 7;
    pub const CAN_MULTI_CONN: u16 = 1 << 8;
    pub const SEND_CACHE: u16 = 1 << 10;
    /// What every client is offered; [`SEND_DF`] comes with structured replies.
    pub const ALWAYS: u16 =
        HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_TRIM | SEND_WRITE_ZEROES | CAN_MULTI_CONN | SEND_CACHE;
}

/// Bytes of a client, read from the front.
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    /// The next so many bytes, if they are there.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// A string with its length before it.
    pub fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(length as usize)
    }
}
