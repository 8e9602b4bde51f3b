//! Opening a held drive from the text of a configuration: for programs in Rust, and for the C interface.

use std::fs;
use std::path::PathBuf;

use wordline_core::RunOptions;
use wordline_core::config::{Config, ConfigError, HostMode, Layer, OverwriteShape, resolve_with};

use crate::source::FlowRequests;
use crate::{Flow, HeldDrive, Run, RunError, presets};

/// How a drive is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The configuration as TOML, such as `preset = "datacenter-tlc"`, or the name of a preset.
    pub config: String,
    /// Names of the flows that may ask; an operation names one by its place.
    pub flows: Vec<String>,
    /// The state of a drive, instead of preconditioning.
    pub state: Option<PathBuf>,
    /// Compares every read with a second record of what was written.
    pub check: bool,
    /// Keeps the operations as they arrive, for [`HeldDrive::log`].
    pub logs: bool,
}

/// Why a drive was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A mistake in the configuration.
    #[error(transparent)]
    Config(#[from] Box<ConfigError>),
    /// A preset that does not exist, or a setting that does not go with a drive whose time a program sets.
    #[error("{0}")]
    Setting(String),
    /// The drive cannot be filled, or its state not loaded.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Opening {
    /// A drive of this configuration with one flow, `host`.
    #[must_use]
    pub fn of(config: &str) -> Opening {
        let flows = vec!["host".to_owned()];
        Opening { config: config.to_owned(), flows, state: None, check: false, logs: false }
    }

    /// Opens the drive: fills and ages it as `precondition.*` says, or takes the state.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(&self) -> Result<HeldDrive, OpenError> {
        let config = self.resolved()?;
        if self.flows.is_empty() {
            return Err(OpenError::Setting("a drive needs at least one flow".to_owned()));
        }
        let live = |name: &String| Flow::new(name, FlowRequests::Live { live: true });
        let options = RunOptions { check: self.check, ..RunOptions::default() };
        let mut run = Run::new(&config, self.flows.iter().map(live).collect(), options)?;
        match &self.state {
            Some(state) => _ = run.load(state, true)?,
            None => run.precondition(&mut |_| true)?,
        }
        Ok(HeldDrive::new(run, self.logs)?)
    }

    fn resolved(&self) -> Result<Config, OpenError> {
        let preset = |name: &str| {
            presets::ssd(name).ok_or_else(|| {
                let known: Vec<&str> = presets::SSD.iter().map(|(name, _)| *name).collect();
                OpenError::Setting(format!("there is no preset `{name}`; there are {}", known.join(", ")))
            })
        };
        let mut layers = Vec::new();
        if self.config.contains('=') || self.config.trim().is_empty() {
            match presets::split(&self.config) {
                Some(split) => {
                    layers.push(preset(&split.name)?);
                    layers.push(Layer::file("<configuration>", &split.rest));
                }
                None => layers.push(Layer::file("<configuration>", &self.config)),
            }
        } else {
            layers.push(preset(self.config.trim())?);
        }
        let read =
            |path: &str| fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"));
        let mut config = resolve_with(&layers, &read).map_err(Box::new)?.config;
        if let Some((_, why)) = live_conflicts(&config).first() {
            return Err(OpenError::Setting((*why).to_owned()));
        }
        // A replay must not take jobs of one moment for a closed loop.
        config.host.mode = HostMode::Open;
        Ok(config)
    }
}

/// What does not go with live requests, which come from outside while the run goes on: each key, and a sentence that says why.
#[must_use]
pub fn live_conflicts(config: &Config) -> Vec<(&'static str, &'static str)> {
    let Config { host, power, precondition, .. } = config;
    let is_shaped = precondition.shape == OverwriteShape::Workload && precondition.overwrite.is_any();
    let conflicts = [
        (
            host.mode == HostMode::Closed,
            "host.mode",
            "host.mode = closed: who sends the requests says when; take auto or open",
        ),
        (
            host.duration_s > 0.0,
            "host.duration_s",
            "host.duration_s: who sends the requests says when the run ends; take 0",
        ),
        (
            (host.time_scale - 1.0).abs() > 0.0,
            "host.time_scale",
            "host.time_scale: who sends the requests says when; take 1",
        ),
        (
            power.cut_at_s > 0.0,
            "power.cut_at_s",
            "power.cut_at_s: a drive that a program steps keeps its power; take 0",
        ),
        (
            power.shutdown_at_s > 0.0,
            "power.shutdown_at_s",
            "power.shutdown_at_s: the drive is shut down when the last request is done; take 0",
        ),
        (
            is_shaped,
            "precondition.shape",
            "precondition.shape = workload: what will be written is not known; take random",
        ),
    ];
    conflicts.into_iter().filter(|&(is_so, ..)| is_so).map(|(_, key, why)| (key, why)).collect()
}

#[cfg(test)]
mod tests {
    use wordline_core::flash::Status;
    use wordline_core::host::Op;

    use super::*;
    use crate::{DoneJob, DriveOp};

    const SMALL: &str = "preset = \"mqsim\"\n[ssd]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\n\
                         planes_per_die = 1\nblocks_per_plane = 64\npages_per_block = 64\n";

    #[test]
    fn a_job_is_done_with_its_last_operation() {
        let mut drive = Opening::of(SMALL).open().expect("a small drive");
        let read = DriveOp { op: Op::Read, offset: 0, bytes: 4096, flow: 0, handle: 0 };
        let first = drive.submit(0, &[read, DriveOp { offset: 1 << 20, ..read }, read], Some(&[2, 1]));
        assert_eq!(first.expect("two jobs"), 0);
        assert!(drive.drain(&mut |_| true).expect("served"));
        let mut done = Vec::new();
        drive.take_done(&mut done);
        done.sort_by_key(|job| job.job);
        let is_good = |&DoneJob { done_ns, status, .. }: &DoneJob| done_ns > 0 && status == Status::Success;
        assert!(done.len() == 2 && done.iter().all(is_good), "{done:?}");
        assert_eq!(drive.now(), done.iter().map(|job| job.done_ns).max().unwrap());
        let late = drive.submit(0, &[read], None).expect_err("time is over");
        assert!(late.to_string().contains("time never goes back"), "{late}");
    }

    #[test]
    fn what_cannot_be_opened_says_why() {
        let error = |config: &str| match Opening::of(config).open() {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(error("datacentre-tlc").contains("there is no preset `datacentre-tlc`; there are aero"));
        assert!(error("[host]\nmode = \"closed\"\n").contains("take auto or open"));
        assert!(
            error("[ssd]\nchanels = 3\n").contains("<configuration>:2"),
            "{}",
            error("[ssd]\nchanels = 3\n")
        );
        assert!(error("[host]\nduration_s = 1.0\n").contains("host.duration_s"));
        let none = Opening { flows: Vec::new(), ..Opening::of(SMALL) }.open();
        assert!(none.is_err_and(|error| error.to_string().contains("at least one flow")));
    }
}
