//! A drive after preconditioning, kept for further runs that write the same before they begin.
//!
//! Points of a grid often differ only in the host, in timings or in policies that preconditioning does not ask. Their
//! drives are equal when the run begins, so they are written once. Results do not depend on the cache.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use wordline_core::config::Config;
use wordline_core::engine::{LoadError, Loader, Saver};

use crate::run::{Report, flows_before_run, writes_alike, writes_before_run};
use crate::state::{device_checksum, keys};
use crate::{Flow, Run, RunError};

/// Sections that preconditioning does not read, but for the keys in `READ`. Any other key makes another drive.
const UNREAD: [&str; 12] = [
    "workload",
    "host",
    "metrics",
    "power",
    "read",
    "schedule",
    "ecc",
    "channel",
    "dram",
    "nand",
    "erase",
    "reliability",
];
const READ: [&str; 1] = ["reliability.factory_bad"];
/// Largest drive that is kept, bytes: each worker of a sweep has a cache.
const LARGEST_BYTES: usize = 1 << 30;

/// The last preconditioned drive.
#[derive(Debug, Default)]
pub struct DriveCache {
    last: Option<(Key, Vec<u8>)>,
    hits: u64,
}

/// What a preconditioned drive depends on.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    written: Written,
    device: u32,
    /// Wear levelling looks at the differences between blocks.
    wear: u32,
}

/// What is written before a run, as the configuration and the workloads say it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Written {
    keys: BTreeMap<String, String>,
    /// The workloads that determine which pages are written, and where they are on the device.
    workloads: Vec<String>,
}

/// A number that runs share if their preconditioned drives are equal, as far as their configurations and flows say;
/// `None` if no other run can use this one's drive. Nothing is built or opened for it.
#[must_use]
pub fn drive_number(config: &Config, flows: &[Flow]) -> Option<u64> {
    if !writes_before_run(config, flows) || !writes_alike(config, flows) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    Written::of(config, flows).hash(&mut hasher);
    Some(hasher.finish())
}

impl DriveCache {
    /// Number of runs that found their drive here.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Gives a run its drive; false if another one is kept.
    ///
    /// # Errors
    /// [`RunError::State`]: what was kept cannot be read, which is a bug.
    pub(crate) fn give(&mut self, run: &mut Run) -> Result<bool, RunError> {
        let Some((key, bytes)) = &self.last else { return Ok(false) };
        if *key != Key::of(run) {
            return Ok(false);
        }
        let mut bytes = bytes.as_slice();
        let mut from = Loader::new(&mut bytes);
        run.ssd.load_preconditioned(&mut from).map_err(|error| broken(&error))?;
        self.hits += 1;
        Ok(true)
    }

    /// Keeps the drive of a run that has just been preconditioned.
    pub(crate) fn keep(&mut self, run: &Run) {
        let mut bytes = self.last.take().map(|(_, bytes)| bytes).unwrap_or_default();
        bytes.clear();
        // Writing to memory cannot fail.
        let is_saved = run.ssd.save_preconditioned(&mut Saver::new(&mut bytes)).is_ok();
        if is_saved && bytes.len() <= LARGEST_BYTES {
            self.last = Some((Key::of(run), bytes));
        }
    }
}

impl Run {
    /// [`Run::precondition`], or the drive of an earlier run that wrote the same.
    ///
    /// # Errors
    /// See [`Run::precondition`].
    pub fn precondition_from(
        &mut self,
        drives: &mut DriveCache,
        go_on: &mut dyn FnMut(Report) -> bool,
    ) -> Result<(), RunError> {
        // Checked mode has an account of its own of these writes.
        if self.options.check || !writes_alike(&self.config, &self.flows) {
            return self.precondition(go_on);
        }
        if !drives.give(self)? {
            self.precondition(go_on)?;
            drives.keep(self);
        }
        Ok(())
    }
}

impl Key {
    fn of(run: &Run) -> Key {
        Key {
            written: Written::of(&run.config, &run.flows),
            device: device_checksum(&run.config),
            wear: run.ssd.wear_pattern(),
        }
    }
}

impl Written {
    fn of(config: &Config, flows: &[Flow]) -> Written {
        let mut keys = keys(config);
        let is_read =
            |key: &str| READ.contains(&key) || !UNREAD.contains(&key.split('.').next().unwrap_or(key));
        keys.retain(|key, _| is_read(key));
        let workloads = flows_before_run(config, flows)
            .map(|flow| format!("{:?} {} {:?}", flow.workload(), flow.first_sector, flow.sectors))
            .collect();
        Written { keys, workloads }
    }
}

fn broken(error: &LoadError) -> RunError {
    RunError::State { file: "the drive cache".to_owned(), what: format!("cannot be read: {error:?}") }
}
