//! The decoder's table.

use wordline_cells::ecc::study::{BATCH_CHUNKS, Batch, decoder};
use wordline_cells::ecc::tally::Tally;
use wordline_cells::ecc::{
    BITS_PER_KIB, CAPABILITY_LEVEL, Curve, SoftSenses, predictor_study, soft_gain, table,
};

/// The seed of the committed tables.
const SEED: u64 = 1;

#[test]
fn a_part_of_the_table_made_again_is_the_same() {
    let tallies = table::built_in();
    let mut decoder = decoder();
    for errors in [100, 300] {
        let row = tallies.iter().find(|tally| tally.errors == errors).expect("a row");
        let mut again = Tally::new(errors);
        for index in 0..(row.chunks / BATCH_CHUNKS) as u32 {
            again.add(&Batch { soft: None, errors, index }.run(SEED, &mut decoder));
        }
        assert_eq!(again, *row);
    }
}

#[test]
fn a_part_of_the_soft_tables_made_again_is_the_same() {
    let mut decoder = decoder();
    for soft in SoftSenses::ALL.map(Some) {
        let tallies = table::of(soft);
        let row = tallies.iter().find(|tally| tally.errors == 600).expect("a row");
        let mut again = Tally::new(600);
        for index in 0..(row.chunks / BATCH_CHUNKS) as u32 {
            again.add(&Batch { soft, errors: 600, index }.run(SEED, &mut decoder));
        }
        assert_eq!(again, *row, "{soft:?}");
        assert_eq!(table::parse(&table::to_csv(&tallies, soft, SEED)), Ok(tallies));
    }
}

/// More is known of each bit: more errors are corrected.
#[test]
fn each_further_sense_raises_the_capability() {
    let curve = |soft| Curve::new(&table::of(soft));
    for level in [1e-1, 1e-2, 1e-3] {
        let [hard, two, three] = [None, Some(SoftSenses::Two), Some(SoftSenses::Three)]
            .map(|soft| curve(soft).capability(level) * BITS_PER_KIB);
        println!("{level} of chunks fail at {hard}, {two} and {three} bits");
        assert!(1.5 * hard < two && two < three, "{level}: {hard}, {two}, {three}");
    }
    assert!(SoftSenses::ALL.map(soft_gain).is_sorted());
}

#[test]
fn the_text_is_read_as_it_was_written() {
    let tallies = table::built_in();
    assert_eq!(table::parse(&table::to_csv(&tallies, None, SEED)), Ok(tallies));
    let rows = predictor_study::built_in();
    assert_eq!(predictor_study::parse(&predictor_study::to_csv(&rows, 900, SEED)), Ok(rows));
}

#[test]
fn a_broken_table_is_refused_by_line() {
    let text = table::to_csv(&table::built_in(), None, SEED);
    let breaks: [(&str, String, &str); 5] = [
        ("header", text.replacen("errors,", "mistakes,", 1), "line 3: not the header"),
        ("number", text.replacen("\n1,2000,", "\n1,many,", 1), "line 5: `many`"),
        ("negative", text.replacen("\n1,2000,", "\n1,-2000,", 1), "line 5: `-2000`"),
        ("too many decoded", text.replacen("\n1,2000,", "\n1,1999,", 1), "line 5: more chunks were decoded"),
        ("order", text.replacen("\n2,2000,", "\n1,2000,", 1), "line 6: 1 errors are not more"),
    ];
    for (what, broken, message) in breaks {
        let refusal = table::parse(&broken).expect_err(what);
        assert!(refusal.starts_with(message), "{what}: {refusal}");
    }
    let cut =
        text.lines().take(8).map(|line| line.trim_end_matches(|c| c != ',')).collect::<Vec<_>>().join("\n");
    assert!(table::parse(&cut).is_err());
    assert!(table::parse("").is_err());
}

#[test]
fn nothing_was_corrected_to_another_codeword() {
    let all = [None, Some(SoftSenses::Two), Some(SoftSenses::Three)];
    assert!(all.into_iter().flat_map(table::of).all(|tally| tally.miscorrected == 0));
}

#[test]
fn frame_error_rates_are_simulated_down_to_1e_5() {
    let curve = Curve::new(&table::built_in());
    for level in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5] {
        let point = curve.at(curve.capability(level));
        assert!((point.frame_error_rate() / level - 1.0).abs() < 1e-3);
        assert!(point.extrapolated < 0.2, "{} of {level} is extrapolated", point.extrapolated);
    }
}

/// The chunks of the predictor's table were drawn at a raw bit error rate, bit by bit; those of the decoder's table with
/// a given number of errors. Both must say the same of how often a page of four fails.
#[test]
fn the_curve_agrees_with_errors_drawn_bit_by_bit() {
    let curve = Curve::new(&table::built_in());
    let mut total = (0.0, 0.0, 0.0);
    for row in predictor_study::built_in() {
        let point = curve.at(f64::from(row.errors_per_kib) / BITS_PER_KIB);
        let expected = 1.0 - (1.0 - point.frame_error_rate()).powi(4);
        let pages = row.pages() as f64;
        let failed = (row.true_retry + row.missed_retry) as f64;
        let variance = pages * expected * (1.0 - expected);
        // 5 deviations and one event: of 62 rows none should lie beyond. The curve itself is known to a few per cent.
        let bound = 5.0 * variance.sqrt() + 1.0 + 0.02 * pages * expected * (1.0 - expected);
        assert!(
            (failed - pages * expected).abs() < bound,
            "{failed} of {pages} fail at {}",
            row.errors_per_kib
        );
        total = (total.0 + failed, total.1 + pages * expected, total.2 + variance);
    }
    assert!((total.0 - total.1).abs() < 5.0 * total.2.sqrt() + 0.01 * total.1, "{total:?}");
}

#[test]
fn the_capability_is_near_the_72_bits_of_the_retry_papers() {
    let bits = Curve::new(&table::built_in()).capability(CAPABILITY_LEVEL) * BITS_PER_KIB;
    assert!((bits - 72.0).abs() < 4.0, "{bits} bits per 1 KiB");
}
