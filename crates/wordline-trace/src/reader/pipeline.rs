//! From files to requests: records of a format, devices, order, time zero, selection.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::bytes::Bytes;
use crate::detect::{Detected, detect};
use crate::device::DeviceMode;
use crate::devices::{Devices, Packed};
use crate::error::{Bad, TraceError};
use crate::formats::csv_columns::CsvColumns;
use crate::formats::options::{TraceOptions, ZeroLength};
use crate::formats::{FileRecords, Format, Record};
use crate::input::{self, Lines};
use crate::order::{SORT_WINDOW, SortWindow, TimeBack, fitting_window};
use crate::request::{LATEST_ARRIVAL_NS, TraceRequest};
use crate::time_unit::{self, TakenUnit};

/// What the reader left out or changed: for a line on stderr after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadNotes {
    /// Commands that are not a read, write, trim or flush (an inquiry, an unanswered request).
    pub other_commands: u64,
    /// Requests of zero length that were left out.
    pub zero_length: u64,
    /// Requests of unwanted devices.
    pub other_devices: u64,
    /// Requests that came after a later one and were put into order.
    pub reordered: u64,
    /// Requests whose time went back and was set to the time of the previous request.
    pub clamped: u64,
    /// Broken timestamps that the format's parser replaced.
    pub repaired_times: u64,
    /// Power cuts, which are not requests.
    pub power_cuts: u64,
    /// Devices of the trace, wanted or not.
    pub devices: u64,
    /// All devices use the same addresses, and nobody has asked for that.
    pub are_merged: bool,
    /// The unit of times, if it is not the format's usual one.
    pub taken_unit: Option<TakenUnit>,
}

/// A request with its place in the files and its time in the trace.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub request: TraceRequest,
    /// Index into the reader's files. It is small and `Copy`, because every request has one.
    pub file: u32,
    pub line: u64,
}

/// The work behind a trace's reader.
pub(super) struct Pipeline {
    options: TraceOptions,
    format: Format,
    zero_length: ZeroLength,
    time_back: TimeBack,
    further_files: VecDeque<PathBuf>,
    /// The files opened so far, by name; the last one is being read.
    files: Vec<String>,
    /// Number of files whose names were returned.
    named: usize,
    lines: Lines,
    records: FileRecords,
    mode: DeviceMode,
    packed: Packed,
    devices: Devices,
    window: Option<SortWindow<Placed>>,
    zero_ns: Option<u64>,
    latest_ns: u64,
    to_skip: u64,
    left: u64,
    yielded: u64,
    notes: ReadNotes,
}

fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Pipeline {
    pub fn open(options: &TraceOptions, mut paths: VecDeque<PathBuf>) -> Result<Self, TraceError> {
        let Some(first) = paths.pop_front() else {
            return Err(TraceError::Option { option: "trace".into(), why: "no file is given".into() });
        };
        let name = display(&first);
        let bytes = input::open(&first, &name)?;
        Self::new(options, name, bytes, paths)
    }

    pub fn from_bytes(options: &TraceOptions, name: &str, bytes: Bytes) -> Result<Self, TraceError> {
        Self::new(options, name.into(), input::decompressed(name, bytes)?, VecDeque::new())
    }

    fn new(
        options: &TraceOptions,
        file: String,
        bytes: Bytes,
        further_files: VecDeque<PathBuf>,
    ) -> Result<Self, TraceError> {
        let mut lines = Lines::new(bytes);
        lines.skip_mark().map_err(|e| TraceError::from_io(&file, e))?;
        let mut options = options.clone();
        let detected = match options.format {
            Some(Format::Csv) if options.csv_columns.is_none() => own_csv(&mut lines, &file)?,
            Some(format) => Detected { format, columns: None },
            None => detect(&mut lines, &file)?,
        };
        if let Some(columns) = detected.columns {
            options.csv_columns = Some(columns);
        }
        let detected = detected.format;
        if options.event.is_some() && detected != Format::Blkparse {
            return Err(TraceError::Option {
                option: "event".to_owned(),
                why: format!("{file} is {detected}, and only the text of blkparse has events; leave it out"),
            });
        }
        let taken = time_unit::choose(&mut lines, detected, &options, &file)?;
        options.time_unit = taken.map(|taken| taken.unit).or(options.time_unit);
        let options = &options;
        let has_latency = options.csv_columns.as_ref().is_some_and(CsvColumns::has_latency);
        let usual = if has_latency { SORT_WINDOW } else { detected.default_time_back() };
        let time_back = options.time_back.unwrap_or(usual);
        let window = match time_back {
            TimeBack::SortWindow(size) => Some(SortWindow::new(size)),
            TimeBack::Error | TimeBack::Clamp => None,
        };
        Ok(Self {
            format: detected,
            zero_length: options.zero_length.unwrap_or(detected.default_zero_length()),
            time_back,
            further_files,
            lines,
            records: FileRecords::new(detected, options),
            mode: options.device.unwrap_or_default(),
            packed: options.packed.clone().unwrap_or_default(),
            devices: Devices::new(options.device == Some(DeviceMode::Pack) && options.packed.is_none()),
            window,
            zero_ns: options.keep_time.then_some(0),
            latest_ns: 0,
            to_skip: options.skip,
            left: options.limit.unwrap_or(u64::MAX),
            yielded: 0,
            files: vec![file],
            named: 1,
            notes: ReadNotes { taken_unit: taken, ..ReadNotes::default() },
            options: options.clone(),
        })
    }

    /// The format, given or detected.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The file that is being read.
    pub fn current_file(&self) -> &str {
        self.files.last().expect("there is always one")
    }

    /// The names of the files opened since the last call.
    pub fn take_opened(&mut self) -> Vec<String> {
        let opened = self.files[self.named..].to_vec();
        self.named = self.files.len();
        opened
    }

    /// What was left out or changed so far.
    pub fn notes(&self) -> ReadNotes {
        ReadNotes {
            repaired_times: self.notes.repaired_times + self.records.repaired_times(),
            devices: self.devices.count(),
            are_merged: self.options.device.is_none() && self.devices.count() > 1,
            ..self.notes
        }
    }

    /// Reads to the end and returns where devices begin one behind the other.
    pub fn into_packed(mut self) -> Result<Packed, TraceError> {
        self.mode = DeviceMode::Merge;
        while self.next()?.is_some() {}
        self.devices.packed().ok_or_else(|| TraceError::Option {
            option: "device=pack".to_owned(),
            why: format!("the {} devices together do not fit 64 bits; take only=N", self.devices.count()),
        })
    }

    /// The next request of the trace; `None` at the end.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Placed>, TraceError> {
        while self.left > 0 {
            let Some(mut placed) = self.next_in_order()? else { break };
            if self.to_skip > 0 {
                self.to_skip -= 1;
                continue;
            }
            placed.request.arrival_ns -= *self.zero_ns.get_or_insert(placed.request.arrival_ns);
            if placed.request.arrival_ns > LATEST_ARRIVAL_NS {
                return Err(self.too_late(&placed));
            }
            self.left -= 1;
            self.yielded += 1;
            return Ok(Some(placed));
        }
        if self.yielded == 0 { Err(self.empty()) } else { Ok(None) }
    }

    /// The next request, in order of time.
    #[inline]
    fn next_in_order(&mut self) -> Result<Option<Placed>, TraceError> {
        let mut placed = loop {
            let Some(placed) = self.next_placed()? else {
                let Some(rest) = self.window.as_mut().and_then(SortWindow::pop) else { return Ok(None) };
                break rest;
            };
            let Some(window) = &mut self.window else { break placed };
            let (out, moved) = window.push(placed.request.arrival_ns, placed);
            self.notes.reordered += u64::from(moved);
            if let Some(out) = out {
                break out;
            }
        };
        let time_ns = placed.request.arrival_ns;
        if time_ns < self.latest_ns {
            if self.time_back != TimeBack::Clamp {
                return Err(self.time_goes_back(&placed));
            }
            placed.request.arrival_ns = self.latest_ns;
            self.notes.clamped += 1;
        }
        self.latest_ns = placed.request.arrival_ns;
        Ok(Some(placed))
    }

    /// The next wanted request in the order of the file.
    #[inline]
    fn next_placed(&mut self) -> Result<Option<Placed>, TraceError> {
        loop {
            let Some(record) = self.next_record()? else {
                let Some(path) = self.further_files.pop_front() else { return Ok(None) };
                self.notes = self.notes();
                self.files.push(display(&path));
                self.lines = Lines::new(input::open(&path, self.current_file())?);
                self.lines
                    .skip_mark()
                    .map_err(|e| TraceError::from_io(self.files.last().expect("just pushed"), e))?;
                let mut records = FileRecords::new(self.format, &self.options);
                records.follow(&mut self.records);
                self.records = records;
                continue;
            };
            if record.sectors == 0 && record.op.has_sectors() {
                if self.zero_length == ZeroLength::Error {
                    return Err(self.malformed(Bad::new(
                        "a length above 0 (`--on-zero-length skip` leaves such requests out)",
                        b"0",
                    )));
                }
                self.notes.zero_length += 1;
                continue;
            }
            self.devices.add(record.device, record.sector.saturating_add(u64::from(record.sectors)));
            match self.mode.place(&self.packed, record.device, record.sector, record.sectors) {
                Ok(Some(sector)) => {
                    let sector = if record.op.has_address() { sector } else { 0 };
                    let Record { time_ns, sectors, connection, handle, op, fua, .. } = record;
                    let request =
                        TraceRequest { arrival_ns: time_ns, sector, sectors, connection, handle, op, fua };
                    return Ok(Some(Placed {
                        request,
                        file: self.files.len() as u32 - 1,
                        line: self.lines.line(),
                    }));
                }
                Ok(None) => self.notes.other_devices += 1,
                Err(what) => {
                    let line = self.lines.line();
                    return Err(TraceError::OutOfRange { file: self.current_file().to_owned(), line, what });
                }
            }
        }
    }

    /// The next record of the current file.
    #[inline]
    fn next_record(&mut self) -> Result<Option<Record>, TraceError> {
        let record = self.records.next(&mut self.lines, &mut self.notes.other_commands);
        record.map_err(|error| error.named(self.current_file(), self.lines.line()))
    }

    #[cold]
    fn malformed(&self, bad: Bad) -> TraceError {
        let Bad { expected, found } = bad;
        TraceError::Malformed {
            file: self.current_file().to_owned(),
            line: self.lines.line(),
            expected,
            found,
        }
    }

    #[cold]
    fn time_goes_back(&self, placed: &Placed) -> TraceError {
        TraceError::TimeGoesBack {
            file: self.files[placed.file as usize].clone(),
            line: placed.line,
            time_ns: placed.request.arrival_ns,
            previous_ns: self.latest_ns,
            fix: match self.window_that_fits() {
                Some(window) => format!(
                    "`--on-time-back sort-window={window}` sorts this trace, `--on-time-back clamp` holds the time"
                ),
                None => "`--on-time-back sort-window=N` sorts over N requests, `--on-time-back clamp` holds the time"
                    .to_owned(),
            },
        }
    }

    /// Reads the files again, to find the smallest window that puts all requests into order.
    #[cold]
    fn window_that_fits(&self) -> Option<usize> {
        let mut options = self.options.clone();
        options.time_back = Some(TimeBack::Clamp);
        options.format = Some(self.format);
        let paths = self.files.iter().map(PathBuf::from).chain(self.further_files.iter().cloned());
        let mut pipeline = Self::open(&options, paths.filter(|path| path.is_file()).collect()).ok()?;
        fitting_window(std::iter::from_fn(|| {
            pipeline.next_placed().ok().flatten().map(|placed| placed.request.arrival_ns)
        }))
    }

    #[cold]
    fn too_late(&self, placed: &Placed) -> TraceError {
        let arrival_ns = placed.request.arrival_ns;
        TraceError::OutOfRange {
            file: self.files[placed.file as usize].clone(),
            line: placed.line,
            what: format!(
                "the request arrives {arrival_ns} ns after the start of the trace, and the simulator counts up to \
                 {LATEST_ARRIVAL_NS} ns (2^62, 146 years); mend the line, or stop before it with a limit"
            ),
        }
    }

    #[cold]
    fn empty(&self) -> TraceError {
        let notes = self.notes();
        let why = if self.options.skip > 0 && self.options.skip > self.to_skip {
            format!("skip={} leaves no request", self.options.skip)
        } else if notes.other_devices > 0 {
            format!("all {} requests are of other devices", notes.other_devices)
        } else if self.lines.line() == 0 {
            "the file holds no line".to_owned()
        } else {
            let nothing = format!("no request in {} lines of {}", self.lines.line(), self.format);
            self.records.nothing().map_or(nothing.clone(), |why| format!("{nothing}: {why}"))
        };
        TraceError::Empty { file: self.current_file().to_owned(), why }
    }
}

/// A CSV without a description must be Wordline's own.
fn own_csv(lines: &mut Lines, file: &str) -> Result<Detected, TraceError> {
    match detect(lines, file) {
        Ok(detected @ Detected { format: Format::Csv, .. }) => Ok(detected),
        Ok(_) | Err(TraceError::UnknownFormat { .. }) => Err(TraceError::Option {
            option: "format=csv".to_owned(),
            why: format!("{file} needs a description such as time-col=1,op-col=2,offset-col=3,size-col=4"),
        }),
        Err(error) => Err(error),
    }
}
