//! Codings by name, or by a user's table.

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CodingName, GrayCoding};
use crate::parameter::{Choice, Domain};
use wordline_cells::Cell;

/// A coding: by name, or the table of a user's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodingScheme {
    /// The plain coding of the cell.
    Auto,
    /// One of the table.
    Named(CodingName),
    /// States in a configuration: `["11", "10", "00", "01"]`, the erased one first, each LSB first.
    Table(GrayCoding),
}

/// The name of [`CodingScheme::Auto`].
const AUTO: Choice = Choice::new("auto", "by cell");

impl CodingScheme {
    /// What a key takes: a name, or a coding of the user's own, its states from the erased one up.
    pub const DOMAIN: Domain = Domain::Either(&[
        Domain::Word(&[AUTO]),
        Domain::Word(CodingName::CHOICES),
        Domain::List { item: &Domain::Text("bits of a state, LSB first"), least: 2, most: 16 },
    ]);

    /// The coding itself, where `auto` stands for a cell's plain one.
    #[must_use]
    pub fn resolve(self, cell: Cell) -> CodingScheme {
        let is_of_cell = |name: &CodingName| name.is_plain() && name.gray().bits() as u32 == cell.bits();
        match self {
            CodingScheme::Auto => {
                let plain = CodingName::ALL.iter().copied().find(is_of_cell);
                plain.map_or(CodingScheme::Auto, CodingScheme::Named)
            }
            scheme => scheme,
        }
    }

    /// The states of a resolved coding; `auto` is taken for one bit.
    #[must_use]
    pub fn gray(self) -> GrayCoding {
        match self {
            CodingScheme::Auto => GrayCoding::reflected(1),
            CodingScheme::Named(name) => name.gray(),
            CodingScheme::Table(coding) => coding,
        }
    }

    /// Bits per cell of a resolved coding.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.gray().bits() as u32
    }

    /// Senses that reading a page of this type (0 = LSB) takes.
    #[must_use]
    pub fn senses(self, page_type: u32) -> usize {
        self.gray().senses(page_type as usize)
    }

    /// Most senses that any page takes.
    #[must_use]
    pub fn senses_max(self) -> usize {
        let gray = self.gray();
        (0..gray.bits()).map(|page| gray.senses(page)).max().unwrap_or(1)
    }

    /// The name of the coding in a configuration; `table` for a user's own.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CodingScheme::Auto => AUTO.name,
            CodingScheme::Named(name) => name.name(),
            CodingScheme::Table(_) => "table",
        }
    }
}

impl Serialize for CodingScheme {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            CodingScheme::Table(coding) => {
                let states = coding.words().len();
                let mut list = serializer.serialize_seq(Some(states))?;
                for state in 0..states {
                    list.serialize_element(&coding.word(state))?;
                }
                list.end()
            }
            named => serializer.serialize_str(named.name()),
        }
    }
}

impl<'de> Deserialize<'de> for CodingScheme {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CodingScheme, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = CodingScheme;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the name of a coding, or a list of its states")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<CodingScheme, E> {
        if name == AUTO.name {
            return Ok(CodingScheme::Auto);
        }
        let found = CodingName::named(name).map(CodingScheme::Named);
        found.ok_or_else(|| E::custom(format!("there is no coding \"{name}\"")))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut states: A) -> Result<CodingScheme, A::Error> {
        let mut words: Vec<String> = Vec::new();
        while let Some(word) = states.next_element()? {
            words.push(word);
        }
        GrayCoding::parse(&words).map(CodingScheme::Table).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMED: [(CodingScheme, &[usize]); 5] = [
        (CodingScheme::Named(CodingName::Slc), &[1]),
        (CodingScheme::Named(CodingName::Mlc12), &[1, 2]),
        (CodingScheme::Named(CodingName::Tlc124), &[1, 2, 4]),
        (CodingScheme::Named(CodingName::Tlc232), &[2, 3, 2]),
        (CodingScheme::Named(CodingName::Qlc1248), &[1, 2, 4, 8]),
    ];

    #[test]
    fn names_say_the_senses_that_the_states_need() {
        for (scheme, senses) in NAMED {
            assert!(GrayCoding::new(scheme.gray().words()).is_ok(), "{}", scheme.name());
            let counted: Vec<_> = (0..scheme.bits()).map(|page| scheme.senses(page)).collect();
            assert_eq!(counted, senses, "{}", scheme.name());
            let name =
                scheme.name().split('-').skip(1).map(|n| n.parse().unwrap_or(0)).collect::<Vec<usize>>();
            assert!(name.is_empty() || name == senses, "{}", scheme.name());
        }
    }

    /// IDA, Fig. 2 and Section II-B: S4 is 1, 0, 1; V4 reads the LSB, V2 and V6 the CSB, the odd ones the
    /// MSB.
    #[test]
    fn the_plain_tlc_coding_is_that_of_the_paper() {
        let coding = CodingScheme::Named(CodingName::Tlc124).gray();
        assert_eq!(
            (0..8).map(|s| coding.word(s)).collect::<Vec<_>>().join(" "),
            "111 110 100 101 001 000 010 011"
        );
        let voltages = |page| coding.read_voltages(page).collect::<Vec<_>>();
        assert_eq!([voltages(0), voltages(1), voltages(2)], [vec![4], vec![2, 6], vec![1, 3, 5, 7]]);
    }

    #[test]
    fn a_name_or_a_table_goes_through_toml_unchanged() {
        #[derive(Serialize, Deserialize)]
        struct Section {
            scheme: CodingScheme,
        }
        let table = CodingScheme::Table(GrayCoding::parse(&["11", "01", "00", "10"]).unwrap());
        for scheme in [table, CodingScheme::Auto, CodingScheme::Named(CodingName::Tlc232)] {
            let text = toml::to_string(&Section { scheme }).unwrap();
            assert_eq!(toml::from_str::<Section>(&text).unwrap().scheme, scheme, "{text}");
        }
    }

    #[test]
    fn tables_that_are_no_gray_coding_are_refused_with_state_and_fix() {
        let refused = |words: &[&str]| GrayCoding::parse(words).unwrap_err().to_string();
        for (words, parts) in [
            (&["11", "10", "00"][..], &["3 states", "2, 4, 8 or 16"][..]),
            (&["11", "10", "0", "01"], &["S3 is `0`", "2 bits"]),
            (&["11", "10", "0x", "01"], &["S3 is `0x`", "0 or 1"]),
            (&["11", "10", "11", "01"], &["S1 and S3 are both `11`", "S3 may be `00`"]),
            (&["11", "10", "01", "00"], &["S2 `10` and S3 `01` differ in 2 bits", "S3 may be `00`"]),
            (
                &["111", "110", "100", "101", "001", "011", "010", "100"],
                &["S3 and S8 are both `100`", "S8 may be `000`"],
            ),
            (&["111", "110", "100", "000", "010", "011", "001", "101"], &[]),
        ] {
            if parts.is_empty() {
                assert!(GrayCoding::parse(words).is_ok());
                continue;
            }
            let message = refused(words);
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
        let dead_end = ["111", "011", "001", "101", "100", "000", "010", "111"];
        assert!(refused(&dead_end).contains("S8 may be `110`"), "{}", refused(&dead_end));
        assert!(GrayCoding::new(&[0, 1, 3, 7]).unwrap_err().to_string().contains("words 0 to 3"));
        assert!(GrayCoding::new(&[0, 1, 3]).is_err());
    }
}
