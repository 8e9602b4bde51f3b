//! A layered, normalised min-sum decoder for hard and soft decisions.
//!
//! After a hard read the channel gives bits without reliability, so each bit starts with the same magnitude (a binary
//! symmetric channel). After a soft read (`soft.rs`) the doubtful ones start with a smaller one.
//! A layer is a row of circulants. Each of its checks sends each of its bits the smallest magnitude of the others,
//! scaled down, with the sign that would satisfy the check. The bits add these messages before the decoder goes to the
//! next layer (Hocevar 2004). Beliefs are 8-bit integers.
//!
//! The decoder works on the syndrome: a belief says whether a bit was read correctly, not whether it is a one. A bit
//! with belief 0 stays as it was read. So zeros and ones behave the same in every iteration, and the result depends on
//! the errors only, not on the data.
//!
//! A column's beliefs are stored in the order of the checks of the last layer that touched them. A layer then reads
//! them in two runs and writes them in one: all inner loops go over 1,024 consecutive bytes, which compilers turn into
//! vector instructions.

use super::bits::BLOCK_BITS;
use super::codeword::{Syndrome, Word, syndrome_of_errors};
use super::matrix::{CODE_BITS, COLUMNS, ROWS};
use super::shifts::shifts;

/// Magnitude of a bit from the channel. We tried 4, 6, 8, 10, 12 and 16, with messages scaled by 1/2, 9/16, 5/8 and
/// 3/4; 16 with 5/8 failed least at 320 and 332 errors per word.
pub(super) const CHANNEL: i8 = 16;
/// A check clips larger magnitudes to this one, so that a belief stays within 8 bits.
const INPUT_MAX: u8 = 43;

type Lane<T> = [T; BLOCK_BITS];

/// The result of decoding a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Whether all checks hold at the end. (They also hold for a codeword other than the written one.)
    pub ok: bool,
    /// Iterations run: 0 if all checks held at the start, the limit if they never held.
    pub iterations: u8,
}

/// A bit that the channel is less sure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Its index in the codeword.
    pub bit: u16,
    /// Magnitude of its belief, in the decoder's units: 0 (says nothing) to 16 (like a bit without doubts).
    pub magnitude: i8,
}

/// A decoder: its working memory, about 220 KB, and its iteration limit.
#[derive(Clone, Debug)]
pub struct Decoder {
    iteration_limit: u8,
    /// By layer and check: -1 if the check fails for the word as it was read, else 0.
    fails: [Lane<i8>; ROWS],
    /// By column: the belief of each bit; negative if it was probably read wrong.
    beliefs: Vec<Lane<i8>>,
    /// By column: the shift that gives the order of `beliefs`.
    order: [u16; COLUMNS],
    /// By layer and column: the last messages of the checks.
    messages: Vec<Lane<i8>>,
    /// Within a layer, by column: the beliefs without the last messages of this layer.
    inputs: Vec<Lane<i8>>,
}

/// Within a layer, by check: the smallest and second smallest magnitude of its bits, and the product of their signs.
struct Checks {
    smallest: Lane<u8>,
    second: Lane<u8>,
    low: Lane<u8>,
    sign: Lane<i8>,
}

impl Decoder {
    /// A decoder that gives up after `iteration_limit` iterations.
    #[must_use]
    pub fn new(iteration_limit: u8) -> Self {
        Self {
            iteration_limit,
            fails: [[0; BLOCK_BITS]; ROWS],
            beliefs: vec![[0; BLOCK_BITS]; COLUMNS],
            order: [0; COLUMNS],
            messages: vec![[0; BLOCK_BITS]; ROWS * COLUMNS],
            inputs: vec![[0; BLOCK_BITS]; COLUMNS],
        }
    }

    /// Corrects `word` in place; a word that cannot be decoded is left unchanged.
    pub fn decode(&mut self, word: &mut Word) -> Decoded {
        self.decode_soft(word, &[])
    }

    /// Corrects `word` in place, some bits of which the channel doubts; the last word on a bit counts. A word that
    /// cannot be decoded is left unchanged.
    ///
    /// # Panics
    ///
    /// If a doubt has a bit or magnitude out of range.
    pub fn decode_soft(&mut self, word: &mut Word, doubts: &[Doubt]) -> Decoded {
        let decoded = self.run(&word.syndrome(), doubts);
        if decoded.ok {
            self.errors().for_each(|bit| word.flip(bit));
        }
        decoded
    }

    /// Decodes a word with errors at the bits `errors`, each given at most once. The second result says whether the
    /// decoder found the written codeword. The code is linear, so these errors have the same syndrome in every
    /// codeword.
    pub fn decode_errors(&mut self, errors: &[u16]) -> (Decoded, bool) {
        self.decode_doubted_errors(errors, &[])
    }

    /// Like [`Decoder::decode_errors`], with doubts about some bits as in [`Decoder::decode_soft`].
    ///
    /// # Panics
    ///
    /// If a doubt has a bit or magnitude out of range.
    pub fn decode_doubted_errors(&mut self, errors: &[u16], doubts: &[Doubt]) -> (Decoded, bool) {
        let decoded = self.run(&syndrome_of_errors(errors), doubts);
        let right = decoded.ok && {
            let found = errors.iter().filter(|&&bit| self.is_error(bit.into())).count();
            found == errors.len() && found == self.errors().count()
        };
        (decoded, right)
    }

    fn start(&mut self, syndrome: &Syndrome, doubts: &[Doubt]) {
        for (fails, checks) in self.fails.iter_mut().zip(syndrome) {
            for (i, fails) in fails.iter_mut().enumerate() {
                *fails = -((checks[i / 64] >> (i % 64) & 1) as i8);
            }
        }
        let beliefs = self.beliefs.as_flattened_mut();
        beliefs.fill(CHANNEL);
        for &Doubt { bit, magnitude } in doubts {
            assert!((0..=CHANNEL).contains(&magnitude), "a magnitude of {magnitude}");
            beliefs[usize::from(bit)] = magnitude;
        }
        self.order = [0; COLUMNS];
        self.messages.as_flattened_mut().fill(0);
    }

    fn run(&mut self, syndrome: &Syndrome, doubts: &[Doubt]) -> Decoded {
        self.start(syndrome, doubts);
        let mut iterations = 0;
        loop {
            if self.all_checks_hold() {
                return Decoded { ok: true, iterations };
            }
            if iterations == self.iteration_limit {
                return Decoded { ok: false, iterations };
            }
            for row in 0..ROWS {
                self.layer(row);
            }
            iterations += 1;
        }
    }

    /// The bits that were probably read wrong.
    fn errors(&self) -> impl Iterator<Item = usize> {
        (0..CODE_BITS).filter(|&bit| self.is_error(bit))
    }

    fn is_error(&self, bit: usize) -> bool {
        let (column, i) = (bit / BLOCK_BITS, bit % BLOCK_BITS);
        let at = (i + BLOCK_BITS - usize::from(self.order[column])) % BLOCK_BITS;
        self.beliefs[column][at] < 0
    }

    fn all_checks_hold(&self) -> bool {
        (0..ROWS).all(|row| {
            let mut sign = self.fails[row];
            for (column, beliefs) in self.beliefs.iter().enumerate() {
                let Some(shift) = shifts()[row][column] else { continue };
                let (head, tail) = turned(beliefs, shift, self.order[column]);
                let (first, last) = sign.split_at_mut(head.len());
                first.iter_mut().zip(head).for_each(|(sign, belief)| *sign ^= belief);
                last.iter_mut().zip(tail).for_each(|(sign, belief)| *sign ^= belief);
            }
            sign.iter().fold(0, |any, sign| any | sign) >= 0
        })
    }

    fn layer(&mut self, row: usize) {
        let mut checks = Checks::new(&self.fails[row]);
        for column in 0..COLUMNS {
            let Some(shift) = shifts()[row][column] else { continue };
            let (head, tail) = turned(&self.beliefs[column], shift, self.order[column]);
            let inputs = &mut self.inputs[column];
            let messages = &self.messages[row * COLUMNS + column];
            inputs[..head.len()].copy_from_slice(head);
            inputs[head.len()..].copy_from_slice(tail);
            checks.take_in(inputs, messages);
        }
        checks.scale();
        for column in 0..COLUMNS {
            let Some(shift) = shifts()[row][column] else { continue };
            let messages = &mut self.messages[row * COLUMNS + column];
            checks.send(&self.inputs[column], messages, &mut self.beliefs[column]);
            self.order[column] = shift;
        }
    }
}

/// Splits a column's beliefs, stored in the order of shift `from`, into two runs that follow the order of shift `to`.
#[inline]
fn turned(beliefs: &Lane<i8>, to: u16, from: u16) -> (&[i8], &[i8]) {
    let at = (usize::from(to) + BLOCK_BITS - usize::from(from)) % BLOCK_BITS;
    (&beliefs[at..], &beliefs[..at])
}

impl Checks {
    /// The state before any bit: a failed check expects an odd number of errors among its bits.
    fn new(fails: &Lane<i8>) -> Self {
        Self {
            smallest: [u8::MAX; BLOCK_BITS],
            second: [u8::MAX; BLOCK_BITS],
            low: [0; BLOCK_BITS],
            sign: *fails,
        }
    }

    /// Adds one bit of each check.
    #[inline(never)]
    fn take_in(&mut self, inputs: &mut Lane<i8>, messages: &Lane<i8>) {
        for i in 0..BLOCK_BITS {
            let input = inputs[i].wrapping_sub(messages[i]);
            inputs[i] = input;
            let magnitude = input.unsigned_abs();
            self.second[i] = self.second[i].min(self.smallest[i].max(magnitude));
            self.smallest[i] = self.smallest[i].min(magnitude);
            self.sign[i] ^= input;
        }
    }

    /// Computes the magnitudes to send: `low`, and the surplus for the bit that `low` came from.
    fn scale(&mut self) {
        for i in 0..BLOCK_BITS {
            self.low[i] = scaled(self.smallest[i]);
            // Stored in place of the second smallest, which is no longer needed.
            self.second[i] = scaled(self.second[i]) - self.low[i];
        }
    }

    /// Sends each check's message to one of its bits, which adds it. It has no branches, so the compiler can vectorise
    /// it.
    #[inline(never)]
    fn send(&self, inputs: &Lane<i8>, messages: &mut Lane<i8>, beliefs: &mut Lane<i8>) {
        for i in 0..BLOCK_BITS {
            let input = inputs[i];
            let is_smallest = u8::from(input.unsigned_abs() == self.smallest[i]);
            let magnitude = (self.low[i] + (is_smallest.wrapping_neg() & self.second[i])) as i8;
            let negative = (self.sign[i] ^ input) >> 7;
            let message = (magnitude ^ negative).wrapping_sub(negative);
            messages[i] = message;
            beliefs[i] = input.wrapping_add(message);
        }
    }
}

#[inline]
fn scaled(magnitude: u8) -> u8 {
    let magnitude = magnitude.min(INPUT_MAX);
    magnitude - magnitude * 3 / 8
}

/// The largest magnitude of a message from a check.
const MESSAGE_MAX: u8 = INPUT_MAX - INPUT_MAX * 3 / 8;

// A belief is the sum of the channel's and up to four messages: it fits 8 bits, so nothing above can overflow.
const _: () = assert!(CHANNEL as usize + ROWS * MESSAGE_MAX as usize <= i8::MAX as usize);
const _: () = assert!(CODE_BITS <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::super::channel::ErrorSource;
    use super::super::codeword::DATA_WORDS;
    use super::*;
    use proptest::prelude::*;

    fn random_word(seed: u64) -> Word {
        let mut source = ErrorSource::new(seed, 1);
        let data: Box<[u64; DATA_WORDS]> = Box::new(std::array::from_fn(|_| source.bits()));
        Word::encode(&data)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn corrects_what_is_within_its_power(seed: u64, count in 0usize..250) {
            let written = random_word(seed);
            let mut read = written.clone();
            ErrorSource::new(seed, 2).exactly(count).iter().for_each(|&bit| read.flip(bit.into()));
            let decoded = Decoder::new(20).decode(&mut read);
            prop_assert!(decoded.ok);
            prop_assert_eq!(decoded.iterations == 0, count == 0);
            prop_assert_eq!(read, written);
        }

        #[test]
        fn success_means_a_codeword_and_failure_changes_nothing(seed: u64, count in 250usize..600, limit in 0u8..25) {
            let mut word = random_word(seed);
            ErrorSource::new(seed, 2).exactly(count).iter().for_each(|&bit| word.flip(bit.into()));
            let read = word.clone();
            let decoded = Decoder::new(limit).decode(&mut word);
            prop_assert_eq!(decoded.ok, word.is_codeword());
            prop_assert!(decoded.iterations <= limit);
            prop_assert!(decoded.ok || (word == read && decoded.iterations == limit));
        }

        #[test]
        fn doubts_about_wrong_bits_help_and_full_magnitudes_change_nothing(seed: u64, count in 320usize..420) {
            let mut source = ErrorSource::new(seed, 2);
            let errors = source.exactly(count).to_vec();
            let with = |magnitude| -> Vec<Doubt> { errors.iter().map(|&bit| Doubt { bit, magnitude }).collect() };
            let mut decoder = Decoder::new(20);
            let hard = decoder.decode_errors(&errors);
            prop_assert_eq!(decoder.decode_doubted_errors(&errors, &with(CHANNEL)), hard);
            let soft = decoder.decode_doubted_errors(&errors, &with(2));
            prop_assert!(soft.1 && soft.0.iterations <= hard.0.iterations);
        }

        #[test]
        fn every_codeword_fares_as_the_zero_codeword_does(seed: u64, count in 1usize..400) {
            let written = random_word(seed);
            let mut read = written.clone();
            let mut source = ErrorSource::new(seed, 2);
            let errors = source.exactly(count);
            errors.iter().for_each(|&bit| read.flip(bit.into()));
            let (decoded, right) = Decoder::new(20).decode_errors(errors);
            prop_assert_eq!(Decoder::new(20).decode(&mut read), decoded);
            prop_assert_eq!(right, read == written);
        }
    }
}
