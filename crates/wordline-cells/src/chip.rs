//! A kind of chip: the constants of its cells, read from one TOML file that gives a source for each.

use serde::{Deserialize, Serialize};

use super::erase::EraseConstants;
use super::program::ProgramConstants;
use super::read::ReadConstants;
use crate::{ConfigError, ConfigErrorKind};

/// The chips that come with Wordline.
const BUILT_IN: [(&str, &str); 7] = [
    ("mlc-48l", include_str!("../../../presets/chips/mlc-48l.toml")),
    ("mlc-micron", include_str!("../../../presets/chips/mlc-micron.toml")),
    ("mlc-ofwar", include_str!("../../../presets/chips/mlc-ofwar.toml")),
    ("qlc", include_str!("../../../presets/chips/qlc.toml")),
    ("tlc-2d", include_str!("../../../presets/chips/tlc-2d.toml")),
    ("tlc-48l", include_str!("../../../presets/chips/tlc-48l.toml")),
    ("tlc-micron", include_str!("../../../presets/chips/tlc-micron.toml")),
];

/// Bits per cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// One.
    Slc,
    /// Two.
    Mlc,
    /// Three.
    Tlc,
    /// Four.
    Qlc,
}

impl Cell {
    /// Bits per cell.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Cell::Slc => 1,
            Cell::Mlc => 2,
            Cell::Tlc => 3,
            Cell::Qlc => 4,
        }
    }
}

/// The constants of one kind of chip. A part is missing if nobody measured that property; a model that needs the part
/// rejects the chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chip {
    /// One line that describes the chip.
    pub description: String,
    /// Bits per cell.
    pub cell: Cell,
    /// How a block is built.
    pub geometry: ChipGeometry,
    /// Constants of read errors.
    pub read: Option<ReadConstants>,
    /// Constants of how program speed and age widen the states.
    pub program: Option<ProgramConstants>,
    /// Constants of the block erase.
    pub erase: Option<EraseConstants>,
}

/// How a block of the chip is built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChipGeometry {
    /// Horizontal layers of word lines. A block with another number of word lines than its preset's spreads them evenly
    /// over the layers.
    pub layers: u32,
}

impl Chip {
    /// Reads a chip; error messages call it `name`.
    ///
    /// # Errors
    /// If the text is not TOML, or a key is missing, unknown or of the wrong type; the error names the line.
    pub fn parse(name: &str, text: &str) -> Result<Chip, ConfigError> {
        let chip: Chip = toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            ConfigError {
                kind: ConfigErrorKind::WrongValue,
                source: name.to_owned(),
                line,
                key: String::new(),
                message: error.message().trim_end().to_owned(),
                fix: "presets/chips/tlc-48l.toml shows every key of a chip".to_owned(),
            }
        })?;
        if let Some(Err(misfit)) = chip.read.as_ref().map(|read| read.check(chip.cell)) {
            let key = format!("{}.{}", misfit.section, misfit.key);
            return Err(ConfigError {
                kind: ConfigErrorKind::OutOfRange,
                source: name.to_owned(),
                line: line_of(text, misfit.section, misfit.key),
                message: format!("`{key}` {}", misfit.rule),
                key,
                fix: "presets/chips/tlc-48l.toml shows what is usual".to_owned(),
            });
        }
        Ok(chip)
    }

    /// Reads a chip that comes with Wordline.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Result<Chip, ConfigError>> {
        let &(_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(Chip::parse(&format!("presets/chips/{name}.toml"), text))
    }

    /// Names of the chips that come with Wordline.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }
}

/// The line of a key in its section, from 1; 0 if it is not written as `key = ...`.
fn line_of(text: &str, section: &str, key: &str) -> usize {
    let mut inside = false;
    let found = text.lines().position(|line| {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            inside = header.split(']').next().is_some_and(|name| name.trim() == section);
        }
        inside && line.split('=').next().is_some_and(|name| name.trim() == key)
    });
    found.map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_chip_reads() {
        for name in Chip::names() {
            let chip = Chip::built_in(name).expect("listed").unwrap_or_else(|error| panic!("{error}"));
            assert!(!chip.description.is_empty() && chip.geometry.layers > 0, "{name}");
        }
        assert!(Chip::built_in("tlc-49l").is_none());
    }

    #[test]
    fn a_number_that_cannot_be_is_refused_by_line() {
        let text = include_str!("../../../presets/chips/tlc-48l.toml");
        for (key, wrong, rule) in [
            ("residual_steps", "0.7", "below 0.5"),
            ("spread", "-0.2", "at least 0"),
            ("fresh_bits", "nan", "above 0"),
            ("references", "[[1, 5], [2, 4], [3, 7]]", "each reference from 1 to 7"),
            (
                "shares",
                "{ chip = 0.2, block = 0.25, profile = 0.2, layer = 0.2, page = 0.25 }",
                "add up to 1",
            ),
            ("misfit", "-1.0", "0 or more"),
        ] {
            let is_key = |line: &str| line.split(" = ").next() == Some(key);
            let line = text.lines().position(is_key).expect(key) + 1;
            let changed = |(at, old): (usize, &str)| {
                if at + 1 == line { format!("{key} = {wrong}\n") } else { format!("{old}\n") }
            };
            let mine: String = text.lines().enumerate().map(changed).collect();
            let error = Chip::parse("mine.toml", &mine).unwrap_err();
            assert_eq!((error.source.as_str(), error.line), ("mine.toml", line), "{error}");
            assert!(error.message.contains(rule), "{error}");
        }
    }

    #[test]
    fn a_mistake_in_a_chip_names_its_line() {
        let text = "description = \"mine\"\ncell = \"tlc\"\n[geometry]\nlayers = 48\nlayrs = 3\n";
        let error = Chip::parse("mine.toml", text).unwrap_err();
        assert_eq!((error.source.as_str(), error.line), ("mine.toml", 5));
        assert!(error.message.contains("layrs"), "{error}");
    }
}
