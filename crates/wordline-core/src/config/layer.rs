//! One layer of configuration, and where a key was set.

use toml::{Table, Value};

use super::{ConfigError, ConfigErrorKind};

/// Some TOML with a name to call it by in messages.
#[derive(Clone, Debug)]
pub struct Layer {
    /// File name, `preset NAME` or the option as typed.
    pub name: String,
    /// TOML text.
    pub text: String,
    /// False for options: they have no lines worth naming.
    pub has_lines: bool,
    /// True for what the user wrote: a key of it that has no effect is worth a warning.
    pub warns: bool,
}

impl Layer {
    /// A layer from a file of the user's.
    #[must_use]
    pub fn file(name: &str, text: &str) -> Layer {
        Layer { name: name.to_owned(), text: text.to_owned(), has_lines: true, warns: true }
    }

    /// A layer that comes with Wordline.
    #[must_use]
    pub fn preset(name: &str, text: &str) -> Layer {
        Layer { warns: false, ..Layer::file(name, text) }
    }

    /// A layer from `key=value`. A value that is not TOML is taken as a string, so that
    /// `read.retry=ideal` needs no quotes.
    ///
    /// # Errors
    /// When there is no `=`, or the key is not a dotted key.
    pub fn assignment(text: &str) -> Result<Layer, ConfigError> {
        let name = format!("--set {text}");
        let syntax = |message: &str| ConfigError {
            kind: ConfigErrorKind::Syntax,
            source: name.clone(),
            line: 0,
            key: String::new(),
            message: message.to_owned(),
            fix: "write it as section.key=value, for example ssd.channels=4".to_owned(),
        };
        let Some((key, value)) = text.split_once('=') else {
            return Err(syntax("there is no `=`"));
        };
        let (key, value) = (key.trim(), value.trim());
        let dotted = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if key.is_empty() || !key.chars().all(dotted) || key.split('.').any(str::is_empty) {
            return Err(syntax("the part before `=` is not a dotted key"));
        }
        let plain = format!("{key} = {value}");
        // A value with a newline in it must not bring further keys along.
        let text = if plain.parse::<Table>().is_ok_and(|table| sets_only(&table, key)) {
            plain
        } else {
            format!("{key} = {}", Value::String(value.to_owned()))
        };
        Ok(Layer { name, text, has_lines: false, warns: true })
    }
}

/// Whether a table has this dotted key and no other.
fn sets_only(table: &Table, key: &str) -> bool {
    let (first, rest) = key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)));
    let Some(value) = table.get(first).filter(|_| table.len() == 1) else { return false };
    rest.is_none_or(|rest| value.as_table().is_some_and(|inner| sets_only(inner, rest)))
}

/// Who set a key, and what was said beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Name of the layer.
    pub layer: String,
    /// Line in it, from 1; 0 where there are no lines.
    pub line: usize,
    /// The comment behind the value: unit, range, source.
    pub comment: String,
}
