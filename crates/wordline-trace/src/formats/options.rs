//! Options of reading a trace.

use std::str::FromStr;

use super::Format;
use super::csv_columns::CsvColumns;
use crate::device::DeviceMode;
use crate::devices::Packed;
use crate::error::TraceError;
use crate::order::TimeBack;
use crate::unit::TimeUnit;

/// The events of `blkparse` that requests can be taken from, with a sector and a length.
pub(crate) const EVENTS: [(u8, &str); 5] = [
    (b'D', "sent to the driver"),
    (b'Q', "queued"),
    (b'G', "request made"),
    (b'I', "inserted"),
    (b'C', "complete"),
];

/// What to do with a read, write or trim of zero length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroLength {
    /// [`TraceError::Malformed`]. On the command line `error`.
    Error,
    /// Leave it out, and count it. On the command line `skip`.
    Skip,
}

impl FromStr for ZeroLength {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        match text {
            "error" => Ok(Self::Error),
            "skip" => Ok(Self::Skip),
            _ => Err(TraceError::Option {
                option: format!("zero-length={text}"),
                why: "error or skip".to_owned(),
            }),
        }
    }
}

/// A builder for [`TraceReader`](crate::TraceReader), similar to [`std::fs::OpenOptions`].
///
/// By default the format is detected, all devices are merged (and that is noted), and the first request arrives at 0. The defaults for
/// order and zero lengths depend on the format ([`Format::default_time_back`], [`Format::default_zero_length`]).
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    pub(crate) format: Option<Format>,
    pub(crate) csv_columns: Option<CsvColumns>,
    pub(crate) time_unit: Option<TimeUnit>,
    pub(crate) device: Option<DeviceMode>,
    /// Where devices begin, with [`DeviceMode::Pack`].
    pub(crate) packed: Option<Packed>,
    pub(crate) event: Option<u8>,
    pub(crate) time_back: Option<TimeBack>,
    pub(crate) zero_length: Option<ZeroLength>,
    pub(crate) keep_time: bool,
    pub(crate) skip: u64,
    pub(crate) limit: Option<u64>,
    pub(crate) own_thread: bool,
}

impl TraceOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the format instead of detecting it.
    pub fn format(&mut self, format: Format) -> &mut Self {
        self.format = Some(format);
        self
    }

    /// Sets the columns of a CSV, and the format to [`Format::Csv`].
    pub fn csv_columns(&mut self, columns: CsvColumns) -> &mut Self {
        self.csv_columns = Some(columns);
        self.format(Format::Csv)
    }

    /// Sets the unit of times, for formats whose files come in several ([`Format::time_units`]).
    pub fn time_unit(&mut self, unit: TimeUnit) -> &mut Self {
        self.time_unit = Some(unit);
        self
    }

    /// The units that times of a file may have, the usual one first; none where there is only one.
    pub(crate) fn time_units(&self, format: Format) -> &'static [TimeUnit] {
        match &self.csv_columns {
            Some(columns) if columns.has_time_unit() => &[],
            None if format == Format::Csv => &[],
            _ => format.time_units(),
        }
    }

    /// The length of the unit of times, ns.
    pub(crate) fn time_unit_ns(&self, format: Format) -> u64 {
        self.time_unit.or(self.time_units(format).first().copied()).map_or(1, TimeUnit::ns)
    }

    /// Sets the handling of the device column.
    pub fn device(&mut self, mode: DeviceMode) -> &mut Self {
        self.device = Some(mode);
        self
    }

    /// Sets the event of `blkparse` that is a request: D, Q, G, I or C.
    ///
    /// # Errors
    /// [`TraceError::Option`] for another one.
    pub fn event(&mut self, event: &str) -> Result<&mut Self, TraceError> {
        let known = EVENTS.iter().find(|(known, _)| event.as_bytes() == [*known]);
        let Some((event, _)) = known else {
            let known = EVENTS.map(|(event, what)| format!("{} ({what})", char::from(event)));
            return Err(TraceError::Option { option: format!("event={event}"), why: known.join(", ") });
        };
        self.event = Some(*event);
        Ok(self)
    }

    /// Sets the handling of timestamps that go back.
    pub fn on_time_back(&mut self, policy: TimeBack) -> &mut Self {
        self.time_back = Some(policy);
        self
    }

    /// Sets the handling of requests of zero length.
    pub fn on_zero_length(&mut self, policy: ZeroLength) -> &mut Self {
        self.zero_length = Some(policy);
        self
    }

    /// Keeps the trace's own time zero. By default, the first request that is returned arrives at 0.
    pub fn keep_time(&mut self, keep: bool) -> &mut Self {
        self.keep_time = keep;
        self
    }

    /// Skips this many requests at the start, after the choice of devices.
    pub fn skip(&mut self, requests: u64) -> &mut Self {
        self.skip = requests;
        self
    }

    /// Stops after this many requests, at least 1.
    pub fn limit(&mut self, requests: u64) -> &mut Self {
        self.limit = Some(requests);
        self
    }

    /// Reads, decompresses and parses on a separate thread. The result is the same.
    pub fn own_thread(&mut self, own: bool) -> &mut Self {
        self.own_thread = own;
        self
    }

    pub(crate) fn check(&self) -> Result<(), TraceError> {
        let wrong =
            |option: &str, why: &str| Err(TraceError::Option { option: option.into(), why: why.into() });
        if self.limit == Some(0) {
            return wrong("limit=0", "a trace of no requests; use 1 or more");
        }
        match (self.format, &self.csv_columns) {
            (Some(Format::Csv) | None, _) | (_, None) => Ok(()),
            (Some(_), Some(_)) => wrong("format", "a description of CSV columns goes with format=csv alone"),
        }
    }
}
