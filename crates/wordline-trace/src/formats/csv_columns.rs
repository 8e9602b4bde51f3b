//! The description of a CSV's columns.
//!
//! A description is a comma list of `key=value`, for example
//! `time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us,offset-unit=bytes,read-value=28,write-value=2a`.
//!
//! | key | value | default |
//! |---|---|---|
//! | `time-col`, `op-col`, `offset-col`, `size-col` | column number from 1, or its name in the header | none, needed |
//! | `device-col` | likewise; numbers, or names, which count from 0 in the order of their first appearance | one device |
//! | `handle-col` | likewise: the placement handle of a write or a close, counted from 1; empty or 0 for none | no handles |
//! | `latency-col` | likewise: times are those of completion, and this is subtracted | times are those of arrival |
//! | `latency-unit` | as `time-unit` | that of the time |
//! | `time-unit` | `s`, `ms`, `us`, `ns`, `filetime` (100 ns) | `us`, if that makes sense (`crate::time_unit`) |
//! | `offset-unit`, `size-unit` | `bytes`, `sectors` (512 bytes), `4k`, or a number of bytes | `bytes` |
//! | `read-value`, `write-value`, `trim-value`, `flush-value`, `close-value` | the words in the op column; several by `/` | see below |
//! | `skip-value` | words in the op column whose rows are left out, and counted; `*`: all other words | none |
//! | `delimiter` | a character, or `comma`, `tab`, `space`, `semicolon`, `pipe` | `comma` |
//! | `header` | `yes`, `no`, `auto` (yes if the time column of the first line is not a number) | `auto` |
//!
//! Without values, these words give the op, in either case: `r`/`read`, `w`/`write`, `d`/`discard`/`t`/`trim`/`unmap`,
//! `f`/`flush`/`sync`, and in the CSV that Wordline writes `c`/`close` (open groups). Any other word is an error, so no
//! request is silently taken as a write. Numbers may be hexadecimal with `0x`, times may be those of ISO 8601
//! (`2024-03-02 23:59:59.5`), fields may be in double quotes, and the header may come again. With `delimiter=space` any run
//! of blanks is one delimiter; a row with more fields than the header has words with blanks, such as the name of a process,
//! which are found where all other columns make sense.

use std::str::FromStr;

use wordline_core::host::{Op, SECTOR_BYTES};

use super::fields::FILETIME_TICK_NS;
use crate::error::TraceError;
use crate::unit::TimeUnit;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Number(usize),
    Name(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    Yes,
    No,
    Auto,
}

/// The description of a CSV. Made by [`str::parse`]; see the [module](self) for its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvColumns {
    pub(super) time: Column,
    pub(super) op: Column,
    pub(super) offset: Column,
    pub(super) size: Column,
    pub(super) device: Option<Column>,
    /// The placement handle.
    pub(super) handle: Option<Column>,
    /// Subtracted from the time.
    pub(super) latency: Option<Column>,
    /// None: that of the time.
    pub(super) latency_unit_ns: Option<u64>,
    /// Nothing counts before the line that has this alone.
    pub(super) begins_after: Option<&'static str>,
    /// None: us, if that makes sense.
    pub(super) time_unit_ns: Option<u64>,
    pub(super) offset_unit_bytes: u64,
    pub(super) size_unit_bytes: u64,
    /// The words of each operation; without one, their rows are left out.
    pub(super) values: Vec<(String, Option<Op>)>,
    pub(super) delimiter: u8,
    pub(super) header: Header,
}

impl CsvColumns {
    /// True if it says the unit of times.
    pub(super) fn has_time_unit(&self) -> bool {
        self.time_unit_ns.is_some()
    }

    /// True if times are those of completion, so that requests come in another order than they arrived in.
    pub(crate) fn has_latency(&self) -> bool {
        self.latency.is_some()
    }

    fn all(&self) -> impl Iterator<Item = &Column> {
        let needed = [&self.time, &self.op, &self.offset, &self.size];
        needed.into_iter().chain(&self.device).chain(&self.handle).chain(&self.latency)
    }

    fn add_values(&mut self, words: &str, op: Option<Op>) {
        self.values.extend(words.split('/').map(|word| (word.to_owned(), op)));
    }

    /// The CSV that Wordline writes.
    pub(super) fn own() -> Self {
        let spec =
            "time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=ns,offset-unit=sectors,size-unit=sectors";
        spec.parse().expect("a constant")
    }
}

fn wrong(key: &str, value: &str, why: &str) -> TraceError {
    TraceError::Option { option: format!("{key}={value}"), why: why.to_owned() }
}

/// Splits `key=value` pairs at the commas; the value of `delimiter` may itself be a comma.
fn pairs(spec: &str) -> Vec<&str> {
    let mut pairs = Vec::new();
    let mut rest = spec;
    while !rest.is_empty() {
        let value_is_comma = rest.starts_with("delimiter=,");
        let from = if value_is_comma { "delimiter=,".len() } else { 0 };
        let end = rest[from..].find(',').map_or(rest.len(), |at| from + at);
        pairs.push(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or("");
    }
    pairs
}

fn unit_bytes(key: &str, value: &str) -> Result<u64, TraceError> {
    match value {
        "bytes" | "byte" | "b" => Ok(1),
        "sectors" | "sector" => Ok(SECTOR_BYTES),
        "4k" => Ok(4096),
        _ => value
            .parse()
            .ok()
            .filter(|&n| n > 0)
            .ok_or_else(|| wrong(key, value, "bytes, sectors, 4k or a number of bytes")),
    }
}

fn unit_ns(key: &str, value: &str) -> Result<u64, TraceError> {
    match value {
        "filetime" => Ok(FILETIME_TICK_NS),
        _ => value
            .parse()
            .map(TimeUnit::ns)
            .map_err(|_| wrong(key, value, "s, ms, us, ns or filetime (100 ns)")),
    }
}

fn column(key: &str, value: &str) -> Result<Column, TraceError> {
    match value.parse::<usize>() {
        Ok(0) => Err(wrong(key, value, "columns count from 1")),
        Ok(n) => Ok(Column::Number(n - 1)),
        Err(_) if value.is_empty() => {
            Err(wrong(key, value, "a column number from 1, or its name in the header"))
        }
        Err(_) => Ok(Column::Name(value.to_owned())),
    }
}

fn delimiter(value: &str) -> Result<u8, TraceError> {
    match value {
        "comma" => Ok(b','),
        "tab" => Ok(b'\t'),
        "space" => Ok(b' '),
        "semicolon" => Ok(b';'),
        "pipe" => Ok(b'|'),
        _ if value.len() == 1 => Ok(value.as_bytes()[0]),
        _ => Err(wrong("delimiter", value, "one character, or comma, tab, space, semicolon or pipe")),
    }
}

impl FromStr for CsvColumns {
    type Err = TraceError;

    fn from_str(spec: &str) -> Result<Self, TraceError> {
        let (mut time, mut op, mut offset, mut size) = (None, None, None, None);
        let mut out = Self {
            time: Column::Number(0),
            op: Column::Number(0),
            offset: Column::Number(0),
            size: Column::Number(0),
            device: None,
            handle: None,
            latency: None,
            latency_unit_ns: None,
            begins_after: None,
            time_unit_ns: None,
            offset_unit_bytes: 1,
            size_unit_bytes: 1,
            values: Vec::new(),
            delimiter: b',',
            header: Header::Auto,
        };
        for pair in pairs(spec) {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(wrong(pair, "", "a CSV is described by key=value pairs"));
            };
            match key {
                "time-col" => time = Some(column(key, value)?),
                "op-col" => op = Some(column(key, value)?),
                "offset-col" => offset = Some(column(key, value)?),
                "size-col" => size = Some(column(key, value)?),
                "device-col" => out.device = Some(column(key, value)?),
                "handle-col" => out.handle = Some(column(key, value)?),
                "latency-col" => out.latency = Some(column(key, value)?),
                "time-unit" => out.time_unit_ns = Some(unit_ns(key, value)?),
                "latency-unit" => out.latency_unit_ns = Some(unit_ns(key, value)?),
                "offset-unit" => out.offset_unit_bytes = unit_bytes(key, value)?,
                "size-unit" => out.size_unit_bytes = unit_bytes(key, value)?,
                "read-value" => out.add_values(value, Some(Op::Read)),
                "write-value" => out.add_values(value, Some(Op::Write)),
                "trim-value" => out.add_values(value, Some(Op::Trim)),
                "flush-value" => out.add_values(value, Some(Op::Flush)),
                "close-value" => out.add_values(value, Some(Op::Close)),
                "skip-value" => out.add_values(value, None),
                "delimiter" => out.delimiter = delimiter(value)?,
                "header" => {
                    out.header = match value {
                        "yes" => Header::Yes,
                        "no" => Header::No,
                        "auto" => Header::Auto,
                        _ => return Err(wrong(key, value, "yes, no or auto")),
                    }
                }
                _ => {
                    const KEYS: &str = "no such key; known: time-col, op-col, offset-col, size-col, device-col, handle-col, latency-col, \
                         time-unit, latency-unit, offset-unit, size-unit, read-value, write-value, trim-value, flush-value, close-value, skip-value, \
                         delimiter, header";
                    return Err(wrong(key, value, KEYS));
                }
            }
        }
        let need = |column: Option<Column>, key: &str| {
            column.ok_or_else(|| wrong(key, "", "a CSV needs time-col, op-col, offset-col and size-col"))
        };
        out.time = need(time, "time-col")?;
        out.op = need(op, "op-col")?;
        out.offset = need(offset, "offset-col")?;
        out.size = need(size, "size-col")?;
        if out.latency_unit_ns.is_some() && out.latency.is_none() {
            return Err(wrong("latency-unit", "", "is about latency-col, which is not given"));
        }
        if out.header == Header::No && out.all().any(|column| matches!(column, Column::Name(_))) {
            return Err(wrong("header", "no", "columns given by name need a header"));
        }
        Ok(out)
    }
}
