//! Pages that flows write before the run: the update phase of workloads, and the data for the shape of preconditioning.

use std::sync::Arc;

use wordline_core::Overwrites;
use wordline_core::config::{Config, WorkloadConfig};
use wordline_core::flash::{Writer, WrittenPage};
use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};
use wordline_core::nand::Lpn;
use wordline_trace::synthetic::{UpdatePhase, Writes, write_share};

use crate::RunError;
use crate::flow::{Flow, OneByOne};

pub(crate) fn has_updates(flow: &Flow) -> bool {
    flow.workload().is_some_and(|w| w.update_scattered_ratio > 0.0 || w.update_run_ratio > 0.0)
}

/// The pages that the update phase of a flow rewrites; `number` is the flow's.
pub(crate) fn updated_pages(
    config: &Config,
    number: u16,
    flow: &Flow,
) -> Result<impl Iterator<Item = WrittenPage> + use<>, RunError> {
    let workload =
        flow.workload().ok_or_else(|| RunError::Workload("a trace has no update phase".to_owned()))?;
    let shift = config.sectors_per_unit().trailing_zeros();
    let first_sector = flow.first_sector;
    let updates = UpdatePhase::new(workload, flow.room(config)?, config.seed)?;
    Ok(updates.flat_map(move |request| {
        let sector = request.sector + first_sector;
        let writer = Writer::new(number, request.sectors);
        let pages = sector >> shift..=(sector + u64::from(request.sectors) - 1) >> shift;
        pages.map(move |page| WrittenPage { lpn: Lpn::from_index(page as usize), writer })
    }))
}

/// The pages that the flows write, in turns and repeatedly: the data for the shape of preconditioning.
pub(crate) struct WrittenPages<'a> {
    config: &'a Config,
    flows: &'a [Flow],
    sources: Vec<Source>,
    turn: usize,
    /// Remaining pages of the current request.
    pages: std::ops::RangeInclusive<u64>,
    writer: Writer,
    /// Whether a flow has written in this round: a round without writes would never end.
    written: bool,
    /// Sectors of all writes so far.
    sectors: u64,
    shift: u32,
    pub(crate) problem: Option<RunError>,
}

/// The writes of one flow.
enum Source {
    /// Those of a generator go on from round to round: where it writes does not depend on the length of the run.
    Endless { writes: Writes, left: u64 },
    /// All others begin again in each round.
    Once(OneByOne),
    /// Nothing is left in this round.
    Over,
}

/// Writes of a synthetic flow in a round: as many as in the run, so that flows keep their shares. A lone flow needs no rounds.
pub(crate) fn writes_in_round(workload: &WorkloadConfig, flows: usize) -> u64 {
    let share = write_share(workload);
    match flows {
        _ if share == 0.0 => 0,
        1 => u64::MAX,
        _ => ((workload.requests as f64 * share) as u64).max(1),
    }
}

impl<'a> WrittenPages<'a> {
    pub(crate) fn new(config: &'a Config, flows: &'a [Flow]) -> Self {
        let shift = config.sectors_per_unit().trailing_zeros();
        #[expect(clippy::reversed_empty_ranges, reason = "no page is at hand yet")]
        let pages = 1..=0;
        Self {
            config,
            flows,
            sources: Vec::new(),
            turn: 0,
            pages,
            writer: Writer::default(),
            written: true,
            sectors: 0,
            shift,
            problem: None,
        }
    }

    /// Begins a round of all flows; false where none of them writes and a drive is steady so.
    fn begin_round(&mut self) -> Result<bool, RunError> {
        if !self.written {
            if self.config.precondition.overwrite.times().is_none() {
                return Ok(false);
            }
            return Err(RunError::Workload(
                "precondition.shape = \"workload\", but the workload writes nothing; set precondition.shape = \"random\", \
                 or precondition.overwrite = 0"
                    .to_owned(),
            ));
        }
        self.written = false;
        if self.sources.is_empty() {
            self.sources.extend(self.flows.iter().map(|_| Source::Over));
        }
        for (flow, source) in self.flows.iter().zip(&mut self.sources) {
            *source = match (std::mem::replace(source, Source::Over), flow.workload()) {
                (Source::Endless { writes, .. }, Some(workload)) => {
                    Source::Endless { writes, left: writes_in_round(workload, self.flows.len()) }
                }
                (_, Some(workload)) => Source::Endless {
                    writes: Writes::new(workload, flow.room(self.config)?, self.config.seed)?,
                    left: writes_in_round(workload, self.flows.len()),
                },
                (_, None) => Source::Once(flow.open(self.config, Arc::default())?),
            };
        }
        Ok(true)
    }

    /// The next write of the next flow in turn; skips flows that are over. Nothing where no flow writes.
    fn next_write(&mut self) -> Result<Option<(u64, u32)>, RunError> {
        loop {
            if self.sources.iter().all(Source::is_over) && !self.begin_round()? {
                return Ok(None);
            }
            self.turn = (self.turn + 1) % self.flows.len();
            let source = &mut self.sources[self.turn];
            if let Some((sector, sectors)) = source.next()? {
                self.written = true;
                return Ok(Some((sector + self.flows[self.turn].first_sector, sectors)));
            }
        }
    }
}

impl Source {
    fn is_over(&self) -> bool {
        matches!(self, Source::Endless { left: 0, .. } | Source::Over)
    }

    /// The next write; nothing at the end of the round.
    fn next(&mut self) -> Result<Option<(u64, u32)>, RunError> {
        match self {
            Source::Endless { left: 0, .. } | Source::Over => Ok(None),
            Source::Endless { writes, left } => {
                *left -= 1;
                Ok(writes.next())
            }
            Source::Once(requests) => {
                let is_write = |item: &Result<HostRequest, _>| {
                    item.as_ref().map_or(true, |request| request.op == Op::Write)
                };
                let Some(found) = requests.find(is_write) else {
                    *self = Source::Over;
                    return Ok(None);
                };
                let request = found.map_err(RunError::of_source)?;
                Ok(Some((request.sector, request.sectors)))
            }
        }
    }
}

impl Iterator for WrittenPages<'_> {
    type Item = WrittenPage;

    fn next(&mut self) -> Option<WrittenPage> {
        if let Some(page) = self.pages.next() {
            return Some(WrittenPage { lpn: Lpn::from_index(page as usize), writer: self.writer });
        }
        if self.problem.is_some() {
            return None;
        }
        match self.next_write() {
            Ok(None) => None,
            Ok(Some((sector, sectors))) => {
                self.sectors += u64::from(sectors);
                let end = sector + u64::from(sectors.max(1)) - 1;
                self.pages = sector >> self.shift..=end >> self.shift;
                self.writer = Writer::new(self.turn as u16, sectors);
                self.next()
            }
            Err(problem) => {
                self.problem = Some(problem);
                None
            }
        }
    }
}

impl Overwrites for WrittenPages<'_> {
    fn host_bytes(&self) -> u64 {
        self.sectors * SECTOR_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;
    use crate::source::FlowRequests;
    use wordline_core::config::resolve;

    /// A workload that writes its half of the device alone.
    fn flow(requests: u64, read_ratio: f64, first_sector: u64, config: &Config) -> Flow {
        let workload = WorkloadConfig { requests, read_ratio, ..WorkloadConfig::default() };
        let mut flow = Flow::new("flow", FlowRequests::synthetic(workload));
        (flow.first_sector, flow.sectors) = (first_sector, Some(config.host_sectors() / 2));
        flow
    }

    fn config() -> Config {
        resolve(&[presets::ssd("mqsim").expect("listed")]).unwrap_or_else(|error| panic!("{error}")).config
    }

    #[test]
    fn flows_keep_their_shares_of_the_writes_over_rounds() {
        let config = config();
        let half = config.host_sectors() / 2;
        let middle = Lpn::from_index((half >> config.sectors_per_unit().trailing_zeros()) as usize);
        // 300 and 100 writes in a round; the third writes nothing.
        let flows = [flow(300, 0.0, 0, &config), flow(400, 0.75, half, &config), flow(9, 1.0, 0, &config)];
        let mut pages = WrittenPages::new(&config, &flows);
        let written: Vec<WrittenPage> = pages.by_ref().take(4000).collect();
        let below = written.iter().filter(|page| page.lpn < middle).count();
        assert!(written.iter().all(|page| page.writer.flow == u16::from(page.lpn >= middle)));
        assert!(pages.problem.is_none() && (2990..=3010).contains(&below), "{below} of 4000");
        let mut again: Vec<_> = written.iter().map(|page| page.lpn).collect();
        again.sort_unstable();
        again.dedup();
        assert!(again.len() > 3990, "a round does not repeat the one before");
    }

    #[test]
    fn flows_that_write_nothing_are_an_error() {
        let config = config();
        let flows = [flow(9, 1.0, 0, &config)];
        let mut pages = WrittenPages::new(&config, &flows);
        assert_eq!(pages.next(), None);
        assert!(matches!(pages.problem, Some(RunError::Workload(words)) if words.contains("writes nothing")));
    }
}
