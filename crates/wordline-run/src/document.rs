//! The results of a run, as one JSON document; its keys have the order of this file.

use serde::Serialize;
use serde_json::{Map, Value, json};
use wordline_core::config::Config;
use wordline_core::engine::Ns;
use wordline_core::metrics::{FlowMetrics, FlowTime, LatencySummary};
use wordline_core::{Accounts, PowerReport, Ssd};

use crate::{WrittenBytes, page_amplification};

/// The document of a finished run. Python adds who ran it, on which inputs, and the wall time.
#[must_use]
pub fn of(config: &Config, ssd: &Ssd, checked: bool) -> String {
    let metrics = ssd.metrics();
    let (start, end) = (ssd.at_start(), ssd.at_end());
    let accounts = end.since(&start);
    let whole = with_power(config, ssd, (start.at, end.at));
    let began_at = ssd.began_at();
    let counted = (metrics.window.0 - began_at, metrics.window.1 - began_at);
    let span_s = with_power(config, ssd, counted) as f64 / 1e9;
    // What took no time has no rate.
    let per_s = |amount: f64| match amount == 0.0 {
        true => Some(0.0),
        false => (span_s > 0.0).then(|| amount / span_s),
    };
    let (all, read, write) = (metrics.all.summary(), metrics.read().summary(), metrics.write().summary());
    let [read_mb, write_mb] = metrics.bytes().map(|bytes| bytes as f64 / 1e6);
    let preconditioned = ssd.preconditioned();
    let bytes = WrittenBytes::of(&accounts, &ssd.nand().geometry);
    let document = json!({
        "seed": config.seed,
        "requests": {
            "all": all.count, "read": read.count, "write": write.count,
            "other": metrics.other_count(), "warmup": metrics.warmup_requests, "lost": metrics.lost_requests,
            "beyond_histogram": metrics.all.beyond(),
        },
        "window": {"start_s": s(start.at), "end_s": s(end.at)},
        "response_us": {
            "all": spread(&all), "read": spread(&read), "write": spread(&write), "flows": flow_times(ssd),
        },
        "flows": flows(config, ssd),
        "iops": {
            "all": per_s(all.count as f64), "read": per_s(read.count as f64), "write": per_s(write.count as f64),
        },
        "bandwidth_mb_s": {
            "all": per_s(read_mb + write_mb), "read": per_s(read_mb), "write": per_s(write_mb),
        },
        "write_amplification": bytes.write_amplification(),
        "write_amplification_pages": page_amplification(&accounts.ftl),
        "written_bytes": bytes,
        "counters": counters(ssd, &accounts),
        "outside": {
            "warmup": outside(ssd, &start),
            "remainder": outside(ssd, &ssd.accounts().since(&end)),
        },
        "gc": {
            "jobs": accounts.ftl.gc_jobs,
            "moved_pages": accounts.ftl.moved,
            "erases": accounts.ftl.erases,
        },
        "blocks": blocks(config, ssd, &end),
        "erase_us": counted_spread(&accounts.erase_times.latency(config.metrics.digits).summary()),
        "channel_time": channels(&accounts, whole),
        "die_utilisation": dies(&accounts, whole),
        "ecc_utilisation": mean(accounts.ecc.iter().map(|&busy| share(busy, whole))),
        "ecc_time_us": accounts.ecc.iter().map(|&busy| busy as f64 / 1e3).collect::<Vec<_>>(),
        "read_retry": retries(&accounts),
        "read_breakdown_us": breakdown(&accounts),
        "precondition": {
            "host_pages": preconditioned.host_pages,
            "moved_pages": preconditioned.moved_pages,
            "erases": preconditioned.erases,
            "steady": ssd.steady(),
        },
        "program": program(config, ssd),
        "power": power(ssd),
        "stand_in": config.cells.stands_in(),
        "checked": checked,
        "reads_checked": ssd.ftl().reads_checked(),
        "simulated_s": s(ssd.now()),
    });
    document.to_string()
}

fn s(ns: Ns) -> f64 {
    ns as f64 / 1e9
}

/// How much of a time the SSD had power, ns: no rate counts the time that it was off.
fn with_power(config: &Config, ssd: &Ssd, (from, to): (Ns, Ns)) -> Ns {
    let cut_at = (config.power.cut_at_s * 1e9) as Ns;
    let back_at = cut_at.saturating_add((config.power.off_h * 3600e9) as Ns);
    let was_off = ssd.power_log().cut.is_some() && from <= cut_at && back_at <= to;
    to - from - if was_off { back_at - cut_at } else { 0 }
}

/// What was counted by stage.
fn counters(ssd: &Ssd, accounts: &Accounts) -> Value {
    json!({
        "ftl": counts(&accounts.ftl),
        "controller": counts(&accounts.controller),
        "cache": ssd.cache().map(|_| counts(&accounts.cache)),
    })
}

/// What was counted in a part of the run that is not measured.
fn outside(ssd: &Ssd, accounts: &Accounts) -> Value {
    json!({
        "time_s": s(accounts.at),
        "written_bytes": WrittenBytes::of(accounts, &ssd.nand().geometry),
        "counters": counters(ssd, accounts),
    })
}

/// Counters by name. They are plain numbers, whose serialisation cannot fail.
fn counts(counters: &impl Serialize) -> Value {
    serde_json::to_value(counters).unwrap_or(Value::Null)
}

/// A summary without its count.
fn spread(summary: &LatencySummary) -> Value {
    let mut out = Map::new();
    for (name, value) in [("mean", summary.mean), ("std", summary.std), ("min", summary.min)] {
        out.insert(name.to_owned(), value.into());
    }
    for &(name, value) in &summary.percentiles {
        out.insert(name.to_owned(), value.into());
    }
    out.insert("max".to_owned(), summary.max.into());
    Value::Object(out)
}

/// A summary with its count.
fn counted_spread(summary: &LatencySummary) -> Value {
    let mut value = spread(summary);
    value["count"] = summary.count.into();
    value
}

/// Latencies by flow; for a single flow, those of the whole run.
fn flow_times(ssd: &Ssd) -> Value {
    let metrics = ssd.metrics();
    let alone = metrics.flows.is_empty().then(|| metrics.all.summary());
    let each = alone.into_iter().chain(metrics.flows.iter().map(|flow| flow.all().summary()));
    let named = ssd.host().flow_names().zip(each);
    Value::Object(named.map(|(name, summary)| (name.to_owned(), counted_spread(&summary))).collect())
}

/// Rates and response times by flow, over the flow's own time; empty for a single flow, which is the whole run.
fn flows(config: &Config, ssd: &Ssd) -> Value {
    let (metrics, began_at) = (ssd.metrics(), ssd.began_at());
    let of = |flow: &FlowMetrics| {
        let (all, read, write) = (flow.all().summary(), flow.read().summary(), flow.write().summary());
        let time_s = s(with_power(config, ssd, span_of(flow.time(), metrics.window.0, began_at)));
        let per_s = |amount: f64| if time_s > 0.0 { amount / time_s } else { 0.0 };
        let [read_mb, write_mb] = flow.bytes().map(|bytes| bytes as f64 / 1e6);
        json!({
            "requests": {"all": all.count, "read": read.count, "write": write.count},
            "time_s": time_s,
            "iops": {
                "all": per_s(all.count as f64), "read": per_s(read.count as f64),
                "write": per_s(write.count as f64),
            },
            "bandwidth_mb_s": {
                "all": per_s(read_mb + write_mb), "read": per_s(read_mb), "write": per_s(write_mb),
            },
            "response_us": {"all": spread(&all), "read": spread(&read), "write": spread(&write)},
        })
    };
    let named = ssd.host().flow_names().zip(metrics.flows.iter().map(of));
    Value::Object(named.map(|(name, value)| (name.to_owned(), value)).collect())
}

/// When a flow was at work in the window, ns since the run began; a flow of which nothing counted took no time.
fn span_of(time: FlowTime, window_start: Ns, began_at: Ns) -> (Ns, Ns) {
    let end = time.last_completion.max(began_at);
    (time.first_arrival.max(window_start).min(end) - began_at, end - began_at)
}

/// The fast programs of this chip, and the number of pages that still wait for their rewrite; null if no program is
/// fast.
fn program(config: &Config, ssd: &Ssd) -> Value {
    let Some(fast) = &config.device.fast_program else { return Value::Null };
    let worst = ssd.nand().all_health().iter().map(|block| block.stress).fold(0.0, f32::max);
    let days = |retention| retention as f64 / 86_400e9;
    json!({
        "fast_time_share": fast.time_share,
        "fast_retention_days": days(fast.retention_at(worst)),
        "rated_fast_retention_days": days(fast.rated_retention),
        "fast_pages_left": ssd.ftl().fast_pages(),
    })
}

/// Power events of the run; null if there were none.
fn power(ssd: &Ssd) -> Value {
    let report = |report: &PowerReport| {
        json!({
            "rewritten_pages": report.rewritten_pages, "lost_pages": report.lost_pages,
            "map_writes": report.map_writes, "time_s": report.time as f64 / 1e9,
        })
    };
    let log = ssd.power_log();
    if log.cut.is_none() && log.shutdown.is_none() {
        return Value::Null;
    }
    json!({
        "cut": log.cut.as_ref().map(|(cut, _)| json!({
            "interrupted_requests": cut.interrupted_requests, "programs_cut_off": cut.programs_cut_off,
            "queued_pages": cut.queued_pages, "fast_pages": cut.fast_pages,
            "lost_cache_pages": cut.lost_cache_pages, "dumped_pages": cut.dumped_pages,
            "dump_s": cut.dump_time as f64 / 1e9,
        })),
        "power_up": log.cut.as_ref().map(|(_, up)| report(up)),
        "shutdown": log.shutdown.as_ref().map(report),
    })
}

/// A fraction; 0 if the whole is 0.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// Blocks that hold data: before and after the refresh at the start, and at the end of the window.
fn blocks(config: &Config, ssd: &Ssd, end: &Accounts) -> Value {
    let geometry = &ssd.nand().geometry;
    let (all, planes) = (geometry.blocks(), geometry.planes());
    let begins_below = config.gc_thresholds().begins_below as u32;
    let (start, blocks) = (ssd.blocks_in_use(), ssd.ftl().blocks());
    // Blocks that do not hold data are free or bad.
    let grown_bad = ssd.ftl().counters().grown_bad - end.ftl.grown_bad;
    let in_use = blocks.in_use() as u64 + blocks.free() + grown_bad - end.standing.free_blocks;
    json!({
        "all": all, "in_use_before_refresh": start.before_refresh, "in_use_at_start": start.at_start,
        "in_use": in_use, "planes": planes, "gc_begins_below": begins_below * planes,
        "merged": (0..all).filter(|&block| ssd.nand().is_merged(block)).count(),
    })
}

/// The activity of the channels, as fractions of the time.
fn channels(accounts: &Accounts, whole: Ns) -> Value {
    let parts: Vec<[f64; 5]> = accounts
        .channels
        .iter()
        .map(|time| {
            let busy = [time.correct, time.uncorrectable, time.ecc_wait, time.write];
            // The transfer that goes on at the end is booked as a whole.
            let sum: Ns = busy.iter().sum();
            let (whole, idle) = (whole.max(sum), whole.saturating_sub(sum));
            [idle, busy[0], busy[1], busy[2], busy[3]].map(|part| share(part, whole))
        })
        .collect();
    let named = |parts: [f64; 5]| json!({"idle": parts[0], "cor": parts[1], "uncor": parts[2], "eccwait": parts[3], "write": parts[4]});
    let means = std::array::from_fn(|i| mean(parts.iter().map(|part| part[i])));
    json!({"mean": named(means), "channels": parts.into_iter().map(named).collect::<Vec<_>>()})
}

/// The activity of the dies, as fractions of the time.
fn dies(accounts: &Accounts, whole: Ns) -> Value {
    let busy: Vec<[f64; 3]> = accounts.dies.iter().map(|busy| busy.map(|part| share(part, whole))).collect();
    let total = |parts: &[f64; 3]| parts.iter().sum::<f64>();
    let by_kind = |kind: usize| mean(busy.iter().map(|parts| parts[kind]));
    json!({
        "mean": mean(busy.iter().map(total)),
        "min": busy.iter().map(total).reduce(f64::min),
        "max": busy.iter().map(total).reduce(f64::max),
        "read": by_kind(0), "program": by_kind(1), "erase": by_kind(2),
    })
}

/// Retry steps of all page reads. A histogram stops at its last read.
fn retries(accounts: &Accounts) -> Value {
    let filled = accounts.retry_steps.iter().rposition(|&reads| reads > 0).unwrap_or(0) + 1;
    let reads_by_steps = &accounts.retry_steps[..filled];
    let reads: u64 = reads_by_steps.iter().sum();
    let steps: u64 = (0..).zip(reads_by_steps).map(|(steps, reads): (u64, _)| steps * reads).sum();
    json!({
        "reads_by_steps": reads_by_steps,
        "mean_steps": share(steps, reads),
        "first_failure_share": share(accounts.controller.first_failures, accounts.controller.reads),
    })
}

/// The time of the mean user page read, by part.
fn breakdown(accounts: &Accounts) -> Value {
    let sums = accounts.breakdown;
    let us = |ns: u64| if sums.reads == 0 { 0.0 } else { ns as f64 / sums.reads as f64 / 1000.0 };
    json!({
        "queue": us(sums.queue), "array": us(sums.array), "channel_wait": us(sums.channel_wait),
        "transfer": us(sums.transfer), "total": us(sums.total),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_at_work_from_its_first_request_in_the_window_to_its_last() {
        let time = FlowTime { first_arrival: 130, last_completion: 190 };
        assert_eq!(span_of(time, 150, 100), (50, 90));
        assert_eq!(span_of(time, 0, 0), (130, 190));
        let idle = FlowTime { first_arrival: Ns::MAX, last_completion: 0 };
        assert_eq!(span_of(idle, 150, 100), (0, 0), "on an SSD that was used before");
    }
}
