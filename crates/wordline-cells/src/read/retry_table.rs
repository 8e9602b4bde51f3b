//! A user's own measurement: retry steps by word line, P/E cycles and months, which replaces the drift model.
//!
//! CSV. The first row names the columns `PEC_Nm`, such as `3000_12m` for 3,000 cycles and 12 months. The first column
//! numbers the word lines from 0; every cell is a whole number of retry steps. The table must have every combination of
//! its cycles and months.
//!
//! Between the measured conditions the steps are interpolated linearly in cycles and in months (bilinear), and rounded
//! to the nearest whole step. Below the fewest cycles, above the most, and above the longest retention they stay
//! constant. Towards zero retention they fall linearly to 0. A block with another number of word lines uses the rows at
//! the same relative height.

use crate::{ConfigError, ConfigErrorKind};

/// Retry steps by word line and condition.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryTable {
    cycles: Vec<f32>,
    months: Vec<f32>,
    word_lines: u32,
    /// By word line, then by cycles, then by months.
    steps: Vec<u8>,
}

/// Largest number of retry steps in a cell.
const STEPS_MAX: u8 = 127;

struct Reader<'a> {
    name: &'a str,
}

impl Reader<'_> {
    fn error(&self, line: usize, message: String, fix: &str) -> ConfigError {
        ConfigError {
            kind: ConfigErrorKind::WrongValue,
            source: self.name.to_owned(),
            line,
            key: "cells.retry_table".to_owned(),
            message,
            fix: fix.to_owned(),
        }
    }

    /// Parses `3000_12m`: cycles and months.
    fn column(&self, text: &str) -> Result<(u32, u32), ConfigError> {
        let number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok());
        let parts = text.strip_suffix('m').and_then(|rest| rest.split_once('_'));
        let parsed = parts.and_then(|(cycles, months)| Some((number(cycles)??, number(months)??)));
        let fix = "name it by P/E cycles and months, like 3000_12m";
        let (cycles, months) =
            parsed.ok_or_else(|| self.error(1, format!("unknown column \"{text}\""), fix))?;
        if months == 0 {
            let fix = "leave it out: without retention no steps are needed";
            return Err(self.error(1, format!("column \"{text}\" has 0 months"), fix));
        }
        Ok((cycles, months))
    }

    fn columns(&self, header: &str) -> Result<Vec<(u32, u32)>, ConfigError> {
        let mut names = header.split(',').map(str::trim);
        let first = names.next().unwrap_or_default();
        if !first.is_empty() && !first.eq_ignore_ascii_case("wordline") {
            let fix =
                "leave the head of the first column empty, or write wordline; the columns start after it";
            return Err(self.error(1, format!("the first column is called \"{first}\""), fix));
        }
        let columns = names.map(|name| self.column(name)).collect::<Result<Vec<_>, _>>()?;
        if columns.is_empty() {
            let fix = "the first row names columns like 3000_12m, separated by commas";
            return Err(self.error(1, "no columns".to_owned(), fix));
        }
        for (i, column) in columns.iter().enumerate() {
            if columns[..i].contains(column) {
                let message = format!("column {}_{}m occurs twice", column.0, column.1);
                return Err(self.error(1, message, "remove one of them"));
            }
        }
        Ok(columns)
    }

    fn row(&self, line: usize, text: &str, word_line: u32, columns: usize) -> Result<Vec<u8>, ConfigError> {
        let cells: Vec<_> = text.split(',').map(str::trim).collect();
        if cells.len() != columns + 1 {
            let message = format!("{} cells where the first row has {}", cells.len(), columns + 1);
            return Err(self.error(line, message, "give every column a number of steps"));
        }
        if cells[0].parse() != Ok(word_line) {
            let message = format!("word line \"{}\" where {word_line} should follow", cells[0]);
            return Err(self.error(line, message, "number the rows 0, 1, 2 … without gaps"));
        }
        cells[1..]
            .iter()
            .map(|&cell| match cell.parse::<i64>() {
                Ok(steps) if (0..=i64::from(STEPS_MAX)).contains(&steps) => Ok(steps as u8),
                Ok(steps) => {
                    let fix = format!("retry steps are whole numbers from 0 to {STEPS_MAX}");
                    Err(self.error(line, format!("{steps} retry steps"), &fix))
                }
                Err(_) if cell.is_empty() => {
                    let fix = "measure it, or leave the whole column out";
                    Err(self.error(line, "an empty cell".to_owned(), fix))
                }
                Err(_) => {
                    let fix = "retry steps are whole numbers";
                    Err(self.error(line, format!("\"{cell}\" is not a number of steps"), fix))
                }
            })
            .collect()
    }
}

fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<_> = numbers.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The interval of `axis` around `x`, and the position of `x` in it; clamped to the ends.
#[inline]
fn bracket(axis: &[f32], x: f32) -> (usize, usize, f32) {
    let above = axis.partition_point(|&point| point <= x);
    if above == 0 {
        return (0, 0, 0.0);
    }
    let (low, high) = (above - 1, above.min(axis.len() - 1));
    let width = axis[high] - axis[low];
    (low, high, if width > 0.0 { (x - axis[low]) / width } else { 0.0 })
}

impl RetryTable {
    /// Reads a table; error messages call it `name`.
    ///
    /// # Errors
    /// If a column is unknown, occurs twice or is missing, rows are out of order or of another length, or a cell is
    /// empty, negative or not a number. The error names the line and the fix.
    pub fn parse(name: &str, text: &str) -> Result<RetryTable, ConfigError> {
        let reader = Reader { name };
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let header = lines.next().map_or("", |(_, line)| line.trim_start_matches('\u{feff}'));
        let columns = reader.columns(header)?;
        let cycles = distinct(columns.iter().map(|&(cycles, _)| cycles));
        let months = distinct(columns.iter().map(|&(_, months)| months));
        let mut order = Vec::with_capacity(columns.len());
        for &cycles in &cycles {
            for &months in &months {
                let found = columns.iter().position(|&column| column == (cycles, months));
                let fix =
                    "measure every number of months at every number of cycles, or leave one out everywhere";
                order.push(
                    found.ok_or_else(|| {
                        reader.error(1, format!("there is no column {cycles}_{months}m"), fix)
                    })?,
                );
            }
        }
        let mut steps = Vec::new();
        let mut word_lines = 0;
        for (index, line) in lines {
            let row = reader.row(index + 1, line, word_lines, columns.len())?;
            steps.extend(order.iter().map(|&column| row[column]));
            word_lines += 1;
        }
        if word_lines == 0 {
            let fix = "a row for each word line follows the first";
            return Err(reader.error(1, "no word lines".to_owned(), fix));
        }
        let axis = |numbers: Vec<u32>| numbers.into_iter().map(|number| number as f32).collect();
        Ok(RetryTable { cycles: axis(cycles), months: axis(months), word_lines, steps })
    }

    /// Steps of a word line in a block with `word_lines` of them; not rounded.
    #[inline]
    #[must_use]
    pub fn steps(&self, word_line: u32, word_lines: u32, stress: f32, months: f32) -> f32 {
        let row = if word_lines == self.word_lines {
            word_line
        } else {
            (u64::from(word_line) * u64::from(self.word_lines) / u64::from(word_lines)) as u32
        };
        let row = row.min(self.word_lines - 1) as usize * self.cycles.len() * self.months.len();
        let (c0, c1, c) = bracket(&self.cycles, stress);
        let (m0, m1, m) = bracket(&self.months, months);
        let cell =
            |cycles: usize, months: usize| f32::from(self.steps[row + cycles * self.months.len() + months]);
        let at = |months: usize| cell(c0, months) + (cell(c1, months) - cell(c0, months)) * c;
        let measured = at(m0) + (at(m1) - at(m0)) * m;
        measured * (months / self.months[0]).clamp(0.0, 1.0)
    }

    /// Most steps that any word line needs.
    #[must_use]
    pub fn largest(&self) -> u8 {
        self.steps.iter().copied().max().unwrap_or(0)
    }

    /// Word lines of the table.
    #[must_use]
    pub fn word_lines(&self) -> u32 {
        self.word_lines
    }
}
