//! In which unit a trace counts its time, where files of one layout come in several.
//!
//! The unit that the format's source names is taken unless the trace would then be faster than any disk that was ever
//! recorded, or last for decades. Then the one other unit that makes sense is taken, and said; if several do, the user
//! has to name one. Only the first lines are looked at, and only if they are enough to tell.

use std::io::Cursor;

use crate::error::TraceError;
use crate::formats::options::TraceOptions;
use crate::formats::{FileRecords, Format};
use crate::input::Lines;
use crate::unit::TimeUnit;

/// Requests of a trace that can be judged, at least.
const REQUESTS_MIN: u64 = 100;
/// A faster trace was not recorded on a disk: the fastest of the published ones have some 10,000 requests a second.
const FASTEST_OF_DISKS_PER_S: f64 = 200_000.0;
/// MQSim's traces are for NVMe SSDs, of which the fastest serve some 2 million.
const FASTEST_OF_SSDS_PER_S: f64 = 2_000_000.0;
/// A slower trace is no trace of a disk in use.
const SLOWEST_PER_S: f64 = 0.01;
/// A recording does not last longer, ns: ten years.
const LONGEST_NS: f64 = 3.2e17;

/// A unit that is not the format's usual one, and why it was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TakenUnit {
    /// The unit.
    pub unit: TimeUnit,
    /// The usual one.
    pub usual: TimeUnit,
    /// Requests a second in the usual unit.
    pub usual_per_s: f64,
    /// Requests a second in the unit that was taken.
    pub per_s: f64,
}

/// The first requests of a trace, timed in one unit.
struct Sample {
    unit: TimeUnit,
    requests: u64,
    span_ns: f64,
    fastest_per_s: f64,
}

impl Sample {
    fn per_s(&self, unit: TimeUnit) -> f64 {
        (self.requests - 1) as f64 * 1e9 / (self.span_in(unit)).max(1e-3)
    }

    fn span_in(&self, unit: TimeUnit) -> f64 {
        self.span_ns / self.unit.ns() as f64 * unit.ns() as f64
    }

    fn is_plausible(&self, unit: TimeUnit) -> bool {
        (SLOWEST_PER_S..=self.fastest_per_s).contains(&self.per_s(unit)) && self.span_in(unit) <= LONGEST_NS
    }
}

/// The unit of the stream in `lines`, if it is not the usual one; consumes nothing.
pub(crate) fn choose(
    lines: &mut Lines,
    format: Format,
    options: &TraceOptions,
    file: &str,
) -> Result<Option<TakenUnit>, TraceError> {
    let [usual, others @ ..] = options.time_units(format) else {
        let fixed = |unit: TimeUnit| TraceError::Option {
            option: format!("time-unit={}", unit.name()),
            why: format!("{format} says its unit of time itself; leave it out"),
        };
        return options.time_unit.map_or(Ok(None), |unit| Err(fixed(unit)));
    };
    // Who names MQSim's or DiskSim's format means its unit; a CSV of columns, or with vscsiStats' header, has no such name.
    let is_named = options.format.is_some() && !matches!(format, Format::Csv | Format::VscsiCsv);
    if is_named || options.time_unit.is_some() {
        return Ok(None);
    }
    let head = lines.peek().map_err(|e| TraceError::from_io(file, e))?;
    let Some(sample) = sample_of(head, format, options, *usual) else { return Ok(None) };
    if sample.is_plausible(*usual) {
        return Ok(None);
    }
    // Times of day have no unit: they are the same in each.
    let mut in_another = options.clone();
    in_another.time_unit = others.first().copied();
    if sample_of(head, format, &in_another, *usual).is_some_and(|other| other.span_ns == sample.span_ns) {
        return Ok(None);
    }
    let fitting: Vec<TimeUnit> = others.iter().copied().filter(|&unit| sample.is_plausible(unit)).collect();
    let said = |unit: TimeUnit| format!("{} would be {} requests/s", unit.name(), shown(sample.per_s(unit)));
    match fitting[..] {
        [unit] => Ok(Some(TakenUnit {
            unit,
            usual: *usual,
            usual_per_s: sample.per_s(*usual),
            per_s: sample.per_s(unit),
        })),
        // A trace that no unit makes sense of is somebody's own experiment.
        [] => Ok(None),
        _ => Err(TraceError::Option {
            option: "time-unit".to_owned(),
            why: format!(
                "{file}: the unit of its times is not clear: {}, as {format} is documented; {}; name one with --time-unit",
                said(*usual),
                fitting.iter().map(|&unit| said(unit)).collect::<Vec<_>>().join(", ")
            ),
        }),
    }
}

/// A rate with few digits.
pub(crate) fn shown(per_s: f64) -> String {
    if per_s >= 10.0 { format!("{per_s:.0}") } else { format!("{per_s:.2}") }
}

fn sample_of(head: &[u8], format: Format, options: &TraceOptions, unit: TimeUnit) -> Option<Sample> {
    // The last line may go on behind the head.
    let end = head.iter().rposition(|&byte| byte == b'\n')? + 1;
    let mut lines = Lines::new(Box::new(Cursor::new(head[..end].to_vec())));
    let mut records = FileRecords::new(format, options);
    let (mut requests, mut first, mut last, mut skipped) = (0, u64::MAX, 0, 0);
    // A line that is not of the format is an error later, with its number.
    while let Ok(Some(record)) = records.next(&mut lines, &mut skipped) {
        requests += 1;
        first = first.min(record.time_ns);
        last = last.max(record.time_ns);
    }
    let fastest_per_s = if format == Format::Mqsim { FASTEST_OF_SSDS_PER_S } else { FASTEST_OF_DISKS_PER_S };
    (requests >= REQUESTS_MIN).then(|| Sample {
        unit,
        requests,
        span_ns: (last - first) as f64,
        fastest_per_s,
    })
}
