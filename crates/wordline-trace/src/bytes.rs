//! A stream of bytes.

use std::io::{self, Read};

/// The input of all trace readers.
pub(crate) type Bytes = Box<dyn Read + Send>;

/// Reads until `buffer` is full or the stream ends; returns the number of bytes.
pub(crate) fn read_full(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut have = 0;
    while have < buffer.len() {
        match from.read(&mut buffer[have..]) {
            Ok(0) => break,
            Ok(count) => have += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(have)
}
