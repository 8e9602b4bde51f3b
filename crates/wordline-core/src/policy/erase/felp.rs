//! Fail-bit-count-based erase latency prediction, the heart of AERO (Sections 4 and 6).
//!
//! 1. A block whose note is 0 gets a shallow erasure (tSE) and, by its fail bits, a remainder; if the
//!    remainder comes out as long as the rest of tEP the note becomes 1 (its SEF bit is cleared), and
//!    later erases begin with a full pulse.
//! 2. Before each further loop the fail bits and the table say how long its pulse has to be; where they
//!    are within what ECC can bear the loop is left out.
//! 3. Verify after a predicted pulse finds whether it was enough. If not, 0.5 ms more follow, at the same
//!    voltage while that has been applied for less than tEP, at the next otherwise.

use super::ept::Time;
use super::plane::Stage;
use super::{PlaneProgress, PlaneView, SchemeParams, Step};

pub(super) fn step(
    params: &SchemeParams,
    mut progress: PlaneProgress,
    view: &PlaneView,
    time: Time,
) -> (PlaneProgress, Step) {
    let loops = |level: u8| level.min(params.max_loops);
    if progress.level == 0 {
        return ordered(if progress.note == 0 {
            progress.pulse(1, params.shallow_pulses, Stage::Shallow)
        } else {
            progress.pulse(1, params.pulses_per_loop, Stage::Full)
        });
    }
    let is_mispredicted = progress.stage == Stage::Predicted && view.draw < params.mispredict_rate;
    // A block that needs more than a full pulse belongs to the next loop's row (C1 and C2, Section 5.4).
    let row = loops(progress.level + u8::from(progress.stage == Stage::Full));
    if !is_mispredicted && params.ept.accepts(row, view.fail_bits, params.pass_fail_bits, time) {
        return (progress, Step::Done);
    }
    match progress.stage {
        Stage::Begin | Stage::Shallow => {
            let rest = params.pulses_per_loop - params.shallow_pulses;
            let pulses = params.ept.pulses(1, view.fail_bits, time, rest);
            if pulses < rest {
                return ordered(progress.pulse(1, pulses, Stage::Predicted));
            }
            progress.note = 1;
            ordered(progress.pulse(1, rest, Stage::Full))
        }
        Stage::Full => {
            let pulses = params.ept.pulses(row, view.fail_bits, time, params.pulses_per_loop);
            let stage = if pulses < params.pulses_per_loop { Stage::Predicted } else { Stage::Full };
            ordered(progress.pulse(row, pulses, stage))
        }
        Stage::Predicted | Stage::Extra => {
            let is_used_up = progress.in_level >= params.pulses_per_loop;
            ordered(progress.pulse(loops(progress.level + u8::from(is_used_up)), 1, Stage::Extra))
        }
    }
}

/// A pulse of AERO: its length is set before it, its fail bits are fetched after it.
fn ordered((progress, mut step): (PlaneProgress, Step)) -> (PlaneProgress, Step) {
    if let Step::Pulse(order) = &mut step {
        order.features = 2;
    }
    (progress, step)
}
