//! What comes before a run, and how its results are kept.

use serde::{Deserialize, Serialize};

use crate::parameter::{Domain, choices, section};

/// How much of the device holds data when the run starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fill {
    /// `"lazy"`: every page that is read was there.
    Word(FillWord),
    /// This share of the host's pages is written first, in order.
    Share(f64),
}

choices! {
    /// The words that `precondition.fill` takes.
    pub enum FillWord {
        /// Reads find data
        Lazy = "lazy",
    }
}

/// How often the host's pages are overwritten before the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Overwrite {
    /// Until the drive is steady.
    Word(OverwriteWord),
    /// So many times.
    Times(f64),
}

impl Overwrite {
    /// How many times, where that is said.
    #[must_use]
    pub fn times(self) -> Option<f64> {
        match self {
            Overwrite::Word(OverwriteWord::Steady) => None,
            Overwrite::Times(times) => Some(times),
        }
    }

    /// Anything is overwritten.
    #[must_use]
    pub fn is_any(self) -> bool {
        self.times().is_none_or(|times| times > 0.0)
    }
}

choices! {
    /// The words that `precondition.overwrite` takes.
    pub enum OverwriteWord {
        /// Until the drive is at the equilibrium of its workload: as long as it takes, at most precondition.overwrite_max times
        Steady = "steady",
    }
}

choices! {
    /// Where preconditioning's overwrites go.
    pub enum OverwriteShape {
        /// Anywhere
        Random = "random",
        /// Where the workload writes
        Workload = "workload",
    }
}

choices! {
    /// Down to which of GC's thresholds preconditioning takes the free blocks.
    pub enum CollectedTo {
        /// Where writes that never pause keep a drive whose GC is preemptible and goes behind them; others are kept at gc.threshold
        HardThreshold = "hard-threshold",
        /// Where GC leaves a drive that has time
        Threshold = "threshold",
    }
}

section! {
    /// `[precondition]`: what was written before the run.
    pub struct PreconditionConfig {
        /// Share of the host's pages to write first.
        fill: Fill = Fill::Word(FillWord::Lazy), either(&[
            Domain::Word(FillWord::CHOICES),
            Domain::Number { low: 0.0, high: 1.0, above: false, below: false },
        ]);
        /// Page writes after the fill, as a multiple of the host's pages.
        overwrite: Overwrite = Overwrite::Times(0.0), either(&[
            Domain::Number { low: 0.0, high: 1000.0, above: false, below: false },
            Domain::Word(OverwriteWord::CHOICES),
        ]);
        /// How often the host's pages are overwritten at most until the drive is steady. Where that is not enough, the result says how
        /// far it is.
        overwrite_max: f64 = 50.0, above(0.0, 10_000.0).unit("drive writes").source("assumed: data that take 1 % of the writes need about 30")
            .when("precondition.overwrite", &["steady"]);
        /// How often the host's pages are written at most by the workload itself, with its times, cache and schedule, until what
        /// GC moves is level with these; 0: not at all. Where it is level from the start, that takes a tenth.
        timed_max: f64 = 2.0, number(0.0, 1000.0).unit("drive writes").source("assumed: a write cache changes what the drive holds within one")
            .when("precondition.overwrite", &["steady"]).when("precondition.shape", &["workload"]);
        /// Where the overwrites go.
        shape: OverwriteShape = OverwriteShape::Random, word(OverwriteShape::CHOICES).unless("precondition.overwrite", &["0"]);
        /// How many free blocks overwrites leave, once GC has begun: those of gc.hard_threshold or of gc.threshold.
        collected_to: CollectedTo = CollectedTo::HardThreshold,
            word(CollectedTo::CHOICES).unless("precondition.overwrite", &["0"]).unless("gc.pacing", &["in-step"]);
    }
}

choices! {
    /// What becomes of the response times of reads whose data were lost.
    pub enum LostReads {
        /// They count like others
        Count = "count",
        /// They are left out, and such requests are counted apart
        Skip = "skip",
    }
}

section! {
    /// `[metrics]`: how results are kept.
    pub struct MetricsConfig {
        /// Response times of reads of which a page could not be decoded.
        lost_reads: LostReads = LostReads::Count, word(LostReads::CHOICES);
        /// Significant digits of latency bins.
        digits: u8 = 3, whole(1, 4).unit("digits");
        /// Width of a throughput sample; 0 = chosen by itself.
        series_ms: f64 = 0.0, number(0.0, 1e9).unit("ms");
    }
}
