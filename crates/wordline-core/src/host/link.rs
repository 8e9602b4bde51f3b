//! The host link: data passes through it one transfer after the other, each way; over SATA, one way at a time.

use super::sata::Sata;
use crate::config::{Config, LinkKind};
use crate::engine::{Ns, TIME_MAX, state};
use crate::nand::{femtoseconds_per_byte, transfer};

/// Times between host and controller.
#[derive(Clone, Debug)]
pub struct Link {
    byte_fs: u64,
    /// From the doorbell to a wire that both ways share.
    to_wire: Ns,
    /// From the doorbell until the device has the command, where each way has a lane of its own.
    submit: Ns,
    complete: Ns,
    request: Ns,
    /// There where the link is SATA, whose wire is free when both ways are.
    sata: Option<Sata>,
    to_device_free_at: Ns,
    to_host_free_at: Ns,
}

state! {
    Link {
        values: to_device_free_at, to_host_free_at;
        derived: byte_fs, to_wire, submit, complete, request, sata;
    }
}

impl Link {
    /// An idle link.
    #[must_use]
    pub fn new(config: &Config) -> Link {
        let submit = config.host.submit_ns;
        let (to_wire, submit) = if config.host.link == LinkKind::Sata { (submit, 0) } else { (0, submit) };
        Link {
            byte_fs: femtoseconds_per_byte(config.host.link_rate_mb_s),
            to_wire,
            submit,
            complete: config.host.complete_ns,
            request: config.host.link_request_ns,
            sata: (config.host.link == LinkKind::Sata).then(|| Sata::new(&config.host)),
            to_device_free_at: 0,
            to_host_free_at: 0,
        }
    }

    /// Time after which [`Link::bring_in`] is to be asked for a command that is submitted: a wire that completions share is
    /// free for them until the command is there.
    #[inline]
    #[must_use]
    pub fn to_wire(&self) -> Ns {
        self.to_wire
    }

    /// When a command that reaches the link now has arrived, with `bytes` of write data.
    #[inline]
    pub fn bring_in(&mut self, now: Ns, bytes: u64) -> Ns {
        if let Some(sata) = &self.sata {
            let time = sata.command(bytes);
            return self.over_the_wire(now, time);
        }
        let commanded = now + self.submit;
        if bytes == 0 {
            return commanded;
        }
        let start = (commanded + self.request).max(self.to_device_free_at);
        self.to_device_free_at = at_latest(start + transfer(self.byte_fs, bytes));
        self.to_device_free_at
    }

    /// When the host sees a request complete whose `bytes` of read data are at hand now.
    #[inline]
    pub fn bring_out(&mut self, now: Ns, bytes: u64) -> Ns {
        if let Some(sata) = &self.sata {
            let time = sata.completion(bytes);
            return self.over_the_wire(now, time) + self.complete;
        }
        if bytes == 0 {
            return now + self.complete;
        }
        let start = now.max(self.to_host_free_at);
        self.to_host_free_at = at_latest(start + transfer(self.byte_fs, bytes));
        self.to_host_free_at + self.complete
    }

    /// When the wire has carried what is ready at `from` and takes it so long.
    fn over_the_wire(&mut self, from: Ns, time: Ns) -> Ns {
        let end = at_latest(from.max(self.to_host_free_at) + time);
        (self.to_device_free_at, self.to_host_free_at) = (end, end);
        end
    }
}

/// The queue of a slow link may reach beyond the latest time; the run ends with an error when it gets there.
#[inline]
fn at_latest(time: Ns) -> Ns {
    time.min(TIME_MAX + 1)
}
