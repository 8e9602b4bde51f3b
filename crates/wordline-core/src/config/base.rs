//! The built-in base, which every configuration begins with, and `presets/base/*.toml`, which show it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use toml::{Table, Value};

use super::{Config, Origin};
use crate::parameter::{Row, rows_of, value_text};

/// The files that show the base. A key of `[workload]` stands in the second one.
const FILES: [&str; 2] = ["presets/base/ssd.toml", "presets/base/workload.toml"];

const HEADERS: [&str; 2] = [
    "\
#:schema ../../schemas/config.json
# Every key of a Wordline configuration but those of [workload], with its default.
# A preset, a file of yours and `--set` change some of them; `wordline explain` shows who set what.
# The comment behind a key says its range with its unit, its meaning, when it has an effect, and where its default comes from.
#
# Made from the declarations in crates/wordline-core/src by tools/gen_config_reference.py: change those.
",
    "\
#:schema ../../schemas/config.json
# Every key of a synthetic workload with its default: range and unit; meaning; when it has an effect; source.
#
# Made from the declarations in crates/wordline-core/src by tools/gen_config_reference.py: change those.
",
];

/// Where the comments of a file begin.
const COMMENT_COLUMN: usize = 33;

/// The base in the form in which layers are laid over it.
#[derive(Clone)]
pub(super) struct Base {
    pub table: Table,
    pub origins: BTreeMap<String, Origin>,
}

pub(super) static BUILT_IN: LazyLock<Base> = LazyLock::new(|| Base {
    table: Table::try_from(Config::default()).expect("the configuration is a table"),
    origins: parameters()
        .iter()
        .map(|row| {
            let layer = FILES[file_of(row)].to_owned();
            (row.key.clone(), Origin { layer, line: 0, comment: row.parameter.comment() })
        })
        .collect(),
});

/// Every key with its declaration and its default, in the order of the sections.
#[must_use]
pub fn parameters() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(rows_of::<Config>);
    &ROWS
}

/// The declaration of a dotted key.
#[must_use]
pub(super) fn parameter(key: &str) -> Option<&'static Row> {
    static BY_KEY: LazyLock<BTreeMap<&str, &Row>> =
        LazyLock::new(|| parameters().iter().map(|row| (row.key.as_str(), row)).collect());
    BY_KEY.get(key).copied()
}

/// The value of a dotted key.
#[must_use]
pub(super) fn value_at<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    let mut parts = key.split('.');
    let first = table.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.as_table()?.get(part))
}

/// Name and text of each file that shows the base.
#[must_use]
pub fn base_files() -> Vec<(&'static str, String)> {
    (0..FILES.len()).map(|file| (FILES[file], text_of(file))).collect()
}

fn text_of(file: usize) -> String {
    let mut text = HEADERS[file].to_owned();
    let mut section = None;
    for row in parameters().iter().filter(|row| file_of(row) == file) {
        let (within, name) = row.key.rsplit_once('.').unwrap_or(("", &row.key));
        if section != Some(within) {
            section = Some(within);
            let heading = if within.is_empty() { String::new() } else { format!("[{within}]\n") };
            write!(text, "\n{heading}").expect("a text grows");
        }
        let setting = format!("{name} = {}", value_text(&row.default));
        writeln!(text, "{setting:COMMENT_COLUMN$} # {}", row.parameter.comment()).expect("a text grows");
    }
    text
}

fn file_of(row: &Row) -> usize {
    usize::from(row.key.starts_with("workload."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_show_the_base_as_it_is() {
        for (name, text) in base_files() {
            let path = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
            let there = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(there == text, "{name} is stale: run tools/gen_config_reference.py");
            let table: Table = text.parse().unwrap();
            for row in parameters().iter().filter(|row| FILES[file_of(row)] == name) {
                assert_eq!(value_at(&table, &row.key), Some(&row.default), "{}", row.key);
            }
        }
    }

    #[test]
    fn every_key_says_what_it_means_and_takes_its_default() {
        let mut keys = std::collections::BTreeSet::new();
        for row in parameters() {
            let Row { key, parameter, default } = row;
            assert!(parameter.help.ends_with('.'), "{key}: {}", parameter.help);
            assert_eq!(parameter.domain.check(default), Ok(()), "{key} = {default}");
            assert_eq!(value_at(&BUILT_IN.table, key), Some(default));
            assert!(keys.insert(key), "{key} is declared twice");
            for condition in parameter.when.iter().flatten() {
                let others = [Some((condition.key, condition.values)), condition.or];
                for (other, values) in others.into_iter().flatten() {
                    let found = super::parameter(other).unwrap_or_else(|| panic!("{key}: no key {other}"));
                    for value in values {
                        assert!(found.parameter.domain.may_be(value), "{key}: {other} is never {value}");
                    }
                }
            }
        }
        let leaves = leaves(&BUILT_IN.table);
        assert_eq!(leaves, parameters().len(), "a key of the configuration is not declared");
    }

    fn leaves(table: &Table) -> usize {
        table.values().map(|value| value.as_table().map_or(1, leaves)).sum()
    }
}
