//! Numbers of variable length.

use crate::error::{Bad, ReadError};

/// Appends `value`.
pub(super) fn push(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number from the bytes of `next`.
#[inline]
pub(super) fn read(mut next: impl FnMut() -> Result<u8, ReadError>) -> Result<u64, ReadError> {
    let mut value: u64 = 0;
    for shift in (0..64).step_by(7) {
        let byte = next()?;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Bad::new("a varint of at most 64 bits", b"a longer one").into())
}

/// Converts a difference to an unsigned number that is small if the difference is small.
pub(super) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

/// Undoes [`zigzag`].
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}
