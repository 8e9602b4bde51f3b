//! Claims `pnar2.tpre.*`, `pnar2.tdisch.*` and `pnar2.teval.*`: what shorter senses add to the errors of
//! the step that succeeds.

use wordline_cells::read::{CutEffect, TimingCut};

use super::population::{BLOCKS, CAPABILITY, cells, condition, places};

const DEFAULT: TimingCut = TimingCut { precharge: 0.0, evaluation: 0.0, discharge: 0.0 };

/// M_ERR of a condition with each of some cuts, bits: one pass over the population.
fn m_errs(stress: f32, months: f32, temperature: f32, cuts: &[TimingCut]) -> Vec<f32> {
    let cells = cells();
    let effects: Vec<_> = cuts.iter().map(|&cut| cells.cut(cut)).collect();
    let condition = condition(stress, months, temperature);
    let mut most = vec![0.0f32; cuts.len()];
    for place in places(&cells, BLOCKS) {
        let page = cells.page(place, &condition);
        for (most, &effect) in most.iter_mut().zip(&effects) {
            *most = most.max(cells.errors(&page, page.near_optimal(), effect));
        }
    }
    most
}

/// How much each raises it.
fn added(stress: f32, months: f32, temperature: f32, cuts: &[TimingCut]) -> Vec<f32> {
    let all: Vec<_> = [DEFAULT].iter().chain(cuts).copied().collect();
    let bits = m_errs(stress, months, temperature, &all);
    bits[1..].iter().map(|with| with - bits[0]).collect()
}

fn discharge(fraction: f64) -> TimingCut {
    TimingCut { discharge: fraction, ..DEFAULT }
}

fn evaluation(fraction: f64) -> TimingCut {
    TimingCut { evaluation: fraction, ..DEFAULT }
}

#[test]
fn each_can_be_cut_alone_at_the_worst_condition() {
    let cuts = [TimingCut::precharge(0.47), evaluation(0.10), discharge(0.27)];
    for (bits, cut) in m_errs(2000.0, 12.0, 85.0, &cuts).into_iter().zip(cuts) {
        assert!(bits <= CAPABILITY, "pnar2.tpre.individual: {bits} with {cut:?}");
    }
}

#[test]
fn single_cuts_add_what_was_measured() {
    for (id, value, bits, tolerance) in [
        ("tpre.delta_1k_0_54", added(1000.0, 0.0, 85.0, &[TimingCut::precharge(0.54)])[0], 35.0, 2.0),
        ("tdisch.delta_1k_0_20", added(1000.0, 0.0, 85.0, &[discharge(0.20)])[0], 8.0, 1.0),
        ("teval.delta_fresh_20", added(0.0, 0.0, 85.0, &[evaluation(0.20)])[0], 30.0, 2.0),
    ] {
        assert!((value - bits).abs() <= tolerance, "pnar2.{id}: {value}");
    }
}

#[test]
fn retention_makes_a_cut_of_tpre_60_percent_worse() {
    let cut = [TimingCut::precharge(0.47)];
    let ratio = added(2000.0, 12.0, 85.0, &cut)[0] / added(2000.0, 0.0, 85.0, &cut)[0];
    assert!((ratio - 1.6).abs() <= 0.05, "pnar2.tpre.retention_47: {ratio}");
}

#[test]
fn seven_percent_of_tdisch_cost_little_alone_and_with_tpre() {
    const PRECHARGE: [f64; 7] = [0.0, 0.07, 0.20, 0.27, 0.40, 0.47, 0.54];
    let alone = PRECHARGE.map(TimingCut::precharge);
    let both = PRECHARGE.map(|precharge| TimingCut { precharge, discharge: 0.07, ..DEFAULT });
    for (stress, months) in [(0.0, 0.0), (1000.0, 6.0), (2000.0, 0.0), (2000.0, 12.0)] {
        let bits = m_errs(stress, months, 85.0, &[alone, both].concat());
        for (i, precharge) in PRECHARGE.iter().enumerate() {
            let more = bits[PRECHARGE.len() + i] - bits[i];
            assert!(more > 0.0 && more <= 4.0, "pnar2.tdisch.7: {more} with tPRE cut by {precharge}");
        }
    }
}

#[test]
fn together_they_add_far_more_than_apart() {
    let both = TimingCut { precharge: 0.54, discharge: 0.20, ..DEFAULT };
    let bits = m_errs(1000.0, 0.0, 85.0, &[DEFAULT, both, TimingCut::precharge(0.54), discharge(0.20)]);
    assert!(bits[1] >= CAPABILITY, "pnar2.tpre.combined: {}", bits[1]);
    assert!(bits[1] - bits[0] > (bits[2] - bits[0]) + (bits[3] - bits[0]) + 10.0);
}

#[test]
fn cold_adds_seven_bits_at_most_to_what_a_cut_of_tpre_adds() {
    let mut most = 0.0f32;
    for (stress, months) in
        [(0.0, 0.0), (0.0, 12.0), (1000.0, 6.0), (2000.0, 0.0), (2000.0, 12.0), (5000.0, 12.0)]
    {
        let cuts = [0.07, 0.20, 0.27, 0.40, 0.47, 0.54, 0.60].map(TimingCut::precharge);
        let [hot, warm, cold] = [85.0, 55.0, 30.0].map(|celsius| added(stress, months, celsius, &cuts));
        for i in 0..cuts.len() {
            let (more, some) = (cold[i] - hot[i], warm[i] - hot[i]);
            assert!(more >= some && some >= 0.0 && more <= 7.0, "pnar2.tpre.temperature: {more}");
            most = most.max(more);
        }
    }
    assert!(most > 6.0, "Fig. 10 shows up to 7 bits, here {most}");
}

#[test]
fn deeper_cuts_add_more() {
    let cells = cells();
    let bits = |cut: TimingCut| cells.cut(cut).bits;
    assert_eq!(cells.cut(DEFAULT), CutEffect::NONE);
    for percent in 0..60 {
        let (now, deeper) = (f64::from(percent) / 100.0, f64::from(percent + 1) / 100.0);
        assert!(bits(TimingCut::precharge(deeper)) > bits(TimingCut::precharge(now)));
        assert!(bits(discharge(deeper)) > bits(discharge(now)));
        assert!(bits(evaluation(deeper)) > bits(evaluation(now)));
        // tPRE has the most slack, tEVAL the least (PR2/AR2, Section 5.2.1).
        assert!(bits(discharge(deeper)) > bits(TimingCut::precharge(deeper)));
        assert!(bits(evaluation(deeper)) > bits(discharge(deeper)) || percent > 50);
    }
}
