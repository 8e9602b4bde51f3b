//! The handshake: what the client may choose before it sends requests.

use super::reply::ALLOCATION_CONTEXT;
use super::transmission_flags::{ALWAYS, SEND_DF};
use super::violation::Violation;
use super::{BLOCK_BYTES, Export, Fields, PAYLOAD_MAX};

const GREETING_MAGIC: u64 = 0x4e42_444d_4147_4943; // "NBDMAGIC"
const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054; // "IHAVEOPT"
const REPLY_MAGIC: u64 = 0x3_e889_0455_65a9;
/// Bytes of an option before its data.
const HEADER_BYTES: usize = 16;
/// The longest data of an option that a client may send: names have 4096 bytes at most.
const OPTION_BYTES_MAX: u32 = 1 << 16;
/// Options that a client may send before it has to make up its mind.
const OPTIONS_MAX: u32 = 256;

const FIXED_NEWSTYLE: u16 = 1;
const NO_ZEROES: u16 = 1 << 1;

/// Options of the client, by their numbers.
mod option {
    pub const EXPORT_NAME: u32 = 1;
    pub const ABORT: u32 = 2;
    pub const LIST: u32 = 3;
    pub const INFO: u32 = 6;
    pub const GO: u32 = 7;
    pub const STRUCTURED_REPLY: u32 = 8;
    pub const LIST_META_CONTEXT: u32 = 9;
    pub const SET_META_CONTEXT: u32 = 10;
}

/// Kinds of answers to an option.
mod answer {
    pub const ACK: u32 = 1;
    pub const SERVER: u32 = 2;
    pub const INFO: u32 = 3;
    pub const META_CONTEXT: u32 = 4;
    pub const ERR_UNSUPPORTED: u32 = 1 << 31 | 1;
    pub const ERR_POLICY: u32 = 1 << 31 | 2;
    pub const ERR_INVALID: u32 = 1 << 31 | 3;
    pub const ERR_UNKNOWN: u32 = 1 << 31 | 6;
}

/// Pieces of information about the device.
mod info {
    pub const EXPORT: u16 = 0;
    pub const NAME: u16 = 1;
    pub const DESCRIPTION: u16 = 2;
    pub const BLOCK_SIZE: u16 = 3;
}

const ALLOCATION: &[u8] = b"base:allocation";

/// Where the handshake goes from here.
pub(super) enum HandshakeStep {
    /// More of it is to come.
    More,
    /// More bytes are needed first.
    Wait,
    /// Requests follow.
    Go,
    /// The client leaves.
    Leave,
}

/// What a client has chosen so far.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    has_sent_flags: bool,
    no_zeroes: bool,
    options: u32,
    pub has_structured_replies: bool,
    pub has_block_status: bool,
    /// Why the client cannot have the device.
    refusal: Option<String>,
}

/// What the server says first.
pub(super) fn greet(out: &mut Vec<u8>) {
    out.extend(GREETING_MAGIC.to_be_bytes());
    out.extend(OPTION_MAGIC.to_be_bytes());
    out.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
}

fn reply(out: &mut Vec<u8>, option: u32, kind: u32, data: &[&[u8]]) {
    out.extend(REPLY_MAGIC.to_be_bytes());
    out.extend(option.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend((data.iter().map(|part| part.len()).sum::<usize>() as u32).to_be_bytes());
    data.iter().for_each(|part| out.extend_from_slice(part));
}

impl Handshake {
    /// The beginning; with a refusal, the client cannot have the device.
    pub fn new(refusal: Option<String>) -> Handshake {
        Handshake { refusal, ..Handshake::default() }
    }

    /// Takes the next message from the front of `input`, of which it says how many bytes it has used, and answers.
    pub fn step(
        &mut self,
        input: &[u8],
        export: &Export,
        out: &mut Vec<u8>,
    ) -> Result<(usize, HandshakeStep), Violation> {
        let mut fields = Fields(input);
        if !self.has_sent_flags {
            let Some(flags) = fields.u32() else { return Ok((0, HandshakeStep::Wait)) };
            if flags & !u32::from(FIXED_NEWSTYLE | NO_ZEROES) != 0 {
                return Err(Violation("unknown client flags"));
            }
            self.has_sent_flags = true;
            self.no_zeroes = flags & u32::from(NO_ZEROES) != 0;
            return Ok((4, HandshakeStep::More));
        }
        let (Some(magic), Some(option), Some(length)) = (fields.u64(), fields.u32(), fields.u32()) else {
            return Ok((0, HandshakeStep::Wait));
        };
        if magic != OPTION_MAGIC {
            return Err(Violation("an option without its magic number"));
        }
        if length > OPTION_BYTES_MAX {
            return Err(Violation("an option that is too long"));
        }
        let Some(data) = fields.take(length as usize) else { return Ok((0, HandshakeStep::Wait)) };
        self.options += 1;
        if self.options > OPTIONS_MAX {
            return Err(Violation("too many options"));
        }
        Ok((HEADER_BYTES + data.len(), self.answer(option, data, export, out)?))
    }

    fn answer(
        &mut self,
        option: u32,
        data: &[u8],
        export: &Export,
        out: &mut Vec<u8>,
    ) -> Result<HandshakeStep, Violation> {
        if let Some(reason) = &self.refusal {
            return refuse(option, reason, out);
        }
        match option {
            option::EXPORT_NAME => return self.export_name(data, export, out),
            option::ABORT => {
                reply(out, option, answer::ACK, &[]);
                return Ok(HandshakeStep::Leave);
            }
            option::LIST if data.is_empty() => {
                let name = export.name.as_bytes();
                let length = (name.len() as u32).to_be_bytes();
                reply(out, option, answer::SERVER, &[&length, name, export.description.as_bytes()]);
                reply(out, option, answer::ACK, &[]);
            }
            option::STRUCTURED_REPLY if data.is_empty() => {
                self.has_structured_replies = true;
                reply(out, option, answer::ACK, &[]);
            }
            option::LIST | option::STRUCTURED_REPLY => reply(out, option, answer::ERR_INVALID, &[]),
            option::INFO | option::GO => return Ok(self.info(option, data, export, out)),
            option::LIST_META_CONTEXT | option::SET_META_CONTEXT => {
                self.meta_context(option, data, export, out);
            }
            _ => reply(out, option, answer::ERR_UNSUPPORTED, &[]),
        }
        Ok(HandshakeStep::More)
    }

    fn flags(&self) -> u16 {
        ALWAYS | if self.has_structured_replies { SEND_DF } else { 0 }
    }

    /// The oldest way to begin, which has no way to say no.
    fn export_name(
        &self,
        data: &[u8],
        export: &Export,
        out: &mut Vec<u8>,
    ) -> Result<HandshakeStep, Violation> {
        if !is_name_of(export, data) {
            return Err(Violation("an unknown export"));
        }
        out.extend(export.bytes.to_be_bytes());
        out.extend(self.flags().to_be_bytes());
        if !self.no_zeroes {
            out.extend([0; 124]);
        }
        Ok(HandshakeStep::Go)
    }

    fn info(&self, option: u32, data: &[u8], export: &Export, out: &mut Vec<u8>) -> HandshakeStep {
        let mut fields = Fields(data);
        let (Some(name), Some(count)) = (fields.string(), fields.u16()) else {
            reply(out, option, answer::ERR_INVALID, &[]);
            return HandshakeStep::More;
        };
        let wanted: Option<Vec<u16>> = (0..count).map(|_| fields.u16()).collect();
        let Some(wanted) = wanted.filter(|_| fields.0.is_empty()) else {
            reply(out, option, answer::ERR_INVALID, &[]);
            return HandshakeStep::More;
        };
        if !is_name_of(export, name) {
            reply(out, option, answer::ERR_UNKNOWN, &[]);
            return HandshakeStep::More;
        }
        let mut tell = |kind: u16, parts: &[&[u8]]| {
            reply(out, option, answer::INFO, &[&[&kind.to_be_bytes()[..]], parts].concat());
        };
        tell(info::EXPORT, &[&export.bytes.to_be_bytes(), &self.flags().to_be_bytes()]);
        if wanted.contains(&info::NAME) {
            tell(info::NAME, &[export.name.as_bytes()]);
        }
        if wanted.contains(&info::DESCRIPTION) {
            tell(info::DESCRIPTION, &[export.description.as_bytes()]);
        }
        let sizes = [BLOCK_BYTES, export.preferred_bytes, PAYLOAD_MAX].map(u32::to_be_bytes);
        tell(info::BLOCK_SIZE, &[&sizes[0], &sizes[1], &sizes[2]]);
        reply(out, option, answer::ACK, &[]);
        if option == option::GO { HandshakeStep::Go } else { HandshakeStep::More }
    }

    fn meta_context(&mut self, option: u32, data: &[u8], export: &Export, out: &mut Vec<u8>) {
        let sets = option == option::SET_META_CONTEXT;
        if sets {
            self.has_block_status = false;
        }
        let mut fields = Fields(data);
        let (Some(name), Some(count)) = (fields.string(), fields.u32()) else {
            return reply(out, option, answer::ERR_INVALID, &[]);
        };
        // Each query has four bytes at least, so a count that lies ends the loop early.
        let queries: Option<Vec<&[u8]>> = (0..count).map(|_| fields.string()).collect();
        let Some(queries) = queries.filter(|_| fields.0.is_empty() && self.has_structured_replies) else {
            return reply(out, option, answer::ERR_INVALID, &[]);
        };
        if !is_name_of(export, name) {
            return reply(out, option, answer::ERR_UNKNOWN, &[]);
        }
        let fits = |query: &&[u8]| *query == ALLOCATION || !sets && *query == b"base:";
        if queries.iter().any(fits) || !sets && queries.is_empty() {
            self.has_block_status |= sets;
            let context = if sets { ALLOCATION_CONTEXT } else { 0 };
            reply(out, option, answer::META_CONTEXT, &[&context.to_be_bytes(), ALLOCATION]);
        }
        reply(out, option, answer::ACK, &[]);
    }
}

/// The client is told that it cannot have the device, and why.
fn refuse(option: u32, reason: &str, out: &mut Vec<u8>) -> Result<HandshakeStep, Violation> {
    match option {
        option::EXPORT_NAME => Err(Violation("no place for this client")),
        option::ABORT => {
            reply(out, option, answer::ACK, &[]);
            Ok(HandshakeStep::Leave)
        }
        _ => {
            reply(out, option, answer::ERR_POLICY, &[reason.as_bytes()]);
            Ok(if option == option::GO { HandshakeStep::Leave } else { HandshakeStep::More })
        }
    }
}

/// The empty name is the default export.
fn is_name_of(export: &Export, name: &[u8]) -> bool {
    name.is_empty() || name == export.name.as_bytes()
}
