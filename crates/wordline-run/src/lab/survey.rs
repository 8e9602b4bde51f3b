//! Pages all over a configured device: the errors of their first reads, AR2's fallbacks, and the predictions of RiF's
//! predictor.

use wordline_cells::ecc::pattern::{chunk_rates, randomize};
use wordline_cells::ecc::randomizer::Randomizer;
use wordline_cells::ecc::{Accuracy, Curve, predictor, predictor_study, table};
use wordline_cells::variation::{Purpose, hash};
use wordline_core::config::Config;
use wordline_core::nand::{Retried, Survey};

use crate::WrongValue;

/// Bins of the histogram of first reads per bit of 1 KiB.
const BINS_PER_BIT: f32 = 4.0;
/// Errors per 1 KiB of the last bin, which includes all larger values: far more than any code corrects.
const BITS_MAX: f32 = 512.0;
/// 64-bit words of a chunk of 4 KiB.
const CHUNK_WORDS: usize = 512;

/// The first reads of a survey.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstReads {
    /// Errors of a page's mean codeword, bits in 1 KiB, and the share of pages with that number.
    pub bins: Vec<(f32, f64)>,
    /// Share of pages whose worst codeword has more errors than `ecc.correctable_bits`.
    pub failing_share: f64,
}

/// First reads of `pages` pages.
///
/// # Errors
/// If the device has no read errors.
pub fn first_reads(config: &Config, pages: u64) -> Result<FirstReads, WrongValue> {
    let survey = of_pages(config, pages)?;
    let mut bins = vec![0u64; (BITS_MAX * BINS_PER_BIT) as usize + 1];
    let (mut failing, mut all) = (0u64, 0u64);
    for read in survey.first_reads() {
        bins[(read.mean_bits.min(BITS_MAX) * BINS_PER_BIT + 0.5) as usize] += 1;
        failing += u64::from(read.fails);
        all += 1;
    }
    let share = |count: u64| count as f64 / all as f64;
    let counted = bins.into_iter().enumerate().filter(|bin| bin.1 > 0);
    let bins = counted.map(|(bin, count)| (bin as f32 / BINS_PER_BIT, share(count))).collect();
    Ok(FirstReads { bins, failing_share: share(failing) })
}

/// Reads pages with AR2: how many need a retry, fall back to the default tPRE, or are lost. `pages` are spread over the
/// device; without a number they are those that AR2's tables were profiled on.
///
/// # Errors
/// If the device has no read errors.
pub fn short_sense_fallbacks(config: &Config, pages: Option<u64>) -> Result<Retried, WrongValue> {
    let survey = match pages {
        Some(pages) => of_pages(config, pages)?,
        None => of_pages(config, 0).map(|_| Survey::of_profiled(config))?,
    };
    Ok(survey.retry_with_short_senses())
}

/// The accuracy of the predictor in the table of simulated pages, over a population of pages `[(errors per 1 KiB of the
/// mean codeword, share)]`.
///
/// # Errors
/// If the population is empty.
pub fn predictor_accuracy(population: &[(f32, f64)]) -> Result<Accuracy, WrongValue> {
    if !population.iter().any(|page| page.1 > 0.0) {
        return Err(WrongValue::new("the population has no pages"));
    }
    Ok(predictor_study::measured(&predictor_study::built_in(), population))
}

/// The accuracy of the predictor over first reads of pages in which half of the 4-KiB chunks hold zeros and the others
/// random bits: with the randomizer, and without it.
///
/// # Errors
/// If the device has no read errors, or its chip has no model of states.
pub fn randomizer_effect(config: &Config, pages: u64) -> Result<(Accuracy, Accuracy), WrongValue> {
    let survey = of_pages(config, pages)?;
    let curve = Curve::new(&table::built_in());
    let threshold = predictor::threshold(&curve);
    let limit = config.ecc.max_iterations as u8;
    let share = 1.0 / pages as f64;
    let (mut behind, mut without) = (Accuracy::default(), Accuracy::default());
    for (n, read) in survey.first_reads().enumerate() {
        let rates = survey
            .rates_by_bits(&read)
            .ok_or_else(|| WrongValue::new("the chip has no model of its states"))?;
        let mut data = half_zeros(config, n as u64, rates.len().ilog2());
        let judge = |data: &[Vec<u64>]| {
            predictor::of_chunks(&curve, threshold, limit, &chunk_rates(data, &rates, CHUNK_WORDS))
        };
        without.add(share, &judge(&data));
        randomize(&mut data, config.seed, n as u64 * 8);
        behind.add(share, &judge(&data));
    }
    Ok((behind, without))
}

/// The pages of a wordline; each chunk holds zeros or random bits with the same probability.
fn half_zeros(config: &Config, wordline: u64, pages: u32) -> Vec<Vec<u64>> {
    let chunks = config.ssd.page_bytes as usize / (8 * CHUNK_WORDS);
    let page = |page: u32| {
        let place = wordline << 3 | u64::from(page);
        let zeros = hash(config.seed, place, Purpose::ChunkErrors);
        let mut data = vec![0u64; chunks * CHUNK_WORDS];
        // Another seed than the SSD's, so that data and randomizer do not cancel out.
        Randomizer::new(!config.seed, place).apply(&mut data);
        for chunk in (0..chunks).filter(|chunk| zeros >> chunk & 1 == 1) {
            data[chunk * CHUNK_WORDS..(chunk + 1) * CHUNK_WORDS].fill(0);
        }
        data
    };
    (0..pages).map(page).collect()
}

fn of_pages(config: &Config, pages: u64) -> Result<Survey, WrongValue> {
    if config.device.has_read_model() {
        Ok(Survey::new(config, pages))
    } else {
        Err(WrongValue::new("the device has no read errors: set `cells.chip` to a chip, such as tlc-48l"))
    }
}
