//! The binary format: what is written is what is read, and nothing else is.

use std::io::Cursor;

use crate::common::{NAME, read_with, request};
use proptest::prelude::*;
use wordline_core::host::Op;
use wordline_trace::formats::native::NativeWriter;
use wordline_trace::{ReadNotes, TraceError, TraceOp, TraceOptions, TraceRequest};

fn write(requests: &[TraceRequest]) -> Vec<u8> {
    let mut writer = NativeWriter::new(Vec::new()).unwrap();
    requests.iter().for_each(|r| writer.write(*r).unwrap());
    writer.finish().unwrap()
}

/// Everything that the file says.
fn read(bytes: &[u8]) -> Result<Vec<TraceRequest>, TraceError> {
    let mut reader = TraceOptions::new().keep_time(true).read_from(NAME, Cursor::new(bytes.to_vec()))?;
    std::iter::from_fn(|| reader.next_request()).collect()
}

/// Small numbers often, so that the short forms are met. The arrival is a step, which [`traces`] adds up.
fn step() -> impl Strategy<Value = TraceRequest> {
    use TraceOp::{Close, Flush, PowerCut, Read, Trim, Write, WriteZeroes, WriteZeroesAllocated, Zoned};
    let op = prop::sample::select(vec![
        Read,
        Write,
        Trim,
        Flush,
        Close,
        WriteZeroes,
        WriteZeroesAllocated,
        PowerCut,
        Zoned(Op::Append),
        Zoned(Op::ZoneFinish),
        Zoned(Op::ZoneReset),
        Zoned(Op::ZoneReport),
    ]);
    let step_ns = prop_oneof![Just(0), 0..1000u64, 0..1u64 << 56];
    let sector = prop_oneof![0..64u64, 0..u64::MAX - u64::from(u32::MAX)];
    let sectors = prop_oneof![Just(8), 1..=u32::MAX];
    let connection = prop_oneof![Just(0u16), 0..4u16, any::<u16>()];
    let handle = prop_oneof![Just(0u16), 0..4u16, any::<u16>()];
    (step_ns, sector, sectors, connection, handle, op, any::<bool>()).prop_map(
        |(arrival_ns, sector, sectors, connection, handle, op, fua)| {
            let sector = if op.has_address() { sector } else { 0 };
            let sectors = if op.has_sectors() { sectors } else { 0 };
            TraceRequest { arrival_ns, sector, sectors, connection, handle, op, fua }
        },
    )
}

fn traces() -> impl Strategy<Value = Vec<TraceRequest>> {
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
    fn noise_is_never_a_panic(noise in prop::collection::vec(any::<u8>(), 0..200), version in 1..=3u8) {
        let _ = read(&[b"WLTRACE\0".as_slice(), &[version], &noise].concat());
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let trace: Vec<_> = (0..40).map(|i| request(i * 1000, Op::Read, i * 7919 % 1000, 8).into()).collect();
    let whole = write(&trace);
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&bytes).is_err(), "bit {bit} of {}", whole.len() * 8);
    }
}

#[test]
fn blocks_that_are_swapped_or_lost_are_noticed() {
    let trace: Vec<_> =
        (0..60_000).map(|i| request(i * 1000, Op::Read, i * 7919 % 100_000, 8).into()).collect();
    let whole = write(&trace);
    assert_eq!(read(&whole).unwrap(), trace);
    let mut ends = vec![9];
    while *ends.last().unwrap() < whole.len() - 20 {
        let start = *ends.last().unwrap();
        ends.push(start + 12 + u32::from_le_bytes(whole[start..start + 4].try_into().unwrap()) as usize);
    }
    assert!(ends.len() > 4, "{} blocks", ends.len() - 1);
    let block = |i: usize| &whole[ends[i]..ends[i + 1]];
    let rest = &whole[ends[2]..];
    for blocks in [[block(1), block(0)].concat(), block(0).to_vec(), block(1).to_vec(), block(0).repeat(2)] {
        let error = read(&[&whole[..9], &blocks, rest].concat()).unwrap_err().to_string();
        assert!(error.contains("checksum"), "{error}");
    }
}

/// A block with its checksum, which begins with the version in version 3; without records, the end mark.
fn block_of(version: &[u8], number: u64, records: u32, payload: &[u8]) -> Vec<u8> {
    let length = if records == 0 { 0 } else { payload.len() as u32 };
    let numbers = [&number.to_le_bytes()[..], &length.to_le_bytes(), &records.to_le_bytes()].concat();
    let checksum = crc32fast::hash(&[version, &numbers, payload].concat());
    [&numbers[8..], &checksum.to_le_bytes(), payload].concat()
}

/// A block of version 2.
fn block(number: u64, records: u32, payload: &[u8]) -> Vec<u8> {
    block_of(&[], number, records, payload)
}

/// A file of one block of one record and an end mark that counts the records.
fn one_record(payload: &[u8], counted: u64) -> Vec<u8> {
    [b"WLTRACE\0\x02".as_slice(), &block(0, 1, payload), &block(1, 0, &counted.to_le_bytes())].concat()
}

#[test]
fn blocks_that_contradict_themselves_are_refused() {
    let record = [0b0000_0001, 0xac, 0x02, 32, 8];
    assert_eq!(read(&one_record(&record, 1)).unwrap().len(), 1);
    let too_long = [&[0b0000_0001][..], &[0x80; 9], &[2, 32, 8]].concat();
    let left_over = [&record[..], &[0]].concat();
    for (bytes, said) in [
        (one_record(&record, 2), "2 records, as the end mark says"),
        (one_record(&left_over, 1), "the end of the block"),
        (one_record(&too_long, 1), "a varint of at most 64 bits"),
    ] {
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_layout_is_the_documented_one() {
    let mut trace: Vec<TraceRequest> =
        [(300, Op::Write, 16, 8), (300, Op::Write, 24, 8), (301, Op::Read, 23, 1)]
            .map(|(time, op, sector, sectors)| request(time, op, sector, sectors).into())
            .to_vec();
    trace[1].fua = true;
    trace[2].connection = 5;
    trace.push(request(301, Op::Write, 24, 1).into());
    trace.push(TraceRequest { sectors: 0, ..request(301, Op::ZoneReset, 25, 1).into() });
    trace[3].handle = 300;
    (trace[4].connection, trace[4].handle) = (5, 300);
    trace[3].connection = 5;
    let payload = [
        &[0b0000_0001, 0xac, 0x02, 32, 8][..], // write, 300 ns, +16 as zigzag, 8 sectors
        &[0b0111_1001],                        // write with FUA, same time, sequential, same length
        &[0b1000_0000, 0b001, 1, 17, 1, 5],    // read, 1 ns, 32 - 9 = 23 as zigzag, 1 sector, connection 5
        &[0b1011_1001, 0b010, 0xac, 0x02],     // write, same time, sequential, same length, handle 300
        &[0b1001_1100, 0b100],                 // operation 4 on zones, a reset, same time, sequential
    ]
    .concat();
    let expected = [
        b"WLTRACE\0\x03".as_slice(),
        &[payload.len() as u8, 0, 0, 0, 5, 0, 0, 0],
        &block_of(&[3], 0, 5, &payload)[8..],
        &[0; 8],
        &block_of(&[3], 1, 0, &[5, 0, 0, 0, 0, 0, 0, 0])[8..],
    ];
    assert_eq!(write(&trace), expected.concat());
}

/// In version 2 the last bit of a tag is a connection.
#[test]
fn version_2_is_read() {
    let read = read(&one_record(&[0b1000_0001, 0xac, 0x02, 32, 8, 5], 1)).unwrap();
    let expected = TraceRequest { connection: 5, ..request(300, Op::Write, 16, 8).into() };
    assert_eq!(read, [expected]);
}

#[test]
fn version_1_is_read() {
    let trace: Vec<TraceRequest> = [
        request(300, Op::Write, 16, 8),
        request(300, Op::Write, 24, 8),
        request(301, Op::Flush, 0, 0),
        request(301, Op::Trim, 23, 1),
    ]
    .map(Into::into)
    .to_vec();
    let bytes = [
        b"WLTRACE\0\x01".as_slice(),
        &[0b00001, 0xac, 0x02, 32, 8], // write, 300 ns, +16 as zigzag, 8 sectors
        &[0b11101],                    // write, same time, sequential, same length
        &[0b00011, 1],                 // flush, 1 ns
        &[0b00110, 17, 1],             // trim, same time, 32 - 9 = 23 as zigzag, 1 sector
        &[0xff, 4],
    ];
    let whole = bytes.concat();
    assert_eq!(read(&whole).unwrap(), trace);
    assert!(matches!(read(&whole[..whole.len() - 1]), Err(TraceError::Truncated { .. })));
    let broken = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        read(&bytes).unwrap_err()
    };
    assert!(matches!(broken(8, 9), TraceError::Malformed { file, .. } if file == NAME));
    assert!(matches!(broken(14, 0xe0), TraceError::Malformed { line: 2, .. }));
    assert!(broken(whole.len() - 1, 3).to_string().contains("3 records"));
    assert!(matches!(read(&[whole.as_slice(), b"x"].concat()), Err(TraceError::Malformed { .. })));
}

#[test]
fn errors_name_the_record_and_nothing_follows_the_end() {
    let whole = write(&[request(1, Op::Read, 1, 1).into()]);
    let error = read(&[whole.as_slice(), b"x"].concat()).unwrap_err();
    assert!(matches!(error, TraceError::Malformed { .. }), "{error}");
    assert!(matches!(read(&write(&[])), Err(TraceError::Empty { .. })));
    let mut damaged = whole;
    damaged[21] ^= 1;
    let error = read(&damaged).unwrap_err();
    assert!(matches!(&error, TraceError::Malformed { line: 1, .. }), "{error}");
    assert!(error.to_string().contains("copy the file again"), "{error}");
}

#[test]
fn the_writer_takes_no_time_that_goes_back_and_no_request_without_length() {
    let mut writer = NativeWriter::new(Vec::new()).unwrap();
    writer.write(request(5, Op::Read, 1, 1)).unwrap();
    assert!(writer.write(request(4, Op::Read, 1, 1)).is_err());
    assert!(writer.write(request(6, Op::Write, 1, 0)).is_err());
    writer.write(request(6, Op::Flush, 0, 0)).unwrap();
    assert_eq!(read(&writer.finish().unwrap()).unwrap().len(), 2);
}

#[test]
fn what_is_flushed_can_be_read_without_the_end() {
    let mut writer = NativeWriter::new(Vec::new()).unwrap();
    writer.write(request(5, Op::Read, 1, 1)).unwrap();
    writer.flush().unwrap();
    writer.write(request(7, Op::Read, 2, 1)).unwrap();
    let whole = writer.finish().unwrap();
    let first_block = 9 + 12 + u32::from_le_bytes(whole[9..13].try_into().unwrap()) as usize;
    let one = read_with(TraceOptions::new().limit(1), &whole[..first_block]).unwrap();
    assert_eq!(one, [request(0, Op::Read, 1, 1)]);
}

#[test]
fn the_ssd_is_asked_what_it_knows_and_the_rest_is_counted() {
    let all = |op, fua| TraceRequest {
        arrival_ns: 0,
        sector: if TraceOp::has_address(op) { 8 } else { 0 },
        sectors: u32::from(TraceOp::has_address(op)),
        connection: 1,
        handle: 0,
        op,
        fua,
    };
    let trace = [
        all(TraceOp::Write, true),
        all(TraceOp::WriteZeroes, false),
        all(TraceOp::PowerCut, false),
        all(TraceOp::WriteZeroesAllocated, true),
        all(TraceOp::Flush, false),
        all(TraceOp::Close, false),
    ];
    let mut reader = TraceOptions::new().read_from(NAME, Cursor::new(write(&trace))).unwrap();
    let asked: Vec<_> = reader.by_ref().map(|r| r.unwrap()).map(|r| (r.op, r.fua)).collect();
    let expected =
        [(Op::Write, true), (Op::Trim, false), (Op::Write, true), (Op::Flush, false), (Op::Close, false)];
    assert_eq!(asked, expected);
    assert_eq!(reader.notes(), ReadNotes { power_cuts: 1, devices: 1, ..ReadNotes::default() });
}
