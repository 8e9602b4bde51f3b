//! Fail-bit-count-based erase latency prediction, the heart of AERO (Sections 4 and 6).
//!
//! 1. A block whose note is 0 gets a shallow erasure (tSE) and, by its fail bits, a remainder; if the
//!    remainder comes out as long as the rest of tEP the note becomes 1 (its SEF bit says FALSE from then on), and
//!    later erases begin with a full pulse. With `erase.shallow_flag = "none"` the note stays 0, as in the
//!    simulator of AERO's authors, which has no flag.
//! 2. Before each further loop the fail bits and the table say how long its pulse has to be; where they
//!    are within what ECC can bear the loop is left out.
//! 3. Verify after a predicted pulse finds whether it was enough. If not, 0.5 ms more follow, at the same
//!    voltage while that has been applied for less than tEP, at the next otherwise. A block whose prediction was wrong
//!    ends as it would have ended with the right one: so Section 7.4 assumes.

use super::ept::Time;
use super::plane::PulseKind;
use super::{EraseKeys, NextPulse, PlaneProgress, PlaneView, Refusal, SchemeParams};
use wordline_cells::erase::EraseConstants;

/// What the schemes of this file share are keys of AERO's.
impl EraseKeys {
    /// tSE in the short pulses of a chip.
    ///
    /// # Errors
    /// It is no multiple of one, or no shorter than a loop.
    pub fn shallow_pulses(&self, chip: &EraseConstants) -> Result<u8, Refusal> {
        self.aero.shallow_pulses(chip)
    }

    /// Errors in 1 KiB that the table may leave a block with after a year.
    #[must_use]
    pub fn rber_requirement_bits(&self) -> f64 {
        self.aero.rber_requirement_bits
    }

    /// Share of predictions after which a block needs one short pulse more.
    pub(super) fn mispredict_rate(&self) -> f32 {
        self.aero.mispredict_rate as f32
    }

    /// A block makes up for a wrong prediction within the predicted pulse.
    #[must_use]
    pub fn lengthens_mispredicted(&self) -> bool {
        self.aero.lengthens_mispredicted()
    }
}

pub(super) fn step(
    params: &SchemeParams,
    mut progress: PlaneProgress,
    view: &PlaneView,
    time: Time,
) -> (PlaneProgress, NextPulse) {
    let loops = |level: u8| level.min(params.max_loops);
    if progress.level == 0 {
        return ordered(if progress.note == 0 {
            progress.pulse(1, params.shallow_pulses, PulseKind::Shallow)
        } else {
            progress.pulse(1, params.pulses_per_loop, PulseKind::Full)
        });
    }
    // A block that needs more than a full pulse belongs to the next loop's row (C1 and C2, Section 5.4).
    let row = loops(progress.level + u8::from(progress.stage == PulseKind::Full));
    if !view.fell_short && params.ept.accepts(row, view.fail_bits, params.pass_fail_bits, time) {
        return (progress, NextPulse::Done);
    }
    match progress.stage {
        PulseKind::Begin | PulseKind::Shallow => {
            let rest = params.pulses_per_loop - params.shallow_pulses;
            let pulses = params.ept.pulses(1, view.fail_bits, time, rest);
            if pulses < rest {
                return ordered(progress.pulse(1, pulses, PulseKind::Predicted));
            }
            progress.note = u8::from(params.keys.aero.keeps_shallow_flag());
            ordered(progress.pulse(1, rest, PulseKind::Full))
        }
        PulseKind::Full => {
            let pulses = params.ept.pulses(row, view.fail_bits, time, params.pulses_per_loop);
            let stage = if pulses < params.pulses_per_loop { PulseKind::Predicted } else { PulseKind::Full };
            ordered(progress.pulse(row, pulses, stage))
        }
        PulseKind::Predicted | PulseKind::Extra => {
            let is_used_up = progress.in_level >= params.pulses_per_loop;
            ordered(progress.pulse(loops(progress.level + u8::from(is_used_up)), 1, PulseKind::Extra))
        }
    }
}

/// A pulse of AERO: its length is set before it, its fail bits are fetched after it.
fn ordered((progress, mut step): (PlaneProgress, NextPulse)) -> (PlaneProgress, NextPulse) {
    if let NextPulse::Pulse(order) = &mut step {
        order.features = 2;
    }
    (progress, step)
}
