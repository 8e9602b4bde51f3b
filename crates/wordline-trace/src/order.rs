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

    /// The oldest item left.
    pub fn pop(&mut self) -> Option<T> {
        self.queue.pop_front().map(|(_, item)| item)
    }
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
