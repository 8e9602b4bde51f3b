//! A user's own erase latencies.

use wordline_cells::Chip;
use wordline_cells::erase::{EraseCells, EraseConstants, measured};

fn constants() -> EraseConstants {
    Chip::built_in("tlc-48l").unwrap().unwrap().erase.unwrap()
}

fn cells(text: &str) -> EraseCells {
    let table = measured::parse("mine.csv", text, &constants()).unwrap_or_else(|error| panic!("{error}"));
    EraseCells::with_work(&constants(), table).unwrap()
}

#[test]
fn shares_by_latency_become_erase_work() {
    let text = "scheme,pec,latency_ms,percent_of_blocks\n\
                ispe,0,3.5,100\nispe,1000,3.5,60\nispe,1000,7,40\n# a remark\n\nispe,3000,10.5,100\n";
    let cells = cells(text);
    let loops = |pec: f64, hardness: f64| cells.loops(cells.required_pulses(pec, hardness));
    assert_eq!((loops(0.0, 0.1), loops(0.0, 0.9)), (1, 1));
    assert_eq!((loops(1000.0, 0.59), loops(1000.0, 0.61), loops(1000.0, 0.99)), (1, 2, 2));
    assert_eq!((loops(3000.0, 0.01), loops(3000.0, 0.99), loops(6000.0, 0.5)), (3, 3, 3));
    // Evenly spread within a loop; the first loop's within its second half.
    let needs = |pec: f64, hardness: f64| cells.required_pulses(pec, hardness);
    assert!((needs(3000.0, 0.5) - 17.5).abs() < 0.01 && (needs(0.0, 0.5) - 5.25).abs() < 0.01);
    assert!((needs(2000.0, 0.5) - (needs(1000.0, 0.5) + needs(3000.0, 0.5)) / 2.0).abs() < 0.01);
}

#[test]
fn blocks_keep_their_own_latencies() {
    let text = "block,pec,latency_ms\n7,0,2.5\n9,0,3\n7,1000,6.5\n9,1000,12\n";
    let cells = cells(text);
    let ms = |pec: f64, hardness: f64| 0.5 * cells.required_pulses(pec, hardness);
    for hardness in [0.1, 0.4] {
        assert!((ms(0.0, hardness) - 2.5).abs() < 1e-6 && (ms(1000.0, hardness) - 6.5).abs() < 1e-6);
        assert!((ms(0.0, hardness + 0.5) - 3.0).abs() < 1e-6, "the other half are block 9");
        assert!((ms(1000.0, hardness + 0.5) - 12.0).abs() < 1e-6);
    }
}

#[test]
fn a_table_that_makes_no_sense_is_refused_by_line() {
    let shares = "scheme,pec,latency_ms,percent_of_blocks\n";
    let blocks = "block,pec,latency_ms\n";
    for (text, line, what) in [
        (String::new(), 1, "empty"),
        ("pec,latency\n".to_owned(), 1, "unknown columns"),
        (shares.to_owned(), 1, "no rows"),
        (format!("{shares}ispe,0,3.5\n"), 2, "3 columns where 4"),
        (format!("{shares}ispe,0,3.5,100\nispe,1000,3.5,100,1\n"), 3, "5 columns"),
        (format!("{shares}ispe,0,-3.5,100\n"), 2, "`-3.5` is not a latency"),
        (format!("{shares}ispe,0,3.5ms,100\n"), 2, "`3.5ms` is not a latency"),
        (format!("{shares}ispe,-1,3.5,100\n"), 2, "not a P/E cycle count"),
        (format!("{shares}ispe,0,3.5,nan\n"), 2, "not a percentage"),
        (format!("{shares}ispe,0,0,100\n"), 2, "0 ms"),
        (format!("{shares}aero,0,3.5,100\n"), 2, "scheme `aero`"),
        (format!("{shares}ispe,0,3.5,100\nispe,500,3.5,60\nispe,500,7,30\n"), 4, "add up to 90"),
        (format!("{shares}ispe,500,3.5,100\nispe,0,3.5,100\n"), 3, "come after a higher"),
        (format!("{shares}ispe,0,7,50\nispe,0,3.5,50\n"), 3, "after a longer latency"),
        (format!("{blocks}0,0,2.5\n0,0,3\n"), 3, "two latencies"),
        (format!("{blocks}0,0,2.5\n0,1000,3\n1,0,3\n"), 4, "block 1 has no latency at 1000"),
        (format!("{blocks}0,0,2.6\n"), 2, "not a multiple of 0.5 ms"),
        (format!("{blocks}0.5,0,2.5\n"), 2, "not a block number"),
    ] {
        let error = measured::parse("mine.csv", &text, &constants()).expect_err(what);
        assert_eq!((error.source.as_str(), error.line), ("mine.csv", line), "{error}");
        assert!(error.message.contains(what), "{error}");
        assert!(!error.fix.is_empty() && error.key == "cells.erase_table", "{error}");
    }
}

#[test]
fn the_public_table_can_be_brought() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/ispe_erase_latency.csv");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("SKIPPED: no measured erase latencies at {path}");
        return;
    };
    let cells = cells(&text);
    let share = (0..1000).filter(|b| {
        let hardness = (f64::from(*b) + 0.5) / 1000.0;
        cells.loops(cells.required_pulses(3000.0, hardness)) == 3
    });
    assert_eq!(share.count(), 450, "45 % need three loops at 3K cycles");
}
