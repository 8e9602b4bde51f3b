//! The numbers for figures are those of the model.

use wordline_cells::bench::read::{Bench, PageSample};
use wordline_cells::read::{Profile, TimingCut};

use super::population::{BLOCKS, CAPABILITY, CHIPS, PAGES, cells};

const SMALL: PageSample = PageSample { chips: CHIPS, blocks: 1, pages: PAGES };

#[test]
fn figures_show_what_the_papers_describe() {
    let cells = cells();
    let bench = Bench { cells: &cells, sample: SMALL, capability_bits: CAPABILITY };

    let fig5 = bench.retry_steps_by_months(2000.0, &[0.0, 6.0, 12.0], 30.0);
    assert!(fig5.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
    assert!(fig5.iter().all(|row| row[row.len() - 1] == 0.0), "some step reads every page");
    let mean: f64 = fig5[2].iter().enumerate().map(|(steps, share)| steps as f64 * share).sum();
    assert!((mean - 19.9).abs() <= 0.4, "{mean} steps");

    let fig7 = [0.0, 1000.0, 2000.0].map(|cycles| {
        [0.0, 3.0, 12.0].map(|months| bench.m_err_by_cut(cycles, months, 85.0, &[TimingCut::default()])[0])
    });
    for (row, next) in fig7.iter().zip(&fig7[1..]) {
        assert!(row.windows(2).all(|pair| pair[0] < pair[1]) && row[2] < next[2]);
    }

    let cuts = [0.0, 0.2, 0.4, 0.54].map(TimingCut::precharge);
    assert!(bench.m_err_by_cut(1000.0, 0.0, 85.0, &cuts).windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(bench.timing_table(&Profile::default()).cuts().len(), 36);

    let days = bench.first_retry_days(&[0.0, 200.0, 500.0]);
    for (days, expected) in days.iter().zip([17.0, 14.0, 10.0]) {
        assert!((days - expected).abs() <= 3.0, "rif.retry.onset: {days} days");
    }
    let rates = bench.rber_quantiles(1000.0, 6.0, 55.0, 0.0, &[0.0, 0.5, 1.0]);
    assert!(rates[0] < rates[1] && rates[1] < rates[2] && rates[2] < 72.0 / 8192.0);
}

#[test]
fn errors_fall_drastically_in_the_last_of_16_and_of_21_steps() {
    let cells = cells();
    let sample = PageSample { blocks: BLOCKS, ..SMALL };
    let bench = Bench { cells: &cells, sample, capability_bits: CAPABILITY };
    for steps in [16, 21] {
        let errors = bench.errors_in_last_steps(steps, 4, 2000.0, 12.0, 85.0);
        assert_eq!(errors.len(), 4, "no page takes {steps} steps");
        assert!(errors.windows(2).all(|pair| pair[0] > pair[1]), "{errors:?}");
        assert!(errors[2] > 72.0 && errors[3] < 36.0, "{errors:?}");
    }
}

#[test]
fn a_mean_block_lives_5300_cycles_under_plain_ispe() {
    let cells = cells();
    let bench = Bench { cells: &cells, sample: SMALL, capability_bits: CAPABILITY };
    let errors = bench.m_rber_by_cycles(&[0.0, 5200.0, 5400.0], 12.0, 85.0);
    assert!(errors[1] < 63.0 && errors[2] > 63.0, "aero.fig13.baseline: {errors:?}");
}
