//! Text in UTF-16 as bytes of UTF-8.

use std::io::{self, Read};

use crate::bytes::{Bytes, read_full};

const CHUNK_BYTES: usize = 1 << 16;

/// A stream that begins with a byte-order mark, which is left out.
pub(crate) struct Utf16 {
    from: Bytes,
    is_big: bool,
    /// The first half of a character.
    half: Option<u16>,
    text: Vec<u8>,
    at: usize,
    has_begun: bool,
}

impl Utf16 {
    pub fn new(from: Bytes, is_big: bool) -> Self {
        Self { from, is_big, half: None, text: Vec::new(), at: 0, has_begun: false }
    }

    fn refill(&mut self) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let length = read_full(&mut self.from, &mut chunk)?;
        let code = |pair: &[u8]| {
            let pair = [pair[0], pair.get(1).copied().unwrap_or(0)];
            if self.is_big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        };
        let mut codes: Vec<u16> =
            self.half.take().into_iter().chain(chunk[..length].chunks(2).map(code)).collect();
        const FIRST_HALVES: std::ops::Range<u16> = 0xd800..0xdc00;
        if length == CHUNK_BYTES && codes.last().is_some_and(|code| FIRST_HALVES.contains(code)) {
            self.half = codes.pop();
        }
        let text: String =
            char::decode_utf16(codes).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        let text = if self.has_begun { text.as_str() } else { text.trim_start_matches('\u{feff}') };
        self.text = text.as_bytes().to_vec();
        (self.at, self.has_begun) = (0, true);
        Ok(())
    }
}

impl Read for Utf16 {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.refill()?;
        }
        let count = buffer.len().min(self.text.len() - self.at);
        buffer[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_give_the_text() {
        let text = "0,R,\u{1f600}\n".repeat(30_000);
        for is_big in [false, true] {
            let bytes = |code: u16| if is_big { code.to_be_bytes() } else { code.to_le_bytes() };
            let marked: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect();
            let mut read = String::new();
            Utf16::new(Box::new(io::Cursor::new(marked)), is_big).read_to_string(&mut read).unwrap();
            assert!(read == text);
        }
    }
}
