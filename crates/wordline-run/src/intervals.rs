//! The run by intervals, as columns: the data for charts over time and for batch statistics.

use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::metrics::{BinCount, Interval, Latency, PERCENTILES};

use crate::result::HandleBytes;
use crate::tables::{self, Column};

/// The row of data that are of no handle.
const MIXED: &str = "mixed";
/// The percentiles of a chart over time.
const SHOWN: [(&str, f64); 2] = [("p50", 50.0), ("p99", 99.0)];

/// One row per interval of equal time, from time 0. `read_over_p99` counts the reads of the interval that took longer
/// than the p99 of all reads, and so on: the confidence interval of a percentile is computed from these.
#[must_use]
pub fn columns(ssd: &Ssd) -> Vec<Column> {
    let (width, intervals) = ssd.intervals();
    let metrics = ssd.metrics();
    let of = |number: &dyn Fn(&Interval) -> u64| intervals.iter().map(number).collect::<Vec<_>>().into_iter();
    let unit_bytes = u64::from(ssd.ftl().geometry().page_bytes);
    let mut columns = of_requests(width, &intervals, [&metrics.all, metrics.read(), metrics.write()]);
    columns.push(Column::u64("host_written_bytes", of(&|i| i.flash.host_bytes)));
    columns.push(Column::u64("media_written_bytes", of(&|i| i.flash.programs * unit_bytes)));
    columns.push(Column::u64("programs", of(&|i| i.flash.programs)));
    columns.push(Column::u64("user_programs", of(&|i| i.flash.user_programs)));
    columns.push(Column::u64("moved_pages", of(&|i| i.flash.moved_pages)));
    columns.push(Column::u64("erases", of(&|i| i.flash.erases)));
    columns.push(Column::u64("free_blocks", of(&|i| i.flash.free_blocks)));
    columns.push(Column::u64("outstanding", of(&|i| i.flash.outstanding)));
    columns
}

/// The same of each flow, with its name, where there are several; without what the SSD did.
#[must_use]
pub fn of_flows(ssd: &Ssd) -> Vec<Column> {
    let tables = ssd.metrics().flows.iter().map(|flow| {
        let (width, intervals) = flow.intervals();
        of_requests(width, &intervals, [&flow.all(), flow.read(), flow.write()])
    });
    tables::by_flow(ssd, tables)
}

/// What was programmed for each placement handle by interval, and at last for data of none (`mixed`); none where there are no handles.
#[must_use]
pub fn of_handles(ssd: &Ssd) -> Option<Vec<Column>> {
    let handles = ssd.ftl().handles().len().checked_sub(1)?;
    let (width, intervals) = ssd.intervals();
    let unit_bytes = u64::from(ssd.ftl().geometry().page_bytes);
    let of_handle = |place: usize| {
        let of = |number: &dyn Fn(&HandleBytes) -> u64| {
            let bytes = |interval: &Interval| {
                let counters = interval.handles.get(place).copied().unwrap_or_default();
                number(&HandleBytes::of(&counters, unit_bytes))
            };
            intervals.iter().map(bytes).collect::<Vec<_>>().into_iter()
        };
        vec![
            Column::u64("start_ns", (0..intervals.len() as u64).map(|i| i * width)),
            Column::u64("host_written_bytes", of(&|bytes| bytes.host)),
            Column::u64("media_written_bytes", of(&|bytes| bytes.media)),
            Column::u64("gc_bytes", of(&|bytes| bytes.gc)),
            Column::u64("gc_caused_bytes", of(&|bytes| bytes.gc_caused)),
        ]
    };
    let names = (1..=handles).map(|number| number.to_string()).chain([MIXED.to_owned()]).collect();
    Some(tables::below_each_other("handle", names, (0..=handles).map(of_handle)))
}

/// Requests by interval; `latencies` are those of all requests, of reads, of writes.
fn of_requests(width: Ns, intervals: &[Interval], latencies: [&Latency; 3]) -> Vec<Column> {
    let of = |number: &dyn Fn(&Interval) -> u64| intervals.iter().map(number).collect::<Vec<_>>().into_iter();
    let mut columns = vec![Column::u64("start_ns", (0..intervals.len() as u64).map(|i| i * width))];
    for (kind, op) in ["read", "write"].into_iter().enumerate() {
        columns.push(Column::u64(format!("{op}s"), of(&|i| i.sample.requests[kind])));
        columns.push(Column::u64(format!("{op}_bytes"), of(&|i| i.sample.bytes[kind])));
        columns.push(Column::u64(format!("{op}_latency_sum_ns"), of(&|i| i.sample.latency[kind])));
    }
    let kinds: [(&str, &[usize]); 3] = [("all", &[0, 1]), ("read", &[0]), ("write", &[1])];
    for ((op, parts), latency) in kinds.into_iter().zip(latencies) {
        for (name, percent) in PERCENTILES {
            let bin = latency.bin(latency.percentile_ns(percent));
            let over = |interval: &Interval| {
                let longer =
                    parts.iter().flat_map(|&kind| &interval.bins[kind]).filter(|each| each.bin > bin);
                longer.map(|each| each.count).sum()
            };
            columns.push(Column::u64(format!("{op}_over_{name}"), of(&over)));
        }
        if let [kind] = parts {
            for (name, percent) in SHOWN {
                let value = |i: &Interval| percentile(latency, &i.bins[*kind], percent);
                columns.push(Column::u64(format!("{op}_{name}_ns"), of(&value)));
            }
        }
    }
    columns
}

/// A percentile of counts by bin, ns; 0 without counts.
fn percentile(latency: &Latency, bins: &[BinCount], percent: f64) -> u64 {
    let all: u64 = bins.iter().map(|each| each.count).sum();
    let wanted = ((percent / 100.0 * all as f64).ceil() as u64).max(1);
    let mut below = 0;
    let found = bins.iter().find(|each| {
        below += each.count;
        below >= wanted
    });
    found.map_or(0, |each| latency.upper_ns(each.bin))
}
