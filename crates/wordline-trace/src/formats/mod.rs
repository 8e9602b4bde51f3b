//! One file per format. A new format needs its file, with a parser and a test of the first line, the file's `mod` line,
//! and one row of the table below. All other code reads the table: names and their help, detection, static dispatch,
//! and, through [`Format::ALL`], the command line, Python and the tests.

mod csv;
pub mod csv_columns;
mod csv_row;
pub mod native;

mod alibaba;
mod blkparse;
mod disksim;
mod fields;
mod fio_iolog;
mod fiu;
mod iso_time;
mod mqsim;
mod msrc;
mod names;
pub(crate) mod options;
mod scientific;
mod spc;
mod systor17;
pub(crate) mod tables;
mod tencent_cbs;
mod text;
mod vscsi_csv;
mod write;

pub(crate) use csv::CsvWriter;
pub(crate) use fio_iolog::FioWriter;
pub(crate) use mqsim::Mqsim as MqsimWriter;
pub(crate) use write::{LineWriter, TextWriter, WriteError};

use std::fmt;
use std::str::FromStr;

use crate::error::{ReadError, TraceError};
use crate::input::Lines;
use crate::order::TimeBack;
use crate::request::TraceOp;
use crate::unit::TimeUnit;
use options::{TraceOptions, ZeroLength};
use text::Text;

/// One request as its format has it, before devices, order and time zero are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Time in ns on the trace's own clock.
    pub time_ns: u64,
    pub device: u32,
    pub sector: u64,
    pub sectors: u32,
    pub connection: u16,
    pub handle: u16,
    pub op: TraceOp,
    pub fua: bool,
}

/// Reads the records of a format one by one.
pub(crate) trait Records: Sized {
    /// The default for a timestamp that goes back.
    const TIME_BACK: TimeBack = TimeBack::Error;
    /// The default for a request of zero length.
    const ZERO_LENGTH: ZeroLength = ZeroLength::Error;

    /// The units of time in which files of the format come, the documented one first; none where there is only one.
    const TIME_UNITS: &'static [TimeUnit] = &[];

    /// Builds a reader at the beginning of a file.
    fn new(options: &TraceOptions) -> Self;

    /// Returns true if this line, the first that is not blank, starts a file of the format.
    fn fits(first_line: &[u8]) -> bool;

    /// The next record, or `None` at the end; its number is then `lines.line()`. Adds to `skipped` the lines of
    /// commands that are not requests here.
    fn next(&mut self, lines: &mut Lines, skipped: &mut u64) -> Result<Option<Record>, ReadError>;

    /// The number of broken timestamps that were replaced so far.
    fn repaired_times(&self) -> u64 {
        0
    }

    /// The reader of the file before goes: what it knows of names stays.
    fn follow(&mut self, _before: &mut Self) {}

    /// Why a file of the format has no request, where the reader knows.
    fn nothing(&self) -> Option<String> {
        None
    }
}

/// Makes the enum of formats, and the reader that dispatches on it, from the rows: chosen once, one match per record.
macro_rules! formats {
    ($($variant:ident $name:literal $help:literal => $records:ty;)*) => {
        /// A trace format, by its name on the command line.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format {
            $(#[doc = concat!("`", $name, "`: ", $help, ".")] $variant,)*
        }

        impl Format {
            /// All formats, in the order of lists for users.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// A short description.
            #[must_use]
            pub fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }

            /// The default for a timestamp that goes back.
            ///
            /// Some recorders write a line when its request ends, but with the time of its start; others merge many
            /// volumes or CPUs. Such traces are sorted in a window. For the others a step back is an error.
            #[must_use]
            pub fn default_time_back(self) -> TimeBack {
                match self { $(Self::$variant => <$records>::TIME_BACK,)* }
            }

            /// The default for a request of zero length. SCSI allows a transfer of zero blocks, which moves no data,
            /// and fio's logs have such lines for failed I/O: these are skipped and counted. In other formats it
            /// indicates a wrong column or a damaged line, and is an error.
            #[must_use]
            pub fn default_zero_length(self) -> ZeroLength {
                match self { $(Self::$variant => <$records>::ZERO_LENGTH,)* }
            }

            /// The units of time in which files of the format come, the documented one first; none where there is
            /// only one.
            #[must_use]
            pub fn time_units(self) -> &'static [TimeUnit] {
                match self { $(Self::$variant => <$records>::TIME_UNITS,)* }
            }

            /// Returns true if this line, the first that is not blank, starts a file of the format.
            pub(crate) fn fits(self, first_line: &[u8]) -> bool {
                match self { $(Self::$variant => <$records>::fits(first_line),)* }
            }
        }

        /// The reader of a file's records.
        pub(crate) enum FileRecords { $($variant($records),)* }

        impl FileRecords {
            pub fn new(format: Format, options: &TraceOptions) -> Self {
                match format { $(Format::$variant => Self::$variant(<$records>::new(options)),)* }
            }

            #[inline]
            pub fn next(&mut self, lines: &mut Lines, skipped: &mut u64) -> Result<Option<Record>, ReadError> {
                match self { $(Self::$variant(records) => records.next(lines, skipped),)* }
            }

            pub fn repaired_times(&self) -> u64 {
                match self { $(Self::$variant(records) => records.repaired_times(),)* }
            }

            pub fn follow(&mut self, before: &mut Self) {
                match (self, before) {
                    $((Self::$variant(records), Self::$variant(before)) => records.follow(before),)*
                    _ => {}
                }
            }

            pub fn nothing(&self) -> Option<String> {
                match self { $(Self::$variant(records) => records.nothing(),)* }
            }
        }
    };
}

// Variant, name on the command line, description, reader.
formats! {
    Msrc "msrc" "MSR Cambridge CSV" => Text<msrc::Msrc>;
    Alibaba "alibaba" "Alibaba Cloud block traces, CSV" => Text<alibaba::Alibaba>;
    Systor17 "systor17" "SYSTOR '17 CSV" => Text<systor17::Systor17>;
    TencentCbs "tencent-cbs" "Tencent Cloud block storage, CSV" => Text<tencent_cbs::TencentCbs>;
    Fiu "fiu" "FIU (IODedup, SRCMap)" => Text<fiu::Fiu>;
    Spc "spc" "SPC, as in the UMass repository" => Text<spc::Spc>;
    Mqsim "mqsim" "MQSim's ASCII" => Text<mqsim::Mqsim>;
    Disksim "disksim" "DiskSim's ASCII" => Text<disksim::Disksim>;
    Blkparse "blkparse" "text of `blkparse` (D events, or others by an option)" => Text<blkparse::Blkparse>;
    FioIolog "fio-iolog" "fio's I/O log, versions 2 and 3" => Text<fio_iolog::FioIolog>;
    VscsiCsv "vscsi-csv" "VMware vscsiStats as CSV" => Text<vscsi_csv::VscsiCsv>;
    Csv "csv" "any CSV, described by `--csv-columns`" => Text<csv::Csv>;
    Native "native" "Wordline's own compact binary" => native::NativeRecords;
}

impl Format {
    /// The names of all formats, for messages.
    #[must_use]
    pub fn known() -> String {
        Self::ALL.map(Self::name).join(", ")
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
