//! `ofwar`: fast writes on demand, rewritten later (Wu and Zhang, OFWAR, IEEE TC 2014).
//!
//! Pages wait in one write queue before the flash. While more than N_th_w of them wait, or when a page
//! is written again that was written fast and still waits for its rewrite, a page is programmed with a
//! larger program step: faster, and for a short retention only. The rewrite queue remembers those
//! pages; they are read and programmed again at normal speed when their channel is idle and more than
//! N_th_rw of them wait, or at once when the oldest has come near the end of its retention.
//!
//! This file is the six decisions of Fig. 5, as a pure function from what the controller sees to what
//! it does next. `ftl/two_speed/` carries it out.
//!
//! Beside its own keys it goes by `program.write_streams`: programs under way at once, by channel.

use super::{
    Deadline, DeviceView, FastFirst, FastWrites, NextAction, Policy, ProgramContext, ProgramKeys,
    ProgramPolicy, Refusal, Thresholds, View, needs_fast_program,
};
use crate::engine::Ns;
use crate::flash::{Phase, Phases, Speed};
use crate::parameter::{choices, section};
use wordline_cells::program::FastProgram;

choices! {
    /// Whether entries of the rewrite queue count whose pages have newer copies.
    pub enum StaleEntries {
        /// They wait like others until they come to the top
        Count = "count",
        /// They do not count
        Ignore = "ignore",
    }
}

choices! {
    /// Until when a page is in the write queue.
    pub enum QueuedUntil {
        /// Until its program begins
        Begun = "begun",
        /// Until its program has ended
        Done = "done",
    }
}

choices! {
    /// What N_th_w counts.
    pub enum FastWriteCounts {
        /// Pages
        Pages = "pages",
        /// Requests of the host with such pages
        Requests = "requests",
    }
}

choices! {
    /// What becomes of the rewrite queue when power is lost.
    pub enum QueueAtPowerLoss {
        /// It survives
        Saved = "saved",
        /// Fast pages are found by their blocks
        Lost = "lost",
    }
}

choices! {
    /// What retention the rewrite of a fast page has to come before.
    pub enum RewriteDeadline {
        /// That of its block's wear
        Wear = "wear",
        /// That of the rated P/E cycles, for all blocks
        Rated = "rated",
    }
}

section! {
    /// The keys of `ofwar`.
    #[derive(Copy)]
    pub struct Keys {
        /// Program step of fast writes over the normal one.
        fast_dvpp: f64 = 2.0, number(1.0, 3.0).source("OFWAR section 4.1.4").when("program.policy", &["ofwar"]);
        /// Writes are fast while more than this is queued (N_th_w).
        fast_write_threshold: u32 = 128,
            whole(0, 1_000_000_000).source("OFWAR section 5").when("program.policy", &["ofwar"]);
        /// What N_th_w counts.
        fast_write_counts: FastWriteCounts = FastWriteCounts::Pages, word(FastWriteCounts::CHOICES)
            .source("OFWAR section 5 says \"requests\"; its queues hold pages (section 3.2, Fig. 4)")
            .when("program.policy", &["ofwar"]);
        /// Idle channels rewrite while more fast pages than this wait (N_th_rw).
        rewrite_threshold: u32 = 128,
            whole(0, 1_000_000_000).unit("pages").source("OFWAR section 5").when("program.policy", &["ofwar"]);
        /// Fast pages that may wait for their rewrite (D_rw); beyond it writes are normal.
        rewrite_queue_pages: u32 = 65_536,
            whole(0, 1_000_000_000).unit("pages").source("OFWAR section 5").when("program.policy", &["ofwar"]);
        /// Pages that an idle channel rewrites at once.
        rewrites_in_flight: u32 = 1, whole(1, 4096).unit("pages")
            .source("assumed: the paper rewrites \"a page\"").when("program.policy", &["ofwar"]);
        /// Until when N_th_w counts a page.
        queued_until: QueuedUntil = QueuedUntil::Begun, word(QueuedUntil::CHOICES)
            .source("assumed: the paper counts those \"held in the write queue\"")
            .when("program.policy", &["ofwar"]);
        /// Whether entries count as waiting whose pages have newer copies.
        stale_entries: StaleEntries = StaleEntries::Count, word(StaleEntries::CHOICES)
            .source("assumed: OFWAR section 3.2 leaves them where they are").when("program.policy", &["ofwar"]);
        /// When GC takes fast blocks before others.
        gc_fast_first: FastFirst = FastFirst::Ties, word(FastFirst::CHOICES)
            .source("OFWAR section 3.2 says \"higher priority\"").when("program.policy", &["ofwar"]);
        /// Rewrites are forced so long before the short retention ends: time to be off, and to rewrite all when
        /// power is back.
        rewrite_slack_h: f64 = 24.0, number(0.0, 1e5).unit("h").source("assumed: a day").when("program.policy", &["ofwar"]);
        /// Fast pages have so long before their rewrite is forced: blocks that cannot keep data for this and the slack
        /// take none.
        fast_keeps_h: f64 = 1.0, number(0.0, 1e5).unit("h").source("assumed: an hour").when("program.policy", &["ofwar"]);
        /// What retention forced rewrites go by.
        rewrite_deadline: RewriteDeadline = RewriteDeadline::Wear, word(RewriteDeadline::CHOICES)
            .source("OFWAR section 4.1.2, Eq. 1-8; the paper's system has one for all").when("program.policy", &["ofwar"]);
        /// What becomes of the rewrite queue when power is lost.
        queue_at_power_loss: QueueAtPowerLoss = QueueAtPowerLoss::Saved, word(QueueAtPowerLoss::CHOICES)
            .source("OFWAR section 3.3").when("program.policy", &["ofwar"]);
    }
}

/// Fast while many pages wait, and rewritten later.
#[derive(Clone, Copy, Debug)]
pub struct Ofwar;

impl Policy for Ofwar {
    const NAME: &'static str = "ofwar";
    const HELP: &'static str = "fast while many pages wait, rewritten later";
    type Parameters = Keys;

    fn check(keys: &Keys, device: &DeviceView<'_>) -> Result<(), Refusal> {
        let fast = needs_fast_program(device)?;
        // By wear, a step that suits young blocks only is a fair question.
        let (retention, blocks, or_by_wear) = match keys.rewrite_deadline {
            RewriteDeadline::Wear => (fast.retention_at(0.0), "of no wear", ""),
            RewriteDeadline::Rated if fast.retention_at(0.0) < keys.least_life() => {
                (fast.retention_at(0.0), "of no wear", "")
            }
            RewriteDeadline::Rated => (
                fast.rated_retention,
                "at the rated P/E cycles",
                ", or set program.rewrite_deadline = \"wear\" for younger blocks",
            ),
        };
        if retention <= FastProgram::SHORTEST_RETENTION {
            let why = format!(
                "`program.fast_dvpp` = {} leaves this chip no margin: in blocks {blocks} data that are programmed so are lost at once",
                keys.fast_dvpp
            );
            return Err(Refusal::of_key("program.fast_dvpp", why, format!("lower it{or_by_wear}")));
        }
        if retention < keys.least_life() {
            let why = format!(
                "blocks {blocks} keep fast pages for {:.4} h, and `program.rewrite_slack_h` with `program.fast_keeps_h` asks for {}: no page could be written fast",
                retention as f64 / HOUR_NS,
                keys.rewrite_slack_h + keys.fast_keeps_h
            );
            return Err(Refusal::of_key(
                "program.rewrite_slack_h",
                why,
                format!("lower one of them{or_by_wear}"),
            ));
        }
        Ok(())
    }
}

/// Nanoseconds in an hour.
const HOUR_NS: f64 = 3600e9;
/// Share of the retention at the rated cycles that a block must give where all blocks have that deadline. A few cycles more
/// are no reason to stop.
const OF_RATED: f64 = 0.99;

impl Keys {
    /// Retention with which a fast page can be left alone for a while, ns.
    fn least_life(&self) -> Ns {
        ((self.rewrite_slack_h + self.fast_keeps_h) * HOUR_NS) as Ns
    }

    /// Retention that a block must have to take fast data, ns. A deadline for all blocks is kept only by those that hold
    /// their data until then.
    fn least_retention(&self, rated_retention: Ns) -> Ns {
        let promised = match self.rewrite_deadline {
            RewriteDeadline::Wear => 0,
            RewriteDeadline::Rated => (rated_retention as f64 * OF_RATED) as Ns,
        };
        self.least_life().max(promised).max(FastProgram::SHORTEST_RETENTION + 1)
    }
}

impl ProgramPolicy for Ofwar {
    /// A command programs its pages at one speed.
    #[inline]
    fn phases(context: &ProgramContext<'_>) -> Phases {
        let time = match context.speed {
            Speed::Normal => context.program,
            Speed::Fast => (context.program as f64 * context.fast_share) as Ns,
        };
        Phases::of(&[Phase::Program(time)])
    }

    fn fast_dvpp(keys: &ProgramKeys) -> Option<f64> {
        Some(keys.ofwar.fast_dvpp)
    }

    fn fast_writes(keys: &ProgramKeys, rated_retention: Ns) -> Option<FastWrites> {
        let keys = &keys.ofwar;
        let slack = (keys.rewrite_slack_h * HOUR_NS) as Ns;
        Some(FastWrites {
            thresholds: Thresholds {
                deadline: match keys.rewrite_deadline {
                    RewriteDeadline::Wear => Deadline::Own,
                    RewriteDeadline::Rated => Deadline::Fixed(rated_retention),
                },
                slack,
                rewrite: keys.rewrite_threshold.into(),
                fast_write: keys.fast_write_threshold,
                rewrite_queue: keys.rewrite_queue_pages.into(),
            },
            rewrites_in_flight: keys.rewrites_in_flight,
            gc_fast_first: keys.gc_fast_first,
            least_retention: keys.least_retention(rated_retention),
            counts_requests: keys.fast_write_counts == FastWriteCounts::Requests,
            counts_in_flight: keys.queued_until == QueuedUntil::Done,
            counts_stale: keys.stale_entries == StaleEntries::Count,
            lost_at_power_loss: keys.queue_at_power_loss == QueueAtPowerLoss::Lost,
        })
    }

    #[inline]
    fn next(view: &View, thresholds: &Thresholds) -> NextAction {
        next(view, thresholds)
    }
}

/// The six decisions, in the order of Fig. 5.
#[inline]
#[must_use]
pub fn next(view: &View, thresholds: &Thresholds) -> NextAction {
    if is_forced(view, thresholds) {
        return NextAction::ForcedRewrite;
    }
    // Decision 2. A channel that is idle has no queued write to look at.
    if view.is_idle {
        return if rewrites_at_idle(view, thresholds) {
            NextAction::IdleRewrite
        } else {
            NextAction::Nothing
        };
    }
    if view.queued == 0 { NextAction::Nothing } else { NextAction::Write(speed(view, thresholds)) }
}

/// Decision 1: has the top entry of the rewrite queue lived for long enough?
#[inline]
#[must_use]
pub fn is_forced(view: &View, thresholds: &Thresholds) -> bool {
    let retention = match thresholds.deadline {
        Deadline::Own => view.oldest_retention,
        Deadline::Fixed(retention) => retention,
    };
    view.oldest_age.is_some_and(|age| age >= retention.saturating_sub(thresholds.slack).max(1))
}

/// Decisions 3 and 4: is there an entry, and are there more than N_th_rw?
#[inline]
fn rewrites_at_idle(view: &View, thresholds: &Thresholds) -> bool {
    view.oldest_age.is_some() && view.rewrites > thresholds.rewrite
}

/// Decisions 5 and 6: a hit is written fast, and so is everything while the write queue is long; a
/// full rewrite queue has no place for either.
#[inline]
fn speed(view: &View, thresholds: &Thresholds) -> Speed {
    let wants_fast = view.is_hit || view.queued > thresholds.fast_write;
    if wants_fast && view.rewrites < thresholds.rewrite_queue { Speed::Fast } else { Speed::Normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const T: Thresholds = Thresholds {
        deadline: Deadline::Fixed(1100),
        slack: 100,
        rewrite: 4,
        fast_write: 8,
        rewrite_queue: 16,
    };

    fn any_view() -> impl Strategy<Value = View> {
        let oldest = prop::option::of(0u64..2000);
        (oldest, 1u64..=16, any::<bool>(), 0u32..20, any::<bool>()).prop_map(
            |(oldest_age, rewrites, is_idle, queued, is_hit)| View {
                oldest_age,
                oldest_retention: 500,
                rewrites: if oldest_age.is_some() { rewrites } else { 0 },
                is_idle,
                queued,
                is_hit,
            },
        )
    }

    proptest! {
        #[test]
        fn an_old_entry_goes_before_everything(view in any_view()) {
            let is_old = view.oldest_age.is_some_and(|age| age >= 1000);
            prop_assert_eq!(next(&view, &T) == NextAction::ForcedRewrite, is_old);
        }

        #[test]
        fn an_idle_channel_rewrites_only_above_the_threshold(view in any_view()) {
            let step = next(&view, &T);
            if step == NextAction::IdleRewrite {
                prop_assert!(view.is_idle && view.rewrites > T.rewrite && view.oldest_age.is_some());
            }
            if view.is_idle {
                prop_assert!(!matches!(step, NextAction::Write(_)));
            }
        }

        #[test]
        fn fast_writes_need_a_reason_and_room(view in any_view()) {
            if next(&view, &T) == NextAction::Write(Speed::Fast) {
                prop_assert!(view.is_hit || view.queued > T.fast_write);
                prop_assert!(view.rewrites < T.rewrite_queue);
            }
            let full = View { rewrites: T.rewrite_queue, ..view };
            prop_assert!(next(&full, &T) != NextAction::Write(Speed::Fast));
        }

        #[test]
        fn a_page_that_is_queued_is_written_unless_something_is_due(view in any_view()) {
            let busy = View { is_idle: false, oldest_age: view.oldest_age.map(|age| age / 2), ..view };
            match next(&busy, &T) {
                NextAction::Write(_) => prop_assert!(view.queued > 0),
                NextAction::Nothing => prop_assert_eq!(view.queued, 0),
                step => prop_assert!(false, "{:?}", step),
            }
        }

        #[test]
        fn more_queued_pages_never_slow_a_write_down(view in any_view(), more in 0u32..20) {
            let longer = View { queued: view.queued + more, ..view };
            if next(&view, &T) == NextAction::Write(Speed::Fast) {
                prop_assert_eq!(next(&longer, &T), NextAction::Write(Speed::Fast));
            }
        }
    }

    #[test]
    fn the_thresholds_themselves_do_not_trigger() {
        let view = View { queued: 8, ..View::default() };
        assert_eq!(next(&view, &T), NextAction::Write(Speed::Normal));
        assert_eq!(next(&View { queued: 9, ..view }, &T), NextAction::Write(Speed::Fast));
        assert_eq!(next(&View { is_hit: true, ..view }, &T), NextAction::Write(Speed::Fast));
        let idle = View { is_idle: true, rewrites: 4, oldest_age: Some(5), ..View::default() };
        assert_eq!(next(&idle, &T), NextAction::Nothing);
        assert_eq!(next(&View { rewrites: 5, ..idle }, &T), NextAction::IdleRewrite);
        assert_eq!(next(&View { oldest_age: Some(999), ..idle }, &T), NextAction::Nothing);
        assert_eq!(next(&View { oldest_age: Some(1000), ..idle }, &T), NextAction::ForcedRewrite);
        let by_wear = Thresholds { deadline: Deadline::Own, ..T };
        let worn = View { oldest_retention: 900, ..idle };
        assert_eq!(next(&View { oldest_age: Some(799), ..worn }, &by_wear), NextAction::Nothing);
        assert_eq!(next(&View { oldest_age: Some(800), ..worn }, &by_wear), NextAction::ForcedRewrite);
        let too_worn = View { oldest_age: Some(1), oldest_retention: 50, ..idle };
        assert_eq!(next(&too_worn, &by_wear), NextAction::ForcedRewrite);
    }
}
