//! The same restores from a simulated drive.

use wordline_core::host::Op;
use wordline_run::{DriveOp, Opening};

use crate::{BLOCK_BYTES, BLOCKS, EVERY_US, RESTORES, Times};

const CONFIG: &str = "preset = \"datacenter-tlc\"\n[ssd]\nscale = 0.00390625\n[precondition]\nfill = 1.0\n";
const COMMAND_BYTES: u64 = 1 << 20;
const WRITTEN_BYTES: u64 = 20 << 20;

fn commands(op: Op, offset: u64, bytes: u64) -> Vec<DriveOp> {
    let begins = (offset..offset + bytes).step_by(COMMAND_BYTES as usize);
    begins.map(|offset| DriveOp { op, offset, bytes: COMMAND_BYTES, flow: 0, handle: 0 }).collect()
}

/// A job of reads of 1 MiB every 4 ms, with `beside` at the same times a job of writes.
pub fn restores(beside: bool) -> Result<Times, Box<dyn std::error::Error>> {
    let mut drive = Opening::of(CONFIG).open()?;
    let bytes = BLOCKS * BLOCK_BYTES;
    let mut began = Vec::new();
    for number in 0..RESTORES {
        let at_ns = number * EVERY_US * 1000;
        if beside {
            let writes = commands(Op::Write, number * WRITTEN_BYTES, WRITTEN_BYTES);
            drive.submit(at_ns, &writes, Some(&[writes.len() as u32]))?;
        }
        let reads = commands(Op::Read, (4 << 30) + number * bytes, bytes);
        began.push((drive.submit(at_ns, &reads, Some(&[reads.len() as u32]))?, at_ns));
    }
    drive.drain(&mut |_| true)?;
    let mut done = Vec::new();
    drive.take_done(&mut done);
    let time_ns = |&(job, at_ns): &(u64, u64)| {
        done.iter().find(|each| each.job == job).map_or(0, |each| each.done_ns - at_ns)
    };
    let all_ns: u64 = began.iter().map(time_ns).sum();
    Ok(Times {
        restores: RESTORES,
        restored_bytes: RESTORES * bytes,
        mean_us: all_ns as f64 / 1000.0 / RESTORES as f64,
    })
}
