//! Erases, loop by loop: what the controller keeps of them and asks their policy.
//!
//! Each plane of a command goes its own way; the command takes the time of the slowest, and a block that is
//! done gets no further pulse (AERO, Section 6). One erase at most is under way in a LUN, be it in the
//! array or suspended. The last loop may be left for the first program of the block.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Shared;
use super::command::Command;
use crate::config::{Config, LastLoop};
use crate::engine::{Ns, state};
use crate::flash::{Phase, Phases, TxnOp};
use crate::metrics::Times;
use crate::nand::erase::{EraseDevice, PlaneErase};
use crate::nand::{BlockId, IdVec, LunId, PLANES_MAX, finish};
use crate::policy::erase::{PulseOrder, RoundTimes, Scheme, round, whole};
use wordline_cells::erase::EraseOutcome;
use wordline_cells::ns_from_us;

/// The erase of a LUN.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Erasing {
    planes: [PlaneErase; PLANES_MAX],
    /// Loops that have begun.
    loops: u8,
    /// Time of pulses, verifies and feature commands so far, without what suspended loops repeat, ns.
    time: Ns,
}

/// How long the parts of a round take on the configured chip.
fn round_times(config: &Config) -> RoundTimes {
    let Some(cells) = &config.device.erase_cells else { return RoundTimes::default() };
    RoundTimes {
        pulse: ns_from_us(cells.constants.pulse_ms * 1000.0),
        verify: ns_from_us(cells.constants.verify_us),
        feature: ns_from_us(config.nand.set_feature_us),
    }
}

/// The erases of all LUNs.
#[derive(Debug)]
pub(super) struct Erases {
    scheme: Scheme,
    round_times: RoundTimes,
    /// The last loop of each erase runs at the first program of its block.
    leaves_last_loop: bool,
    /// By LUN: the erase that is under way.
    under_way: IdVec<LunId, Erasing>,
    /// Time of the last loop that blocks have yet to go through, ns.
    left: BTreeMap<BlockId, Ns>,
    /// tBERS of every block: the time of its command.
    pub times: Times,
}

state! {
    Erases {
        values: under_way, left, times;
        derived: scheme, round_times, leaves_last_loop;
    }
}

impl Erases {
    /// None under way.
    pub fn new(config: &Config, luns: u32) -> Erases {
        Erases {
            scheme: config.erase.scheme,
            round_times: round_times(config),
            leaves_last_loop: config.erase.last_loop == LastLoop::AtFirstWrite,
            left: BTreeMap::new(),
            under_way: IdVec::filled(luns as usize, Erasing::default()),
            times: Times::default(),
        }
    }

    /// An erase reaches its die.
    #[inline(never)]
    pub fn begin(&mut self, lun: LunId, command: &mut Command, shared: &Shared) {
        let erasing = &mut self.under_way[lun];
        *erasing = Erasing::default();
        if let Some(device) = &shared.nand.erases {
            for (plane, &id) in erasing.planes.iter_mut().zip(command.txns()) {
                let block = shared.nand.geometry.block_of(shared.outbox.txns[id].ppn);
                *plane = device.begin(block, shared.nand.health(block));
            }
        }
        self.next_loop(lun, command, shared);
        if command.phases.is_empty() {
            // All of it is left for later: the erase ends as it begins.
            command.phases = Phases::of(&[Phase::Verify(0)]);
        }
    }

    /// Asks for the next loop; the command is left without phases when its blocks are erased.
    pub fn next_loop(&mut self, lun: LunId, command: &mut Command, shared: &Shared) {
        let mut erasing = self.under_way[lun];
        let phases = self.loop_after(&mut erasing, command, shared, EraseDevice::next_pulse);
        erasing.loops += u8::from(!phases.is_empty());
        erasing.time += phases.ns();
        self.under_way[lun] = erasing;
        command.phases = phases;
        if self.leaves_last_loop && !phases.is_empty() && self.is_last_loop(lun, command, shared) {
            command.phases = Phases::default();
            self.leave_last_loop(lun, command, phases.ns(), shared);
        }
    }

    /// Leaves the last loop, and what a wrong prediction adds to it, for the first program of each block.
    fn leave_last_loop(&mut self, lun: LunId, command: &Command, mut time: Ns, shared: &Shared) {
        let mut erasing = self.under_way[lun];
        loop {
            let further = self.loop_after(&mut erasing, command, shared, EraseDevice::next_pulse);
            if further.is_empty() {
                break;
            }
            erasing.time += further.ns();
            time += further.ns();
        }
        self.under_way[lun] = erasing;
        for &id in command.txns() {
            self.left.insert(shared.nand.geometry.block_of(shared.outbox.txns[id].ppn), time);
        }
    }

    /// What the blocks of a program command have yet to go through first: the longest last loop that was left.
    #[inline]
    pub fn before_program(&mut self, command: &Command, shared: &Shared) -> Phase {
        if !self.leaves_last_loop {
            return Phase::Pulse(0);
        }
        let of = |id: &u32| self.left.remove(&shared.nand.geometry.block_of(shared.outbox.txns[*id].ppn));
        Phase::Pulse(command.txns().iter().filter_map(of).max().unwrap_or(0))
    }

    /// True when the blocks of the erase that is under way should be erased after this loop, if no prediction is wrong. A
    /// controller learns that from the verify; the authors of AERO, whose erases have their times beforehand, let reads stop
    /// no last loop all the same.
    pub fn is_last_loop(&self, lun: LunId, command: &Command, shared: &Shared) -> bool {
        // The cells are as this loop should leave them.
        let mut after = self.under_way[lun];
        self.loop_after(&mut after, command, shared, EraseDevice::next_pulse_as_predicted).is_empty()
    }

    /// The phases of the loop after the present one, and what it does to the cells; without phases when there is none.
    fn loop_after(
        &self,
        erasing: &mut Erasing,
        command: &Command,
        shared: &Shared,
        next: impl Fn(&EraseDevice, &mut PlaneErase) -> Option<PulseOrder>,
    ) -> Phases {
        match &shared.nand.erases {
            Some(device) if self.scheme.is_by_loop() => {
                let planes = &mut erasing.planes[..command.planes as usize];
                round(planes.iter_mut().filter_map(|plane| next(device, plane)), self.round_times)
            }
            _ => {
                let time = |&id: &u32| shared.nand.timing.modes[shared.outbox.txns[id].mode].erase;
                whole(erasing.loops, command.txns().iter().map(time).max().unwrap_or(0))
            }
        }
    }

    /// The blocks of an erase are erased: what that did to them. Returns how many were not erased all the way.
    pub fn ended(&mut self, lun: LunId, command: &Command, shared: &mut Shared) -> u64 {
        debug_assert!(command.op == TxnOp::Erase);
        let Erasing { planes, time, .. } = &mut self.under_way[lun];
        self.times.add(*time, u64::from(command.planes));
        let mut incomplete = 0;
        for (plane, &id) in planes.iter_mut().zip(command.txns()) {
            let block = shared.nand.geometry.block_of(shared.outbox.txns[id].ppn);
            let outcome = match &shared.nand.erases {
                Some(device) => finish(device, plane),
                None => EraseOutcome::default(),
            };
            incomplete += u64::from(outcome.residual_bits > 0.0);
            shared.nand.erased(block, &outcome);
        }
        incomplete
    }
}
