//! Numbers as a reader likes them: `65_536`, `2^20`, `1e8`.

/// A whole number: a power of two from 2^17 on as such, else its digits.
#[must_use]
pub fn whole_text(number: i64) -> String {
    let size = number.unsigned_abs();
    let sign = if number < 0 { "-" } else { "" };
    match size {
        _ if size >= 1 << 17 && size.is_power_of_two() => format!("{sign}2^{}", size.trailing_zeros()),
        _ if size >= 1 << 17 && (size + 1).is_power_of_two() => {
            format!("{sign}2^{}-1", (size + 1).trailing_zeros())
        }
        _ => format!("{sign}{}", grouped(size)),
    }
}

/// A number: with an exponent where it is very large or very small.
#[must_use]
pub fn float_text(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-3..1e6).contains(&size) { format!("{number}") } else { format!("{number:e}") }
}

/// Digits in groups of three, from five digits on.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0, 4096, 65_535, 1_000_000].map(whole_text), ["0", "4096", "65_535", "1_000_000"]);
        assert_eq!([1 << 20, i64::MAX, -5].map(whole_text), ["2^20", "2^63-1", "-5"]);
        assert_eq!([0.0, 0.9, 1e8, 1e-3, 8.64e10].map(float_text), ["0", "0.9", "1e8", "0.001", "8.64e10"]);
    }
}
