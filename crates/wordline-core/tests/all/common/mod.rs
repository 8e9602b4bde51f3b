//! Small SSDs, lists of requests, and runs of the one with the other, always in checked mode.

mod draws;

pub use draws::Draws;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::{Loader, Ns, Saver};
use wordline_core::flash::BlockState;
use wordline_core::host::{FlowInput, HostRequest, Op, Replay};
use wordline_core::metrics::LogEntry;
use wordline_core::{Progress, RunOptions, SimError, Ssd};

pub const US: Ns = 1_000;
/// tR of one sense on [`ONE_DIE`].
pub const T_R: Ns = 50 * US;
/// tPROG on [`ONE_DIE`].
pub const T_PROG: Ns = 500 * US;
/// tBERS on [`ONE_DIE`].
pub const T_BERS: Ns = 3_000 * US;
/// tDMA of a whole page on [`ONE_DIE`]: a byte a nanosecond.
pub const T_DMA: Ns = 4_096;

/// What an environment variable sets: long hunts try more (`WORDLINE_CASES`) and others (`WORDLINE_SEED`).
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// One plane of SLC with round numbers and commands that take no time.
pub const ONE_DIE: &[&str] = &[
    "ssd.channels=1",
    "ssd.chips_per_channel=1",
    "ssd.dies_per_chip=1",
    "ssd.planes_per_die=1",
    "ssd.blocks_per_plane=64",
    "ssd.pages_per_block=24",
    "ssd.page_bytes=4096",
    "ssd.overprovisioning=0.25",
    "coding.cell=slc",
    "nand.read_us=[50.0,100.0,150.0,200.0,250.0,300.0,350.0,400.0]",
    "nand.program_us=[500.0]",
    "nand.erase_us=3000.0",
    "nand.multiplane=off",
    "channel.rate_mb_s=1000.0",
    "channel.read_command_ns=0",
    "channel.read_command_plane_ns=0",
    "channel.program_command_ns=0",
    "channel.program_command_plane_ns=0",
    "channel.erase_command_ns=0",
    "channel.erase_command_plane_ns=0",
];

/// A configuration from `key=value` settings over the defaults.
pub fn config(settings: &[&str]) -> Config {
    let layers: Vec<Layer> = settings.iter().map(|s| Layer::assignment(s).expect("an assignment")).collect();
    resolve(&layers).unwrap_or_else(|error| panic!("{error}")).config
}

/// [`ONE_DIE`] with some settings changed.
pub fn one_die(settings: &[&str]) -> Config {
    config(&[ONE_DIE, settings].concat())
}

/// A request for whole 4-KiB units, at time 0.
pub fn request(op: Op, unit: u64, units: u32) -> HostRequest {
    HostRequest::new(0, op, unit * 8, units * 8)
}

/// A read of one 4-KiB unit at a time.
pub fn read_at(arrival_ns: Ns, unit: u64) -> HostRequest {
    HostRequest { arrival_ns, ..request(Op::Read, unit, 1) }
}

/// A write of one 4-KiB unit at a time.
pub fn write_at(arrival_ns: Ns, unit: u64) -> HostRequest {
    HostRequest { arrival_ns, ..request(Op::Write, unit, 1) }
}

/// A request to close the groups that are open for data of the host, at a time.
pub fn close_at(arrival_ns: Ns) -> HostRequest {
    HostRequest::new(arrival_ns, Op::Close, 0, 0)
}

/// Blocks in a state.
pub fn in_state(ssd: &Ssd, state: BlockState) -> usize {
    ssd.ftl().blocks().table().iter().filter(|block| block.state() == state).count()
}

/// Reads of 4-KiB units, one a page of [`ONE_DIE`].
pub fn reads(units: impl IntoIterator<Item = u64>) -> Vec<HostRequest> {
    units.into_iter().map(|unit| read_at(0, unit)).collect()
}

/// Writes of 4-KiB units.
pub fn writes(units: impl IntoIterator<Item = u64>) -> Vec<HostRequest> {
    units.into_iter().map(|unit| write_at(0, unit)).collect()
}

/// A flow of requests.
pub fn flow(
    replay: Replay,
    requests: impl IntoIterator<Item = HostRequest, IntoIter: Send + 'static>,
) -> FlowInput {
    FlowInput::new("flow", Box::new(requests.into_iter().map(Ok)), replay)
}

/// A flow that keeps `depth` requests outstanding.
pub fn closed(
    depth: u32,
    requests: impl IntoIterator<Item = HostRequest, IntoIter: Send + 'static>,
) -> FlowInput {
    flow(Replay::Closed { depth }, requests)
}

/// A flow that submits at its requests' arrival times.
pub fn open(requests: impl IntoIterator<Item = HostRequest, IntoIter: Send + 'static>) -> FlowInput {
    flow(Replay::Open, requests)
}

/// Checked, with a row for each request.
pub const CHECKED: RunOptions =
    RunOptions { check: true, log_requests: true, log_jobs: false, timeline: None, requests: None };

/// Reports after which a run counts as one that never ends. Of thousands of random drives the longest took 70: it reads lost pages, each
/// with all retries, once more for parity.
const REPORTS_MAX: u32 = 320;

/// Preconditions and runs an SSD.
pub fn try_run_with(
    config: &Config,
    flows: Vec<FlowInput>,
    options: &RunOptions,
) -> (Ssd, Result<(), SimError>) {
    try_run_within(REPORTS_MAX, config, flows, options)
}

/// [`try_run_with`], stopped after so many reports of progress (a quarter of a million events each), so
/// that a run that would never end fails its test.
pub fn try_run_within(
    reports_max: u32,
    config: &Config,
    flows: Vec<FlowInput>,
    options: &RunOptions,
) -> (Ssd, Result<(), SimError>) {
    let mut ssd = Ssd::new(config, flows, options);
    let mut reports = 0;
    let mut is_alive = |_: &Progress| {
        reports += 1;
        reports < reports_max
    };
    let result = ssd.precondition(config, None, &mut |_| true).and_then(|()| ssd.run(&mut is_alive));
    (ssd, result)
}

/// [`try_run_with`] in checked mode.
pub fn try_run(config: &Config, flows: Vec<FlowInput>) -> (Ssd, Result<(), SimError>) {
    try_run_with(config, flows, &CHECKED)
}

/// A run that must go well.
pub fn run(config: &Config, flows: Vec<FlowInput>) -> Ssd {
    let (ssd, result) = try_run(config, flows);
    result.unwrap_or_else(|error| panic!("{error}"));
    ssd
}

/// [`run`] with a timeline of everything.
pub fn run_with_timeline(config: &Config, flows: Vec<FlowInput>) -> Ssd {
    let (ssd, result) = try_run_with(config, flows, &RunOptions { timeline: Some((0, Ns::MAX)), ..CHECKED });
    result.unwrap_or_else(|error| panic!("{error}"));
    ssd
}

/// The state of an SSD, as bytes.
pub fn saved(ssd: &Ssd) -> Vec<u8> {
    let mut bytes = Vec::new();
    ssd.save(&mut Saver::new(&mut bytes)).expect("a vector takes all");
    bytes
}

/// An SSD that goes on from a state.
pub fn resumed(config: &Config, flows: Vec<FlowInput>, options: &RunOptions, bytes: &[u8]) -> Ssd {
    let mut ssd = Ssd::new(config, flows, options);
    let mut rest = bytes;
    ssd.resume(&mut Loader::new(&mut rest)).unwrap_or_else(|error| panic!("{error}"));
    assert!(rest.is_empty(), "all of a state is read");
    ssd
}

/// Runs until `at`, and from there goes on twice: as it is, and from its state. Asserts that both come to the same end,
/// bit by bit, and returns the state at the end.
pub fn assert_goes_on(
    config: &Config,
    flows: impl Fn() -> Vec<FlowInput>,
    options: &RunOptions,
    at: Ns,
) -> Vec<u8> {
    let mut ssd = Ssd::new(config, flows(), options);
    ssd.precondition(config, None, &mut |_| true).unwrap_or_else(|error| panic!("{error}"));
    let before = ssd.run_until(at, &mut |_| true).map(|_| ());
    let bytes = saved(&ssd);
    let mut other = resumed(config, flows(), options, &bytes);
    assert!(saved(&other) == bytes, "a state that was loaded is not the one that was saved");
    let first = before.and_then(|()| ssd.run(&mut |_| true));
    let second = other.run(&mut |_| true);
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    let end = saved(&ssd);
    assert!(end == saved(&other), "a run that was saved and loaded ends elsewhere");
    end
}

/// The requests of a run, in order of completion.
pub fn log(ssd: &Ssd) -> &[LogEntry] {
    &ssd.metrics().log.entries
}

/// Response times in order of completion, ns.
pub fn latencies(ssd: &Ssd) -> Vec<Ns> {
    log(ssd).iter().map(|entry| entry.completed - entry.arrival).collect()
}

/// When the last request of a run completed, ns.
pub fn end(ssd: &Ssd) -> Ns {
    log(ssd).iter().map(|entry| entry.completed).max().unwrap_or(0)
}

/// Asserts that `value` is within `tolerance` (a fraction) of `expected`.
#[track_caller]
pub fn assert_near(what: &str, value: f64, expected: f64, tolerance: f64) {
    let off = value / expected - 1.0;
    assert!(off.abs() <= tolerance, "{what}: {value} is {:.2} % off {expected}", off * 100.0);
}
