//! The binary format: what is written is what is read, and nothing else is.

mod common;

use common::{NAME, read_with, request};
use proptest::prelude::*;
use wordline_core::host::{HostRequest, Op};
use wordline_trace::formats::native::NativeWriter;
use wordline_trace::{TraceError, TraceOptions};

fn write(requests: &[HostRequest]) -> Vec<u8> {
    let mut writer = NativeWriter::new(Vec::new()).unwrap();
    requests.iter().for_each(|r| writer.write(r).unwrap());
    writer.finish().unwrap()
}

fn read(bytes: &[u8]) -> Result<Vec<HostRequest>, TraceError> {
    read_with(TraceOptions::new().keep_time(true), bytes)
}

prop_compose! {
    /// A step in time and a request; small numbers often, so that the short forms are met.
    fn step()(
        step_ns in prop_oneof![Just(0), 0..1000u64, 0..1u64 << 57],
        op in prop_oneof![Just(Op::Read), Just(Op::Write), Just(Op::Trim), Just(Op::Flush)],
        sector in prop_oneof![0..64u64, 0..u64::MAX - u64::from(u32::MAX)],
        sectors in prop_oneof![Just(8), 1..=u32::MAX],
    ) -> HostRequest {
        let flush = op == Op::Flush;
        HostRequest { arrival_ns: step_ns, sector: if flush { 0 } else { sector }, sectors: if flush { 0 } else { sectors }, op }
    }
}

fn traces() -> impl Strategy<Value = Vec<HostRequest>> {
    prop::collection::vec(step(), 1..60).prop_map(|mut steps| {
        let mut now_ns = 0;
        for request in &mut steps {
            now_ns += request.arrival_ns;
            request.arrival_ns = now_ns;
        }
        steps
    })
}

proptest! {
    #[test]
    fn round_trip(trace in traces()) {
        prop_assert_eq!(read(&write(&trace)).unwrap(), trace);
    }

    #[test]
    fn every_cut_is_noticed(trace in traces(), at in any::<prop::sample::Index>()) {
        let whole = write(&trace);
        let cut = 9 + at.index(whole.len() - 9);
        let truncated = matches!(read(&whole[..cut]), Err(TraceError::Truncated { .. }));
        prop_assert!(truncated, "cut at {} of {}", cut, whole.len());
    }

    #[test]
    fn noise_is_never_a_panic(noise in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = write(&[])[..9].to_vec();
        bytes.extend(noise);
        let _ = read(&bytes);
    }
}

#[test]
fn the_layout_is_the_documented_one() {
    let trace =
        [request(300, Op::Write, 16, 8), request(300, Op::Write, 24, 8), request(301, Op::Read, 23, 1)];
    let expected = [
        b"WLTRACE\0\x01".as_slice(),
        &[0b00001, 0xac, 0x02, 32, 8], // write, 300 ns, +16 as zigzag, 8 sectors
        &[0b11101],                    // write, same time, sequential, same length
        &[0b00000, 1, 17, 1],          // read, 1 ns, 32 - 9 = 23 as zigzag, 1 sector
        &[0xff, 3],
    ];
    assert_eq!(write(&trace), expected.concat());
}

#[test]
fn errors_name_the_record() {
    let whole = write(&[request(1, Op::Read, 1, 1), request(2, Op::Read, 1, 1)]);
    let broken = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        read(&bytes).unwrap_err()
    };
    assert!(matches!(broken(8, 9), TraceError::Malformed { file, .. } if file == NAME));
    assert!(matches!(broken(13, 0xe0), TraceError::Malformed { line: 2, .. }));
    let count = whole.len() - 1;
    assert!(broken(count, 3).to_string().contains("3 records"));
    assert!(matches!(read(&[whole.as_slice(), b"x"].concat()), Err(TraceError::Malformed { .. })));
    assert!(matches!(read(&write(&[])), Err(TraceError::Empty { .. })));
}

#[test]
fn time_must_not_go_back() {
    let mut writer = NativeWriter::new(Vec::new()).unwrap();
    writer.write(&request(5, Op::Read, 1, 1)).unwrap();
    assert!(writer.write(&request(4, Op::Read, 1, 1)).is_err());
}
