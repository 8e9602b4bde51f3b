//! One round of a multi-plane erase: every block that is not done gets its pulse, and is verified.

use super::PulseOrder;
use crate::engine::Ns;
use crate::flash::{Phase, Phases};

/// How long the parts of a round take, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundTimes {
    /// One short pulse.
    pub pulse: Ns,
    /// tVR.
    pub verify: Ns,
    /// A SET or GET FEATURE command.
    pub feature: Ns,
}

/// The phases of a round: the longest pulse of all planes, then verify, with a feature command before and
/// after where a plane asks for them. None where no plane has a pulse left.
#[must_use]
pub fn round(orders: impl Iterator<Item = PulseOrder>, times: RoundTimes) -> Phases {
    let (mut pulses, mut features) = (0, 0);
    for order in orders {
        pulses = order.short_pulses.max(pulses);
        features = order.features.max(features);
    }
    if pulses == 0 {
        return Phases::default();
    }
    let pulse = Phase::Pulse(Ns::from(pulses) * times.pulse);
    let (feature, verify) = (Phase::SetFeature(times.feature), Phase::Verify(times.verify));
    if features > 0 && times.feature > 0 {
        Phases::of(&[feature, pulse, verify, feature])
    } else {
        Phases::of(&[pulse, verify])
    }
}
