//! The bytes of a client, and answers taken apart.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod running;

use wordline_serve::protocol::Export;

pub const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
pub const EXPORT_BYTES: u64 = 1 << 20;

pub const READ: u16 = 0;
pub const WRITE: u16 = 1;
pub const LEAVE: u16 = 2;
pub const FLUSH: u16 = 3;
pub const TRIM: u16 = 4;
pub const CACHE: u16 = 5;
pub const WRITE_ZEROES: u16 = 6;
pub const BLOCK_STATUS: u16 = 7;

pub fn export() -> Export {
    Export {
        name: "ssd".to_owned(),
        description: "an SSD".to_owned(),
        bytes: EXPORT_BYTES,
        preferred_bytes: 4096,
    }
}

pub fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

pub fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_be_bytes();
    bytes(&[&OPTION_MAGIC.to_be_bytes(), &number.to_be_bytes(), &length, data])
}

fn string(text: &[u8]) -> Vec<u8> {
    bytes(&[&(text.len() as u32).to_be_bytes(), text])
}

/// GO, or INFO, for a name, that asks for some pieces of information.
pub fn go(number: u32, name: &str, infos: &[u16]) -> Vec<u8> {
    let infos: Vec<u8> =
        [&[infos.len() as u16], infos].concat().iter().flat_map(|info| info.to_be_bytes()).collect();
    option(number, &bytes(&[&string(name.as_bytes()), &infos]))
}

pub fn meta_context(number: u32, name: &str, queries: &[&str]) -> Vec<u8> {
    let queries_bytes: Vec<u8> = queries.iter().flat_map(|query| string(query.as_bytes())).collect();
    let count = (queries.len() as u32).to_be_bytes();
    option(number, &bytes(&[&string(name.as_bytes()), &count, &queries_bytes]))
}

/// Client flags, structured replies, the allocation context, and GO.
pub fn whole_handshake() -> Vec<u8> {
    bytes(&[
        &3u32.to_be_bytes(),
        &option(8, &[]),
        &meta_context(10, "", &["base:allocation"]),
        &go(7, "", &[3]),
    ])
}

pub fn request(kind: u16, flags: u16, cookie: u64, offset: u64, length: u32, data: &[u8]) -> Vec<u8> {
    bytes(&[
        &0x2560_9513u32.to_be_bytes(),
        &flags.to_be_bytes(),
        &kind.to_be_bytes(),
        &cookie.to_be_bytes(),
        &offset.to_be_bytes(),
        &length.to_be_bytes(),
        data,
    ])
}
