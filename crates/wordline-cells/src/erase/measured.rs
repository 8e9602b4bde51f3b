//! A user's measured erase latencies, which replace the built-in erase work.
//!
//! The CSV has one of two formats; its first line shows which. Latencies are pulse time, without verifies:
//!
//! - `scheme,pec,latency_ms,percent_of_blocks`: the share of blocks by latency. The scheme is `ispe`; the percents of
//!   one count of P/E cycles add up to 100.
//! - `block,pec,latency_ms`: the latency of each block, every block at every count of P/E cycles.
//!
//! Latencies of whole loops only say in which loop a block was erased. Blocks are then spread evenly over the pulses of
//! that loop, as AERO found them (Section 5.2). In the first loop they are spread over the second half (Fig. 4: no
//! block there needs much less; a guess for other chips).

use std::collections::BTreeMap;

use super::constants::{EraseConstants, WorkKnot};
use super::work::WorkTable;
use crate::{ConfigError, ConfigErrorKind};

/// Rounding may make percents miss 100 by this much.
const PERCENT_SLACK: f64 = 0.5;

/// One line of the table.
struct Row {
    line: usize,
    pec: f64,
    latency_ms: f64,
    /// Percent of blocks, or the block number.
    value: f64,
}

/// Reads a table of erase latencies; error messages call it `name`.
///
/// # Errors
/// The first line with the wrong format, negative, out of order, or missing; with the fix.
pub fn parse(name: &str, text: &str, constants: &EraseConstants) -> Result<WorkTable, ConfigError> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let mut lines = lines.by_ref().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let bad = |line: usize, message: String, fix: &str| ConfigError {
        kind: ConfigErrorKind::WrongValue,
        source: name.to_owned(),
        line,
        key: "cells.erase_table".to_owned(),
        message,
        fix: fix.to_owned(),
    };
    let Some((line, header)) = lines.next() else {
        return Err(bad(1, "the table is empty".to_owned(), HEADER));
    };
    let by_block = match header {
        "scheme,pec,latency_ms,percent_of_blocks" => false,
        "block,pec,latency_ms" => true,
        _ => return Err(bad(line, format!("unknown columns `{header}`"), HEADER)),
    };
    let mut rows = Vec::new();
    for (line, text) in lines {
        let cells: Vec<&str> = text.split(',').map(str::trim).collect();
        let wanted = if by_block { 3 } else { 4 };
        if cells.len() != wanted {
            let message = format!("{} columns where {wanted} are needed", cells.len());
            return Err(bad(line, message, &format!("write `{header}` in this order")));
        }
        if !by_block && cells[0] != "ispe" {
            let message = format!("scheme `{}`: only latencies under `ispe` are used", cells[0]);
            return Err(bad(line, message, "measure under ISPE, and leave other schemes out"));
        }
        let number = |text: &str, what: &str| match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            Ok(_) => Err(bad(line, format!("`{text}` is not a {what}"), "write a number of 0 or more")),
            Err(_) => {
                Err(bad(line, format!("`{text}` is not a {what}"), "write a plain number, such as 3.5"))
            }
        };
        let (pec, latency_ms) = (number(cells[1], "P/E cycle count")?, number(cells[2], "latency")?);
        let value =
            if by_block { number(cells[0], "block number")? } else { number(cells[3], "percentage")? };
        if latency_ms == 0.0 {
            return Err(bad(line, "no block is erased in 0 ms".to_owned(), "leave the row out"));
        }
        rows.push(Row { line, pec, latency_ms, value });
    }
    let last = text.lines().count().max(1);
    if rows.is_empty() {
        return Err(bad(last, "the table has no rows".to_owned(), HEADER));
    }
    let knots = if by_block {
        block_knots(&rows, constants).map_err(|(line, message, fix)| bad(line, message, fix))?
    } else {
        share_knots(&rows, constants).map_err(|(line, message, fix)| bad(line, message, fix))?
    };
    WorkTable::new(knots).map_err(|message| bad(last, message, HEADER))
}

const HEADER: &str = "begin with the line `scheme,pec,latency_ms,percent_of_blocks` or `block,pec,latency_ms`, then one row each";

type Problem = (usize, String, &'static str);

/// Builds knots from shares of blocks by latency.
fn share_knots(rows: &[Row], constants: &EraseConstants) -> Result<Vec<WorkKnot>, Problem> {
    let t_ep = constants.pulse_ms * f64::from(constants.pulses_per_loop);
    let whole_loops = rows.iter().all(|row| is_multiple(row.latency_ms, t_ep));
    let mut knots: Vec<WorkKnot> = Vec::new();
    for group in rows.chunk_by(|a, b| a.pec == b.pec) {
        let line = group[group.len() - 1].line;
        let pec = group[0].pec;
        if knots.last().is_some_and(|before| before.pec >= pec) {
            let fix = "keep the rows of one P/E cycle count together, and let the counts rise";
            return Err((group[0].line, format!("{pec} P/E cycles come after a higher count"), fix));
        }
        let sum: f64 = group.iter().map(|row| row.value).sum();
        if (sum - 100.0).abs() > PERCENT_SLACK {
            let message = format!("the percents at {pec} P/E cycles add up to {sum}");
            return Err((line, message, "let them add up to 100"));
        }
        let mut knot = WorkKnot { pec, share: vec![0.0], pulses: Vec::new() };
        let mut total = 0.0;
        for row in group {
            let upper = row.latency_ms / constants.pulse_ms;
            let wide = if whole_loops { f64::from(constants.pulses_per_loop) } else { 1.0 };
            let lower = if upper > wide { upper - wide } else { upper / 2.0 };
            match knot.pulses.last() {
                None => knot.pulses.push(lower),
                Some(&before) if before > lower + 1e-9 => {
                    let fix = "let the latencies of one P/E cycle count rise";
                    return Err((
                        row.line,
                        format!("{} ms comes after a longer latency", row.latency_ms),
                        fix,
                    ));
                }
                Some(_) => {
                    // A gap between two latencies: no block has a latency in it.
                    knot.share.push(total / sum);
                    knot.pulses.push(lower);
                }
            }
            total += row.value;
            knot.share.push(total / sum);
            knot.pulses.push(upper);
        }
        let last = knot.share.len() - 1;
        knot.share[last] = 1.0;
        knots.push(knot);
    }
    Ok(knots)
}

/// Builds knots from the latency of each block; blocks are ranked by their mean latency.
fn block_knots(rows: &[Row], constants: &EraseConstants) -> Result<Vec<WorkKnot>, Problem> {
    let mut blocks: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    let mut pecs: Vec<f64> = rows.iter().map(|row| row.pec).collect();
    pecs.sort_by(f64::total_cmp);
    pecs.dedup();
    for row in rows {
        if row.value.fract() != 0.0 || row.value > f64::from(u32::MAX) {
            let message = format!("`{}` is not a block number", row.value);
            return Err((row.line, message, "number the blocks 0, 1, 2 …"));
        }
        if !is_multiple(row.latency_ms, constants.pulse_ms) {
            let message = format!("{} ms is not a multiple of {} ms", row.latency_ms, constants.pulse_ms);
            return Err((row.line, message, "round latencies up to whole pulses"));
        }
        let own = blocks.entry(row.value as u64).or_default();
        if own.iter().any(|&(pec, _)| pec == row.pec) {
            let message = format!("block {} has two latencies at {} P/E cycles", row.value, row.pec);
            return Err((row.line, message, "leave one of them out"));
        }
        own.push((row.pec, row.latency_ms / constants.pulse_ms));
    }
    let last = rows[rows.len() - 1].line;
    let mut tracks = Vec::new();
    for (block, mut own) in blocks {
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(missing) = pecs.iter().find(|&&pec| own.iter().all(|&(at, _)| at != pec)) {
            let message = format!("block {block} has no latency at {missing} P/E cycles");
            return Err((last, message, "give every block a row at every P/E cycle count"));
        }
        tracks.push(own);
    }
    let sum = |own: &[(f64, f64)]| own.iter().map(|&(_, pulses)| pulses).sum::<f64>();
    tracks.sort_by(|a, b| sum(a).total_cmp(&sum(b)));
    let knots = pecs.iter().enumerate().map(|(at, &pec)| {
        let mut pulses: Vec<f64> = tracks.iter().map(|own| own[at].1).collect();
        // A block keeps its rank for life, so the sort gives the longer latency to the harder block at every age.
        pulses.sort_by(f64::total_cmp);
        let n = pulses.len() as f64;
        let edges = |i: usize| [i as f64 / n, (i + 1) as f64 / n];
        WorkKnot {
            pec,
            share: (0..pulses.len()).flat_map(edges).collect(),
            pulses: pulses.into_iter().flat_map(|pulses| [pulses, pulses]).collect(),
        }
    });
    Ok(knots.collect())
}

fn is_multiple(value: f64, unit: f64) -> bool {
    let ratio = value / unit;
    (ratio - libm::round(ratio)).abs() < 1e-6 && ratio > 0.5
}
