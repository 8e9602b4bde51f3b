//! A flow of requests through a log.

use std::sync::Arc;

use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};

use super::{LogCounts, LogHost, LogShape, LogTimes};
use crate::hosts::run;
use crate::{Flow, HeldDrive, Report, RunError};

/// Units of a request that fills the log.
const FILLED_TOGETHER: u64 = 64;

/// How a log is driven.
#[derive(Clone, Copy, Debug)]
pub struct LogSettings {
    /// Share of the segments that is spare.
    pub spare: f64,
    /// Bytes of a segment on a plain drive.
    pub segment_bytes: u64,
    /// It collects while fewer segments are free.
    pub free_segments: u32,
    /// Requests that the user keeps outstanding.
    pub depth: u32,
    /// All that the user sees is written first, in order.
    pub fills: bool,
    /// Requests of the flow after which counting begins.
    pub warmup: u64,
}

/// A log that has carried out a flow.
#[derive(Debug)]
pub struct LogRun {
    /// How it used the drive.
    pub shape: LogShape,
    /// What it did.
    pub counts: LogCounts,
    /// How long the user's requests took.
    pub times: LogTimes,
}

/// Sends the requests of a flow through a log on a drive, whose user sees what the log leaves it. `None` if `go_on` returned false.
///
/// # Errors
/// [`RunError`]: the log or the flow does not fit, or see [`run`].
pub fn drive_log(
    drive: &mut HeldDrive,
    flow: &Flow,
    settings: &LogSettings,
    go_on: &mut dyn FnMut(Report) -> bool,
) -> Result<Option<LogRun>, RunError> {
    let config = drive.run().config.clone();
    let shape = LogShape::of(&config, settings.spare, settings.segment_bytes, settings.free_segments)?;
    let per_unit = shape.unit_bytes / SECTOR_BYTES;
    let sectors = Some(shape.logical_units() * per_unit);
    let flow = Flow { first_sector: 0, sectors, namespace: None, ..flow.clone() };
    let filled = if settings.fills { shape.logical_units() } else { 0 };
    let fill = (0..filled).step_by(FILLED_TOGETHER as usize).map(|first| {
        let units = FILLED_TOGETHER.min(filled - first);
        HostRequest::new(0, Op::Write, first * per_unit, (units * per_unit) as u32)
    });
    let warmup = filled.div_ceil(FILLED_TOGETHER) + settings.warmup;
    let mut problem = None;
    let requests = flow.open(&config, Arc::default())?.map_while(|request| match request {
        Ok(request) => Some(request),
        Err(error) => {
            problem = Some(RunError::of_source(error));
            None
        }
    });
    let mut source = fill.chain(requests);
    let mut host = LogHost::new(shape, &mut source, settings.depth, warmup, config.metrics.digits);
    let is_over = run(&mut host, std::slice::from_mut(drive), go_on)?;
    let LogHost { counts, times, .. } = host;
    drop(source);
    match problem {
        Some(problem) => Err(problem),
        None => Ok(is_over.then_some(LogRun { shape, counts, times })),
    }
}
