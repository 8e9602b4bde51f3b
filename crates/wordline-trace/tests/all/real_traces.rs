//! Real traces, read whole: counts against those published with them.
//!
//! They are not part of the repository: `WORDLINE_TRACES`, or `../shared/traces` beside the checkout, names their folder.

use std::path::PathBuf;

use wordline_core::host::{HostRequest, Op};
use wordline_trace::{Format, StatOptions, TraceOptions, TraceReader, TraceStat};

/// The folder of the traces, or `None`, said aloud, where it is absent.
fn trace_folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces");
    let folder = std::env::var_os("WORDLINE_TRACES").map_or(PathBuf::from(beside), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no real traces at {}; set WORDLINE_TRACES to their folder", folder.display());
    None
}

fn read(name: &str) -> Option<(TraceReader, Vec<HostRequest>)> {
    let mut reader = TraceOptions::new().open(trace_folder()?.join(name)).unwrap_or_else(|e| panic!("{e}"));
    let requests: Result<Vec<_>, _> = reader.by_ref().collect();
    let requests = requests.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(requests[0].arrival_ns, 0);
    assert!(requests.is_sorted_by_key(|r| r.arrival_ns), "{name}: time goes back");
    assert!(requests.iter().all(|r| r.sectors > 0), "{name}: a request of no length");
    Some((reader, requests))
}

/// Detected format, requests, reads, and the time of the last request in ns.
fn check(name: &str, format: Format, requests: usize, reads: usize, duration_ns: u64) {
    let Some((reader, all)) = read(name) else { return };
    assert_eq!(reader.format(), format);
    assert_eq!(all.len(), requests);
    assert_eq!(all.iter().filter(|r| r.op == Op::Read).count(), reads);
    assert_eq!(all.iter().filter(|r| r.op == Op::Write).count(), requests - reads);
    assert_eq!(all.last().expect("not empty").arrival_ns, duration_ns);
}

#[test]
fn cloudphysics() {
    check("cloudphysics.csv", Format::VscsiCsv, 113_872, 46_974, 7_200_089_885_000);
}

#[test]
fn financial1() {
    check("financial1_head.ascii", Format::Mqsim, 10_000, 4_077, 259_601_203_125);
}

#[test]
fn tpcc() {
    check("tpcc-small.trace", Format::Mqsim, 6_999, 4_381, 136_489_000);
}

#[test]
fn wsrch() {
    check("wsrch-small.trace", Format::Mqsim, 24_783, 24_779, 60_055_212_000);
}

#[test]
fn iozone() {
    check("iozone.disksim", Format::Disksim, 100_000, 0, 936_449_109_000);
}

#[test]
fn postmark() {
    check("postmark.disksim", Format::Disksim, 62_257, 51_780, 490_436_763_000);
}

#[test]
fn ycsb_ext4() {
    // The last D event carries a broken stamp, 40 years late; it must not stretch the trace.
    check("ycsb_ext4.blkparse", Format::Blkparse, 9_887, 9_039, 810_380_131_542);
}

#[test]
fn the_broken_stamp_of_ycsb_ext4_is_reported() {
    let Some((reader, _)) = read("ycsb_ext4.blkparse") else { return };
    assert_eq!(reader.notes().repaired_times, 2);
}

fn stat(name: &str) -> Option<TraceStat> {
    let (_, requests) = read(name)?;
    Some(TraceStat::of(requests.into_iter().map(Ok), &StatOptions::default()).expect("no errors"))
}

/// `measured` is `part` of `whole`.
fn is_ratio(measured: Option<f64>, part: u64, whole: u64) {
    assert_eq!(measured, Some(part as f64 / whole as f64));
}

// The numbers below were counted with Python's sets and sorted lists, from the definitions in `stat`.

#[test]
fn statistics_of_cloudphysics() {
    let Some(s) = stat("cloudphysics.csv") else { return };
    let pages =
        [s.footprint_bytes, s.read_footprint_bytes, s.write_footprint_bytes].map(|bytes| bytes / 4096);
    assert_eq!(pages, [269_210, 210_000, 208_696]);
    is_ratio(s.cold_ratio, 8_663, 46_974);
    is_ratio(s.sequential_ratio, 66_409, 113_872);
    is_ratio(s.aligned_ratio, 104, 113_872);
    assert_eq!(s.capacity_sectors, 65_595_583);
    assert_eq!((s.read_bytes, s.write_bytes), (3_510_571 * 512, 4_704_230 * 512));
    assert_eq!(s.seconds.len(), 6_752);
    let gaps = s.inter_arrival.expect("more than one request");
    assert_eq!(gaps.max_us, 4_906_175.0);
    for (measured, exact) in [
        (gaps.p50_us, 573.0),
        (gaps.p90_us, 24_694.0),
        (gaps.p99_us, 1_000_034.0),
        (gaps.p999_us, 2_000_017.0),
    ] {
        assert!((exact..exact * 1.01).contains(&measured), "{measured} is not within 1 % of {exact}");
    }
}

#[test]
fn statistics_of_postmark() {
    let Some(s) = stat("postmark.disksim") else { return };
    let pages =
        [s.footprint_bytes, s.read_footprint_bytes, s.write_footprint_bytes].map(|bytes| bytes / 4096);
    assert_eq!(pages, [1_533_388, 963_019, 1_532_457]);
    is_ratio(s.cold_ratio, 120, 51_780);
    is_ratio(s.sequential_ratio, 49_738, 62_257);
    is_ratio(s.aligned_ratio, 62_257, 62_257);
    assert_eq!(s.capacity_sectors, 44_711_856);
    assert_eq!((s.read_bytes, s.write_bytes), (10_227_120 * 512, 17_454_960 * 512));
}
