//! Whose turn it is among priorities.

use serde::{Deserialize, Serialize};

use crate::flash::{PRIORITIES, Priority};

/// Rounds after which everything begins anew: the weight of [`Priority::High`].
const ROUNDS: u8 = 4;

/// Urgent first; then high, medium and low in turn, 4, 2 and 1 times: as `get_next_read_service_queue` of MQSim's
/// `TSU_Priority_OutOfOrder`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Turn {
    /// Whose turn it was.
    last: Priority,
    /// Rounds left, this one included: medium takes part in the last two, low in the last.
    rounds: u8,
}

impl Default for Turn {
    fn default() -> Turn {
        Turn { last: Priority::Urgent, rounds: ROUNDS }
    }
}

impl Turn {
    /// The next of those that have something, a bit each; at least one has.
    #[must_use]
    pub fn next(&mut self, waiting: u8) -> Priority {
        debug_assert!(waiting & ((1 << PRIORITIES) - 1) != 0, "somebody waits");
        if waiting & 1 << Priority::Urgent as u8 != 0 {
            return Priority::Urgent;
        }
        loop {
            let (next, from) = match self.last {
                Priority::Urgent | Priority::Low => (Priority::High, ROUNDS),
                Priority::High => (Priority::Medium, 2),
                Priority::Medium => (Priority::Low, 1),
            };
            self.last = next;
            if next == Priority::High {
                self.rounds = if self.rounds <= 1 { ROUNDS } else { self.rounds - 1 };
            }
            if self.rounds <= from && waiting >> next as u8 & 1 == 1 {
                return next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(waiting: &[Priority], count: usize) -> [usize; PRIORITIES] {
        let mask = waiting.iter().fold(0, |mask, &priority| mask | 1 << priority as u8);
        let (mut turn, mut served) = (Turn::default(), [0; PRIORITIES]);
        for _ in 0..count {
            served[turn.next(mask) as usize] += 1;
        }
        served
    }

    #[test]
    fn shares_are_four_to_two_to_one_behind_what_is_urgent() {
        use Priority::{High, Low, Medium, Urgent};
        assert_eq!(served(&[High, Medium, Low], 700), [0, 400, 200, 100]);
        assert_eq!(served(&[High, Low], 500), [0, 400, 0, 100]);
        assert_eq!(served(&[Medium, Low], 300), [0, 0, 200, 100]);
        assert_eq!(served(&[Low], 10), [0, 0, 0, 10]);
        assert_eq!(served(&[Urgent, High, Low], 10), [10, 0, 0, 0]);
    }
}
