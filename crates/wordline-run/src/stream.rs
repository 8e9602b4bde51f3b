//! A trace as a stream: opened, replayed a number of times, with its position in the file.

use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use wordline_core::host::HostRequest;
use wordline_trace::{
    LATEST_ARRIVAL_NS, Located, ReadNotes, TakenUnit, TraceError, TraceOptions, TraceReader, TraceRequest,
};

/// The progress of a running stream, for other owners. Plain counts; no timing depends on them.
#[derive(Debug, Default)]
pub struct Gauge {
    /// Bytes read from files, before decompression.
    pub read_bytes: AtomicU64,
    /// Total bytes; 0 if unknown.
    pub total_bytes: AtomicU64,
    /// Requests moved because they were beyond the device.
    pub wrapped: AtomicU64,
    notes: [AtomicU64; 7],
    devices: AtomicU64,
    are_merged: AtomicBool,
    unit: OnceLock<String>,
}

/// The text of a warning for each count in [`ReadNotes`].
const NOTES: [&str; 7] = [
    "lines are commands that are neither read, write, trim nor flush, and are left out",
    "requests have no length, and are left out",
    "requests belong to other devices, and are left out",
    "requests came after a later one, and are put into order",
    "requests went back in time, and are set to the time before them",
    "timestamps were broken, and are repaired",
    "power cuts are left out",
];

/// The unit of times that was taken, and why.
fn unit_note(taken: TakenUnit) -> String {
    let TakenUnit { unit, usual, usual_per_s, per_s } = taken;
    format!(
        "times are taken as {unit}: in {usual}, as usual, there would be {usual_per_s:.0} requests/s, in {unit} there are \
         {per_s:.1}; --time-unit says otherwise",
        unit = unit.name(),
        usual = usual.name(),
    )
}

impl Gauge {
    fn note(&self, n: ReadNotes) {
        if let Some(taken) = n.taken_unit {
            self.unit.get_or_init(|| unit_note(taken));
        }
        self.devices.store(n.devices, Ordering::Relaxed);
        self.are_merged.store(n.are_merged, Ordering::Relaxed);
        let counts = [
            n.other_commands,
            n.zero_length,
            n.other_devices,
            n.reordered,
            n.clamped,
            n.repaired_times,
            n.power_cuts,
        ];
        for (kept, count) in self.notes.iter().zip(counts) {
            kept.store(count, Ordering::Relaxed);
        }
    }

    /// A warning for each change that the requests alone do not show.
    pub fn warnings(&self, name: &str) -> Vec<String> {
        let wrapped = self.wrapped.load(Ordering::Relaxed);
        let moved =
            (wrapped > 0).then(|| format!("{name}: {wrapped} requests lie beyond the SSD, and wrap around"));
        let noted = self.notes.iter().zip(NOTES).filter_map(|(count, what)| {
            let count = count.load(Ordering::Relaxed);
            (count > 0).then(|| format!("{name}: {count} {what}"))
        });
        let unit = self.unit.get().map(|said| format!("{name}: {said}"));
        let merged = self.are_merged.load(Ordering::Relaxed).then(|| {
            format!(
                "{name}: {} devices share their addresses; --device pack lays them one behind the other, only=N takes one, \
                 merge says that they are one",
                self.devices()
            )
        });
        merged.into_iter().chain(unit).chain(noted).chain(moved).collect()
    }

    /// Devices of the trace.
    pub fn devices(&self) -> u64 {
        self.devices.load(Ordering::Relaxed)
    }

    /// Share of the files that was read, if it is known.
    pub fn fraction(&self) -> Option<f64> {
        let total = self.total_bytes.load(Ordering::Relaxed);
        (total > 0).then(|| (self.read_bytes.load(Ordering::Relaxed) as f64 / total as f64).min(1.0))
    }
}

/// A file that counts its bytes as they are read.
struct Counted {
    file: File,
    gauge: Arc<Gauge>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.gauge.read_bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Requests between two updates of the notes: rare enough to cost nothing.
const REQUESTS_PER_NOTE: u64 = 1 << 14;

/// A trace, replayed a number of times; each round starts at the arrival of the last request of the previous round.
pub struct TraceStream {
    options: TraceOptions,
    paths: Vec<String>,
    reader: TraceReader,
    gauge: Arc<Gauge>,
    rounds_left: u64,
    start_ns: u64,
    latest_ns: u64,
    yielded: u64,
    ended: bool,
}

impl TraceStream {
    /// Opens the files, pieces of one trace.
    pub fn open(
        options: TraceOptions,
        paths: Vec<String>,
        rounds: u64,
        gauge: Arc<Gauge>,
    ) -> Result<Self, TraceError> {
        let options = options.packed(&paths)?;
        let reader = open(&options, &paths, &gauge)?;
        gauge.total_bytes.fetch_add(total_bytes(&paths) * rounds, Ordering::Relaxed);
        Ok(Self {
            options,
            paths,
            reader,
            gauge,
            rounds_left: rounds.saturating_sub(1),
            start_ns: 0,
            latest_ns: 0,
            yielded: 0,
            ended: false,
        })
    }
}

/// Opens the files; only a single file is read through a counter, not several files or standard input.
fn open(options: &TraceOptions, paths: &[String], gauge: &Arc<Gauge>) -> Result<TraceReader, TraceError> {
    if let [path] = paths
        && total_bytes(paths) > 0
        && let Ok(file) = File::open(path)
    {
        return options.read_from(path, Counted { file, gauge: Arc::clone(gauge) });
    }
    options.open_all(paths)
}

/// Length of a single regular file; 0 otherwise.
fn total_bytes(paths: &[String]) -> u64 {
    match paths {
        [path] => std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map_or(0, |m| m.len()),
        _ => 0,
    }
}

impl Located for TraceStream {
    fn location(&self) -> (String, u64) {
        self.reader.location()
    }
}

impl TraceStream {
    /// The next request with everything that the trace says about it; the iterator returns the requests to the SSD.
    pub fn next_request(&mut self) -> Option<Result<TraceRequest, TraceError>> {
        self.advance(TraceReader::next_request, |request| &mut request.arrival_ns)
    }

    /// The next item of `next`, of this round or of the following one, at its time in all rounds.
    #[inline]
    fn advance<R>(
        &mut self,
        next: impl Fn(&mut TraceReader) -> Option<Result<R, TraceError>>,
        arrival_ns: impl Fn(&mut R) -> &mut u64,
    ) -> Option<Result<R, TraceError>> {
        while !self.ended {
            match next(&mut self.reader) {
                Some(Ok(mut request)) => {
                    let arrival_ns = arrival_ns(&mut request);
                    *arrival_ns += self.start_ns;
                    self.latest_ns = *arrival_ns;
                    if self.latest_ns > LATEST_ARRIVAL_NS {
                        self.ended = true;
                        return Some(Err(self.too_late()));
                    }
                    self.yielded += 1;
                    if self.yielded.is_multiple_of(REQUESTS_PER_NOTE) {
                        self.gauge.note(self.reader.notes());
                    }
                    return Some(Ok(request));
                }
                Some(error) => {
                    self.ended = true;
                    return Some(error);
                }
                None => {
                    self.gauge.note(self.reader.notes());
                    if self.rounds_left == 0 {
                        self.ended = true;
                        return None;
                    }
                    self.rounds_left -= 1;
                    self.start_ns = self.latest_ns;
                    match open(&self.options, &self.paths, &self.gauge) {
                        Ok(reader) => self.reader = reader,
                        Err(error) => {
                            self.ended = true;
                            return Some(Err(error));
                        }
                    }
                }
            }
        }
        None
    }

    #[cold]
    fn too_late(&self) -> TraceError {
        let (file, line) = self.location();
        let what = format!(
            "in this round the request arrives {} ns after the start, and the simulator counts up to \
             {LATEST_ARRIVAL_NS} ns (2^62, 146 years); take fewer rounds",
            self.latest_ns
        );
        TraceError::OutOfRange { file, line, what }
    }
}

impl Iterator for TraceStream {
    type Item = Result<HostRequest, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.advance(Iterator::next, |request| &mut request.arrival_ns)
    }
}
