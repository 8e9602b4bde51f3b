//! What reclaiming knows of a pool: its job, and what decides when the next one begins.

use serde::{Deserialize, Serialize};

use super::Job;
use super::refresh::JobStage;
use crate::nand::BlockId;

/// One pool.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pool {
    /// The job that is under way: one at most.
    pub job: Option<Job>,
    /// [`Reclaim::host_steps`](super::Reclaim) when its last job began.
    pub host_steps: u64,
    /// Jobs that have begun since that last changed.
    pub jobs_alone: u32,
    /// Jobs that went before a refresh that is due.
    pub jobs_before_refresh: u32,
    /// Whether GC must get on, and then whether its job wins next to no page.
    pub urgency: Option<bool>,
    /// The group whose job a loss of power ended, where only that is known to fit into what room is left.
    pub unfinished: Option<BlockId>,
}

impl Pool {
    /// Power is gone: the job stops where it is. Where it had taken the room that is kept for GC, it is taken up again before
    /// others.
    pub fn power_cut(&mut self, has_taken_reserve: bool) {
        let job = self.job.take().filter(|job| job.stage == JobStage::Empty && has_taken_reserve);
        self.unfinished = job.map(|job| job.block);
        self.urgency = None;
    }
}
