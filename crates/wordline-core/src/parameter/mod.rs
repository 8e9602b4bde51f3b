//! How a key of the configuration describes itself.
//!
//! A key is declared once, in Rust, beside what uses it: its type, default, unit, range, help and source.
//! [`section!`] makes a struct, its default and its [`Parameter`] rows from such declarations, and
//! [`choices!`] makes an enum and its list of words. The check of a configuration, `presets/base/*.toml`,
//! `wordline explain`, the reference page and the JSON Schema all read these rows.
//!
//! This room knows nothing of SSDs: sections of the configuration and policies both build on it.

mod choice;
mod condition;
mod domain;
mod number;
mod section;
mod suffix;
pub mod words;

pub(crate) use choice::choices;
pub use choice::{Choice, find};
pub use condition::{Dependency, OneOf};
pub use domain::{Domain, Fault};
pub use number::{float_text, value_text, whole_text};
pub(crate) use section::section;
pub use section::{Row, Section, key, rows_of};
pub use suffix::number;

use serde::Serialize;

/// One key, as it was declared. Its default is that of the struct it belongs to.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Parameter {
    /// The key, without its section.
    pub name: &'static str,
    /// What it means: the doc comment of its field.
    pub help: &'static str,
    /// The values that it takes.
    pub domain: Domain,
    /// Unit of its numbers; empty where they have none.
    pub unit: &'static str,
    /// Where its default comes from; empty where the help says it.
    pub source: &'static str,
    /// The key has an effect only where all of these hold.
    pub when: [Option<Dependency>; 3],
}

impl Parameter {
    /// A key that takes these values.
    #[must_use]
    pub const fn new(domain: Domain) -> Parameter {
        Parameter { name: "", help: "", domain, unit: "", source: "", when: [None; 3] }
    }

    /// With a name and its help; [`section!`] calls it.
    #[must_use]
    pub const fn named(mut self, name: &'static str, help: &'static str) -> Parameter {
        self.name = name;
        self.help = help.trim_ascii();
        self
    }

    /// With the unit of its numbers.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Parameter {
        self.unit = unit;
        self
    }

    /// With the source of its default: paper and section, a data sheet, or `assumed:` and why.
    #[must_use]
    pub const fn source(mut self, source: &'static str) -> Parameter {
        self.source = source;
        self
    }

    /// The key has an effect only where `key` has one of `values`; conditions add up, three at most.
    #[must_use]
    pub const fn when(self, key: &'static str, values: &'static [&'static str]) -> Parameter {
        self.only(Dependency { key, values, holds: true, or: None })
    }

    /// The key has an effect only where one of two keys has one of some values.
    #[must_use]
    pub const fn when_either(self, one: OneOf, other: OneOf) -> Parameter {
        self.only(Dependency { key: one.0, values: one.1, holds: true, or: Some(other) })
    }

    /// The key has no effect where `key` has one of `values`.
    #[must_use]
    pub const fn unless(self, key: &'static str, values: &'static [&'static str]) -> Parameter {
        self.only(Dependency { key, values, holds: false, or: None })
    }

    const fn only(mut self, condition: Dependency) -> Parameter {
        let mut free = 0;
        while self.when[free].is_some() {
            free += 1;
        }
        self.when[free] = Some(condition);
        self
    }

    /// The values that it takes, with their unit.
    #[must_use]
    pub fn values(&self) -> String {
        format!("{} {}", self.domain.text(), self.unit).trim_end().to_owned()
    }

    /// All in one line: values with their unit, help, source, and what it depends on.
    #[must_use]
    pub fn comment(&self) -> String {
        let values = if matches!(self.domain, Domain::Truth) { String::new() } else { self.values() };
        let conditions: Vec<_> = self.when.iter().flatten().map(Dependency::to_string).collect();
        let conditions = match conditions.as_slice() {
            [] => String::new(),
            all => format!("only with {}", all.join(" and ")),
        };
        let help = lower_first(self.help.trim_end_matches('.'));
        let parts = [values, help, conditions, self.source.to_owned()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// A sentence as part of another one; names in capitals stay as they are.
fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    choices! {
        /// What to look at.
        pub enum Look {
            /// All of it
            All = "all",
            /// Some blocks
            SomeBlocks = "some-blocks",
        }
    }

    section! {
        /// What one policy adds to its section.
        #[derive(Copy)]
        pub struct Part {
            /// Blocks that `some-blocks` looks at.
            d: u32 = 8, whole(1, 1024).unit("blocks").when("gc.look", &["some-blocks"]);
        }
    }

    section! {
        /// A section.
        pub struct Gc {
            /// Where it looks.
            look: Look = Look::All, word(Look::CHOICES).source("a paper");
            /// Share of free blocks.
            r#yield: f64 = 0.05, fraction();
            flatten part: Part;
        }
    }

    section! {
        /// A configuration.
        pub struct Whole {
            /// A number.
            seed: u64 = 1, whole(0, i64::MAX);
            section gc: Gc;
        }
    }

    #[test]
    fn rows_say_all_that_was_declared() {
        let rows = rows_of::<Whole>();
        let said: Vec<_> = rows
            .iter()
            .map(|row| format!("{} = {} # {}", row.key, row.default, row.parameter.comment()))
            .collect();
        let expected = [
            "seed = 1 # 0..2^63-1; a number",
            "gc.look = \"all\" # all (all of it) | some-blocks (some blocks); where it looks; a paper",
            "gc.yield = 0.05 # 0..1; share of free blocks",
            "gc.d = 8 # 1..1024 blocks; blocks that `some-blocks` looks at; only with gc.look = some-blocks",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_struct_reads_its_keys_and_words_in_either_spelling() {
        let read = |text: &str| Whole::deserialize(toml::from_str::<toml::Table>(text).unwrap());
        let whole = read("[gc]\nlook = 'some_blocks'\nd = 3\nyield = 1").unwrap();
        assert_eq!((whole.gc.look, whole.gc.part.d, whole.seed), (Look::SomeBlocks, 3, 1));
        assert_eq!(toml::Table::try_from(&whole).unwrap()["gc"]["d"], toml::Value::Integer(3));
        assert!(read("[gc]\nlook = 'nowhere'").unwrap_err().message().contains("some-blocks"));
    }
}
