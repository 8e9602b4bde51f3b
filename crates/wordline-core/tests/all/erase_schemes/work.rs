//! Claims `aero.fig4.*` and the public table of ISPE latencies: how many pulses blocks need.

use wordline_core::nand::erase::figures::{LatencyCurve, latencies};

use super::chips::Bench;

const MANY: u32 = 4000;

fn at(pec: f64) -> LatencyCurve {
    latencies(&Bench::tlc_48l().cells, &[pec], MANY).remove(0)
}

fn share(curve: &LatencyCurve, holds: impl Fn(u8, f64) -> bool) -> f64 {
    let count = curve.loops.iter().zip(&curve.latency_ms).filter(|(loops, ms)| holds(**loops, **ms)).count();
    count as f64 / f64::from(MANY)
}

#[test]
fn figure_4_is_what_the_text_says() {
    let (fresh, aged) = (at(0.0), at(1000.0));
    assert_eq!(share(&fresh, |loops, _| loops == 1), 1.0, "aero.fig4.pec0_single");
    assert!(share(&fresh, |_, ms| ms <= 2.5) >= 0.70, "aero.fig4.pec0_2.5ms");
    let quick = share(&aged, |_, ms| ms <= 2.5);
    assert!((quick - 0.30).abs() <= 0.05, "aero.fig4.pec1k_2.5ms: {quick}");
    let single = share(&aged, |loops, _| loops == 1);
    assert!((single - 0.765).abs() <= 0.03, "aero.fig4.pec1k_single: {single}");
    for pec in [2000.0, 2500.0, 3000.0, 3500.0, 4500.0, 5300.0] {
        assert_eq!(share(&at(pec), |loops, _| loops >= 2), 1.0, "aero.fig4.pec2k_multi at {pec}");
    }
    assert_eq!(share(&at(2000.0), |loops, _| loops <= 4), 1.0, "two to four loops at 2K");
    let three = share(&at(3000.0), |loops, _| loops == 3);
    assert!((three - 0.40).abs() <= 0.05, "aero.fig4.pec3k_three: {three}");
}

#[test]
fn erase_latency_varies_at_3_5k_cycles() {
    let ms = at(3500.0).latency_ms;
    let mean = ms.iter().sum::<f64>() / ms.len() as f64;
    let variance = ms.iter().map(|ms| (ms - mean).powi(2)).sum::<f64>() / ms.len() as f64;
    assert!((variance.sqrt() - 2.7).abs() <= 0.3, "aero.fig4.pec3.5k_std: {}", variance.sqrt());
}

/// The table that AERO's own simulations used: percent of blocks by loops. Not part of the repository.
#[test]
fn ispe_latencies_follow_the_public_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/ispe_erase_latency.csv");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("SKIPPED: no measured erase latencies at {path}");
        return;
    };
    let mut bins = 0;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        let (pec, loops, percent) = (number(1), (number(2) / 3.5).round() as u8, number(3));
        let model = 100.0 * share(&at(pec), |needs, _| needs == loops);
        assert!((model - percent).abs() <= 5.0, "{loops} loops at {pec}: {model} % against {percent} %");
        bins += 1;
    }
    assert!(bins >= 19, "{bins} bins");
}

#[test]
fn stress_is_p_e_cycles_of_the_average_block_under_ispe() {
    let cells = Bench::tlc_48l().cells;
    for pec in [100.0, 1000.0, 2000.0, 4500.0, 7000.0] {
        let blocks = (0..MANY).map(|b| (f64::from(b) + 0.5) / f64::from(MANY));
        let mean = blocks.map(|h| cells.stress.stress(pec, h)).sum::<f64>() / f64::from(MANY);
        assert!((mean - pec).abs() <= 0.002 * pec, "{mean} at {pec}");
        for hardness in [0.01, 0.5, 0.99] {
            let stress = cells.stress.stress(pec, hardness);
            assert!(stress > 0.8 * pec && stress < 1.3 * pec, "{stress} at {pec}");
        }
        assert!(cells.stress.stress(pec, 0.99) >= cells.stress.stress(pec, 0.01), "hard blocks see more");
    }
}
