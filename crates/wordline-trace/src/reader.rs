//! The stream of requests behind every trace format.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use wordline_core::host::{HostRequest, Op};

use crate::detect::detect;
use crate::error::{Bad, TraceError};
use crate::formats::native::NativeParser;
use crate::formats::{Format, Line, LineParser, Record};
use crate::input::{self, Bytes, Lines};
use crate::options::{TraceOptions, ZeroLength};
use crate::order::{SortWindow, TimeBack};

/// What the reader did that the requests alone do not show: for a line on stderr after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadNotes {
    /// Lines that were sent to the device but are no read, write, trim or flush (an inquiry, an unanswered request).
    pub other_commands: u64,
    /// Requests of no length that were left out.
    pub zero_length: u64,
    /// Requests of devices that were not wanted.
    pub other_devices: u64,
    /// Requests that stood behind a later one and were put into order.
    pub reordered: u64,
    /// Requests whose time went back and was set to that of the one before.
    pub clamped: u64,
    /// Broken timestamps that the format's parser replaced.
    pub repaired_times: u64,
}

enum Parser {
    Text(Box<LineParser>),
    Native(Box<NativeParser>),
}

/// A request, with the place it stands at and the time as it is in the trace.
struct Placed {
    request: HostRequest,
    /// Index into the reader's files: small and `Copy`, for there is one with every request.
    file: u32,
    line: u64,
}

/// A trace as an iterator over its requests, made by [`TraceOptions`].
///
/// Arrival times never go back. The first error is the last item.
pub struct TraceReader {
    options: TraceOptions,
    format: Format,
    zero_length: ZeroLength,
    time_back: TimeBack,
    further_files: VecDeque<PathBuf>,
    /// The files opened so far, by name; the last one is being read.
    files: Vec<String>,
    lines: Lines,
    parser: Parser,
    window: Option<SortWindow<Placed>>,
    zero_ns: Option<u64>,
    latest_ns: u64,
    to_skip: u64,
    left: u64,
    yielded: u64,
    ended: bool,
    place: (u32, u64),
    notes: ReadNotes,
}

fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl TraceReader {
    pub(crate) fn open(options: &TraceOptions, mut paths: VecDeque<PathBuf>) -> Result<Self, TraceError> {
        let Some(first) = paths.pop_front() else {
            return Err(TraceError::Option { option: "trace".into(), why: "no file is given".into() });
        };
        let name = display(&first);
        let bytes = input::open(&first, &name)?;
        Self::new(options, name, bytes, paths)
    }

    pub(crate) fn from_bytes(options: &TraceOptions, name: &str, bytes: Bytes) -> Result<Self, TraceError> {
        Self::new(options, name.into(), input::decompressed(name, bytes)?, VecDeque::new())
    }

    fn new(
        options: &TraceOptions,
        file: String,
        bytes: Bytes,
        further_files: VecDeque<PathBuf>,
    ) -> Result<Self, TraceError> {
        let mut lines = Lines::new(bytes);
        let detected = match options.format {
            Some(Format::Csv) if options.csv_columns.is_none() => own_csv(&mut lines, &file)?,
            Some(format) => format,
            None => detect(&mut lines, &file)?,
        };
        let time_back = options.time_back.unwrap_or(detected.default_time_back());
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
            parser: new_parser(detected, options),
            window,
            zero_ns: options.keep_time.then_some(0),
            latest_ns: 0,
            to_skip: options.skip,
            left: options.limit.unwrap_or(u64::MAX),
            yielded: 0,
            ended: false,
            place: (0, 0),
            files: vec![file],
            notes: ReadNotes::default(),
            options: options.clone(),
        })
    }

    /// The format, as given or as detected.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The file that holds the request handed out last.
    pub fn file(&self) -> &str {
        &self.files[self.place.0 as usize]
    }

    /// The file that is being read.
    fn current_file(&self) -> &str {
        self.files.last().expect("there is always one")
    }

    /// The line, from 1, of the request handed out last; in a `native` file its record. 0 before the first.
    pub fn line(&self) -> u64 {
        self.place.1
    }

    /// What was left out or changed so far.
    pub fn notes(&self) -> ReadNotes {
        let Parser::Text(parser) = &self.parser else { return self.notes };
        ReadNotes { repaired_times: self.notes.repaired_times + parser.repaired_times(), ..self.notes }
    }

    /// Appends up to `max` requests to `out` and says how many; 0 is the end of the trace.
    ///
    /// # Errors
    /// The first error; the requests before it are in `out`.
    pub fn fill(&mut self, out: &mut Vec<HostRequest>, max: usize) -> Result<usize, TraceError> {
        let before = out.len();
        while out.len() - before < max && !self.ended {
            match self.advance() {
                Ok(Some(request)) => out.push(request),
                Ok(None) => break,
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(out.len() - before)
    }

    /// The next request as it is handed out.
    #[inline]
    fn advance(&mut self) -> Result<Option<HostRequest>, TraceError> {
        while self.left > 0 {
            let Some(placed) = self.next_in_order()? else { break };
            if self.to_skip > 0 {
                self.to_skip -= 1;
                continue;
            }
            let zero_ns = *self.zero_ns.get_or_insert(placed.request.arrival_ns);
            self.left -= 1;
            self.yielded += 1;
            self.place = (placed.file, placed.line);
            return Ok(Some(HostRequest {
                arrival_ns: placed.request.arrival_ns - zero_ns,
                ..placed.request
            }));
        }
        self.ended = true;
        if self.yielded == 0 { Err(self.empty()) } else { Ok(None) }
    }

    /// The next request, with times that do not go back.
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
                self.parser = new_parser(self.format, &self.options);
                continue;
            };
            if record.sectors == 0 && record.op != Op::Flush {
                if self.zero_length == ZeroLength::Error {
                    return Err(self.malformed(Bad::new("a length above 0 (or zero-length=skip)", b"0")));
                }
                self.notes.zero_length += 1;
                continue;
            }
            match self.options.device.place(record.device, record.sector, record.sectors) {
                Ok(Some(sector)) => {
                    let sector = if record.op == Op::Flush { 0 } else { sector };
                    let Record { time_ns, sectors, op, .. } = record;
                    let request = HostRequest { arrival_ns: time_ns, sector, sectors, op };
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
        let parser = match &mut self.parser {
            Parser::Text(parser) => parser,
            Parser::Native(parser) => {
                let record = parser.next(&mut self.lines);
                return record.map_err(|e| e.named(self.current_file(), self.lines.line()));
            }
        };
        loop {
            let number = self.lines.line() + 1;
            match self.lines.next_line() {
                Ok(Some(line)) => match parser.parse(line, number) {
                    Ok(Line::Request(record)) => return Ok(Some(record)),
                    Ok(Line::Other) => {}
                    Ok(Line::Skipped) => self.notes.other_commands += 1,
                    Err(bad) => return Err(self.malformed(bad)),
                },
                Ok(None) => return Ok(None),
                Err(error) => return Err(TraceError::from_io(self.current_file(), error)),
            }
        }
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
            fix: match self.time_back {
                TimeBack::SortWindow(_) => "use a larger on-time-back=sort-window=N, or on-time-back=clamp",
                TimeBack::Error | TimeBack::Clamp => {
                    "use on-time-back=sort-window=N to sort, or on-time-back=clamp to hold the time"
                }
            },
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
            format!("no request in {} lines of {}", self.lines.line(), self.format)
        };
        TraceError::Empty { file: self.current_file().to_owned(), why }
    }
}

/// A CSV without a description must be one that Wordline wrote.
fn own_csv(lines: &mut Lines, file: &str) -> Result<Format, TraceError> {
    match detect(lines, file) {
        Ok(Format::Csv) => Ok(Format::Csv),
        Ok(_) | Err(TraceError::UnknownFormat { .. }) => Err(TraceError::Option {
            option: "format=csv".to_owned(),
            why: format!("{file} needs a description such as time-col=1,op-col=2,offset-col=3,size-col=4"),
        }),
        Err(error) => Err(error),
    }
}

fn new_parser(format: Format, options: &TraceOptions) -> Parser {
    match LineParser::new(format, options.csv_columns.as_ref()) {
        Some(parser) => Parser::Text(Box::new(parser)),
        None => Parser::Native(Box::default()),
    }
}

impl Iterator for TraceReader {
    type Item = Result<HostRequest, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.advance();
        self.ended |= next.is_err();
        next.transpose()
    }
}

impl std::fmt::Debug for TraceReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (file, line) = &self.place;
        f.debug_struct("TraceReader")
            .field("file", file)
            .field("line", line)
            .field("format", &self.format)
            .finish()
    }
}
