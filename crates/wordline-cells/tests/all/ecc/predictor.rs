//! RiF's predictor against the real decoder.

use wordline_cells::ecc::CAPABILITY_LEVEL;
use wordline_cells::ecc::channel::ErrorSource;
use wordline_cells::ecc::pattern::{chunk_rates, randomize};
use wordline_cells::ecc::predictor;
use wordline_cells::ecc::predictor_study::{PAGE_CHUNKS, PageCounts, batches, built_in, measured, sum};
use wordline_cells::ecc::randomizer::Randomizer;
use wordline_cells::ecc::study::decoder;
use wordline_cells::ecc::{Accuracy, BITS_PER_KIB, Curve, Predictor, table};

fn near_the_capability(curve: &Curve) -> Vec<(f32, f64)> {
    let bits = curve.capability(CAPABILITY_LEVEL) * BITS_PER_KIB;
    (0..400).map(|i| ((bits * (0.8 + 0.001 * f64::from(i))) as f32, 1.0)).collect()
}

/// A substitute population for use without a device: raw errors spread evenly on a logarithmic scale, `low` to `high`
/// bits per 1 KiB.
fn log_uniform(low: f64, high: f64) -> Vec<(f32, f64)> {
    const POINTS: u32 = 2000;
    let step = libm::log(high / low) / f64::from(POINTS);
    (0..POINTS).map(|i| ((low * libm::exp((f64::from(i) + 0.5) * step)) as f32, 1.0)).collect()
}

#[test]
fn a_part_of_the_table_made_again_is_the_same() {
    let threshold = predictor::threshold(&Curve::new(&table::built_in()));
    let mut decoder = decoder();
    let again: Vec<PageCounts> = batches(false)
        .into_iter()
        .filter(|batch| batch.errors_per_kib == 32)
        .map(|batch| batch.run(1, threshold, &mut decoder))
        .collect();
    let again = sum(&again);
    assert_eq!(again.len(), 1);
    assert!(again.iter().all(|row| built_in().contains(row)), "{again:?}");
}

/// rif.predictor.accuracy, over a stand-in for a device: raw errors of 8 to 128 bits per 1 KiB, even on a log scale.
#[test]
fn the_predictor_is_right_as_often_as_the_paper_says() {
    let rows = built_in();
    let chunks: u64 = rows.iter().map(PageCounts::pages).sum::<u64>() * PAGE_CHUNKS as u64;
    assert!(chunks >= 100_000, "{chunks} chunks decoded");
    let all = measured(&rows, &log_uniform(8.0, 128.0));
    assert!(all.accuracy() >= 0.987 - 0.008, "accuracy {}", all.accuracy());
    let near = measured(&rows, &near_the_capability(&Curve::new(&table::built_in())));
    assert!(near.balanced() > 0.8, "balanced accuracy near the capability {}", near.balanced());
    println!("log-uniform 8..128 bits: {} {all:?}", all.accuracy());
    println!("capability +-20 %: {} balanced {} {near:?}", near.accuracy(), near.balanced());
}

/// What the simulator draws from is worked out from numbers of errors; the table counts real pages.
#[test]
fn the_simulators_predictor_agrees_with_the_pages_that_were_read() {
    let predictor = Predictor::ldpc(16384, 20);
    for row in built_in() {
        let expected = predictor.accuracy(&[(row.errors_per_kib as f32, 1.0)]);
        let pages = row.pages() as f64;
        let pairs = [
            (row.true_retry, expected.true_retry),
            (row.false_retry, expected.false_retry),
            (row.missed_retry, expected.missed_retry),
            (row.true_pass, expected.true_pass),
        ];
        for (count, share) in pairs {
            let deviation = (pages * share * (1.0 - share)).sqrt();
            let off = (count as f64 - pages * share).abs();
            assert!(
                off < 5.0 * deviation + 0.02 * pages * share * (1.0 - share) + 1.0,
                "{row:?}: {expected:?}"
            );
        }
    }
}

#[test]
fn what_the_predictor_says_is_as_frequent_as_its_table_says() {
    use wordline_cells::variation::{Purpose, hash};
    let predictor = Predictor::ldpc(16384, 20);
    for errors_per_kib in [60.0f32, 72.0, 80.0] {
        let Accuracy { true_retry, false_retry, missed_retry, true_pass } =
            predictor.accuracy(&[(errors_per_kib, 1.0)]);
        for (decodes, expected) in [
            (false, true_retry / (true_retry + missed_retry)),
            (true, false_retry / (false_retry + true_pass)),
        ] {
            let n = 50_000;
            let said = (0..n).filter(|&i| {
                predictor.says_retry(errors_per_kib, decodes, hash(1, i, Purpose::VictimChoice))
            });
            let share = said.count() as f64 / n as f64;
            assert!((share - expected).abs() < 0.01, "{share} instead of {expected}");
        }
    }
    assert!(!predictor.says_retry(0.0, true, 0) && predictor.says_retry(128.0, false, u64::MAX));
}

/// rif.randomizer, with stand-in error rates by state: one of the eight states of a TLC is six times as bad as the
/// others, or ten times as good. Half of each page is zeros, which are all in that state: on every other page it is the
/// half that the predictor looks at.
#[test]
fn without_the_randomizer_the_prediction_degrades() {
    let curve = Curve::new(&table::built_in());
    let (threshold, capability) = (predictor::threshold(&curve), curve.capability(CAPABILITY_LEVEL));
    let mut decoder = decoder();
    const PAGES: u64 = 60;
    let mut accuracy = |is_randomized: bool, factor: f64| {
        let mut counts = PageCounts::default();
        let mut source = ErrorSource::new(1, 99);
        for page in 0..PAGES {
            // Mean rates of 0.4 to 1.6 times the capability.
            let mean = capability * (0.4 + 1.2 * page as f64 / PAGES as f64);
            let other = mean * 8.0 / (7.0 + factor);
            let mut rates = [other; 8];
            rates[0] = other * factor;
            let mut pages: Vec<Vec<u64>> = (0..3)
                .map(|i| {
                    let mut data = vec![0; 2048];
                    let random_half = if page % 2 == 0 { 0..1024 } else { 1024..2048 };
                    Randomizer::new(5, 3 * page + i).apply(&mut data[random_half]);
                    data
                })
                .collect();
            if is_randomized {
                randomize(&mut pages, 1, 3 * page);
            }
            counts.read_page(&chunk_rates(&pages, &rates, 512), threshold, &mut source, &mut decoder);
        }
        counts.shares().accuracy()
    };
    for factor in [6.0, 0.1] {
        let (with, without) = (accuracy(true, factor), accuracy(false, factor));
        println!("state 0 at {factor} x: {with} with the randomizer, {without} without");
        assert!(with > without + 0.05, "{with} with the randomizer, {without} without");
    }
}
