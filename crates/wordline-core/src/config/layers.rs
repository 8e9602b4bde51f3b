//! Layers of configuration, laid over each other, each key remembering who set it.
//!
//! The base has every key that is declared; a key that it lacks does not exist. Every layer (a
//! preset, a file, an option) changes some. Because each key remembers its layer and line, a mistake
//! that only shows in the whole (a geometry that does not fit) still names the line to mend.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use super::base::{BUILT_IN, Base, parameter};
use super::device::ReadFile;
use super::layer::{Layer, Origin};
use super::problem::Problem;
use super::{Config, ConfigError, ConfigErrorKind, Device, Model, check, validate};

/// A longer layer is no configuration.
const LAYER_BYTES_MAX: usize = 1 << 20;

/// A configuration with the history of every key.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The configuration of the SSD that is simulated, checked: with `ssd.capacity` and `ssd.scale` carried out.
    pub config: Config,
    /// The configuration as it is written.
    pub written: Config,
    /// The same as a table, for writing out.
    pub table: Table,
    /// Dotted key to who set it.
    pub origins: BTreeMap<String, Origin>,
    /// Keys that the user set and that other keys switch off, one line each.
    pub warnings: Vec<String>,
}

/// Lays `layers` over each other, in order, over the built-in base.
///
/// # Errors
/// The first mistake found: TOML syntax, an unknown key (with the nearest known one), a wrong type
/// or word, a value out of range, or sections that do not fit together.
pub fn resolve(layers: &[Layer]) -> Result<Resolved, ConfigError> {
    resolve_with(layers, &|path| Err(format!("`{path}` cannot be read here")))
}

/// As [`resolve`], where keys may name files: `read` gives the text of one, or says why it cannot.
///
/// # Errors
/// As [`resolve`], and what is wrong with such a file.
pub fn resolve_with(layers: &[Layer], read: &ReadFile<'_>) -> Result<Resolved, ConfigError> {
    let Base { mut table, mut origins } = BUILT_IN.clone();
    for layer in layers {
        for (key, value, origin) in leaves_of(layer)? {
            check::known(&key, &origin)?;
            let value = check::meant(&key, value);
            check::value(&key, &value, &origin)?;
            insert(&mut table, &key, value);
            origins.insert(key, origin);
        }
    }
    let written = deserialize(&table, &origins)?;
    let mut config = written.clone();
    config.model = Model::build(&mut config).map_err(|problem| error_of(problem, &origins))?;
    config.device = Device::load(&config.cells, &config.program, &origins, read)?;
    validate::check(&config).map_err(|problem| error_of(problem, &origins))?;
    let warnings = check::without_effect(&table, &origins, layers);
    Ok(Resolved { config, written, table, origins, warnings })
}

/// The error of keys that do not fit together, with the line of the one to change.
fn error_of(problem: Problem, origins: &BTreeMap<String, Origin>) -> ConfigError {
    let origin = origins.get(problem.key);
    ConfigError {
        kind: ConfigErrorKind::OutOfRange,
        source: origin.map_or_else(|| "configuration".to_owned(), |o| o.layer.clone()),
        line: origin.map_or(0, |o| o.line),
        key: problem.key.to_owned(),
        message: problem.message,
        fix: problem.fix,
    }
}

/// Every `(dotted key, value, origin)` of a layer, in the order of its text.
fn leaves_of(layer: &Layer) -> Result<Vec<(String, Value, Origin)>, ConfigError> {
    let lines = Lines::of(layer);
    let syntax = |message: &str, span: Option<std::ops::Range<usize>>| ConfigError {
        kind: ConfigErrorKind::Syntax,
        source: layer.name.clone(),
        line: span.map_or(0, |span| lines.line_of(span.start)),
        key: String::new(),
        message: format!("not valid TOML: {message}"),
        fix: String::new(),
    };
    if layer.text.len() > LAYER_BYTES_MAX {
        return Err(ConfigError {
            kind: ConfigErrorKind::Syntax,
            source: layer.name.clone(),
            line: 0,
            key: String::new(),
            message: format!("{} bytes are too many for a configuration", layer.text.len()),
            fix: format!("it takes up to {LAYER_BYTES_MAX} bytes"),
        });
    }
    let document = layer
        .text
        .parse::<toml_edit::Document<String>>()
        .map_err(|error| syntax(error.message(), error.span()))?;
    let table: Table =
        layer.text.parse().map_err(|error: toml::de::Error| syntax(error.message(), error.span()))?;
    let mut leaves = Vec::new();
    walk(layer, &lines, "", document.as_table(), &table, &mut leaves);
    Ok(leaves)
}

fn walk(
    layer: &Layer,
    lines: &Lines,
    prefix: &str,
    items: &dyn toml_edit::TableLike,
    values: &Table,
    leaves: &mut Vec<(String, Value, Origin)>,
) {
    for (name, item) in items.iter() {
        let Some(value) = values.get(name) else { continue };
        let key = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        match (item.as_table_like(), value) {
            (Some(items), Value::Table(values)) => walk(layer, lines, &key, items, values, leaves),
            _ => {
                let start = items.get_key_value(name).and_then(|(k, _)| k.span()).map_or(0, |s| s.start);
                let line = lines.line_of(start);
                let comment = item
                    .as_value()
                    .and_then(|v| v.decor().suffix())
                    .and_then(|s| {
                        s.span()
                            .map(|span| layer.text[span].to_owned())
                            .or_else(|| s.as_str().map(str::to_owned))
                    })
                    .map(|s| s.trim().trim_start_matches('#').trim().to_owned())
                    .unwrap_or_default();
                leaves.push((key, value.clone(), Origin { layer: layer.name.clone(), line, comment }));
            }
        }
    }
}

/// Where the lines of a layer begin; nowhere where it has none.
struct Lines(Vec<usize>);

impl Lines {
    fn of(layer: &Layer) -> Lines {
        let ends = layer.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(end, _)| end + 1));
        Lines(if layer.has_lines { starts.collect() } else { Vec::new() })
    }

    /// The line of a byte, from 1; 0 where there are no lines.
    fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|&start| start <= offset)
    }
}

fn insert(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
        }
        Some((first, rest)) => {
            let entry = table.entry(first.to_owned()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = entry {
                insert(inner, rest, value);
            }
        }
    }
}

/// What a key's own declaration cannot say (which words go together, which states make a coding) is said by
/// its type.
fn deserialize(table: &Table, origins: &BTreeMap<String, Origin>) -> Result<Config, ConfigError> {
    let mut track = serde_path_to_error::Track::new();
    let value = Value::Table(table.clone());
    Config::deserialize(serde_path_to_error::Deserializer::new(value, &mut track)).map_err(
        |error: toml::de::Error| {
            let path = track.path().to_string();
            let key = path.split('[').next().unwrap_or(&path).to_owned();
            // Inside a value (an item of a list) the path goes deeper than the key that was set.
            let key = std::iter::successors(Some(key.as_str()), |k| k.rsplit_once('.').map(|(head, _)| head))
                .find(|k| origins.contains_key(*k))
                .unwrap_or(&key)
                .to_owned();
            let origin = origins.get(&key);
            ConfigError {
                kind: ConfigErrorKind::WrongValue,
                source: origin.map_or_else(|| "configuration".to_owned(), |o| o.layer.clone()),
                line: origin.map_or(0, |o| o.line),
                message: format!("`{key}`: {}", error.message()),
                fix: parameter(&key)
                    .map_or_else(String::new, |row| format!("it takes {}", row.parameter.values())),
                key,
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> ConfigError {
        resolve(&[Layer::file("mine.toml", text)]).unwrap_err()
    }

    #[test]
    fn the_base_alone_is_a_configuration() {
        assert_eq!(resolve(&[]).unwrap().config, Config::default());
    }

    #[test]
    fn a_later_layer_wins_and_is_remembered() {
        let layers = [
            Layer::file("a.toml", "[ssd]\nchannels = 4\nchips_per_channel = 2\n"),
            Layer::assignment("ssd.channels=16").unwrap(),
        ];
        let resolved = resolve(&layers).unwrap();
        assert_eq!((resolved.config.ssd.channels, resolved.config.ssd.chips_per_channel), (16, 2));
        assert_eq!(resolved.origins["ssd.channels"].layer, "--set ssd.channels=16");
        assert_eq!(resolved.origins["ssd.chips_per_channel"].line, 3);
    }

    #[test]
    fn a_misspelt_key_names_line_and_fix() {
        let error = failure("[ssd]\nchannels = 4\nchanels = 4\n");
        assert_eq!(error.to_string(), "mine.toml:3: unknown key `ssd.chanels`; did you mean `ssd.channels`?");
    }

    #[test]
    fn a_key_in_the_wrong_section_is_found() {
        let error = failure("[nand]\nchannels = 4\n");
        assert!(error.to_string().contains("did you mean `ssd.channels`?"), "{error}");
    }

    #[test]
    fn a_unit_in_a_number_says_what_the_key_takes() {
        let error = failure("[nand]\nerase_us = \"3ms\"\n");
        assert_eq!((error.kind, error.line), (ConfigErrorKind::WrongValue, 2));
        assert!(error.to_string().contains("`nand.erase_us`") && error.fix.contains("us"), "{error}");
    }

    #[test]
    fn a_size_or_a_count_may_have_a_suffix() {
        let text = "[ssd]\npage_bytes = \"16k\"\n[workload]\nrequests = 1e6\nread_block_bytes = \"4KiB\"\n";
        let set = Layer::assignment("workload.footprint_bytes=2GB").unwrap();
        let resolved = resolve(&[Layer::file("mine.toml", text), set]).unwrap();
        let digits = "[ssd]\npage_bytes = 16384\n[workload]\nrequests = 1000000\nread_block_bytes = 4096\nfootprint_bytes = 2000000000\n";
        assert_eq!(resolved.table, resolve(&[Layer::file("mine.toml", digits)]).unwrap().table);
        let error = failure("[workload]\nrequests = \"1MB\"\n");
        assert_eq!((error.kind, error.line), (ConfigErrorKind::WrongValue, 2));
        assert!(error.fix.contains("1M"), "{error}");
    }

    #[test]
    fn an_item_of_a_list_is_traced_to_its_key() {
        let error = failure("\n\n[nand]\nread_us = [75.0, \"x\"]\n");
        assert_eq!((error.key.as_str(), error.line), ("nand.read_us", 4));
    }

    #[test]
    fn a_wrong_word_lists_the_choices() {
        let error = failure("[gc]\npolicy = \"greedyy\"\n");
        let said = error.to_string();
        assert!(said.contains("greedyy") && said.contains("cost-benefit"), "{said}");
        assert!(said.contains("did you mean `greedy`?"), "{said}");
    }

    #[test]
    fn a_yes_is_never_taken_for_an_off() {
        let fix = |text: &str| failure(text).fix;
        for yes in ["\"yes\"", "\"True\"", "true", "1"] {
            assert!(fix(&format!("[journal]\nmode = {yes}\n")).starts_with("did you mean `on`?"), "{yes}");
            // No word of this key says so.
            assert!(fix(&format!("[gc]\npacing = {yes}\n")).starts_with("it takes"), "{yes}");
        }
        for no in ["\"no\"", "false", "0"] {
            assert!(fix(&format!("[journal]\nmode = {no}\n")).starts_with("did you mean `off`?"), "{no}");
        }
        assert!(fix("[cache]\nwrite_back = \"on\"\n").starts_with("did you mean `true`?"));
        assert!(fix("[cache]\nmode = \"on\"\n").starts_with("it takes"), "neither of its words");
        assert!(fix("[gc]\npacing = \"xyz\"\n").starts_with("it takes"), "no letter of `off`");
    }

    #[test]
    fn a_chip_is_named_or_read_from_a_file() {
        let text = "[cells]\nchip = \"tlc-49l\"\n";
        let error = failure(text);
        assert_eq!((error.key.as_str(), error.line), ("cells.chip", 2));
        assert!(error.fix.contains("tlc-48l"), "{error}");
        let layer = [Layer::assignment("cells.chip=mine.toml").unwrap()];
        let chip = "description = \"mine\"\ncell = \"tlc\"\n[geometry]\nlayers = 64\n";
        let resolved = resolve_with(&layer, &|_| Ok(chip.to_owned())).unwrap();
        assert_eq!(resolved.config.device.chip.unwrap().geometry.layers, 64);
        let error = resolve_with(&layer, &|_| Ok(chip.replace("64", "many"))).unwrap_err();
        assert_eq!((error.source.as_str(), error.line), ("mine.toml", 4));
    }

    #[test]
    fn erase_latencies_of_the_user_take_the_place_of_the_chips() {
        let layers = |chip: &str| {
            let chip = Layer::assignment(&format!("cells.chip={chip}")).unwrap();
            [chip, Layer::assignment("cells.erase_table=mine.csv").unwrap()]
        };
        let table = "block,pec,latency_ms\n0,0,3\n1,0,3\n";
        let resolved = resolve_with(&layers("tlc-48l"), &|_| Ok(table.to_owned())).unwrap();
        let cells = resolved.config.device.erase_cells.unwrap();
        assert!((cells.required_pulses(0.0, 0.99) - 6.0).abs() < 1e-9);
        let error = resolve_with(&layers("tlc-48l"), &|_| Ok(table.replace("1,0,3", "1,0,-3"))).unwrap_err();
        assert_eq!((error.source.as_str(), error.line), ("mine.csv", 3));
        let error = resolve_with(&layers("none"), &|_| Ok(table.to_owned())).unwrap_err();
        assert!(error.key == "cells.erase_table" && error.fix.contains("tlc-48l"), "{error}");
        let fresh = resolve(&[Layer::assignment("cells.chip=tlc-48l").unwrap()]).unwrap();
        assert!(
            fresh.config.device.erase_cells.is_some()
                && resolve(&[]).unwrap().config.device.erase_cells.is_none()
        );
    }

    #[test]
    fn broken_toml_names_its_line() {
        let error = failure("[ssd]\nchannels = = 4\n");
        assert_eq!((error.kind, error.line), (ConfigErrorKind::Syntax, 2));
    }

    #[test]
    fn an_assignment_needs_no_quotes() {
        let resolved = resolve(&[Layer::assignment("gc.policy=fifo").unwrap()]).unwrap();
        assert_eq!(resolved.config.gc.policy, crate::policy::gc::VictimPolicy::Fifo);
        assert!(Layer::assignment("gc.policy").is_err());
    }

    #[test]
    fn a_newline_in_an_assignment_is_no_second_key() {
        for text in ["ssd.channels=4\nssd.chips_per_channel=2", "gc.d=4\n[ssd]\nchannels=2"] {
            let error = resolve(&[Layer::assignment(text).unwrap()]).unwrap_err();
            assert_eq!(error.kind, ConfigErrorKind::WrongValue, "{error}");
        }
    }

    #[test]
    fn a_range_is_said_with_its_unit() {
        let error = failure("[gc]\n\nd = 0\n");
        assert_eq!(error.to_string(), "mine.toml:3: `gc.d` = 0 is out of range; it takes 1..1024 blocks");
        for text in ["hot_fraction = nan", "hot_fraction = inf", "inter_arrival_us = -1", "requests = 0"] {
            let error = failure(&format!("[workload]\n{text}\n"));
            assert_eq!((error.kind, error.line), (ConfigErrorKind::OutOfRange, 2), "{error}");
        }
    }

    #[test]
    fn a_key_that_is_switched_off_is_named_where_the_user_set_it() {
        let mine = Layer::file("mine.toml", "[gc]\nd = 4\n[power]\noff_h = 2.0\n");
        let warnings = resolve(std::slice::from_ref(&mine)).unwrap().warnings;
        let first = "mine.toml:2: `gc.d` has no effect: it needs gc.policy = d-choices, which is \"greedy\"";
        assert_eq!((warnings.len(), warnings[0].as_str()), (2, first));
        let preset = Layer { warns: false, ..mine.clone() };
        assert!(resolve(std::slice::from_ref(&preset)).unwrap().warnings.is_empty());
        let on = Layer::assignment("gc.policy=d-choices").unwrap();
        assert_eq!(resolve(&[mine.clone(), on]).unwrap().warnings.len(), 1);
        assert!(resolve(&[mine, preset]).unwrap().warnings.is_empty(), "the preset set them last");
    }

    #[test]
    fn a_layer_without_end_is_refused() {
        let error = failure(&"x = 1\n".repeat(300_000));
        assert!(error.to_string().contains("too many"), "{error}");
    }

    #[test]
    fn out_of_range_names_the_line_that_set_it() {
        let error = failure("[ssd]\n# lots\noverprovisioning = 1.5\n");
        assert_eq!((error.kind, error.line), (ConfigErrorKind::OutOfRange, 3));
    }
}
