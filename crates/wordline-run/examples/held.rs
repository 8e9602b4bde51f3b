//! Reads beside a burst of writes on a small drive of today, stepped from Rust: the same as `examples/held/drive.c`.
//!
//! `cargo run --release --package wordline-run --example held`

use wordline_core::host::Op;
use wordline_run::{DriveOp, Opening};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut drive = Opening::of("preset = \"datacenter-tlc\"\n[ssd]\nscale = 0.015625\n").open()?;
    let write = DriveOp { op: Op::Write, offset: 0, bytes: 1 << 17, flow: 0, handle: 0 };
    let writes: Vec<DriveOp> = (0..64).map(|i| DriveOp { offset: i << 17, ..write }).collect();
    drive.submit(0, &writes, Some(&[64]))?;
    for i in 0..100 {
        let read = DriveOp { op: Op::Read, offset: (1000 + i * 37) << 20, bytes: 4096, ..write };
        drive.submit(i * 50_000, &[read], None)?;
    }
    drive.drain(&mut |_| true)?;
    let mut done = Vec::new();
    drive.take_done(&mut done);
    let reads = done.iter().filter(|each| each.job > 0);
    let sum_ns: u64 = reads.map(|each| each.done_ns - (each.job - 1) * 50_000).sum();
    let last_ns = done.last().map_or(0, |each| each.done_ns);
    println!("{} jobs, the last at {last_ns} ns, reads {} ns in the mean", done.len(), sum_ns / 100);
    Ok(())
}
