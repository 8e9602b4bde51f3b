//! Timestamps that go back.

use std::collections::VecDeque;
use std::str::FromStr;

use crate::error::TraceError;

/// What to do with a request that is older than the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeBack {
    /// [`TraceError::TimeGoesBack`]. On the command line `error`.
    Error,
    /// It arrives at the same time as the latest request before it, and is counted. On the command line `clamp`.
    Clamp,
    /// Requests are sorted by time, stably, over a window of this many; one that is even later is
    /// [`TraceError::TimeGoesBack`]. On the command line `sort-window=N`.
    SortWindow(usize),
}

/// The window for formats whose recorders write a request at its end, or on several CPUs, but with its start time.
pub(crate) const SORT_WINDOW: TimeBack = TimeBack::SortWindow(1024);

/// Upper limit of the window: a larger one is a mistake, because it would hold the trace in memory.
const WINDOW_LIMIT: usize = 1 << 24;

impl FromStr for TimeBack {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let window =
            |n: &str| n.parse().ok().filter(|n| (1..=WINDOW_LIMIT).contains(n)).map(Self::SortWindow);
        let parsed = match text.split_once('=') {
            None if text == "error" => Some(Self::Error),
            None if text == "clamp" => Some(Self::Clamp),
            Some(("sort-window", n)) => window(n),
            _ => None,
        };
        parsed.ok_or_else(|| TraceError::Option {
            option: format!("on-time-back={text}"),
            why: format!("error, clamp or sort-window=N (1 to {WINDOW_LIMIT})"),
        })
    }
}

/// A queue sorted by time. Traces are almost in order, so an insertion from the back usually takes one comparison.
pub(crate) struct SortWindow<T> {
    queue: VecDeque<(u64, T)>,
    size: usize,
}

impl<T> SortWindow<T> {
    pub fn new(size: usize) -> Self {
        Self { queue: VecDeque::with_capacity(size.min(4096) + 1), size }
    }

    /// Adds an item; returns the oldest one once the window is full. True in the result means that the item was out of
    /// order.
    #[inline]
    pub fn push(&mut self, time_ns: u64, item: T) -> (Option<T>, bool) {
        let in_order = self.queue.back().is_none_or(|(last, _)| *last <= time_ns);
        if in_order {
            self.queue.push_back((time_ns, item));
        } else {
            let at = self.queue.partition_point(|(t, _)| *t <= time_ns);
            self.queue.insert(at, (time_ns, item));
        }
        let out = if self.queue.len() > self.size { self.pop() } else { None };
        (out, !in_order)
    }

    /// The number of items that are later than this time.
    pub fn later_than(&self, time_ns: u64) -> usize {
        self.queue.len() - self.queue.partition_point(|(t, _)| *t <= time_ns)
    }

    /// The oldest item left.
    pub fn pop(&mut self) -> Option<T> {
        self.queue.pop_front().map(|(_, item)| item)
    }
}

/// The smallest window that sorts records with these times; `None` if it is larger than the largest allowed one.
///
/// A record fits if all that left the window before it are older. The window gives out the oldest ones, so it has to be
/// as long as the number of earlier records that are later in time.
pub(crate) fn fitting_window(times_ns: impl Iterator<Item = u64>) -> Option<usize> {
    let mut seen = SortWindow::new(WINDOW_LIMIT);
    let mut needed = 1;
    for time_ns in times_ns {
        needed = needed.max(seen.later_than(time_ns));
        seen.push(time_ns, ());
    }
    (needed < WINDOW_LIMIT).then_some(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_sorts_stably_what_lies_within_it() {
        let mut window = SortWindow::new(2);
        let mut out = Vec::new();
        for (i, t) in [5, 3, 5, 4, 9, 3].into_iter().enumerate() {
            out.extend(window.push(t, (t, i)).0);
        }
        out.extend(std::iter::from_fn(|| window.pop()));
        // The last 3 is more than two requests late and comes out after a 5: the reader reports it.
        assert_eq!(out, [(3, 1), (4, 3), (5, 0), (3, 5), (5, 2), (9, 4)]);
    }

    #[test]
    fn the_window_that_fits_sorts_and_the_next_smaller_one_does_not() {
        for times in [vec![1, 2, 3], vec![5, 3, 5, 4, 9, 3], vec![9, 8, 7, 1], vec![2, 9, 3, 4, 5, 6, 2]] {
            let needed = fitting_window(times.iter().copied()).unwrap();
            let is_sorted = |size| {
                let mut window = SortWindow::new(size);
                let mut out: Vec<u64> = times.iter().filter_map(|&t| window.push(t, t).0).collect();
                out.extend(std::iter::from_fn(|| window.pop()));
                out.is_sorted()
            };
            assert!(is_sorted(needed), "{times:?} in {needed}");
            assert!(needed == 1 || !is_sorted(needed - 1), "{times:?} in {}", needed - 1);
        }
    }

    #[test]
    fn a_late_request_comes_behind_those_of_its_time() {
        let mut window = SortWindow::new(8);
        for (i, t) in [3, 5, 3].into_iter().enumerate() {
            window.push(t, (t, i));
        }
        assert_eq!(std::iter::from_fn(|| window.pop()).collect::<Vec<_>>(), [(3, 0), (3, 2), (5, 1)]);
    }

    #[test]
    fn the_option_is_named_and_bounded() {
        assert_eq!("sort-window=8".parse::<TimeBack>().unwrap(), TimeBack::SortWindow(8));
        assert_eq!("clamp".parse::<TimeBack>().unwrap(), TimeBack::Clamp);
        for wrong in ["sort-window=0", "sort-window", "sort-window=99999999", "Error", ""] {
            assert!(wrong.parse::<TimeBack>().is_err(), "{wrong}");
        }
    }
}
