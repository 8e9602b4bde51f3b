//! Reads of each block since its last erase, and the errors that the ECC has seen in it. Kept only where read disturb or
//! a refresh policy needs them.

use super::{BlockId, IdVec, Nand, Ppn};
use crate::config::Config;
use crate::engine::state;

/// Bits of the count of reads; the rest are the errors. Both stop at their largest value.
const READS_BITS: u32 = 24;
const READS_MAX: u32 = (1 << READS_BITS) - 1;
const ERRORS_MAX: u32 = u32::MAX >> READS_BITS;

/// Four bytes a block. Blocks that hold nothing when a run starts have the same count as the others until their first
/// page is programmed.
#[derive(Debug)]
pub struct ReadCounts {
    blocks: IdVec<BlockId, u32>,
    /// Reads disturb the cells of their block.
    disturbs: bool,
}

state! {
    ReadCounts {
        values: blocks;
        derived: disturbs;
    }
}

impl ReadCounts {
    /// The counts of a configuration that needs them.
    pub(super) fn new(config: &Config, blocks: u32) -> Option<Box<ReadCounts>> {
        let disturbs = config.reliability.read_disturb;
        let is_needed = disturbs || config.refresh.policy.iter().any(|policy| policy.counts_reads());
        let before = config.reliability.block_reads;
        is_needed.then(|| Box::new(ReadCounts { blocks: IdVec::filled(blocks as usize, before), disturbs }))
    }

    fn reads(&self, block: BlockId) -> u32 {
        self.blocks[block] & READS_MAX
    }

    fn errors(&self, block: BlockId) -> u32 {
        self.blocks[block] >> READS_BITS
    }

    /// The block holds nothing that has been read.
    pub(super) fn forget(&mut self, block: BlockId) {
        self.blocks[block] = 0;
    }
}

impl Nand {
    /// True where reads are counted.
    #[inline]
    #[must_use]
    pub fn counts_reads(&self) -> bool {
        self.read_counts.is_some()
    }

    /// Senses of a block since its last erase; 0 where they are not counted.
    #[must_use]
    pub fn reads_since_erase(&self, block: BlockId) -> u32 {
        self.read_counts.as_ref().map_or(0, |counts| counts.reads(block))
    }

    /// The most errors that the ECC has corrected in a 1-KiB codeword of a block since its last erase, bits; 0 where they
    /// are not noted.
    #[must_use]
    pub fn errors_seen(&self, block: BlockId) -> u32 {
        self.read_counts.as_ref().map_or(0, |counts| counts.errors(block))
    }

    /// A page was sensed: the senses of its block since the last erase, this one included.
    pub fn sensed(&mut self, ppn: Ppn) -> u32 {
        let block = self.geometry.block_of(ppn);
        let Some(counts) = &mut self.read_counts else { return 0 };
        counts.blocks[block] += u32::from(counts.reads(block) < READS_MAX);
        counts.reads(block)
    }

    /// The ECC has corrected so many errors in a 1-KiB codeword of a page.
    pub fn corrected(&mut self, ppn: Ppn, bits: f32) {
        let block = self.geometry.block_of(ppn);
        if let Some(counts) = &mut self.read_counts {
            let errors = (bits as u32).clamp(counts.errors(block), ERRORS_MAX);
            counts.blocks[block] = errors << READS_BITS | counts.reads(block);
        }
    }

    /// Errors of a 1-KiB codeword that reads of its block have brought, bits.
    pub(super) fn disturb_bits(&self, block: BlockId) -> f32 {
        match &self.read_counts {
            Some(counts) if counts.disturbs => {
                self.reads.disturb_bits(self.health(block).stress, counts.reads(block))
            }
            _ => 0.0,
        }
    }
}
