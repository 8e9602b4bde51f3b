//! Pages that flows write before the run: the update phase of workloads, and the data for the shape of preconditioning.

use std::sync::Arc;

use wordline_core::config::Config;
use wordline_core::host::Op;
use wordline_core::nand::Lpn;
use wordline_trace::synthetic::UpdatePhase;

use crate::RunError;
use crate::flow::{Flow, OneByOne};

pub(crate) fn has_updates(flow: &Flow) -> bool {
    flow.workload().is_some_and(|w| w.update_scattered_ratio > 0.0 || w.update_run_ratio > 0.0)
}

/// The pages that the update phase of a flow rewrites.
pub(crate) fn updated_pages(
    config: &Config,
    flow: &Flow,
) -> Result<impl Iterator<Item = Lpn> + use<>, RunError> {
    let workload =
        flow.workload().ok_or_else(|| RunError::Workload("a trace has no update phase".to_owned()))?;
    let shift = config.geometry().sectors_per_page().trailing_zeros();
    let first_sector = flow.first_sector;
    let updates = UpdatePhase::new(workload, flow.room(config)?, config.seed)?;
    Ok(updates.flat_map(move |request| {
        let sector = request.sector + first_sector;
        (sector >> shift) as Lpn..=((sector + u64::from(request.sectors) - 1) >> shift) as Lpn
    }))
}

/// The pages that the flows write, in turns and repeatedly: the data for the shape of preconditioning.
pub(crate) struct WrittenPages<'a> {
    config: &'a Config,
    flows: &'a [Flow],
    open: Vec<Option<OneByOne>>,
    turn: usize,
    /// Remaining pages of the current request.
    pages: std::ops::RangeInclusive<Lpn>,
    /// Whether a flow has written since the last rewind: a round without writes would never end.
    written: bool,
    shift: u32,
    pub(crate) problem: Option<RunError>,
}

impl<'a> WrittenPages<'a> {
    pub(crate) fn new(config: &'a Config, flows: &'a [Flow]) -> Self {
        let shift = config.geometry().sectors_per_page().trailing_zeros();
        #[expect(clippy::reversed_empty_ranges, reason = "no page is at hand yet")]
        let pages = 1..=0;
        Self { config, flows, open: Vec::new(), turn: 0, pages, written: true, shift, problem: None }
    }

    /// Opens every flow from the beginning.
    fn rewind(&mut self) -> Result<(), RunError> {
        if !self.written {
            return Err(RunError::Workload(
                "precondition.shape = \"workload\", but the workload writes nothing; set precondition.shape = \"random\", \
                 or precondition.overwrite = 0"
                    .to_owned(),
            ));
        }
        self.written = false;
        let open = |flow: &Flow| flow.open(self.config, Arc::default()).map(Some);
        self.open = self.flows.iter().map(open).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The next write of the next flow in turn; skips flows that have ended.
    fn next_write(&mut self) -> Result<(u64, u32), RunError> {
        loop {
            if self.open.iter().all(Option::is_none) {
                self.rewind()?;
            }
            self.turn = (self.turn + 1) % self.flows.len();
            let Some(source) = &mut self.open[self.turn] else { continue };
            let write = source.find(|item| item.as_ref().map_or(true, |request| request.op == Op::Write));
            match write {
                Some(Ok(request)) => {
                    self.written = true;
                    return Ok((request.sector + self.flows[self.turn].first_sector, request.sectors));
                }
                Some(Err(error)) => {
                    return Err(RunError::of_source(error));
                }
                None => self.open[self.turn] = None,
            }
        }
    }
}

impl Iterator for WrittenPages<'_> {
    type Item = Lpn;

    fn next(&mut self) -> Option<Lpn> {
        if let Some(page) = self.pages.next() {
            return Some(page);
        }
        if self.problem.is_some() {
            return None;
        }
        match self.next_write() {
            Ok((sector, sectors)) => {
                let end = sector + u64::from(sectors.max(1)) - 1;
                self.pages = (sector >> self.shift) as Lpn..=(end >> self.shift) as Lpn;
                self.pages.next()
            }
            Err(problem) => {
                self.problem = Some(problem);
                None
            }
        }
    }
}
