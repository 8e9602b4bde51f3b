//! Checked mode: a second account of requests and of time.
//!
//! What goes in comes out: requests, and the sectors of their page operations. And the time of each die, channel and ECC engine,
//! summed up here from what is seen at work before and after each step, is what the controller books when work begins.

use serde::{Deserialize, Serialize};

use super::Ssd;
use crate::controller::{COMMANDS, Controller, DATA_OUT, ECC_WAIT, Stretch};
use crate::engine::Ns;
use crate::flash::{PageOpKind, SectorMask, Status};
use crate::host::{Op, Request};
use wordline_cells::ids::ChannelId;

/// Times of one kind of part, seen and under way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Watched {
    spent: Vec<[Ns; 3]>,
    doing: Vec<Option<Stretch>>,
}

impl Watched {
    fn new(count: usize) -> Watched {
        Watched { spent: vec![[0; 3]; count], doing: vec![None; count] }
    }

    /// Time has passed.
    fn spend(&mut self, from: Ns, to: Ns) {
        for (spent, doing) in self.spent.iter_mut().zip(&self.doing) {
            if let Some(stretch) = doing {
                spent[stretch.kind] += to.min(stretch.to).saturating_sub(from.max(stretch.from));
            }
        }
    }
}

/// The second account.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Account {
    /// Until when time is accounted for.
    seen: Ns,
    luns: Watched,
    buses: Watched,
    /// Time that pages were decoded, by channel, with how many are being decoded.
    ecc: Vec<(Ns, u64)>,
    /// Sectors of reads, writes and trims, of page operations and of complete requests.
    begun: [u64; 3],
    done: [u64; 3],
    completed: u64,
    /// A loss of power has cut off what was under way.
    pub was_cut: bool,
}

impl Account {
    /// Nothing has happened.
    pub fn new(controller: &Controller) -> Account {
        Account {
            luns: Watched::new(controller.luns().len()),
            buses: Watched::new(controller.buses().len()),
            ecc: vec![(0, 0); controller.buses().len()],
            ..Account::default()
        }
    }

    /// Books what was at work since the last time, and notes what is now.
    pub fn look(&mut self, controller: &Controller, now: Ns) {
        let from = std::mem::replace(&mut self.seen, now);
        if now > from {
            self.luns.spend(from, now);
            self.buses.spend(from, now);
            self.ecc.iter_mut().for_each(|(time, pages)| *time += (now - from) * *pages);
        }
        for (doing, lun) in self.luns.doing.iter_mut().zip(controller.luns()) {
            *doing = lun.at_work();
        }
        for (doing, bus) in self.buses.doing.iter_mut().zip(controller.buses()) {
            *doing = bus.at_work(now);
        }
        for (channel, (_, pages)) in self.ecc.iter_mut().enumerate() {
            *pages = controller.decoding(ChannelId::from_index(channel));
        }
    }

    /// A page operation of a request begins.
    pub fn begins(&mut self, kind: PageOpKind, sectors: SectorMask) {
        self.begun[kind as usize] += u64::from(sectors.count_ones());
    }

    /// A request is complete.
    pub fn completes(&mut self, request: &Request, status: Status) {
        self.completed += 1;
        if !status.is_carried_out() {
            return;
        }
        let kind = match request.request.op {
            Op::Read => PageOpKind::Read,
            Op::Write | Op::Append => PageOpKind::Write,
            Op::Trim => PageOpKind::Trim,
            _ => return,
        };
        self.done[kind as usize] += u64::from(request.request.sectors);
    }

    /// The power is gone: what channels and ECC engines have booked of work that was cut off, and the sectors of requests
    /// that were, count as over.
    pub fn power_cut(&mut self, controller: &Controller, now: Ns) {
        self.look(controller, now);
        self.begun = self.done;
        self.was_cut = true;
        for ((seen, (ecc, _)), bus) in self.buses.spent.iter_mut().zip(&mut self.ecc).zip(controller.buses())
        {
            let time = bus.time();
            seen[DATA_OUT] = seen[DATA_OUT].clamp(time.uncorrectable, time.uncorrectable + time.correct);
            seen[COMMANDS] = time.correct + time.uncorrectable + time.write - seen[DATA_OUT];
            seen[ECC_WAIT] = time.ecc_wait;
            *ecc = bus.ecc_busy();
        }
    }

    /// Compares it with what is booked elsewhere.
    pub fn verify(&self, ssd: &Ssd) -> Result<(), String> {
        let (asked, open) = (ssd.host.submitted, ssd.host.requests.len() as u64);
        let counted = ssd.metrics.completed_count() + ssd.metrics.uncounted();
        if asked != self.completed + open || counted != self.completed {
            return Err(format!(
                "{asked} requests were submitted, {} are complete and {counted} of them counted",
                self.completed
            ));
        }
        if open == 0 && self.begun != self.done {
            return Err(format!(
                "reads, writes and trims of {:?} sectors are complete, and pages of {:?} were asked for",
                self.done, self.begun
            ));
        }
        let elapsed = ssd.now();
        for (lun, seen) in (0..).zip(&self.luns.spent) {
            let booked = ssd.controller.luns()[lun].busy();
            let busy: Ns = seen.iter().sum();
            if *seen != booked || busy > elapsed {
                return Err(format!(
                    "LUN {lun} read, programmed and erased for {seen:?} of {elapsed} ns, and {booked:?} ns are booked"
                ));
            }
        }
        for (channel, seen) in (0..).zip(&self.buses.spent) {
            let bus = &ssd.controller.buses()[channel];
            let time = bus.time();
            let booked = time.correct + time.uncorrectable + time.write;
            let is_short = seen[DATA_OUT] < time.uncorrectable || seen[COMMANDS] < time.write;
            if is_short || seen[DATA_OUT] + seen[COMMANDS] != booked || seen[ECC_WAIT] != time.ecc_wait {
                return Err(format!(
                    "channel {channel} carried commands and data and waited for {seen:?} ns, and {time:?} is booked"
                ));
            }
            let (decoded, booked) = (self.ecc[channel].0, bus.ecc_busy());
            if decoded != booked {
                return Err(format!(
                    "the ECC of channel {channel} decoded for {decoded} ns, and {booked} are booked"
                ));
            }
        }
        Ok(())
    }
}
