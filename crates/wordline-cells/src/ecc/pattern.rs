//! From error rates by state to error rates of a page's chunks: the effect of the data pattern.

use super::randomizer::Randomizer;

/// Computes the raw bit error rate of each chunk of a page.
///
/// `pages` are the data of all pages of a wordline as stored in the cells, all of the same length. `rate_by_bits` is
/// the error rate of a cell's bit on the page that is read, indexed by the cell's bits on all pages (bit `i` of the
/// index is the bit of page `i`).
///
/// # Panics
///
/// If pages differ in length, `rate_by_bits` has not 2^pages entries, or a page is not a whole number of chunks.
#[must_use]
pub fn chunk_rates(pages: &[Vec<u64>], rate_by_bits: &[f64], chunk_words: usize) -> Vec<f64> {
    assert_eq!(rate_by_bits.len(), 1 << pages.len(), "a rate for each combination of bits");
    let words = pages[0].len();
    assert!(pages.iter().all(|page| page.len() == words), "pages of one length");
    assert_eq!(words % chunk_words, 0, "a whole number of chunks");
    (0..words / chunk_words)
        .map(|chunk| {
            let mut cells = vec![0u32; rate_by_bits.len()];
            for word in chunk * chunk_words..(chunk + 1) * chunk_words {
                for (bits, cells) in cells.iter_mut().enumerate() {
                    let holds = |(i, page): (usize, &Vec<u64>)| {
                        if bits >> i & 1 == 1 { page[word] } else { !page[word] }
                    };
                    *cells +=
                        pages.iter().enumerate().map(holds).fold(!0, |all, page| all & page).count_ones();
                }
            }
            let wrong: f64 =
                cells.iter().zip(rate_by_bits).map(|(&cells, rate)| f64::from(cells) * rate).sum();
            wrong / (64 * chunk_words) as f64
        })
        .collect()
}

/// Randomizes the pages of a wordline, as the cells store them; `first_page` is the physical page number of the first.
pub fn randomize(pages: &mut [Vec<u64>], seed: u64, first_page: u64) {
    for (page, data) in (first_page..).zip(pages) {
        Randomizer::new(seed, page).apply(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three pages of four 4-KiB chunks; the first half all zero, the rest random.
    fn half_zero(seed: u64) -> Vec<Vec<u64>> {
        let random = |page: u64| {
            let mut data = vec![0; 2048];
            Randomizer::new(seed, page).apply(&mut data[1024..]);
            data
        };
        (1000..1003).map(random).collect()
    }

    #[test]
    fn with_the_randomizer_a_chunk_stands_for_its_page() {
        // One state has six times the error rate of the others, like the highest state after a long retention.
        let mut rates = [0.004; 8];
        rates[0] = 0.024;
        let mean = rates.iter().sum::<f64>() / 8.0;
        let plain = chunk_rates(&half_zero(1), &rates, 512);
        assert_eq!(plain[..2], [0.024, 0.024]);
        assert!(plain[2..].iter().all(|rate| (rate / mean - 1.0).abs() < 0.05), "{plain:?}");
        let mut pages = half_zero(1);
        randomize(&mut pages, 1, 500);
        let randomized = chunk_rates(&pages, &rates, 512);
        assert!(randomized.iter().all(|rate| (rate / mean - 1.0).abs() < 0.05), "{randomized:?}");
    }
}
