//! Arrival times of requests.

use wordline_core::config::{ArrivalProcess, WorkloadConfig};

use super::random::{Chance, Random};

/// Draws the times between arrivals, in ns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gaps {
    /// No time between arrivals: closed loop.
    None,
    /// A fixed time.
    Fixed { gap_ns: f64 },
    /// A Poisson process.
    Exponential { mean_ns: f64 },
    /// Two exponential phases with balanced means.
    HyperExponential { short: Chance, short_ns: f64, long_ns: f64 },
    /// A pause after every `requests` arrivals.
    Bursts { requests: u64, left: u64, inside_ns: f64, pause_ns: f64 },
}

impl Gaps {
    /// Builds gaps with a mean of `mean_us`, shorter in busy times; the other keys come from the configuration.
    pub fn new(config: &WorkloadConfig, mean_us: f64) -> Self {
        let mean_ns = mean_us * 1e3 / config.busy_factor;
        if mean_ns <= 0.0 {
            return Self::None;
        }
        match config.arrival {
            ArrivalProcess::Fixed => Self::Fixed { gap_ns: mean_ns },
            ArrivalProcess::Exponential => Self::Exponential { mean_ns },
            ArrivalProcess::HyperExponential => {
                // Balanced means: each phase contributes half of the time (p / rate equal for both).
                let cv2 = config.arrival_cv2;
                let short = 0.5 * (1.0 + libm::sqrt((cv2 - 1.0) / (cv2 + 1.0)));
                Self::HyperExponential {
                    short: Chance::new(short),
                    short_ns: mean_ns / (2.0 * short),
                    long_ns: mean_ns / (2.0 * (1.0 - short)),
                }
            }
            ArrivalProcess::Bursts => {
                let (requests, inside_ns) = (config.burst_requests, config.burst_inter_arrival_us * 1e3);
                // The rest of the burst's mean time, after the gaps inside it.
                let pause_ns = requests as f64 * mean_ns - (requests - 1) as f64 * inside_ns;
                Self::Bursts { requests, left: requests, inside_ns, pause_ns }
            }
        }
    }

    /// Returns true if all requests arrive at once.
    pub fn are_none(&self) -> bool {
        matches!(self, Self::None)
    }

    #[inline]
    fn draw(&mut self, random: &mut Random) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Fixed { gap_ns } => *gap_ns,
            Self::Exponential { mean_ns } => random.exponential() * *mean_ns,
            Self::HyperExponential { short, short_ns, long_ns } => {
                let mean_ns = if short.hits(random) { *short_ns } else { *long_ns };
                random.exponential() * mean_ns
            }
            Self::Bursts { requests, left, inside_ns, pause_ns } => {
                *left -= 1;
                if *left > 0 {
                    *inside_ns
                } else {
                    *left = *requests;
                    random.exponential() * *pause_ns
                }
            }
        }
    }
}

/// Busy times of exponential length, with exponential pauses between them: a two-state process. Requests come in busy times
/// alone, so what they meet of each other is its correlation in time.
#[derive(Clone, Copy, Debug)]
struct Busy {
    mean_ns: f64,
    pause_ns: f64,
    left_ns: f64,
}

impl Busy {
    fn new(config: &WorkloadConfig) -> Option<Self> {
        let mean_ns = config.busy_s * 1e9;
        let pause_ns = mean_ns * (config.busy_factor - 1.0);
        (pause_ns > 0.0).then_some(Self { mean_ns, pause_ns, left_ns: mean_ns })
    }

    /// The pauses that begin within this time. What is left of a busy time carries over, so the mean stays exact.
    fn pause_ns(&mut self, gap_ns: f64, random: &mut Random) -> f64 {
        self.left_ns -= gap_ns;
        let mut pause_ns = 0.0;
        while self.left_ns <= 0.0 {
            self.left_ns += random.exponential() * self.mean_ns;
            pause_ns += random.exponential() * self.pause_ns;
        }
        pause_ns
    }
}

/// The time of the next arrival. Fractions of a ns are carried over, so that the mean is exact over a long run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    now_ns: u64,
    carry_ns: f64,
    busy: Option<Busy>,
}

impl Clock {
    /// A clock at the begin of a busy time.
    pub fn new(config: &WorkloadConfig) -> Self {
        Self { now_ns: 0, carry_ns: 0.0, busy: Busy::new(config) }
    }

    /// The time of the next arrival, ns.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Returns the time of this arrival and advances to the next.
    #[inline]
    pub fn tick(&mut self, gaps: &mut Gaps, random: &mut Random) -> u64 {
        let now_ns = self.now_ns;
        if !gaps.are_none() {
            let mut gap_ns = gaps.draw(random) + self.carry_ns;
            if let Some(busy) = &mut self.busy {
                gap_ns += busy.pause_ns(gap_ns, random);
            }
            let whole_ns = gap_ns as u64;
            self.carry_ns = gap_ns - whole_ns as f64;
            // The run rejects times beyond its limit; they must not wrap around.
            self.now_ns = self.now_ns.saturating_add(whole_ns);
        }
        now_ns
    }
}
