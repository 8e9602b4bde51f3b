//! A codeword, its encoder and its syndrome, in 64-bit words.

use super::bits::{BLOCK_BITS, BLOCK_WORDS, Block, add_rotated};
use super::matrix::{CODE_BITS, COLUMNS, DATA_BITS, DATA_COLUMNS, ROWS};
use super::shifts::shifts;

/// Words of the data of a codeword.
pub const DATA_WORDS: usize = DATA_BITS / 64;

/// A word of the code's length, 4 KiB of data and 512 bytes of parity: a codeword, perhaps with errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Columns of 1,024 bits: 32 of data, then 4 of parity.
    pub columns: Box<[Block; COLUMNS]>,
}

/// The syndrome of a word, by row of circulants; zero for a codeword.
pub type Syndrome = [Block; ROWS];

impl Word {
    /// All bits zero: a codeword, since the code is linear.
    #[must_use]
    pub fn zero() -> Self {
        Self { columns: Box::new([[0; BLOCK_WORDS]; COLUMNS]) }
    }

    /// Encodes 4 KiB of data.
    #[must_use]
    pub fn encode(data: &[u64; DATA_WORDS]) -> Self {
        let mut word = Self::zero();
        for (column, data) in word.columns.iter_mut().zip(data.as_chunks().0) {
            *column = *data;
        }
        // The checks of the data alone, which the parity must satisfy.
        let open = word.syndrome();
        word.columns[DATA_COLUMNS..].copy_from_slice(&super::parity::solve(&open));
        word
    }

    /// The 4 KiB of data.
    #[must_use]
    pub fn data(&self) -> &[u64] {
        self.columns[..DATA_COLUMNS].as_flattened()
    }

    /// Flips bit `bit`, counted over data and parity.
    ///
    /// # Panics
    ///
    /// If there is no such bit: a word has 36,864.
    #[inline]
    pub fn flip(&mut self, bit: usize) {
        assert!(bit < CODE_BITS, "bit {bit} of a word");
        self.columns[bit / BLOCK_BITS][bit % BLOCK_BITS / 64] ^= 1 << (bit % 64);
    }

    /// Which checks fail.
    #[must_use]
    pub fn syndrome(&self) -> Syndrome {
        let mut syndrome = [[0; BLOCK_WORDS]; ROWS];
        for (row, sum) in syndrome.iter_mut().enumerate() {
            for (column, block) in self.columns.iter().enumerate() {
                if let Some(shift) = shifts()[row][column] {
                    add_rotated(sum, block, shift);
                }
            }
        }
        syndrome
    }

    /// Whether all checks hold.
    #[must_use]
    pub fn is_codeword(&self) -> bool {
        self.syndrome().as_flattened().iter().all(|&word| word == 0)
    }
}

/// The number of failed checks: the weight that RiF's predictor counts.
#[must_use]
pub fn weight(syndrome: &Syndrome) -> u32 {
    syndrome.as_flattened().iter().map(|word| word.count_ones()).sum()
}

/// The syndrome of errors at some bits, each given at most once. It is the same for any codeword, because the code is
/// linear.
#[must_use]
pub fn syndrome_of_errors(errors: &[u16]) -> Syndrome {
    let mut syndrome = [[0; BLOCK_WORDS]; ROWS];
    for &bit in errors {
        let (column, bit) = (usize::from(bit) / BLOCK_BITS, usize::from(bit) % BLOCK_BITS);
        for (row, sum) in syndrome.iter_mut().enumerate() {
            if let Some(shift) = shifts()[row][column] {
                let check = (bit + BLOCK_BITS - usize::from(shift)) % BLOCK_BITS;
                sum[check / 64] ^= 1 << (check % 64);
            }
        }
    }
    syndrome
}

#[cfg(test)]
mod tests {
    use super::super::channel::ErrorSource;
    use super::super::matrix::CHECKS;
    use super::*;
    use proptest::prelude::*;

    fn add(a: &Syndrome, b: &Syndrome) -> Syndrome {
        std::array::from_fn(|row| std::array::from_fn(|i| a[row][i] ^ b[row][i]))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn encodes_data_to_a_codeword(seed: u64) {
            let mut source = ErrorSource::new(seed, 0);
            let data: Box<[u64; DATA_WORDS]> = Box::new(std::array::from_fn(|_| source.bits()));
            let word = Word::encode(&data);
            prop_assert!(word.is_codeword());
            prop_assert_eq!(word.data(), &data[..]);
        }

        #[test]
        fn the_syndrome_is_linear_and_that_of_the_errors(seed: u64, m in 0usize..500, n in 0usize..500) {
            let mut source = ErrorSource::new(seed, 0);
            let (one, two) = (source.exactly(m).to_vec(), source.exactly(n).to_vec());
            let (mut a, mut b, mut both) = (Word::zero(), Word::zero(), Word::zero());
            one.iter().for_each(|&bit| { a.flip(bit.into()); both.flip(bit.into()); });
            two.iter().for_each(|&bit| { b.flip(bit.into()); both.flip(bit.into()); });
            prop_assert_eq!(a.syndrome(), syndrome_of_errors(&one));
            prop_assert_eq!(both.syndrome(), add(&a.syndrome(), &b.syndrome()));
        }
    }

    #[test]
    fn a_check_takes_in_35_bits_and_an_error_shows_in_3_or_4_checks() {
        let mut taken = vec![0; CHECKS];
        for bit in 0..CODE_BITS as u16 {
            let syndrome = syndrome_of_errors(&[bit]);
            let expected = if usize::from(bit) < DATA_BITS { 4 } else { 3 };
            assert_eq!(weight(&syndrome), expected);
            for (check, taken) in taken.iter_mut().enumerate() {
                *taken += syndrome.as_flattened()[check / 64] >> (check % 64) & 1;
            }
        }
        assert!(taken.iter().all(|&bits| bits == super::super::matrix::CHECK_WEIGHT as u64));
    }
}
