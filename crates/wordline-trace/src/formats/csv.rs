//! Any CSV, with a description of its columns (`csv_columns.rs`).

use wordline_core::host::{HostRequest, Op};

use super::Format;
use super::csv_columns::{Column, CsvColumns, Header};
use super::fields::Fields;
use super::options::TraceOptions;
use super::text::{Line, LineFormat, is_header};
use super::write::{LineWriter, push_uint};
use crate::error::Bad;
use crate::unit::TimeUnit;

/// The header of the CSV that Wordline itself writes; a file that starts with it needs no description.
const OWN_HEADER: &str = "time_ns,op,sector,sectors";

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
    unit_ns: u64,
    /// It is the CSV that Wordline writes.
    is_own: bool,
}

impl Default for Csv {
    fn default() -> Self {
        Self { columns: CsvColumns::own(), places: None, unit_ns: 1, is_own: true }
    }
}

impl LineFormat for Csv {
    const TIME_UNITS: &'static [TimeUnit] =
        &[TimeUnit::Microseconds, TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Nanoseconds];

    fn new(options: &TraceOptions) -> Self {
        match &options.csv_columns {
            Some(columns) => {
                let unit_ns = columns.time_unit_ns.unwrap_or_else(|| options.time_unit_ns(Format::Csv));
                Self { columns: columns.clone(), places: None, unit_ns, is_own: false }
            }
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
        let Some(op) = self.op(op)? else { return Ok(Line::Skipped) };
        let time_ns = self.time_ns(time)?;
        let device =
            if places.device.is_some() { Fields::new(device).uint32("a device number")? } else { 0 };
        if !op.has_address() {
            if self.is_own {
                nothing(offset, "sector")?;
                nothing(size, "number of sectors")?;
            }
            return Ok(Line::without_address(time_ns, device, op));
        }
        let offset_bytes = scaled(offset, self.columns.offset_unit_bytes, "an offset")?;
        let size_bytes = scaled(size, self.columns.size_unit_bytes, "a size")?;
        Line::of_bytes(time_ns, device, op, offset_bytes, size_bytes)
    }

    fn time_ns(&self, field: &[u8]) -> Result<u64, Bad> {
        let mut fields = Fields::new(field);
        let time_ns = fields.time(self.unit_ns, "a time")?;
        fields.end()?;
        Ok(time_ns)
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
        } else if skips_others {
            Ok(None)
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

/// A field of an operation without an address, which has none or 0. Recorders of others write there what they like.
fn nothing(field: &[u8], what: &'static str) -> Result<(), Bad> {
    if field.iter().all(|&byte| byte == b'0') {
        return Ok(());
    }
    Err(Bad::new(format!("0 as the {what} of an operation without an address (F, C)"), field))
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
            Op::Close => b'C',
        };
        push_uint(out, request.arrival_ns);
        out.extend([b',', op, b',']);
        let (sector, sectors) =
            if request.op.has_address() { (request.sector, request.sectors) } else { (0, 0) };
        push_uint(out, sector);
        out.push(b',');
        push_uint(out, u64::from(sectors));
        Ok(())
    }
}
