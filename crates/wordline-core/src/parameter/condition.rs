//! When a key has an effect.

use std::fmt;

use serde::Serialize;
use toml::Value;

use super::choice::same_word;

/// Another key has one of some values, or none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// The dotted key of the other.
    pub key: &'static str,
    /// Words, or numbers as texts.
    pub values: &'static [&'static str],
    /// True: it has one of the values; false: it has none.
    pub holds: bool,
}

impl Condition {
    /// Whether it is met where the other key has this value.
    #[must_use]
    pub fn is_met(&self, value: &Value) -> bool {
        self.values.iter().any(|wanted| has(value, wanted)) == self.holds
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Condition { key, values, holds } = self;
        let values: Vec<_> =
            values.iter().map(|value| if value.is_empty() { "\"\"" } else { value }).collect();
        write!(f, "{key} {} {}", if *holds { "=" } else { "other than" }, values.join(" or "))
    }
}

/// Whether a value is `wanted`, or is made of it: `pso+pnar2` has `pso`, a list has its items.
fn has(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.split('+').any(|word| same_word(word.trim(), wanted)),
        Value::Integer(number) => wanted.parse() == Ok(*number),
        Value::Float(number) => wanted.parse() == Ok(*number),
        Value::Boolean(truth) => wanted.parse() == Ok(*truth),
        Value::Array(items) => items.iter().any(|item| has(item, wanted)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_parts_are_compared() {
        let holds = |values, holds, value: Value| Condition { key: "a.b", values, holds }.is_met(&value);
        assert!(holds(&["pso", "ar2"], true, "pso+pnar2".into()));
        assert!(holds(&["swift-read"], true, "swift_read".into()));
        assert!(!holds(&["pso"], true, "baseline".into()));
        assert!(!holds(&["0"], false, 0.0.into()) && !holds(&["0"], false, 0.into()));
        assert!(holds(&["0"], false, 0.5.into()) && holds(&["true"], true, true.into()));
        assert!(!holds(&[""], false, "".into()) && holds(&[""], false, "a.csv".into()));
        let list = Value::Array(vec!["period".into(), "idle".into()]);
        assert!(holds(&["idle"], true, list));
    }
}
