//! What a result says of channels, dies, ECC engines and reads: shares of the window, and the parts of a read.

use schemars::JsonSchema;
use serde::Serialize;
use wordline_core::Accounts;
use wordline_core::engine::Ns;

/// The activity of the channels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelTime {
    /// The mean over the channels.
    pub mean: ChannelShares,
    /// Each channel.
    pub channels: Vec<ChannelShares>,
}

/// What a channel did, as shares of the window that add up to 1.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "share"))]
pub struct ChannelShares {
    /// Nothing.
    pub idle: f64,
    /// Transfers of pages that decode.
    pub cor: f64,
    /// Transfers of pages that do not decode.
    pub uncor: f64,
    /// Waiting for the ECC engine's buffer.
    pub eccwait: f64,
    /// Transfers of pages to be programmed.
    pub write: f64,
}

impl ChannelTime {
    pub(super) fn of(accounts: &Accounts, whole: Ns) -> ChannelTime {
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
        let named =
            |[idle, cor, uncor, eccwait, write]: [f64; 5]| ChannelShares { idle, cor, uncor, eccwait, write };
        let means = std::array::from_fn(|i| mean(parts.iter().map(|part| part[i])));
        ChannelTime { mean: named(means), channels: parts.into_iter().map(named).collect() }
    }
}

/// The activity of the dies, as shares of the window.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "share"))]
pub struct DieUtilisation {
    /// Busy, mean over the dies.
    pub mean: f64,
    /// Of the least busy die.
    pub min: Option<f64>,
    /// Of the busiest die.
    pub max: Option<f64>,
    /// Reading; read, program and erase add up to the mean.
    pub read: f64,
    /// Programming.
    pub program: f64,
    /// Erasing.
    pub erase: f64,
}

impl DieUtilisation {
    pub(super) fn of(accounts: &Accounts, whole: Ns) -> DieUtilisation {
        let busy: Vec<[f64; 3]> =
            accounts.dies.iter().map(|busy| busy.map(|part| share(part, whole))).collect();
        let total = |parts: &[f64; 3]| parts.iter().sum::<f64>();
        let by_kind = |kind: usize| mean(busy.iter().map(|parts| parts[kind]));
        DieUtilisation {
            mean: mean(busy.iter().map(total)),
            min: busy.iter().map(total).reduce(f64::min),
            max: busy.iter().map(total).reduce(f64::max),
            read: by_kind(0),
            program: by_kind(1),
            erase: by_kind(2),
        }
    }
}

/// Retry steps of all page reads.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReadRetry {
    /// Page reads that took 0, 1, 2, … further senses: all that decoded, the host's and those of partial writes (`merge_reads`),
    /// of garbage collection, refresh and the mapping table.
    #[schemars(extend("x-unit" = "count"))]
    pub reads_by_steps: Vec<u64>,
    /// Further senses of a page read, mean over those of `reads_by_steps`.
    #[schemars(extend("x-unit" = "steps"))]
    pub mean_steps: f64,
    /// Of all page reads, not of the host's alone, those that did not decode as they were sensed first.
    #[schemars(extend("x-unit" = "share"))]
    pub first_failure_share: f64,
}

impl ReadRetry {
    pub(super) fn of(accounts: &Accounts) -> ReadRetry {
        let filled = accounts.retry_steps.iter().rposition(|&reads| reads > 0).unwrap_or(0) + 1;
        let reads_by_steps = &accounts.retry_steps[..filled];
        let reads: u64 = reads_by_steps.iter().sum();
        let steps: u64 = (0..).zip(reads_by_steps).map(|(steps, reads): (u64, _)| steps * reads).sum();
        ReadRetry {
            reads_by_steps: reads_by_steps.to_vec(),
            mean_steps: share(steps, reads),
            first_failure_share: share(accounts.controller.first_failures, accounts.controller.reads),
        }
    }
}

/// The time of the mean page read of a user, by part.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-unit" = "us"))]
pub struct ReadBreakdown {
    /// From the FTL's order until the command goes out.
    pub queue: f64,
    /// Until the last sense has ended, retries included.
    pub array: f64,
    /// Until the data starts over the channel.
    pub channel_wait: f64,
    /// Transfer and decoding.
    pub transfer: f64,
    /// From the order until the data is decoded.
    pub total: f64,
}

impl ReadBreakdown {
    pub(super) fn of(accounts: &Accounts) -> ReadBreakdown {
        let sums = accounts.breakdown;
        let us = |ns: u64| if sums.reads == 0 { 0.0 } else { ns as f64 / sums.reads as f64 / 1000.0 };
        ReadBreakdown {
            queue: us(sums.queue),
            array: us(sums.array),
            channel_wait: us(sums.channel_wait),
            transfer: us(sums.transfer),
            total: us(sums.total),
        }
    }
}

/// A fraction; 0 if the whole is 0.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}
