//! The ECC for Python: its tables made again, and its curves.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_cells::ecc::decode::Decoder;
use wordline_cells::ecc::predictor::{self, Predictor};
use wordline_cells::ecc::study::{Study, decoder};
use wordline_cells::ecc::{BITS_PER_KIB, Curve, predictor_study, table};
use wordline_run::Report;

use crate::bug;
use crate::errors;
use crate::watch::Watch;

/// How long to wait for a batch before Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(100);
/// Raw errors per 1 KiB of the curves.
const CURVE_BITS: std::ops::RangeInclusive<u32> = 1..=128;

/// The decoder's table and the predictor's, as CSV: by Monte Carlo on `cores` threads, with the same bytes
/// for any number of them.
#[pyfunction]
#[pyo3(signature = (*, seed=1, cores=1, quick=false, progress=None))]
pub fn make_ecc_tables(
    py: Python<'_>,
    seed: u64,
    cores: usize,
    quick: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let mut watch = Watch::new(progress.as_ref());
    let made = bug::detached(py, || {
        let mut study = Study::new(quick);
        let mut chunks = 0;
        loop {
            let batches = study.next_round();
            if batches.is_empty() {
                break;
            }
            let run = |index: usize, decoder: &mut Decoder| batches[index].run(seed, decoder);
            let done = on_all_cores(batches.len(), cores, run, |share| {
                watch.go_on(Report { fraction: Some(share), requests: chunks, simulated_ns: 0 })
            })?;
            done.iter().for_each(|tally| study.add(tally));
            chunks = study.tallies().iter().map(|tally| tally.chunks).sum();
        }
        let threshold = predictor::threshold(&Curve::new(study.tallies()));
        let batches = predictor_study::batches(quick);
        let run = |index: usize, decoder: &mut Decoder| batches[index].run(seed, threshold, decoder);
        let pages = on_all_cores(batches.len(), cores, run, |share| {
            watch.go_on(Report { fraction: Some(share), requests: chunks, simulated_ns: 0 })
        })?;
        let rows = predictor_study::sum(&pages);
        Some((table::to_csv(study.tallies(), seed), predictor_study::to_csv(&rows, threshold, seed)))
    });
    match watch.failure() {
        Some(failure) => Err(failure),
        None => made?.ok_or_else(|| errors::unexpected("the study was stopped, though nobody asked for it")),
    }
}

/// Runs items 0 to `count` on `cores` threads; their results in the order of the items. `None` when `go_on`, which is
/// asked now and then with the share that is done, says no.
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

/// A table's curves against raw errors: `rber`, `frame_error_rate`, `extrapolated`, `mean_iterations` and more, each
/// a list of numbers. Without a table, that of the code that comes with Wordline.
#[pyfunction]
#[pyo3(signature = (csv=None))]
pub fn ecc_curves<'py>(py: Python<'py>, csv: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let tallies = match csv {
        Some(text) => table::parse(text).map_err(|why| errors::ecc_table(&why))?,
        None => table::built_in(),
    };
    let curve = Curve::new(&tallies);
    let threshold = predictor::threshold(&curve);
    let chunks = predictor_study::PAGE_CHUNKS as u32;
    let predictor = Predictor::new(&curve, threshold, chunks, u8::MAX);
    let points: Vec<_> = CURVE_BITS.map(|bits| curve.at(f64::from(bits) / BITS_PER_KIB)).collect();
    let accuracy: Vec<_> = CURVE_BITS.map(|bits| predictor.accuracy(&[(bits as f32, 1.0)])).collect();
    let columns = PyDict::new(py);
    let column = |name: &str, values: Vec<f64>| columns.set_item(name, values);
    column("errors_per_kib", points.iter().map(|p| p.errors_per_kib).collect())?;
    column("rber", points.iter().map(|p| p.rber).collect())?;
    column("frame_error_rate", points.iter().map(|p| p.frame_error_rate()).collect())?;
    column("extrapolated", points.iter().map(|p| p.extrapolated).collect())?;
    column("mean_iterations", points.iter().map(|p| p.mean_iterations()).collect())?;
    for (name, share) in [("iterations_p50", 0.5), ("iterations_p99", 0.99), ("iterations_p9999", 0.9999)] {
        column(name, points.iter().map(|p| p.iterations_quantile(share).into()).collect())?;
    }
    column("syndrome_weight_mean", points.iter().map(|p| p.syndrome_mean).collect())?;
    column("syndrome_weight_deviation", points.iter().map(|p| p.syndrome_deviation).collect())?;
    column("predictor_accuracy", accuracy.iter().map(|a| a.accuracy()).collect())?;
    column("predictor_false_retry", accuracy.iter().map(|a| a.false_retry).collect())?;
    column("predictor_missed_retry", accuracy.iter().map(|a| a.missed_retry).collect())?;
    column("predictor_says_retry", accuracy.iter().map(|a| a.true_retry + a.false_retry).collect())?;
    let summary = PyDict::new(py);
    summary.set_item("capability_level", predictor::CAPABILITY_LEVEL)?;
    summary.set_item("capability_rber", curve.capability(predictor::CAPABILITY_LEVEL))?;
    summary.set_item("capability_per_kib", curve.capability(predictor::CAPABILITY_LEVEL) * BITS_PER_KIB)?;
    summary.set_item("predictor_threshold", threshold)?;
    summary.set_item("chunks", tallies.iter().map(|tally| tally.chunks).sum::<u64>())?;
    summary.set_item("miscorrected", tallies.iter().map(|tally| tally.miscorrected).sum::<u64>())?;
    summary.set_item("curves", columns)?;
    Ok(summary)
}
