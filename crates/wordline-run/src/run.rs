//! One run: built from a configuration and flows, preconditioned, simulated, with its results.

use std::sync::Arc;

use wordline_core::config::{Config, Fill, OverwriteShape};
use wordline_core::metrics::LATENCY_MAX_NS;
use wordline_core::{Overwrites, RunOptions, Ssd, Steady};

use crate::flow::Flow;
use crate::result::Measured;
use crate::stream::Gauge;
use crate::written::{WrittenPages, has_updates, updated_pages};
use crate::{RunError, overload};

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Finished share of the stage, 0 to 1, if it is known.
    pub fraction: Option<f64>,
    /// Requests completed.
    pub requests: u64,
    /// Simulated time, ns.
    pub simulated_ns: u64,
}

/// A simulated SSD with its host.
pub struct Run {
    pub(crate) config: Config,
    pub(crate) flows: Vec<Flow>,
    gauges: Vec<Arc<Gauge>>,
    pub(crate) options: RunOptions,
    pub(crate) ssd: Ssd,
    /// What aging, or the drive that was loaded, has to say of the flows.
    pub(crate) aging_warnings: Vec<String>,
}

impl Run {
    /// Opens every flow and builds an empty SSD. Computes `options.requests`.
    ///
    /// # Errors
    /// If there is no flow, a trace cannot be read, or a flow does not fit the SSD.
    pub fn new(config: &Config, flows: Vec<Flow>, options: RunOptions) -> Result<Run, RunError> {
        if flows.is_empty() {
            return Err(RunError::Workload("a run needs at least one flow".to_owned()));
        }
        if let Some(lacking) = config.wanted_externals().iter().find(|external| !external.is_given) {
            return Err(RunError::Workload(format!(
                "`{}`: the program that runs the SSD has given no policy for the slot {}; give it one, or name another policy",
                lacking.key, lacking.slot
            )));
        }
        let requests = count(&flows).filter(|_| !writes_before_run(config, &flows));
        let options = RunOptions { requests, ..options };
        let gauges: Vec<Arc<Gauge>> = flows.iter().map(|_| Arc::default()).collect();
        let inputs = flows.iter().zip(&gauges).map(|(flow, gauge)| flow.input(config, Arc::clone(gauge)));
        let ssd = Ssd::new(config, inputs.collect::<Result<_, _>>()?, &options);
        Ok(Run { config: config.clone(), flows, gauges, options, ssd, aging_warnings: Vec::new() })
    }

    /// Preconditions and finishes a run of the configuration's generator.
    ///
    /// # Errors
    /// See [`Run::new`], [`Run::precondition`] and [`Run::run`].
    pub fn of(config: &Config) -> Result<Run, RunError> {
        let mut run = Run::new(config, vec![Flow::synthetic(config)], RunOptions::default())?;
        run.precondition(&mut |_| true)?;
        run.run(&mut |_| true)?;
        Ok(run)
    }

    /// Returns true if anything is written before the run.
    #[must_use]
    pub fn needs_preconditioning(&self) -> bool {
        writes_before_run(&self.config, &self.flows)
    }

    /// Writes the data before the run: fill, overwrites, and the update phase of workloads that have one. Stops if
    /// `go_on` returns false.
    ///
    /// # Errors
    /// If the SSD has no room, a flow that gives the shape cannot be read, or `go_on` returned false.
    pub fn precondition(&mut self, go_on: &mut dyn FnMut(Report) -> bool) -> Result<(), RunError> {
        self.precondition_without_time(go_on)?;
        self.age_with_time(go_on)
    }

    /// What [`Run::precondition`] does without time; other runs may begin with the same drive.
    pub(crate) fn precondition_without_time(
        &mut self,
        go_on: &mut dyn FnMut(Report) -> bool,
    ) -> Result<(), RunError> {
        let mut report = |fraction| go_on(Report { fraction: Some(fraction), ..Report::default() });
        let shaped = is_shaped(&self.config);
        let mut pages = WrittenPages::new(&self.config, &self.flows);
        let shape: Option<&mut dyn Overwrites> = if shaped { Some(&mut pages) } else { None };
        let result = self.ssd.precondition(&self.config, shape, &mut report);
        if let Some(problem) = pages.problem.take() {
            return Err(problem);
        }
        let aging_warnings = if shaped { pages.warnings() } else { Vec::new() };
        result?;
        self.aging_warnings = aging_warnings;
        for (number, flow) in (0..).zip(&self.flows).filter(|(_, flow)| has_updates(flow)) {
            self.ssd.update(&mut updated_pages(&self.config, number, flow)?, &mut report)?;
        }
        Ok(())
    }

    /// Runs until every request is complete, or `go_on` returns false.
    ///
    /// # Errors
    /// If the SSD runs out of space, a request cannot be served, a trace cannot be read further, checked mode finds a
    /// contradiction, or `go_on` returned false.
    pub fn run(&mut self, go_on: &mut dyn FnMut(Report) -> bool) -> Result<(), RunError> {
        let Run { config, flows, gauges, ssd, .. } = self;
        let ends_by_count = config.host.duration_s <= 0.0;
        let total = count(flows).filter(|_| ends_by_count);
        let warmup = config.host.warmup_requests;
        // By count, by simulated time, or by the share of the files that was read.
        let fraction = |completed: u64| match total {
            Some(total) => Some(((completed + warmup) as f64 / total as f64).min(1.0)),
            None => {
                let shares: Option<Vec<f64>> = gauges.iter().map(|gauge| gauge.fraction()).collect();
                shares.filter(|_| ends_by_count).and_then(|shares| shares.into_iter().reduce(f64::min))
            }
        };
        ssd.run_with_power(&config.power, &mut |progress| {
            go_on(Report {
                fraction: fraction(progress.completed),
                requests: progress.completed,
                simulated_ns: progress.now,
            })
        })?;
        Ok(())
    }

    /// Every request is complete, and nothing is under way.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ssd.is_at_rest() && self.ssd.progress().completed > 0
    }

    /// The SSD, for its measurements.
    #[must_use]
    pub fn ssd(&self) -> &Ssd {
        &self.ssd
    }

    /// The SSD for a live host, which drives it instead of [`Run::run`].
    pub fn ssd_mut(&mut self) -> &mut Ssd {
        &mut self.ssd
    }

    /// The options of the run.
    #[must_use]
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// The results.
    #[must_use]
    pub fn measured(&self) -> Measured {
        Measured::of(&self.config, &self.ssd, self.options.check)
    }

    /// Warnings about the results.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let flows = self.flows.iter().zip(&self.gauges);
        let of_flows = flows.flat_map(|(flow, gauge)| {
            gauge.warnings(&flow.name).into_iter().chain(flow.warning(&self.config))
        });
        let collects = self.ssd.ftl().counters().gc_jobs > 0;
        let of_spare = if collects { self.config.spare_warning() } else { None };
        let of_model = self.config.model.lines().iter().cloned();
        of_model
            .chain(self.ssd.steady().and_then(not_steady))
            .chain(self.aging_warnings.iter().cloned())
            .chain(of_flows)
            .chain(of_spare)
            .chain(overload::warnings(&self.ssd))
            .chain(nothing_counted(&self.ssd))
            .chain(beyond_histogram(&self.ssd))
            .collect()
    }
}

/// Warns if overwriting has ended before the drive was at equilibrium.
fn not_steady(steady: Steady) -> Option<String> {
    let Steady { is_flat: false, drive_writes, write_amplification, spread, change, old_share, .. } = steady
    else {
        return None;
    };
    let percent =
        |share: Option<f64>| share.map_or("unknown".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    let old = steady.drive_writes_left.map(|left| {
        format!(
            "; {:.0} % of the data lie where GC has yet to collect, and lose units so slowly that it takes about {left:.0} drive writes \
             more: raise precondition.overwrite_max",
            100.0 * old_share
        )
    });
    if let Some(timed) = steady.timed {
        return Some(format!(
            "precondition.overwrite = \"steady\": with cache, schedule and times, write amplification is not level after {:.1} drive writes; \
             at {:.2} it still changes by {}: raise precondition.timed_max",
            timed.drive_writes,
            timed.write_amplification.unwrap_or(1.0),
            percent(change),
        ));
    }
    Some(format!(
        "precondition.overwrite = \"steady\": after {drive_writes:.1} drive writes the drive is not at the equilibrium of its workload, \
         whose write amplification is another one: at {:.2} it still changes by {}, with a spread of {}{}",
        write_amplification.unwrap_or(1.0),
        percent(change),
        percent(spread),
        old.unwrap_or_default(),
    ))
}

/// Warns if every request belongs to the warm-up, so that nothing was measured.
fn nothing_counted(ssd: &Ssd) -> Option<String> {
    let metrics = ssd.metrics();
    (metrics.all.count() == 0 && metrics.warmup_requests > 0).then(|| {
        format!(
            "all {} requests belong to the warm-up, so nothing was measured; lower host.warmup_requests, or a flow's ramp",
            metrics.warmup_requests
        )
    })
}

/// Warns about latencies beyond the range of percentiles.
fn beyond_histogram(ssd: &Ssd) -> Option<String> {
    let beyond = ssd.metrics().all.beyond();
    (beyond > 0).then(|| {
        format!(
            "{beyond} response times are longer than the {} s that percentiles and bins cover; mean and maximum are \
             exact",
            LATENCY_MAX_NS / 1_000_000_000
        )
    })
}

/// Number of requests of all flows, if it is known without reading them.
fn count(flows: &[Flow]) -> Option<u64> {
    flows.iter().map(Flow::count).sum()
}

/// Returns true if anything is written before the run.
pub(crate) fn writes_before_run(config: &Config, flows: &[Flow]) -> bool {
    matches!(config.precondition.fill, Fill::Share(share) if share > 0.0)
        || config.precondition.overwrite.is_any()
        || flows.iter().any(has_updates)
}

/// The flows that determine which pages are written before the run, with their numbers.
pub(crate) fn flows_before_run<'a>(
    config: &'a Config,
    flows: &'a [Flow],
) -> impl Iterator<Item = (usize, &'a Flow)> {
    flows.iter().enumerate().filter(|(_, flow)| is_shaped(config) || has_updates(flow))
}

/// True if the workload determines which pages are overwritten before the run.
pub(crate) fn is_shaped(config: &Config) -> bool {
    config.precondition.shape == OverwriteShape::Workload && config.precondition.overwrite.is_any()
}
