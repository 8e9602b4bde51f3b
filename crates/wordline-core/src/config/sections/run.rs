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
        /// Where writes that never pause keep a drive whose GC is preemptible; others are kept at gc.threshold
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
        overwrite: f64 = 0.0, number(0.0, 1000.0);
        /// Where the overwrites go.
        shape: OverwriteShape = OverwriteShape::Random, word(OverwriteShape::CHOICES).unless("precondition.overwrite", &["0"]);
        /// How many free blocks overwrites leave, once GC has begun: those of gc.hard_threshold or of gc.threshold.
        collected_to: CollectedTo = CollectedTo::HardThreshold,
            word(CollectedTo::CHOICES).unless("precondition.overwrite", &["0"]);
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
