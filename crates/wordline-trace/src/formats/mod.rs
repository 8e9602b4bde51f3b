//! One file a format. Each holds a parser of one line and the test whether a first line is of its format; adding
//! a format is a new file and its lines in this one.

pub mod csv;
pub mod native;

mod alibaba;
mod blkparse;
mod disksim;
mod fields;
mod fio_iolog;
mod mqsim;
mod msrc;
mod spc;
mod systor17;
mod vscsi_csv;

pub(crate) use fields::sectors_of_bytes;

use std::fmt;
use std::str::FromStr;

use wordline_core::host::Op;

use crate::error::{Bad, TraceError};
use crate::options::ZeroLength;
use crate::order::TimeBack;

/// Window of the formats whose recorders write a request when it ends, or on several CPUs, but stamp it when it starts.
const SORT_WINDOW: TimeBack = TimeBack::SortWindow(1024);

/// A trace format, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// MSR Cambridge CSV, `msrc`.
    Msrc,
    /// Alibaba block traces CSV, `alibaba`.
    Alibaba,
    /// SYSTOR '17 CSV, `systor17`.
    Systor17,
    /// SPC, as the UMass repository has it, `spc`.
    Spc,
    /// MQSim's (and SSDsim's) ASCII, `mqsim`.
    Mqsim,
    /// DiskSim's ASCII, `disksim`.
    Disksim,
    /// The default text of `blkparse`, `blkparse`.
    Blkparse,
    /// fio's I/O log, versions 2 and 3, `fio-iolog`.
    FioIolog,
    /// VMware vscsiStats as CSV, `vscsi-csv`.
    VscsiCsv,
    /// Any CSV, described by its columns, `csv`.
    Csv,
    /// Wordline's own compact binary, `native`.
    Native,
}

impl Format {
    /// All formats, in the order in which they are listed to a user.
    pub const ALL: [Self; 11] = [
        Self::Msrc,
        Self::Alibaba,
        Self::Systor17,
        Self::Spc,
        Self::Mqsim,
        Self::Disksim,
        Self::Blkparse,
        Self::FioIolog,
        Self::VscsiCsv,
        Self::Csv,
        Self::Native,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Msrc => "msrc",
            Self::Alibaba => "alibaba",
            Self::Systor17 => "systor17",
            Self::Spc => "spc",
            Self::Mqsim => "mqsim",
            Self::Disksim => "disksim",
            Self::Blkparse => "blkparse",
            Self::FioIolog => "fio-iolog",
            Self::VscsiCsv => "vscsi-csv",
            Self::Csv => "csv",
            Self::Native => "native",
        }
    }

    /// The names of all formats, for messages.
    pub fn known() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// What a timestamp that goes back means unless the user says otherwise.
    ///
    /// `msrc` and `systor17` carry the response time on the same line as the time of issue, so a line is written
    /// when the request ends; `alibaba` and `blkparse` are merged from many volumes or CPUs. Such traces are sorted
    /// in a window of 1024 requests. In the others a step back is an error.
    pub fn default_time_back(self) -> TimeBack {
        match self {
            Self::Msrc | Self::Alibaba | Self::Systor17 | Self::Blkparse => SORT_WINDOW,
            Self::Spc | Self::Mqsim | Self::Disksim | Self::FioIolog => TimeBack::Error,
            Self::VscsiCsv | Self::Csv | Self::Native => TimeBack::Error,
        }
    }

    /// What a request of no length means unless the user says otherwise. SCSI allows a transfer of no blocks, which
    /// moves nothing, and fio's logs hold such lines for failed I/O: these are skipped and counted. Elsewhere
    /// it is a sign of a wrong column or a damaged line, and an error.
    pub fn default_zero_length(self) -> ZeroLength {
        match self {
            Self::VscsiCsv | Self::Blkparse | Self::FioIolog => ZeroLength::Skip,
            _ => ZeroLength::Error,
        }
    }

    /// Does this line open a file of the format? (`native` and `csv` are no matter of one line.)
    pub(crate) fn fits_first_line(self, line: &[u8]) -> bool {
        match self {
            Self::Msrc => msrc::fits(line),
            Self::Alibaba => alibaba::fits(line),
            Self::Systor17 => systor17::fits(line),
            Self::Spc => spc::fits(line),
            Self::Mqsim => mqsim::fits(line),
            Self::Disksim => disksim::fits(line),
            Self::Blkparse => blkparse::fits(line),
            Self::FioIolog => fio_iolog::fits(line),
            Self::VscsiCsv => vscsi_csv::fits(line),
            Self::Csv => csv::fits_own_header(line),
            Self::Native => false,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        Self::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| TraceError::Option {
            option: format!("format={name}"),
            why: format!("no such format; known: {}", Self::known()),
        })
    }
}

/// One line as its format has it: before devices, order and the trace's zero are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// In ns on the trace's own clock.
    pub time_ns: u64,
    pub device: u32,
    pub sector: u64,
    pub sectors: u32,
    pub op: Op,
}

/// What a good line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A request.
    Request(Record),
    /// A header, a blank line, another event: nothing that a device would see.
    Other,
    /// Something sent to the device that is no request of ours (an inquiry, an answer that never came): counted.
    Skipped,
}

/// The parser of a text format, chosen once; one match a line is cheaper than a virtual call.
pub(crate) enum LineParser {
    Msrc,
    Alibaba,
    Systor17,
    Spc,
    Mqsim,
    Disksim,
    VscsiCsv,
    Blkparse(blkparse::Parser),
    FioIolog(fio_iolog::Parser),
    Csv(csv::Parser),
}

impl LineParser {
    /// `columns` is there for `csv` alone. `None` for the binary format.
    pub fn new(format: Format, columns: Option<&csv::CsvColumns>) -> Option<Self> {
        Some(match format {
            Format::Msrc => Self::Msrc,
            Format::Alibaba => Self::Alibaba,
            Format::Systor17 => Self::Systor17,
            Format::Spc => Self::Spc,
            Format::Mqsim => Self::Mqsim,
            Format::Disksim => Self::Disksim,
            Format::VscsiCsv => Self::VscsiCsv,
            Format::Blkparse => Self::Blkparse(blkparse::Parser::default()),
            Format::FioIolog => Self::FioIolog(fio_iolog::Parser::default()),
            Format::Csv => Self::Csv(csv::Parser::new(columns.cloned().unwrap_or_else(csv::CsvColumns::own))),
            Format::Native => return None,
        })
    }

    /// Broken timestamps that the parser replaced so far.
    pub fn repaired_times(&self) -> u64 {
        if let Self::Blkparse(parser) = self { parser.repaired } else { 0 }
    }

    /// Line `number` (from 1) of the file.
    #[inline]
    pub fn parse(&mut self, line: &[u8], number: u64) -> Result<Line, Bad> {
        match self {
            Self::Msrc => msrc::parse(line, number),
            Self::Alibaba => alibaba::parse(line, number),
            Self::Systor17 => systor17::parse(line, number),
            Self::Spc => spc::parse(line),
            Self::Mqsim => mqsim::parse(line),
            Self::Disksim => disksim::parse(line),
            Self::VscsiCsv => vscsi_csv::parse(line, number),
            Self::Blkparse(parser) => parser.parse(line),
            Self::FioIolog(parser) => parser.parse(line, number),
            Self::Csv(parser) => parser.parse(line, number),
        }
    }
}

/// Is this the header that names `columns`? Case and blanks do not matter.
fn is_header(line: &[u8], columns: &str) -> bool {
    let letters = line.iter().filter(|b| **b != b' ').map(u8::to_ascii_lowercase);
    letters.eq(columns.bytes().map(|b| b.to_ascii_lowercase()))
}

/// A request of bytes, in sectors.
#[inline]
fn byte_request(time_ns: u64, device: u32, op: Op, offset_bytes: u64, size_bytes: u64) -> Result<Line, Bad> {
    match sectors_of_bytes(offset_bytes, size_bytes) {
        Some((sector, sectors)) => Ok(Line::Request(Record { time_ns, device, sector, sectors, op })),
        None => Err(too_long(size_bytes)),
    }
}

#[cold]
fn too_long(size_bytes: u64) -> Bad {
    Bad::new(
        "a request of less than 2 TiB that ends below 2^64 bytes",
        format!("{size_bytes} bytes").as_bytes(),
    )
}
