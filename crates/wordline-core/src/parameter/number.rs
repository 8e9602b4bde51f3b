//! Numbers and values for readers: `65_536`, `2^20`, `1e8`.

use toml::Value;

/// A whole number: a power of two from 2^17 on as such, one of ten from 10^6 on, else its digits.
#[must_use]
pub fn whole_text(number: i64) -> String {
    let size = number.unsigned_abs();
    let sign = if number < 0 { "-" } else { "" };
    match size {
        _ if size >= 1 << 17 && size.is_power_of_two() => format!("{sign}2^{}", size.trailing_zeros()),
        _ if size >= 1 << 17 && (size + 1).is_power_of_two() => {
            format!("{sign}2^{}-1", (size + 1).trailing_zeros())
        }
        _ if size >= 1_000_000 && 10u64.pow(size.ilog10()) == size => format!("{sign}1e{}", size.ilog10()),
        _ => grouped(number),
    }
}

/// A number: with an exponent where it is very large or very small.
#[must_use]
pub fn float_text(number: f64) -> String {
    let size = number.abs();
    let whole = number as i64;
    if size >= 1e5 && whole as f64 == number && whole_text(whole).len() < 7 {
        return whole_text(whole);
    }
    if size == 0.0 || (1e-3..1e6).contains(&size) { format!("{number}") } else { format!("{number:e}") }
}

/// A value as TOML, on one line.
#[must_use]
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Integer(number) => grouped(*number),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(value_text).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// Digits in groups of three, from five digits on.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let sign = if number < 0 { "-" } else { "" };
    if digits.len() < 5 {
        return number.to_string();
    }
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    format!("{sign}{}", groups.join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0, 4096, 65_535, 1_000_000].map(whole_text), ["0", "4096", "65_535", "1e6"]);
        assert_eq!([1 << 20, i64::MAX, -5].map(whole_text), ["2^20", "2^63-1", "-5"]);
        assert_eq!([0.0, 0.9, 1e8, 1e-3, 8.64e10].map(float_text), ["0", "0.9", "1e8", "0.001", "8.64e10"]);
        assert_eq!([36_500.0, 1_073_741_824.0, 123_456.5].map(float_text), ["36500", "2^30", "123456.5"]);
        let pair = Value::Array(vec![(-65_536).into(), 0.5.into(), "x".into()]);
        assert_eq!(value_text(&pair), "[-65_536, 0.5, \"x\"]");
    }
}
