//! The values that a key takes.

use serde::Serialize;
use toml::Value;

use super::Parameter;
use super::choice::{Choice, find};
use super::number::{float_text, whole_text};

/// The values that a key takes. No key takes a number without bounds.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// `true` or `false`.
    Truth,
    /// A whole number.
    Whole {
        /// Smallest.
        low: i64,
        /// Largest.
        high: i64,
        /// It is a multiple of this.
        multiple_of: i64,
    },
    /// One of these whole numbers.
    OneOf(&'static [i64]),
    /// A finite number.
    Number {
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
        /// It is above the smallest.
        above: bool,
        /// It is below the largest.
        below: bool,
    },
    /// One word of a list.
    Word(&'static [Choice]),
    /// Words of these lists, joined by `+`.
    Joined(&'static [&'static [Choice]]),
    /// Any text; this is what it stands for.
    Text(&'static str),
    /// Several values.
    List {
        /// What each of them is.
        item: &'static Domain,
        /// Fewest.
        least: usize,
        /// Most.
        most: usize,
    },
    /// A value of each kind, in order.
    Tuple(&'static [Domain]),
    /// A table with these keys.
    Record(&'static [Parameter]),
    /// A value of one of these kinds.
    Either(&'static [Domain]),
}

/// Why a key does not take a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Another type, or a word that is no choice.
    Kind,
    /// A number out of its range, or a list of a wrong length.
    Range,
}

impl Domain {
    /// Checks that a key takes a value.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&self, value: &Value) -> Result<(), Fault> {
        match (self, value) {
            (Domain::Truth, Value::Boolean(_)) | (Domain::Text(_), Value::String(_)) => Ok(()),
            (&Domain::Whole { low, high, multiple_of }, &Value::Integer(number)) => {
                in_range((low..=high).contains(&number) && number % multiple_of == 0)
            }
            (Domain::OneOf(numbers), Value::Integer(number)) => in_range(numbers.contains(number)),
            (Domain::Number { .. }, &Value::Integer(number)) => self.check(&Value::Float(number as f64)),
            (&Domain::Number { low, high, above, below }, &Value::Float(number)) => {
                let is_high_enough = if above { number > low } else { number >= low };
                let is_low_enough = if below { number < high } else { number <= high };
                in_range(is_high_enough && is_low_enough)
            }
            (Domain::Word(choices), Value::String(word)) => {
                find(choices, word).map(|_| ()).ok_or(Fault::Kind)
            }
            (Domain::Joined(choices), Value::String(words)) => {
                let is_known = |word: &str| choices.iter().any(|list| find(list, word.trim()).is_some());
                if words.split('+').all(is_known) { Ok(()) } else { Err(Fault::Kind) }
            }
            (&Domain::List { item, least, most }, Value::Array(items)) => {
                items.iter().try_for_each(|each| item.check(each))?;
                in_range((least..=most).contains(&items.len()))
            }
            (Domain::Tuple(kinds), Value::Array(items)) if kinds.len() == items.len() => {
                kinds.iter().zip(items).try_for_each(|(kind, item)| kind.check(item))
            }
            (Domain::Record(parameters), Value::Table(table)) if parameters.len() == table.len() => {
                parameters.iter().try_for_each(|p| p.domain.check(table.get(p.name).ok_or(Fault::Kind)?))
            }
            (Domain::Either(kinds), value) => {
                let faults: Vec<_> = kinds.iter().filter_map(|kind| kind.check(value).err()).collect();
                let any_in_kind = faults.contains(&Fault::Range);
                match faults.len() < kinds.len() {
                    true => Ok(()),
                    false if any_in_kind => Err(Fault::Range),
                    false => Err(Fault::Kind),
                }
            }
            _ => Err(Fault::Kind),
        }
    }

    /// Whether a condition may name this value: a word of the list, or a number in range.
    #[must_use]
    pub fn may_be(&self, wanted: &str) -> bool {
        let numbers = [wanted.parse().map(Value::Integer).ok(), wanted.parse().map(Value::Float).ok()];
        let words = [wanted.parse().map(Value::Boolean).ok(), Some(Value::String(wanted.to_owned()))];
        numbers.into_iter().chain(words).flatten().any(|value| self.check(&value).is_ok())
    }

    /// What kind of value it is, for a message.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Domain::Truth => "true or false",
            Domain::Whole { .. } | Domain::OneOf(_) => "a whole number",
            Domain::Number { .. } => "a number",
            Domain::Word(_) | Domain::Joined(_) => "one of its words",
            Domain::Text(_) => "a text",
            Domain::List { .. } | Domain::Tuple(_) => "a list of its values",
            Domain::Record(_) => "a table of its keys",
            Domain::Either(_) => "one of its values",
        }
    }

    /// The words that it takes, if it takes any.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        match self {
            Domain::Word(choices) => choices.iter().map(|choice| choice.name).collect(),
            Domain::Joined(lists) => lists.iter().copied().flatten().map(|choice| choice.name).collect(),
            Domain::Either(kinds) => kinds.iter().flat_map(Domain::words).collect(),
            _ => Vec::new(),
        }
    }

    /// The values, for a reader.
    #[must_use]
    pub fn text(&self) -> String {
        let each = |kinds: &[Domain], between: &str| {
            kinds.iter().map(Domain::text).collect::<Vec<_>>().join(between)
        };
        match *self {
            Domain::Truth => "true | false".to_owned(),
            Domain::Text(what) => what.to_owned(),
            Domain::Whole { low, high, .. } if low == high => whole_text(low),
            Domain::Whole { low, high, multiple_of: 1 } => {
                format!("{}..{}", whole_text(low), whole_text(high))
            }
            Domain::Whole { low, high, multiple_of } => {
                format!("{}..{} in steps of {multiple_of}", whole_text(low), whole_text(high))
            }
            Domain::OneOf(numbers) => {
                numbers.iter().map(|&number| whole_text(number)).collect::<Vec<_>>().join(" | ")
            }
            Domain::Number { low, high, .. } if low == high => float_text(low),
            Domain::Number { low, high, above, below } => {
                let low = if above { format!("above {}", float_text(low)) } else { float_text(low) };
                let high = if below { format!("below {}", float_text(high)) } else { float_text(high) };
                if above || below { format!("{low} to {high}") } else { format!("{low}..{high}") }
            }
            Domain::Word(choices) => choices.iter().map(described).collect::<Vec<_>>().join(" | "),
            Domain::Joined(lists) => {
                let words: Vec<_> = lists.iter().copied().flatten().map(described).collect();
                format!("{}, joined by +", words.join(" | "))
            }
            Domain::List { item, least, most } => {
                format!("{least} to {} values in a list, each {}", whole_text(most as i64), item.text())
            }
            Domain::Tuple(kinds) => format!("[{}]", each(kinds, ", ")),
            Domain::Record(parameters) => {
                let keys: Vec<_> =
                    parameters.iter().map(|p| format!("{} = {}", p.name, p.values())).collect();
                format!("{{{}}}", keys.join(", "))
            }
            Domain::Either(kinds) => each(kinds, " or "),
        }
    }
}

fn described(choice: &Choice) -> String {
    match choice.help {
        "" => choice.name.to_owned(),
        help => format!("{} ({})", choice.name, super::lower_first(help.trim_end_matches('.'))),
    }
}

fn in_range(is: bool) -> Result<(), Fault> {
    if is { Ok(()) } else { Err(Fault::Range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_numbers_in_range_pass() {
        let share = Domain::Number { low: 0.0, high: 1.0, above: false, below: true };
        for good in [0.0, 0.5, 0.999] {
            assert_eq!(share.check(&good.into()), Ok(()));
        }
        for bad in [-1e-9, 1.0, f64::NAN, f64::INFINITY, 1e308] {
            assert_eq!(share.check(&bad.into()), Err(Fault::Range), "{bad}");
        }
        assert_eq!(share.check(&0.into()), Ok(()));
        assert_eq!(share.check(&true.into()), Err(Fault::Kind));
        let sectors = Domain::Whole { low: 512, high: 4096, multiple_of: 512 };
        assert_eq!([512, 1024, 4096].map(|n| sectors.check(&n.into())), [Ok(()); 3]);
        assert_eq!([0, 513, 8192].map(|n| sectors.check(&n.into())), [Err(Fault::Range); 3]);
        assert_eq!(sectors.check(&1024.0.into()), Err(Fault::Kind));
    }

    #[test]
    fn values_within_values_are_checked() {
        const BYTES: Domain = Domain::Whole { low: 1, high: 9, multiple_of: 1 };
        const PAIR: Domain = Domain::Tuple(&[BYTES, Domain::Truth]);
        let pairs = Domain::List { item: &PAIR, least: 1, most: 2 };
        let pair = |number: i64| Value::Array(vec![number.into(), true.into()]);
        assert_eq!(pairs.check(&Value::Array(vec![pair(1)])), Ok(()));
        assert_eq!(pairs.check(&Value::Array(vec![])), Err(Fault::Range));
        assert_eq!(pairs.check(&Value::Array(vec![pair(10)])), Err(Fault::Range));
        assert_eq!(pairs.check(&Value::Array(vec![1.into()])), Err(Fault::Kind));
        assert_eq!(pairs.text(), "1 to 2 values in a list, each [1..9, true | false]");
        let either = Domain::Either(&[Domain::Text("a name"), BYTES]);
        assert_eq!(either.check(&"x".into()), Ok(()));
        assert_eq!(either.check(&0.into()), Err(Fault::Range));
        assert_eq!(either.check(&true.into()), Err(Fault::Kind));
    }

    #[test]
    fn words_are_known_in_either_spelling() {
        let words = const { &[Choice::new("swift-read", " What it does."), Choice::new("pr2", "")] };
        assert_eq!(Domain::Word(words).check(&"swift_read".into()), Ok(()));
        assert_eq!(Domain::Word(words).check(&"swift_read+pr2".into()), Err(Fault::Kind));
        assert_eq!(
            Domain::Joined(Box::leak(Box::new([words as &[Choice]]))).check(&"swift_read + pr2".into()),
            Ok(())
        );
        assert_eq!(Domain::Word(words).text(), "swift-read (what it does) | pr2");
    }
}
