//! How long the array and the bus take, from the configuration, in nanoseconds.

use crate::config::Config;
use crate::engine::Ns;
use crate::flash::{BlockModes, ModeId};
use crate::policy::read_retry::ReadTimes;
use wordline_cells::ns_from_us;

/// Times of all operations on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// How blocks store bits, and how long that takes.
    pub modes: BlockModes,
    /// From the suspend command until the die is free, for a program.
    pub program_suspend: Ns,
    /// From the suspend command until the die is free, for an erase.
    pub erase_suspend: Ns,
    /// What resuming adds.
    pub resume: Ns,
    /// By what share a program may take longer or shorter.
    pub program_spread: f64,
    /// What a read consists of, beside its senses.
    pub read: ReadTimes,
    /// Bus time of a SET FEATURE.
    pub set_feature_command: Ns,
    /// Bus time of a RESET.
    pub reset_command: Ns,
    read_command: [Ns; 2],
    program_command: [Ns; 2],
    erase_command: [Ns; 2],
    data_out: Ns,
    /// Femtoseconds that one byte takes on the channel.
    byte_fs: u64,
}

impl Timing {
    /// Times for a configuration that has been checked.
    #[must_use]
    pub fn new(config: &Config) -> Timing {
        let nand = &config.nand;
        let channel = &config.channel;
        Timing {
            modes: config.modes(),
            program_suspend: ns_from_us(nand.program_suspend_us),
            erase_suspend: ns_from_us(nand.erase_suspend_us),
            resume: ns_from_us(nand.resume_us),
            program_spread: nand.program_spread,
            read: ReadTimes {
                set_feature: channel.set_feature_command_ns + ns_from_us(nand.set_feature_us),
                reset: channel.reset_command_ns + ns_from_us(nand.reset_us),
                retry_command: channel.retry_command_ns,
                on_die_check: ns_from_us(nand.on_die_check_us),
                precharge_share: nand.precharge_us
                    / (nand.precharge_us + nand.evaluate_us + nand.discharge_us),
            },
            set_feature_command: channel.set_feature_command_ns,
            reset_command: channel.reset_command_ns,
            read_command: [channel.read_command_ns, channel.read_command_plane_ns],
            program_command: [channel.program_command_ns, channel.program_command_plane_ns],
            erase_command: [channel.erase_command_ns, channel.erase_command_plane_ns],
            data_out: channel.data_out_ns,
            byte_fs: femtoseconds_per_byte(channel.rate_mb_s),
        }
    }

    /// tR of a page, by its index in a block of a mode: the time of as many senses as its page type needs.
    #[inline]
    #[must_use]
    pub fn sense(&self, mode: ModeId, page_in_block: u32) -> Ns {
        let mode = &self.modes[mode];
        mode.sense_by_type[mode.in_block.page_type(page_in_block) as usize]
    }

    /// tPROG of a page, by its index in a block of a mode.
    #[inline]
    #[must_use]
    pub fn program(&self, mode: ModeId, page_in_block: u32) -> Ns {
        let mode = &self.modes[mode];
        mode.program_by_type[mode.in_block.page_type(page_in_block) as usize]
    }

    /// tPROG of so many pages of a block of a mode, from this one on, that are programmed at once.
    #[inline(always)]
    #[must_use]
    pub fn program_together(&self, mode: ModeId, page_in_block: u32, pages: u8) -> Ns {
        let all = page_in_block..page_in_block + u32::from(pages);
        match self.modes[mode].program_wordline {
            Some(wordline) => wordline,
            None if pages == 1 => self.program(mode, page_in_block),
            None => all.map(|page| self.program(mode, page)).sum(),
        }
    }

    /// tPROG of a page of the chip's own mode where any may follow any, ns: that of the slowest, or its share of a wordline that is
    /// programmed at once.
    #[must_use]
    pub fn program_of_dump(&self) -> Ns {
        let mode = self.modes.native();
        let slowest = *mode.program_by_type.iter().max().unwrap_or(&0);
        mode.program_wordline.map_or(slowest, |wordline| wordline.div_ceil(mode.in_block.bits().into()))
    }

    /// tR of a page of the chip's own mode where any may follow any, ns: that of the slowest.
    #[must_use]
    pub fn read_of_dump(&self) -> Ns {
        *self.modes.native().sense_by_type.iter().max().unwrap_or(&0)
    }

    /// Bus time of a read's command and addresses.
    #[inline]
    #[must_use]
    pub fn read_command(&self, planes: u32) -> Ns {
        command(self.read_command, planes)
    }

    /// Bus time of a program's commands and addresses, without the data.
    #[inline]
    #[must_use]
    pub fn program_command(&self, planes: u32) -> Ns {
        command(self.program_command, planes)
    }

    /// Bus time of an erase command.
    #[inline]
    #[must_use]
    pub fn erase_command(&self, planes: u32) -> Ns {
        command(self.erase_command, planes)
    }

    /// Bus time of `bytes` from the controller to the die.
    #[inline]
    #[must_use]
    pub fn data_in(&self, bytes: u32) -> Ns {
        transfer(self.byte_fs, u64::from(bytes))
    }

    /// Bus time of `bytes` from a die to the controller (tDMA).
    #[inline]
    #[must_use]
    pub fn data_out(&self, bytes: u32) -> Ns {
        self.data_out + transfer(self.byte_fs, u64::from(bytes))
    }
}

fn command([first, further]: [Ns; 2], planes: u32) -> Ns {
    first + further * u64::from(planes - 1)
}

/// Femtoseconds for one byte at a rate in 10^6 bytes/s; a rate of 0 stands for no time at all.
///
/// Finer than a picosecond, so that the 16 KiB of a page add up to the nanosecond.
#[must_use]
pub(crate) fn femtoseconds_per_byte(rate_mb_s: f64) -> u64 {
    if rate_mb_s > 0.0 { (1e9 / rate_mb_s + 0.5) as u64 } else { 0 }
}

/// Time for a number of bytes, rounded to the nearest nanosecond.
#[inline]
#[must_use]
pub(crate) fn transfer(byte_fs: u64, bytes: u64) -> Ns {
    match bytes.checked_mul(byte_fs).and_then(|fs| fs.checked_add(500_000)) {
        Some(fs) => fs / 1_000_000,
        None => (u128::from(bytes) * u128::from(byte_fs) / 1_000_000) as Ns,
    }
}
