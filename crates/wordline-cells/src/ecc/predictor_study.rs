//! Compares the predictor with the real decoder on pages of four chunks with random errors. The predictor weighs the
//! first chunk's syndrome; the decoder decodes all four. `wordline ldpc` makes the table, in batches like the
//! decoder's.

use super::channel::ErrorSource;
use super::codeword::{syndrome_of_errors, weight};
use super::decode::Decoder;
use super::predictor::Accuracy;

/// The table that comes with Wordline.
const TABLE: &str = include_str!("../../../../presets/ecc/rif-predictor.csv");
const HEADER: &str = "errors_per_kib,pages,true_retry,false_retry,missed_retry,true_pass";

/// Chunks of a page.
pub const PAGE_CHUNKS: usize = 4;
/// Pages of a batch.
const BATCH_PAGES: u64 = 100;
/// Batches of each raw bit error rate.
const BATCHES: u32 = 10;
/// A quick study runs one batch for each multiple of this number of bits per 1 KiB.
const QUICK_STEP: u32 = 16;
/// Separates these batches from those of the decoder's study, whose streams begin with a number of errors.
const STREAM: u64 = 1 << 63;

/// Counts of pages at one raw bit error rate, by prediction and result of the decoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Raw errors, bits per 1 KiB.
    pub errors_per_kib: u32,
    /// Uncorrectable, and predicted so.
    pub true_retry: u64,
    /// Correctable, but the predictor said "retry".
    pub false_retry: u64,
    /// Uncorrectable, but the predictor let it pass.
    pub missed_retry: u64,
    /// Correctable, and it passed.
    pub true_pass: u64,
}

impl PageCounts {
    /// The number of pages.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.true_retry + self.false_retry + self.missed_retry + self.true_pass
    }

    /// Adds the counts of other pages.
    pub fn add(&mut self, other: &Self) {
        self.true_retry += other.true_retry;
        self.false_retry += other.false_retry;
        self.missed_retry += other.missed_retry;
        self.true_pass += other.true_pass;
    }

    /// The counts as shares.
    #[must_use]
    pub fn shares(&self) -> Accuracy {
        let share = |count: u64| count as f64 / self.pages() as f64;
        Accuracy {
            true_retry: share(self.true_retry),
            false_retry: share(self.false_retry),
            missed_retry: share(self.missed_retry),
            true_pass: share(self.true_pass),
        }
    }

    /// Reads a page whose chunks have these raw bit error rates, each between 0 and 1, exclusive. The predictor weighs
    /// the syndrome of the first chunk.
    pub fn read_page(
        &mut self,
        rates: &[f64],
        threshold: u32,
        source: &mut ErrorSource,
        decoder: &mut Decoder,
    ) {
        let (mut says_retry, mut decodes) = (false, true);
        for (chunk, &rber) in rates.iter().enumerate() {
            let errors = source.at_rate(rber);
            if chunk == 0 {
                says_retry = weight(&syndrome_of_errors(errors)) > threshold;
            }
            // All chunks are drawn, so that the next page's errors do not depend on the result of this one.
            decodes &= decoder.decode_errors(errors).0.ok;
        }
        match (decodes, says_retry) {
            (false, true) => self.true_retry += 1,
            (true, true) => self.false_retry += 1,
            (false, false) => self.missed_retry += 1,
            (true, false) => self.true_pass += 1,
        }
    }
}

/// Part of a study: one batch of pages at one raw bit error rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageBatch {
    /// Raw errors, bits per 1 KiB.
    pub errors_per_kib: u32,
    /// Index of the batch at this raw bit error rate.
    pub index: u32,
}

impl PageBatch {
    /// Reads the batch's pages. The decoder sets the iteration limit.
    #[must_use]
    pub fn run(self, seed: u64, threshold: u32, decoder: &mut Decoder) -> PageCounts {
        let stream = STREAM | u64::from(self.errors_per_kib) << 32 | u64::from(self.index);
        let mut source = ErrorSource::new(seed, stream);
        let mut counts = PageCounts { errors_per_kib: self.errors_per_kib, ..PageCounts::default() };
        let rates = [f64::from(self.errors_per_kib) / super::BITS_PER_KIB; PAGE_CHUNKS];
        for _ in 0..BATCH_PAGES {
            counts.read_page(&rates, threshold, &mut source, decoder);
        }
        counts
    }
}

/// All batches of the study; with `quick`, one for each of a few raw bit error rates.
#[must_use]
pub fn batches(quick: bool) -> Vec<PageBatch> {
    let count = if quick { 1 } else { BATCHES };
    let chosen: Vec<u32> = grid().filter(|bits| !quick || bits.is_multiple_of(QUICK_STEP)).collect();
    // The costliest first, for an even load on the cores.
    let rates = chosen.into_iter().rev();
    rates
        .flat_map(|errors_per_kib| (0..count).map(move |index| PageBatch { errors_per_kib, index }))
        .collect()
}

/// Adds up batches, in ascending raw bit error rate.
#[must_use]
pub fn sum(batches: &[PageCounts]) -> Vec<PageCounts> {
    let row = |errors_per_kib: u32| {
        let mut row = PageCounts { errors_per_kib, ..PageCounts::default() };
        batches
            .iter()
            .filter(|batch| batch.errors_per_kib == errors_per_kib)
            .for_each(|batch| row.add(batch));
        row
    };
    grid().map(row).filter(|row| row.pages() > 0).collect()
}

/// The simulated numbers of bits per 1 KiB: densest around the capability of the code.
fn grid() -> impl Iterator<Item = u32> {
    [(4, 56, 4), (56, 96, 1), (96, 129, 4)].into_iter().flat_map(|(from, to, step)| (from..to).step_by(step))
}

/// Writes the table as text.
#[must_use]
pub fn to_csv(rows: &[PageCounts], threshold: u32, seed: u64) -> String {
    let mut text = format!(
        "# Pages of 16 KiB (four chunks) by raw errors: the predictor (syndrome weight of the first chunk above {threshold}) against the decoder.\n\
         # Made by: wordline ldpc --seed {seed}\n{HEADER}\n"
    );
    for row in rows {
        let PageCounts { errors_per_kib, true_retry, false_retry, missed_retry, true_pass } = row;
        let pages = row.pages();
        text += &format!("{errors_per_kib},{pages},{true_retry},{false_retry},{missed_retry},{true_pass}\n");
    }
    text
}

/// Returns the counts that come with Wordline.
///
/// # Panics
///
/// Never: a test reads them.
#[must_use]
pub fn built_in() -> Vec<PageCounts> {
    parse(TABLE).expect("the built-in table is well-formed")
}

/// Reads a table.
///
/// # Errors
///
/// Names the line and what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<PageCounts>, String> {
    let mut rows: Vec<PageCounts> = Vec::new();
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    if lines.next().is_none_or(|(_, line)| line != HEADER) {
        return Err(format!("no line `{HEADER}`; make the table with `wordline ldpc`"));
    }
    for (i, line) in lines {
        let numbers: Option<Vec<u64>> = line.split(',').map(|field| field.parse().ok()).collect();
        let Some(&[rate, pages, true_retry, false_retry, missed_retry, true_pass]) = numbers.as_deref()
        else {
            return Err(format!("line {}: six whole numbers are needed", i + 1));
        };
        let errors_per_kib = u32::try_from(rate).unwrap_or(u32::MAX);
        let row = PageCounts { errors_per_kib, true_retry, false_retry, missed_retry, true_pass };
        if pages == 0 || row.pages() != pages {
            return Err(format!("line {}: the counts do not add up to {pages} pages", i + 1));
        }
        if rows.last().is_some_and(|last| last.errors_per_kib >= errors_per_kib) {
            return Err(format!("line {}: {rate} errors are not more than on the line before", i + 1));
        }
        rows.push(row);
    }
    if rows.is_empty() { Err("the table has no rows".to_owned()) } else { Ok(rows) }
}

/// Accuracy of the predictor, weighted by a population `(errors per 1 KiB, share)`. It is linear between two simulated
/// rates and constant beyond the ends.
#[must_use]
pub fn measured(rows: &[PageCounts], population: &[(f32, f64)]) -> Accuracy {
    let total: f64 = population.iter().map(|page| page.1).sum();
    let mut sum = Accuracy::default();
    for &(errors_per_kib, share) in population {
        let x = f64::from(errors_per_kib);
        let i = rows.partition_point(|row| f64::from(row.errors_per_kib) < x).min(rows.len() - 1);
        let (a, b) = (&rows[i.saturating_sub(1)], &rows[i]);
        let (low, high) = (f64::from(a.errors_per_kib), f64::from(b.errors_per_kib));
        let part = if high > low { ((x - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        sum.add(share / total * (1.0 - part), &a.shares());
        sum.add(share / total * part, &b.shares());
    }
    sum
}
