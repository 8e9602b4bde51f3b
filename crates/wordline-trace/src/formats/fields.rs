//! Parses the fields of one line, byte by byte and without allocating.

use super::{iso_time, scientific};
use crate::error::Bad;

/// Length of a filetime tick, ns.
pub(super) const FILETIME_TICK_NS: u64 = 100;

/// A position in a line. Blanks (space, tab) around a field are skipped.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    line: &'a [u8],
    at: usize,
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

impl<'a> Fields<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    #[inline]
    pub fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// A word: everything up to a blank, a comma or the end. May be empty.
    #[inline]
    pub fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let start = self.at;
        while self.peek().is_some_and(|b| b != b',' && !is_blank(b)) {
            self.at += 1;
        }
        &self.line[start..self.at]
    }

    /// Skips the comma before the next field.
    #[inline]
    pub fn comma(&mut self, next_field: &'static str) -> Result<(), Bad> {
        self.skip_blanks();
        if self.peek() == Some(b',') {
            self.at += 1;
            return Ok(());
        }
        Err(self.bad_here(format!("a comma and {next_field}")))
    }

    /// Returns true if only blanks follow.
    #[inline]
    pub fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.line.len()
    }

    /// Fails unless only blanks follow.
    #[inline]
    pub fn end(&mut self) -> Result<(), Bad> {
        if self.at_end() { Ok(()) } else { Err(self.bad_here("the end of the line")) }
    }

    /// An unsigned integer, decimal or with `0x` in front hexadecimal.
    #[inline]
    pub fn uint(&mut self, what: &'static str) -> Result<u64, Bad> {
        self.skip_blanks();
        let start = self.at;
        let mut value: u64 = 0;
        let mut overflow = false;
        while let Some(digit) = self.peek().map(|b| b.wrapping_sub(b'0')).filter(|&d| d <= 9) {
            // 19 digits always fit; the check is off the fast path.
            if self.at - start < 19 {
                value = value * 10 + u64::from(digit);
            } else if let Some(v) = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit))) {
                value = v;
            } else {
                overflow = true;
            }
            self.at += 1;
        }
        if self.at == start || overflow || self.peek().is_some_and(|b| b != b',' && !is_blank(b)) {
            return self.prefixed_hex(start, what);
        }
        Ok(value)
    }

    /// The number that starts at byte `start` and is no decimal one.
    #[cold]
    fn prefixed_hex(&mut self, start: usize, what: &'static str) -> Result<u64, Bad> {
        self.at = start;
        let word = self.word();
        let has_prefix = word.starts_with(b"0x") || word.starts_with(b"0X");
        parse_hex(word).filter(|_| has_prefix).ok_or_else(|| self.bad_from(start, what))
    }

    /// An unsigned integer of at most 32 bits.
    #[inline]
    pub fn uint32(&mut self, what: &'static str) -> Result<u32, Bad> {
        self.skip_blanks();
        let start = self.at;
        let value = self.uint(what)?;
        u32::try_from(value).map_err(|_| self.bad_from(start, what))
    }

    /// An unsigned integer in hexadecimal digits, with or without `0x`.
    pub fn hex(&mut self, what: &'static str) -> Result<u64, Bad> {
        self.skip_blanks();
        let start = self.at;
        let word = self.word();
        parse_hex(word).ok_or_else(|| self.bad_from(start, what))
    }

    /// A time without a fraction, in units of `unit_ns`, or as ISO 8601 writes it; in ns.
    #[inline]
    pub fn whole_time(&mut self, unit_ns: u64, what: &'static str) -> Result<u64, Bad> {
        self.skip_blanks();
        let start = self.at;
        match self.uint(what).map(|units| units.checked_mul(unit_ns)) {
            Ok(Some(time_ns)) => Ok(time_ns),
            Ok(None) => Err(self.bad_from(start, what)),
            Err(bad) => self.other_time(start, unit_ns).ok_or(bad),
        }
    }

    /// A time of day or a number in scientific notation that starts at byte `start`, in ns.
    #[inline(never)]
    fn other_time(&mut self, start: usize, unit_ns: u64) -> Option<u64> {
        let text = &self.line[start..];
        let (time_ns, length) = scientific::time_ns(text, unit_ns).or_else(|| iso_time::parse(text))?;
        self.at = start + length;
        self.peek().is_none_or(|b| b == b',' || is_blank(b)).then_some(time_ns)
    }

    /// A time with or without a fraction, in units of `unit_ns` (a power of ten), in scientific notation, or as ISO 8601 writes it; exact, in ns.
    /// Digits below one nanosecond are cut off.
    #[inline]
    pub fn time(&mut self, unit_ns: u64, what: &'static str) -> Result<u64, Bad> {
        self.skip_blanks();
        let start = self.at;
        let mut whole: u64 = 0;
        let mut ok = true;
        while let Some(digit) = self.peek().map(|b| b.wrapping_sub(b'0')).filter(|&d| d <= 9) {
            match whole.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit))) {
                Some(v) => whole = v,
                None => ok = false,
            }
            self.at += 1;
        }
        let mut digits = self.at - start;
        let mut fraction_ns = 0;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let mut place_ns = unit_ns;
            while let Some(digit) = self.peek().map(|b| b.wrapping_sub(b'0')).filter(|&d| d <= 9) {
                place_ns /= 10;
                fraction_ns += u64::from(digit) * place_ns;
                digits += 1;
                self.at += 1;
            }
        }
        let time_ns = whole.checked_mul(unit_ns).and_then(|t| t.checked_add(fraction_ns));
        match time_ns {
            Some(t) if ok && digits > 0 && self.peek().is_none_or(|b| b == b',' || is_blank(b)) => Ok(t),
            _ => self.other_time(start, unit_ns).ok_or_else(|| self.bad_from(start, what)),
        }
    }

    /// Fails if digits and the end of the line follow a number without a fraction: where further fields are allowed, that
    /// may be a decimal comma.
    #[inline]
    pub fn no_decimal_comma(&self, what: &'static str) -> Result<(), Bad> {
        let (before, behind) = self.line.split_at(self.at);
        if behind.len() < 2 || behind[0] != b',' || !behind[1..].iter().all(u8::is_ascii_digit) {
            return Ok(());
        }
        let number = before.rsplit(|&b| b == b',').next().unwrap_or(before);
        if number.contains(&b'.') { Ok(()) } else { Err(self.bad_from(self.at, what)) }
    }

    /// An error at the field that starts here.
    #[cold]
    pub fn bad_here(&mut self, expected: impl Into<String>) -> Bad {
        self.skip_blanks();
        let start = self.at;
        self.bad_from(start, expected)
    }

    /// An error at the field that starts at byte `start`.
    #[cold]
    fn bad_from(&self, start: usize, expected: impl Into<String>) -> Bad {
        let rest = &self.line[start..];
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        if rest.first() == Some(&b',') && is_digit(rest.get(1)) && is_digit(self.line[..start].last()) {
            let from = self.line[..start].iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
            let end = 1 + rest[1..].iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len() - 1);
            let expected = format!("{}; a decimal comma is not read, write a point", expected.into());
            return Bad::new(expected, &self.line[from..start + end]);
        }
        let end =
            rest.iter().position(|&b| b == b',' || is_blank(b)).unwrap_or(rest.len()).max(rest.len().min(1));
        Bad::new(expected, &rest[..end])
    }
}

/// Hexadecimal digits, with or without `0x`.
pub(crate) fn parse_hex(word: &[u8]) -> Option<u64> {
    let digits = word.strip_prefix(b"0x").or_else(|| word.strip_prefix(b"0X")).unwrap_or(word);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &b| Some(value << 4 | u64::from(char::from(b).to_digit(16)?)))
}

/// The sectors of `size_bytes` starting at `offset_bytes`, rounded outwards, because a device transfers whole sectors.
/// `None` if the end does not fit 64 bits, or the length 32 bits.
#[inline]
pub(crate) fn sectors_of_bytes(offset_bytes: u64, size_bytes: u64) -> Option<(u64, u32)> {
    const SECTOR_BYTES: u64 = wordline_core::host::SECTOR_BYTES;
    let sector = offset_bytes / SECTOR_BYTES;
    if size_bytes == 0 {
        return Some((sector, 0));
    }
    let last = offset_bytes.checked_add(size_bytes - 1)? / SECTOR_BYTES;
    Some((sector, u32::try_from(last - sector + 1).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_field_ends() {
        let mut f = Fields::new(b" 18446744073709551615, 7");
        assert_eq!(f.uint("n"), Ok(u64::MAX));
        f.comma("n").unwrap();
        assert_eq!(f.uint("n"), Ok(7));
        f.end().unwrap();
        for wrong in ["18446744073709551616", "99999999999999999999999", "-1", "1x", "", "1.5"] {
            assert!(Fields::new(wrong.as_bytes()).uint("n").is_err(), "{wrong}");
        }
        assert!(Fields::new(b"4294967296").uint32("n").is_err());
    }

    #[test]
    fn a_fraction_of_a_second_is_exact() {
        assert_eq!(
            Fields::new(b"1456095145.133076000").time(1_000_000_000, "t"),
            Ok(1_456_095_145_133_076_000)
        );
        assert_eq!(Fields::new(b"5265.313").time(1_000_000, "t"), Ok(5_265_313_000));
        assert_eq!(Fields::new(b".5").time(1000, "t"), Ok(500));
        assert_eq!(Fields::new(b"0.0000000019").time(1_000_000_000, "t"), Ok(1));
        assert_eq!(Fields::new(b"5e-05").time(1_000_000_000, "t"), Ok(50_000));
        assert_eq!(Fields::new(b"23:59:59.5").time(1, "t"), Ok(86_399_500_000_000));
        for wrong in [".", "-0.5", "1e", "1e9x", "1.2.3", "18446744073.709551616"] {
            assert!(Fields::new(wrong.as_bytes()).time(1_000_000_000, "t").is_err(), "{wrong}");
        }
        assert!(Fields::new(b"18446744073709551616").time(1, "t").is_err());
    }

    #[test]
    fn bytes_round_outwards_to_sectors() {
        assert_eq!(sectors_of_bytes(511, 2), Some((0, 2)));
        assert_eq!(sectors_of_bytes(512, 512), Some((1, 1)));
        assert_eq!(sectors_of_bytes(1024, 0), Some((2, 0)));
        assert_eq!(sectors_of_bytes(u64::MAX, 2), None);
        assert_eq!(sectors_of_bytes(0, 1 << 41), None);
    }

    #[test]
    fn hexadecimal_with_and_without_prefix() {
        assert_eq!(parse_hex(b"0x2A"), Some(0x2a));
        assert_eq!(parse_hex(b"2a"), Some(0x2a));
        assert_eq!(parse_hex(b"0x"), None);
        assert_eq!(parse_hex(b"2g"), None);
    }
}
