//! Prints what one request of each kind of generator costs: `cargo run --release --example synthetic_speed`.

// The simulator reads no clock; a benchmark must.
#![allow(clippy::disallowed_types)]

use std::hint::black_box;
use std::time::Instant;

use wordline_core::config::{ArrivalProcess, Pattern, SizeDistribution, WorkloadConfig};
use wordline_trace::synthetic::Generator;

fn main() {
    let base = WorkloadConfig { requests: 10_000_000, read_ratio: 0.7, ..Default::default() };
    let split = WorkloadConfig { cold_ratio: 0.7, ..base.clone() };
    let cases = [
        ("random reads", WorkloadConfig { read_ratio: 1.0, ..base.clone() }),
        ("random mix 70/30", base.clone()),
        ("sequential", WorkloadConfig { pattern: Pattern::Sequential, ..base.clone() }),
        ("hot/cold", WorkloadConfig { pattern: Pattern::HotCold, ..base.clone() }),
        ("zipf", WorkloadConfig { pattern: Pattern::Zipf, ..base.clone() }),
        ("block mix", WorkloadConfig { size_distribution: SizeDistribution::Mix, ..base.clone() }),
        ("fixed arrivals", WorkloadConfig { inter_arrival_us: 0.7, ..base.clone() }),
        (
            "exponential arrivals",
            WorkloadConfig { inter_arrival_us: 10.0, arrival: ArrivalProcess::Exponential, ..base.clone() },
        ),
        ("cold ratio", split.clone()),
        (
            "look-alike: mean sizes, cold ratio, hyper-exponential arrivals",
            WorkloadConfig {
                size_distribution: SizeDistribution::Mean,
                inter_arrival_us: 10.0,
                arrival: ArrivalProcess::HyperExponential,
                sequentiality: 0.3,
                ..split
            },
        ),
    ];
    for (name, config) in cases {
        // 512 GiB, as the mqsim preset.
        let generator = Generator::new(&config, 1 << 30, 1).expect("a valid configuration");
        let start = Instant::now();
        let mut sum = 0u64;
        for request in generator {
            sum = sum.wrapping_add(request.sector ^ request.arrival_ns ^ u64::from(request.sectors));
        }
        let ns = start.elapsed().as_nanos() as f64 / config.requests as f64;
        println!("{ns:6.1} ns/request  {name}  (checksum {:016x})", black_box(sum));
    }
}
