//! When a key has an effect.

use std::fmt;

use serde::Serialize;
use toml::Value;

use super::choice::same_word;

/// A dotted key, and words or numbers (as texts) that it may have.
pub type OneOf = (&'static str, &'static [&'static str]);

/// Another key has one of some values, or none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Dependency {
    /// The dotted key of the other.
    pub key: &'static str,
    /// Words, or numbers as texts.
    pub values: &'static [&'static str],
    /// True: it has one of the values; false: it has none.
    pub holds: bool,
    /// It is also met where this key has one of its values.
    pub or: Option<OneOf>,
}

impl Dependency {
    /// Whether it is met, where `value` gives the values of keys.
    #[must_use]
    pub fn is_met<'a>(&self, value: impl Fn(&str) -> Option<&'a Value>) -> bool {
        let has_one = |(key, values): OneOf| {
            value(key).is_some_and(|value| values.iter().any(|wanted| has(value, wanted)))
        };
        has_one((self.key, self.values)) == self.holds || self.or.is_some_and(has_one)
    }
}

impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let equals = |f: &mut fmt::Formatter<'_>, (key, values): OneOf, sign: &str| {
            let word = |value: &&'static str| if value.is_empty() { "\"\"" } else { *value };
            let values: Vec<_> = values.iter().map(word).collect();
            write!(f, "{key} {sign} {}", values.join(" or "))
        };
        equals(f, (self.key, self.values), if self.holds { "=" } else { "other than" })?;
        self.or.map_or(Ok(()), |or| {
            write!(f, ", or ")?;
            equals(f, or, "=")
        })
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
        let holds = |values, holds, value: Value| {
            Dependency { key: "a.b", values, holds, or: None }.is_met(|_| Some(&value))
        };
        assert!(holds(&["pso", "ar2"], true, "pso+pnar2".into()));
        assert!(holds(&["swift-read"], true, "swift_read".into()));
        assert!(!holds(&["pso"], true, "baseline".into()));
        assert!(!holds(&["0"], false, 0.0.into()) && !holds(&["0"], false, 0.into()));
        assert!(holds(&["0"], false, 0.5.into()) && holds(&["true"], true, true.into()));
        assert!(!holds(&[""], false, "".into()) && holds(&[""], false, "a.csv".into()));
        let list = Value::Array(vec!["period".into(), "idle".into()]);
        assert!(holds(&["idle"], true, list));
    }

    #[test]
    fn one_of_two_keys_is_enough() {
        let either = Dependency { key: "a", values: &["x"], holds: true, or: Some(("b", &["1", "2"])) };
        assert_eq!(either.to_string(), "a = x, or b = 1 or 2");
        let (y, two) = (Value::from("y"), Value::from(2));
        assert!(either.is_met(|key| Some(if key == "a" { &y } else { &two })));
        assert!(!either.is_met(|_| Some(&y)) && !either.is_met(|_| None));
    }
}
