//! Where the reads, the writes or the trims of a job are, and where they go next.

use super::job::FioJob;
use super::place::Places;
use super::size::Sizes;
use crate::synthetic::random::Random;

/// The state of one direction. Places are bytes from the start of the region.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    pub sizes: Sizes,
    pub places: Places,
    /// End of the last request.
    position: u64,
    /// Start of the last request of this pass.
    last_start: Option<u64>,
}

impl Direction {
    pub fn new(job: &FioJob, op: usize, skewed: &mut Random) -> Self {
        let stream = &job.streams[op];
        Self {
            sizes: Sizes::new(stream),
            places: Places::new(stream, job.region_bytes, skewed),
            position: 0,
            last_start: None,
        }
    }

    /// Another pass begins.
    pub fn restart(&mut self) {
        self.position = 0;
        self.last_start = None;
    }

    /// Start of the last request of this pass.
    pub fn last_start(&self) -> Option<u64> {
        self.last_start
    }

    /// The last request: its start and its length.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.last_start.map(|start| (start, self.position - start))
    }

    /// No request of this pass begins where the next one of another direction will.
    pub fn forget(&mut self) {
        self.last_start = None;
    }

    /// A request was made.
    pub fn asked(&mut self, start: u64, bytes: u64) {
        self.last_start = Some(start);
        self.position = start + bytes;
    }

    /// The place after the last request, plus the job's step; `None` where the file has ended.
    ///
    /// This is fio's arithmetic (3.33, `get_next_seq_offset`), in which lengths of the region and places in the file are
    /// compared with each other: a step forward from the last place ends the pass, or begins again at the start,
    /// depending on whether the position is behind the file's end before or after the step; a step back goes from the
    /// start to the region's end.
    pub fn next_start(&self, job: &FioJob) -> Option<u64> {
        let (offset, region, file, step) =
            (job.offset_bytes, job.region_bytes, job.file_bytes, job.step_bytes);
        let relative = if job.time_based && self.position >= region { 0 } else { self.position };
        let mut position = offset + relative;
        if position >= file {
            return None;
        }
        if relative == 0 && offset > 0 && step < 0 {
            position = region.min(file);
        }
        let start = position.wrapping_sub(offset);
        if start == 0 || step == 0 {
            return Some(start);
        }
        let start = start.wrapping_add_signed(step);
        if start < file {
            return Some(start);
        }
        Some(if step > 0 { offset } else { region.min(file).wrapping_add_signed(step) })
    }
}
