//! Whatever the bytes, a reader of traces gives requests or an error: it does not panic, and keeps what it promises.
//!
//! The first byte chooses the reader: a trace format, the detection of formats and compression, or a native trace whose
//! checksums are right.

#![no_main]

mod reading;

use libfuzzer_sys::fuzz_target;
use wordline_trace::Format;

use reading::read_trace;

/// A native trace of one block, whose payload and number of records are free.
fn native(bytes: &[u8]) -> Vec<u8> {
    let (records, payload) = bytes.split_at(bytes.len().min(1));
    let records = u32::from(records.first().copied().unwrap_or(0));
    let mut file = b"WLTRACE\0\x02".to_vec();
    let mut block = |number: u64, records: u32, length: u32, payload: &[u8]| {
        let mut crc = crc32fast::Hasher::new();
        for part in [&number.to_le_bytes()[..], &length.to_le_bytes(), &records.to_le_bytes(), payload] {
            crc.update(part);
        }
        for number in [length, records, crc.finalize()] {
            file.extend(number.to_le_bytes());
        }
        file.extend(payload);
    };
    block(0, records, payload.len() as u32, payload);
    block(1, 0, 0, &u64::from(records).to_le_bytes());
    file
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let choice = usize::from(choice) % (Format::ALL.len() + 2);
    match choice.checked_sub(Format::ALL.len()) {
        None => read_trace(Some(Format::ALL[choice]), rest),
        Some(0) => read_trace(None, rest),
        Some(_) => read_trace(Some(Format::Native), &native(rest)),
    }
});
