//! By how much answers came later than they should have, and whether that matters.

use wordline_core::metrics::{Latency, Spread};

/// Answers after which `--slow-down auto` looks whether the host keeps up.
const WINDOW: u64 = 500;
/// The share of the mean response that lateness may have.
pub(crate) const SHARE_MAX: f64 = 0.05;
/// What `--slow-down auto` multiplies by.
const STEP: f64 = 1.5;
/// Where `--slow-down auto` ends.
const SLOW_DOWN_MAX: f64 = 1e6;

/// Wall times of answers, ns.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    answers: u64,
    late_ns: f64,
    response_ns: f64,
}

impl Sums {
    fn add(&mut self, late_ns: u64, response_ns: f64) {
        self.answers += 1;
        self.late_ns += late_ns as f64;
        self.response_ns += response_ns;
    }

    fn share(&self) -> f64 {
        if self.response_ns > 0.0 { self.late_ns / self.response_ns } else { 0.0 }
    }
}

/// Account of all answers of a session.
#[derive(Debug)]
pub(crate) struct Lateness {
    all: Latency,
    total: Sums,
    window: Sums,
}

impl Lateness {
    pub fn new() -> Lateness {
        Lateness { all: Latency::new(3), total: Sums::default(), window: Sums::default() }
    }

    /// An answer was sent `late_ns` after its time, for a request that should have taken `response_ns`; both wall time.
    pub fn add(&mut self, late_ns: u64, response_ns: f64) {
        self.all.record(late_ns);
        self.total.add(late_ns, response_ns);
        self.window.add(late_ns, response_ns);
    }

    /// The slow-down that the host may keep up with, once enough answers show that it does not with this one.
    pub fn better(&mut self, slow_down: f64) -> Option<f64> {
        if self.window.answers < WINDOW {
            return None;
        }
        let is_late = self.window.share() > SHARE_MAX;
        self.window = Sums::default();
        if !is_late || slow_down >= SLOW_DOWN_MAX {
            return None;
        }
        // What was late until now says nothing of the new pace.
        self.all = Latency::new(3);
        self.total = Sums::default();
        Some((slow_down * STEP).min(SLOW_DOWN_MAX))
    }

    /// Lateness of all answers, us of wall time.
    pub fn spread(&self) -> Spread {
        self.all.summary().spread
    }

    /// Mean lateness over mean response.
    pub fn share(&self) -> f64 {
        self.total.share()
    }
}
