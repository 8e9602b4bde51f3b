//! The check of single keys, from their declarations, before anything is built.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::base::{parameter, parameters, value_at};
use super::layer::{Layer, Origin};
use super::{ConfigError, ConfigErrorKind};
use crate::parameter::{Domain, Fault, value_text};

/// Longest value that a message shows, characters.
const SHOWN_MAX: usize = 60;

/// Whether there is such a key.
///
/// # Errors
/// There is none; the nearest one is named.
pub(super) fn known(key: &str, origin: &Origin) -> Result<(), ConfigError> {
    if parameter(key).is_some() {
        return Ok(());
    }
    let section = format!("{key}.");
    let fix = if parameters().iter().any(|row| row.key.starts_with(&section)) {
        format!("`{key}` is a section: set one of its keys")
    } else {
        nearest(key).map_or_else(
            || "`wordline explain` lists all keys".to_owned(),
            |k| format!("did you mean `{k}`?"),
        )
    };
    let message = format!("unknown key `{key}`");
    Err(error(ConfigErrorKind::UnknownKey, key, origin, message, fix))
}

/// The value that a key means by what was written: `16k` is a number.
pub(super) fn meant(key: &str, value: Value) -> Value {
    match parameter(key) {
        Some(row) => row.parameter.meant(value),
        None => value,
    }
}

/// Whether a key takes a value.
///
/// # Errors
/// The value is of another type, no word of the key, or out of its range.
pub(super) fn value(key: &str, value: &Value, origin: &Origin) -> Result<(), ConfigError> {
    let Some(row) = parameter(key) else { return Ok(()) };
    let Err(fault) = row.parameter.domain.check(value) else { return Ok(()) };
    let takes = format!("it takes {}", row.parameter.values());
    let shown = shown(value);
    Err(match fault {
        Fault::Range => {
            let message = format!("`{key}` = {shown} is out of range");
            error(ConfigErrorKind::OutOfRange, key, origin, message, takes)
        }
        Fault::Kind => {
            let message = format!("`{key}` = {shown} is not {}", row.parameter.domain.kind());
            let takes = format!("{takes}{}", row.parameter.suffixes());
            let fix = word(&row.parameter.domain, value)
                .map_or_else(|| takes.clone(), |word| format!("did you mean `{word}`? {takes}"));
            error(ConfigErrorKind::WrongValue, key, origin, message, fix)
        }
    })
}

/// The keys that a layer of the user's set last and that other keys switch off, a line each.
pub(super) fn without_effect(
    table: &Table,
    origins: &BTreeMap<String, Origin>,
    layers: &[Layer],
) -> Vec<String> {
    let is_users = |origin: &Origin| {
        layers.iter().rev().find(|layer| layer.name == origin.layer).is_some_and(|layer| layer.warns)
    };
    let told = |key: &str| {
        let origin = origins.get(key).filter(|origin| is_users(origin))?;
        let conditions = parameter(key)?.parameter.when;
        let unmet = conditions.iter().flatten().find(|each| !each.is_met(|other| value_at(table, other)))?;
        let now = value_at(table, unmet.key).map(value_text).unwrap_or_default();
        let place = if origin.line > 0 { format!(":{}", origin.line) } else { String::new() };
        Some(format!("{}{place}: `{key}` has no effect: it needs {unmet}, which is {now}", origin.layer))
    };
    parameters().iter().filter_map(|row| told(&row.key)).collect()
}

fn error(kind: ConfigErrorKind, key: &str, origin: &Origin, message: String, fix: String) -> ConfigError {
    ConfigError { kind, source: origin.layer.clone(), line: origin.line, key: key.to_owned(), message, fix }
}

/// A value, cut short.
fn shown(value: &Value) -> String {
    let text = value_text(value);
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The known key that looks most like `key`, or has its name in another section.
fn nearest(key: &str) -> Option<&'static str> {
    let last = key.rsplit('.').next().unwrap_or(key);
    let keys = || parameters().iter().map(|row| row.key.as_str());
    nearest_of(keys(), key).or_else(|| keys().find(|k| k.rsplit('.').next() == Some(last)))
}

/// The word that a value most likely stands for, if any.
fn word(domain: &Domain, value: &Value) -> Option<&'static str> {
    let words = if matches!(domain, Domain::Truth) { vec!["true", "false"] } else { domain.words() };
    let given = value.as_str().map_or_else(|| value_text(value), str::to_owned).to_ascii_lowercase();
    let asked = [&["on", "true", "yes", "1"], &["off", "false", "no", "0"]];
    match asked.iter().find(|alike| alike.contains(&given.as_str())) {
        // A word that says the opposite may look more like it than the others.
        Some(alike) => words.into_iter().find(|word| alike.contains(word)),
        None => value.as_str().and_then(|word| nearest_of(words.into_iter(), word)),
    }
}

fn nearest_of<'a>(known: impl Iterator<Item = &'a str>, word: &str) -> Option<&'a str> {
    // The distance of long texts takes long, and no name is long.
    let distance = |name: &'a str| (strsim::damerau_levenshtein(name, word), name);
    // What has no letter in common is not near, however short it is.
    let is_near = |&(far, name): &(usize, &str)| far <= 3 && far < name.len();
    known.filter(|_| word.len() <= 100).map(distance).filter(is_near).min().map(|(_, name)| name)
}
