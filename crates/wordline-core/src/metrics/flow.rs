//! What is measured of one flow among several.

use serde::{Deserialize, Serialize};

use super::intervals::{Interval, Intervals, Standing};
use super::latency::Latency;
use super::series::Sample;
use crate::engine::{Ns, state};
use crate::host::{Op, Request, SECTOR_BYTES};

/// Response times and amounts of one flow.
#[derive(Debug)]
pub struct FlowMetrics {
    /// Response times of reads, of writes, and of all others.
    kinds: [Latency; 3],
    sectors: [u64; 2],
    intervals: Intervals,
    time: FlowTime,
}

/// The time of a flow, ns.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FlowTime {
    /// When its first counted request arrived.
    pub first_arrival: Ns,
    /// When its last one completed so far.
    pub last_completion: Ns,
}

state! {
    FlowMetrics {
        parts: kinds;
        values: sectors, intervals, time;
        checked: is_sound;
    }
}

impl FlowMetrics {
    /// Whether nothing had happened more often before than by now.
    fn is_sound(&self) -> bool {
        let [read, write, _] = &self.kinds;
        self.intervals.are_sound([read, write])
    }

    /// Nothing measured yet; bins keep `digits` significant digits.
    #[must_use]
    pub fn new(digits: u8) -> FlowMetrics {
        FlowMetrics {
            kinds: std::array::from_fn(|_| Latency::new(digits)),
            sectors: [0; 2],
            intervals: Intervals::new(),
            time: FlowTime { first_arrival: Ns::MAX, last_completion: 0 },
        }
    }

    /// Forgets all that was measured.
    pub(super) fn clear(&mut self) {
        self.kinds.iter_mut().for_each(Latency::clear);
        self.sectors = [0; 2];
        self.intervals = Intervals::new();
        self.time = FlowTime { first_arrival: Ns::MAX, last_completion: 0 };
    }

    /// A request is complete; the run began at `began_at`.
    pub(super) fn completed(&mut self, done: &Request, latency: Ns, now: Ns, began_at: Ns) {
        let kind = match done.request.op {
            Op::Read => 0,
            Op::Write | Op::Append => 1,
            _ => 2,
        };
        if now - began_at >= self.intervals.end() && kind < 2 {
            let (totals, [read, write, _]) = (self.totals(), &self.kinds);
            self.intervals.turn(now - began_at, totals, [read, write], Standing::default(), &[]);
        }
        self.kinds[kind].record(latency);
        if let Some(sectors) = self.sectors.get_mut(kind) {
            *sectors += u64::from(done.request.sectors);
        }
        self.time.first_arrival = self.time.first_arrival.min(done.request.arrival_ns);
        self.time.last_completion = now;
    }

    /// Response times of reads.
    #[must_use]
    pub fn read(&self) -> &Latency {
        &self.kinds[0]
    }

    /// Response times of writes.
    #[must_use]
    pub fn write(&self) -> &Latency {
        &self.kinds[1]
    }

    /// Response times of all requests.
    #[must_use]
    pub fn all(&self) -> Latency {
        let mut all = self.kinds[0].clone();
        self.kinds[1..].iter().for_each(|kind| all.add(kind));
        all
    }

    /// Bytes read and written.
    #[must_use]
    pub fn bytes(&self) -> [u64; 2] {
        self.sectors.map(|sectors| sectors * SECTOR_BYTES)
    }

    /// When the flow ran.
    #[must_use]
    pub fn time(&self) -> FlowTime {
        self.time
    }

    /// The run in intervals: their width, ns, and all of them from time 0 on, without what the SSD did.
    #[must_use]
    pub fn intervals(&self) -> (Ns, Vec<Interval>) {
        let [read, write, _] = &self.kinds;
        (self.intervals.width(), self.intervals.all(self.totals(), [read, write], Standing::default(), &[]))
    }

    fn totals(&self) -> Sample {
        let [read, write, _] = &self.kinds;
        Sample {
            requests: [read, write].map(Latency::count),
            bytes: self.bytes(),
            latency: [read, write].map(|latency| latency.sum_ns() as u64),
        }
    }
}
