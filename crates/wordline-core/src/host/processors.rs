//! The host's processors, and the jobs (flows) that share them.
//!
//! A job submits its requests and reaps their completions one after the other. It takes a processor when there is something to do
//! and keeps it until there is nothing more, as a thread does that sleeps only when it waits; jobs take turns in the order in
//! which they got something to do. Where others wait, a job has it no longer than a slice of time.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::config::HostConfig;
use crate::engine::{Ns, state};

/// How long a job keeps a processor that others wait for: `base_slice_ns` of Linux 6.6 on eight processors or more.
const SLICE: Ns = 3_000_000;

/// Something that a job does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// Submits it.
    Submit(u32),
    /// Sees it complete.
    Reap(u32),
}

/// The processors.
#[derive(Debug)]
pub struct Processors {
    submit: Ns,
    reap: Ns,
    switch: Ns,
    /// Completions, too, wait for the processor of their job.
    reaps: bool,
    cores: Vec<Core>,
    jobs: Vec<Job>,
    /// Jobs with something to do that have no processor, in the order in which they got it.
    ready: VecDeque<u16>,
}

state! {
    Processors {
        values: cores, jobs, ready;
        derived: submit, reap, switch, reaps;
    }
}

/// A processor.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Core {
    /// The job that has it, or had it last.
    job: u16,
    is_taken: bool,
    /// Since when that job has it, ns.
    since: Ns,
}

/// A job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Job {
    /// What it has to do.
    work: VecDeque<Work>,
    /// Its processor.
    core: Option<u16>,
    /// It is at work; else it has just done something and may go on.
    is_busy: bool,
}

impl Processors {
    /// Idle processors for so many jobs.
    pub fn new(config: &HostConfig, jobs: usize) -> Processors {
        // Each has a processor of its own.
        let count = if config.cores == 0 { jobs } else { config.cores as usize };
        Processors {
            submit: config.job_ns,
            reap: config.reap_ns,
            switch: config.switch_ns,
            reaps: config.cores > 0 || config.reap_ns > 0,
            cores: (0..count).map(|job| Core { job: job as u16, is_taken: false, since: 0 }).collect(),
            jobs: vec![Job::default(); jobs],
            ready: VecDeque::new(),
        }
    }

    /// Whether jobs take any time to submit.
    #[inline(always)]
    #[must_use]
    pub fn take_time(&self) -> bool {
        self.submit > 0 || self.reaps
    }

    /// Whether completions wait for their jobs.
    #[inline(always)]
    #[must_use]
    pub fn reap(&self) -> bool {
        self.reaps
    }

    /// How long a job reaps a completion after it has seen it.
    #[must_use]
    pub fn reap_time(&self) -> Ns {
        self.reap
    }

    /// A job has something to do.
    pub fn add(&mut self, job: u16, work: Work) {
        let Job { work: queue, core, is_busy } = &mut self.jobs[usize::from(job)];
        if queue.is_empty() && core.is_none() && !*is_busy {
            self.ready.push_back(job);
        }
        match work {
            // What follows a completion is submitted before the next is looked at.
            Work::Submit(_) if core.is_some() && !*is_busy => queue.push_front(work),
            _ => queue.push_back(work),
        }
    }

    /// A job has done what it was at, and keeps its processor until [`Processors::next`].
    pub fn done(&mut self, job: u16) {
        self.jobs[usize::from(job)].is_busy = false;
    }

    /// A job that goes on or begins, with what, and when that is submitted or seen; none where all have a processor that can have
    /// one. To be asked until there is none.
    pub fn next(&mut self, after: Option<u16>, now: Ns) -> Option<(Work, Ns)> {
        if let Some(job) = after
            && let Some(work) = self.goes_on(job, now)
        {
            return Some((work, now + self.time_of(work)));
        }
        let &job = self.ready.front()?;
        let core = self.core_for(job)?;
        self.ready.pop_front();
        let switch = if self.cores[core].job == job { 0 } else { self.switch };
        self.cores[core] = Core { job, is_taken: true, since: now };
        let state = &mut self.jobs[usize::from(job)];
        (state.core, state.is_busy) = (Some(core as u16), true);
        let work = state.work.pop_front()?;
        Some((work, now + switch + self.time_of(work)))
    }

    /// What a job does next that has its processor and has done something; where there is nothing, or its time is over, it gives
    /// the processor back.
    fn goes_on(&mut self, job: u16, now: Ns) -> Option<Work> {
        let state = &mut self.jobs[usize::from(job)];
        let core = &mut self.cores[usize::from(state.core.filter(|_| !state.is_busy)?)];
        let is_over = !self.ready.is_empty() && now >= core.since + SLICE;
        if !is_over && let Some(work) = state.work.pop_front() {
            state.is_busy = true;
            return Some(work);
        }
        (state.core, core.is_taken) = (None, false);
        if !state.work.is_empty() {
            self.ready.push_back(job);
        }
        None
    }

    /// A free processor: where it can be, the one that the job had last.
    fn core_for(&self, job: u16) -> Option<usize> {
        let own = usize::from(job) % self.cores.len();
        let is_free = |core: &Core| !core.is_taken;
        if is_free(&self.cores[own]) && self.cores[own].job == job {
            return Some(own);
        }
        let was_its = self.cores.iter().position(|core| is_free(core) && core.job == job);
        was_its.or_else(|| self.cores.iter().position(is_free))
    }

    /// Until a request leaves the host, or is seen.
    fn time_of(&self, work: Work) -> Ns {
        match work {
            Work::Submit(_) => self.submit,
            Work::Reap(_) => 0,
        }
    }

    /// No request that was submitted goes on, and none that was complete.
    pub fn power_cut(&mut self) {
        self.ready.clear();
        self.jobs.fill(Job::default());
        self.cores.iter_mut().for_each(|core| core.is_taken = false);
    }
}
