//! Requests of the transmission phase.

use super::{BLOCK_BYTES, EXTENTS_MAX, Errno, Export, Fields, PAYLOAD_MAX};

const MAGIC: u32 = 0x2560_9513;
/// Bytes of a request before its payload.
pub(super) const HEADER_BYTES: usize = 28;

const FUA: u16 = 1;
const NO_HOLE: u16 = 1 << 1;
const DO_NOT_FRAGMENT: u16 = 1 << 2;
const REQUEST_ONE: u16 = 1 << 3;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The data of a range.
    Read,
    /// New data for a range, which come with it.
    Write(Vec<u8>),
    /// All that was answered before must be durable.
    Flush,
    /// A range is no longer needed.
    Trim,
    /// A range is about to be read.
    Cache,
    /// A range must read as zeros.
    WriteZeroes {
        /// The device may give its space back.
        may_deallocate: bool,
    },
    /// Which parts of a range hold data.
    BlockStatus {
        /// One extent is enough.
        only_first: bool,
    },
}

/// A request that makes sense for the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NbdRequest {
    /// By which the client knows the answer.
    pub cookie: u64,
    /// What to do.
    pub command: Command,
    /// Where, bytes.
    pub offset: u64,
    /// How much, bytes.
    pub bytes: u32,
    /// The answer waits until the data are durable.
    pub fua: bool,
}

impl NbdRequest {
    /// It writes, zeroes or discards data.
    #[must_use]
    pub fn changes_data(&self) -> bool {
        matches!(self.command, Command::Write(_) | Command::WriteZeroes { .. } | Command::Trim)
    }

    /// Data are discarded, and none take their place.
    #[must_use]
    pub fn makes_room(&self) -> bool {
        matches!(self.command, Command::Trim | Command::WriteZeroes { may_deallocate: true })
    }

    /// Its answer says that data are durable: its own, or for a flush all that were answered before.
    #[must_use]
    pub fn is_durable_when_answered(&self) -> bool {
        self.command == Command::Flush || self.fua && self.changes_data()
    }

    /// Bytes that it has brought, or that its answer may bring.
    #[must_use]
    pub fn payload_bytes(&self) -> u64 {
        match self.command {
            Command::Read | Command::Write(_) => self.bytes.into(),
            Command::BlockStatus { .. } => 8 * EXTENTS_MAX as u64,
            Command::Flush | Command::Trim | Command::Cache | Command::WriteZeroes { .. } => 0,
        }
    }
}

/// A request's header, as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    flags: u16,
    kind: u16,
    pub cookie: u64,
    offset: u64,
    pub bytes: u32,
}

impl Header {
    /// The header at the front of `bytes`, which are at least [`HEADER_BYTES`]; none where the magic is wrong.
    pub fn parse(bytes: &[u8]) -> Option<Header> {
        let mut fields = Fields(bytes);
        if fields.u32()? != MAGIC {
            return None;
        }
        let (flags, kind, cookie) = (fields.u16()?, fields.u16()?, fields.u64()?);
        Some(Header { flags, kind, cookie, offset: fields.u64()?, bytes: fields.u32()? })
    }

    /// Bytes that follow the header.
    pub fn payload_bytes(&self) -> u32 {
        if self.is_write() { self.bytes } else { 0 }
    }

    pub fn is_write(&self) -> bool {
        self.kind == 1
    }

    pub fn is_read(&self) -> bool {
        self.kind == 0
    }

    pub fn is_disconnect(&self) -> bool {
        self.kind == 2
    }

    /// The request, where it makes sense for the device and for what was negotiated.
    pub fn check(
        &self,
        payload: &[u8],
        export: &Export,
        has_structured_replies: bool,
        has_block_status: bool,
    ) -> Result<NbdRequest, Errno> {
        let fragment = if has_structured_replies { DO_NOT_FRAGMENT } else { 0 };
        let (command, flags) = match self.kind {
            0 => (Command::Read, FUA | fragment),
            1 => (Command::Write(payload.to_vec()), FUA),
            3 => (Command::Flush, FUA),
            4 => (Command::Trim, FUA),
            5 => (Command::Cache, FUA),
            6 => (Command::WriteZeroes { may_deallocate: self.flags & NO_HOLE == 0 }, FUA | NO_HOLE),
            7 if has_block_status => {
                (Command::BlockStatus { only_first: self.flags & REQUEST_ONE != 0 }, FUA | REQUEST_ONE)
            }
            7 => return Err(Errno::Invalid),
            _ => return Err(Errno::Unsupported),
        };
        if self.flags & !flags != 0 {
            return Err(Errno::Invalid);
        }
        let (offset, bytes) = (self.offset, self.bytes);
        let fua = self.flags & FUA != 0;
        if command == Command::Flush {
            let is_plain = offset == 0 && bytes == 0;
            return is_plain
                .then_some(NbdRequest { cookie: self.cookie, command, offset, bytes, fua })
                .ok_or(Errno::Invalid);
        }
        let block = u64::from(BLOCK_BYTES);
        let is_aligned = offset.is_multiple_of(block) && bytes.is_multiple_of(BLOCK_BYTES);
        if bytes == 0 || !is_aligned {
            return Err(Errno::Invalid);
        }
        if offset.checked_add(u64::from(bytes)).is_none_or(|end| end > export.bytes) {
            return Err(Errno::beyond(&command));
        }
        if self.is_read() && bytes > PAYLOAD_MAX {
            return Err(Errno::Overflow);
        }
        Ok(NbdRequest { cookie: self.cookie, command, offset, bytes, fua })
    }
}
