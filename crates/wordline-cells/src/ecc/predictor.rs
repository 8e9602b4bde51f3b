//! RiF's on-die predictor. If the syndrome weight of one 4-KiB chunk is above a threshold, the chip senses the page
//! again at once (RiF, "Syndrome weight-based prediction" and "Subpage-based prediction").
//!
//! The slides give no threshold. Here it is the mean weight at the raw bit error rate of the code's capability.

use super::binomial::errors_at;
use super::curve::{CAPABILITY_LEVEL, Curve};
use super::judge::{ERRORS_PER_KIB_MAX, chance, draw, row_of, rows};
use super::tally::ITERATIONS_MAX;

/// The accuracy of a predictor over some pages. Shares are of all pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    /// Uncorrectable, and predicted so.
    pub true_retry: f64,
    /// Correctable, but sensed again.
    pub false_retry: f64,
    /// Uncorrectable, but transferred.
    pub missed_retry: f64,
    /// Correctable, and transferred.
    pub true_pass: f64,
}

impl Accuracy {
    /// Share of pages that are predicted correctly.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.true_retry + self.true_pass
    }

    /// The mean of two shares: uncorrectable pages predicted correctly, and correctable pages predicted correctly. If
    /// only one kind occurs, the share of that kind.
    #[must_use]
    pub fn balanced(&self) -> f64 {
        let (bad, good) = (self.true_retry + self.missed_retry, self.true_pass + self.false_retry);
        match (bad > 0.0, good > 0.0) {
            (true, true) => 0.5 * (self.true_retry / bad + self.true_pass / good),
            (true, false) => self.true_retry / bad,
            _ => self.true_pass / good,
        }
    }

    /// Adds another accuracy, weighted by `share`.
    pub fn add(&mut self, share: f64, other: &Self) {
        self.true_retry += share * other.true_retry;
        self.false_retry += share * other.false_retry;
        self.missed_retry += share * other.missed_retry;
        self.true_pass += share * other.true_pass;
    }
}

/// The predictor of the simulator.
#[derive(Clone, Debug)]
pub struct Predictor {
    threshold: u32,
    /// By raw errors: the probability of "retry" for a page that will not decode, and for one that will.
    rows: Vec<[u32; 2]>,
    /// By raw errors: the shares of right and wrong predictions.
    accuracy: Vec<Accuracy>,
}

/// The mean syndrome weight at the code's capability, used as the threshold.
#[must_use]
pub fn threshold(curve: &Curve) -> u32 {
    (curve.at(curve.capability(CAPABILITY_LEVEL)).syndrome_mean + 0.5) as u32
}

impl Predictor {
    /// Builds the predictor for pages of `chunks` chunks and a decoder that gives up after `limit` iterations. It sees
    /// only the first chunk.
    ///
    /// The predictor and the decoder see the same errors. So their results depend on each other through the number of
    /// errors of the first chunk; given that number they are taken as independent.
    #[must_use]
    pub fn new(curve: &Curve, threshold: u32, chunks: u32, limit: u8) -> Self {
        let limit = usize::from(limit).min(ITERATIONS_MAX);
        let accuracy: Vec<Accuracy> = rows(ERRORS_PER_KIB_MAX)
            .map(|errors_per_kib| page(curve, threshold, chunks, limit, errors_per_kib / super::BITS_PER_KIB))
            .collect();
        let share = |part: f64, rest: f64| chance(if part + rest > 0.0 { part / (part + rest) } else { 0.0 });
        let rows = accuracy
            .iter()
            .map(|a| [share(a.true_retry, a.missed_retry), share(a.false_retry, a.true_pass)])
            .collect();
        Self { threshold, rows, accuracy }
    }

    /// The predictor for the code that comes with Wordline, for pages of `page_bytes`.
    #[must_use]
    pub fn ldpc(page_bytes: u32, limit: u8) -> Self {
        let curve = Curve::new(&super::table::built_in());
        Self::new(&curve, threshold(&curve), page_bytes.div_ceil(super::CHUNK_BYTES), limit)
    }

    /// The threshold: a larger syndrome weight means "retry".
    #[must_use]
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Decides whether the predictor says "retry" for a page with some raw errors (see [`super::Code::judge`]);
    /// `decodes` is the verdict of the ECC. `hash` needs other random bits than the verdict.
    #[inline]
    #[must_use]
    pub fn says_retry(&self, errors_per_kib: f32, decodes: bool, hash: u64) -> bool {
        draw((hash >> 32) as u32) < self.rows[row_of(errors_per_kib, self.rows.len())][usize::from(decodes)]
    }

    /// The accuracy over pages with some raw errors: `(errors per 1 KiB, share)`.
    #[must_use]
    pub fn accuracy(&self, population: &[(f32, f64)]) -> Accuracy {
        let total: f64 = population.iter().map(|page| page.1).sum();
        let mut sum = Accuracy::default();
        for &(errors_per_kib, share) in population {
            sum.add(share / total, &self.accuracy[row_of(errors_per_kib, self.accuracy.len())]);
        }
        sum
    }
}

/// The accuracy at a raw bit error rate.
fn page(curve: &Curve, threshold: u32, chunks: u32, limit: usize, rber: f64) -> Accuracy {
    let first = Chunk::new(curve, threshold, limit, rber);
    first.of_page(libm::pow(first.ok, f64::from(chunks) - 1.0))
}

/// The accuracy for pages whose chunks have these raw bit error rates. The predictor sees the first chunk. The decoder
/// gives up after `limit` iterations.
///
/// # Panics
///
/// If there is no chunk.
#[must_use]
pub fn of_chunks(curve: &Curve, threshold: u32, limit: u8, rates: &[f64]) -> Accuracy {
    let limit = usize::from(limit).min(ITERATIONS_MAX);
    let chunk = |&rber: &f64| Chunk::new(curve, threshold, limit, rber);
    chunk(&rates[0]).of_page(rates[1..].iter().map(|rber| chunk(rber).ok).product())
}

/// The probabilities of a chunk at a raw bit error rate.
struct Chunk {
    ok: f64,
    heavy_ok: f64,
    heavy_bad: f64,
}

impl Chunk {
    fn new(curve: &Curve, threshold: u32, limit: usize, rber: f64) -> Self {
        let mut chunk = Self { ok: 0.0, heavy_ok: 0.0, heavy_bad: 0.0 };
        for (errors, probability) in errors_at(rber).into_iter().enumerate() {
            let heavy = curve.heavier_than(errors, threshold);
            let bad = curve.undecoded(errors, limit);
            chunk.heavy_ok += probability * heavy * (1.0 - bad);
            chunk.heavy_bad += probability * heavy * bad;
            chunk.ok += probability * (1.0 - bad);
        }
        // Rounding may leave a sum of probabilities slightly above 1.
        chunk.ok = chunk.ok.min(1.0);
        chunk
    }

    /// The accuracy for a page with this first chunk, whose other chunks all decode with probability `others`.
    fn of_page(&self, others: f64) -> Accuracy {
        let &Self { ok, heavy_ok, heavy_bad } = self;
        let (false_retry, page_ok) = (heavy_ok * others, ok * others);
        let true_retry = heavy_bad + heavy_ok * (1.0 - others);
        Accuracy {
            true_retry,
            false_retry,
            missed_retry: (1.0 - page_ok - true_retry).max(0.0),
            true_pass: (page_ok - false_retry).clamp(0.0, 1.0),
        }
    }
}
