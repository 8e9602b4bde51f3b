//! SATA on the wire: frames of one command at a time, in either direction, and bytes of ten bits.
//!
//! Of native command queuing (Serial ATA Revision 3.0, 13.6) there are: the command and the answer that takes it into the
//! queue; before the data a DMA set-up; data in frames of at most 8 KiB; at the end the bits of the commands that are done.
//! Each frame has a start, a checksum and an end, and waits for the other side to be ready and to have checked it.

use crate::config::HostConfig;
use crate::engine::Ns;
use crate::nand::transfer;

/// Bits of a byte on the wire (8b/10b).
const BITS_PER_BYTE: f64 = 10.0;
/// Start, checksum and end of a frame, bytes.
const FRAMING_BYTES: u64 = 12;
/// A command, and an answer to it (Register FIS), bytes.
const REGISTER_BYTES: u64 = 20;
/// A DMA set-up, bytes.
const SETUP_BYTES: u64 = 28;
/// Bits of finished commands (Set Device Bits FIS), bytes.
const DONE_BYTES: u64 = 8;
/// Head of a frame of data, bytes.
const HEAD_BYTES: u64 = 4;
/// Data of a frame at most, bytes.
const FRAME_BYTES: u64 = 8192;
/// Commands that a drive has at once.
pub(super) const QUEUE_DEPTH: u32 = 32;

/// How long things take on the wire.
#[derive(Clone, Debug)]
pub(super) struct Sata {
    byte_fs: u64,
    handshake: Ns,
}

impl Sata {
    pub fn new(config: &HostConfig) -> Sata {
        // Gigabits a second and femtoseconds: 1e15 / 1e9.
        let byte_fs = (BITS_PER_BYTE * 1e6 / config.sata_gbit_s + 0.5) as u64;
        Sata { byte_fs, handshake: config.sata_handshake_ns }
    }

    /// A command on its way to the drive, with `bytes` of data that follow it.
    pub fn command(&self, bytes: u64) -> Ns {
        self.frames(2, 2 * REGISTER_BYTES) + self.data(bytes)
    }

    /// The end of a command, after `bytes` of data for the host.
    pub fn completion(&self, bytes: u64) -> Ns {
        self.data(bytes) + self.frames(1, DONE_BYTES)
    }

    fn data(&self, bytes: u64) -> Ns {
        if bytes == 0 {
            return 0;
        }
        let frames = bytes.div_ceil(FRAME_BYTES);
        self.frames(1 + frames, SETUP_BYTES + frames * HEAD_BYTES + bytes)
    }

    /// So many frames with so many bytes in all, framing apart.
    fn frames(&self, frames: u64, bytes: u64) -> Ns {
        transfer(self.byte_fs, bytes + frames * FRAMING_BYTES) + frames * self.handshake
    }
}
