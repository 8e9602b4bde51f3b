//! A store in memory, which takes no more room than what was written.

use std::io;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use rustc_hash::FxBuildHasher;

use super::disk::Disk;

/// Data lie in chunks of so many bytes.
const CHUNK_BYTES: usize = 4096;

type Chunk = [u8; CHUNK_BYTES];

static ZEROS: Chunk = [0; CHUNK_BYTES];

/// Chunks by their number; those that are not there are zeros. The hash map is only ever asked for single keys.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    chunks: HashMap<u64, Box<Chunk>, FxBuildHasher>,
}

/// The pieces of a range, chunk by chunk: the chunk, where in it the piece begins, and its length.
fn pieces(offset: u64, bytes: u64) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset + bytes;
    let mut at = offset;
    std::iter::from_fn(move || {
        let from = (at % CHUNK_BYTES as u64) as usize;
        let length = (CHUNK_BYTES - from).min((end - at) as usize);
        let piece = (at / CHUNK_BYTES as u64, from, length);
        at += length as u64;
        (length > 0).then_some(piece)
    })
}

impl Disk for Memory {
    fn read(&self, offset: u64, mut into: &mut [u8]) -> io::Result<()> {
        for (number, from, length) in pieces(offset, into.len() as u64) {
            let (piece, rest) = into.split_at_mut(length);
            match self.chunks.get(&number) {
                Some(chunk) => piece.copy_from_slice(&chunk[from..from + length]),
                None => piece.fill(0),
            }
            into = rest;
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, mut data: &[u8]) -> io::Result<usize> {
        let written = data.len();
        for (number, from, length) in pieces(offset, data.len() as u64) {
            let (piece, rest) = data.split_at(length);
            data = rest;
            if piece == ZEROS {
                // A request of a few bytes writes gigabytes of them.
                self.chunks.remove(&number);
                continue;
            }
            match self.chunks.entry(number) {
                Entry::Occupied(mut chunk) => chunk.get_mut()[from..from + length].copy_from_slice(piece),
                Entry::Vacant(place) => {
                    let mut chunk = Box::new([0; CHUNK_BYTES]);
                    chunk[from..from + length].copy_from_slice(piece);
                    place.insert(chunk);
                }
            }
        }
        Ok(written)
    }

    /// The room of whole chunks comes back.
    fn punch_hole(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        for (number, from, length) in pieces(offset, bytes) {
            if length == CHUNK_BYTES {
                self.chunks.remove(&number);
            } else if let Some(chunk) = self.chunks.get_mut(&number) {
                chunk[from..from + length].fill(0);
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn extent(&self, at: u64, end: u64) -> io::Result<(bool, u64)> {
        let has_data = |number: u64| self.chunks.contains_key(&number);
        let first = has_data(at / CHUNK_BYTES as u64);
        let mut until = at;
        for (number, _, length) in pieces(at, end - at) {
            if has_data(number) != first {
                break;
            }
            until += length as u64;
        }
        Ok((first, until))
    }
}
