//! The second stage of aging: the flows without end, with their times, queues and caches, on the drive that was aged without time.

use std::sync::Arc;

use wordline_core::config::{Config, Overwrite, OverwriteWord, RefreshAtStart};
use wordline_core::host::{BoxedRequests, FlowInput, HostRequest};
use wordline_core::{RunOptions, Ssd};
use wordline_trace::fio::FioRequests;

use crate::RunError;
use crate::aged::broken;
use crate::flow::Flow;
use crate::run::{Report, Run, is_shaped};
use crate::source::FlowRequests;

/// A trace is repeated without end.
const ROUNDS: u64 = 1 << 20;

impl Run {
    /// Brings a drive that was aged without time to the state in which this very configuration keeps it. What follows from time alone is
    /// not kept for other runs.
    ///
    /// # Errors
    /// See [`Run::run`].
    pub fn age_with_time(&mut self, go_on: &mut dyn FnMut(Report) -> bool) -> Result<(), RunError> {
        if !is_aged_with_time(&self.config, &self.flows)
            || !self.ssd.steady().is_some_and(|steady| steady.is_flat && steady.write_amplification.is_some())
        {
            return Ok(());
        }
        let config = without_end(&self.config);
        let inputs = self.flows.iter().map(|flow| endless(flow, &config));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let options = RunOptions { check: self.options.check, ..RunOptions::default() };
        let mut aged = Ssd::new(&config, inputs, &options);
        aged.exchange_drives(&mut self.ssd);
        let report = &mut |fraction| go_on(Report { fraction: Some(fraction), ..Report::default() });
        aged.age_with_time(&config, report)?;
        self.ssd.take_aged_drive(&mut aged).map_err(|error| broken("the aged drive", &error))
    }
}

/// Aging has a stage with time: the flows are one mix without an end of their own, and nothing else is done to the drive at the start.
fn is_aged_with_time(config: &Config, flows: &[Flow]) -> bool {
    let aging = &config.precondition;
    let is_steady = matches!(aging.overwrite, Overwrite::Word(OverwriteWord::Steady));
    // A random map is written once in each pass: write amplification swings with the passes, and is that of none of their parts.
    let swings = |flow: &Flow| match &flow.requests {
        FlowRequests::Fio { fio } => fio.job.random && !fio.job.repeats && fio.job.writes(),
        _ => false,
    };
    let is_mix =
        |flow: &Flow| flow.group == 0 && !matches!(flow.requests, FlowRequests::Live { .. }) && !swings(flow);
    is_steady
        && is_shaped(config)
        && aging.timed_max > 0.0
        && !config.has_zones()
        && config.refresh.at_start == RefreshAtStart::Never
        && flows.iter().all(is_mix)
}

/// The configuration without what ends a run or leaves out its beginning.
fn without_end(config: &Config) -> Config {
    let mut config = config.clone();
    (config.host.duration_s, config.host.warmup_requests) = (0.0, 0);
    config
}

/// A flow that goes on for ever, with other requests than those of the run, or repeats its trace.
fn endless(flow: &Flow, config: &Config) -> Result<FlowInput, RunError> {
    let mut flow = flow.clone();
    (flow.lasts_s, flow.ramp_s) = (None, None);
    let source: Option<BoxedRequests> = match &mut flow.requests {
        FlowRequests::Trace(trace) => {
            trace.reading.rounds = Some(ROUNDS);
            None
        }
        FlowRequests::Synthetic(_) => Some(Box::new(flow.generated(config)?.endless())),
        FlowRequests::Fio { fio } => {
            fio.iolog = None;
            fio.job.start_ns = 0;
            let job = fio.job.clone().endless();
            let repeats_itself = job.same_choices;
            let requests = FioRequests::new(job, config.seed, fio.number);
            let others = || requests.clone().with_other_choices(config.seed, fio.number);
            let requests = if repeats_itself { requests.clone() } else { others() };
            Some(Box::new(requests.map(Ok::<HostRequest, _>)))
        }
        FlowRequests::Live { .. } => None,
    };
    let input = flow.input(config, Arc::default())?;
    Ok(match source {
        Some(source) => FlowInput { source: flow.placed(source, config.seed), ..input },
        None => input,
    })
}
