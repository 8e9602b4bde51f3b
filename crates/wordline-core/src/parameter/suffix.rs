//! Numbers as they are written for readers: `16k`, `4KiB`, `2TB`, `1M`, `1e6`, and `60%` of a share.

use toml::Value;

use super::{Domain, Parameter};

/// The unit of a size. Here `k`, `m`, `g` and `t` alone are powers of 1024, as fio has them.
const BYTES: &str = "bytes";

/// Units of time and of rates: a suffix of their numbers could be taken for another unit.
const NOT_COUNTED: [&str; 11] =
    ["us", "ms", "s", "ns", "h", "days", "months", "years", "Gb/s", "MB/s", "degrees Celsius"];

/// The largest whole number that a float holds exactly.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

impl Parameter {
    /// The value that this key means by a value: a text with a suffix becomes a number, and a whole number
    /// that is written as `1e6` becomes whole. Any other value stays as it is.
    #[must_use]
    pub fn meant(&self, value: Value) -> Value {
        meant(&self.domain, self.unit, value)
    }

    /// How its numbers may be written, for a message; empty where they take no suffix.
    #[must_use]
    pub fn suffixes(&self) -> &'static str {
        match self.domain {
            Domain::Whole { .. } | Domain::OneOf(_) if NOT_COUNTED.contains(&self.unit) => "",
            Domain::Whole { .. } | Domain::OneOf(_) if self.unit == BYTES => ", such as 4k or 2GB",
            Domain::Whole { .. } | Domain::OneOf(_) => ", such as 10k or 1M",
            _ if is_share(&self.domain, self.unit) => ", such as 0.25 or 25%",
            _ => "",
        }
    }
}

fn meant(domain: &Domain, unit: &str, value: Value) -> Value {
    match (domain, value) {
        (Domain::List { item, .. }, Value::Array(items)) => {
            Value::Array(items.into_iter().map(|each| meant(item, unit, each)).collect())
        }
        (Domain::Whole { .. } | Domain::OneOf(_) | Domain::Number { .. }, Value::String(text)) => {
            match number(&text, unit).or_else(|| percent(&text).filter(|_| is_share(domain, unit))) {
                Some(number) => whole(domain, number),
                None => Value::String(text),
            }
        }
        (_, Value::Float(number)) => whole(domain, number),
        (_, value) => value,
    }
}

/// Whether the numbers of a key are shares of a whole.
fn is_share(domain: &Domain, unit: &str) -> bool {
    matches!(domain, Domain::Number { high, .. } if *high <= 1.0) && unit.is_empty()
}

/// The share of a text such as `60%`.
fn percent(text: &str) -> Option<f64> {
    let digits = text.trim().strip_suffix('%')?.trim_end();
    let is_plain = digits.starts_with(|letter: char| letter.is_ascii_digit());
    let share = digits.parse::<f64>().ok().filter(|_| is_plain)? / 100.0;
    share.is_finite().then_some(share)
}

/// A number as its domain has it: whole, where it takes whole numbers alone.
fn whole(domain: &Domain, number: f64) -> Value {
    let takes_whole = matches!(domain, Domain::Whole { .. } | Domain::OneOf(_));
    match takes_whole && number.fract() == 0.0 && number.abs() <= EXACT_MAX {
        true => Value::Integer(number as i64),
        false => Value::Float(number),
    }
}

/// The number of a text with a suffix: of a size if `unit` is `bytes`, else of a count. None if it is none.
///
/// Of a size, `k` to `t` alone and `KiB` to `TiB` are powers of 1024, `KB` to `PB` of 1000. Of a count they are powers
/// of 1000, and there is no `B`.
#[must_use]
pub fn number(text: &str, unit: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.rfind(|letter: char| letter.is_ascii_digit() || letter == '.')? + 1;
    let (digits, suffix) = text.split_at(end);
    let (digits, suffix) = (digits.replace('_', ""), suffix.trim().to_ascii_lowercase());
    if NOT_COUNTED.contains(&unit) || !digits.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let power = |letter: char| "kmgtp".find(letter).map(|place| place as i32 + 1);
    let mut letters = suffix.chars();
    let factor = match (letters.next(), letters.as_str(), unit == BYTES) {
        (None, _, _) | (Some('b'), "", true) => 1.0,
        (Some(letter), "", true) | (Some(letter), "ib", true) => 1024f64.powi(power(letter)?),
        (Some(letter), "b", true) | (Some(letter), "", false) => 1000f64.powi(power(letter)?),
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|number| number * factor).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024_unless_they_say_kb() {
        let sizes = ["16k", "4KiB", "4kb", "2TB", "1.5G", " 512 b", "1e6", "1_000", "4K"];
        let bytes = sizes.map(|text| number(text, "bytes"));
        let wanted = [16384.0, 4096.0, 4000.0, 2e12, 1_610_612_736.0, 512.0, 1e6, 1000.0, 4096.0];
        assert_eq!(bytes, wanted.map(Some));
    }

    #[test]
    fn counts_are_decimal() {
        let counts = ["1M", "10k", "1e6", "2.5m"].map(|text| number(text, "requests"));
        assert_eq!(counts, [1e6, 1e4, 1e6, 2.5e6].map(Some));
        for bad in ["1MB", "k", "", "x", "1x", "-1k", "1kk", "0x10", "nan", "inf", "1e400", "1 2"] {
            assert_eq!(number(bad, "requests"), None, "{bad}");
        }
    }

    #[test]
    fn no_suffix_stands_in_for_a_unit_of_time() {
        for unit in ["us", "ms", "s", "MB/s", "months"] {
            assert_eq!(number("3m", unit), None, "{unit}");
        }
    }

    #[test]
    fn shares_are_written_in_percent_too() {
        let share = Parameter::new(Domain::Number { low: 0.0, high: 0.9, above: false, below: false });
        assert_eq!(
            ["60%", " 12.5 % ", "0.6"].map(|text| share.meant(text.into())),
            [0.6, 0.125, 0.6].map(Value::Float)
        );
        for bad in ["%", "x%", "-5%", "inf%", "6%0"] {
            assert_eq!(share.meant(bad.into()), bad.into());
        }
        let rate = Parameter::new(Domain::Number { low: 0.0, high: 1e9, above: false, below: false });
        assert_eq!(rate.meant("60%".into()), "60%".into());
        let time =
            Parameter::new(Domain::Number { low: 0.0, high: 1.0, above: false, below: false }).unit("us");
        assert_eq!(time.meant("60%".into()), "60%".into());
    }

    #[test]
    fn only_numbers_change() {
        let words = Parameter::new(Domain::Text("a name"));
        assert_eq!(words.meant("16k".into()), "16k".into());
        let sizes = Parameter::new(Domain::OneOf(&[4096, 16384])).unit("bytes");
        assert_eq!(sizes.meant("16k".into()), 16384.into());
        assert_eq!(sizes.meant(4096.0.into()), 4096.into());
        assert_eq!(sizes.meant(0.5.into()), 0.5.into());
        const ITEM: Domain = Domain::Whole { low: 0, high: 9000, multiple_of: 1 };
        let list = Parameter::new(Domain::List { item: &ITEM, least: 1, most: 3 }).unit("requests");
        let value = list.meant(Value::Array(vec!["1k".into(), 7.into(), "z".into()]));
        assert_eq!(value, Value::Array(vec![1000.into(), 7.into(), "z".into()]));
    }
}
