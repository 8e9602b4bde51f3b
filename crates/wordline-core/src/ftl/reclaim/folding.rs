//! Folding: groups of the SLC cache are emptied into blocks of the chip's own mode. It is a job like others, with a reason of
//! its own; slot `folding` says when.

use super::Reclaim;
use super::emptying::Emptying;
use super::victim::view;
use crate::config::Config;
use crate::engine::{Ns, state};
use crate::error::SimError;
use crate::flash::Writer;
use crate::ftl::write::pages::Pages;
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, PoolId};
use crate::policy::folding::{FoldView, Folding as Policy};
use crate::policy::gc::{Gc, GcView};

/// Free groups that the folding of a static group needs, which wins none: one to write into, and the one that GC keeps.
const FIXED_MIN_GROUPS: usize = 2;

/// When the cache is folded, and which group first.
#[derive(Debug)]
pub(super) struct Folding {
    policy: Policy,
    victims: Gc,
    /// What happens once it is full, where it is emptied in one go.
    pub emptying: Option<Emptying>,
    /// Pages move inside their plane.
    pub copyback: bool,
    /// When the host counts as idle.
    idle_after: Option<Ns>,
    /// When the host last asked for something.
    last_asked: Ns,
    is_idle: bool,
    /// An event comes that looks whether the host is idle.
    is_watching: bool,
    /// Nothing is folded while the drive does again what a loss of power cut off.
    is_recovering: bool,
}

state! {
    Folding {
        parts: policy, victims, emptying;
        values: last_asked, is_idle, is_watching, is_recovering;
        derived: copyback, idle_after;
    }
}

impl Folding {
    /// Nothing is in the cache. Nothing at all where there is none.
    pub fn new(config: &Config, pools: usize) -> Option<Box<Folding>> {
        let (slc, device) = (&config.slc, &config.device_view());
        let policy = || Policy::new(slc.policy, &slc.policies, device);
        let make = || {
            let policy = policy();
            Folding {
                idle_after: policy.idle_after(),
                policy,
                emptying: (slc.emptying_share > 0.0).then(|| Emptying::new(slc.emptying_share, pools)),
                victims: Gc::new(slc.victim, &config.gc.policies, device),
                copyback: slc.copyback,
                last_asked: 0,
                is_idle: false,
                is_watching: false,
                is_recovering: false,
            }
        };
        slc.policy.uses_cache().then(|| Box::new(make()))
    }

    /// See [`Reclaim::begins_to_empty`].
    #[inline(never)]
    fn begins_to_empty(&mut self, pool: PoolId, pages: &Pages) -> bool {
        let Some(emptying) = &mut self.emptying else { return false };
        let Some(stream) = pages.placement.cache else { return false };
        let begins = !emptying.is_on()
            && !pages.blocks.has_room(pool, stream)
            && pages.blocks.in_cache(pool).is_some_and(|cache| cache.full > 0);
        if begins {
            emptying.begin();
        }
        begins
    }

    /// Whether a pool folds a group next.
    fn is_due(&self, pool: PoolId, pages: &Pages, is_short: bool) -> bool {
        let Some(cache) = pages.blocks.in_cache(pool) else { return false };
        let view = FoldView {
            full: cache.full,
            full_dynamic: cache.full_dynamic,
            limit: cache.limit,
            is_short,
            is_idle: self.is_idle,
        };
        cache.full > 0 && !self.is_recovering && (self.is_emptying() || self.policy.folds(&view))
    }

    /// The cache is folded until it is empty.
    fn is_emptying(&self) -> bool {
        self.emptying.as_ref().is_some_and(Emptying::is_on)
    }
}

impl Reclaim {
    /// Whether data of a request go to the cache.
    #[inline(always)]
    pub fn is_cached(&self, writer: &Writer) -> bool {
        self.folding.as_ref().is_some_and(|folding| folding.policy.takes(writer) && !folding.is_emptying())
    }

    /// The SLC cache is folded until it is empty.
    #[inline]
    pub fn is_emptying(&self) -> bool {
        self.folding.as_ref().is_some_and(|folding| folding.is_emptying())
    }

    /// True where the SLC cache has no room in a pool and so begins to be emptied in one go.
    #[inline(always)]
    pub fn begins_to_empty(&mut self, pool: PoolId, pages: &Pages) -> bool {
        match &mut self.folding {
            Some(folding) => folding.begins_to_empty(pool, pages),
            None => false,
        }
    }

    /// A pool's job is over: the SLC cache takes writes again once nothing is left to be folded.
    pub(super) fn ends_emptying(&mut self, pages: &Pages) {
        let blocks = &pages.blocks;
        if let Some(emptying) = self.folding.as_mut().and_then(|folding| folding.emptying.as_mut())
            && emptying.is_on()
            && blocks.pools().all(|pool| blocks.in_cache(pool).is_none_or(|cache| cache.full == 0))
        {
            emptying.end();
        }
    }

    /// True when a pool folds a group next.
    #[inline(always)]
    pub(super) fn folds(&self, pool: PoolId, pages: &Pages) -> bool {
        self.folding.is_some() && self.folds_in(pool, pages)
    }

    /// The same where there is a cache.
    #[inline(never)]
    fn folds_in(&self, pool: PoolId, pages: &Pages) -> bool {
        let is_short = self.is_below_threshold(pool, pages);
        self.folding.as_ref().is_some_and(|folding| folding.is_due(pool, pages, is_short))
    }

    /// The group of the cache that a pool folds now, if any. Where free ones are short, one that becomes free.
    pub(super) fn fold_victim(&mut self, pool: PoolId, pages: &Pages) -> Option<BlockId> {
        if !self.folds(pool, pages) {
            return None;
        }
        let has_room = pages.blocks.free_count(pool) >= FIXED_MIN_GROUPS;
        let takes_fixed = has_room && !self.is_below_threshold(pool, pages);
        self.draws += 1;
        if let Some(groups) = &mut self.groups {
            pages.blocks.show_groups(pool, pages.part_of_group(), groups);
        }
        let which = (pool, pages.placement.cache.map(|cache| [cache; 2]), self.draws);
        // All that is in the cache has to leave it, dead or alive.
        let view =
            GcView { any: true, takes_fixed, ..view(&self.config, self.groups.as_ref(), which, pages) };
        self.folding.as_mut()?.victims.choose(&view)
    }

    /// The host asks for something.
    #[inline(always)]
    pub fn host_asks(&mut self, now: Ns) {
        self.host_steps += 1;
        if let Some(folding) = &mut self.folding {
            (folding.last_asked, folding.is_idle) = (now, false);
        }
    }

    /// When to look whether the host is idle, if an event is wanted for that.
    #[inline(always)]
    pub fn idle_alarm(&mut self, pages: &Pages) -> Option<Ns> {
        let folding = self.folding.as_mut()?;
        let idle_after = folding.idle_after?;
        if folding.is_watching || folding.is_idle || folding.is_recovering || !pages.blocks.has_cached() {
            return None;
        }
        folding.is_watching = true;
        Some(folding.last_asked + idle_after)
    }

    /// No event looks whether the host is idle any more.
    pub fn forget_idle_alarm(&mut self) {
        if let Some(folding) = &mut self.folding {
            (folding.is_watching, folding.is_idle) = (false, false);
        }
    }

    /// The drive does again what a loss of power cut off, or has done so.
    pub fn set_recovering(&mut self, is_recovering: bool) {
        if let Some(folding) = &mut self.folding {
            folding.is_recovering = is_recovering;
        }
    }
}

impl Ftl {
    /// When to look whether the host is idle, if an event is wanted for that.
    #[inline(always)]
    pub fn idle_alarm(&mut self) -> Option<Ns> {
        self.reclaim.idle_alarm(&self.pages)
    }

    /// The time at which the host may be idle has come, but nothing comes from it any more.
    pub fn forget_idle_alarm(&mut self) {
        self.reclaim.forget_idle_alarm();
    }

    /// The time at which the host may be idle has come: folds the cache, if it is.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn fold_if_idle(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(folding) = &mut self.reclaim.folding else { return Ok(()) };
        folding.is_watching = false;
        folding.is_idle = folding.idle_after.is_some_and(|after| step.now >= folding.last_asked + after);
        if folding.is_idle { self.empty_slc_cache(step) } else { Ok(()) }
    }

    /// All pools fold what they have to fold.
    #[cold]
    pub(in crate::ftl) fn empty_slc_cache(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        for pool in self.pages.blocks.pools() {
            self.reclaim_if_due(pool, step)?;
        }
        Ok(())
    }
}
