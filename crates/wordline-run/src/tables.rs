//! Tables of a run: columns as little-endian bytes, which Arrow wraps without a copy per value.

use wordline_core::Ssd;
use wordline_core::flash::{Class, Status};
use wordline_core::host::Op;
use wordline_core::metrics::{ACTIVITIES, JobEntry, Latency, LogEntry, Slice, Track};

/// Name, Arrow type, values. A `dictionary` column holds indices into the words that follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name; a unit is the last part of it.
    pub name: String,
    /// `uint64`, `uint32` or `dictionary` (of `int32`).
    pub kind: &'static str,
    /// The values, little-endian.
    pub bytes: Vec<u8>,
    /// The words for the indices of a `dictionary` column.
    pub words: Vec<String>,
}

impl Column {
    pub(crate) fn u64(name: impl Into<String>, values: impl Iterator<Item = u64>) -> Column {
        Column {
            name: name.into(),
            kind: "uint64",
            bytes: values.flat_map(u64::to_le_bytes).collect(),
            words: Vec::new(),
        }
    }

    fn u32(name: &str, values: impl Iterator<Item = u32>) -> Column {
        Column {
            name: name.to_owned(),
            kind: "uint32",
            bytes: values.flat_map(u32::to_le_bytes).collect(),
            words: Vec::new(),
        }
    }

    /// Number of values.
    fn len(&self) -> usize {
        self.bytes.len() / if self.kind == "uint64" { 8 } else { 4 }
    }

    fn words(name: &str, indices: impl Iterator<Item = usize>, words: Vec<String>) -> Column {
        let bytes = indices.flat_map(|index| (index as i32).to_le_bytes()).collect();
        Column { name: name.to_owned(), kind: "dictionary", bytes, words }
    }
}

/// All latency bins that are not empty: of all requests, of reads, of writes.
#[must_use]
pub fn bins(ssd: &Ssd) -> Vec<Column> {
    let metrics = ssd.metrics();
    bins_of([&metrics.all, metrics.read(), metrics.write()])
}

/// The same of each flow, with its name, where there are several.
#[must_use]
pub fn bins_of_flows(ssd: &Ssd) -> Vec<Column> {
    by_flow(ssd, ssd.metrics().flows.iter().map(|flow| bins_of([&flow.all(), flow.read(), flow.write()])))
}

fn bins_of(kinds: [&Latency; 3]) -> Vec<Column> {
    let rows: Vec<_> = kinds
        .iter()
        .enumerate()
        .flat_map(|(kind, l)| l.bins().map(move |(upper, n)| (kind, upper, n)))
        .collect();
    vec![
        Column::words("op", rows.iter().map(|r| r.0), ["all", "read", "write"].map(str::to_owned).to_vec()),
        Column::u64("upper_ns", rows.iter().map(|r| r.1)),
        Column::u64("count", rows.iter().map(|r| r.2)),
    ]
}

/// The tables of all flows as one, whose first column is the flow.
pub(crate) fn by_flow(ssd: &Ssd, tables: impl Iterator<Item = Vec<Column>>) -> Vec<Column> {
    below_each_other("flow", ssd.host().flow_names().map(str::to_owned).collect(), tables)
}

/// Tables of one shape below each other, under a first column with the name of each.
pub(crate) fn below_each_other(
    column: &str,
    names: Vec<String>,
    tables: impl Iterator<Item = Vec<Column>>,
) -> Vec<Column> {
    let (mut all, mut places): (Vec<Column>, Vec<usize>) = (Vec::new(), Vec::new());
    for (place, table) in tables.enumerate() {
        let rows = table.first().map_or(0, Column::len);
        places.extend(std::iter::repeat_n(place, rows));
        if all.is_empty() {
            all = table;
        } else {
            all.iter_mut().zip(table).for_each(|(all, more)| all.bytes.extend(more.bytes));
        }
    }
    all.insert(0, Column::words(column, places.into_iter(), names));
    all
}

/// Throughput over time; the sums of latencies give means.
#[must_use]
pub fn series(ssd: &Ssd) -> Vec<Column> {
    let (width, samples) = ssd.metrics().series();
    vec![
        Column::u64("start_ns", (0..samples.len() as u64).map(|i| i * width)),
        Column::u64("reads", samples.iter().map(|s| s.requests[0])),
        Column::u64("writes", samples.iter().map(|s| s.requests[1])),
        Column::u64("read_bytes", samples.iter().map(|s| s.bytes[0])),
        Column::u64("write_bytes", samples.iter().map(|s| s.bytes[1])),
        Column::u64("read_latency_sum_ns", samples.iter().map(|s| s.latency[0])),
        Column::u64("write_latency_sum_ns", samples.iter().map(|s| s.latency[1])),
    ]
}

/// The first operations, which each table has; others where a row has them.
const USUAL_OPS: usize = Op::Flush as usize + 1;

/// One row per request, in order of completion.
#[must_use]
pub fn requests(ssd: &Ssd) -> Vec<Column> {
    let rows = &ssd.metrics().log.entries;
    // Hardly any run has the others: its table is the same as before there were those.
    let last = rows.iter().map(|row| row.op as usize + 1).max().unwrap_or(0);
    requests_of(ssd, rows, last.max(USUAL_OPS))
}

/// Events since the last call, a table of each kind: `requests`, `flash` and `jobs`. What of them the options keep.
pub fn events(ssd: &mut Ssd) -> [(&'static str, Vec<Column>); 3] {
    let (requests, slices, jobs) = ssd.take_events();
    [
        ("requests", requests_of(ssd, &requests, Op::ALL.len())),
        ("flash", activity(ssd, &slices, ACTIVITIES.to_vec())),
        ("jobs", jobs_of(ssd, &jobs)),
    ]
}

/// Why a group is emptied, in the order of the enum.
const REASONS: [&str; 6] = ["gc", "wear", "refresh", "rewrite", "fold", "reset"];

fn jobs_of(ssd: &Ssd, rows: &[JobEntry]) -> Vec<Column> {
    vec![
        Column::words(
            "reason",
            rows.iter().map(|row| row.reason as usize),
            REASONS.map(str::to_owned).to_vec(),
        ),
        Column::u32("plane", rows.iter().map(|row| row.plane.number())),
        Column::u32("block", rows.iter().map(|row| row.block.number())),
        Column::u32("live_units", rows.iter().map(|row| row.live)),
        Column::u64("began_ns", rows.iter().map(|row| row.began.saturating_sub(ssd.began_at()))),
        Column::u64("ended_ns", rows.iter().map(|row| row.ended - ssd.began_at())),
    ]
}

fn requests_of(ssd: &Ssd, rows: &[LogEntry], ops: usize) -> Vec<Column> {
    let began_at = ssd.began_at();
    let flows = ssd.host().flow_names().map(str::to_owned).collect();
    vec![
        Column::words("flow", rows.iter().map(|r| r.flow.into()), flows),
        Column::words(
            "op",
            rows.iter().map(|r| r.op as usize),
            Op::ALL[..ops].iter().map(|op| op.name().to_owned()).collect(),
        ),
        Column::u64("sector", rows.iter().map(|r| r.sector)),
        Column::u32("sectors", rows.iter().map(|r| r.sectors)),
        Column::u64("arrival_ns", rows.iter().map(|r| r.arrival - began_at)),
        Column::u64("submitted_ns", rows.iter().map(|r| r.submitted - began_at)),
        Column::u64("completed_ns", rows.iter().map(|r| r.completed - began_at)),
        Column::words(
            "status",
            rows.iter().map(|r| r.status as usize),
            Status::ALL.map(|status| status.name().to_owned()).to_vec(),
        ),
    ]
}

const CLASSES: [(Class, &str); 6] = [
    (Class::MapRead, "map-read"),
    (Class::UserRead, "user-read"),
    (Class::InternalRead, "internal-read"),
    (Class::UserWrite, "user-write"),
    (Class::InternalWrite, "internal-write"),
    (Class::Erase, "erase"),
];

/// The activity of all units within the window of the timeline.
#[must_use]
pub fn timeline(ssd: &Ssd) -> Vec<Column> {
    let slices = &ssd.timeline().slices;
    activity(ssd, slices, slices.iter().map(|s| s.name).collect())
}

fn activity(ssd: &Ssd, slices: &[Slice], mut names: Vec<&str>) -> Vec<Column> {
    let track = |track| match track {
        Track::Array(unit) => (0, unit.number()),
        Track::Channel(channel) => (1, channel.number()),
        Track::Ecc(channel) => (2, channel.number()),
    };
    names.sort_unstable();
    names.dedup();
    let name = |name: &str| names.binary_search(&name).unwrap_or(0);
    let class = |class| CLASSES.iter().position(|&(c, _)| c == class).unwrap_or(0);
    vec![
        Column::words(
            "track",
            slices.iter().map(|s| track(s.track).0),
            ["array", "channel", "ecc"].map(str::to_owned).to_vec(),
        ),
        Column::u32("index", slices.iter().map(|s| track(s.track).1)),
        Column::words(
            "name",
            slices.iter().map(|s| name(s.name)),
            names.iter().map(|&n| n.to_owned()).collect(),
        ),
        Column::u64("start_ns", slices.iter().map(|s| s.start - ssd.began_at())),
        Column::u64("duration_ns", slices.iter().map(|s| s.duration)),
        Column::words(
            "class",
            slices.iter().map(|s| class(s.class)),
            CLASSES.iter().map(|&(_, name)| name.to_owned()).collect(),
        ),
        Column::u64("lpn", slices.iter().map(|s| s.lpn.into())),
    ]
}
