//! Wall time and simulated time.

use std::time::Duration;

use wordline_core::engine::Ns;

/// The wall clock.
#[expect(
    clippy::disallowed_types,
    reason = "a served SSD follows the wall clock; a replay of its record does not"
)]
pub(crate) type Instant = std::time::Instant;

/// How simulated time goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as possible: it stands still until the next request is complete, whatever the wall clock says.
    Virtual,
    /// So many wall seconds take one simulated second.
    SlowDown(f64),
    /// As [`Pace::SlowDown`], with a number that grows from 1 until the host keeps up.
    Auto,
}

/// Which simulated time it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Wall and simulated time of one moment; none before the first request, when both begin.
    anchor: Option<(Instant, Ns)>,
    /// 0 where time is virtual.
    slow_down: f64,
}

impl Clock {
    pub fn new(pace: Pace) -> Clock {
        let slow_down = match pace {
            Pace::Virtual => 0.0,
            Pace::SlowDown(slow_down) => slow_down,
            Pace::Auto => 1.0,
        };
        Clock { anchor: None, slow_down }
    }

    pub fn slow_down(&self) -> f64 {
        self.slow_down
    }

    pub fn is_virtual(&self) -> bool {
        self.slow_down == 0.0
    }

    /// Begins, unless it has.
    pub fn start(&mut self, now: Instant) {
        self.anchor.get_or_insert((now, 0));
    }

    /// The simulated time at a wall time; 0 before the start, and where time is virtual.
    pub fn simulated(&self, wall: Instant) -> Ns {
        match self.anchor {
            Some((start, at)) if !self.is_virtual() => {
                at + (wall.saturating_duration_since(start).as_nanos() as f64 / self.slow_down) as Ns
            }
            _ => 0,
        }
    }

    /// How long it is from `now` until a simulated time; zero where that is over.
    pub fn until(&self, simulated: Ns, now: Instant) -> Duration {
        let Some((start, at)) = self.anchor else { return Duration::ZERO };
        let due = Duration::from_nanos((simulated.saturating_sub(at) as f64 * self.slow_down) as u64);
        (start + due).saturating_duration_since(now)
    }

    /// How late it is at `now` for what was due at a simulated time, ns of wall time.
    pub fn late_ns(&self, simulated: Ns, now: Instant) -> u64 {
        let Some((start, at)) = self.anchor else { return 0 };
        let passed = now.saturating_duration_since(start).as_nanos() as f64;
        let due = (simulated as f64 - at as f64) * self.slow_down;
        (passed - due).max(0.0) as u64
    }

    /// Simulated time goes at another pace from now on.
    pub fn set_slow_down(&mut self, slow_down: f64, now: Instant) {
        if self.anchor.is_some() {
            self.anchor = Some((now, self.simulated(now)));
        }
        self.slow_down = slow_down;
    }

    /// Simulated time has jumped ahead: it is `simulated` now.
    pub fn jump(&mut self, simulated: Ns, now: Instant) {
        self.anchor = Some((now, simulated));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_time_is_wall_time_over_the_slow_down() {
        let start = Instant::now();
        let mut clock = Clock::new(Pace::SlowDown(4.0));
        assert_eq!(clock.simulated(start), 0);
        clock.start(start);
        let later = start + Duration::from_micros(400);
        assert_eq!(clock.simulated(later), 100_000);
        assert_eq!(clock.until(150_000, later), Duration::from_micros(200));
        assert_eq!(clock.until(50_000, later), Duration::ZERO);
        assert_eq!(clock.late_ns(50_000, later), 200_000);
        clock.set_slow_down(8.0, later);
        assert_eq!(clock.simulated(later + Duration::from_micros(800)), 200_000);
        clock.jump(1_000_000, later);
        assert_eq!(clock.simulated(later + Duration::from_micros(8)), 1_001_000);
    }

    #[test]
    fn virtual_time_has_nothing_to_do_with_the_wall() {
        let mut clock = Clock::new(Pace::Virtual);
        let now = Instant::now();
        clock.start(now);
        assert_eq!(clock.simulated(now + Duration::from_secs(9)), 0);
    }
}
