//! `sentinel` (SENC): the first read travels to the controller and fails; the errors in its sentinel
//! cells, whose data are known, give an estimate of the best V_REF for the next (Li et al., MICRO
//! 2020, through PR2/AR2, Section 9: 6.6 retry steps become 1.2; RiF, "Experiment Settings").
//!
//! Where the estimate misses, the voltages around it are tried, nearest first, and then the chip's
//! table; the paper's summary does not say what happens then.

use super::{Hints, regular};

/// Estimates are followed by voltages up to this many steps away.
const REACH: u8 = 3;

pub(super) fn position(attempt: u8, hints: &Hints, table_steps: u8) -> Option<f32> {
    match attempt {
        0 => Some(0.0),
        1..=LAST => Some((hints.estimate + around(attempt - 1)).max(0.0)),
        // The default V_REF has been read.
        _ => regular::position(attempt - LAST, table_steps),
    }
}

/// Last sense near the estimate.
const LAST: u8 = 2 * REACH + 1;

/// 0, 1, -1, 2, -2, …: data leak charge while they lie, so that the voltages below (further down the
/// table) come first.
fn around(n: u8) -> f32 {
    let distance = f32::from(n.div_ceil(2));
    if n % 2 == 1 { distance } else { -distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_comes_first_then_what_is_around_it_then_the_table() {
        let hints = Hints { estimate: 9.25, ..Hints::default() };
        let tried: Vec<_> = (0..).map_while(|attempt| position(attempt, &hints, 12)).collect();
        assert_eq!(tried[..8], [0.0, 9.25, 10.25, 8.25, 11.25, 7.25, 12.25, 6.25]);
        assert_eq!(tried[8..], (1..=12).map(f32::from).map(|s: f32| s).collect::<Vec<_>>());
    }
}
