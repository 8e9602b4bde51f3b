//! What a policy that programs at two speeds asks of the write path, which `ftl/two_speed/` is, and what it sees of it.

use crate::engine::Ns;
use crate::flash::Speed;
use crate::parameter::choices;

choices! {
    /// When GC takes a fast block before others.
    pub enum FastFirst {
        /// Always
        Always = "always",
        /// Before others with as many live pages
        Ties = "ties",
        /// Like others
        Never = "never",
    }
}

/// The retention that a rewrite has to come before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// That of the page, in the wear of its block.
    Own,
    /// One for all pages, ns.
    Fixed(Ns),
}

/// How fast writes and their rewrites go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastWrites {
    /// The thresholds of the decisions.
    pub thresholds: Thresholds,
    /// Pages that an idle channel rewrites at once.
    pub rewrites_in_flight: u32,
    /// When GC takes a fast block before others.
    pub gc_fast_first: FastFirst,
    /// Retention that a block must have to take fast data, ns.
    pub least_retention: Ns,
    /// The write queue is as long as it has requests, not pages.
    pub counts_requests: bool,
    /// A page counts as queued until its program has ended, not only until it begins.
    pub counts_in_flight: bool,
    /// Entries of the rewrite queue count whose pages have newer copies.
    pub counts_stale: bool,
    /// The rewrite queue does not outlive a power loss.
    pub lost_at_power_loss: bool,
}

/// The thresholds of the decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// What retention decides when a rewrite waits no longer (decision 1).
    pub deadline: Deadline,
    /// Rewrites wait no longer from so long before that retention ends, ns.
    pub slack: Ns,
    /// N_th_rw: rewriting at idle takes more entries than this (decision 4).
    pub rewrite: u64,
    /// N_th_w: fast writes take more in the write queue than this (decision 6).
    pub fast_write: u32,
    /// D_rw: entries that the rewrite queue holds.
    pub rewrite_queue: u64,
}

/// What the controller sees when it decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Age of the entry at the top of the rewrite queue, ns; `None` where it is empty.
    pub oldest_age: Option<Ns>,
    /// From when it was written until data of the rewrite queue outlive their retention, ns.
    pub oldest_retention: Ns,
    /// Entries of the rewrite queue.
    pub rewrites: u64,
    /// The channel that would rewrite has nothing else to do.
    pub is_idle: bool,
    /// Pages held in the write queue, with the one at its head, or their requests.
    pub queued: u32,
    /// The page at the head of the write queue is in the rewrite queue.
    pub is_hit: bool,
}

/// What the controller does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextAction {
    /// Rewrite the top entry before anything else.
    ForcedRewrite,
    /// Rewrite the top entry, since the channel is idle.
    IdleRewrite,
    /// Write the head of the write queue.
    Write(Speed),
    /// Wait.
    Nothing,
}
