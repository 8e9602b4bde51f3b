//! Times in scientific notation, as Python and C write small and large floating-point numbers: `5e-05`, `1.709E+09`.

/// ns of a number of units of `unit_ns`, and the number of bytes that were read; `None` for what is no such number. Digits below one
/// nanosecond are cut off.
pub(super) fn time_ns(text: &[u8], unit_ns: u64) -> Option<(u64, usize)> {
    let (mantissa, digits, places) = mantissa(text)?;
    if !matches!(text.get(digits), Some(b'e' | b'E')) {
        return None;
    }
    let (exponent, length) = exponent(&text[digits + 1..])?;
    let scaled = mantissa.checked_mul(u128::from(unit_ns))?;
    let shift = exponent - places;
    let ns = match 10u128.checked_pow(shift.unsigned_abs()) {
        Some(power) if shift >= 0 => scaled.checked_mul(power)?,
        Some(power) => scaled / power,
        None if shift >= 0 && scaled > 0 => return None,
        None => 0,
    };
    Some((u64::try_from(ns).ok()?, digits + 1 + length))
}

/// The digits of a number without its point, the bytes that they take, and how many of them are behind the point.
fn mantissa(text: &[u8]) -> Option<(u128, usize, i32)> {
    let (mut value, mut places, mut digits, mut at, mut has_point) = (0u128, 0, 0, 0, false);
    for &byte in text {
        match byte {
            b'0'..=b'9' => {
                value = value.checked_mul(10)?.checked_add(u128::from(byte - b'0'))?;
                (digits, places) = (digits + 1, places + i32::from(has_point));
            }
            b'.' if !has_point => has_point = true,
            _ => break,
        }
        at += 1;
    }
    (digits > 0).then_some((value, at, places))
}

/// An exponent of at most three digits with its sign, and the bytes that it takes.
fn exponent(text: &[u8]) -> Option<(i32, usize)> {
    let sign = text.first().filter(|byte| b"+-".contains(byte));
    let digits = &text[usize::from(sign.is_some())..];
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=3).contains(&count) {
        return None;
    }
    let value = digits[..count].iter().fold(0, |value, byte| value * 10 + i32::from(byte - b'0'));
    Some((if sign == Some(&b'-') { -value } else { value }, usize::from(sign.is_some()) + count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        const S: u64 = 1_000_000_000;
        for (text, unit_ns, expected_ns) in [
            ("5e-05", S, 50_000),
            ("1.25E+1", S, 12_500_000_000),
            ("1.709374800123456789e9", S, 1_709_374_800_123_456_789),
            ("1e3", 1000, 1_000_000),
            ("9.99e-10", S, 0),
            ("0e999", S, 0),
            ("1e-999", S, 0),
        ] {
            assert_eq!(time_ns(text.as_bytes(), unit_ns), Some((expected_ns, text.len())), "{text}");
        }
        assert_eq!(time_ns(b"1e2,R", S), Some((100 * S, 3)));
    }

    #[test]
    fn what_is_no_such_number_is_none() {
        for text in ["5", "e5", "1e", "1e+", ".e1", "-1e1", "1e9999", "1e99", "1.2.3e1"] {
            assert_eq!(time_ns(text.as_bytes(), 1_000_000_000), None, "{text}");
        }
    }
}
