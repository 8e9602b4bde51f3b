//! Any CSV, with a description of its columns (`csv_columns.rs`).

use wordline_core::host::{HostRequest, Op};

use super::Format;
use super::csv_columns::{Column, CsvColumns, Header};
use super::csv_row::{self, Row};
use super::fields::Fields;
use super::names::Names;
use super::options::TraceOptions;
use super::text::{Line, LineFormat, is_header};
use super::write::{LineWriter, push_uint};
use crate::error::Bad;
use crate::unit::TimeUnit;

/// The header of the CSV that Wordline itself writes; a file that starts with it needs no description.
const OWN_HEADER: &str = "time_ns,op,sector,sectors";
/// That of today.
const HEADER_WITH_HANDLES: &str = "time_ns,op,sector,sectors,handle";
/// Added to times from which latencies are subtracted, ns: the first request may have been issued before time zero.
const BEFORE_ZERO_NS: u64 = 1 << 60;

/// The positions of the needed columns, known after the header.
#[derive(Clone, Copy, Default)]
struct Places {
    time: usize,
    op: usize,
    offset: usize,
    size: usize,
    device: Option<usize>,
    handle: Option<usize>,
    latency: Option<usize>,
    /// Fields of the header, or of the first row.
    fields: usize,
}

/// The parser of a CSV with a description, or of Wordline's own CSV without one.
pub(crate) struct Csv {
    columns: Box<CsvColumns>,
    places: Option<Places>,
    header: Vec<u8>,
    devices: Names,
    unit_ns: u64,
    latency_unit_ns: u64,
    before_zero_ns: u64,
    /// It is the CSV that Wordline writes.
    is_own: bool,
}

impl Default for Csv {
    fn default() -> Self {
        Self {
            columns: Box::new(CsvColumns::own()),
            places: None,
            header: Vec::new(),
            devices: Names::default(),
            unit_ns: 1,
            latency_unit_ns: 1,
            before_zero_ns: 0,
            is_own: true,
        }
    }
}

impl LineFormat for Csv {
    const TIME_UNITS: &'static [TimeUnit] =
        &[TimeUnit::Microseconds, TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Nanoseconds];

    fn new(options: &TraceOptions) -> Self {
        let Some(columns) = &options.csv_columns else { return Self::default() };
        let unit_ns = columns.time_unit_ns.unwrap_or_else(|| options.time_unit_ns(Format::Csv));
        Self {
            columns: Box::new(columns.clone()),
            unit_ns,
            latency_unit_ns: columns.latency_unit_ns.unwrap_or(unit_ns),
            before_zero_ns: if columns.has_latency() && !options.keep_time { BEFORE_ZERO_NS } else { 0 },
            is_own: false,
            ..Self::default()
        }
    }

    /// Only by the header that Wordline writes, because any table could fit.
    fn fits(line: &[u8]) -> bool {
        is_header(line, OWN_HEADER) || is_header(line, HEADER_WITH_HANDLES)
    }

    fn follow(&mut self, before: &mut Self) {
        self.devices = std::mem::take(&mut before.devices);
    }

    fn parse(&mut self, line: &[u8], _number: u64) -> Result<Line, Bad> {
        if line.trim_ascii().is_empty() {
            return Ok(Line::Other);
        }
        if let Some(mark) = self.columns.begins_after {
            if line.trim_ascii() == mark.as_bytes() {
                self.columns.begins_after = None;
            }
            return Ok(Line::Other);
        }
        let places = match self.places {
            Some(places) => places,
            None => {
                let places = self.find_places(line)?;
                self.places = Some(places);
                if self.is_header(line, &places) {
                    self.header = line.to_owned();
                    return Ok(Line::Other);
                }
                places
            }
        };
        match self.row(line, &places) {
            // Files that were put behind each other have their headers in between.
            Err(_) if !self.header.is_empty() && line == self.header => Ok(Line::Other),
            Err(bad) => Err(self.explained(bad, line, &places)),
            line => line,
        }
    }
}

impl Csv {
    fn find_places(&self, header: &[u8]) -> Result<Places, Bad> {
        let delimiter = self.columns.delimiter;
        let find = |column: &Column| match column {
            Column::Number(n) => Ok(*n),
            Column::Name(name) => csv_row::fields(header, delimiter)
                .position(|field| field.eq_ignore_ascii_case(name.as_bytes()))
                .ok_or_else(|| Bad::new(format!("a header with a column `{name}`"), header)),
        };
        let c = &self.columns;
        Ok(Places {
            time: find(&c.time)?,
            op: find(&c.op)?,
            offset: find(&c.offset)?,
            size: find(&c.size)?,
            device: c.device.as_ref().map(find).transpose()?,
            handle: match &c.handle {
                // It came later to the columns that are written here.
                None if self.is_own => {
                    csv_row::fields(header, delimiter).position(|field| field == b"handle")
                }
                handle => handle.as_ref().map(find).transpose()?,
            },
            latency: c.latency.as_ref().map(find).transpose()?,
            fields: csv_row::fields(header, delimiter).count(),
        })
    }

    fn is_header(&self, line: &[u8], places: &Places) -> bool {
        let c = &self.columns;
        let is_name = |column: &Column| matches!(column, Column::Name(_));
        match c.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto if [&c.time, &c.op, &c.offset, &c.size].into_iter().any(is_name) => true,
            Header::Auto => {
                let time = csv_row::fields(line, c.delimiter).nth(places.time).unwrap_or(b"");
                !time.first().is_some_and(|b| b.is_ascii_digit() || *b == b'-' || *b == b'.')
            }
        }
    }

    /// The request of a row; where words with blanks make it longer than the header, they are in the one column that makes
    /// sense of those that are needed, and is none of them.
    #[inline]
    fn row(&mut self, line: &[u8], places: &Places) -> Result<Line, Bad> {
        let row = csv_row::pick(line, self.columns.delimiter, &places.wanted(), 0..0);
        if self.columns.delimiter != b' ' || row.fields <= places.fields {
            return self.record(&row, places);
        }
        self.row_with_blanks(line, places, row.fields - places.fields)
    }

    #[cold]
    fn row_with_blanks(&mut self, line: &[u8], places: &Places, more: usize) -> Result<Line, Bad> {
        let (mut read, mut is_skipped) = (None, false);
        for from in 0..=places.fields {
            if places.wanted().contains(&from) {
                continue;
            }
            let row = csv_row::pick(line, b' ', &places.wanted(), from..from + more);
            let record = match self.record(&row, places) {
                Ok(record @ Line::Request(_)) => record,
                other => {
                    is_skipped |= other.is_ok();
                    continue;
                }
            };
            if read.is_some_and(|read| read != record) {
                return Err(Bad::new("words without blanks, or another delimiter such as tab", line));
            }
            read = Some(record);
        }
        let skipped = is_skipped.then_some(Line::Skipped);
        read.or(skipped).ok_or_else(|| Bad::new(format!("{} fields, as the header has", places.fields), line))
    }

    fn record(&mut self, row: &Row<'_>, places: &Places) -> Result<Line, Bad> {
        let [time, op, offset, size, device, handle, latency] = row.picked;
        // As in RWBS, an F behind the W is FUA.
        let fua = self.is_own && op.eq_ignore_ascii_case(b"wf");
        let Some(op) = self.op(if fua { b"w" } else { op })? else { return Ok(Line::Skipped) };
        let mut time_ns = time_of(time, self.unit_ns, "a time")?.saturating_add(self.before_zero_ns);
        if places.latency.is_some() {
            time_ns = time_ns.saturating_sub(time_of(latency, self.latency_unit_ns, "a latency")?);
        }
        let device = if places.device.is_some() { self.device(device)? } else { 0 };
        let handle = handle_of(handle)?;
        if !op.has_address() {
            if self.is_own {
                nothing(offset, "sector")?;
                nothing(size, "number of sectors")?;
            }
            return Ok(Line::without_address(time_ns, device, op).with_handle(handle));
        }
        if !op.has_sectors() {
            nothing(size, "number of sectors")?;
        }
        let offset_bytes = scaled(offset, self.columns.offset_unit_bytes, "an offset")?;
        let size_bytes = scaled(size, self.columns.size_unit_bytes, "a size")?;
        Ok(Line::of_bytes(time_ns, device, op, offset_bytes, size_bytes)?.with_fua(fua).with_handle(handle))
    }

    /// The number of a device, which may have a name.
    fn device(&mut self, field: &[u8]) -> Result<u32, Bad> {
        const WHAT: &str = "a device number or name";
        let mut fields = Fields::new(field);
        match fields.uint32(WHAT) {
            Ok(number) if self.devices.is_empty() => fields.end().map(|()| number),
            _ if field.is_empty() => Err(Bad::new(WHAT, field)),
            _ => Ok(self.devices.number(field)),
        }
    }

    /// The error of a row, with the reason that a longer row suggests.
    #[cold]
    fn explained(&self, bad: Bad, line: &[u8], places: &Places) -> Bad {
        let fields = csv_row::fields(line, self.columns.delimiter).count();
        if self.columns.delimiter != b','
            || fields <= places.fields && !bad.found.trim_matches('`').bytes().all(|b| b.is_ascii_digit())
        {
            return bad;
        }
        let hint = if fields > places.fields {
            format!("the row has {fields} fields, the first line {}: ", places.fields)
        } else {
            String::new()
        };
        Bad {
            expected: format!("{} ({hint}a decimal comma? It is not read, write a point)", bad.expected),
            ..bad
        }
    }

    /// The operation that a word means; `None` where its row is left out.
    fn op(&self, field: &[u8]) -> Result<Option<Op>, Bad> {
        let values = &self.columns.values;
        if let Some((_, op)) = values.iter().find(|(value, _)| value.as_bytes() == field) {
            return Ok(*op);
        }
        let skips_others = values.iter().any(|(value, op)| op.is_none() && value == "*");
        if values.iter().any(|(_, op)| op.is_some()) {
            if skips_others {
                return Ok(None);
            }
            let words: Vec<_> = values.iter().map(|(v, _)| v.as_str()).collect();
            let expected = format!(
                "an op of {} (several words are read-value=A/B; skip-value=A leaves rows out)",
                words.join(", ")
            );
            return Err(Bad::new(expected, field));
        }
        let is = |names: &[&str]| names.iter().any(|n| field.eq_ignore_ascii_case(n.as_bytes()));
        if is(&["r", "read"]) {
            Ok(Some(Op::Read))
        } else if is(&["w", "write"]) {
            Ok(Some(Op::Write))
        } else if is(&["d", "discard", "t", "trim", "unmap"]) {
            Ok(Some(Op::Trim))
        } else if is(&["f", "flush", "sync"]) {
            Ok(Some(Op::Flush))
        } else if self.is_own && is(&["c", "close"]) {
            // Elsewhere the word is of files, not of groups of blocks.
            Ok(Some(Op::Close))
        } else if self.is_own
            && let Some(&(op, _)) = ZONED.iter().find(|(_, word)| field.eq_ignore_ascii_case(word))
        {
            Ok(Some(op))
        } else if skips_others {
            Ok(None)
        } else {
            Err(Bad::new("an op such as R or W (or give read-value= and write-value=)", field))
        }
    }
}

impl Places {
    /// In the order of [`Row::picked`].
    fn wanted(&self) -> [usize; csv_row::PICKED] {
        let none = usize::MAX;
        let Self { time, op, offset, size, device, handle, latency, .. } = *self;
        let [device, handle, latency] = [device, handle, latency].map(|place| place.unwrap_or(none));
        [time, op, offset, size, device, handle, latency]
    }
}

/// Operations of drives of zones, by their words in the columns that are written here.
const ZONED: [(Op, &[u8]); 6] = [
    (Op::Append, b"A"),
    (Op::ZoneOpen, b"ZO"),
    (Op::ZoneClose, b"ZC"),
    (Op::ZoneFinish, b"ZF"),
    (Op::ZoneReset, b"ZR"),
    (Op::ZoneReport, b"ZP"),
];

/// A time in ns.
fn time_of(field: &[u8], unit_ns: u64, what: &'static str) -> Result<u64, Bad> {
    let mut fields = Fields::new(field);
    let time_ns = fields.time(unit_ns, what)?;
    fields.end()?;
    Ok(time_ns)
}

/// A placement handle; 0 for none.
fn handle_of(field: &[u8]) -> Result<u16, Bad> {
    const WHAT: &str = "a placement handle, counted from 1 and below 65,536; 0 for none";
    if field.is_empty() {
        return Ok(0);
    }
    let mut fields = Fields::new(field);
    let handle = fields.uint32(WHAT)?;
    fields.end()?;
    u16::try_from(handle).map_err(|_| Bad::new(WHAT, field))
}

/// An address or a length in bytes.
fn scaled(field: &[u8], unit_bytes: u64, what: &'static str) -> Result<u64, Bad> {
    let mut fields = Fields::new(field);
    let value = fields.uint(what)?;
    fields.end()?;
    value.checked_mul(unit_bytes).ok_or_else(|| Bad::new(format!("{what} below 2^64 bytes"), field))
}

/// A field of an operation without an address, which has none or 0. Recorders of others write there what they like.
fn nothing(field: &[u8], what: &'static str) -> Result<(), Bad> {
    if field.iter().all(|&byte| byte == b'0') {
        return Ok(());
    }
    Err(Bad::new(format!("0 as the {what} of an operation without an address (F, C)"), field))
}

/// Writes `time_ns,op,sector,sectors,handle`, which can be read without a description of its columns.
#[derive(Default)]
pub(crate) struct CsvWriter;

impl LineWriter for CsvWriter {
    const HEADER: &'static str = "time_ns,op,sector,sectors,handle\n";

    fn line(&mut self, request: &HostRequest, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let op: &[u8] = match request.op {
            Op::Read => b"R",
            Op::Write if request.fua => b"WF",
            Op::Write => b"W",
            Op::Trim => b"T",
            Op::Flush => b"F",
            Op::Close => b"C",
            zoned => ZONED.iter().find(|(op, _)| *op == zoned).map_or(b"", |(_, word)| word),
        };
        push_uint(out, request.arrival_ns);
        out.push(b',');
        out.extend(op);
        out.push(b',');
        let (sector, sectors) =
            if request.op.has_address() { (request.sector, request.sectors) } else { (0, 0) };
        push_uint(out, sector);
        out.push(b',');
        push_uint(out, u64::from(sectors));
        out.push(b',');
        push_uint(out, u64::from(request.hint));
        Ok(())
    }
}
