//! A drive after preconditioning, kept for further runs that write the same before they begin.
//!
//! Points of a grid often differ only in the host, in timings or in policies that preconditioning does not ask. Their
//! drives are equal when the run begins, so they are written once. Results do not depend on the cache.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::time::SystemTime;

use wordline_core::config::{Config, Device};
use wordline_core::engine::{LoadError, Loader, Saver, Spares};
use wordline_trace::synthetic::written_alike;

use crate::flow::{Flow, HandleRange};
use crate::run::{Report, flows_before_run, writes_before_run};
use crate::source::{FlowRequests, Trace};
use crate::state::keys;
use crate::written::writes_in_round;
use crate::{Run, RunError};

/// Sections that preconditioning does not read, but for the keys in `READ`. Any other key makes another drive. A test changes each
/// key that counts as unread here, and compares the drives.
const UNREAD: [&str; 15] = [
    "workload",
    "cache",
    "host",
    "metrics",
    "power",
    "read",
    "schedule",
    "ecc",
    "channel",
    "controller",
    "dram",
    "nand",
    "program",
    "erase",
    "reliability",
];
/// Keys of other sections that it does not read: times, and what is done while time passes.
const UNREAD_KEYS: [&str; 13] = [
    "ftl.coalesce",
    "ftl.map_transfer",
    "ftl.open_timeout_ms",
    "ftl.transfer",
    "ftl.unit_wait_us",
    "gc.moves_in_flight",
    "journal.load",
    "journal.on_flush",
    "journal.timeout_ms",
    "precondition.timed_max",
    "slc.erase_us",
    "slc.program_us",
    "slc.read_us",
];
const READ: [&str; 6] = [
    "reliability.factory_bad",
    // Where blocks may go bad, one group more is left to GC.
    "reliability.grown_bad",
    "program.policy",
    "program.gc_fast_first",
    "program.unit",
    "schedule.policy",
];

/// The last preconditioned drive.
#[derive(Debug, Default)]
pub struct DriveCache {
    /// With what aging had to say of the flows.
    last: Option<(Key, Vec<u8>, Vec<String>)>,
    hits: u64,
    /// Memory of the runs that began on this drive.
    spares: Spares,
}

/// What a preconditioned drive depends on.
#[derive(Debug, PartialEq)]
struct Key {
    written: Written,
    device: Device,
    /// Wear levelling looks at the differences between blocks.
    wear: u32,
}

/// What is written before a run, as the configuration and the flows say it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Written {
    keys: BTreeMap<String, String>,
    /// The flows that determine which pages are written, and where they are on the device.
    flows: Vec<(Requests, u64, Option<u64>)>,
    /// Where all flows are on the device, if it keeps the data of several apart.
    parts: Vec<Part>,
}

/// Where a flow begins on the device, its sectors, the identifiers that its writes may name, and the parts that name one.
type Part = (u64, Option<u64>, Vec<u16>, Vec<HandleRange>);

/// The requests of a flow.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Requests {
    /// The keys of the generator that decide what is written, and its writes in a round.
    Synthetic(String, u64),
    /// The files of a trace as they are now, and how they are read.
    Trace { read: String, files: Vec<(u64, SystemTime)> },
}

/// A number that runs share if their preconditioned drives are equal, as far as their configurations and flows say;
/// `None` if no other run can use this one's drive. Nothing is built or opened for it.
#[must_use]
pub fn drive_number(config: &Config, flows: &[Flow]) -> Option<u64> {
    if !writes_before_run(config, flows) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    Written::of(config, flows)?.hash(&mut hasher);
    Some(hasher.finish())
}

impl DriveCache {
    /// Largest drive that is kept, bytes: each worker of a sweep has a cache, beside the drive that runs.
    pub const LARGEST_BYTES: usize = 1 << 30;

    /// Number of runs that found their drive here.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Gives a run the drive of this key; false if another one is kept.
    ///
    /// # Errors
    /// [`RunError::State`]: what was kept cannot be read, which is a bug.
    fn give(&mut self, run: &mut Run, wanted: &Key) -> Result<bool, RunError> {
        let Some((key, bytes, warnings)) = &self.last else { return Ok(false) };
        if key != wanted {
            return Ok(false);
        }
        let mut bytes = bytes.as_slice();
        let mut from = Loader::own(&mut bytes, &self.spares);
        run.ssd.load_preconditioned(&mut from).map_err(|error| broken("the drive cache", &error))?;
        run.aging_warnings.clone_from(warnings);
        self.hits += 1;
        Ok(true)
    }

    /// Keeps the drive of a run that has just been preconditioned.
    fn keep(&mut self, run: &Run, key: Key) {
        let mut bytes = self.last.take().map(|(_, bytes, _)| bytes).unwrap_or_default();
        bytes.clear();
        let mut to = AtMost { bytes, largest: Self::LARGEST_BYTES };
        if run.ssd.save_preconditioned(&mut Saver::new(&mut to)).is_ok() {
            self.last = Some((key, to.bytes, run.aging_warnings.clone()));
        }
    }
}

/// Memory of a limited size: a larger drive takes no more than that before it is given up.
struct AtMost {
    bytes: Vec<u8>,
    largest: usize,
}

impl Write for AtMost {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if more.len() > self.largest - self.bytes.len() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.bytes.write(more)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
        let key = if self.options.check { None } else { Key::of(self) };
        let Some(key) = key else { return self.precondition(go_on) };
        if !drives.give(self, &key)? {
            drives.spares.clear();
            self.precondition_without_time(go_on)?;
            drives.keep(self, key);
        }
        self.age_with_time(go_on)
    }
}

impl Key {
    /// `None` if no other run can use the drive of this one.
    fn of(run: &Run) -> Option<Key> {
        Some(Key {
            written: Written::of(&run.config, &run.flows)?,
            device: run.config.device.clone(),
            wear: run.ssd.wear_pattern(),
        })
    }
}

impl Written {
    fn of(config: &Config, flows: &[Flow]) -> Option<Written> {
        let count = flows.len();
        let is_apart = config.host_streams() > 1;
        // Writes without a handle have one, too, in a namespace.
        let identifiers =
            |flow: &Flow| flow.named_handles().chain([0]).map(|handle| flow.identifier(handle)).collect();
        let part =
            |flow: &Flow| (flow.begins_at(), flow.sectors, identifiers(flow), flow.handle_ranges.clone());
        let parts = flows.iter().filter(|_| is_apart).map(part).collect();
        let flows = flows_before_run(config, flows)
            .map(|flow| Some((Requests::of(flow, config, count)?, flow.begins_at(), flow.sectors)))
            .collect::<Option<_>>()?;
        let mut keys = keys(config);
        keys.retain(|key, _| is_read(key));
        Some(Written { keys, flows, parts })
    }
}

/// Whether preconditioning reads a key.
fn is_read(key: &str) -> bool {
    let section = key.split('.').next().unwrap_or(key);
    READ.contains(&key) || !UNREAD.contains(&section) && !UNREAD_KEYS.contains(&key)
}

impl Requests {
    /// `None` if nothing tells whether they come again: from a pipe, a job or outside.
    fn of(flow: &Flow, config: &Config, flows: usize) -> Option<Requests> {
        match &flow.requests {
            FlowRequests::Synthetic(source) => Some(Requests::Synthetic(
                format!("{:?}", written_alike(&source.workload)),
                writes_in_round(&source.workload, flows),
            )),
            FlowRequests::Trace(trace) => Some(Requests::Trace {
                read: format!("{trace:?} {}", config.host.wrap),
                files: files_now(trace)?,
            }),
            FlowRequests::Fio { .. } | FlowRequests::Live { .. } => None,
        }
    }
}

/// Size and time of the last change of each file; `None` if one is no regular file.
fn files_now(trace: &Trace) -> Option<Vec<(u64, SystemTime)>> {
    let now = |path: &String| {
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some((file.len(), file.modified().ok()?))
    };
    trace.paths.iter().map(now).collect()
}

pub(crate) fn broken(what: &str, error: &LoadError) -> RunError {
    RunError::State { file: what.to_owned(), what: format!("cannot be read: {error:?}") }
}

#[cfg(test)]
mod tests {
    use wordline_core::RunOptions;
    use wordline_core::config::{Layer, parameters, resolve};
    use wordline_core::parameter::{Domain, Row};

    use super::*;
    use crate::presets;

    /// Small, and collected before the run.
    const SMALL: [&str; 11] = [
        "ssd.channels=2",
        "ssd.chips_per_channel=1",
        "ssd.dies_per_chip=1",
        "ssd.blocks_per_plane=24",
        "ssd.pages_per_block=48",
        "ssd.overprovisioning=0.3",
        "gc.threshold=0.15",
        "gc.hard_threshold=0.1",
        "precondition.fill=1.0",
        "precondition.overwrite=0.7",
        "workload.read_ratio=0.5",
    ];

    /// A small drive that is aged, with a setting more: what was written, and its bytes. None where the setting does not go.
    fn aged(preset: &str, more: Option<&str>) -> Option<(Written, Vec<u8>)> {
        let mut layers = vec![presets::ssd(preset)?];
        layers.extend(
            SMALL.iter().copied().chain(more).map(|set| Layer::assignment(set).expect("an assignment")),
        );
        let config = resolve(&layers).ok()?.config;
        let flows = vec![Flow::synthetic(&config)];
        let written = Written::of(&config, &flows)?;
        let mut run = Run::new(&config, flows, RunOptions::default()).ok()?;
        run.precondition_without_time(&mut |_| true).ok()?;
        let mut bytes = Vec::new();
        run.ssd.save_preconditioned(&mut Saver::new(&mut bytes)).expect("memory");
        Some((written, bytes))
    }

    /// Values that a key may have beside its default.
    fn other_values(row: &Row) -> Vec<String> {
        let default = row.default.to_string();
        let numbers = |number: f64| [number * 2.0, number + 1.0, 0.5, number / 2.0, 1.0];
        match row.parameter.domain {
            Domain::Truth => vec![(default != "true").to_string()],
            Domain::Word(words) => words.iter().map(|word| word.name.to_owned()).collect(),
            Domain::OneOf(values) => values.iter().map(ToString::to_string).collect(),
            Domain::Whole { .. } => default
                .parse()
                .map_or(Vec::new(), |number| numbers(number).map(|it| format!("{it:.0}")).into()),
            _ => default
                .parse()
                .map_or(Vec::new(), |number| numbers(number).map(|it| format!("{it:?}")).into()),
        }
    }

    #[test]
    fn no_key_that_counts_as_unread_changes_a_byte_of_the_drive() {
        for preset in ["mqsim", "datacenter-tlc"] {
            let (written, drive) = aged(preset, None).expect("a drive");
            let mut shared = Vec::new();
            for row in parameters().iter().filter(|row| !is_read(&row.key)) {
                let others = other_values(row).into_iter().filter(|value| *value != row.default.to_string());
                let sets = others.map(|value| format!("{}={value}", row.key));
                // The first value that goes, and leaves the drive as it is by its keys.
                let other = sets.filter_map(|set| Some((aged(preset, Some(&set))?, set)));
                if let Some(((_, bytes), set)) = other.into_iter().find(|((other, _), _)| *other == written) {
                    assert!(bytes == drive, "{preset}: with {set} the drive is another one");
                    shared.push(row.key.clone());
                }
            }
            for key in
                ["cache.capacity_bytes", "gc.moves_in_flight", "nand.erase_us", "controller.command_ns"]
            {
                assert!(shared.iter().any(|shared| shared == key), "{preset}: {key} has not been compared");
            }
            assert!(shared.len() > 60, "{preset}: {} keys compared", shared.len());
        }
    }

    #[test]
    fn what_is_too_large_to_be_kept_takes_no_more_memory_than_that() {
        let mut to = AtMost { bytes: Vec::new(), largest: 10 };
        assert!(to.write_all(&[1; 7]).is_ok() && to.write_all(&[2; 3]).is_ok());
        assert!(to.write_all(&[3]).is_err());
        assert_eq!(to.bytes.len(), 10);
    }
}
