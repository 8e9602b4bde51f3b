//! `make bench`: prints one JSON object with the speed of the simulator and of the bare loop.

mod bare_loop;
mod cells;
mod ldpc;
mod memory;
mod timer;

use bare_loop::BareLoop;
use serde_json::{Value, json};
use timer::seconds;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::host::{BoxedRequests, FlowInput, Op, Replay};
use wordline_core::{Progress, RunOptions, Ssd};
use wordline_run::page_amplification;
use wordline_trace::synthetic::Generator;
use wordline_trace::{Format, TraceOptions};

const QUEUE_DEPTH: u32 = 32;

fn config(settings: &[&str]) -> Config {
    let mut layers =
        vec![Layer::file("presets/ssd/mqsim.toml", include_str!("../../../presets/ssd/mqsim.toml"))];
    layers.extend(settings.iter().map(|setting| Layer::assignment(setting).expect("a setting")));
    resolve(&layers).expect("a configuration").config
}

fn flow(source: BoxedRequests, replay: Replay) -> FlowInput {
    FlowInput::new("bench", source, replay)
}

fn ssd(config: &Config) -> Ssd {
    let generator = Generator::new(&config.workload, config.host_sectors(), config.seed).expect("a workload");
    let closed = Replay::Closed { depth: QUEUE_DEPTH };
    Ssd::new(config, vec![flow(Box::new(generator), closed)], &RunOptions::default())
}

/// Share of the host's pages that are written before a workload, and the overwrites after that, as a multiple of them:
/// the occupancy of MQSim's own workload file, cycled until GC is steady.
const FILL: &str = "precondition.fill=0.75";
const OVERWRITE: &str = "precondition.overwrite=1.0";

/// Requests of each measured workload.
const REQUESTS: u64 = 6_000_000;

/// Reads per slice of the bare loop between two slices of the simulation, and progress reports per slice of the
/// simulation: long enough, about 0.1 s each, for both to run on warm caches.
const SLICE: u64 = 1_000_000;
const REPORTS_PER_SLICE: u32 = 24;

/// One workload: flash page operations, user and internal, and requests per second of wall time. The bare loop runs in
/// between, in slices, so that the ratio of the two is valid on a machine that others use at the same time.
fn measure(read_ratio: f64) -> Value {
    let read = format!("workload.read_ratio={read_ratio}");
    let count = format!("workload.requests={REQUESTS}");
    let config = config(&[&read, &count, "workload.footprint_ratio=0.75", OVERWRITE, FILL]);
    let mut ssd = ssd(&config);
    let precondition = seconds(|| ssd.precondition(&config, None, &mut |_| true).expect("room for the data"));
    let mut bare = BareLoop::new();
    bare.advance(SLICE);
    let mut outside = 0.0;
    let whole = seconds(|| {
        let mut reports = 0;
        let mut between = |_: &Progress| {
            reports += 1;
            if reports % REPORTS_PER_SLICE == 0 {
                outside += seconds(|| bare.advance(SLICE));
            }
            true
        };
        ssd.run(&mut between).expect("a run that ends");
    });
    let time = whole - outside;
    let limit = bare.reads_per_second();
    let counters = ssd.controller().counters;
    let pages = (counters.reads + counters.programs) as f64;
    let before = ssd.preconditioned();
    let ftl = *ssd.ftl().counters();
    json!({
        "requests_per_s": REQUESTS as f64 / time,
        "page_operations_per_s": pages / time,
        "bare_loop_reads_per_s": limit,
        "ratio_to_limit": pages / time / limit,
        "write_amplification": page_amplification(&ftl),
        "precondition_page_writes_per_s": (before.host_pages + before.moved_pages) as f64 / precondition,
    })
}

/// Preconditioning of the whole device, and the memory in use after it.
fn fill() -> Value {
    let config = config(&["precondition.fill=1.0", "workload.requests=1"]);
    let before = memory::resident_bytes();
    let mut ssd = ssd(&config);
    let time = seconds(|| ssd.precondition(&config, None, &mut |_| true).expect("room for the data"));
    let bytes = memory::resident_bytes().saturating_sub(before);
    json!({
        "fill_page_writes_per_s": ssd.preconditioned().host_pages as f64 / time,
        "pages": config.geometry().pages(),
        "bytes_per_page": bytes as f64 / config.geometry().pages() as f64,
    })
}

/// A CSV trace of random 70/30 requests, from its text to the last completion.
fn trace() -> Value {
    const LINES: u64 = 2_000_000;
    let count = format!("workload.requests={LINES}");
    let config = config(&[&count, "workload.read_ratio=0.7", "workload.inter_arrival_us=10.0"]);
    let generator = Generator::new(&config.workload, config.host_sectors(), config.seed).expect("a workload");
    let mut text = String::from("time_ns,op,sector,sectors\n");
    for request in generator {
        let op = if request.op == Op::Read { "read" } else { "write" };
        text.push_str(&format!("{},{op},{},{}\n", request.arrival_ns, request.sector, request.sectors));
    }
    let mut options = TraceOptions::new();
    options.format(Format::Csv);
    let reader = options.read_from("bench.csv", std::io::Cursor::new(text.into_bytes())).expect("a trace");
    let source = reader.map(|request| request.map_err(Into::into));
    let mut ssd = Ssd::new(&config, vec![flow(Box::new(source), Replay::Open)], &RunOptions::default());
    let time = seconds(|| ssd.run(&mut |_| true).expect("a run that ends"));
    json!({ "requests_per_s": LINES as f64 / time })
}

fn bare() -> Value {
    let mut bare = BareLoop::new();
    bare.advance(REQUESTS);
    json!({ "reads_per_s": bare.reads_per_second() })
}

fn main() {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut report = serde_json::Map::new();
    let parts: [(&str, &dyn Fn() -> Value); 8] = [
        ("bare_loop", &bare),
        ("random_read", &|| measure(1.0)),
        ("random_write", &|| measure(0.0)),
        ("random_mix", &|| measure(0.7)),
        ("csv_trace", &trace),
        ("fill", &fill),
        ("read_cells", &cells::read),
        ("ldpc", &ldpc::ldpc),
    ];
    for (name, part) in parts {
        if wanted(name) {
            report.insert(name.to_owned(), part());
        }
    }
    println!("{}", serde_json::to_string_pretty(&report).expect("JSON"));
}
