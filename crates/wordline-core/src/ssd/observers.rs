//! Observers of a run: all that is told of it and changes nothing of it.
//!
//! | what happens | function | who is told |
//! |---|---|---|
//! | a page operation of the host begins | `Ssd::watch` | account, shadow, live host |
//! | the cache has taken or given away | `Ssd::watch_cache` | shadow, live host |
//! | transactions go to the controller | `Ssd::watch_sent` | live host |
//! | a transaction is done | `Ssd::watch_done` | times of reads; the FTL tells the shadow, with its tables |
//! | a request is complete | `Ssd::watch_completed` | account, shadow, live host |
//! | time goes on | `Ssd::look` | account |
//!
//! The timeline shows what dies, channels and ECC engines do: the controller adds a slice as each of these begins.

use super::Ssd;
use super::account::Account;
use crate::cache::Cache;
use crate::error::SimError;
use crate::flash::{Class, Completion, Notice, Owner, PageOp, PageOpKind, Status};

/// Who is told, beside the metrics.
#[derive(Debug)]
pub(super) struct Observers {
    /// The second account of checked mode.
    pub account: Option<Box<Account>>,
    /// Notices that a live host has not taken yet, where there is one.
    pub notices: Option<Vec<Notice>>,
    /// Checked mode, or a live host, is told of every page operation.
    pub of_page_operations: bool,
}

impl Observers {
    /// The account of checked mode, where it is on.
    pub fn new(account: Option<Account>) -> Observers {
        Observers { of_page_operations: account.is_some(), account: account.map(Box::new), notices: None }
    }

    /// There is a live host.
    pub fn begin_live(&mut self) {
        self.notices = Some(Vec::new());
        self.of_page_operations = true;
    }

    /// Tells a live host.
    fn notice(&mut self, notice: Notice) {
        if let Some(notices) = &mut self.notices {
            notices.push(notice);
        }
    }
}

impl Ssd {
    /// A page operation of the host begins: tells checked mode and a live host.
    #[inline(never)]
    pub(super) fn watch(&mut self, op: &PageOp, request: u32) {
        let &PageOp { kind, lpn, sectors, .. } = op;
        self.ftl.accept(request, kind, lpn, sectors);
        if let Some(account) = &mut self.observers.account {
            account.begins(kind, sectors);
        }
        if self.cache.is_none() {
            self.ftl.take_over(op);
        }
        match kind {
            PageOpKind::Read => {}
            PageOpKind::Write => {
                if !self.cache.as_ref().is_some_and(|cache| cache.holds_writes()) {
                    self.observers.notice(Notice::Kept { request, lpn, sectors });
                }
            }
            PageOpKind::Trim => self.observers.notice(Notice::Trimmed { request, lpn, sectors }),
        }
    }

    /// The controller is about to get transactions: tells a live host of reads that meet the drive's own work.
    #[inline(never)]
    pub(super) fn watch_sent(&mut self) {
        let Ssd { shared, controller, observers: Observers { notices: Some(notices), .. }, .. } = self else {
            return;
        };
        let txns = &shared.outbox.txns;
        for &id in &shared.outbox.orders {
            let txn = &txns[id];
            if txn.class != Class::UserRead || !controller.is_at_own_work(txn.ppn, txns) {
                continue;
            }
            for carried in txns.all_carried(id) {
                if let Owner::Request(request) = carried.owner {
                    notices.push(Notice::BehindOwnWork { request });
                }
            }
        }
    }

    /// A transaction is done.
    #[inline(always)]
    pub(super) fn watch_done(&mut self, id: u32) {
        self.metrics.transaction(&self.shared.outbox.txns[id], self.shared.now);
    }

    /// See [`Ssd::watch`]; a request is complete.
    #[inline(never)]
    pub(super) fn watch_completed(&mut self, request: u32, status: Status) {
        if let Some(account) = &mut self.observers.account {
            account.completes(&self.host.requests[request], status);
        }
        let is_buffered =
            self.cache.as_ref().is_some_and(Cache::holds_writes) && !self.host.requests[request].request.fua;
        self.ftl.request_ends(request, status == Status::Success, is_buffered);
        if let Some(notices) = &mut self.observers.notices {
            let at = self.shared.now - self.began_at;
            let sector = self.host.requests[request].request.sector;
            notices.push(Notice::Completed(Completion { request, status, at, sector }));
        }
    }

    /// What the cache has taken and given away.
    #[inline(never)]
    pub(super) fn watch_cache(&mut self) {
        self.cache_out.all_ops().for_each(|op| self.ftl.take_over(op));
        if let (Some(notes), Some(notices)) = (&mut self.cache_out.notes, &mut self.observers.notices) {
            notices.append(notes);
        }
    }

    /// As many steps as in `Ssd::steps`, with an account of each.
    pub(super) fn checked_steps(&mut self, count: u32) -> Result<bool, SimError> {
        for _ in 0..count {
            if !self.step()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Looks at what is at work, in checked mode.
    #[inline(never)]
    pub(super) fn look(&mut self) {
        if let Some(account) = &mut self.observers.account {
            account.look(&self.controller, self.shared.now);
        }
    }

    /// Compares the second account with the first ones, in checked mode.
    pub(super) fn verify_account(&self) -> Result<(), SimError> {
        self.observers
            .account
            .as_ref()
            .map_or(Ok(()), |account| account.verify(self))
            .map_err(SimError::Check)
    }
}
