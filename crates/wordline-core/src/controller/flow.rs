//! A read from the end of its sense through register, channel and ECC, until its transactions are done.

use serde::{Deserialize, Serialize};

use super::bus::Shipment;
use super::unit::{ARRAY, REGISTER, planes};
use super::{Controller, Decode, Stage};
use crate::config::EccEngine;
use crate::engine::{Event, Ns};
use wordline_cells::ecc::Verdict;

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

impl Controller {
    /// A sense has ended.
    #[inline(always)]
    pub(super) fn sensed(&mut self, unit: u32, stage: &mut Stage) {
        if !self.retries.are_off() {
            self.retried_sensed(unit, stage);
            return;
        }
        let state = &mut self.units[unit as usize];
        if state.slots[ARRAY].to_ship != 0 || state.has(REGISTER) {
            state.slots[ARRAY].sense_waits = true;
        } else {
            let pages = state.slots[ARRAY].pending;
            self.ship_now(unit, pages, pages, stage.now, stage);
        }
    }

    /// A sense of a read that may fail has ended.
    #[inline(never)]
    fn retried_sensed(&mut self, unit: u32, stage: &mut Stage) {
        let state = &mut self.units[unit as usize];
        let leaving = state.slots[ARRAY].to_ship & self.retries.sensing(unit);
        if leaving != 0 || state.has(REGISTER) {
            state.slots[ARRAY].sense_waits = true;
        } else {
            self.retry_sensed(unit, stage);
        }
    }

    /// Pages in the register cross the channel, those in `decoding` to be decoded; the array goes on with
    /// its next phase. The first goes onto the bus at once if the bus is free by `free_at`: now, or when the command that the
    /// die has just been sent is over.
    #[inline(never)]
    pub(super) fn ship(&mut self, unit: u32, pages: u8, decoding: u8, free_at: Ns, stage: &mut Stage) {
        self.ship_now(unit, pages, decoding, free_at, stage);
    }

    /// See [`Controller::ship`].
    #[inline(always)]
    fn ship_now(&mut self, unit: u32, pages: u8, decoding: u8, free_at: Ns, stage: &mut Stage) {
        let command = &mut self.units[unit as usize].slots[ARRAY];
        command.to_ship |= pages;
        command.decodes = command.decodes & !pages | decoding & pages;
        let all_decode = command.pending & !(pages & decoding) == 0;
        let serial = command.serial;
        let mut slot = ARRAY;
        let is_over = command.is_over();
        if is_over {
            command.running = None;
        }
        if !is_over && self.next_phase(unit, stage.now, stage) {
            // The array goes on with this command while its pages leave the register.
        } else if self.behaviour.cache_register
            && all_decode
            && !self.behaviour.hold_die
            && !self.retries.is_short(unit)
        {
            let state = &mut self.units[unit as usize];
            let command = state.lift(ARRAY);
            state.put(REGISTER, command);
            self.retries.moved_to_register(unit);
            slot = REGISTER;
            self.offer(unit);
        }
        let channel = self.channel_of(unit);
        let mut left = pages;
        if pages != 0 && self.can_ship(channel, free_at) {
            // The common case takes a shortcut. A turn of commands may be due, but there is none.
            let bus = &mut self.channels[channel as usize];
            if self.behaviour.commands_first && bus.pages_in_a_row >= self.units.per_channel() {
                bus.pages_in_a_row = 0;
            }
            let plane = pages.trailing_zeros() as u8;
            self.start_shipment(channel, Shipment { unit, slot: slot as u8, plane, serial }, stage);
            left &= left - 1;
        }
        if left != 0 {
            let bus = &mut self.channels[channel as usize];
            for plane in planes(left) {
                bus.waiting.push_back(Shipment { unit, slot: slot as u8, plane, serial });
            }
            self.channels.note(channel);
        }
    }

    /// True when a page that is ready would be the next on the bus anyway, and the bus is free by then.
    #[inline(always)]
    fn can_ship(&self, channel: u32, free_at: Ns) -> bool {
        let bus = &self.channels[channel as usize];
        let is_free = bus.current.is_none() && bus.free_at <= free_at && bus.waiting.is_empty();
        let commands = self.behaviour.commands_first && bus.candidates != 0;
        let is_full = self.behaviour.ecc == EccEngine::Serial && bus.ecc_pages >= self.behaviour.ecc_buffer;
        is_free && !commands && !is_full
    }

    /// A `Bus` event: the bus of a channel comes free, perhaps because a page has arrived.
    #[inline(always)]
    pub fn bus_freed(&mut self, channel: u32, ticket: u64, stage: &mut Stage) {
        let bus = &mut self.channels[channel as usize];
        if bus.ticket != ticket {
            return;
        }
        bus.ticket = 0;
        let arrived = bus.current.take();
        self.channels.note(channel);
        if let Some(shipment) = arrived {
            if self.is_current(&shipment) {
                self.page_arrived(channel, shipment, stage);
            } else {
                self.leave_ecc(channel);
            }
        }
    }

    fn leave_ecc(&mut self, channel: u32) {
        let bus = &mut self.channels[channel as usize];
        bus.ecc_pages -= 1;
        self.channels.note(channel);
    }

    #[inline(always)]
    fn page_arrived(&mut self, channel: u32, shipment: Shipment, stage: &mut Stage) {
        let Shipment { unit, slot, plane, serial } = shipment;
        let command = &mut self.units[unit as usize].slots[slot as usize];
        let bit = 1u8 << plane;
        command.to_ship &= !bit;
        let ok = command.decodes & bit != 0;
        let txn = command.txns[plane as usize];
        let arrival = self.retries.arrival(unit, slot as usize, plane);
        if self.behaviour.ecc == EccEngine::None || arrival.decision == Decision::Gathered {
            self.leave_ecc(channel);
            self.judged(unit, slot as usize, plane, ok, arrival, stage);
            return;
        }
        let detached =
            ok && !self.behaviour.hold_die && !self.retries.waits_for_verdict(unit, slot as usize, arrival);
        if detached {
            command.pending &= !bit;
            self.counters.soft_decodes += u64::from(arrival.decision == Decision::Soft);
            self.retries.decoded(unit, slot as usize, plane, arrival);
        } else {
            command.decoding += 1;
        }
        let time = self.behaviour.decode.ns(Verdict { ok, iterations: arrival.iterations });
        let bus = &mut self.channels[channel as usize];
        let end = match self.behaviour.ecc {
            EccEngine::Serial => {
                bus.ecc_free_at = bus.ecc_free_at.max(stage.now) + time;
                bus.ecc_free_at
            }
            _ => stage.now + time,
        };
        bus.ecc_busy += time;
        stage.timeline.ecc(channel, end - time, time, &stage.outbox.txns[txn]);
        let id = self.decodes.insert(Decode { txn, unit, serial, plane, ok, detached, arrival });
        stage.events.push(end, Event::Decoded(id));
        if detached {
            self.go_on(unit, slot as usize, stage);
        }
    }

    /// A `Decoded` event: a page leaves the ECC engine.
    pub fn decoded(&mut self, id: u32, stage: &mut Stage) {
        let Decode { txn, unit, serial, plane, ok, detached, arrival } = self.decodes.remove(id);
        let channel = self.channel_of(unit);
        self.leave_ecc(channel);
        if detached {
            stage.done.push(txn);
            return;
        }
        let state = &mut self.units[unit as usize];
        let is_there = state.has(ARRAY);
        let command = &mut state.slots[ARRAY];
        if command.serial == serial && is_there {
            command.decoding -= 1;
            // A page that a pipelined read has decoded already may come once more.
            if command.pending >> plane & 1 == 1 {
                self.judged(unit, ARRAY, plane, ok, arrival, stage);
            } else {
                self.go_on(unit, ARRAY, stage);
            }
        }
    }

    /// It is known whether a page of a command decodes.
    #[inline(always)]
    fn judged(
        &mut self,
        unit: u32,
        slot: usize,
        plane: u8,
        ok: bool,
        arrival: ArrivedSense,
        stage: &mut Stage,
    ) {
        let is_plain = ok && self.retries.are_off();
        if !is_plain {
            return self.retried_judged(unit, slot, plane, ok, arrival, stage);
        }
        let command = &mut self.units[unit as usize].slots[slot];
        command.pending &= !(1 << plane);
        command.to_ship &= !(1 << plane);
        stage.done.push(command.txns[plane as usize]);
        if command.pending == 0 {
            command.sense_waits = false;
            self.release(unit, slot, stage);
        } else if command.to_ship == 0 {
            self.next_step(unit, slot, stage);
        }
    }

    /// See [`Controller::judged`], where reads may fail.
    #[inline(never)]
    fn retried_judged(
        &mut self,
        unit: u32,
        slot: usize,
        plane: u8,
        ok: bool,
        arrival: ArrivedSense,
        stage: &mut Stage,
    ) {
        if ok {
            let command = &mut self.units[unit as usize].slots[slot];
            command.pending &= !(1 << plane);
            command.to_ship &= !(1 << plane);
            stage.done.push(command.txns[plane as usize]);
            self.retries.decoded(unit, slot, plane, arrival);
            self.counters.soft_decodes += u64::from(arrival.decision == Decision::Soft);
        } else {
            self.counters.failed_decodes += u64::from(arrival.decision != Decision::Gathered);
        }
        self.go_on(unit, slot, stage);
    }

    /// Takes a read command on after its pages have left the register or the ECC engine.
    #[inline(always)]
    pub(super) fn go_on(&mut self, unit: u32, slot: usize, stage: &mut Stage) {
        let command = &mut self.units[unit as usize].slots[slot];
        if command.pending == 0 && self.retries.are_off() {
            command.sense_waits = false;
            self.release(unit, slot, stage);
        } else if command.pending == 0 || command.to_ship == 0 {
            self.next_step(unit, slot, stage);
        }
    }

    /// A read command whose pages are all decoded, or have all left the register.
    #[inline(never)]
    fn next_step(&mut self, unit: u32, slot: usize, stage: &mut Stage) {
        let command = &self.units[unit as usize].slots[slot];
        if command.pending == 0 {
            if command.finishing {
                if command.running.is_none() {
                    self.release(unit, slot, stage);
                }
                return;
            }
            let trailing = self.retry_finished(unit, slot, stage);
            let command = &mut self.units[unit as usize].slots[slot];
            command.finishing = true;
            command.sense_waits = false;
            if trailing.is_empty() {
                self.release(unit, slot, stage);
            } else {
                command.phases = trailing;
                self.abandon(unit, stage);
                self.next_phase(unit, stage.now, stage);
            }
            return;
        }
        if command.sense_waits {
            self.units[unit as usize].slots[slot].sense_waits = false;
            self.sensed(unit, stage);
        } else if command.decoding == 0 && command.running.is_none() {
            self.retry_failed(unit, stage);
        }
    }
}
