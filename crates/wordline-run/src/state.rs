//! The state of a run in a file: to continue after a stop, or to start on a used drive.
//!
//! A file has eight magic bytes, the version that wrote it, a [`Header`], and the state. Everything after the magic
//! bytes is in frames with checksums. A file is written under a name of its own and renamed when it is complete.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wordline_core::config::Config;
use wordline_core::engine::{LoadError, Loader, Saver};
use wordline_core::host::{HostRequest, Op};
use wordline_trace::Part;

use crate::flow::Flow;
use crate::source::FlowRequests;
use crate::{Run, RunError, is_storage_full};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"WLSTATE\n";
/// The version and sources that wrote a file: only the same sources can interpret a state.
const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " (sources ", env!("WORDLINE_SOURCES"), ")");
/// Requests by which two flows that are drawn at random are told apart.
const FIRST: usize = 64;
/// Bytes per read and write.
pub(crate) const BUFFER_BYTES: usize = 1 << 18;
/// Sections whose keys may change for a new run on a drive: they set how the SSD is used and how its controller works,
/// not what it stores.
const FREE: [&str; 13] = [
    "workload",
    "host",
    "metrics",
    "precondition",
    "power",
    "read",
    "schedule",
    "ecc",
    "channel",
    "controller",
    "dram",
    "gc",
    "nand",
];
/// Keys of other sections that may change, too: when the journal is written and read, and not where it is; when open groups are
/// closed; how long the array takes in SLC mode, and what interrupts it.
const FREE_KEYS: [&str; 10] = [
    "journal.load",
    "journal.on_flush",
    "journal.timeout_ms",
    "ftl.open_timeout_ms",
    "program.suspend",
    "program.suspend_every_us",
    "program.suspend_loaded",
    "slc.read_us",
    "slc.program_us",
    "slc.erase_us",
];
/// Keys of those sections that may not, and why.
const KEPT_KEYS: [(&str, &str); 3] = [
    ("gc.external", "whose state it holds"),
    ("gc.frontier", "which decides what its open blocks hold"),
    ("gc.pacing", "for which it keeps an account of each plane"),
];
/// Keys that may change, but not from or to one value, and why.
const KEPT_VALUES: [(&str, &str, &str); 2] = [
    ("nand.multiplane", "\"overtaking\"", "which decides the order in which pages of its blocks are written"),
    ("gc.policy", "\"external\"", "whose state it holds"),
];

/// The content of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateKind {
    /// A run that can continue.
    Run,
    /// A drive without outstanding work.
    Drive,
}

/// The loaded state.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    /// Its content.
    pub kind: StateKind,
    /// Number of complete requests.
    pub requests: u64,
    /// Simulated time of the run that was saved, ns.
    pub simulated_ns: u64,
}

/// The data that is checked before a state is loaded.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// Every key of the configuration with its value.
    keys: BTreeMap<String, String>,
    /// A checksum of the chip and its tables, because these may come from files.
    device: u32,
    kind: StateKind,
    /// The names of its flows.
    flows: Vec<String>,
    /// Where each of them begins, if it is drawn at random.
    begins: Vec<Option<Beginning>>,
    check: bool,
    log_requests: bool,
    timeline: Option<(u64, u64)>,
    requests: u64,
    simulated_ns: u64,
}

impl Run {
    /// Writes the state to a file. If the first of two calls of [`Run::run`] was stopped, the run can continue from the
    /// state between them; after the end of the run, others can use the drive.
    ///
    /// # Errors
    /// [`RunError::State`], or [`RunError::StorageFull`], if it cannot be written; an existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), RunError> {
        let part = Part::of(path);
        self.write(&part).and_then(|()| part.complete()).map_err(|error| {
            if is_storage_full(&error) {
                return RunError::StorageFull { file: path.display().to_string(), what: said(&error) };
            }
            refusal(path, format!("cannot be written: {}", said(&error)))
        })
    }

    fn write(&self, part: &Part) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, part.create()?);
        file.write_all(&MAGIC)?;
        let mut saver = Saver::new(&mut file);
        saver.value(MADE_BY)?;
        saver.value(&self.header())?;
        self.ssd.save(&mut saver)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }

    /// Takes a state instead of preconditioning. A state from the middle of a run continues that run: configuration,
    /// workload and options must be the same. A state from the end of a run is a drive, on which this run starts: the
    /// keys that describe stored data must be the same. Where all keys and options are those of the run that has ended, it
    /// may be the same command once more: that is refused, unless the run is to `go_on` on its drive.
    ///
    /// # Errors
    /// [`RunError::State`]: the file is not a state, damaged, from another version or of another SSD, or of a run like this
    /// one that has ended. The run is then unusable.
    pub fn load(&mut self, path: &Path, go_on: bool) -> Result<Loaded, RunError> {
        let file = File::open(path).map_err(|error| refusal(path, said(&error)))?;
        self.read(BufReader::with_capacity(BUFFER_BYTES, file), go_on).map_err(|error| match error {
            LoadError::Io(error) => refusal(path, said(&error)),
            LoadError::Damaged => {
                refusal(path, "damaged: its bytes are not what was written; save it anew".to_owned())
            }
            LoadError::Other(what) => refusal(path, what),
        })
    }

    fn read(&mut self, mut file: impl Read, go_on: bool) -> Result<Loaded, LoadError> {
        let mut magic = [0; MAGIC.len()];
        if file.read_exact(&mut magic).is_err() || magic != MAGIC {
            return Err(LoadError::Other(
                "not the state of a run; name a file that --save-state wrote".to_owned(),
            ));
        }
        let mut from = Loader::new(&mut file);
        let made_by: String = from.value()?;
        if made_by != MADE_BY {
            return Err(LoadError::Other(format!(
                "made by wordline {made_by}, and this is {MADE_BY}; use that version, or save it anew"
            )));
        }
        let header: Header = from.value()?;
        let now = self.header();
        match header.kind {
            StateKind::Run => {
                header.is_same_run(&now).map_err(LoadError::Other)?;
                self.ssd.resume(&mut from)?;
                from.end()?;
            }
            StateKind::Drive => {
                header.is_same_drive(&now).map_err(LoadError::Other)?;
                self.ssd.take_drive(&mut from, header.section_is_same("read", &now))?;
                // The measurements of the earlier run are not used, but this still detects a damaged file.
                from.rest()?;
                if !go_on {
                    header.is_another_run(&now).map_err(LoadError::Other)?;
                }
                self.aging_warnings = header.repeated_by(&now).collect();
            }
        }
        Ok(Loaded { kind: header.kind, requests: header.requests, simulated_ns: header.simulated_ns })
    }

    fn header(&self) -> Header {
        let progress = self.ssd.progress();
        Header {
            keys: keys(&self.config),
            device: device_checksum(&self.config),
            kind: if self.ssd.is_at_rest() { StateKind::Drive } else { StateKind::Run },
            flows: self.flows.iter().map(|flow| flow.name.clone()).collect(),
            begins: self.flows.iter().map(|flow| Beginning::of(flow, &self.config)).collect(),
            check: self.options.check,
            log_requests: self.options.log_requests,
            timeline: self.options.timeline,
            requests: progress.completed,
            simulated_ns: progress.now,
        }
    }
}

impl Header {
    /// Says why a run cannot continue.
    fn is_same_run(&self, now: &Header) -> Result<(), String> {
        let help = "give what the run was begun with, or let it end first";
        self.keys_are_same(now, |_| true)
            .map_err(|what| format!("holds a run that has not ended, and {what}; {help}"))?;
        let options = |header: &Header| (header.check, header.log_requests, header.timeline);
        if options(self) == options(now) {
            return Ok(());
        }
        Err(format!(
            "holds a run that has not ended, with other options (check, a row a request, timeline); {help}"
        ))
    }

    /// Says that a run with the same keys, flows and options has ended.
    fn is_another_run(&self, now: &Header) -> Result<(), String> {
        if self.flows != now.flows || self.is_same_run(now).is_err() {
            return Ok(());
        }
        Err(format!(
            "holds the drive of a run like this one, which has ended after {} requests; add --go-on (go_on=True) to run it \
             once more, on the drive as it was left",
            self.requests
        ))
    }

    /// Says which flows of a run go to the addresses to which one of these has written, in the same order.
    fn repeated_by<'a>(&'a self, now: &'a Header) -> impl Iterator<Item = String> + 'a {
        let wrote = |now: &Beginning| {
            self.begins.iter().flatten().any(|then| then.writes && then.addresses == now.addresses)
        };
        let flows = now.flows.iter().zip(&now.begins);
        let repeated = flows.filter(move |(_, begins)| begins.as_ref().is_some_and(wrote));
        repeated.map(|(name, _)| {
            format!(
                "{name}: its requests go to the addresses to which the run that made the drive has written, in the same order; set \
                 another workload.seed (fio: randseed)"
            )
        })
    }

    /// Says why a run cannot start on a drive.
    fn is_same_drive(&self, now: &Header) -> Result<(), String> {
        let is_free = |key: &str| {
            let section = key.split('.').next().unwrap_or(key);
            FREE_KEYS.contains(&key) || FREE.contains(&section) && self.why_kept(key, now).is_none()
        };
        let is_kept = |key: &str| !is_free(key);
        self.keys_are_same(now, is_kept)
            .map_err(|what| format!("holds another SSD: {what}; set it as it was, or make the drive anew"))
    }

    fn keys_are_same(&self, now: &Header, counts: impl Fn(&str) -> bool) -> Result<(), String> {
        let differs = |key: &&String| counts(key) && self.keys.get(*key) != now.keys.get(*key);
        if let Some(key) = self.keys.keys().chain(now.keys.keys()).find(differs) {
            let value = |header: &Header| header.keys.get(key).map_or("nothing", String::as_str).to_owned();
            let why = self.why_kept(key, now).map(|why| format!(", {why}")).unwrap_or_default();
            return Err(format!("{key} was {} and is {}{why}", value(self), value(now)));
        }
        if self.device == now.device {
            Ok(())
        } else {
            Err("a file that [cells] names has changed".to_owned())
        }
    }

    /// Why a key of a section that may change may not.
    fn why_kept(&self, key: &str, now: &Header) -> Option<&'static str> {
        let has = |kept: &str, value: &str| {
            kept == key && [self, now].iter().any(|header| header.keys.get(key).is_some_and(|at| at == value))
        };
        let by_key = KEPT_KEYS.iter().find(|&&(kept, _)| kept == key).map(|&(_, why)| why);
        by_key.or_else(|| {
            KEPT_VALUES.iter().find(|&&(kept, value, _)| has(kept, value)).map(|&(_, _, why)| why)
        })
    }

    fn section_is_same(&self, section: &str, now: &Header) -> bool {
        self.keys_are_same(now, |key| key.split('.').next() == Some(section)).is_ok()
    }
}

/// The first requests of a flow that is drawn at random.
#[derive(Debug, Serialize, Deserialize)]
struct Beginning {
    /// A checksum of their addresses.
    addresses: u32,
    /// One of them writes.
    writes: bool,
}

impl Beginning {
    /// None where nothing is drawn: of a trace, of a host that asks as it goes, and of requests one behind the other.
    fn of(flow: &Flow, config: &Config) -> Option<Beginning> {
        let is_made_up = matches!(flow.requests, FlowRequests::Synthetic(_) | FlowRequests::Fio { .. });
        let requests = if is_made_up { flow.made_up(config).ok()? } else { return None };
        let first: Vec<HostRequest> =
            requests.filter(|request| request.op.has_address()).take(FIRST).collect();
        let mut hasher = crc32fast::Hasher::new();
        first.iter().for_each(|request| hasher.update(&request.sector.to_le_bytes()));
        (!first.is_sorted_by_key(|request| request.sector)).then(|| Beginning {
            addresses: hasher.finalize(),
            writes: first.iter().any(|request| request.op == Op::Write),
        })
    }
}

/// A checksum of the chip and its tables, which files may define.
fn device_checksum(config: &Config) -> u32 {
    crc32fast::hash(format!("{:?}", config.device).as_bytes())
}

/// Every key of a configuration with its value.
pub(crate) fn keys(config: &Config) -> BTreeMap<String, String> {
    fn add(value: &Value, key: &str, keys: &mut BTreeMap<String, String>) {
        let Value::Object(section) = value else {
            keys.insert(key.to_owned(), value.to_string());
            return;
        };
        for (name, value) in section {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            add(value, &key, keys);
        }
    }
    let mut keys = BTreeMap::new();
    add(&serde_json::to_value(config).unwrap_or_default(), "", &mut keys);
    keys
}

fn refusal(path: &Path, what: String) -> RunError {
    RunError::State { file: path.display().to_string(), what }
}

/// The system's message, without its number.
fn said(error: &io::Error) -> String {
    let text = error.to_string();
    if error.kind() == io::ErrorKind::Other {
        return text;
    }
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
