//! One file a format. A format is its file, which holds its parser and the test whether a first line is of it, the
//! file's `mod` line, and one row of the table below. Everything else that knows formats reads the table: names and
//! their help, detection, static dispatch, and through [`Format::ALL`] the command line, Python and the tests.

pub mod csv;
pub mod native;

mod alibaba;
mod blkparse;
mod disksim;
mod fields;
mod fio_iolog;
mod fiu;
mod mqsim;
mod msrc;
mod spc;
mod systor17;
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
use crate::options::{TraceOptions, ZeroLength};
use crate::order::TimeBack;
use crate::request::TraceOp;
use text::Text;

/// One request as its format has it: before devices, order and the trace's zero are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// In ns on the trace's own clock.
    pub time_ns: u64,
    pub device: u32,
    pub sector: u64,
    pub sectors: u32,
    pub connection: u16,
    pub op: TraceOp,
    pub fua: bool,
}

/// What reads the records of a format, one after the other.
pub(crate) trait Records: Sized {
    /// What a timestamp that goes back means unless the user says otherwise.
    const TIME_BACK: TimeBack = TimeBack::Error;
    /// What a request of no length means unless the user says otherwise.
    const ZERO_LENGTH: ZeroLength = ZeroLength::Error;

    /// A reader at the beginning of a file.
    fn new(options: &TraceOptions) -> Self;

    /// Does this line, the first that is not blank, open a file of the format?
    fn fits(first_line: &[u8]) -> bool;

    /// The next record, or `None` behind the last; its number is then `lines.line()`. Lines that hold something sent
    /// to the device that is no request of ours are added to `skipped`.
    fn next(&mut self, lines: &mut Lines, skipped: &mut u64) -> Result<Option<Record>, ReadError>;

    /// Broken timestamps that were replaced so far.
    fn repaired_times(&self) -> u64 {
        0
    }
}

/// Makes of the rows the enum of formats and the reader that dispatches on it: chosen once, one match a record.
macro_rules! formats {
    ($($variant:ident $name:literal $help:literal => $records:ty;)*) => {
        /// A trace format, by its name on the command line.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Format {
            $(#[doc = concat!("`", $name, "`: ", $help, ".")] $variant,)*
        }

        impl Format {
            /// All formats, in the order in which they are listed to a user.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is, in a few words.
            #[must_use]
            pub fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }

            /// What a timestamp that goes back means unless the user says otherwise.
            ///
            /// Some recorders write a line when its request ends, but stamp it when it starts; others merge many
            /// volumes or CPUs. Such traces are sorted in a window. In the others a step back is an error.
            #[must_use]
            pub fn default_time_back(self) -> TimeBack {
                match self { $(Self::$variant => <$records>::TIME_BACK,)* }
            }

            /// What a request of no length means unless the user says otherwise. SCSI allows a transfer of no blocks,
            /// which moves nothing, and fio's logs hold such lines for failed I/O: these are skipped and counted.
            /// Elsewhere it is a sign of a wrong column or a damaged line, and an error.
            #[must_use]
            pub fn default_zero_length(self) -> ZeroLength {
                match self { $(Self::$variant => <$records>::ZERO_LENGTH,)* }
            }

            /// Does this line, the first that is not blank, open a file of the format?
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
        }
    };
}

// Variant, name on the command line, what it is, what reads it.
formats! {
    Msrc "msrc" "MSR Cambridge CSV" => Text<msrc::Msrc>;
    Alibaba "alibaba" "Alibaba Cloud block traces, CSV" => Text<alibaba::Alibaba>;
    Systor17 "systor17" "SYSTOR '17 CSV" => Text<systor17::Systor17>;
    TencentCbs "tencent-cbs" "Tencent Cloud block storage, CSV" => Text<tencent_cbs::TencentCbs>;
    Fiu "fiu" "FIU (IODedup, SRCMap)" => Text<fiu::Fiu>;
    Spc "spc" "SPC, as in the UMass repository" => Text<spc::Spc>;
    Mqsim "mqsim" "MQSim's ASCII" => Text<mqsim::Mqsim>;
    Disksim "disksim" "DiskSim's ASCII" => Text<disksim::Disksim>;
    Blkparse "blkparse" "text of `blkparse` (D events)" => Text<blkparse::Blkparse>;
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
