//! Errors in a configuration.

use std::fmt;

/// The kind of mistake in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigErrorKind {
    /// The text is not TOML.
    Syntax,
    /// No such key.
    UnknownKey,
    /// A value of the wrong type, or a word that is not a choice.
    WrongValue,
    /// A number outside its range, or keys that do not fit together.
    OutOfRange,
}

/// One mistake: what it is, where it is, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The kind of mistake.
    pub kind: ConfigErrorKind,
    /// File, preset or option that set the key.
    pub source: String,
    /// Line in that file, from 1; 0 if the source has no lines.
    pub line: usize,
    /// Dotted key, or empty.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it, or empty.
    pub fix: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.source)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)?;
        if !self.fix.is_empty() {
            write!(f, "; {}", self.fix)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}
