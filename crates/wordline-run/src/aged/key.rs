//! What an aged drive depends on: all that aging without time reads, and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::SystemTime;

use wordline_core::config::{Config, Device};
use wordline_trace::synthetic::written_alike;

use crate::Run;
use crate::flow::{Flow, HandleRange};
use crate::run::{flows_before_run, writes_before_run};
use crate::source::{FlowRequests, Trace};
use crate::state::keys;
use crate::written::{Pace, writes_in_round};

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

/// What a preconditioned drive depends on.
#[derive(Debug, PartialEq)]
pub(super) struct Key {
    written: Written,
    device: Device,
    /// Wear levelling looks at the differences between blocks.
    wear: u32,
}

/// What is written before a run, as the configuration and the flows say it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Written {
    keys: BTreeMap<String, String>,
    /// The flows that determine which pages are written.
    flows: Vec<WrittenFlow>,
    /// Where all flows are on the device, if it keeps the data of several apart.
    parts: Vec<Part>,
}

/// Where a flow begins on the device, its sectors, the identifiers that its writes may name, the seed by which they do, and the parts that name one.
type Part = (u64, Option<u64>, Vec<u16>, Option<u64>, Vec<HandleRange>);

/// A flow that determines which pages are written.
#[derive(Debug, PartialEq, Eq, Hash)]
struct WrittenFlow {
    /// Its place among all flows: its writes bear this number.
    number: usize,
    requests: Requests,
    first_sector: u64,
    sectors: Option<u64>,
    /// How its requests mix with those of other flows.
    pace: Option<Pace>,
}

/// The requests of a flow.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Requests {
    /// The keys of the generator that decide what is written, and its writes in a round.
    Synthetic(String, u64),
    /// A job of fio, and what separates its random numbers from those of others.
    Fio(String),
    /// The files of a trace as they are now, and how they are read.
    Trace { paths: Vec<PathBuf>, read: String, files: Vec<(u64, SystemTime)> },
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

/// What an aged drive depends on, for a store that outlives the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgedKey {
    /// All of it as text, but for the content of `traces`.
    pub text: String,
    /// The files whose content it depends on, too.
    pub traces: Vec<String>,
}

impl Key {
    /// `None` if no other run can use the drive of this one. Checked mode has an account of its own of what is written.
    pub(super) fn of(run: &Run) -> Option<Key> {
        if run.options.check {
            return None;
        }
        Some(Key {
            written: Written::of(&run.config, &run.flows)?,
            device: run.config.device.clone(),
            wear: run.ssd.wear_pattern(),
        })
    }
}

impl Run {
    /// What the drive of this run depends on when it has been aged without time; `None` if no other process may have the same: its
    /// requests come from outside, it is checked, or a program's own policy has a say.
    #[must_use]
    pub fn aged_key(&self) -> Option<AgedKey> {
        if !self.needs_preconditioning() || !self.config.wanted_externals().is_empty() {
            return None;
        }
        let mut key = Key::of(self)?;
        // The content of traces counts, and not where they are and when they were written.
        key.written.flows.iter_mut().for_each(|flow| flow.requests.forget_places());
        let read = flows_before_run(&self.config, &self.flows);
        let paths = read.filter_map(|(_, flow)| match &flow.requests {
            FlowRequests::Trace(trace) => Some(trace.paths.clone()),
            _ => None,
        });
        Some(AgedKey { text: format!("{key:?}"), traces: paths.flatten().collect() })
    }
}

impl Written {
    fn of(config: &Config, flows: &[Flow]) -> Option<Written> {
        let is_apart = config.host_streams() > 1;
        // Writes without a handle have one, too, in a namespace.
        let identifiers =
            |flow: &Flow| flow.named_handles().chain([0]).map(|handle| flow.identifier(handle)).collect();
        let part = |flow: &Flow| {
            (flow.begins_at(), flow.sectors, identifiers(flow), flow.handle_seed, flow.handle_ranges.clone())
        };
        let parts = flows.iter().filter(|_| is_apart).map(part).collect();
        let flows = flows_before_run(config, flows)
            .map(|(number, flow)| {
                Some(WrittenFlow {
                    number,
                    requests: Requests::of(flow, config, flows.len())?,
                    first_sector: flow.begins_at(),
                    sectors: flow.sectors,
                    pace: (flows.len() > 1).then(|| Pace::of(config, flow, flows)),
                })
            })
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
    /// `None` if nothing tells whether they come again: from a pipe, or from outside.
    fn of(flow: &Flow, config: &Config, flows: usize) -> Option<Requests> {
        match &flow.requests {
            FlowRequests::Synthetic(source) => Some(Requests::Synthetic(
                format!("{:?}", written_alike(&source.workload)),
                writes_in_round(&source.workload, flows),
            )),
            FlowRequests::Trace(trace) => Some(Requests::Trace {
                paths: trace.paths.iter().map(PathBuf::from).collect(),
                // What aging has to say of a trace names the flow.
                read: format!("{} {:?} {}", flow.name, trace.reading, config.host.wrap),
                files: files_now(trace)?,
            }),
            FlowRequests::Fio { fio } => Some(Requests::Fio(format!("{:?} {}", fio.job, fio.number))),
            FlowRequests::Live { .. } => None,
        }
    }

    /// Leaves of the files of a trace only their names, by whose ends formats may be told.
    fn forget_places(&mut self) {
        if let Requests::Trace { paths, files, .. } = self {
            files.clear();
            paths.iter_mut().for_each(|path| *path = path.file_name().unwrap_or_default().into());
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

#[cfg(test)]
mod tests {
    use wordline_core::RunOptions;
    use wordline_core::config::{Layer, parameters, resolve};
    use wordline_core::engine::Saver;
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
    fn aged(preset: &str, shape: &[&str], more: Option<&str>) -> Option<(Written, Vec<u8>)> {
        let mut layers = vec![presets::ssd(preset)?];
        let sets = SMALL.iter().chain(shape).copied().chain(more);
        layers.extend(sets.map(|set| Layer::assignment(set).expect("an assignment")));
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
        let as_the_workload = ["precondition.shape=workload", "precondition.overwrite=steady"];
        for (preset, shape) in [("mqsim", &[][..]), ("datacenter-tlc", &[]), ("mqsim", &as_the_workload)] {
            let (written, drive) = aged(preset, shape, None).expect("a drive");
            let mut shared = Vec::new();
            for row in parameters().iter().filter(|row| !is_read(&row.key)) {
                let others = other_values(row).into_iter().filter(|value| *value != row.default.to_string());
                let sets = others.map(|value| format!("{}={value}", row.key));
                // The first value that goes, and leaves the drive as it is by its keys.
                let other = sets.filter_map(|set| Some((aged(preset, shape, Some(&set))?, set)));
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
}
