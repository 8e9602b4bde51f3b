//! The run in a few dozen intervals of equal time, for batch statistics and charts over time.

use serde::{Deserialize, Serialize};

use super::counters::HandleCounters;
use super::latency::{BinCount, Latency};
use super::series::Sample;
use crate::engine::Ns;

/// Most intervals of a run. Statistics by batches want ten to thirty (Schmeiser, Operations Research 30(3), 1982).
pub const INTERVALS_MAX: usize = 64;
const WIDTH_MIN: Ns = 1 << 21;

/// What the SSD has done so far, and its state now: the part of its accounts that intervals have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Bytes of all writes that the device has taken from the host.
    pub host_bytes: u64,
    /// Pages programmed, for any purpose.
    pub programs: u64,
    /// Pages programmed for the user.
    pub user_programs: u64,
    /// Pages moved by GC, wear levelling, refresh and folding.
    pub moved_pages: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Free blocks now.
    pub free_blocks: u64,
    /// Requests that the host has submitted and that are not complete, now.
    pub outstanding: u64,
}

/// What happened in one interval. Reads come first, writes second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Requests, bytes, and sums of latencies.
    pub sample: Sample,
    /// Latencies by bin.
    pub bins: [Vec<BinCount>; 2],
    /// What the SSD did; its last two numbers are as they stood at the end.
    pub flash: Standing,
    /// What it programmed by placement handle, and at last for none; empty where there are no handles, or nothing happened.
    pub handles: Vec<HandleCounters>,
}

/// Intervals of equal width, which doubles whenever there would be more than [`INTERVALS_MAX`].
///
/// Nothing is added as requests complete: what an interval holds is what all counts have grown by.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Intervals {
    width: Ns,
    /// When the interval at hand ends, ns.
    end: Ns,
    /// From time 0 on, without the interval at hand.
    closed: Vec<Interval>,
    before: Sample,
    flash_before: Standing,
    handles_before: Vec<HandleCounters>,
    bins_before: [Vec<u64>; 2],
}

impl Intervals {
    pub fn new() -> Intervals {
        Intervals {
            width: WIDTH_MIN,
            end: WIDTH_MIN,
            closed: Vec::new(),
            before: Sample::default(),
            flash_before: Standing::default(),
            handles_before: Vec::new(),
            bins_before: [Vec::new(), Vec::new()],
        }
    }

    /// Whether nothing had happened more often before than by now, of the latencies of reads and writes.
    pub fn are_sound(&self, latencies: [&Latency; 2]) -> bool {
        self.width >= WIDTH_MIN
            && self.width.is_power_of_two()
            && self.end.is_multiple_of(self.width)
            && self.closed.len() <= INTERVALS_MAX
            && self.bins_before.iter().zip(latencies).all(|(before, now)| now.had(before))
    }

    /// Width of an interval, ns.
    pub fn width(&self) -> Ns {
        self.width
    }

    /// When the interval at hand ends, ns.
    pub fn end(&self) -> Ns {
        self.end
    }

    /// What the SSD has done until now belongs to the warm-up.
    pub fn leave_out(&mut self, flash: Standing, handles: &[HandleCounters]) {
        self.flash_before = flash;
        self.handles_before = handles.to_vec();
    }

    /// The interval at hand is over: everything until now belongs to it, and `now` to a later one.
    pub fn turn(
        &mut self,
        now: Ns,
        totals: Sample,
        latencies: [&Latency; 2],
        flash: Standing,
        handles: &[HandleCounters],
    ) {
        self.close(totals, latencies, flash, handles);
        while (now / self.width) as usize >= INTERVALS_MAX {
            self.width *= 2;
            self.closed = self.closed.chunks(2).map(merged).collect();
        }
        let at_hand = (now / self.width) as usize;
        let idle = Standing { free_blocks: flash.free_blocks, ..Standing::default() };
        self.closed.resize_with(at_hand, || Interval { flash: idle, ..Interval::default() });
        self.end = (at_hand as u64 + 1) * self.width;
    }

    /// All intervals from time 0 on, where `totals` is all that has completed.
    pub fn all(
        &self,
        totals: Sample,
        latencies: [&Latency; 2],
        flash: Standing,
        handles: &[HandleCounters],
    ) -> Vec<Interval> {
        let mut intervals = self.clone();
        intervals.close(totals, latencies, flash, handles);
        intervals.closed
    }

    fn close(
        &mut self,
        totals: Sample,
        latencies: [&Latency; 2],
        flash: Standing,
        handles: &[HandleCounters],
    ) {
        let sample = totals.since(std::mem::replace(&mut self.before, totals));
        let before = std::mem::replace(&mut self.flash_before, flash);
        let of_handles = by_handle(handles, &self.handles_before, |now, before| now.since(&before));
        self.handles_before.clear();
        self.handles_before.extend_from_slice(handles);
        let [reads, writes] = &mut self.bins_before;
        self.closed.push(Interval {
            sample,
            bins: [latencies[0].since(reads), latencies[1].since(writes)],
            flash: Standing {
                host_bytes: flash.host_bytes - before.host_bytes,
                programs: flash.programs - before.programs,
                // Mapping pages that are written back now may have been counted with the user's before.
                user_programs: flash.user_programs.saturating_sub(before.user_programs),
                moved_pages: flash.moved_pages - before.moved_pages,
                erases: flash.erases - before.erases,
                ..flash
            },
            handles: of_handles,
        });
    }
}

/// Counters of each handle with those of an earlier time, which may not have any.
fn by_handle(
    now: &[HandleCounters],
    before: &[HandleCounters],
    both: impl Fn(HandleCounters, HandleCounters) -> HandleCounters,
) -> Vec<HandleCounters> {
    let before = before.iter().copied().chain(std::iter::repeat(HandleCounters::default()));
    now.iter().zip(before).map(|(&now, before)| both(now, before)).collect()
}

/// Two intervals that follow each other as one; a single one as it is.
fn merged(pair: &[Interval]) -> Interval {
    let [first, second] = pair else { return pair[0].clone() };
    // An interval in which nothing completed does not know how many requests were under way.
    let is_idle = second.sample.requests == [0, 0] && second.flash.outstanding == 0;
    let flash = Standing {
        host_bytes: first.flash.host_bytes + second.flash.host_bytes,
        programs: first.flash.programs + second.flash.programs,
        user_programs: first.flash.user_programs + second.flash.user_programs,
        moved_pages: first.flash.moved_pages + second.flash.moved_pages,
        erases: first.flash.erases + second.flash.erases,
        outstanding: if is_idle { first.flash.outstanding } else { second.flash.outstanding },
        ..second.flash
    };
    let bins = std::array::from_fn(|kind| sum_of(&first.bins[kind], &second.bins[kind]));
    let (most, least) = match first.handles.len() < second.handles.len() {
        true => (&second.handles, &first.handles),
        false => (&first.handles, &second.handles),
    };
    let handles = by_handle(most, least, HandleCounters::plus);
    Interval { sample: first.sample.and(second.sample), bins, flash, handles }
}

/// Counts by bin, added; bins are in order.
fn sum_of(first: &[BinCount], second: &[BinCount]) -> Vec<BinCount> {
    let mut sum = Vec::with_capacity(first.len() + second.len());
    let mut rest = second;
    for &each in first {
        while let [next, behind @ ..] = rest
            && next.bin < each.bin
        {
            sum.push(*next);
            rest = behind;
        }
        let mut each = each;
        if let [next, behind @ ..] = rest
            && next.bin == each.bin
        {
            each.count += next.count;
            rest = behind;
        }
        sum.push(each);
    }
    sum.extend_from_slice(rest);
    sum.shrink_to_fit();
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the widths become, the intervals hold each request once, in its own interval.
    #[test]
    fn intervals_add_up_while_they_coarsen() {
        let (mut intervals, mut latencies) = (Intervals::new(), [Latency::new(3), Latency::new(3)]);
        let (mut totals, mut flash) = (Sample::default(), Standing::default());
        let mut handles = vec![HandleCounters::default(); 2];
        let at = |i: u64| i * 700_000 + i * i * 40;
        for i in 0..20_000u64 {
            if at(i) >= intervals.end() {
                intervals.turn(at(i), totals, [&latencies[0], &latencies[1]], flash, &handles);
            }
            let kind = (i % 3 == 0) as usize;
            latencies[kind].record(10_000 + i % 777 * 100);
            totals.requests[kind] += 1;
            flash.programs += 2;
            handles[kind].host += 1;
            flash.user_programs += 1;
            flash.moved_pages += 3;
        }
        let all = intervals.all(totals, [&latencies[0], &latencies[1]], flash, &handles);
        let width = intervals.width();
        assert!(all.len() <= INTERVALS_MAX && all.len() > INTERVALS_MAX / 2, "{}", all.len());
        for (number, interval) in (0u64..).zip(&all) {
            let inside: Vec<u64> = (0..20_000).filter(|&i| at(i) / width == number).collect();
            assert_eq!(interval.sample.requests.iter().sum::<u64>(), inside.len() as u64);
            assert_eq!(interval.flash.user_programs, inside.len() as u64);
            let of_second = inside.iter().filter(|&&i| i % 3 == 0).count() as u64;
            assert_eq!(interval.handles.get(1).map_or(0, |each| each.host), of_second);
            assert_eq!(interval.flash.programs, 2 * inside.len() as u64);
            assert_eq!(interval.flash.moved_pages, 3 * inside.len() as u64);
            for kind in 0..2 {
                let mut bins: Vec<u32> = inside
                    .iter()
                    .filter(|&&i| (i % 3 == 0) as usize == kind)
                    .map(|i| latencies[0].bin(10_000 + i % 777 * 100))
                    .collect();
                bins.sort_unstable();
                let held = interval.bins[kind].iter().flat_map(|each| vec![each.bin; each.count as usize]);
                assert_eq!(held.collect::<Vec<_>>(), bins);
            }
        }
    }

    #[test]
    fn bins_of_two_intervals_are_added_in_order() {
        let bins = |counts: &[(u32, u64)]| {
            counts.iter().map(|&(bin, count)| BinCount { bin, count }).collect::<Vec<_>>()
        };
        let sum = sum_of(&bins(&[(2, 1), (5, 10), (9, 4)]), &bins(&[(1, 7), (5, 100), (8, 2), (12, 3)]));
        assert_eq!(sum, bins(&[(1, 7), (2, 1), (5, 110), (8, 2), (9, 4), (12, 3)]));
        assert_eq!(sum_of(&[], &sum), sum);
        assert_eq!(sum_of(&sum, &[]), sum);
    }

    /// Where nothing completes in the second half of an interval, the requests of the first one are still under way.
    #[test]
    fn idle_halves_hide_no_requests_under_way() {
        let under_way = |requests, outstanding| Interval {
            sample: Sample { requests: [requests, 0], ..Sample::default() },
            flash: Standing { outstanding, ..Standing::default() },
            ..Interval::default()
        };
        let outstanding = |first, second| merged(&[first, second]).flash.outstanding;
        assert_eq!(outstanding(under_way(5, 32), under_way(0, 0)), 32);
        assert_eq!(outstanding(under_way(5, 32), under_way(1, 0)), 0);
        assert_eq!(outstanding(under_way(0, 0), under_way(4, 7)), 7);
    }

    /// Intervals in which nothing happens are there, and empty.
    #[test]
    fn idle_time_has_intervals_of_its_own() {
        let (mut intervals, mut latency) = (Intervals::new(), Latency::new(3));
        let none = Latency::new(3);
        let mut totals = Sample::default();
        for now in [0, 10 * WIDTH_MIN] {
            if now >= intervals.end() {
                intervals.turn(now, totals, [&latency, &none], Standing::default(), &[]);
            }
            latency.record(1000);
            totals.requests[0] += 1;
        }
        let all = intervals.all(totals, [&latency, &none], Standing::default(), &[]);
        let counts: Vec<u64> = all.iter().map(|each| each.sample.requests[0]).collect();
        assert_eq!(counts, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
}
