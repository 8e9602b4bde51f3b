//! Slot `read_retry`: a sense is over, or a page did or did not decode: what next?
//!
//! A read command senses its pages (one, or one in each plane), ships them to the controller and has
//! them decoded. At each of these points the policy says what the die does next and whether the
//! pages that were just sensed cross the channel. While a sense runs, the pages of the sense before
//! may be on the channel or in the ECC engine: that is what pipelining needs.

mod baseline;
mod ideal;

use serde::{Deserialize, Serialize};

use crate::controller::Phases;
use crate::engine::Ns;

/// The policies of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadRetry {
    /// No page ever fails to decode (NoRR, SSD_zero).
    Ideal,
    /// Sense, transfer, decode; on failure the next retry step.
    Baseline,
}

/// What a policy knows of the command it steers.
#[derive(Clone, Copy, Debug)]
pub struct ReadContext {
    /// tR of the slowest page of the command.
    pub sense: Ns,
    /// tRST.
    pub reset: Ns,
    /// tSET.
    pub set_feature: Ns,
}

/// How far a read command has come; policies keep their own state here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Retry step of the last sense that ended; 0 is the regular read.
    pub step: u8,
}

/// What a read command does next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadPlan {
    /// Phases on the die, in order. A `Reset` ends a sense that is running.
    pub phases: Phases,
    /// The pages that were just sensed cross the channel.
    pub ship: bool,
}

impl ReadRetry {
    /// The command has reached the die.
    #[inline]
    #[must_use]
    pub fn begin(self, context: &ReadContext) -> ReadPlan {
        match self {
            ReadRetry::Ideal => ideal::begin(context),
            ReadRetry::Baseline => baseline::begin(context),
        }
    }

    /// A sense has ended and the page register is free to take its data.
    #[inline]
    #[must_use]
    pub fn sensed(self, _progress: &mut ReadProgress, _context: &ReadContext) -> ReadPlan {
        match self {
            ReadRetry::Ideal | ReadRetry::Baseline => ReadPlan { ship: true, ..ReadPlan::default() },
        }
    }

    /// All pages that were shipped have been decoded, and some failed.
    #[inline]
    #[must_use]
    pub fn failed(self, progress: &mut ReadProgress, context: &ReadContext) -> ReadPlan {
        match self {
            ReadRetry::Ideal => ReadPlan::default(),
            ReadRetry::Baseline => baseline::failed(progress, context),
        }
    }

    /// All pages of the command have been decoded: what the die still has to do.
    #[inline]
    #[must_use]
    pub fn finished(self, _progress: &ReadProgress, _context: &ReadContext) -> Phases {
        match self {
            ReadRetry::Ideal | ReadRetry::Baseline => Phases::default(),
        }
    }

    /// True when a page that takes `steps` retry steps decodes at the step in `progress`.
    #[inline]
    #[must_use]
    pub fn decodes(self, progress: &ReadProgress, steps: u8) -> bool {
        match self {
            ReadRetry::Ideal => true,
            ReadRetry::Baseline => progress.step >= steps,
        }
    }
}
