//! The presets: they parse, their numbers agree, and errors say where they are.

use std::fs;
use std::path::{Path, PathBuf};

use wordline_core::config::WorkloadConfig;
use wordline_trace::synthetic::{Generator, SyntheticError, WorkloadPreset};

fn presets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets")
}

/// Name and text of every workload preset, in order.
fn all() -> Vec<(String, String)> {
    let root = presets().join("workloads");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().with_extension("");
                found.push((name.to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_preset_parses_and_generates() {
    let presets = all();
    assert!(presets.len() >= 15, "{}", presets.len());
    for (name, text) in presets {
        let preset = WorkloadPreset::parse(&name, &text).unwrap_or_else(|error| panic!("{error}"));
        assert!(preset.info.synthetic && !preset.info.source.is_empty() && preset.info.name == name);
        assert_eq!(preset.workload.name, name);
        let config = WorkloadConfig { requests: 1_000, ..preset.workload };
        let generator = Generator::new(&config, 1 << 27, 1).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(generator.count(), 1_000);
    }
}

/// The documented defaults are the real ones, and every key is documented.
#[test]
fn the_base_file_is_the_default() {
    let text = fs::read_to_string(presets().join("base/workload.toml")).unwrap();
    let table: toml::Table = toml::from_str(&text).unwrap();
    let documented = table["workload"].as_table().unwrap();
    let config: WorkloadConfig = documented.clone().try_into().unwrap();
    assert_eq!(config, WorkloadConfig::default());
    let defaults = toml::Table::try_from(WorkloadConfig::default()).unwrap();
    for key in defaults.keys() {
        assert!(documented.contains_key(key), "workload.{key} is not in presets/base/workload.toml");
        let line = text.lines().find(|line| line.split('=').next().unwrap().trim() == key).unwrap();
        assert!(line.contains('#'), "workload.{key} has no comment in presets/base/workload.toml");
    }
}

#[test]
fn errors_name_file_and_line() {
    let cases = [
        ("source = \"s\"\n[workload]\nread_ration = 0.5\n", "x/y.toml:3: unknown field `read_ration`"),
        (
            "source = \"s\"\n[workload]\n\nread_ratio = 1.5\n",
            "x/y.toml:4: workload.read_ratio = 1.5: must be",
        ),
        ("source = \"s\"\n[workload]\nrequests = \"many\"\n", "x/y.toml:3: invalid type: string \"many\""),
        ("source = \"s\"\n[workload\n", "x/y.toml:2: "),
        ("source = \"s\"\n", "x/y.toml:1: missing field `workload`"),
        ("source = \"s\"\n[workload]\ncold_ratio = 0.5\n", "x/y.toml:3: workload.cold_ratio = 0.5: reads of"),
    ];
    for (text, expected) in cases {
        let error = WorkloadPreset::parse("x/y", text).unwrap_err();
        assert!(matches!(error, SyntheticError::Preset { .. }));
        assert!(error.to_string().starts_with(expected), "'{error}' instead of '{expected}…'");
    }
}
