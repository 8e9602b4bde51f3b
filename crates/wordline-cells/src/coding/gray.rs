//! A Gray coding as data: the bits of each threshold-voltage state, and the senses that a page read takes.

use std::fmt;

/// Bits that a cell may hold.
pub const BITS_MAX: usize = 4;
/// States that a cell may have.
pub const STATES_MAX: usize = 1 << BITS_MAX;
/// Names of the pages in messages and figures, LSB first, by number of bits per cell.
const PAGE_NAMES: [&[&str]; BITS_MAX] =
    [&["lsb"], &["lsb", "msb"], &["lsb", "csb", "msb"], &["bit1", "bit2", "bit3", "bit4"]];

/// The word of bits of each state, from the erased state (S1) to the one with the highest voltage.
///
/// A word has the LSB in its lowest bit. Exactly one bit differs between neighbours, so a cell that drifts into the
/// next state has an error in one page only. The page whose bit differs between S_i and S_(i+1) is the one that is read
/// with the read voltage V_i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrayCoding {
    words: [u8; STATES_MAX],
    bits: u8,
}

/// An error in a table of states, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodingError {
    /// What is wrong; names the state.
    pub message: String,
    /// How to fix it.
    pub fix: String,
}

impl fmt::Display for CodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.fix)
    }
}

impl std::error::Error for CodingError {}

fn wrong<T>(message: String, fix: String) -> Result<T, CodingError> {
    Err(CodingError { message, fix })
}

impl GrayCoding {
    /// Builds a coding from the words of its states, the erased one first, each written LSB first: `["111", "110", …]`.
    ///
    /// # Errors
    /// If the words are not a Gray coding: their number is not 2, 4, 8 or 16, a word has the wrong number of bits or
    /// occurs twice, or two neighbours differ in more than one bit.
    pub fn parse<T: AsRef<str>>(words: &[T]) -> Result<GrayCoding, CodingError> {
        let count = words.len();
        let Some(bits) = (1..=BITS_MAX).find(|&bits| 1 << bits == count) else {
            return wrong(
                format!("a coding of {count} states"),
                "a cell has 2, 4, 8 or 16 states, one for each word of its bits".to_owned(),
            );
        };
        let mut numbers = [0; STATES_MAX];
        for (state, word) in words.iter().map(AsRef::as_ref).enumerate() {
            if word.len() != bits || word.bytes().any(|c| c != b'0' && c != b'1') {
                return wrong(
                    format!("state S{} is `{word}`", state + 1),
                    format!("{count} states have words of {bits} bits, each 0 or 1, LSB first"),
                );
            }
            let bit = |(page, c): (usize, u8)| u8::from(c == b'1') << page;
            numbers[state] = word.bytes().enumerate().map(bit).sum();
        }
        GrayCoding::new(&numbers[..count])
    }

    /// Builds a coding from the words of its states as numbers, LSB in the lowest bit, the erased state first.
    ///
    /// # Errors
    /// As [`GrayCoding::parse`].
    pub fn new(words: &[u8]) -> Result<GrayCoding, CodingError> {
        let count = words.len();
        let Some(bits) = (1..=BITS_MAX).find(|&bits| 1 << bits == count) else {
            return GrayCoding::parse(&vec![""; count]);
        };
        let coding = GrayCoding::unchecked(words, bits);
        for state in 0..count {
            let word = words[state];
            if usize::from(word) >= count {
                return wrong(
                    format!("state S{} is the word {word}", state + 1),
                    format!("{count} states have the words 0 to {}", count - 1),
                );
            }
            if let Some(earlier) = words[..state].iter().position(|&w| w == word) {
                return wrong(
                    format!("states S{} and S{} are both `{}`", earlier + 1, state + 1, coding.word(state)),
                    coding.choices(state),
                );
            }
            if state > 0 && (word ^ words[state - 1]).count_ones() != 1 {
                return wrong(
                    format!(
                        "states S{state} `{}` and S{} `{}` differ in {} bits",
                        coding.word(state - 1),
                        state + 1,
                        coding.word(state),
                        (word ^ words[state - 1]).count_ones()
                    ),
                    coding.choices(state),
                );
            }
        }
        Ok(coding)
    }

    const fn unchecked(words: &[u8], bits: usize) -> GrayCoding {
        let mut all = [0; STATES_MAX];
        let mut state = 0;
        while state < words.len() {
            all[state] = words[state];
            state += 1;
        }
        GrayCoding { words: all, bits: bits as u8 }
    }

    /// Builds a coding whose pages change where the reflected binary code changes: 1, 2, 4 … senses.
    ///
    /// The erased state is all ones, and the MSB is the page that changes most often (IDA, Fig. 2 for three
    /// bits).
    #[must_use]
    pub const fn reflected(bits: usize) -> GrayCoding {
        let mut words = [0; STATES_MAX];
        let mut state = 0;
        while state < 1 << bits {
            // The reflected code has its most frequent bit lowest; a word has it highest.
            let gray = state ^ (state >> 1);
            let mut page = 0;
            while page < bits {
                let bit = !(gray >> (bits - 1 - page)) & 1;
                words[state] |= (bit as u8) << page;
                page += 1;
            }
            state += 1;
        }
        GrayCoding { words, bits: bits as u8 }
    }

    /// Builds the coding whose page `changes[i]` (0 = LSB) changes between states S_(i+1) and S_(i+2). The first state
    /// is all ones.
    #[must_use]
    pub const fn by_changes(bits: usize, changes: &[usize]) -> GrayCoding {
        let mut words = [0; STATES_MAX];
        words[0] = (1 << bits) - 1;
        let mut state = 1;
        while state <= changes.len() {
            words[state] = words[state - 1] ^ (1 << changes[state - 1]);
            state += 1;
        }
        GrayCoding { words, bits: bits as u8 }
    }

    /// Describes the words that a state may have, given the states below it.
    fn choices(&self, state: usize) -> String {
        let free = |word: &u8| !self.words[..state].contains(word);
        let words: Vec<String> = (0..self.bits)
            .map(|page| self.words[state - 1] ^ (1 << page))
            .filter(free)
            .map(|w| format!("`{}`", self.text(w)))
            .collect();
        let known = format!("S{} may be {}", state + 1, words.join(" or "));
        if words.is_empty() {
            format!("every word next to S{state} is taken: order the states below S{} anew", state + 1)
        } else {
            format!("neighbours differ in one bit and no word comes twice: {known}")
        }
    }

    /// Bits per cell, which is pages per wordline.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits.into()
    }

    /// The word of each state, the erased one first.
    #[must_use]
    pub fn words(&self) -> &[u8] {
        &self.words[..1 << self.bits]
    }

    /// The bit that a page (0 = LSB) reads in a state (0 = erased).
    #[must_use]
    pub fn bit(&self, state: usize, page: usize) -> bool {
        self.words[state] >> page & 1 == 1
    }

    /// A state's word as text, LSB first.
    #[must_use]
    pub fn word(&self, state: usize) -> String {
        self.text(self.words[state])
    }

    fn text(&self, word: u8) -> String {
        (0..self.bits).map(|page| if word >> page & 1 == 1 { '1' } else { '0' }).collect()
    }

    /// Numbers `i`, from 1, of the read voltages V_i of a page: those at which its bit changes.
    pub fn read_voltages(&self, page: usize) -> impl Iterator<Item = usize> {
        (1..1 << self.bits).filter(move |&i| self.bit(i - 1, page) != self.bit(i, page))
    }

    /// Senses per read of a page, one for each of its read voltages.
    #[must_use]
    pub fn senses(&self, page: usize) -> usize {
        self.read_voltages(page).count()
    }

    /// Names of the pages of a wordline, LSB first.
    #[must_use]
    pub fn page_names(&self) -> &'static [&'static str] {
        PAGE_NAMES[self.bits() - 1]
    }
}
