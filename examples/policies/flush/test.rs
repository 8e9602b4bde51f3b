//! `half-dirty` from outside: it is `watermark` with both marks at a half.

use crate::common::*;

fn written(settings: &[&str]) -> Vec<u64> {
    let cache = ["cache.mode=write", "cache.capacity_bytes=81920"];
    latencies(&run(
        &one_die(&[&cache[..], settings].concat()),
        vec![closed(2, writes((0..600).map(|i| i * 7 % 90)))],
    ))
}

#[test]
fn it_is_a_watermark_of_a_half() {
    let marks = ["cache.flush=watermark", "cache.high_watermark=0.5", "cache.low_watermark=0.5"];
    assert_eq!(written(&["cache.flush=half-dirty"]), written(&marks));
    assert_ne!(written(&["cache.flush=half-dirty"]), written(&["cache.flush=full"]));
}
