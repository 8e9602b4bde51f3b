//! A drive that another program holds: the program submits jobs, lets time go on, and hears which jobs are done.
//!
//! Time is the program's: the drive never runs ahead of the latest time that it was given. A replay of the same
//! operations at the arrival times that [`HeldDrive::log`] lists gives the same results, if the first arrived at 0.

use std::io;
use std::process;
use std::sync::{Arc, OnceLock};

use wordline_core::engine::{Forks, LoadError, Loader, Ns, Saver};
use wordline_core::flash::{Completion, Notice, Status};
use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};
use wordline_core::zones::Zones;
use wordline_core::{SimError, TIME_MAX};

use crate::{Report, Run, RunError};

/// Events between two looks at the user while time goes on.
const EVENTS_PER_REPORT: u32 = 1 << 16;
/// Reports between two looks at what forks, which are gone, have left: a look takes 3 ms for each GB of tables.
const REPORTS_PER_LOOK: u32 = 32;

/// One operation of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriveOp {
    /// What to do.
    pub op: Op,
    /// First byte, a multiple of 512; 0 where the operation has no address.
    pub offset: u64,
    /// Bytes, a multiple of 512; 0 where the operation has no address.
    pub bytes: u64,
    /// The flow that asks.
    pub flow: u16,
    /// Which data belong together: a placement hint; 0 for none.
    pub handle: u16,
}

/// A job that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoneJob {
    /// Its number: jobs are counted from 0 in the order of submission.
    pub job: u64,
    /// When its last operation was complete, ns.
    pub done_ns: Ns,
    /// The first status of an operation that did not succeed, if any.
    pub status: Status,
    /// A read of it has come to a die that was at the drive's own work, such as garbage collection.
    pub behind_own_work: bool,
    /// First byte of its operation that was complete last: of an append, where the drive has put it.
    pub offset: u64,
}

/// A job with operations under way.
#[derive(Clone, Copy, Debug)]
struct Job {
    number: u64,
    left: u32,
    status: Status,
    behind_own_work: bool,
}

/// A drive that a program holds.
pub struct HeldDrive {
    run: Run,
    now: Ns,
    jobs: u64,
    /// Jobs under way, at places that operations name; free places.
    places: Vec<Job>,
    free: Vec<u32>,
    /// By the name of a request: the place of its job.
    job_of: Vec<u32>,
    under_way: u64,
    done: Vec<DoneJob>,
    notices: Vec<Notice>,
    names: Vec<u32>,
    requests: Vec<(u16, HostRequest)>,
    log: Option<Vec<(u16, HostRequest)>>,
    /// Events until the user is looked at.
    until_report: u32,
    /// Reports until the tables are looked at.
    until_look: u32,
    /// The process that opened it: a child process would change the memory of its parent.
    process: u32,
    /// What all forks of a drive have, since there are some. It goes after their tables.
    family: OnceLock<Arc<()>>,
}

impl HeldDrive {
    /// A drive at time 0, from a run that is preconditioned or has loaded a state, and whose flows are live. It keeps a
    /// log of its operations where `logs` says so.
    ///
    /// # Errors
    /// See [`Run::run`].
    pub fn new(mut run: Run, logs: bool) -> Result<HeldDrive, RunError> {
        run.ssd.go_live()?;
        Ok(HeldDrive::of(run, logs.then(Vec::new)))
    }

    fn of(run: Run, log: Option<Vec<(u16, HostRequest)>>) -> HeldDrive {
        HeldDrive {
            run,
            now: 0,
            jobs: 0,
            places: Vec::new(),
            free: Vec::new(),
            job_of: Vec::new(),
            under_way: 0,
            done: Vec::new(),
            notices: Vec::new(),
            names: Vec::new(),
            requests: Vec::new(),
            log,
            until_report: EVENTS_PER_REPORT,
            until_look: 0,
            process: process::id(),
            family: OnceLock::new(),
        }
    }

    /// Submits jobs together at a time, ns, or as soon after it as nothing else happens on the drive: some ns. Each job
    /// has as many operations as `lengths` says, one each without `lengths`, and is done with its last one. Returns the
    /// number of the first job; the others follow.
    ///
    /// # Errors
    /// [`SimError::Request`] for a time that is over, a job without operations, an address that is no multiple of 512, or an
    /// unknown flow; nothing is submitted then. An address beyond the drive is no error: its job ends with that status.
    pub fn submit(&mut self, at: Ns, ops: &[DriveOp], lengths: Option<&[u32]>) -> Result<u64, RunError> {
        self.check_process()?;
        self.check_time(at)?;
        self.take_ops(ops)?;
        if let Some(lengths) = lengths {
            let all: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
            if lengths.contains(&0) || all != ops.len() as u64 {
                return Err(wrong("a job has one operation or more"));
            }
        }
        let first = self.jobs;
        if ops.is_empty() {
            return Ok(first);
        }
        let arrival = self.run.ssd.run_to_arrival(at)?;
        // What happens on the way comes first: it may free names that are given again.
        self.hear();
        self.now = self.now.max(at);
        self.names.clear();
        self.run.ssd.submit(self.requests.iter().copied(), &mut self.names)?;
        if let Some(log) = &mut self.log {
            let arrived = |&(flow, request): &_| (flow, HostRequest { arrival_ns: arrival, ..request });
            log.extend(self.requests.iter().map(arrived));
        }
        let names = std::mem::take(&mut self.names);
        match lengths {
            None => names.iter().for_each(|name| self.begin_job(std::slice::from_ref(name))),
            Some(lengths) => {
                let mut rest = names.as_slice();
                for &length in lengths {
                    let (job, more) = rest.split_at(length as usize);
                    self.begin_job(job);
                    rest = more;
                }
            }
        }
        self.names = names;
        self.hear();
        Ok(first)
    }

    /// Lets time go on to `until`, ns; returns false if `go_on` did, and time has stopped before.
    ///
    /// # Errors
    /// [`SimError::Request`] for a time that is over, and see [`Run::run`].
    pub fn advance(&mut self, until: Ns, go_on: &mut dyn FnMut(Report) -> bool) -> Result<bool, RunError> {
        self.check_time(until)?;
        if !self.step(until, false, go_on)? {
            return Ok(false);
        }
        self.now = self.now.max(until);
        Ok(true)
    }

    /// Lets time go on until every job is done; see [`HeldDrive::advance`].
    ///
    /// # Errors
    /// See [`Run::run`].
    pub fn drain(&mut self, go_on: &mut dyn FnMut(Report) -> bool) -> Result<bool, RunError> {
        let is_over = self.step(TIME_MAX, false, go_on)?;
        self.now = self.now.max(self.run.ssd.now());
        Ok(is_over)
    }

    /// Lets time go on to `until`, ns, or to the first time at which a job is done; see [`HeldDrive::advance`].
    ///
    /// # Errors
    /// See [`HeldDrive::advance`].
    pub fn advance_to_done(
        &mut self,
        until: Ns,
        go_on: &mut dyn FnMut(Report) -> bool,
    ) -> Result<bool, RunError> {
        self.check_time(until)?;
        if !self.step(until, true, go_on)? {
            return Ok(false);
        }
        let now =
            self.done.last().map_or(if until == TIME_MAX { self.now } else { until }, |job| job.done_ns);
        self.now = self.now.max(now);
        Ok(true)
    }

    fn step(
        &mut self,
        until: Ns,
        stops_when_done: bool,
        go_on: &mut dyn FnMut(Report) -> bool,
    ) -> Result<bool, RunError> {
        self.check_process()?;
        self.look_after_forks();
        while (self.done.is_empty() || !stops_when_done) && self.run.ssd.step_live(until)? {
            if self.run.ssd.has_notices() {
                self.hear();
            }
            self.until_report -= 1;
            if self.until_report == 0 {
                self.until_report = EVENTS_PER_REPORT;
                self.until_look = self.until_look.saturating_sub(1);
                self.look_after_forks();
                let progress = self.run.ssd.progress();
                let report =
                    Report { fraction: None, requests: progress.completed, simulated_ns: progress.now };
                if !go_on(report) {
                    self.now = self.now.max(self.run.ssd.now());
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Moves the jobs that are done since the last call to the end of `into`, in order of completion.
    pub fn take_done(&mut self, into: &mut Vec<DoneJob>) {
        into.append(&mut self.done);
    }

    /// When something happens next to a job, ns: no job is done before. `None` while no job is under way.
    #[must_use]
    pub fn next_event(&self) -> Option<Ns> {
        if self.under_way == 0 { None } else { self.run.ssd.next_event_at().map(|at| at.max(self.now)) }
    }

    /// The latest time that the drive was given, ns.
    #[must_use]
    pub fn now(&self) -> Ns {
        self.now
    }

    /// Jobs that are not done.
    #[must_use]
    pub fn under_way(&self) -> u64 {
        self.under_way
    }

    /// What is measured begins now; what is complete counts as warm-up.
    pub fn mark(&mut self) {
        self.run.ssd.mark();
    }

    /// Operations as they arrived, with their flows, where the drive keeps a log.
    #[must_use]
    pub fn log(&self) -> Option<&[(u16, HostRequest)]> {
        self.log.as_deref()
    }

    /// The zones as they are now, on a drive that has them.
    #[must_use]
    pub fn zones(&self) -> Option<&Zones> {
        self.run.ssd.zones()
    }

    /// The run behind it, for its measurements so far.
    pub fn run(&mut self) -> &Run {
        self.run.ssd.sum_up();
        &self.run
    }

    /// A second drive in the same state, jobs under way included. What one is told from now on does not reach the other.
    ///
    /// # Errors
    /// [`RunError::State`], which is a fault.
    pub fn fork(&self) -> Result<HeldDrive, RunError> {
        self.check_process()?;
        let broken = |what: String| RunError::State { file: "a copy of a drive".to_owned(), what };
        let (mut bytes, mut forks) = (Vec::new(), Forks::default());
        self.run
            .ssd
            .save(&mut Saver::fork(&mut bytes, &mut forks))
            .map_err(|error| broken(error.to_string()))?;
        let mut run = Run::new(&self.run.config, self.run.flows.clone(), self.run.options)?;
        let mut bytes = bytes.as_slice();
        run.ssd.resume_live(&mut Loader::fork(&mut bytes, forks)).map_err(|error| match error {
            LoadError::Io(error) => broken(error.to_string()),
            LoadError::Damaged => broken("damaged".to_owned()),
            LoadError::Other(what) => broken(what),
        })?;
        Ok(HeldDrive {
            now: self.now,
            jobs: self.jobs,
            places: self.places.clone(),
            free: self.free.clone(),
            job_of: self.job_of.clone(),
            under_way: self.under_way,
            done: self.done.clone(),
            family: self.family.get_or_init(Arc::default).clone().into(),
            ..HeldDrive::of(run, self.log.clone())
        })
    }

    /// Ends the jobs under way, lets the drive finish its work, and switches it off in good order. The run can be saved
    /// then: a run on its state begins on this drive.
    ///
    /// # Errors
    /// See [`Run::run`].
    pub fn put_away(mut self) -> Result<Run, RunError> {
        self.drain(&mut |_| true)?;
        self.run.ssd.end_live();
        self.run.ssd.run(&mut |_| true)?;
        self.run.ssd.put_away()?;
        Ok(self.run)
    }

    /// Gives up memory of forks that are gone: when the last one has gone, and from time to time later.
    fn look_after_forks(&mut self) {
        let Some(family) = self.family.get() else { return };
        if Arc::strong_count(family) > 1 {
            self.until_look = 0;
        } else if self.until_look == 0 {
            self.until_look = REPORTS_PER_LOOK;
            // Nothing is written, so nothing fails.
            let _ = self.run.ssd.save(&mut Saver::gathering(&mut io::sink()));
        }
    }

    fn check_process(&self) -> Result<(), RunError> {
        if process::id() == self.process {
            return Ok(());
        }
        Err(wrong(&format!(
            "this drive is process {}'s, which opened it: a child process opens a state that `save` wrote",
            self.process
        )))
    }

    /// The run behind it, which a test steps on its own.
    #[cfg(test)]
    pub(crate) fn into_run(self) -> Run {
        self.run
    }

    fn check_time(&self, at: Ns) -> Result<(), RunError> {
        if at > TIME_MAX {
            return Err(wrong(&format!("{at} ns is beyond the end of simulated time, {TIME_MAX} ns (2^62)")));
        }
        if at < self.now {
            return Err(wrong(&format!(
                "{at} ns is over: the drive is at {} ns, and time never goes back",
                self.now
            )));
        }
        Ok(())
    }

    /// Makes `self.requests` of operations.
    fn take_ops(&mut self, ops: &[DriveOp]) -> Result<(), RunError> {
        let flows = self.run.flows.len();
        self.requests.clear();
        for &DriveOp { op, offset, bytes, flow, handle } in ops {
            if usize::from(flow) >= flows {
                return Err(wrong(&format!(
                    "flow {flow} does not exist: the drive was opened with {flows}, from 0"
                )));
            }
            if !offset.is_multiple_of(SECTOR_BYTES) || !bytes.is_multiple_of(SECTOR_BYTES) {
                return Err(wrong(&format!(
                    "offset {offset} and length {bytes} are not both multiples of {SECTOR_BYTES} bytes"
                )));
            }
            if !op.has_address() && offset != 0 || !op.has_sectors() && bytes != 0 {
                let what = if op.has_address() { "length 0" } else { "offset 0 and length 0" };
                return Err(wrong(&format!("a {} has {what}", op.name())));
            }
            let Ok(sectors) = u32::try_from(bytes / SECTOR_BYTES) else {
                return Err(wrong(&format!("length {bytes}: an operation has at most 2 TiB")));
            };
            let request = HostRequest::new(0, op, offset / SECTOR_BYTES, sectors);
            self.requests.push((flow, HostRequest { hint: handle, ..request }));
        }
        Ok(())
    }

    /// A job of requests with these names is under way.
    fn begin_job(&mut self, names: &[u32]) {
        let job = Job {
            number: self.jobs,
            left: names.len() as u32,
            status: Status::Success,
            behind_own_work: false,
        };
        self.jobs += 1;
        self.under_way += 1;
        let place = match self.free.pop() {
            Some(place) => {
                self.places[place as usize] = job;
                place
            }
            None => {
                self.places.push(job);
                (self.places.len() - 1) as u32
            }
        };
        for &name in names {
            let name = name as usize;
            if self.job_of.len() <= name {
                self.job_of.resize(name + 1, 0);
            }
            self.job_of[name] = place;
        }
    }

    /// Takes in what the SSD tells.
    fn hear(&mut self) {
        let mut notices = std::mem::take(&mut self.notices);
        self.run.ssd.take_notices(&mut notices);
        for notice in notices.drain(..) {
            if let Notice::BehindOwnWork { request } = notice {
                self.places[self.job_of[request as usize] as usize].behind_own_work = true;
            }
            let Notice::Completed(Completion { request, status, at, sector }) = notice else { continue };
            let place = self.job_of[request as usize];
            let job = &mut self.places[place as usize];
            job.left -= 1;
            if job.status == Status::Success {
                job.status = status;
            }
            if job.left == 0 {
                let Job { number, status, behind_own_work, .. } = *job;
                let offset = sector * SECTOR_BYTES;
                self.done.push(DoneJob { job: number, done_ns: at, status, behind_own_work, offset });
                self.free.push(place);
                self.under_way -= 1;
            }
        }
        self.notices = notices;
    }
}

fn wrong(what: &str) -> RunError {
    RunError::Simulation(SimError::Request(what.to_owned()))
}
