//! The two-speed write path (OFWAR, section 3.2): a write queue before the flash, and a queue of pages
//! that were written fast and must be written again.
//!
//! `write_queue.rs` takes pages from the write queue when a channel can write one more, `rewrite.rs`
//! reads fast pages and writes them at normal speed, `rewrite_queue.rs` remembers them, `recovery.rs` handles a
//! loss of power. What to do next is decided in `policy/program/ofwar.rs`.
//!
//! Where the paper is silent:
//!
//! - The write queue is one for the SSD where pages may go to any die, and one for each channel where
//!   `ftl.allocation` fixes it; its length is that of all together. A page leaves it when its channel
//!   programs fewer than `program.write_streams` pages.
//! - N_th_w counts pages, or requests (`program.fast_write_counts`): section 5 defines it as "requests in the write
//!   queue", while the queues of Fig. 4 hold pages. N_th_rw is said to be of requests too; an entry of the rewrite queue is a
//!   page ("the logical and physical address"), and so it is counted.
//! - Fast data go only into blocks that keep them for `program.fast_keeps_h` and `program.rewrite_slack_h`: in worn
//!   blocks their rewrite would be due at once.
//! - N_th_w counts a page until its program begins, or until it has ended (`program.queued_until`): the queue
//!   "stores the data of write requests", and must until they are on flash, or a loss of power would lose them.
//! - A page is a hit of the rewrite queue while its newest copy is a fast one: that is what the flag in
//!   the mapping table says. Whether entries that became stale count towards N_th_rw and D_rw is
//!   `program.stale_entries`; those at the top cost nothing and are dropped at once.
//! - A channel is idle while it has no transaction but those of rewrites. It then rewrites
//!   `program.rewrites_in_flight` pages at a time.
//! - GC "should give fast-write blocks a higher priority": of two victims with as many live pages it takes the
//!   fast one (`program.gc_fast_first = "ties"`). Where it takes any fast block first ("always"), it moves pages
//!   that the host is about to write again.
//! - A rewritten page goes to a normal block of its channel, where one has room.
//! - Forced rewrites hold the write queue back ("interrupts all the other operations"); reads of the
//!   host go on.

mod check;
mod held;
mod recovery;
mod rewrite;
mod rewrite_queue;
mod write_queue;

use serde::{Deserialize, Serialize};

use std::collections::{BTreeMap, VecDeque};

use crate::config::Config;
use crate::engine::{Ns, state};
use crate::error::SimError;
use crate::flash::{Carried, Class, Outbox, Owner, StreamId, Txn, TxnOp};
use crate::ftl::write::put::Placing;
use crate::ftl::{Ftl, Step};
use crate::nand::{Lpn, Pun, UnitGeometry};
use crate::policy::program::{FastFirst, FastWrites, Program};
use held::Held;
use rewrite_queue::{Entry, RewriteQueue};

/// What a channel has to do.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Load {
    /// Programs from the write queue, and of rewrites, that are not done.
    writing: u32,
    /// Rewrites of pages of this channel that are not done.
    rewriting: u32,
    /// Transactions that are not done, without those of rewrites.
    others: u32,
}

/// The write queue, and what OFWAR adds to it.
#[derive(Debug)]
pub(super) struct TwoSpeed {
    /// Pages that wait to be written: one queue, or one for each channel.
    queues: Vec<VecDeque<Placing>>,
    queued: u32,
    /// What N_th_w counts.
    held: Held,
    /// Whether N_th_w counts pages whose programs are under way.
    counts_in_flight: bool,
    /// Programs that a channel takes at once.
    streams: u32,
    loads: Vec<Load>,
    geometry: UnitGeometry,
    /// True while the write path works: it must not begin again inside itself.
    running: bool,
    fast: Option<Fast>,
}

state! {
    TwoSpeed {
        parts: fast;
        values: queues, queued, held, loads, running;
        derived: counts_in_flight, streams, geometry;
    }
}

/// Fast writes and their rewrites.
#[derive(Debug)]
struct Fast {
    /// The stream of open blocks that fast writes go to.
    stream: StreamId,
    policy: Program,
    asked: FastWrites,
    queue: RewriteQueue,
    /// Rewrites under way.
    active: BTreeMap<u32, Entry>,
    next_id: u32,
    /// Rewrites under way at once, by channel, where they are urgent.
    drain_in_flight: u32,
    retention: Ns,
    /// Everything that was written fast is to be rewritten now.
    draining: bool,
    /// When the ages of all entries were last looked at; pages that were lost by then are counted.
    counted_until: Ns,
}

state! {
    Fast {
        values: queue, active, next_id, draining, counted_until;
        derived: stream, policy, asked, drain_in_flight, retention;
    }
}

impl TwoSpeed {
    /// `None` where pages go to the queues of the dies at once.
    pub fn new(
        config: &Config,
        geometry: &UnitGeometry,
        goes_anywhere: bool,
        fast_stream: Option<StreamId>,
    ) -> Option<TwoSpeed> {
        let program = &config.program;
        let retention = config.device.fast_program.as_ref().map_or(Ns::MAX, |fast| fast.rated_retention);
        let asked = program.policy.fast_writes(&program.policies, retention);
        if asked.is_none() && program.write_streams == 0 {
            return None;
        }
        let dies = geometry.dies_per_channel();
        let fast = asked.zip(fast_stream).map(|(asked, stream)| Fast {
            stream,
            policy: program.policy,
            asked,
            queue: RewriteQueue::new(asked.counts_stale),
            active: BTreeMap::new(),
            next_id: 0,
            drain_in_flight: DRAIN_BY_DIE * dies,
            retention,
            draining: false,
            counted_until: 0,
        });
        let channels = geometry.channels as usize;
        Some(TwoSpeed {
            queues: vec![VecDeque::new(); if goes_anywhere { 1 } else { channels }],
            queued: 0,
            held: Held::new(asked.is_some_and(|asked| asked.counts_requests)),
            counts_in_flight: asked.is_some_and(|asked| asked.counts_in_flight),
            streams: if program.write_streams == 0 { dies } else { program.write_streams },
            loads: vec![Load::default(); channels],
            geometry: *geometry,
            running: false,
            fast,
        })
    }

    #[inline]
    fn channel_of(&self, pun: Pun) -> usize {
        self.geometry.channel_of(self.geometry.die_of_page(pun)) as usize
    }

    /// Pages in the write queue.
    pub fn queued(&self) -> u32 {
        self.queued
    }

    /// The stream of fast blocks, and when victims of GC are looked for in those first.
    pub fn preferred_stream(&self) -> Option<(StreamId, FastFirst)> {
        let fast = self.fast.as_ref()?;
        (fast.asked.gc_fast_first != FastFirst::Never).then_some((fast.stream, fast.asked.gc_fast_first))
    }

    /// Transactions are on their way to the controller.
    fn sent(&mut self, out: &Outbox) {
        for carried in
            out.orders.iter().map(|&id| out.txns.carried(id)).filter(|carried| !is_rewrite(carried))
        {
            let channel = self.channel_of(carried.unit);
            self.loads[channel].others += 1;
        }
    }

    /// A transaction is done, and its owner has been told.
    pub fn done(&mut self, txn: &Txn, carried: &Carried) {
        let channel = self.channel_of(carried.unit);
        let load = &mut self.loads[channel];
        if !is_rewrite(carried) {
            load.others -= 1;
        }
        // Pages that GC moves may wait with those of the host, and so does padding.
        let was_queued = !matches!(carried.owner, Owner::Job(_)) && carried.lpn != Lpn::NONE;
        if txn.op == TxnOp::Program && txn.class == Class::UserWrite && was_queued {
            load.writing -= 1;
            if self.counts_in_flight && !is_rewrite(carried) {
                self.held.leaves(carried.owner);
            }
        }
    }
}

/// True for the reads and programs of a rewrite.
fn is_rewrite(carried: &Carried) -> bool {
    matches!(carried.owner, Owner::Rewrite(_))
}

impl Ftl {
    /// Transactions are on their way to the controller.
    #[inline]
    pub fn sent(&mut self, out: &Outbox) {
        if let Some(path) = &mut self.two_speed {
            path.sent(out);
        }
    }

    /// Writes and rewrites whatever can go now.
    pub(super) fn write_path_goes_on(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        match &mut self.two_speed {
            Some(path) if !path.running => path.running = true,
            _ => return Ok(()),
        }
        while let Ftl { two_speed: Some(path), pages, parking, .. } = self {
            path.drop_stale_entries(pages);
            if let Some(write) = path.next_write(pages, parking, step) {
                self.place_or_park(write, step)?;
            } else if !path.rewrite_next(pages, step) {
                path.running = false;
                break;
            }
        }
        Ok(())
    }

    /// Time has passed: an entry of the rewrite queue may be due.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn look_for_due_rewrites(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        if let Some(path) = &self.two_speed {
            path.note_age(&mut self.pages, step.now);
        }
        self.write_path_goes_on(step)
    }

    /// How often somebody must look for rewrites that are due, ns; 0 where there are none.
    #[must_use]
    pub fn rewrite_scan_period(&self) -> Ns {
        let fast = self.two_speed.as_ref().and_then(|path| path.fast.as_ref());
        fast.map_or(0, |fast| fast.retention / SCANS_IN_RETENTION)
    }
}

/// Looks for entries that are due, in one short retention: an entry is found late by less than this part.
const SCANS_IN_RETENTION: u64 = 256;
/// Urgent rewrites under way at once, by die of a channel: enough that each die has the next one waiting while
/// others wait for the bus.
const DRAIN_BY_DIE: u32 = 4;
