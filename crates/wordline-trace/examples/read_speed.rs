//! How fast a trace is read: `cargo run --release --example read_speed -- FILE [FORMAT]`.

use std::error::Error;
use std::time::SystemTime;

use wordline_trace::TraceOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: read_speed FILE [FORMAT]")?;
    let mut options = TraceOptions::new();
    if let Some(format) = arguments.next() {
        options.format(format.parse()?);
    }
    let start = SystemTime::now();
    let mut reader = options.open(&path)?;
    let mut batch = Vec::with_capacity(4096);
    let mut requests = 0;
    let mut sectors = 0;
    while reader.fill(&mut batch, 4096)? > 0 {
        requests += batch.len();
        sectors += batch.iter().map(|r| u64::from(r.sectors)).sum::<u64>();
        batch.clear();
    }
    let seconds = start.elapsed()?.as_secs_f64();
    println!(
        "{path}: {}, {requests} requests of {sectors} sectors in {seconds:.3} s, {:.2} M requests/s",
        reader.format(),
        requests as f64 / seconds / 1e6
    );
    Ok(())
}
