//! A host of worker threads: tasks wait in queues, and a thread carries out one at a time, command after command.
//!
//! That is how caches move blocks: a pool of threads restores, another one writes, and each block is one task. What the
//! tasks are is decided before; only their times depend on the drives.

use std::collections::{BTreeMap, VecDeque};

use wordline_core::engine::Ns;
use wordline_core::flash::Status;

use super::{Done, Host, Jobs, Striped};
use crate::DriveOp;

/// A task: operations that a thread carries out one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// When it enters its queue, ns.
    pub at: Ns,
    /// The pool of threads that it is for.
    pub pool: usize,
    /// A task that must be done before, by its place: until then this one and those behind it in the queue wait.
    pub after: Option<usize>,
    /// How many of the operations are its own: one or more. They follow those of the task before.
    pub ops: usize,
}

/// What became of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finished {
    /// When a thread took it, ns.
    pub begun_ns: Ns,
    /// When its last operation was done, ns.
    pub done_ns: Ns,
    /// A read of it has come to a die that was at the drive's own work.
    pub behind_own_work: bool,
    /// An operation of it did not succeed.
    pub failed: bool,
}

/// Why tasks cannot be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// Times go back.
    #[error("task {0} enters its queue before the one in front of it")]
    Order(usize),
    /// A pool without threads, or none of this number.
    #[error("task {0} is for a pool that has no thread")]
    Pool(usize),
    /// It waits for itself or for a later one.
    #[error("task {0} waits for one that is not in front of it")]
    After(usize),
    /// Operations do not match.
    #[error("task {0} has no operation of its own")]
    Ops(usize),
}

/// A pool of threads, and the tasks that wait for one.
#[derive(Clone, Debug)]
struct Pool {
    idle: usize,
    queue: VecDeque<usize>,
}

/// A task that a thread carries out.
#[derive(Clone, Copy, Debug)]
struct Running {
    task: usize,
    next_op: usize,
    end: usize,
}

/// The host.
#[derive(Debug)]
pub struct Tasks {
    tasks: Vec<Task>,
    ops: Vec<DriveOp>,
    /// By task: the first of its operations.
    first_op: Vec<usize>,
    stripes: Striped,
    pools: Vec<Pool>,
    /// The next task to enter its queue.
    next: usize,
    mark_at: Option<Ns>,
    /// By job.
    running: BTreeMap<u64, Running>,
    is_done: Vec<bool>,
    done: usize,
    finished: Vec<Finished>,
}

impl Tasks {
    /// Tasks in order of time, with their operations one behind the other, for pools of so many threads. Addresses are
    /// those of all drives together. The results of the drives begin at `mark_at`, ns, where there is one.
    ///
    /// # Errors
    /// [`TaskError`].
    pub fn new(
        tasks: Vec<Task>,
        ops: Vec<DriveOp>,
        threads: &[usize],
        stripes: Striped,
        mark_at: Option<Ns>,
    ) -> Result<Tasks, TaskError> {
        let mut first_op = Vec::with_capacity(tasks.len());
        let (mut end, mut at) = (0, 0);
        for (place, task) in tasks.iter().enumerate() {
            first_op.push(end);
            end += task.ops;
            if task.at < at {
                return Err(TaskError::Order(place));
            }
            at = task.at;
            if threads.get(task.pool).is_none_or(|&threads| threads == 0) {
                return Err(TaskError::Pool(place));
            }
            if task.after.is_some_and(|after| after >= place) {
                return Err(TaskError::After(place));
            }
            if task.ops == 0 || end > ops.len() {
                return Err(TaskError::Ops(place));
            }
        }
        let pools = threads.iter().map(|&idle| Pool { idle, queue: VecDeque::new() }).collect();
        let finished = vec![Finished::default(); tasks.len()];
        let is_done = vec![false; tasks.len()];
        let running = BTreeMap::new();
        Ok(Tasks {
            tasks,
            ops,
            first_op,
            stripes,
            pools,
            next: 0,
            mark_at,
            running,
            is_done,
            done: 0,
            finished,
        })
    }

    /// What became of each task; zeros for one that is not done.
    #[must_use]
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// Gives free threads the tasks in front of their queues.
    fn begin(&mut self, now: Ns, jobs: &mut Jobs) {
        for pool in 0..self.pools.len() {
            while self.pools[pool].idle > 0
                && let Some(&task) = self.pools[pool].queue.front()
                && self.tasks[task].after.is_none_or(|after| self.is_done[after])
            {
                self.pools[pool].queue.pop_front();
                self.pools[pool].idle -= 1;
                self.finished[task].begun_ns = now;
                let first = self.first_op[task];
                self.go_on(Running { task, next_op: first, end: first + self.tasks[task].ops }, jobs);
            }
        }
    }

    /// Submits the next operation of a task.
    fn go_on(&mut self, running: Running, jobs: &mut Jobs) {
        let job = jobs.submit(self.stripes.parts(self.ops[running.next_op]));
        self.running.insert(job, Running { next_op: running.next_op + 1, ..running });
    }
}

impl Host for Tasks {
    fn next_turn(&self) -> Option<Ns> {
        let task = self.tasks.get(self.next).map(|task| task.at);
        task.into_iter().chain(self.mark_at).min()
    }

    fn turn(&mut self, now: Ns, jobs: &mut Jobs) {
        if self.mark_at.is_some_and(|at| at <= now) {
            self.mark_at = None;
            jobs.mark();
        }
        while let Some(task) = self.tasks.get(self.next)
            && task.at <= now
        {
            self.pools[task.pool].queue.push_back(self.next);
            self.next += 1;
        }
        self.begin(now, jobs);
    }

    fn hear(&mut self, done: &Done, jobs: &mut Jobs) {
        let Some(running) = self.running.remove(&done.job) else { return };
        let finished = &mut self.finished[running.task];
        finished.behind_own_work |= done.behind_own_work;
        finished.failed |= done.status != Status::Success;
        if running.next_op < running.end {
            return self.go_on(running, jobs);
        }
        finished.done_ns = done.done_ns;
        self.is_done[running.task] = true;
        self.done += 1;
        self.pools[self.tasks[running.task].pool].idle += 1;
        self.begin(done.done_ns, jobs);
    }

    fn fraction(&self) -> Option<f64> {
        Some(self.done as f64 / self.tasks.len().max(1) as f64)
    }
}
