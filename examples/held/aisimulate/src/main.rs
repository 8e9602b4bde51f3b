//! Restores of 8 MiB of KV cache: through aisimulate's G3 tier with its own constants, and from a simulated drive, with and
//! without writes beside them.
//!
//!     cargo run --release --manifest-path examples/held/aisimulate/Cargo.toml

mod drive;
mod g3;

/// Restores, one every so many us, each of so many blocks.
const RESTORES: u64 = 100;
const EVERY_US: u64 = 4000;
const BLOCKS: u64 = 2;
const BLOCK_BYTES: u64 = 4 << 20;

/// What was restored, and how long one took.
struct Times {
    restores: u64,
    restored_bytes: u64,
    mean_us: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("restore of 8 MiB, us      alone   beside writes of 5.2 GB/s");
    let ways = [("aisimulate's G3 tier", g3::restores as fn(bool) -> _), ("datacenter-tlc", drive::restores)];
    for (name, restores) in ways {
        let (alone, beside) = (restores(false)?, restores(true)?);
        for times in [&alone, &beside] {
            if (times.restores, times.restored_bytes) != (RESTORES, RESTORES * BLOCKS * BLOCK_BYTES) {
                return Err(format!(
                    "{name}: {} restores of {} bytes in all",
                    times.restores, times.restored_bytes
                )
                .into());
            }
        }
        println!("{name:22} {:8.0} {:8.0}", alone.mean_us, beside.mean_us);
    }
    Ok(())
}
