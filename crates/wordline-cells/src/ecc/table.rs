//! The decoder's table as text: counts only, so nothing is rounded. `wordline ldpc` makes it.

use super::soft::SoftSenses;
use super::tally::{ITERATIONS_MAX, Tally};
use std::fmt::Write;

/// The tables of this code, made with seed 1.
const LDPC_4K: &str = include_str!("../../../../presets/ecc/ldpc-4k.csv");
const LDPC_4K_SOFT_2: &str = include_str!("../../../../presets/ecc/ldpc-4k-soft-2.csv");
const LDPC_4K_SOFT_3: &str = include_str!("../../../../presets/ecc/ldpc-4k-soft-3.csv");

const COLUMNS_BEFORE: [&str; 5] =
    ["errors", "chunks", "miscorrected", "syndrome_weight_sum", "syndrome_weight_squares"];

/// Returns the counts that come with Wordline, of hard decisions.
///
/// # Panics
///
/// Never: a test reads them.
#[must_use]
pub fn built_in() -> Vec<Tally> {
    of(None)
}

/// Returns the counts that come with Wordline, of hard or soft decisions.
///
/// # Panics
///
/// Never: a test reads them.
#[must_use]
pub fn of(soft: Option<SoftSenses>) -> Vec<Tally> {
    let table = match soft {
        None => LDPC_4K,
        Some(SoftSenses::Two) => LDPC_4K_SOFT_2,
        Some(SoftSenses::Three) => LDPC_4K_SOFT_3,
    };
    parse(table).expect("the built-in table is well-formed")
}

fn header() -> String {
    let mut header = COLUMNS_BEFORE.join(",");
    for iterations in 0..=ITERATIONS_MAX {
        write!(header, ",decoded_{iterations}").expect("a string takes everything");
    }
    header
}

/// Writes a table as text.
#[must_use]
pub fn to_csv(tallies: &[Tally], soft: Option<SoftSenses>, seed: u64) -> String {
    let read = soft.map_or(String::new(), |senses| {
        format!("# Soft decisions: {} further senses beside each reference.\n", senses.count())
    });
    let mut text = format!(
        "# Chunks of 36,864 bits (4 KiB of data, rate 8/9) by number of errors: how many decoded after 0, 1, … iterations.\n\
         {read}# Made by: wordline ldpc --seed {seed}\n{}\n",
        header()
    );
    for tally in tallies {
        let before = [
            tally.errors.into(),
            tally.chunks,
            tally.miscorrected,
            tally.syndrome_sum,
            tally.syndrome_squares,
        ];
        let row: Vec<String> = before.iter().chain(&tally.decoded).map(u64::to_string).collect();
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text
}

/// Reads a table.
///
/// # Errors
///
/// Names the line and what is wrong with it: another header, not a number, too many decoded, rows out of order.
pub fn parse(text: &str) -> Result<Vec<Tally>, String> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    let mut lines = lines.filter(|(_, line)| !line.starts_with('#'));
    let expected = header();
    match lines.next() {
        Some((_, line)) if line == expected => {}
        Some((i, _)) => {
            return Err(format!(
                "line {i}: not the header of a decoder's table; make one with `wordline ldpc`"
            ));
        }
        None => return Err("the table is empty; make one with `wordline ldpc`".to_owned()),
    }
    let mut tallies: Vec<Tally> = Vec::new();
    for (i, line) in lines {
        let tally = row(line).map_err(|why| format!("line {i}: {why}"))?;
        if tallies.last().is_some_and(|last| last.errors >= tally.errors) {
            return Err(format!("line {i}: {} errors are not more than on the line before", tally.errors));
        }
        tallies.push(tally);
    }
    if tallies.len() < 2 {
        return Err("the table has fewer than two rows".to_owned());
    }
    Ok(tallies)
}

fn row(line: &str) -> Result<Tally, String> {
    let numbers: Vec<u64> = line
        .split(',')
        .map(|field| field.parse().map_err(|_| format!("`{field}` is not a whole number")))
        .collect::<Result<_, _>>()?;
    let wanted = COLUMNS_BEFORE.len() + ITERATIONS_MAX + 1;
    let (before, decoded) = match numbers.split_at_checked(COLUMNS_BEFORE.len()) {
        Some((before, decoded)) if numbers.len() == wanted => (before, decoded),
        _ => return Err(format!("{} numbers instead of {wanted}", numbers.len())),
    };
    let &[errors, chunks, miscorrected, syndrome_sum, syndrome_squares] = before else {
        return Err(format!("{} numbers instead of {wanted}", numbers.len()));
    };
    let total = decoded.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
    if chunks == 0 || total.is_none_or(|total| total > chunks) || miscorrected > chunks {
        return Err(format!("more chunks were decoded than the {chunks} in total"));
    }
    let mut tally = Tally::new(u16::try_from(errors).map_err(|_| format!("{errors} errors in a chunk"))?);
    (tally.chunks, tally.miscorrected) = (chunks, miscorrected);
    (tally.syndrome_sum, tally.syndrome_squares) = (syndrome_sum, syndrome_squares);
    tally.decoded.copy_from_slice(decoded);
    Ok(tally)
}
