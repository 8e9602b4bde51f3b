//! A survey of the device for Python: what first reads find, AR2's fallbacks, and what RiF's predictor makes of them.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_cells::ecc::pattern::{chunk_rates, randomize};
use wordline_cells::ecc::randomizer::Randomizer;
use wordline_cells::ecc::{Accuracy, Curve, predictor, predictor_study, table};
use wordline_core::config::Config;
use wordline_core::engine::variation::{Purpose, hash};
use wordline_core::nand::Survey;

use crate::bug;
use crate::config::Configuration;
use crate::errors;

/// Bins of the histogram of first reads in a bit of 1 KiB.
const BINS_PER_BIT: f32 = 4.0;
/// Errors per 1 KiB that share the last bin: far beyond what any code corrects.
const BITS_MAX: f32 = 512.0;
/// 64-bit words of a chunk of 4 KiB.
const CHUNK_WORDS: usize = 512;

/// Errors of the mean codeword in first reads of `pages` pages: `[(bits in 1 KiB, share)]`, and the share of pages whose
/// worst codeword has more than `ecc.correctable_bits`.
#[pyfunction]
pub fn first_reads(py: Python<'_>, config: &Configuration, pages: u64) -> PyResult<(Vec<(f32, f64)>, f64)> {
    let config = with_chip(config)?;
    bug::detached(py, || {
        let mut bins = vec![0u64; (BITS_MAX * BINS_PER_BIT) as usize + 1];
        let (mut failing, mut all) = (0u64, 0u64);
        for read in Survey::new(config, pages).first_reads() {
            bins[(read.mean_bits.min(BITS_MAX) * BINS_PER_BIT + 0.5) as usize] += 1;
            failing += u64::from(read.fails);
            all += 1;
        }
        let share = |count: u64| count as f64 / all as f64;
        let counted = bins.into_iter().enumerate().filter(|bin| bin.1 > 0);
        let rows = counted.map(|(bin, count)| (bin as f32 / BINS_PER_BIT, share(count))).collect();
        (rows, share(failing))
    })
}

/// Pages surveyed, pages whose first read fails, and those that fall back to the default tPRE or are lost.
#[pyfunction]
pub fn short_sense_fallbacks(
    py: Python<'_>,
    config: &Configuration,
    pages: u64,
) -> PyResult<(u64, u64, u64, u64)> {
    let config = with_chip(config)?;
    let sum = bug::detached(py, || Survey::new(config, pages).retry_with_short_senses())?;
    Ok((sum.pages, sum.retried, sum.fallbacks, sum.lost))
}

/// How often the predictor was right in the table of simulated pages, over a population of pages
/// `[(errors per 1 KiB of the mean codeword, share)]`.
#[pyfunction]
pub fn predictor_accuracy<'py>(py: Python<'py>, population: Vec<(f32, f64)>) -> PyResult<Bound<'py, PyDict>> {
    if !population.iter().any(|page| page.1 > 0.0) {
        return Err(errors::wrong_value("the population has no pages"));
    }
    shares(py, &predictor_study::measured(&predictor_study::built_in(), &population))
}

/// The predictor over first reads of pages in which half of the 4-KiB chunks hold zeros and the others random bits:
/// behind the randomizer, and without it.
#[pyfunction]
pub fn randomizer_effect<'py>(
    py: Python<'py>,
    config: &Configuration,
    pages: u64,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let config = with_chip(config)?;
    let made = bug::detached(py, || {
        let curve = Curve::new(&table::built_in());
        let threshold = predictor::threshold(&curve);
        let limit = config.ecc.max_iterations as u8;
        let survey = Survey::new(config, pages);
        let share = 1.0 / pages as f64;
        let (mut behind, mut without) = (Accuracy::default(), Accuracy::default());
        for (n, read) in survey.first_reads().enumerate() {
            let rates = survey.rates_by_bits(&read)?;
            let mut data = half_zeros(config, n as u64, rates.len().ilog2());
            let judge = |data: &[Vec<u64>]| {
                predictor::of_chunks(&curve, threshold, limit, &chunk_rates(data, &rates, CHUNK_WORDS))
            };
            without.add(share, &judge(&data));
            randomize(&mut data, config.seed, n as u64 * 8);
            behind.add(share, &judge(&data));
        }
        Some((behind, without))
    });
    let (behind, without) = made?.ok_or_else(|| errors::unexpected("a chip without states"))?;
    Ok((shares(py, &behind)?, shares(py, &without)?))
}

/// The pages of a wordline, in which each chunk holds zeros or random bits with the same chance.
fn half_zeros(config: &Config, wordline: u64, pages: u32) -> Vec<Vec<u64>> {
    let chunks = config.ssd.page_bytes as usize / (8 * CHUNK_WORDS);
    let page = |page: u32| {
        let place = wordline << 3 | u64::from(page);
        let zeros = hash(config.seed, place, Purpose::ChunkErrors);
        let mut data = vec![0u64; chunks * CHUNK_WORDS];
        // Another seed than the SSD's: data and randomizer must not cancel out.
        Randomizer::new(!config.seed, place).apply(&mut data);
        for chunk in (0..chunks).filter(|chunk| zeros >> chunk & 1 == 1) {
            data[chunk * CHUNK_WORDS..(chunk + 1) * CHUNK_WORDS].fill(0);
        }
        data
    };
    (0..pages).map(page).collect()
}

fn with_chip(config: &Configuration) -> PyResult<&Config> {
    let config = &config.resolved.config;
    if config.device.has_read_model() {
        Ok(config)
    } else {
        Err(errors::wrong_value("the device has no read errors: set `cells.chip` to a chip, such as tlc-48l"))
    }
}

fn shares<'py>(py: Python<'py>, accuracy: &Accuracy) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("accuracy", accuracy.accuracy())?;
    dict.set_item("balanced", accuracy.balanced())?;
    dict.set_item("true_retry", accuracy.true_retry)?;
    dict.set_item("false_retry", accuracy.false_retry)?;
    dict.set_item("missed_retry", accuracy.missed_retry)?;
    dict.set_item("true_pass", accuracy.true_pass)?;
    Ok(dict)
}
