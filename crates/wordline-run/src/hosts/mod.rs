//! Hosts with feedback: what they ask next depends on the answers that they get.
//!
//! A flow is an iterator of requests. A cache that reads before it writes, or a log that reclaims zones, is none: it has
//! times of its own, and it hears of completions. [`run`] drives such a [`Host`] over one held drive or several under one
//! clock. All that it asks for is jobs of held drives, so its reads, writes and trims take submission queues and link like
//! any others.
//!
//! Order: what is done at a time is heard before a turn of that time. Jobs of one call arrive together. Drives that finish
//! jobs at the same time are heard in their order.

pub mod log;
mod striped;
mod tasks;
#[cfg(test)]
mod tests;

pub use striped::Striped;
pub use tasks::{Finished, Task, TaskError, Tasks};

use std::collections::{BTreeMap, VecDeque};

use wordline_core::engine::Ns;
use wordline_core::flash::Status;
use wordline_core::{SimError, TIME_MAX};

use crate::{DriveOp, HeldDrive, Report, RunError};

/// A host that decides by what it hears. It says what it wants in [`Jobs`].
pub trait Host {
    /// When the host wants its next turn, ns; `None` where it waits for answers, or is at its end.
    fn next_turn(&self) -> Option<Ns>;

    /// The time that [`Host::next_turn`] gave has come.
    fn turn(&mut self, now: Ns, jobs: &mut Jobs);

    /// A job of the host's is done.
    fn hear(&mut self, done: &Done, jobs: &mut Jobs);

    /// How far the host is, 0 to 1, where it knows.
    fn fraction(&self) -> Option<f64> {
        None
    }
}

/// A job of a host that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The number that [`Jobs::submit`] gave.
    pub job: u64,
    /// When its last operation was complete, ns.
    pub done_ns: Ns,
    /// The first status of an operation that did not succeed, if any.
    pub status: Status,
    /// A read of it has come to a die that was at the drive's own work, such as garbage collection.
    pub behind_own_work: bool,
}

/// An operation, and the drive that it is for: its place among those of [`run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedOp {
    /// The drive, from 0.
    pub drive: usize,
    /// The operation.
    pub op: DriveOp,
}

/// What a host asks for in one call.
#[derive(Debug, Default)]
pub struct Jobs {
    next: u64,
    /// By job: how many of `ops`.
    lengths: Vec<usize>,
    ops: Vec<PlacedOp>,
    marks: bool,
}

impl Jobs {
    /// Submits a job: operations that arrive together. It is done with its last one, on whichever drive. Returns its
    /// number: all jobs of a host are counted from 0. A job without operations is an error of [`run`].
    pub fn submit(&mut self, ops: impl IntoIterator<Item = PlacedOp>) -> u64 {
        let before = self.ops.len();
        self.ops.extend(ops);
        self.lengths.push(self.ops.len() - before);
        self.next += 1;
        self.next - 1
    }

    /// A job of one operation on the first drive.
    pub fn submit_one(&mut self, op: DriveOp) -> u64 {
        self.submit([PlacedOp { drive: 0, op }])
    }

    /// The results of all drives begin now, before these jobs; see [`HeldDrive::mark`].
    pub fn mark(&mut self) {
        self.marks = true;
    }
}

/// Runs a host on drives that have no jobs under way, until it wants no turn and all its jobs are done. Returns false if
/// `go_on` did, and time has stopped before.
///
/// # Errors
/// See [`HeldDrive::submit`] and [`HeldDrive::advance`].
pub fn run(
    host: &mut dyn Host,
    drives: &mut [HeldDrive],
    go_on: &mut dyn FnMut(Report) -> bool,
) -> Result<bool, RunError> {
    let mut session = Session::new(drives);
    loop {
        let turn = host.next_turn().map(|at| at.max(session.now));
        match session.next_event() {
            Some((event, drive)) if turn.is_none_or(|turn| event <= turn) => {
                let fraction = host.fraction();
                let mut report = |report: Report| go_on(Report { fraction, ..report });
                if !session.advance(drive, turn.unwrap_or(TIME_MAX), &mut report)? {
                    return Ok(false);
                }
            }
            _ => {
                let Some(turn) = turn else { return Ok(true) };
                session.now = turn;
                host.turn(turn, &mut session.jobs);
                session.submit()?;
            }
        }
        while let Some(done) = session.take_done() {
            host.hear(&done, &mut session.jobs);
            session.submit()?;
        }
    }
}

fn wrong(what: String) -> RunError {
    RunError::Simulation(SimError::Request(what))
}

/// Drives under one clock, and the jobs of a host on them.
struct Session<'a> {
    drives: &'a mut [HeldDrive],
    now: Ns,
    jobs: Jobs,
    /// Of each drive: its own number of a job's part, to the host's number of the job.
    parts: Vec<BTreeMap<u64, u64>>,
    under_way: BTreeMap<u64, Part>,
    done: VecDeque<Done>,
}

/// What is left of a job.
#[derive(Clone, Copy, Debug)]
struct Part {
    left: usize,
    status: Status,
    behind_own_work: bool,
}

const NONE_LEFT: Part = Part { left: 0, status: Status::Success, behind_own_work: false };

impl<'a> Session<'a> {
    fn new(drives: &'a mut [HeldDrive]) -> Self {
        let now = drives.iter().map(HeldDrive::now).max().unwrap_or(0);
        let parts = vec![BTreeMap::new(); drives.len()];
        Session {
            drives,
            now,
            jobs: Jobs::default(),
            parts,
            under_way: BTreeMap::new(),
            done: VecDeque::new(),
        }
    }

    /// The next event of a drive with jobs under way, and which drive it is.
    fn next_event(&self) -> Option<(Ns, usize)> {
        let events = self.drives.iter().enumerate();
        events.filter_map(|(drive, held)| held.next_event().map(|at| (at, drive))).min()
    }

    /// Lets the drive whose event is next go on, up to the next event of another one, `until`, or a job that is done.
    fn advance(
        &mut self,
        drive: usize,
        until: Ns,
        go_on: &mut dyn FnMut(Report) -> bool,
    ) -> Result<bool, RunError> {
        let others = self.drives.iter().enumerate().filter(|&(other, _)| other != drive);
        let other = others.filter_map(|(_, held)| held.next_event()).min();
        let until = until.min(other.unwrap_or(TIME_MAX));
        let goes_on = self.drives[drive].advance_to_done(until, go_on)?;
        self.now = self.now.max(self.drives[drive].now());
        self.hear(drive);
        Ok(goes_on)
    }

    /// Takes in what a drive has done.
    fn hear(&mut self, drive: usize) {
        let mut parts = Vec::new();
        self.drives[drive].take_done(&mut parts);
        for part in parts {
            let Some(job) = self.parts[drive].remove(&part.job) else { continue };
            let Some(state) = self.under_way.get_mut(&job) else { continue };
            state.left -= 1;
            state.behind_own_work |= part.behind_own_work;
            if state.status == Status::Success {
                state.status = part.status;
            }
            if state.left == 0 {
                let Part { status, behind_own_work, .. } = *state;
                self.under_way.remove(&job);
                self.done.push_back(Done { job, done_ns: part.done_ns, status, behind_own_work });
            }
        }
    }

    fn take_done(&mut self) -> Option<Done> {
        self.done.pop_front()
    }

    /// Gives the drives what the host has asked for, the parts of each drive in one call.
    fn submit(&mut self) -> Result<(), RunError> {
        if std::mem::take(&mut self.jobs.marks) {
            self.drives.iter_mut().for_each(HeldDrive::mark);
        }
        if self.jobs.lengths.is_empty() {
            return Ok(());
        }
        let lengths = std::mem::take(&mut self.jobs.lengths);
        let placed = std::mem::take(&mut self.jobs.ops);
        if lengths.contains(&0) {
            return Err(wrong("a job of a host has one operation or more".to_owned()));
        }
        if let Some(op) = placed.iter().find(|op| op.drive >= self.drives.len()) {
            return Err(wrong(format!(
                "a host names drive {}, and there are {}",
                op.drive,
                self.drives.len()
            )));
        }
        let first = self.jobs.next - lengths.len() as u64;
        for drive in 0..self.drives.len() {
            let (mut ops, mut of_job, mut names) = (Vec::new(), Vec::new(), Vec::new());
            let mut rest = placed.as_slice();
            for (job, &length) in (first..).zip(&lengths) {
                let (own, more) = rest.split_at(length);
                rest = more;
                let before = ops.len();
                ops.extend(own.iter().filter(|each| each.drive == drive).map(|each| each.op));
                if ops.len() > before {
                    of_job.push((ops.len() - before) as u32);
                    names.push(job);
                    self.under_way.entry(job).or_insert(NONE_LEFT).left += 1;
                }
            }
            if !ops.is_empty() {
                let own = self.drives[drive].submit(self.now, &ops, Some(&of_job))?;
                self.parts[drive].extend((own..).zip(names));
                self.hear(drive);
            }
        }
        Ok(())
    }
}
