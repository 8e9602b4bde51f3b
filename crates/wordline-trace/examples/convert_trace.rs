//! From any trace to another format: `cargo run --release --example convert_trace -- IN OUT native|csv|mqsim|fio-iolog`.
//! OUT may end in `.gz` or `.zst`.

use std::error::Error;

use wordline_trace::TraceOptions;
use wordline_trace::convert::{Existing, convert};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, format] = arguments.as_slice() else {
        return Err("usage: convert_trace IN OUT native|csv|mqsim|fio-iolog".into());
    };
    let requests = convert(TraceOptions::new().open(from)?, to, format.parse()?, Existing::Keep)?;
    println!("{to}: {requests} requests");
    Ok(())
}
