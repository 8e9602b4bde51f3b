//! A user's own retry table in place of the drift model.

use std::path::PathBuf;

use wordline_cells::read::{CutEffect, RetryTable};

use super::population::{CAPABILITY, cells, condition};

const SMALL: &str = ",1000_1m,1000_12m,2000_1m,2000_12m\n0,0,3,1,5\n1,2,7,4,9\n";

#[test]
fn measured_conditions_give_the_measured_steps() {
    let cells = cells().with_retry_table(RetryTable::parse("mine.csv", SMALL).expect("a table"));
    for (page, stress, months, steps) in [
        (0, 1000.0, 1.0, 0),
        (0, 1000.0, 12.0, 3),
        (0, 2000.0, 12.0, 5),
        (575, 1000.0, 1.0, 2),
        (575, 2000.0, 1.0, 4),
        (575, 2000.0, 12.0, 9),
        // Half-way, and beyond the ends.
        (0, 1500.0, 12.0, 4),
        (575, 1000.0, 6.5, 5),
        (575, 0.0, 12.0, 7),
        (575, 3000.0, 24.0, 9),
        (575, 2000.0, 0.0, 0),
        (575, 2000.0, 0.5, 2),
    ] {
        let state = cells.page(cells.place(0, 0, page), &condition(stress, months, 30.0));
        let found = cells.retry_steps(&state, CAPABILITY, CutEffect::NONE);
        assert_eq!(found, Some(steps), "page {page} at {stress} cycles and {months} months");
    }
}

#[test]
fn columns_may_come_in_any_order() {
    let shuffled = "wordline,2000_12m,1000_1m,2000_1m,1000_12m\r\n0,5,0,1,3\r\n1,9,2,4,7\r\n";
    assert_eq!(RetryTable::parse("a", shuffled), RetryTable::parse("b", SMALL));
}

#[test]
fn mistakes_are_refused_by_line_with_a_fix() {
    for (text, line, part) in [
        ("", 1, "no columns"),
        (",1000_1m\n", 1, "no word lines"),
        (",1000_1y\n0,1\n", 1, "unknown column \"1000_1y\""),
        (",pec_1m\n0,1\n", 1, "unknown column \"pec_1m\""),
        (",1000_-1m\n0,1\n", 1, "unknown column"),
        (",1000_0m\n0,1\n", 1, "0 months"),
        ("layer,1000_1m\n0,1\n", 1, "the first column is called \"layer\""),
        (",1000_1m,1000_1m\n0,1,1\n", 1, "twice"),
        (",1000_1m,2000_3m\n0,1,1\n", 1, "no column 1000_3m"),
        (",1000_1m\n0,1\n1,-2\n", 3, "-2 retry steps"),
        (",1000_1m\n0,1\n1,200\n", 3, "200 retry steps"),
        (",1000_1m\n0,1.5\n", 2, "\"1.5\" is not a number of steps"),
        (",1000_1m\n0,\n", 2, "an empty cell"),
        (",1000_1m\n0,1\n1,2,3\n", 3, "3 cells where the first row has 2"),
        (",1000_1m\n0,1\n2,2\n", 3, "word line \"2\" where 1 should follow"),
    ] {
        let error = RetryTable::parse("mine.csv", text).expect_err(part);
        assert_eq!((error.source.as_str(), error.line), ("mine.csv", line), "{error}");
        assert!(error.message.contains(part) && !error.fix.is_empty(), "{error}");
    }
}

#[test]
fn published_tables_read() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/retry_tables");
    for (name, word_lines) in [("3DV7.csv", 1408), ("X3_9070.csv", 1392)] {
        let Ok(text) = std::fs::read_to_string(folder.join(name)) else {
            println!("skipped: there is no {}", folder.join(name).display());
            continue;
        };
        let table = RetryTable::parse(name, &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((table.word_lines(), table.largest()), (word_lines, 7));
        let lines = text.lines().count() as u32 - 1;
        assert_eq!(lines, word_lines);
        // The cells of the file come out as they stand there.
        let last: Vec<f32> =
            text.lines().last().unwrap().split(',').skip(1).map(|n| n.parse().unwrap()).collect();
        let mut column = 0;
        for cycles in [3000.0, 4000.0, 5000.0, 6000.0] {
            for months in [1.0, 3.0, 6.0, 12.0] {
                assert_eq!(table.steps(word_lines - 1, word_lines, cycles, months), last[column]);
                column += 1;
            }
        }
    }
}
