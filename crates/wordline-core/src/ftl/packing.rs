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

use super::pages::Pages;
use super::{Ftl, Step};
use crate::config::{CacheMode, Config};
use crate::engine::{Ns, TIME_MAX, state};
use crate::error::SimError;
use crate::flash::{Carried, Outbox, Owner, StreamId, Txn};
use crate::nand::{Address, BlockId, NONE, PlaneId, Ppn};
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
    fn join(&mut self, group: usize, txn: Txn, unit: Carried, now: Ns, out: &mut Outbox) -> bool {
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
    fn program(&mut self, group: usize, out: &mut Outbox) {
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
    fn next_due(&mut self, now: Ns) -> Option<usize> {
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
}

impl Pages {
    /// Asks for the program of a unit at its new place; true when its page is full and under way.
    #[inline(always)]
    pub fn program(
        &mut self,
        (to, plane): (Address, PlaneId),
        txn: Txn,
        unit: Carried,
        now: Ns,
        out: &mut Outbox,
    ) -> bool {
        if !self.packing.packs() {
            self.allocator.began(plane);
            out.order(txn, unit);
            return true;
        }
        let stream = self.blocks.get(to.block).stream;
        let group = self.blocks.open_at(self.blocks.pool_of(plane), stream);
        let is_under_way = self.packing.join(group, txn, unit, now, out);
        if is_under_way {
            self.allocator.began(plane);
        }
        is_under_way
    }

    /// The pool of the page that a stream of the host is filling.
    #[inline]
    pub fn pool_being_filled(&self, stream: StreamId) -> Option<PlaneId> {
        let pool = self.packing.last_pool[usize::from(stream)];
        let is_open = self.packing.packs() && self.blocks.is_within_page(pool, stream);
        is_open.then_some(pool)
    }

    /// The host's last unit of a stream went to a pool.
    #[inline]
    pub fn note_pool(&mut self, pool: PlaneId, stream: StreamId) {
        if self.packing.packs() {
            self.packing.last_pool[usize::from(stream)] = pool;
        }
    }

    /// A place for a unit of padding, which holds nothing.
    fn padding_in(&mut self, pool: PlaneId, stream: StreamId) -> Option<Address> {
        let address = self.blocks.allocate_to_move(pool, stream)?;
        self.blocks.invalidate(address.ppn);
        self.counters.padding += 1;
        Some(address)
    }

    /// Fills an open page up with padding and programs it; returns its pool.
    fn pad(&mut self, group: usize, out: &mut Outbox) -> PlaneId {
        let (pool, stream) = self.blocks.open_from(group);
        let mut plane = pool;
        while self.blocks.is_within_page(pool, stream)
            && let Some(address) = self.padding_in(pool, stream)
        {
            plane = self.geometry.plane_of(address.block);
            self.packing.open[group].units.push(Carried::new(Owner::Nobody, NONE, address.ppn));
        }
        self.packing.program(group, out);
        self.allocator.began(plane);
        pool
    }

    /// Without time: pages that are not full are filled up with padding, and hold their data.
    pub fn close_pages(&mut self) {
        for group in 0..self.packing.open.len() {
            let (pool, stream) = self.blocks.open_from(group);
            for unit in std::mem::take(&mut self.packing.open[group]).units {
                self.blocks.programmed(self.geometry.address(unit.unit));
                if let Some(shadow) = &mut self.shadow {
                    shadow.program_done(unit.unit, self.mapping.is_valid(unit.unit));
                }
            }
            while self.blocks.is_within_page(pool, stream)
                && let Some(address) = self.padding_in(pool, stream)
            {
                self.blocks.programmed(address);
            }
        }
        self.packing.power_cut();
    }

    /// Units of a block that wait in an open page.
    pub fn waiting_units(&self, block: BlockId) -> u32 {
        if self.packing.packs() {
            self.packing.waiting_in(self.geometry.first_page(block), self.end_of(block))
        } else {
            0
        }
    }
}

impl Ftl {
    /// When the next open page has waited long enough, if an event is wanted for that.
    #[inline(always)]
    pub fn packing_alarm(&mut self, now: Ns) -> Option<Ns> {
        if self.pages.packing.wants_alarm { self.pages.packing.take_alarm(now) } else { None }
    }

    /// Pages that have waited long enough are filled up.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn pad_due_pages(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        while let Some(group) = self.pages.packing.next_due(step.now) {
            let pool = self.pages.pad(group, step.out);
            self.after_allocation(pool, step)?;
        }
        Ok(())
    }

    /// The host waits for all that it has written, or does so no more.
    #[inline]
    pub fn hurry(&mut self, is_hurried: bool, now: Ns) {
        if self.pages.packing.packs() {
            self.pages.packing.hurry(is_hurried, now);
        }
    }

    /// Mapping units that have a place, in a page that is not full.
    #[must_use]
    pub fn units_waiting(&self) -> usize {
        self.pages.packing.waiting()
    }

    /// See [`Pages::close_pages`].
    pub fn close_pages(&mut self) {
        self.pages.close_pages();
    }
}
