//! The words of a declaration; [`section!`](super::section) brings them into scope.

use super::{Choice, Domain, Parameter};

/// `true` or `false`.
#[must_use]
pub const fn truth() -> Parameter {
    Parameter::new(Domain::Truth)
}

/// A whole number from `low` to `high`.
#[must_use]
pub const fn whole(low: i64, high: i64) -> Parameter {
    Parameter::new(Domain::Whole { low, high, multiple_of: 1 })
}

/// One of these whole numbers.
#[must_use]
pub const fn one_of(numbers: &'static [i64]) -> Parameter {
    Parameter::new(Domain::OneOf(numbers))
}

/// A finite number from `low` to `high`.
#[must_use]
pub const fn number(low: f64, high: f64) -> Parameter {
    Parameter::new(Domain::Number { low, high, above: false, below: false })
}

/// A share or a probability.
#[must_use]
pub const fn fraction() -> Parameter {
    number(0.0, 1.0)
}

/// A finite number above `low`, to `high`.
#[must_use]
pub const fn above(low: f64, high: f64) -> Parameter {
    Parameter::new(Domain::Number { low, high, above: true, below: false })
}

/// A finite number from `low` to below `high`.
#[must_use]
pub const fn below(low: f64, high: f64) -> Parameter {
    Parameter::new(Domain::Number { low, high, above: false, below: true })
}

/// A finite number above `low` and below `high`.
#[must_use]
pub const fn between(low: f64, high: f64) -> Parameter {
    Parameter::new(Domain::Number { low, high, above: true, below: true })
}

/// One word of a list.
#[must_use]
pub const fn word(choices: &'static [Choice]) -> Parameter {
    Parameter::new(Domain::Word(choices))
}

/// Words of some lists, joined by `+`; the type of the key says which go together.
#[must_use]
pub const fn joined(choices: &'static [&'static [Choice]]) -> Parameter {
    Parameter::new(Domain::Joined(choices))
}

/// Any text; `what` says what it stands for.
#[must_use]
pub const fn text(what: &'static str) -> Parameter {
    Parameter::new(Domain::Text(what))
}

/// From `least` to `most` values, each of them one of `item`.
#[must_use]
pub const fn list(item: &'static Domain, least: usize, most: usize) -> Parameter {
    Parameter::new(Domain::List { item, least, most })
}

/// A value of the one kind or of the other.
#[must_use]
pub const fn either(kinds: &'static [Domain]) -> Parameter {
    Parameter::new(Domain::Either(kinds))
}

/// Longest single operation that a configuration may ask for, us (100 s).
///
/// Simulated time is checked now and then ([`crate::TIME_MAX`]); no operation is so long that a sum of times
/// could leave 64 bits in between.
const OPERATION_MAX_US: f64 = 1e8;

/// An operation of the array, us.
#[must_use]
pub const fn operation() -> Parameter {
    number(0.0, OPERATION_MAX_US).unit("us")
}

/// An operation of the array that takes some time, us.
#[must_use]
pub const fn positive_operation() -> Parameter {
    above(0.0, OPERATION_MAX_US).unit("us")
}

/// A delay on a bus, ns: at most 1 s.
#[must_use]
pub const fn delay() -> Parameter {
    whole(0, 1_000_000_000).unit("ns")
}

/// A data rate; 0 stands for no time at all.
#[must_use]
pub const fn rate() -> Parameter {
    either(&[
        Domain::Number { low: 0.01, high: 1e7, above: false, below: false },
        Domain::Number { low: 0.0, high: 0.0, above: false, below: false },
    ])
    .unit("MB/s")
}
