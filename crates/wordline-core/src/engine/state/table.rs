//! Large tables of numbers, as they lie in memory. Pieces that are all zero are left out: a table that was hardly used
//! is small in a file too, and takes no more memory once it is back.

use std::borrow::Cow;
use std::io;
use std::iter;
use std::ops::Range;

use bytemuck::Pod;

use super::{LoadError, Loader, Saver};
use crate::engine::large_pages::ask_for_large_pages;
use crate::engine::zeros::is_zero;

/// Bytes of a piece: few enough that a checksum finds them in the processor's cache.
const PIECE_BYTES: usize = 64 << 10;
/// Number of pieces that are read at once: more than the reader's buffer holds, so that most bytes go past it.
const READ_PIECES: usize = 16;

/// Writes the checksum of each piece that is used, then these pieces. Bytes outside of the `touched` ranges are zero.
pub(in crate::engine) fn save_table<T: Pod>(
    items: &[T],
    touched: Option<Vec<Range<usize>>>,
    to: &mut Saver<'_>,
) -> io::Result<()> {
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let pieces = || bytes.chunks(PIECE_BYTES);
    let checksum = |piece: &[u8]| (!is_zero(piece)).then(|| crc32fast::hash(&little_endian::<T>(piece)));
    let mut checksums = vec![None; bytes.len().div_ceil(PIECE_BYTES)];
    for range in touched.unwrap_or_else(|| iter::once(0..bytes.len()).collect()) {
        let places = range.start / PIECE_BYTES..range.end.div_ceil(PIECE_BYTES);
        let used = bytes[range.start / PIECE_BYTES * PIECE_BYTES..].chunks(PIECE_BYTES);
        checksums[places].iter_mut().zip(used).for_each(|(place, piece)| *place = checksum(piece));
    }
    to.value(&checksums)?;
    let mut used = pieces().zip(&checksums).filter(|(_, checksum)| checksum.is_some());
    used.try_for_each(|(piece, _)| to.bytes(&little_endian::<T>(piece)))
}

/// The checksums of a table's pieces; none for a piece that is all zero.
pub(in crate::engine) struct Pieces {
    checksums: Vec<Option<u32>>,
}

impl Pieces {
    /// Reads them for a table of so many bytes.
    pub(in crate::engine) fn read(table_bytes: usize, from: &mut Loader<'_>) -> Result<Pieces, LoadError> {
        let checksums: Vec<Option<u32>> = from.value()?;
        if checksums.len() != table_bytes.div_ceil(PIECE_BYTES) {
            return Err(LoadError::Damaged);
        }
        Ok(Pieces { checksums })
    }

    /// True if more pieces are used than not.
    pub(in crate::engine) fn mostly_used(&self) -> bool {
        2 * self.checksums.iter().flatten().count() > self.checksums.len()
    }

    /// Loads the table. Entries that are not zero yet are given that value where pieces are not used.
    pub(in crate::engine) fn load<T: Pod>(
        &self,
        items: &mut [T],
        is_zero: bool,
        from: &mut Loader<'_>,
    ) -> Result<(), LoadError> {
        let mut rest: &mut [u8] = bytemuck::cast_slice_mut(items);
        for stretch in self.checksums.chunk_by(|a, b| a.is_some() == b.is_some()) {
            let (bytes, after) = rest.split_at_mut(rest.len().min(stretch.len() * PIECE_BYTES));
            rest = after;
            let used: Vec<u32> = stretch.iter().copied().flatten().collect();
            if !used.is_empty() {
                load_stretch::<T>(bytes, &used, from)?;
            } else if !is_zero {
                bytes.fill(0);
            }
        }
        Ok(())
    }
}

/// Loads used pieces that lie together. All of them are written now, so large pages of memory cost nothing.
fn load_stretch<T: Pod>(bytes: &mut [u8], checksums: &[u32], from: &mut Loader<'_>) -> Result<(), LoadError> {
    ask_for_large_pages(bytes);
    let reads = bytes.chunks_mut(READ_PIECES * PIECE_BYTES).zip(checksums.chunks(READ_PIECES));
    for (bytes, checksums) in reads {
        from.bytes(bytes)?;
        for (piece, checksum) in bytes.chunks_mut(PIECE_BYTES).zip(checksums) {
            if from.is_foreign() && crc32fast::hash(piece) != *checksum {
                return Err(LoadError::Damaged);
            }
            if let Cow::Owned(turned) = little_endian::<T>(piece) {
                piece.copy_from_slice(&turned);
            }
        }
    }
    Ok(())
}

/// Numbers of this machine with their least byte first, or the other way round.
fn little_endian<T>(bytes: &[u8]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytes);
    }
    bytes.chunks(size_of::<T>()).flat_map(|number| number.iter().rev().copied()).collect::<Vec<u8>>().into()
}
