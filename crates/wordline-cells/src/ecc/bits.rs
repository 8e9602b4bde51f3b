//! Blocks of 1,024 bits: the input and output of one circulant.

/// Bits of a block: the size of a circulant.
pub const BLOCK_BITS: usize = 1024;

/// Words of a block.
pub const BLOCK_WORDS: usize = BLOCK_BITS / 64;

/// A block, bit `i` in word `i / 64` at position `i % 64`.
pub type Block = [u64; BLOCK_WORDS];

/// Adds to `sum` (exclusive or) `block` rotated down: bit `i` of `sum` gets bit `(i + shift) % 1024` of `block`.
///
/// In the ring of circulants, where bit `i` stands for x^i, this is a product with x^-shift.
#[inline]
pub fn add_rotated(sum: &mut Block, block: &Block, shift: u16) {
    let (words, bits) = (usize::from(shift) / 64 % BLOCK_WORDS, u32::from(shift) % 64);
    // Two copies in a row, so that no index wraps.
    let mut double = [0u64; 2 * BLOCK_WORDS];
    double[..BLOCK_WORDS].copy_from_slice(block);
    double[BLOCK_WORDS..].copy_from_slice(block);
    let from = &double[words..];
    if bits == 0 {
        for (sum, word) in sum.iter_mut().zip(from) {
            *sum ^= word;
        }
    } else {
        for (i, sum) in sum.iter_mut().enumerate() {
            *sum ^= from[i] >> bits | from[(i + 1) % (2 * BLOCK_WORDS - words)] << (64 - bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotates_bit_by_bit() {
        let mut block: Block = [0; BLOCK_WORDS];
        for i in (0..BLOCK_BITS).filter(|i| i * i % 7 == 2 || i % 11 == 0) {
            block[i / 64] |= 1 << (i % 64);
        }
        let bit = |block: &Block, i: usize| block[i / 64] >> (i % 64) & 1;
        for shift in [0, 1, 63, 64, 65, 511, 960, 961, 1000, 1023] {
            let mut sum = [0; BLOCK_WORDS];
            add_rotated(&mut sum, &block, shift);
            for i in 0..BLOCK_BITS {
                assert_eq!(bit(&sum, i), bit(&block, (i + usize::from(shift)) % BLOCK_BITS), "{shift} {i}");
            }
        }
    }
}
