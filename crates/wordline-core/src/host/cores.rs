//! The controller's processor: cores that take commands in the order of their arrival, each for a time.
//!
//! This is what bounds the rate of small requests on a drive whose flash could serve more. Only commands of the host take
//! time: what garbage collection costs the processor is not modelled.

use super::Op;
use super::request::HostRequest;
use crate::config::ControllerConfig;
use crate::engine::{Ns, TIME_MAX, state};

/// Femtoseconds in a nanosecond.
const FS: f64 = 1e6;

/// The cores, and what a command costs.
#[derive(Clone, Debug)]
pub struct Cores {
    command: Ns,
    read: Ns,
    write: Ns,
    /// Of all writes that a core takes together.
    batch: Ns,
    /// Of an append, beyond that of a write.
    append: Ns,
    sector_fs: u64,
    unit: Ns,
    /// When each core is free.
    free_at: Vec<Ns>,
    /// Writes that arrive before this belong to the last batch of the core.
    batch_until: Vec<Ns>,
}

state! {
    Cores {
        values: free_at, batch_until;
        derived: command, read, write, batch, append, sector_fs, unit;
    }
}

impl Cores {
    /// Idle cores; an append takes so much longer than a write.
    #[must_use]
    pub fn new(config: &ControllerConfig, append: Ns) -> Cores {
        let or_any = |time: Ns| if time == 0 { config.command_ns } else { time };
        Cores {
            command: config.command_ns,
            read: or_any(config.command_read_ns),
            write: or_any(config.command_write_ns),
            batch: config.batch_write_ns,
            append,
            sector_fs: (config.sector_ns * FS).round() as u64,
            unit: config.unit_ns,
            free_at: vec![0; config.cores as usize],
            batch_until: vec![0; config.cores as usize],
        }
    }

    /// Whether commands take any time.
    #[inline]
    #[must_use]
    pub fn are_timed(&self) -> bool {
        self.command.max(self.read).max(self.write).max(self.batch).max(self.append) > 0
            || self.sector_fs > 0
            || self.unit > 0
    }

    /// When a command that has arrived now has been processed, which concerns `units` entries of the mapping table. The
    /// core that is free first takes it.
    pub fn process(&mut self, request: &HostRequest, units: u64, now: Ns) -> Ns {
        // The sectors of a trim are not touched, and what has no address has none.
        let sectors =
            if matches!(request.op, Op::Read | Op::Write | Op::Append) { request.sectors } else { 0 };
        let units = if request.op.has_sectors() { units } else { 0 };
        let by_sector = u128::from(self.sector_fs) * u128::from(sectors);
        let command = match request.op {
            Op::Read => self.read,
            Op::Write => self.write,
            Op::Append => self.write + self.append,
            _ => self.command,
        };
        let cost = command + units * self.unit + ((by_sector + 500_000) / 1_000_000) as Ns;
        let Some((core, free_at)) = self.free_at.iter().copied().enumerate().min_by_key(|&(_, at)| at) else {
            return now;
        };
        let begin = now.max(free_at);
        let is_write = matches!(request.op, Op::Write | Op::Append);
        let batch = if is_write { self.batch_cost(core, begin, now) } else { 0 };
        self.free_at[core] = (begin + batch + cost).min(TIME_MAX + 1);
        self.free_at[core]
    }

    /// What a write costs that a core will take at `begin`, beyond its own time: nothing if it joins writes that wait.
    fn batch_cost(&mut self, core: usize, begin: Ns, now: Ns) -> Ns {
        if now < self.batch_until[core] {
            return 0;
        }
        self.batch_until[core] = begin + 1;
        self.batch
    }

    /// The power is gone, and what they were doing with it.
    pub fn power_cut(&mut self) {
        self.free_at.fill(0);
        self.batch_until.fill(0);
    }
}
