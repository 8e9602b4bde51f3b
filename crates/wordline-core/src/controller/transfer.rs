//! Pages on their way from a page register through channel and ECC engine.

use serde::{Deserialize, Serialize};

use super::bus::Shipment;
use super::command::{Place, planes};
use super::{Controller, Shared};
use crate::config::EccEngine;
use crate::engine::{Event, Ns};
use wordline_cells::ecc::Verdict;
use wordline_cells::ids::{ChannelId, LunId};

/// What becomes of a page that has crossed the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Decision {
    /// It is decoded as it was sensed.
    #[default]
    Hard,
    /// It waits for further senses beside the references.
    Gathered,
    /// It is decoded with all senses that were gathered.
    Soft,
}

/// Which sense of a page has come to the controller.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct ArrivedSense {
    /// Retry senses before it and it.
    pub retries: u8,
    /// Step of the retry table that it was sensed at.
    pub step: u8,
    /// Iterations that the decoder takes for it.
    pub iterations: u8,
    /// Whether it is decoded, and how.
    pub decision: Decision,
}

/// A page in the ECC engine.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Decoding {
    pub(super) txn: u32,
    pub(super) lun: LunId,
    serial: u32,
    plane: u8,
    ok: bool,
    /// The die has moved on: nothing but the transaction waits for the result.
    detached: bool,
    arrival: ArrivedSense,
}

impl Controller {
    /// Pages in the register of a command, given its place and its serial number, cross the channel. The first goes onto the bus
    /// at once if that is free by `free_at`.
    #[inline(always)]
    pub(super) fn ship(
        &mut self,
        (lun, place, serial): (LunId, Place, u32),
        pages: u8,
        free_at: Ns,
        shared: &mut Shared,
    ) {
        let channel = self.channel_of(lun);
        let mut left = pages;
        if pages != 0 && self.can_ship(channel, free_at) {
            // The common case takes a shortcut. A turn of commands may be due, but there is none.
            let bus = &mut self.channels[channel];
            if self.behaviour.commands_first && bus.pages_in_a_row >= self.luns.per_channel() {
                bus.pages_in_a_row = 0;
            }
            let plane = pages.trailing_zeros() as u8;
            self.start_shipment(channel, Shipment { lun, place, plane, serial }, shared);
            left &= left - 1;
        }
        if left != 0 {
            let bus = &mut self.channels[channel];
            for plane in planes(left) {
                bus.waiting.push_back(Shipment { lun, place, plane, serial });
            }
            self.channels.note(channel);
        }
    }

    /// True when a page that is ready would be the next on the bus anyway, and the bus is free by then.
    #[inline(always)]
    fn can_ship(&self, channel: ChannelId, free_at: Ns) -> bool {
        let bus = &self.channels[channel];
        let is_free = bus.current.is_none() && bus.free_at <= free_at && bus.waiting.is_empty();
        let commands = self.behaviour.commands_first && bus.candidates != 0;
        let is_full = self.behaviour.ecc == EccEngine::Serial && bus.ecc_pages >= self.behaviour.ecc_buffer;
        is_free && !commands && !is_full
    }

    /// True while a shipment's page still waits to be shipped.
    pub(super) fn is_current(&self, shipment: &Shipment) -> bool {
        let command = &self.luns[shipment.lun][shipment.place];
        command.serial == shipment.serial && command.read.ships(shipment.plane)
    }

    /// A page goes onto the bus, now or behind the retry command that its die has just been sent.
    #[inline(always)]
    pub(super) fn start_shipment(&mut self, channel: ChannelId, shipment: Shipment, shared: &mut Shared) {
        let command = &self.luns[shipment.lun][shipment.place];
        let id = command.txns[shipment.plane as usize];
        let is_good = command.read.will_decode(shipment.plane);
        let handling = shared.outbox.txns.handling(id);
        handling.sensed = self.retries.sensed_at(shipment.lun, shipment.place).unwrap_or(command.phase_end);
        // Not the time at which the bus begins: an earlier sense of the page may decode before.
        handling.shipped = shared.now;
        let begin = shared.now.max(self.channels[channel].free_at);
        let txn = &shared.outbox.txns[id];
        let time = shared.nand.timing.data_out(txn.bytes);
        shared.timeline.channel(channel, "data out", begin, time, (&shared.outbox.txns, id));
        let bus = &mut self.channels[channel];
        bus.end_ecc_wait(shared.now);
        bus.free_at = begin + time;
        bus.current = Some(shipment);
        bus.ecc_pages += 1;
        bus.pages_in_a_row += 1;
        *(if is_good { &mut bus.time.correct } else { &mut bus.time.uncorrectable }) += time;
        bus.ticket = shared.events.push(bus.free_at, Event::Bus(channel));
    }

    /// A `Bus` event: the bus of a channel comes free, perhaps because a page has arrived.
    #[inline(always)]
    pub fn bus_freed(&mut self, channel: ChannelId, ticket: u64, shared: &mut Shared) {
        let bus = &mut self.channels[channel];
        if bus.ticket != ticket {
            return;
        }
        bus.ticket = 0;
        let arrived = bus.current.take();
        self.channels.note(channel);
        if let Some(shipment) = arrived {
            if self.is_current(&shipment) {
                self.page_arrived(channel, shipment, shared);
            } else {
                self.leave_ecc(channel);
            }
        }
    }

    fn leave_ecc(&mut self, channel: ChannelId) {
        let bus = &mut self.channels[channel];
        bus.ecc_pages -= 1;
        self.channels.note(channel);
    }

    #[inline(always)]
    fn page_arrived(&mut self, channel: ChannelId, shipment: Shipment, shared: &mut Shared) {
        let Shipment { lun, place, plane, serial } = shipment;
        let command = &mut self.luns[lun][place];
        let ok = command.read.arrived(plane);
        let txn = command.txns[plane as usize];
        let arrival = self.retries.arrival(lun, place, plane);
        if self.behaviour.ecc == EccEngine::None || arrival.decision == Decision::Gathered {
            self.leave_ecc(channel);
            self.judge(lun, place, plane, ok, arrival, shared);
            return;
        }
        let detached = ok && !self.behaviour.hold_die && !self.retries.waits_for_verdict(lun, place, arrival);
        if detached {
            command.read.decoded(plane);
            self.counters.soft_decodes += u64::from(arrival.decision == Decision::Soft);
            self.retries.decoded(lun, place, plane, arrival);
        } else {
            command.read.enters_ecc();
        }
        let time = self.behaviour.decode.ns(Verdict { ok, iterations: arrival.iterations });
        let bus = &mut self.channels[channel];
        let end = match self.behaviour.ecc {
            EccEngine::Serial => {
                bus.ecc_free_at = bus.ecc_free_at.max(shared.now) + time;
                bus.ecc_free_at
            }
            _ => shared.now + time,
        };
        bus.ecc_busy += time;
        shared.timeline.ecc(channel, end - time, time, (&shared.outbox.txns, txn));
        let id = self.in_ecc.insert(Decoding { txn, lun, serial, plane, ok, detached, arrival });
        shared.events.push(end, Event::Decoded(id));
        if detached {
            self.page_judged(lun, place, shared);
        }
    }

    /// A `Decoded` event: a page leaves the ECC engine.
    pub fn decoded(&mut self, id: u32, shared: &mut Shared) {
        let Decoding { txn, lun, serial, plane, ok, detached, arrival } = self.in_ecc.remove(id);
        let channel = self.channel_of(lun);
        self.leave_ecc(channel);
        if detached {
            shared.done.push(txn);
            return;
        }
        let state = &mut self.luns[lun];
        let is_there = state.has(Place::Array);
        let command = &mut state[Place::Array];
        if command.serial == serial && is_there {
            if command.read.leaves_ecc(plane) {
                self.judge(lun, Place::Array, plane, ok, arrival, shared);
            } else {
                self.page_judged(lun, Place::Array, shared);
            }
        }
    }

    /// It is known whether a page of a command decodes.
    #[inline(always)]
    fn judge(
        &mut self,
        lun: LunId,
        place: Place,
        plane: u8,
        ok: bool,
        arrival: ArrivedSense,
        shared: &mut Shared,
    ) {
        let is_plain = ok && self.retries.are_off();
        if !is_plain {
            return self.judge_retried(lun, place, plane, ok, arrival, shared);
        }
        let command = &mut self.luns[lun][place];
        command.read.decoded(plane);
        shared.done.push(command.txns[plane as usize]);
        self.page_judged(lun, place, shared);
    }

    /// See [`Controller::judge`], where reads may fail.
    #[inline(never)]
    fn judge_retried(
        &mut self,
        lun: LunId,
        place: Place,
        plane: u8,
        ok: bool,
        arrival: ArrivedSense,
        shared: &mut Shared,
    ) {
        if ok {
            let command = &mut self.luns[lun][place];
            command.read.decoded(plane);
            shared.done.push(command.txns[plane as usize]);
            self.retries.decoded(lun, place, plane, arrival);
            self.counters.soft_decodes += u64::from(arrival.decision == Decision::Soft);
        } else {
            self.counters.failed_decodes += u64::from(arrival.decision != Decision::Gathered);
        }
        self.page_judged(lun, place, shared);
    }
}
