//! Statistics of traces small enough to count by hand; real ones are in `real_traces.rs`.

use crate::common::request;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wordline_core::host::HostRequest;
use wordline_core::host::Op::{Close, Flush, Read, Trim, Write};
use wordline_trace::stat::{Second, SizeCount, StatCollector};
use wordline_trace::{StatOptions, TraceStat};

fn stat(trace: &[HostRequest]) -> TraceStat {
    TraceStat::of(trace.iter().copied().map(Ok), &StatOptions::default()).unwrap()
}

#[test]
fn counted_by_hand() {
    const SECOND_NS: u64 = 1_000_000_000;
    let s = stat(&[
        request(0, Read, 0, 8),               // page 0, cold
        request(1000, Write, 8, 16),          // pages 1-2, sequential
        request(2000, Read, 8, 8),            // page 1, not cold
        request(3000, Read, 28, 8),           // pages 3-4, not cold, not aligned
        request(3000, Trim, 80, 8),           // page 10: no footprint, no update
        request(5 * SECOND_NS, Read, 24, 1),  // page 3, written later: not cold; sequential
        request(5 * SECOND_NS, Write, 31, 1), // page 3: makes both reads that start there warm
        request(9 * SECOND_NS, Flush, 0, 0),
        request(9 * SECOND_NS, Close, 0, 0),
    ]);
    assert_eq!((s.requests, s.reads, s.writes, s.trims, s.flushes, s.closes), (9, 4, 2, 1, 1, 1));
    assert_eq!(s.read_ratio, Some(4.0 / 6.0));
    assert_eq!((s.read_bytes, s.write_bytes, s.trim_bytes), (25 * 512, 17 * 512, 8 * 512));
    assert_eq!(
        (s.mean_read_bytes, s.mean_write_bytes, s.mean_bytes),
        (Some(3200.0), Some(4352.0), Some(3584.0))
    );
    let size = |sectors: u64, reads, writes| SizeCount { bytes: sectors * 512, reads, writes };
    assert_eq!(s.sizes, [size(1, 1, 1), size(8, 3, 0), size(16, 0, 1)]);
    assert_eq!(s.footprint_bytes, 5 * 4096);
    assert_eq!((s.read_footprint_bytes, s.write_footprint_bytes), (4 * 4096, 3 * 4096));
    assert_eq!(s.capacity_sectors, 88);
    assert_eq!(s.cold_ratio, Some(1.0 / 4.0));
    assert_eq!(s.sequential_ratio, Some(3.0 / 6.0));
    assert_eq!(s.aligned_ratio, Some(3.0 / 6.0));
    assert_eq!(s.duration_s, 9.0);
    assert_eq!(s.mean_iops, Some(1.0));
    let gaps = s.inter_arrival.unwrap();
    assert!(
        (gaps.mean_us - 9e6 / 8.0).abs() < 1e-6 && (1.0..1.01).contains(&gaps.p50_us) && gaps.max_us > 4.9e6,
        "{gaps:?}"
    );
    let seconds = [
        Second { second: 0, reads: 3, writes: 1, bytes: 40 * 512 },
        Second { second: 5, reads: 1, writes: 1, bytes: 2 * 512 },
    ];
    assert_eq!(s.seconds, seconds);
}

#[test]
fn ratios_of_nothing_are_none() {
    let s = stat(&[request(7, Flush, 0, 0)]);
    assert_eq!((s.read_ratio, s.cold_ratio, s.mean_bytes, s.mean_iops), (None, None, None, None));
    assert!(s.inter_arrival.is_none() && s.duration_s == 0.0);
}

#[test]
fn a_sequential_predecessor_may_lie_as_far_back_as_the_window() {
    let mut trace = vec![request(0, Read, 0, 8)];
    trace.extend((1..4).map(|i| request(i, Read, 1000 * i, 8)));
    trace.push(request(4, Read, 8, 8));
    let ratio = |sequential_window| {
        let options = StatOptions { sequential_window };
        TraceStat::of(trace.iter().copied().map(Ok), &options).unwrap().sequential_ratio
    };
    assert_eq!((ratio(3), ratio(4)), (Some(0.0), Some(0.2)));
    assert!(StatCollector::new(&StatOptions { sequential_window: 0 }).is_err());
}

#[test]
fn statistics_can_be_stored() {
    fn storable<T: Serialize + DeserializeOwned>() {}
    storable::<TraceStat>();
}
