//! Lists every preset of the source tree, so that the crate carries them all, and takes the fingerprint of the sources
//! that decide what a state means.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Names of the TOML files below a folder (`msrc/hm_0` for `msrc/hm_0.toml`), sorted, with their paths.
fn tomls(folder: &Path, prefix: &str) -> io::Result<Vec<(String, PathBuf)>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let name = format!("{prefix}{stem}");
        if path.is_dir() {
            found.extend(tomls(&path, &format!("{name}/"))?);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push((name, path));
        }
    }
    found.sort();
    Ok(found)
}

/// Crates whose sources decide what is in the state of a run, and how it goes on.
const DECIDING: [&str; 4] = ["wordline-cells", "wordline-core", "wordline-trace", "wordline-run"];

/// All files below a folder, sorted.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, found)? } else { found.push(path) }
    }
    Ok(())
}

/// A checksum of the sources, whatever the line ends of this machine.
fn sources(crates: &Path) -> io::Result<u32> {
    let mut found = Vec::new();
    for name in DECIDING {
        files(&crates.join(name).join("src"), &mut found)?;
    }
    let mut hasher = crc32fast::Hasher::new();
    for path in found {
        hasher.update(fs::read_to_string(path)?.replace("\r\n", "\n").as_bytes());
    }
    Ok(hasher.finalize())
}

fn main() -> io::Result<()> {
    let crates = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("..");
    println!("cargo::rustc-env=WORDLINE_SOURCES={:08x}", sources(&crates)?);
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("../../presets")
        .canonicalize()?;
    let mut code = String::new();
    for (constant, folder) in [("SSD", "ssd"), ("WORKLOADS", "workloads")] {
        let _ = writeln!(code, "/// Name and text of every file below `presets/{folder}`, sorted by name.");
        let _ = writeln!(code, "pub static {constant}: &[(&str, &str)] = &[");
        for (name, path) in tomls(&root.join(folder), "")? {
            let _ = writeln!(code, "    ({name:?}, include_str!({path:?})),");
        }
        let _ = writeln!(code, "];");
    }
    let out = env::var("OUT_DIR").expect("set by cargo");
    fs::write(Path::new(&out).join("presets.rs"), code)
}
