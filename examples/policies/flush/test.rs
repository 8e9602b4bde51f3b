//! `half-dirty` from outside: it is `watermark` with both marks at a half.

use crate::common::*;

/// Latencies of so many writes into a cache of 20 pages, and how many pages have left it by then.
fn written(pages: u64, settings: &[&str]) -> (Vec<u64>, u64) {
    let cache = ["cache.mode=write", "cache.capacity_bytes=81920"];
    let config = one_die(&[&cache[..], settings].concat());
    let ssd = run(&config, vec![closed(2, writes((0..pages).map(|i| i * 7 % 90)))]);
    (latencies(&ssd), ssd.cache().expect("it is on").counters.flushes)
}

#[test]
fn it_is_a_watermark_of_a_half() {
    let marks = ["cache.flush=watermark", "cache.high_watermark=0.5", "cache.low_watermark=0.5"];
    assert_eq!(written(600, &["cache.flush=half-dirty"]), written(600, &marks));
    assert_eq!(written(15, &["cache.flush=half-dirty"]).1, 5, "ten of twenty may be dirty");
    assert_eq!(written(15, &["cache.flush=full"]).1, 0);
}
