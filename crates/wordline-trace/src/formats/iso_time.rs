//! Times of day as ISO 8601 writes them: `2024-03-02T23:59:59.123456Z`, with a blank for the T, with slashes in the date, or with an offset from
//! UTC; or without the date, as `strace -tt` does.

/// ns from the start of 1970 (UTC), or from midnight where there is no date, and the number of bytes that were read; `None` for what is
/// no such time.
pub(super) fn parse(text: &[u8]) -> Option<(u64, usize)> {
    with_date(text).or_else(|| without_date(text))
}

fn without_date(text: &[u8]) -> Option<(u64, usize)> {
    let mut at = Cursor { text, at: 0 };
    let hours = at.digits(2)?;
    at.one(b":")?;
    let minutes = at.digits(2)?;
    at.one(b":")?;
    let seconds = at.digits(2)?;
    let fraction_ns = at.fraction_ns();
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    Some(((hours * 3600 + minutes * 60 + seconds) * 1_000_000_000 + fraction_ns, at.at))
}

fn with_date(text: &[u8]) -> Option<(u64, usize)> {
    let mut at = Cursor { text, at: 0 };
    let year = at.digits(4)?;
    let dash = at.one(b"-/")?;
    let month = at.digits(2)?;
    at.one(&[dash])?;
    let day = at.digits(2)?;
    at.one(b"Tt ")?;
    while at.one(b" ").is_some() {}
    let hours = at.digits(2)?;
    at.one(b":")?;
    let minutes = at.digits(2)?;
    let seconds = if at.one(b":").is_some() { at.digits(2)? } else { 0 };
    let fraction_ns = at.fraction_ns();
    let east_s = at.zone_s()?;
    if !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || hours > 23
        || minutes > 59
        || seconds > 60
        || year < 1970
    {
        return None;
    }
    let local_s = days_since_1970(year, month, day) * 86_400 + hours * 3600 + minutes * 60 + seconds;
    let utc_s = local_s.checked_sub_signed(east_s)?;
    Some((utc_s.checked_mul(1_000_000_000)?.checked_add(fraction_ns)?, at.at))
}

/// Days of the Gregorian calendar; a leap year has a 29th of February before its March.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    // Years that begin in March: the leap day is the last of one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_years = year * 365 + year / 4 - year / 100 + year / 400;
    const FROM_YEAR_0_TO_1970: u64 = 719_469;
    of_years + (153 * month + 2) / 5 + day - FROM_YEAR_0_TO_1970
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn one(&mut self, of: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| of.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    fn digits(&mut self, count: usize) -> Option<u64> {
        let mut value = 0;
        for _ in 0..count {
            let digit = self.peek()?.checked_sub(b'0').filter(|&digit| digit <= 9)?;
            value = value * 10 + u64::from(digit);
            self.at += 1;
        }
        Some(value)
    }

    fn fraction_ns(&mut self) -> u64 {
        if self.one(b".").is_none() {
            return 0;
        }
        let (mut value, mut place_ns) = (0, 1_000_000_000);
        while let Some(digit) = self.digits(1) {
            place_ns /= 10;
            value += digit * place_ns;
        }
        value
    }

    /// Seconds by which the place is ahead of UTC; without a zone none.
    fn zone_s(&mut self) -> Option<i64> {
        if self.one(b"Zz").is_some() {
            return Some(0);
        }
        let Some(sign) = self.one(b"+-") else { return Some(0) };
        let hours = self.digits(2)?;
        self.one(b":");
        let minutes = self.digits(2)?;
        let ahead_s = (hours * 3600 + minutes * 60) as i64;
        Some(if sign == b'+' { ahead_s } else { -ahead_s })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_leap_years() {
        for (text, expected_s) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29 12:00:00", 951_825_600),
            ("2024-03-02 23:59:59", 1_709_423_999),
            ("2024-03-02T23:59", 1_709_423_940),
            ("2024-03-03T01:59:59+02:00", 1_709_423_999),
            ("2024-03-02T18:29:59-0530", 1_709_423_999),
            ("2100-12-31T00:00:00", 4_133_894_400),
        ] {
            assert_eq!(parse(text.as_bytes()), Some((expected_s * 1_000_000_000, text.len())), "{text}");
        }
        assert_eq!(parse(b"1970-01-01 00:00:00.000000001,x"), Some((1, 29)));
        assert_eq!(parse(b"2024/03/02 23:59:59"), parse(b"2024-03-02 23:59:59"));
        assert_eq!(parse(b"12:00:01.5 x"), Some((43_201_500_000_000, 10)));
    }

    #[test]
    fn what_is_no_time_of_day_is_none() {
        for text in [
            "2024-03-02",
            "2024-13-02 00:00:00",
            "24-03-02 00:00:00",
            "2024-03-02 24:00:00",
            "2024/03-02 23:00:00",
            "24:00:00",
            "12:00",
            "5",
            "1969-12-31 00:00:00",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
