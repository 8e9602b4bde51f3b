//! Pages that flows write before the run: the update phase of workloads, and the data for the shape of preconditioning.

use std::sync::Arc;

use wordline_core::Overwrites;
use wordline_core::config::{Config, OverwriteShape, WorkloadConfig};
use wordline_core::flash::{Writer, WrittenPage};
use wordline_core::host::{HostRequest, Op, SECTOR_BYTES};
use wordline_core::nand::Lpn;
use wordline_trace::fio::FioRequests;
use wordline_trace::synthetic::{UpdatePhase, Writes, write_share};

use crate::RunError;
use crate::flow::{Flow, OneByOne};
use crate::source::FlowRequests;

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
    let (first_sector, handle) = (flow.begins_at(), flow.named_handles().next().unwrap_or_default());
    let handle = flow.identifier(handle);
    let updates = UpdatePhase::new(workload, flow.room(config)?, config.seed)?;
    Ok(updates.flat_map(move |request| {
        let sector = request.sector + first_sector;
        let writer = Writer { hint: handle, ..Writer::new(number, request.sectors) };
        let pages = sector >> shift..=(sector + u64::from(request.sectors) - 1) >> shift;
        pages.map(move |page| WrittenPage { writer, ..WrittenPage::from(Lpn::from_index(page as usize)) })
    }))
}

/// Writes or trims of one request.
type Extent = (Op, u64, u32);

/// A closed flow without times of its own counts as one whose requests take so long each, per place of its queue, ns.
const CLOSED_REQUEST_NS: f64 = 200_000.0;
/// No unit is at hand.
#[expect(clippy::reversed_empty_ranges, reason = "it is empty")]
const NO_UNITS: std::ops::RangeInclusive<u64> = 1..=0;
/// Requests of a flow that are passed over before whoever asks may stop.
const PASSED_OVER: u32 = 1 << 14;

/// The pages that the flows write, each at its rate and without end: the data for the shape of preconditioning.
pub(crate) struct WrittenPages<'a> {
    config: &'a Config,
    flows: &'a [Flow],
    sources: Vec<Source>,
    turn: usize,
    /// Remaining pages of the current request.
    units: std::ops::RangeInclusive<u64>,
    page: WrittenPage,
    /// Pages so far, and sectors of all writes.
    pages: u64,
    sectors: u64,
    shift: u32,
    pub(crate) problem: Option<RunError>,
}

/// Where the writes of a flow come from.
enum Requests {
    /// A generator, without end: where it writes does not depend on the length of the run.
    Drawn(Box<Writes>),
    /// A job, without end.
    Job(OneByOne),
    /// A trace, which begins again at its end.
    Trace(OneByOne),
    /// It writes nothing.
    None,
}

/// The writes of one flow, and when they come.
struct Source {
    requests: Requests,
    /// When its next request comes, ns: that of the earliest one is written next.
    at: u64,
    pace: Pace,
    /// When the trace began again.
    began_at: u64,
    /// In this pass over the trace.
    has_written: bool,
    /// Writes so far, of which each names the next handle.
    writes: usize,
    first_pass: Option<FirstPass>,
}

/// How fast a flow's requests come in aging, beside those of other flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pace {
    /// Time between two of them, where they have none of their own, ns.
    gap_ns: u64,
    /// What times of their own are multiplied by, as bits; none where they have no times.
    time_scale_bits: Option<u64>,
}

impl Pace {
    pub(crate) fn of(config: &Config, flow: &Flow, flows: &[Flow]) -> Pace {
        let depth = f64::from(flow.queue_depth.unwrap_or(config.host.queue_depth));
        let is_open = flow.keeps_times(config);
        let are_alike = flows.iter().all(|flow| flow.workload().is_some());
        let (gap, has_times) = match (&flow.requests, flow.workload()) {
            // As many as in the run.
            (_, Some(workload)) if are_alike => {
                (1e15 / writes_in_round(workload, flows.len()).max(1) as f64, false)
            }
            (_, Some(workload)) => {
                let own_us = workload.inter_arrival_us;
                let gap = if own_us > 0.0 && is_open { own_us * 1e3 } else { CLOSED_REQUEST_NS / depth };
                (gap / write_share(workload), false)
            }
            (FlowRequests::Fio { fio }, None) => {
                (CLOSED_REQUEST_NS / depth, fio.job.gap_ns > 0 || fio.job.bytes_per_s > 0)
            }
            (_, None) => (CLOSED_REQUEST_NS / depth, is_open),
        };
        let time_scale = flow.time_scale.unwrap_or(1.0) * config.host.time_scale;
        Pace { gap_ns: (gap as u64).max(1), time_scale_bits: has_times.then(|| time_scale.to_bits()) }
    }

    fn time_scale(self) -> Option<f64> {
        self.time_scale_bits.map(f64::from_bits)
    }
}

/// The different pages that a trace writes in one pass.
struct FirstPass {
    seen: Vec<u64>,
    pages: u64,
    is_over: bool,
}

/// Writes of a synthetic flow in the run, among others: flows keep their shares. Those of a lone flow have no end.
pub(crate) fn writes_in_round(workload: &WorkloadConfig, flows: usize) -> u64 {
    let share = write_share(workload);
    match flows {
        _ if share == 0.0 => 0,
        1 => u64::MAX,
        _ => ((workload.requests as f64 * share) as u64).max(1),
    }
}

impl Source {
    fn new(config: &Config, flow: &Flow, flows: &[Flow]) -> Result<Source, RunError> {
        let requests = match (&flow.requests, flow.workload()) {
            (_, Some(workload)) if write_share(workload) > 0.0 => {
                Requests::Drawn(Box::new(Writes::new(workload, flow.room(config)?, config.seed)?))
            }
            (_, Some(_)) => Requests::None,
            (FlowRequests::Fio { fio }, None) if fio.job.writes() => {
                flow.room(config)?;
                let job = fio.job.clone().endless();
                Requests::Job(Box::new(FioRequests::new(job, config.seed, fio.number).map(Ok)))
            }
            (FlowRequests::Fio { .. }, None) => Requests::None,
            (_, None) => Requests::Trace(flow.open(config, Arc::default())?),
        };
        let first_pass = matches!(requests, Requests::Trace(_)).then(|| FirstPass {
            seen: vec![0; config.host_units().div_ceil(64) as usize],
            pages: 0,
            is_over: false,
        });
        Ok(Source {
            requests,
            at: 0,
            pace: Pace::of(config, flow, flows),
            began_at: 0,
            has_written: false,
            writes: 0,
            first_pass,
        })
    }

    /// The next request, if it writes or trims.
    fn next(&mut self, config: &Config, flow: &Flow) -> Result<Option<Extent>, RunError> {
        let request = match &mut self.requests {
            Requests::None => return Ok(None),
            Requests::Drawn(writes) => {
                self.at += self.pace.gap_ns;
                let op = if writes.trims() { Op::Trim } else { Op::Write };
                return Ok(writes.next().map(|(sector, sectors)| (op, sector, sectors)));
            }
            Requests::Job(requests) | Requests::Trace(requests) => requests.next(),
        };
        let Some(request) = request else { return self.begin_again(config, flow).map(|()| None) };
        let HostRequest { arrival_ns, op, sector, sectors, .. } = request.map_err(RunError::of_source)?;
        self.at = match self.pace.time_scale() {
            Some(scale) if arrival_ns > 0 => self.began_at + (arrival_ns as f64 * scale) as u64,
            _ => self.at + self.pace.gap_ns,
        };
        let is_one = matches!(op, Op::Write | Op::Trim) && sectors > 0;
        self.has_written |= op == Op::Write;
        Ok(is_one.then_some((op, sector, sectors)))
    }

    /// The trace has ended: it begins again, if anything in it writes.
    fn begin_again(&mut self, config: &Config, flow: &Flow) -> Result<(), RunError> {
        let goes_on = std::mem::take(&mut self.has_written) && matches!(self.requests, Requests::Trace(_));
        self.began_at = self.at;
        self.requests =
            if goes_on { Requests::Trace(flow.open(config, Arc::default())?) } else { Requests::None };
        self.first_pass.iter_mut().for_each(|pass| pass.is_over = true);
        Ok(())
    }
}

impl FirstPass {
    fn note(&mut self, units: std::ops::RangeInclusive<u64>) {
        if self.is_over {
            return;
        }
        for unit in units {
            let (word, bit) = (&mut self.seen[(unit / 64) as usize], 1 << (unit % 64));
            self.pages += u64::from(*word & bit == 0);
            *word |= bit;
        }
    }
}

impl<'a> WrittenPages<'a> {
    pub(crate) fn new(config: &'a Config, flows: &'a [Flow]) -> Self {
        let mut pages = Self {
            config,
            flows,
            sources: Vec::new(),
            turn: 0,
            units: NO_UNITS,
            page: WrittenPage::from(Lpn::new(0)),
            pages: 0,
            sectors: 0,
            shift: config.sectors_per_unit().trailing_zeros(),
            problem: None,
        };
        let sources: Result<_, _> = flows.iter().map(|flow| Source::new(config, flow, flows)).collect();
        match sources {
            Ok(sources) => pages.sources = sources,
            Err(problem) => pages.problem = Some(problem),
        }
        if pages.problem.is_none() {
            pages.problem = pages.check_that_some_write().err();
        }
        pages
    }

    /// So many overwrites need a workload that writes; until it is steady, one that does not is at once.
    fn check_that_some_write(&self) -> Result<(), RunError> {
        let precondition = &self.config.precondition;
        let is_asked = precondition.shape == OverwriteShape::Workload
            && precondition.overwrite.times().is_some_and(|times| times > 0.0);
        if self.first().is_some() || !is_asked {
            return Ok(());
        }
        Err(RunError::Workload(
            "precondition.shape = \"workload\", but the workload writes nothing; set precondition.shape = \"random\", \
             or precondition.overwrite = 0"
                .to_owned(),
        ))
    }

    /// The flow whose next request comes first; none where no flow writes.
    fn first(&self) -> Option<usize> {
        let sources = self.sources.iter().enumerate();
        let write = sources.filter(|(_, source)| !matches!(source.requests, Requests::None));
        write.min_by_key(|(_, source)| source.at).map(|(flow, _)| flow)
    }

    /// Goes on to the next request that writes or trims; false where none is at hand yet, or none is to come.
    fn next_request(&mut self) -> Result<bool, RunError> {
        for _ in 0..PASSED_OVER {
            let Some(turn) = self.first() else { break };
            let (source, flow) = (&mut self.sources[turn], &self.flows[turn]);
            let Some((op, sector, sectors)) = source.next(self.config, flow)? else { continue };
            let first = sector + flow.begins_at();
            let end = first + u64::from(sectors);
            self.turn = turn;
            let hint = flow.handle_of(sector, source.writes, self.config.seed);
            source.writes += usize::from(op == Op::Write);
            let hint = flow.identifier(hint);
            self.page.writer = Writer { hint, ..Writer::new(turn as u16, sectors) };
            self.page.is_trimmed = op == Op::Trim;
            if op == Op::Trim {
                // Whole units alone are given up.
                let (begin, end) = (first.div_ceil(1 << self.shift), end >> self.shift);
                self.units = if begin < end { begin..=end - 1 } else { NO_UNITS };
            } else {
                self.sectors += u64::from(sectors);
                self.units = first >> self.shift..=(end - 1) >> self.shift;
                if let Some(pass) = &mut source.first_pass {
                    pass.note(self.units.clone());
                }
            }
            if !self.units.is_empty() {
                return Ok(true);
            }
        }
        self.check_that_some_write().map(|()| false)
    }

    /// A line for each trace that writes less than the drive has spare: then the drive never is full of its data.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let spare = self.config.unit_geometry().pages() - self.config.host_units();
        let short = self.flows.iter().zip(&self.sources).filter_map(|(flow, source)| {
            let pass = source.first_pass.as_ref().filter(|pass| pass.is_over && pass.pages < spare)?;
            let gb = |units: u64| units as f64 * f64::from(self.config.unit_bytes()) / 1e9;
            Some(format!(
                "{}: aging repeats the trace, which writes {:.3} GB of different addresses, and {:.3} GB are spare: GC finds next to \
                 nothing to move; that is no used drive of such writes: take a trace that writes more than {:.3} GB of addresses, \
                 or set precondition.shape = \"random\"",
                flow.name,
                gb(pass.pages),
                gb(spare),
                gb(spare),
            ))
        });
        short.collect()
    }
}

impl Iterator for WrittenPages<'_> {
    type Item = WrittenPage;

    #[inline]
    fn next(&mut self) -> Option<WrittenPage> {
        loop {
            if let Some(unit) = self.units.next() {
                self.pages += 1;
                return Some(WrittenPage { lpn: Lpn::from_index(unit as usize), ..self.page });
            }
            if self.problem.is_some() {
                return None;
            }
            match self.next_request() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(problem) => self.problem = Some(problem),
            }
        }
    }
}

impl Overwrites for WrittenPages<'_> {
    fn host_bytes(&self) -> u64 {
        self.sectors * SECTOR_BYTES
    }

    fn pages(&self) -> u64 {
        self.pages
    }

    fn is_over(&self) -> bool {
        self.problem.is_some() || self.units.is_empty() && self.first().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;
    use crate::source::FlowRequests;
    use wordline_core::config::{Layer, resolve};

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
        // 300 and 100 writes in the run; the third writes nothing.
        let flows = [flow(300, 0.0, 0, &config), flow(400, 0.75, half, &config), flow(9, 1.0, 0, &config)];
        let mut pages = WrittenPages::new(&config, &flows);
        let written: Vec<WrittenPage> = pages.by_ref().take(4000).collect();
        let below = written.iter().filter(|page| page.lpn < middle).count();
        assert!(written.iter().all(|page| page.writer.flow == u16::from(page.lpn >= middle)));
        assert!(pages.problem.is_none() && (2990..=3010).contains(&below), "{below} of 4000");
        let mut again: Vec<_> = written.iter().map(|page| page.lpn).collect();
        again.sort_unstable();
        again.dedup();
        assert!(again.len() > 3990, "they are not repeated");
    }

    #[test]
    fn flows_that_write_nothing_are_an_error() {
        let preset = presets::ssd("mqsim").expect("listed");
        let asked = ["precondition.shape=workload", "precondition.overwrite=1.0"];
        let asked = asked.map(|text| Layer::assignment(text).expect("an option"));
        let config = resolve(&[&[preset], asked.as_slice()].concat()).expect("it can be").config;
        let flows = [flow(9, 1.0, 0, &config)];
        let mut pages = WrittenPages::new(&config, &flows);
        assert_eq!(pages.next(), None);
        assert!(matches!(pages.problem, Some(RunError::Workload(words)) if words.contains("writes nothing")));
    }

    fn job(text: &str) -> Flow {
        let fio = r#"{"flow": "job", "fio": {"file": "x.fio", "number": 0, "job": {"mix": {"read-percent": 0}, "random": true,
            "every": 1, "identical": false, "step_bytes": 0, "repeats": true, "offset_bytes": 0, "region_bytes": 1048576,
            "file_bytes": 1048576, "size_bytes": 1048576, "io_size_bytes": 0, "loops": 1, "requests_max": 0, "time_based": false,
            "flush_every": [0, 0], "flush_at_end": false, "start_ns": 0, "gap_ns": 0, "poisson": false, "bytes_per_s": 0,
            "streams": [STREAM, STREAM, STREAM]}}}"#;
        let stream = r#"{"sizes": [[4096, 100]], "up_to_bytes": 0, "align_bytes": 4096, "distribution": "uniform", "random_percent": 100}"#;
        let mut value: serde_json::Value =
            serde_json::from_str(&fio.replace("STREAM", stream)).expect("JSON");
        let changes: serde_json::Value = serde_json::from_str(text).expect("JSON");
        for (key, change) in changes.as_object().expect("an object") {
            value["fio"]["job"][key] = change.clone();
        }
        Flow::read(&value.to_string()).expect("a flow")
    }

    #[test]
    fn a_finite_job_goes_on_with_other_addresses() {
        let config = config();
        let flows = [job(
            r#"{"requests_max": 50, "region_bytes": 1073741824, "file_bytes": 1073741824, "size_bytes": 1073741824}"#,
        )];
        let mut written: Vec<_> =
            WrittenPages::new(&config, &flows).take(5_000).map(|page| page.lpn).collect();
        written.sort_unstable();
        written.dedup();
        assert!(written.len() > 4_500, "{} of 5000 differ", written.len());
    }

    #[test]
    fn a_job_that_reads_for_ever_neither_hangs_nor_takes_part() {
        let config = config();
        let reads = r#"{"mix": {"read-percent": 100}, "time_based": true}"#;
        let alone = [job(reads)];
        let mut pages = WrittenPages::new(&config, &alone);
        assert!(pages.next().is_none() && pages.is_over());
        let both = [job(reads), job(r#"{"time_based": true}"#)];
        assert!(WrittenPages::new(&config, &both).take(1_000).all(|page| page.writer.flow == 1));
    }

    #[test]
    fn jobs_write_at_their_rates() {
        let config = config();
        // 1000 and 250 requests a second, and one that is beside them as fast as its queue lets it.
        let flows = [
            job(r#"{"gap_ns": 1000000, "requests_max": 7}"#),
            job(r#"{"gap_ns": 4000000, "time_based": true}"#),
        ];
        let written = WrittenPages::new(&config, &flows).take(5_000);
        let first = written.filter(|page| page.writer.flow == 0).count();
        assert!((3_990..=4_010).contains(&first), "{first} of 5000");
        // A write among a hundred reads takes its share of its job's requests.
        let flows = [job(r#"{"mix": {"read-percent": 99}}"#), job("{}")];
        let written = WrittenPages::new(&config, &flows).take(5_000);
        let first = written.filter(|page| page.writer.flow == 0).count();
        assert!((20..=90).contains(&first), "{first} of 5000");
    }

    #[test]
    fn trims_are_repeated_with_the_writes() {
        let config = config();
        let workload = WorkloadConfig { trim_ratio: 0.2, read_ratio: 0.5, ..WorkloadConfig::default() };
        let flows = [Flow::new(
            "flow",
            FlowRequests::synthetic(WorkloadConfig { read_block_bytes: 16_384, ..workload }),
        )];
        let trimmed = WrittenPages::new(&config, &flows).take(10_000).filter(|page| page.is_trimmed).count();
        assert!((3_800..=4_200).contains(&trimmed), "{trimmed} of 10000");
    }
}
