//! Makes the ECC's tables by Monte Carlo on several threads, and computes its curves.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use wordline_cells::ecc::decode::Decoder;
use wordline_cells::ecc::predictor::{self, Predictor};
use wordline_cells::ecc::study::{Study, decoder};
use wordline_cells::ecc::tally::Tally;
use wordline_cells::ecc::{BITS_PER_KIB, CAPABILITY_LEVEL, Curve, Point, SoftSenses, predictor_study, table};

use crate::Report;

/// Maximum time between two calls of `go_on`, without a finished batch.
const PATIENCE: Duration = Duration::from_millis(100);
/// Raw errors per 1 KiB of the curves.
const CURVE_BITS: RangeInclusive<u32> = 1..=128;
/// The same after soft reads.
const SOFT_CURVE_BITS: RangeInclusive<u32> = 1..=210;

/// The tables, as CSV.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// The decoder's table: failures and iterations by number of errors.
    pub decoder: String,
    /// The same for soft decisions: the number of further senses beside each reference, and the table.
    pub soft: Vec<(u8, String)>,
    /// The table of RiF's predictor: right and wrong predictions by raw errors.
    pub predictor: String,
}

/// Makes all tables on `cores` threads; their bytes are the same for any number of threads. `quick` uses only a few
/// numbers of errors. Returns `None` if `go_on` returns false.
pub fn make_tables(
    seed: u64,
    cores: usize,
    quick: bool,
    go_on: &mut dyn FnMut(Report) -> bool,
) -> Option<Tables> {
    let mut chunks = 0;
    let study = make_table(None, seed, cores, quick, &mut chunks, go_on)?;
    let mut soft = Vec::new();
    for senses in SoftSenses::ALL {
        let study = make_table(Some(senses), seed, cores, quick, &mut chunks, go_on)?;
        soft.push((senses.count(), table::to_csv(study.tallies(), Some(senses), seed)));
    }
    let threshold = predictor::threshold(&Curve::new(study.tallies()));
    let batches = predictor_study::batches(quick);
    let run = |index: usize, decoder: &mut Decoder| batches[index].run(seed, threshold, decoder);
    let pages = on_all_cores(batches.len(), cores, run, |share| {
        go_on(Report { fraction: Some(share), requests: chunks, simulated_ns: 0 })
    })?;
    let rows = predictor_study::sum(&pages);
    Some(Tables {
        decoder: table::to_csv(study.tallies(), None, seed),
        soft,
        predictor: predictor_study::to_csv(&rows, threshold, seed),
    })
}

/// Decodes all chunks of a table, round by round; adds their number to `chunks`.
fn make_table(
    soft: Option<SoftSenses>,
    seed: u64,
    cores: usize,
    quick: bool,
    chunks: &mut u64,
    go_on: &mut dyn FnMut(Report) -> bool,
) -> Option<Study> {
    let mut study = Study::new(soft, quick);
    loop {
        let batches = study.next_round();
        if batches.is_empty() {
            return Some(study);
        }
        let run = |index: usize, decoder: &mut Decoder| batches[index].run(seed, decoder);
        let done = on_all_cores(batches.len(), cores, run, |share| {
            go_on(Report { fraction: Some(share), requests: *chunks, simulated_ns: 0 })
        })?;
        done.iter().for_each(|tally| study.add(tally));
        *chunks += done.iter().map(|tally| tally.chunks).sum::<u64>();
    }
}

/// Runs items 0 to `count` on `cores` threads and returns their results in the order of the items. It regularly calls
/// `go_on` with the finished share; returns `None` if `go_on` returns false.
fn on_all_cores<T: Send>(
    count: usize,
    cores: usize,
    run: impl Fn(usize, &mut Decoder) -> T + Sync,
    mut go_on: impl FnMut(f64) -> bool,
) -> Option<Vec<T>> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..cores.clamp(1, count.max(1)) {
            let sender = sender.clone();
            let (next, stop, run) = (&next, &stop, &run);
            scope.spawn(move || {
                let mut decoder = decoder();
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || sender.send((index, run(index, &mut decoder))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut done = 0;
        while done < count {
            match receiver.recv_timeout(PATIENCE) {
                Ok((index, result)) => {
                    results[index] = Some(result);
                    done += 1;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if !go_on(done as f64 / count as f64) {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
    });
    results.into_iter().collect()
}

/// The curves of a code, from a table of its decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Raw bit error rate at which the frame error rate reaches [`CAPABILITY_LEVEL`](wordline_cells::ecc::CAPABILITY_LEVEL).
    pub capability_rber: f64,
    /// The syndrome weight above which RiF's predictor says "retry"; `None` for soft decisions.
    pub predictor_threshold: Option<u32>,
    /// Chunks decoded.
    pub chunks: u64,
    /// Chunks that were decoded to a wrong codeword.
    pub miscorrected: u64,
    /// Name and values of each curve, by raw errors per 1 KiB: from 1 to 128, or to 210 for soft decisions.
    pub columns: Vec<(&'static str, Vec<f64>)>,
}

/// Computes the curves of a table; without one, of the code that comes with Wordline. `soft_senses` is the number of
/// further senses beside each reference, 2 or 3; 0 stands for hard decisions.
///
/// # Errors
/// If there is no table for so many senses, or `csv` is not a table of the decoder.
pub fn curves(csv: Option<&str>, soft_senses: u8) -> Result<Curves, String> {
    let no_table = || format!("no table for {soft_senses} further senses; take 2 or 3");
    let soft = match soft_senses {
        0 => None,
        senses => Some(SoftSenses::of(senses).ok_or_else(no_table)?),
    };
    let tallies = csv.map_or_else(|| Ok(table::of(soft)), table::parse)?;
    let curve = Curve::new(&tallies);
    let threshold = soft.is_none().then(|| predictor::threshold(&curve));
    let sum = |number: fn(&Tally) -> u64| tallies.iter().map(number).sum();
    Ok(Curves {
        capability_rber: curve.capability(CAPABILITY_LEVEL),
        predictor_threshold: threshold,
        chunks: sum(|tally| tally.chunks),
        miscorrected: sum(|tally| tally.miscorrected),
        columns: match threshold {
            Some(threshold) => columns(&curve, threshold),
            None => decoding_columns(&points(&curve, SOFT_CURVE_BITS)),
        },
    })
}

/// The curve at some raw errors per 1 KiB.
fn points(curve: &Curve, bits: RangeInclusive<u32>) -> Vec<Point> {
    bits.map(|bits| curve.at(f64::from(bits) / BITS_PER_KIB)).collect()
}

/// What decoding comes to at some raw bit error rates.
fn decoding_columns(points: &[Point]) -> Vec<(&'static str, Vec<f64>)> {
    let iterations = |share| points.iter().map(|p| p.iterations_quantile(share).into()).collect();
    vec![
        ("errors_per_kib", points.iter().map(|p| p.errors_per_kib).collect()),
        ("rber", points.iter().map(|p| p.rber).collect()),
        ("frame_error_rate", points.iter().map(|p| p.frame_error_rate()).collect()),
        ("extrapolated", points.iter().map(|p| p.extrapolated).collect()),
        ("mean_iterations", points.iter().map(|p| p.mean_iterations()).collect()),
        ("iterations_p50", iterations(0.5)),
        ("iterations_p99", iterations(0.99)),
        ("iterations_p9999", iterations(0.9999)),
    ]
}

fn columns(curve: &Curve, threshold: u32) -> Vec<(&'static str, Vec<f64>)> {
    let chunks = predictor_study::PAGE_CHUNKS as u32;
    let predictor = Predictor::new(curve, threshold, chunks, u8::MAX);
    let points = points(curve, CURVE_BITS);
    let accuracy: Vec<_> = CURVE_BITS.map(|bits| predictor.accuracy(&[(bits as f32, 1.0)])).collect();
    let mut columns = decoding_columns(&points);
    columns.extend([
        ("syndrome_weight_mean", points.iter().map(|p| p.syndrome_mean).collect()),
        ("syndrome_weight_deviation", points.iter().map(|p| p.syndrome_deviation).collect()),
        ("predictor_accuracy", accuracy.iter().map(|a| a.accuracy()).collect()),
        ("predictor_false_retry", accuracy.iter().map(|a| a.false_retry).collect()),
        ("predictor_missed_retry", accuracy.iter().map(|a| a.missed_retry).collect()),
        ("predictor_says_retry", accuracy.iter().map(|a| a.true_retry + a.false_retry).collect()),
    ]);
    columns
}
