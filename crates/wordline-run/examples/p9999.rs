//! Runs a preset and prints the 99.99th percentile of its response times.

use wordline_core::config::{Layer, resolve};
use wordline_run::{Run, presets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let layers = [
        presets::ssd("pnar2").ok_or("no such SSD")?,
        presets::workload("ycsb/c").ok_or("no such workload")?,
        Layer::assignment("workload.requests=100000")?,
    ];
    let run = Run::of(&resolve(&layers)?.config)?;
    println!("p99.99: {} us", run.ssd().metrics().all.percentile_ns(99.99) as f64 / 1e3);
    Ok(())
}
