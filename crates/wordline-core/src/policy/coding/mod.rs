//! Slot `coding`: how many senses a page of a wordline takes.
//!
//! A Gray coding puts each page's bit changes between some of the 2^bits states; reading the page
//! takes one sense per change. The names count them, LSB first: 1-2-4 is the plain TLC coding of
//! IDA (Section II), 2-3-2 that of the chips in PR2/AR2 (footnote 14).

use serde::{Deserialize, Serialize};

use crate::config::Cell;

/// A coding, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodingScheme {
    /// The plain coding of the cell.
    Auto,
    /// One bit.
    Slc,
    /// Two bits: 1 and 2 senses.
    #[serde(rename = "mlc-1-2")]
    Mlc12,
    /// Three bits: 1, 2 and 4 senses.
    #[serde(rename = "tlc-1-2-4")]
    Tlc124,
    /// Three bits: 2, 3 and 2 senses.
    #[serde(rename = "tlc-2-3-2")]
    Tlc232,
    /// Four bits: 1, 2, 4 and 8 senses.
    #[serde(rename = "qlc-1-2-4-8")]
    Qlc1248,
}

impl CodingScheme {
    /// The coding itself, where `auto` stands for a cell's plain one.
    #[must_use]
    pub fn resolve(self, cell: Cell) -> CodingScheme {
        match (self, cell) {
            (CodingScheme::Auto, Cell::Slc) => CodingScheme::Slc,
            (CodingScheme::Auto, Cell::Mlc) => CodingScheme::Mlc12,
            (CodingScheme::Auto, Cell::Tlc) => CodingScheme::Tlc124,
            (CodingScheme::Auto, Cell::Qlc) => CodingScheme::Qlc1248,
            (scheme, _) => scheme,
        }
    }

    fn table(self) -> &'static [usize] {
        match self {
            CodingScheme::Auto | CodingScheme::Slc => &[1],
            CodingScheme::Mlc12 => &[1, 2],
            CodingScheme::Tlc124 => &[1, 2, 4],
            CodingScheme::Tlc232 => &[2, 3, 2],
            CodingScheme::Qlc1248 => &[1, 2, 4, 8],
        }
    }

    /// Bits per cell of a resolved coding.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.table().len() as u32
    }

    /// Senses that reading a page of this type (0 = LSB) takes.
    #[must_use]
    pub fn senses(self, page_type: u32) -> usize {
        self.table()[page_type as usize]
    }

    /// Most senses that any page takes.
    #[must_use]
    pub fn senses_max(self) -> usize {
        self.table().iter().copied().max().unwrap_or(1)
    }
}
