//! Sizes that are written for readers: `"3.84TB"` for a capacity, `"1/16"` for a scale.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::parameter::{Domain, float_text, whole_text};

/// Largest capacity, bytes (1 EiB).
const CAPACITY_MAX: i64 = 1 << 60;

/// Units of a capacity with their bytes.
const UNITS: [(&str, f64); 9] = [
    ("KIB", 1024.0),
    ("MIB", 1_048_576.0),
    ("GIB", 1_073_741_824.0),
    ("TIB", 1_099_511_627_776.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("PB", 1e15),
];

/// A value as it is written: a number, or a text that stands for one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Text(String),
}

/// Bytes that the host sees; 0 where the shape of the flash says how many these are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "u64")]
pub struct Capacity(u64);

impl Capacity {
    /// The values that a key takes.
    pub const DOMAIN: Domain = Domain::Either(&[
        Domain::Whole { low: 0, high: CAPACITY_MAX, multiple_of: 1 },
        Domain::Text("a size such as \"3.84TB\" or \"960GB\""),
    ]);

    /// The bytes, if there is such a wish.
    #[must_use]
    pub fn bytes(self) -> Option<u64> {
        Some(self.0).filter(|&bytes| bytes > 0)
    }
}

impl From<Capacity> for u64 {
    fn from(capacity: Capacity) -> u64 {
        capacity.0
    }
}

impl TryFrom<Written> for Capacity {
    type Error = String;

    fn try_from(written: Written) -> Result<Capacity, String> {
        let bytes = match &written {
            Written::Number(bytes) => Some(*bytes),
            Written::Text(text) => bytes_of(text),
        };
        match bytes {
            Some(bytes) if (0.0..=CAPACITY_MAX as f64).contains(&bytes) => Ok(Capacity(bytes.round() as u64)),
            _ => {
                Err("that is no size up to 2^60 bytes: write a number and a unit up to PB, such as \"3.84TB\" or \"894GiB\"".to_owned())
            }
        }
    }
}

/// The bytes of a number with a unit.
fn bytes_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|letter: char| letter.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let unit = unit.to_ascii_uppercase();
    let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number: f64 = number.trim().parse().ok()?;
    Some(number * bytes).filter(|bytes| bytes.is_finite())
}

/// The part of a drive that is simulated: above 0, up to 1 for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "f64")]
pub struct Scale(f64);

impl Scale {
    /// The whole drive.
    pub const WHOLE: Scale = Scale(1.0);

    /// The values that a key takes.
    pub const DOMAIN: Domain = Domain::Either(&[
        Domain::Number { low: 0.0, high: 1.0, above: true, below: false },
        Domain::Text("a fraction such as \"1/16\""),
    ]);

    /// As a number.
    #[must_use]
    pub fn share(self) -> f64 {
        self.0
    }
}

impl From<Scale> for f64 {
    fn from(scale: Scale) -> f64 {
        scale.0
    }
}

impl TryFrom<Written> for Scale {
    type Error = String;

    fn try_from(written: Written) -> Result<Scale, String> {
        let share = match &written {
            Written::Number(share) => Some(*share),
            Written::Text(text) => ratio_of(text),
        };
        match share {
            Some(share) if share > 0.0 && share <= 1.0 => Ok(Scale(share)),
            _ => Err("that is no part of a drive: write a fraction such as \"1/16\"".to_owned()),
        }
    }
}

/// The quotient of two whole numbers.
fn ratio_of(text: &str) -> Option<f64> {
    let (part, whole) = text.split_once('/')?;
    let (part, whole): (u32, u32) = (part.trim().parse().ok()?, whole.trim().parse().ok()?);
    (whole > 0).then(|| f64::from(part) / f64::from(whole))
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = 1.0 / self.0;
        match (whole - whole.round()).abs() < 1e-9 * whole && whole < 1e9 {
            true if self.0 < 1.0 => write!(f, "1/{}", whole.round()),
            true => f.write_str("1"),
            false => f.write_str(&float_text(self.0)),
        }
    }
}

/// Free blocks of a plane: a share of its blocks, or a number of them.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(from = "f64", into = "WrittenBlocks")]
pub enum FreeBlocks {
    /// Of the blocks of the plane.
    Share(f64),
    /// So many.
    Blocks(u32),
}

/// As it is written: a share has a point, a number of blocks has none.
#[derive(Serialize)]
#[serde(untagged)]
enum WrittenBlocks {
    Share(f64),
    Blocks(u32),
}

impl FreeBlocks {
    /// The values that a key takes.
    pub const DOMAIN: Domain = Domain::Either(&[
        Domain::Number { low: 0.0, high: 0.9, above: false, below: false },
        Domain::Whole { low: 1, high: 1 << 20, multiple_of: 1 },
    ]);

    /// The number in a plane of so many blocks; not whole for a share.
    #[must_use]
    pub fn of(self, blocks_per_plane: u32) -> f64 {
        match self {
            FreeBlocks::Share(share) => share * f64::from(blocks_per_plane),
            FreeBlocks::Blocks(blocks) => f64::from(blocks),
        }
    }
}

impl From<f64> for FreeBlocks {
    fn from(number: f64) -> FreeBlocks {
        if number < 1.0 { FreeBlocks::Share(number) } else { FreeBlocks::Blocks(number as u32) }
    }
}

impl From<FreeBlocks> for WrittenBlocks {
    fn from(blocks: FreeBlocks) -> WrittenBlocks {
        match blocks {
            FreeBlocks::Share(share) => WrittenBlocks::Share(share),
            FreeBlocks::Blocks(blocks) => WrittenBlocks::Blocks(blocks),
        }
    }
}

impl fmt::Display for FreeBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FreeBlocks::Share(share) => f.write_str(&float_text(share)),
            FreeBlocks::Blocks(blocks) => f.write_str(&whole_text(blocks.into())),
        }
    }
}

/// Bytes in the unit of data sheets.
pub(super) fn bytes_text(bytes: u64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let (name, size) = units.into_iter().find(|&(_, size)| bytes as f64 >= size).unwrap_or(("bytes", 1.0));
    let number = format!("{:.3}", bytes as f64 / size);
    format!("{} {name}", number.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_are_read_in_every_unit() {
        let bytes = |text: &str| Capacity::try_from(Written::Text(text.to_owned())).map(u64::from);
        assert_eq!(bytes("3.84TB"), Ok(3_840_000_000_000));
        assert_eq!(bytes(" 960 gb "), Ok(960_000_000_000));
        assert_eq!(bytes("894.25GiB"), Ok(960_193_626_112));
        for bad in ["", "3.84", "TB", "3.84XB", "-1TB", "1e30TB", "nanTB", "3,84TB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(Capacity::try_from(Written::Number(512.0)).map(Capacity::bytes), Ok(Some(512)));
        assert_eq!(Capacity::default().bytes(), None);
        assert_eq!(bytes_text(3_840_000_000_000), "3.84 TB");
    }

    #[test]
    fn scales_are_fractions() {
        let scale = |text: &str| Scale::try_from(Written::Text(text.to_owned()));
        assert_eq!(scale("1/16"), Scale::try_from(Written::Number(0.0625)));
        assert_eq!(scale(" 3 / 4").unwrap().to_string(), "0.75");
        assert_eq!(
            (scale("1/48").unwrap().to_string(), Scale::WHOLE.to_string()),
            ("1/48".into(), "1".into())
        );
        for bad in ["", "1", "2/1", "0/4", "1/0", "-1/4", "1/x"] {
            assert!(scale(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn free_blocks_are_a_share_or_a_number() {
        let value = |number: f64| toml::Value::try_from(FreeBlocks::from(number)).unwrap();
        assert_eq!((value(0.05), value(12.0), value(0.0)), (0.05.into(), 12.into(), 0.0.into()));
        assert_eq!((FreeBlocks::from(0.05).of(200), FreeBlocks::from(12.0).of(200)), (10.0, 12.0));
    }
}
