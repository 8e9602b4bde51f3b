//! A live host: its requests come while the simulation runs, and it is told of everything that concerns their data.
//!
//! A live run gives the results of a replay of the same requests at the same arrival times, byte for byte. Four rules
//! make it so:
//!
//! - The first request arrives at time 0, before all else, since a trace begins with its first request.
//! - A later one arrives at a time of its own, at which nothing else happens. The order of events of one instant depends
//!   on when they were pushed, and a replay pushes an arrival earlier than a live host can.
//! - Time never runs ahead of the next arrival: no event is passed over because the SSD is quiet.
//! - Once the last request is complete, time stands still until the next one, so that the end of a session finds
//!   the SSD where the end of its trace does.

use super::{Ssd, horizon};
use crate::engine::{LoadError, Loader, Ns};
use crate::error::SimError;
use crate::flash::{Failure, Notice, Status};
use crate::host::HostRequest;

impl Ssd {
    /// Lets the run begin with a live host, beside flows that have no requests.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn go_live(&mut self) -> Result<(), SimError> {
        self.set_live();
        self.begin_run()
    }

    /// Goes on where a live run was that [`Ssd::save`] wrote, once its notices had been taken.
    ///
    /// # Errors
    /// See [`Ssd::resume`].
    pub fn resume_live(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.set_live();
        self.resume(from)
    }

    fn set_live(&mut self) {
        self.host.is_live = true;
        self.observers.begin_live();
        self.cache_out.notes = self.cache.is_some().then(Vec::new);
        self.shared.horizon = 0;
    }

    /// Runs until `at`, ns, or until as soon after it as nothing else happens; returns that time, at which
    /// [`Ssd::submit`] may follow.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn run_to_arrival(&mut self, at: Ns) -> Result<Ns, SimError> {
        if at == 0 && self.host.submitted == 0 && self.now() == 0 {
            return Ok(0);
        }
        let mut at = (self.began_at + at).max(self.shared.now + 1);
        loop {
            while !self.shared.events.is_quiet_until(at - 1) {
                self.step()?;
            }
            if self.shared.events.is_quiet_until(at) {
                break;
            }
            at += 1;
        }
        self.look();
        self.shared.now = at;
        Ok(self.now())
    }

    /// Requests arrive together, each of a flow, now, where [`Ssd::run_to_arrival`] has come to. Their names are
    /// added to `names`, in order; the name of a complete request is given again. One that the device refuses completes
    /// with the [`Status`] that says why.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn submit(
        &mut self,
        requests: impl IntoIterator<Item = (u16, HostRequest)>,
        names: &mut Vec<u32>,
    ) -> Result<(), SimError> {
        for (flow, request) in requests {
            let name = self.host.submit(flow, HostRequest { arrival_ns: self.shared.now, ..request })?;
            let status = self.host.check(&request);
            if status != Status::Success {
                self.shared.failures.push(Failure { request: name, status });
            }
            names.push(name);
        }
        self.fetch()?;
        self.settle()
    }

    /// The next event, if there is one up to `at` and a request waits for its answer; false if not.
    ///
    /// # Errors
    /// See [`Ssd::run`].
    pub fn step_live(&mut self, at: Ns) -> Result<bool, SimError> {
        let at = at.saturating_add(self.began_at);
        Ok(self.has_requests() && !self.shared.events.is_quiet_until(at) && self.step()?)
    }

    /// When the next event is due, ns, if one is to come.
    #[must_use]
    pub fn next_event_at(&self) -> Option<Ns> {
        self.shared.events.next_time().map(|at| at - self.began_at)
    }

    /// True while a request is not complete.
    #[must_use]
    pub fn has_requests(&self) -> bool {
        !self.host.requests.is_empty()
    }

    /// True when [`Ssd::take_notices`] has something to take.
    #[must_use]
    pub fn has_notices(&self) -> bool {
        self.observers.notices.as_ref().is_some_and(|notices| !notices.is_empty())
    }

    /// Moves all notices since the last call to the end of `into`.
    pub fn take_notices(&mut self, into: &mut Vec<Notice>) {
        if let Some(notices) = &mut self.observers.notices {
            into.append(notices);
        }
    }

    /// The live host submits nothing more: [`Ssd::run`] ends the run.
    pub fn end_live(&mut self) {
        self.host.is_live = false;
        self.shared.horizon = horizon(self.observers.account.is_some());
    }

    /// Sums up what was measured so far, in a run that goes on.
    pub fn sum_up(&mut self) {
        self.look();
        self.metrics.finish();
    }
}
