//! Any CSV, with a description of its columns.
//!
//! A description is a comma list of `key=value`, for example
//! `time-col=1,op-col=2,offset-col=3,size-col=4,time-unit=us,offset-unit=bytes,read-value=28,write-value=2a`.
//!
//! | key | value | default |
//! |---|---|---|
//! | `time-col`, `op-col`, `offset-col`, `size-col` | column number from 1, or its name in the header | none, needed |
//! | `device-col` | likewise | one device |
//! | `time-unit` | `s`, `ms`, `us`, `ns`, `filetime` (100 ns) | `us` |
//! | `offset-unit`, `size-unit` | `bytes`, `sectors` (512 bytes), `4k`, or a number of bytes | `bytes` |
//! | `read-value`, `write-value`, `trim-value`, `flush-value` | the words in the op column; alternatives by `/` | see
//! below |
//! | `delimiter` | a character, or `comma`, `tab`, `space`, `semicolon`, `pipe` | `comma` |
//! | `header` | `yes`, `no`, `auto` (yes if the time column of the first line is not a number) | `auto` |
//!
//! Without values, these words give the op, in either case: `r`/`read`, `w`/`write`, `d`/`discard`/`t`/`trim`/`unmap`,
//! `f`/`flush`/`sync`. Any other word is an error, so no request is silently taken as a write. With `delimiter=space`
//! any run of blanks is one delimiter. Quoted fields are not supported: block traces have none.

use std::str::FromStr;

use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};

use super::fields::Fields;
use super::msrc::FILETIME_TICK_NS;
use super::options::TraceOptions;
use super::text::{Line, LineFormat, is_header};
use super::write::{LineWriter, push_uint};
use crate::error::{Bad, TraceError};

/// The header of the CSV that Wordline itself writes; a file that starts with it needs no description.
const OWN_HEADER: &str = "time_ns,op,sector,sectors";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    Number(usize),
    Name(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    Yes,
    No,
    Auto,
}

/// The description of a CSV. Made by [`str::parse`]; see the [module](self) for its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvColumns {
    time: Column,
    op: Column,
    offset: Column,
    size: Column,
    device: Option<Column>,
    time_unit_ns: u64,
    offset_unit_bytes: u64,
    size_unit_bytes: u64,
    values: Vec<(String, Op)>,
    delimiter: u8,
    header: Header,
}

impl CsvColumns {
    /// The CSV that Wordline writes.
    pub(crate) fn own() -> Self {
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
        let (mut time, mut op, mut offset, mut size, mut device) = (None, None, None, None, None);
        let mut out = Self {
            time: Column::Number(0),
            op: Column::Number(0),
            offset: Column::Number(0),
            size: Column::Number(0),
            device: None,
            time_unit_ns: 1000,
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
                "device-col" => device = Some(column(key, value)?),
                "time-unit" => {
                    out.time_unit_ns = match value {
                        "s" => 1_000_000_000,
                        "ms" => 1_000_000,
                        "us" => 1000,
                        "ns" => 1,
                        "filetime" => FILETIME_TICK_NS,
                        _ => return Err(wrong(key, value, "s, ms, us, ns or filetime")),
                    }
                }
                "offset-unit" => out.offset_unit_bytes = unit_bytes(key, value)?,
                "size-unit" => out.size_unit_bytes = unit_bytes(key, value)?,
                "read-value" => out.values.extend(value.split('/').map(|v| (v.to_owned(), Op::Read))),
                "write-value" => out.values.extend(value.split('/').map(|v| (v.to_owned(), Op::Write))),
                "trim-value" => out.values.extend(value.split('/').map(|v| (v.to_owned(), Op::Trim))),
                "flush-value" => out.values.extend(value.split('/').map(|v| (v.to_owned(), Op::Flush))),
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
                    const KEYS: &str = "no such key; known: time-col, op-col, offset-col, size-col, device-col, \
                         time-unit, offset-unit, size-unit, read-value, write-value, trim-value, flush-value, delimiter, header";
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
        out.device = device;
        let named = [Some(&out.time), Some(&out.op), Some(&out.offset), Some(&out.size), out.device.as_ref()];
        if out.header == Header::No && named.into_iter().flatten().any(|c| matches!(c, Column::Name(_))) {
            return Err(wrong("header", "no", "columns given by name need a header"));
        }
        Ok(out)
    }
}

/// The positions of the needed columns, known after the header.
#[derive(Clone, Copy, Default)]
struct Places {
    time: usize,
    op: usize,
    offset: usize,
    size: usize,
    device: Option<usize>,
}

/// The parser of a CSV with a description, or of Wordline's own CSV without one.
pub(crate) struct Csv {
    columns: CsvColumns,
    places: Option<Places>,
}

impl Default for Csv {
    fn default() -> Self {
        Self { columns: CsvColumns::own(), places: None }
    }
}

impl LineFormat for Csv {
    fn new(options: &TraceOptions) -> Self {
        match &options.csv_columns {
            Some(columns) => Self { columns: columns.clone(), places: None },
            None => Self::default(),
        }
    }

    /// Only by the header that Wordline writes, because any table could fit.
    fn fits(line: &[u8]) -> bool {
        is_header(line, OWN_HEADER)
    }

    fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
        if line.trim_ascii().is_empty() {
            return Ok(Line::Other);
        }
        let places = match self.places {
            Some(places) => places,
            None => {
                let places = self.find_places(line)?;
                self.places = Some(places);
                if number == 1 && self.is_header(line, &places) {
                    return Ok(Line::Other);
                }
                places
            }
        };
        self.record(line, &places)
    }
}

impl Csv {
    fn split<'a>(&self, line: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let delimiter = self.columns.delimiter;
        let runs = delimiter == b' ';
        line.split(move |&b| b == delimiter || runs && b == b'\t')
            .map(<[u8]>::trim_ascii)
            .filter(move |field| !runs || !field.is_empty())
    }

    fn find_places(&self, header: &[u8]) -> Result<Places, Bad> {
        let find = |column: &Column| match column {
            Column::Number(n) => Ok(*n),
            Column::Name(name) => self
                .split(header)
                .position(|field| field.eq_ignore_ascii_case(name.as_bytes()))
                .ok_or_else(|| Bad::new(format!("a header with a column `{name}`"), header)),
        };
        let c = &self.columns;
        let device = c.device.as_ref().map(find).transpose()?;
        Ok(Places {
            time: find(&c.time)?,
            op: find(&c.op)?,
            offset: find(&c.offset)?,
            size: find(&c.size)?,
            device,
        })
    }

    fn is_header(&self, line: &[u8], places: &Places) -> bool {
        let c = &self.columns;
        let by_name = matches!((&c.time, &c.op), (Column::Name(_), _) | (_, Column::Name(_)));
        match c.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto if by_name => true,
            Header::Auto => {
                let time = self.split(line).nth(places.time).unwrap_or(b"");
                !time.first().is_some_and(|b| b.is_ascii_digit() || *b == b'-' || *b == b'.')
            }
        }
    }

    fn record(&self, line: &[u8], places: &Places) -> Result<Line, Bad> {
        const NOTHING: &[u8] = b"";
        let (mut time, mut op, mut offset, mut size, mut device) =
            (NOTHING, NOTHING, NOTHING, NOTHING, NOTHING);
        for (place, field) in self.split(line).enumerate() {
            if place == places.time {
                time = field;
            }
            if place == places.op {
                op = field;
            }
            if place == places.offset {
                offset = field;
            }
            if place == places.size {
                size = field;
            }
            if places.device == Some(place) {
                device = field;
            }
        }
        let time_ns = self.time_ns(time)?;
        let op = self.op(op)?;
        let device =
            if places.device.is_some() { Fields::new(device).uint32("a device number")? } else { 0 };
        if op == Op::Flush {
            return Ok(Line::flush(time_ns, device));
        }
        let offset_bytes = scaled(offset, self.columns.offset_unit_bytes, "an offset")?;
        let size_bytes = scaled(size, self.columns.size_unit_bytes, "a size")?;
        Line::of_bytes(time_ns, device, op, offset_bytes, size_bytes)
    }

    fn time_ns(&self, field: &[u8]) -> Result<u64, Bad> {
        let mut fields = Fields::new(field);
        let unit_ns = self.columns.time_unit_ns;
        let time_ns = fields.time(unit_ns, "a time")?;
        fields.end()?;
        Ok(time_ns)
    }

    fn op(&self, field: &[u8]) -> Result<Op, Bad> {
        if !self.columns.values.is_empty() {
            let known = self.columns.values.iter().find(|(value, _)| value.as_bytes() == field);
            return known.map(|(_, op)| *op).ok_or_else(|| {
                let values: Vec<_> = self.columns.values.iter().map(|(v, _)| v.as_str()).collect();
                Bad::new(
                    format!("an op of {} (or its read-value= or write-value=)", values.join(", ")),
                    field,
                )
            });
        }
        let is = |names: &[&str]| names.iter().any(|n| field.eq_ignore_ascii_case(n.as_bytes()));
        if is(&["r", "read"]) {
            Ok(Op::Read)
        } else if is(&["w", "write"]) {
            Ok(Op::Write)
        } else if is(&["d", "discard", "t", "trim", "unmap"]) {
            Ok(Op::Trim)
        } else if is(&["f", "flush", "sync"]) {
            Ok(Op::Flush)
        } else {
            Err(Bad::new("an op such as R or W (or give read-value= and write-value=)", field))
        }
    }
}

/// An address or a length in bytes.
fn scaled(field: &[u8], unit_bytes: u64, what: &'static str) -> Result<u64, Bad> {
    let mut fields = Fields::new(field);
    let value = fields.uint(what)?;
    fields.end()?;
    value.checked_mul(unit_bytes).ok_or_else(|| Bad::new(format!("{what} below 2^64 bytes"), field))
}

/// Writes `time_ns,op,sector,sectors`, which can be read without a description of its columns.
#[derive(Default)]
pub(crate) struct CsvWriter;

impl LineWriter for CsvWriter {
    const HEADER: &'static str = "time_ns,op,sector,sectors\n";

    fn line(&mut self, request: &HostRequest, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let op = match request.op {
            Op::Read => b'R',
            Op::Write => b'W',
            Op::Trim => b'T',
            Op::Flush => b'F',
        };
        push_uint(out, request.arrival_ns);
        out.extend([b',', op, b',']);
        push_uint(out, request.sector);
        out.push(b',');
        push_uint(out, u64::from(request.sectors));
        Ok(())
    }
}
