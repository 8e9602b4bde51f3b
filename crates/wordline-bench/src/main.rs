//! `make bench`: prints one JSON object with the speed of the simulator and of the bare loop.

mod bare_loop;
mod timer;

use serde_json::{Value, json};
use timer::seconds;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::host::{FlowInput, Replay};
use wordline_core::{RunOptions, Ssd};
use wordline_trace::synthetic::Generator;

const QUEUE_DEPTH: u32 = 32;

fn config(settings: &[&str]) -> Config {
    let mut layers =
        vec![Layer::file("presets/ssd/mqsim.toml", include_str!("../../../presets/ssd/mqsim.toml"))];
    layers.extend(settings.iter().map(|setting| Layer::assignment(setting).expect("a setting")));
    resolve(&layers).expect("a configuration").config
}

fn ssd(config: &Config) -> Ssd {
    let generator = Generator::new(&config.workload, config.host_sectors(), config.seed).expect("a workload");
    let flow = FlowInput {
        name: "bench".to_owned(),
        source: Box::new(generator.map(Ok)),
        replay: Replay::Closed { depth: QUEUE_DEPTH },
        weight: 1,
        first_sector: 0,
        time_scale: 1.0,
    };
    Ssd::new(config, vec![flow], &RunOptions::default())
}

/// One workload on a full device: requests and flash page operations per second of wall time.
fn measure(read_ratio: f64, requests: u64, limit: f64) -> Value {
    let read = format!("workload.read_ratio={read_ratio}");
    let count = format!("workload.requests={requests}");
    let overwrite =
        if read_ratio < 1.0 { "precondition.overwrite=0.1" } else { "precondition.overwrite=0.0" };
    let config = config(&[&read, &count, overwrite, "precondition.fill=1.0"]);
    let mut ssd = ssd(&config);
    let mut failure = None;
    let precondition = seconds(|| failure = ssd.precondition(&config, None, &mut |_| true).err());
    assert!(failure.is_none(), "{failure:?}");
    let time = seconds(|| failure = ssd.run(&mut |_| true).err());
    assert!(failure.is_none(), "{failure:?}");
    let counters = ssd.controller().counters;
    let pages = (counters.reads + counters.programs) as f64;
    let before = ssd.preconditioned();
    json!({
        "requests_per_s": requests as f64 / time,
        "page_operations_per_s": pages / time,
        "ratio_to_limit": pages / time / limit,
        "mean_response_us": ssd.metrics().all.mean_ns() / 1000.0,
        "precondition_page_writes_per_s": (before.host_pages + before.moved_pages) as f64 / precondition,
    })
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("tiny") {
        let config =
            config(&["workload.requests=300000", "ssd.blocks_per_plane=64", "ssd.overprovisioning=0.2"]);
        let mut ssd = ssd(&config);
        ssd.run(&mut |_| true).expect("a run");
        return;
    }
    if std::env::args().nth(1).as_deref() == Some("read") {
        for _ in 0..4 {
            let limit = bare_loop::reads_per_second(5_000_000);
            let report = measure(1.0, 6_000_000, limit);
            println!("{limit:.0} {} {}", report["page_operations_per_s"], report["ratio_to_limit"]);
        }
        return;
    }
    let limit = bare_loop::reads_per_second(10_000_000);
    let reads = measure(1.0, 4_000_000, limit);
    let writes = measure(0.0, 1_500_000, limit);
    let mix = measure(0.7, 3_000_000, limit);
    let report = json!({
        "bare_loop": {"reads_per_s": limit},
        "random_read": reads,
        "random_write": writes,
        "random_mix": mix,
    });
    println!("{}", serde_json::to_string_pretty(&report).expect("JSON"));
}
