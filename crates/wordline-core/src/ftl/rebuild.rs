//! Parity of superblocks (`ftl.parity`): its programs, and pages that are made again from the rest of their stripe.
//!
//! A page that does not decode at any step is the XOR of all others of its stripe (RAIN, RAID in the drive). These are read
//! at the places of the units that did not decode; pages on their way to flash are in the controller. If one of these reads fails, too, the
//! units are lost. The reader gets what is made again; in the flash the page stays as it is.

use crate::engine::{Slab, state};
use crate::error::SimError;
use crate::flash::{Carried, Class, Failure, Outbox, Owner, Priority, Status, Txn, TxnOp};
use crate::ftl::write::pages::Pages;
use crate::ftl::{Ftl, Step};
use crate::nand::{Lpn, NONE, Pun, UnitAddress};

/// Units of a page that are made again from the others of its stripe.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Rebuild {
    /// Units of the others that are being read.
    left: u32,
    /// One of them was in vain.
    has_failed: bool,
    /// The first of the units that somebody waits for.
    first: u32,
}

/// A unit of such a page, and the next of them.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Wanted {
    unit: Carried,
    next: u32,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Rebuilds {
    pages: Slab<Rebuild>,
    units: Slab<Wanted>,
}

state! {
    Rebuilds {
        values: pages, units;
    }
}

impl Rebuilds {
    /// True where a page of this name is made again.
    pub fn has(&self, id: u32) -> bool {
        self.pages.has(id)
    }

    /// Power is gone, and all requests with it.
    pub fn power_cut(&mut self) {
        *self = Rebuilds::default();
    }

    /// Checked mode, when a run has ended: none is under way.
    pub fn verify(&self) -> Result<(), String> {
        match self.pages.len() {
            0 => Ok(()),
            pages => {
                Err(format!("the run is over, but {pages} pages are still made again from their stripes"))
            }
        }
    }
}

impl Ftl {
    /// Units of a read did not decode: reads the others of their stripe.
    #[cold]
    pub(super) fn rebuild(&mut self, id: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let asked: Vec<Carried> = step.out.txns.all_carried(id).collect();
        let lost: Vec<Pun> =
            step.out.lost.extract_if(.., |(read, _)| *read == id).map(|(_, unit)| unit).collect();
        if let Owner::Parity(rebuild) = asked[0].owner {
            self.rebuilds.pages[rebuild].has_failed = true;
            return asked.into_iter().try_for_each(|read| self.stripe_read(rebuild, read, step));
        }
        let others = self.pages.blocks.rest_of_stripe(lost[0]);
        let rebuild = Rebuild { left: 0, has_failed: others.is_none(), first: NONE };
        let rebuild = self.rebuilds.pages.insert(rebuild);
        for unit in asked {
            if !lost.contains(&unit.unit) {
                self.read_done(id, &unit, step)?;
                continue;
            }
            if let Some(shadow) = &mut self.pages.shadow {
                shadow.read_goes_on(id, checked_as(rebuild), unit.unit)?;
            }
            let next = self.rebuilds.pages[rebuild].first;
            self.rebuilds.pages[rebuild].first = self.rebuilds.units.insert(Wanted { unit, next });
        }
        let Txn { class, priority, .. } = step.out.txns[id];
        for address in others.into_iter().flatten() {
            if !self.pages.blocks.is_in_controller(address) {
                self.rebuilds.pages[rebuild].left += lost.len() as u32;
                self.pages.read_of_stripe((class, priority), rebuild, address, &lost, step.out);
            }
        }
        if self.rebuilds.pages[rebuild].left == 0 { self.rebuilt(rebuild, step) } else { Ok(()) }
    }

    /// A read of another page of a stripe is done.
    #[cold]
    pub(super) fn stripe_read(
        &mut self,
        rebuild: u32,
        read: Carried,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        self.release_read(read.unit, step)?;
        self.rebuilds.pages[rebuild].left -= 1;
        if self.rebuilds.pages[rebuild].left == 0 { self.rebuilt(rebuild, step) } else { Ok(()) }
    }

    /// All others of its stripe are there, or one of them has failed: the reads of the page end.
    fn rebuilt(&mut self, rebuild: u32, step: &mut Step<'_>) -> Result<(), SimError> {
        let Rebuild { has_failed, first, .. } = self.rebuilds.pages.remove(rebuild);
        self.pages.counters.parity_rebuilds += u64::from(!has_failed);
        self.pages.counters.parity_failed += u64::from(has_failed);
        let mut next = first;
        while next != NONE {
            let wanted = self.rebuilds.units.remove(next);
            next = wanted.next;
            if let Owner::Request(request) = wanted.unit.owner
                && has_failed
            {
                step.failures.push(Failure { request, status: Status::UnrecoveredReadError });
            }
            self.read_done(checked_as(rebuild), &wanted.unit, step)?;
        }
        Ok(())
    }
}

impl Pages {
    /// Asks for what a page has at the places of units of another one, which are made from it.
    fn read_of_stripe(
        &mut self,
        (class, priority): (Class, Priority),
        rebuild: u32,
        page: UnitAddress,
        lost: &[Pun],
        out: &mut Outbox,
    ) {
        self.counters.parity_rebuild_reads += 1;
        let block = self.blocks.get_mut(page.block);
        block.add_reads(lost.len() as u32);
        let mode = block.mode();
        let place = |unit: Pun| self.format.place_in_page(unit);
        let units = lost
            .iter()
            .map(|&unit| Carried::new(Owner::Parity(rebuild), Lpn::NONE, page.place + place(unit)));
        let bytes = self.format.read_bytes(self.format.full_page) * lost.len() as u32;
        let (ppn, bytes) = (self.format.page_of(page.place), bytes.min(self.format.page()));
        let txn = Txn { priority, mode, ..Txn::new(TxnOp::Read, class, ppn, bytes) };
        out.order_page(txn, &units.collect::<Vec<_>>());
    }
}

/// The number of a read in checked mode, once its page is made again: no transaction has it.
fn checked_as(rebuild: u32) -> u32 {
    NONE - 1 - rebuild
}
