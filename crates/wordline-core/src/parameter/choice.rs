//! Words that a key takes.

use serde::Serialize;

/// One word that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The word.
    pub name: &'static str,
    /// What it means, in a few words; empty where the word says it.
    pub help: &'static str,
}

impl Choice {
    /// A word and what it means.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str) -> Choice {
        Choice { name, help: help.trim_ascii() }
    }
}

/// The place of a word in a list.
#[must_use]
pub fn find(choices: &[Choice], word: &str) -> Option<usize> {
    choices.iter().position(|choice| same_word(choice.name, word))
}

/// Words may be written with `-` or `_`.
#[must_use]
pub fn same_word(one: &str, other: &str) -> bool {
    let plain = |letter: u8| if letter == b'_' { b'-' } else { letter };
    one.bytes().map(plain).eq(other.bytes().map(plain))
}

/// Makes an enum of words: `Variant = "word"`, with a doc comment that says what the word means. It reads and
/// writes itself as that word, and lists all words in `CHOICES`.
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[doc = $help:literal])+ $variant:ident = $word:literal),* $(,)?
        }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $(#[$meta])*
        $vis enum $name {
            $($(#[doc = $help])+ $variant),*
        }

        #[allow(dead_code, reason = "not every enum is asked for all of it")]
        impl $name {
            /// Every word and what it means.
            $vis const CHOICES: &'static [$crate::parameter::Choice] =
                &[$($crate::parameter::Choice::new($word, concat!($($help),+))),*];

            /// All of them, in the order of `CHOICES`.
            $vis const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word in a configuration.
            #[must_use]
            $vis const fn name(self) -> &'static str {
                $name::CHOICES[self as usize].name
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let word = <String as serde::Deserialize>::deserialize(deserializer)?;
                match $crate::parameter::find($name::CHOICES, &word) {
                    Some(place) => Ok($name::ALL[place]),
                    None => Err(serde::de::Error::unknown_variant(&word, &[$($word),*])),
                }
            }
        }
    };
}

pub(crate) use choices;
