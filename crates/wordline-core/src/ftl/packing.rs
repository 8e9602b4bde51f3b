//! Pages that take several mapping units (`ftl.unit_bytes`).
//!
//! Units of any addresses that go to the same open group, one after the other, share a page, which is programmed when it is
//! full. Until then, and until its program ends, the controller has them: they are read from there, and outlive a power cut as
//! every page does that is on its way to flash. So a unit that moves has moved when it is here, whether its page is full or not.
//!
//! A page with units that somebody waits for does not stay open for long: after `ftl.unit_wait_us` it is filled up with padding.
//! Nobody waits for units that move: their page waits for the next ones. Where units are pages, nothing ever waits here.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::config::{CacheMode, Config};
use crate::engine::{Ns, TIME_MAX, state};
use crate::flash::{Carried, Outbox, Owner, StreamId, Txn};
use crate::nand::{NONE, PlaneId, Ppn};
use wordline_cells::ns_from_us;

/// A page that is not full yet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct OpenPage {
    units: Vec<Carried>,
    /// Its program, once it has a unit.
    txn: Option<Txn>,
    /// Somebody waits for one of its units.
    is_waited_for: bool,
}

/// A page that is filled up at a time, if it is still open.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Due {
    at: Ns,
    group: usize,
    page: Ppn,
}

/// The pages that are being filled.
#[derive(Debug)]
pub(super) struct Packing {
    units_per_page: u32,
    /// Bytes of a whole page on the channel.
    page_bytes: u32,
    /// How long a page with units that somebody waits for may stay open.
    wait: Ns,
    /// By open group, that is by pool and stream; empty where units are pages.
    open: Vec<OpenPage>,
    /// The pool where each stream of the host has put its last unit.
    last_pool: Vec<PlaneId>,
    due: VecDeque<Due>,
    /// An event is wanted for the first of them.
    pub wants_alarm: bool,
    alarm: Ns,
    /// The host waits for all that is there.
    is_hurried: bool,
}

state! {
    Packing {
        values: open, last_pool, due, wants_alarm, alarm, is_hurried;
        derived: units_per_page, page_bytes, wait;
    }
}

impl Packing {
    /// No page is open.
    pub fn new(config: &Config, page_bytes: u32, streams: usize) -> Packing {
        let units_per_page = config.units_per_page();
        let groups = if units_per_page > 1 { config.geometry().planes() as usize * streams } else { 0 };
        let is_buffered =
            config.cache.write_back && matches!(config.cache.mode, CacheMode::Write | CacheMode::ReadWrite);
        Packing {
            units_per_page,
            page_bytes,
            wait: if is_buffered { ns_from_us(config.ftl.unit_wait_us) } else { 0 },
            open: vec![OpenPage::default(); groups],
            last_pool: vec![0; streams],
            due: VecDeque::new(),
            wants_alarm: false,
            alarm: TIME_MAX,
            is_hurried: false,
        }
    }

    /// True where a page takes several units.
    #[inline(always)]
    pub fn packs(&self) -> bool {
        self.units_per_page > 1
    }

    /// A unit behind which the page goes on.
    #[inline]
    fn is_full_with(&self, unit: Ppn) -> bool {
        (unit + 1) & (self.units_per_page - 1) == 0
    }

    /// A unit is placed in an open group; its page is programmed when it is full. True then.
    #[inline(never)]
    pub fn join(&mut self, group: usize, txn: Txn, unit: Carried, now: Ns, out: &mut Outbox) -> bool {
        let is_full = self.is_full_with(unit.unit);
        let page = &mut self.open[group];
        let priority = page.txn.map_or(txn.priority, |before| before.priority.min(txn.priority));
        page.txn = Some(Txn { priority, bytes: self.page_bytes, ..page.txn.unwrap_or(txn) });
        page.units.push(unit);
        if is_full {
            self.program(group, out);
            return true;
        }
        match unit.owner {
            Owner::Nobody => {}
            // The job goes on: the unit is safe.
            Owner::Job(_) => page.units.last_mut().into_iter().for_each(|unit| unit.owner = Owner::Nobody),
            _ if page.is_waited_for => {}
            _ => {
                page.is_waited_for = true;
                let at = if self.is_hurried { now } else { now + self.wait };
                self.due.push_back(Due { at, group, page: txn.ppn });
                self.wants_alarm |= at < self.alarm;
            }
        }
        false
    }

    /// An open page is full.
    pub fn program(&mut self, group: usize, out: &mut Outbox) {
        let page = &mut self.open[group];
        page.is_waited_for = false;
        if let Some(txn) = page.txn.take() {
            out.order_page(txn, &page.units);
        }
        page.units.clear();
    }

    /// The time of the event that is wanted.
    pub fn take_alarm(&mut self, now: Ns) -> Option<Ns> {
        self.wants_alarm = false;
        let due = self.due.front()?;
        self.alarm = due.at.max(now);
        Some(self.alarm)
    }

    /// The group of an open page that has waited long enough.
    pub fn next_due(&mut self, now: Ns) -> Option<usize> {
        while let Some(&due) = self.due.front() {
            let page = &self.open[due.group];
            let is_open = page.is_waited_for && page.txn.is_some_and(|txn| txn.ppn == due.page);
            if is_open && due.at > now {
                break;
            }
            self.due.pop_front();
            if is_open {
                return Some(due.group);
            }
        }
        if now >= self.alarm {
            self.alarm = TIME_MAX;
        }
        self.wants_alarm = self.due.front().is_some_and(|due| due.at < self.alarm);
        None
    }

    /// The host waits for all units that are there, or does so no more.
    pub fn hurry(&mut self, is_hurried: bool, now: Ns) {
        if is_hurried && !self.due.is_empty() {
            self.due.iter_mut().for_each(|due| due.at = due.at.min(now));
            self.wants_alarm = true;
        }
        self.is_hurried = is_hurried;
    }

    /// Units that wait for their page to be full.
    pub fn waiting(&self) -> usize {
        self.open.iter().map(|page| page.units.len()).sum()
    }

    /// Units of a block that wait for their page to be full.
    pub fn waiting_in(&self, first: Ppn, end: Ppn) -> u32 {
        let units = self.open.iter().flat_map(|page| &page.units);
        units.filter(|unit| (first..end).contains(&unit.unit)).count() as u32
    }

    /// Power is gone.
    pub fn power_cut(&mut self) {
        self.open.fill(OpenPage::default());
        self.due.clear();
        (self.wants_alarm, self.alarm, self.is_hurried) = (false, TIME_MAX, false);
    }

    /// The pool where a stream has put its last unit.
    #[inline]
    pub fn last_pool(&self, stream: StreamId) -> PlaneId {
        self.last_pool[usize::from(stream)]
    }

    /// A stream of the host has put a unit into a pool.
    #[inline]
    pub fn note_pool(&mut self, pool: PlaneId, stream: StreamId) {
        if self.packs() {
            self.last_pool[usize::from(stream)] = pool;
        }
    }

    /// Adds a unit of padding to an open page.
    pub fn add_padding(&mut self, group: usize, unit: Ppn) {
        self.open[group].units.push(Carried::new(Owner::Nobody, NONE, unit));
    }

    /// The units of an open page, which is closed.
    pub fn take_units(&mut self, group: usize) -> Vec<Carried> {
        std::mem::take(&mut self.open[group]).units
    }

    /// Number of open groups that may have an open page.
    pub fn groups(&self) -> usize {
        self.open.len()
    }
}
