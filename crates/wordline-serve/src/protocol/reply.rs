//! The bytes that answer requests.

use super::Errno;

const SIMPLE_MAGIC: u32 = 0x6744_6698;
const STRUCTURED_MAGIC: u32 = 0x668e_33ef;
const DONE: u16 = 1;
const NONE: u16 = 0;
const OFFSET_DATA: u16 = 1;
const BLOCK_STATUS: u16 = 5;
const ERROR: u16 = 1 << 15 | 1;

/// The one metadata context that there is, `base:allocation`.
pub(super) const ALLOCATION_CONTEXT: u32 = 1;
const HOLE_AND_ZERO: u32 = 0b11;

/// A part of the device that holds data, or holds none and reads as zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its length, bytes.
    pub bytes: u32,
    /// It holds data.
    pub has_data: bool,
}

fn simple(out: &mut Vec<u8>, cookie: u64, error: u32) {
    out.extend(SIMPLE_MAGIC.to_be_bytes());
    out.extend(error.to_be_bytes());
    out.extend(cookie.to_be_bytes());
}

fn chunk(out: &mut Vec<u8>, cookie: u64, kind: u16, bytes: u32) {
    out.extend(STRUCTURED_MAGIC.to_be_bytes());
    out.extend(DONE.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend(cookie.to_be_bytes());
    out.extend(bytes.to_be_bytes());
}

/// A request is done; it has no data to bring.
pub fn done(out: &mut Vec<u8>, is_structured: bool, cookie: u64) {
    if is_structured {
        chunk(out, cookie, NONE, 0);
    } else {
        simple(out, cookie, 0);
    }
}

/// A request has failed.
pub fn failed(out: &mut Vec<u8>, is_structured: bool, cookie: u64, error: Errno) {
    if !is_structured {
        return simple(out, cookie, error as u32);
    }
    let words = error.words().as_bytes();
    chunk(out, cookie, ERROR, 6 + words.len() as u32);
    out.extend((error as u32).to_be_bytes());
    out.extend((words.len() as u16).to_be_bytes());
    out.extend(words);
}

/// A read is done: `fill` puts its data where they are sent from. Where it fails, so does the request.
pub fn data(
    out: &mut Vec<u8>,
    is_structured: bool,
    cookie: u64,
    offset: u64,
    bytes: u32,
    fill: impl FnOnce(&mut [u8]) -> Result<(), Errno>,
) {
    let start = out.len();
    if is_structured {
        chunk(out, cookie, OFFSET_DATA, 8 + bytes);
        out.extend(offset.to_be_bytes());
    } else {
        simple(out, cookie, 0);
    }
    let data = out.len();
    out.resize(data + bytes as usize, 0);
    if let Err(error) = fill(&mut out[data..]) {
        out.truncate(start);
        failed(out, is_structured, cookie, error);
    }
}

/// Which parts of a range hold data. Block status comes with structured replies only.
pub fn block_status(out: &mut Vec<u8>, cookie: u64, extents: &[Extent]) {
    chunk(out, cookie, BLOCK_STATUS, 4 + 8 * extents.len() as u32);
    out.extend(ALLOCATION_CONTEXT.to_be_bytes());
    for extent in extents {
        out.extend(extent.bytes.to_be_bytes());
        out.extend((if extent.has_data { 0 } else { HOLE_AND_ZERO }).to_be_bytes());
    }
}
