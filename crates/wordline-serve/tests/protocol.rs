//! What the server makes of a client's bytes, and what it answers by itself.

mod common;

use common::*;
use wordline_serve::protocol::{Command, Input, NbdRequest, PAYLOAD_MAX, Session, Violation, reply};

/// A session that has been sent `input` in pieces of so many bytes: what the client wants, and what it was answered.
fn run(input: &[u8], piece: usize) -> (Result<Vec<Input>, Violation>, Vec<u8>) {
    let (mut out, export) = (Vec::new(), export());
    let mut session = Session::new(&mut out, None);
    let greeting = out.len();
    let mut inputs = Vec::new();
    for piece in input.chunks(piece) {
        session.receive(piece);
        loop {
            match session.next_input(&export, &mut out) {
                Ok(Some(input)) => inputs.push(input),
                Ok(None) => break,
                Err(violation) => return (Err(violation), out.split_off(greeting)),
            }
        }
    }
    (Ok(inputs), out.split_off(greeting))
}

/// Kinds of the answers to options, each with its option.
fn kinds(mut answers: &[u8]) -> Vec<(u32, u32)> {
    let mut kinds = Vec::new();
    let u32_at = |bytes: &[u8], at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    while !answers.is_empty() {
        assert_eq!(&answers[..8], 0x3_e889_0455_65a9u64.to_be_bytes());
        kinds.push((u32_at(answers, 8), u32_at(answers, 12)));
        answers = &answers[20 + u32_at(answers, 16) as usize..];
    }
    kinds
}

const FLAGS: [u8; 4] = [0, 0, 0, 3];
const ACK: u32 = 1;
const SERVER: u32 = 2;
const INFO: u32 = 3;
const META: u32 = 4;
const UNSUPPORTED: u32 = 1 << 31 | 1;
const INVALID: u32 = 1 << 31 | 3;
const UNKNOWN: u32 = 1 << 31 | 6;

#[test]
fn the_greeting_offers_fixed_newstyle() {
    let mut out = Vec::new();
    let session = Session::new(&mut out, None);
    assert_eq!(out, b"NBDMAGICIHAVEOPT\x00\x03");
    assert!(!session.is_transmitting());
}

#[test]
fn options_are_answered_in_order_however_they_are_cut_up() {
    let input = bytes(&[
        &FLAGS,
        &option(3, &[]),
        &option(3, &[1]),
        &option(5, &[]),
        &option(11, &[]),
        &option(99, &[1, 2, 3]),
        &option(8, &[1]),
        &meta_context(10, "", &["base:allocation"]),
        &option(8, &[]),
        &meta_context(9, "", &[]),
        &meta_context(9, "", &["base:", "x-other:thing"]),
        &meta_context(10, "", &["base:", "base:other"]),
        &meta_context(10, "nobody", &["base:allocation"]),
        &meta_context(10, "ssd", &["base:allocation"]),
        &go(6, "nobody", &[]),
        &go(6, "ssd", &[1, 2, 3, 77]),
        &option(7, &[0, 0, 0, 9, 1]),
        &go(7, "", &[]),
    ]);
    let want = vec![
        (3, SERVER),
        (3, ACK),
        (3, INVALID),
        (5, UNSUPPORTED),
        (11, UNSUPPORTED),
        (99, UNSUPPORTED),
        (8, INVALID),
        (10, INVALID),
        (8, ACK),
        (9, META),
        (9, ACK),
        (9, META),
        (9, ACK),
        (10, ACK),
        (10, UNKNOWN),
        (10, META),
        (10, ACK),
        (6, UNKNOWN),
        (6, INFO),
        (6, INFO),
        (6, INFO),
        (6, INFO),
        (6, ACK),
        (7, INVALID),
        (7, INFO),
        (7, INFO),
        (7, ACK),
    ];
    for piece in [1, 3, 7, 64, 4096] {
        let (inputs, answers) = run(&input, piece);
        assert_eq!((inputs, kinds(&answers)), (Ok(vec![]), want.clone()), "pieces of {piece}");
    }
}

#[test]
fn an_old_client_may_name_its_export_and_go() {
    for (flags, zeros) in [([0, 0, 0, 3], 0), ([0, 0, 0, 1], 124)] {
        let (inputs, answers) = run(&bytes(&[&flags, &option(1, b"ssd")]), 64);
        assert_eq!(inputs, Ok(vec![]));
        assert_eq!(answers[..8], EXPORT_BYTES.to_be_bytes());
        assert_eq!(answers.len(), 10 + zeros);
    }
    assert!(run(&bytes(&[&FLAGS, &option(1, b"nobody")]), 64).0.is_err());
}

#[test]
fn a_client_may_leave_during_the_handshake_and_after_it() {
    let (inputs, answers) = run(&bytes(&[&FLAGS, &option(2, &[])]), 64);
    assert_eq!((inputs, kinds(&answers)), (Ok(vec![Input::Leave]), vec![(2, ACK)]));
    let (inputs, _) = run(&bytes(&[&whole_handshake(), &request(LEAVE, 0, 1, 0, 0, &[])]), 64);
    assert_eq!(inputs, Ok(vec![Input::Leave]));
}

#[test]
fn requests_that_make_sense_come_through() {
    let data = [7; 1024];
    let input = bytes(&[
        &whole_handshake(),
        &request(READ, 4, 1, 512, 4096, &[]),
        &request(WRITE, 1, 2, 1024, 1024, &data),
        &request(FLUSH, 0, 3, 0, 0, &[]),
        &request(TRIM, 0, 4, 0, EXPORT_BYTES as u32, &[]),
        &request(CACHE, 0, 5, 0, 512, &[]),
        &request(WRITE_ZEROES, 0, 6, 0, 512, &[]),
        &request(WRITE_ZEROES, 3, 7, 0, 512, &[]),
        &request(BLOCK_STATUS, 8, 8, 0, 512, &[]),
    ]);
    let input_of = |cookie, command, offset, bytes, fua| {
        Input::Request(NbdRequest { cookie, command, offset, bytes, fua })
    };
    let want = vec![
        input_of(1, Command::Read, 512, 4096, false),
        input_of(2, Command::Write(data.to_vec()), 1024, 1024, true),
        input_of(3, Command::Flush, 0, 0, false),
        input_of(4, Command::Trim, 0, EXPORT_BYTES as u32, false),
        input_of(5, Command::Cache, 0, 512, false),
        input_of(6, Command::WriteZeroes { may_deallocate: true }, 0, 512, false),
        input_of(7, Command::WriteZeroes { may_deallocate: false }, 0, 512, true),
        input_of(8, Command::BlockStatus { only_first: true }, 0, 512, false),
    ];
    for piece in [1, 28, 500, 4096] {
        assert_eq!(run(&input, piece).0.as_ref(), Ok(&want), "pieces of {piece}");
    }
}

/// The error in a structured reply to a request that is not let through.
fn error_of(input: &[u8]) -> u32 {
    let handshake = run(&whole_handshake(), 64).1.len();
    let (inputs, answers) = run(&bytes(&[&whole_handshake(), input]), 4096);
    assert_eq!(inputs, Ok(vec![]));
    let reply = &answers[handshake..];
    assert_eq!(reply[..4], 0x668e_33efu32.to_be_bytes());
    assert_eq!(reply[6..8], 0x8001u16.to_be_bytes(), "an error chunk");
    u32::from_be_bytes(reply[20..24].try_into().unwrap())
}

#[test]
fn requests_that_make_none_are_refused_and_the_next_one_is_understood() {
    let end = EXPORT_BYTES;
    for (input, error) in [
        (request(READ, 0, 1, 100, 512, &[]), 22),
        (request(READ, 0, 1, 0, 100, &[]), 22),
        (request(READ, 0, 1, 0, 0, &[]), 22),
        (request(READ, 2, 1, 0, 512, &[]), 22),
        (request(READ, 0, 1, end, 512, &[]), 22),
        (request(READ, 0, 1, u64::MAX - 511, 512, &[]), 22),
        (request(WRITE, 0, 1, end, 512, &[0; 512]), 28),
        (request(WRITE, 0, 1, 1, 512, &[0; 512]), 22),
        (request(WRITE_ZEROES, 0, 1, end - 512, 1024, &[]), 28),
        (request(WRITE_ZEROES, 16, 1, 0, 512, &[]), 22),
        (request(TRIM, 0, 1, end - 512, 1024, &[]), 22),
        (request(FLUSH, 0, 1, 512, 0, &[]), 22),
        (request(8, 0, 1, 0, 512, &[]), 95),
        (request(77, 0, 1, 0, 512, &[]), 95),
    ] {
        assert_eq!(error_of(&input), error, "{input:?}");
    }
}

#[test]
fn clients_that_break_the_protocol_are_left() {
    let long = (PAYLOAD_MAX + 1).to_be_bytes();
    let mut write = request(WRITE, 0, 1, 0, 0, &[]);
    write[24..28].copy_from_slice(&long);
    let many: Vec<u8> = (0..300).flat_map(|_| option(3, &[])).collect();
    for input in [
        [0xff; 4].to_vec(),
        bytes(&[&FLAGS, b"HTTP/1.1 200 OK\r\n\r\n"]),
        bytes(&[&FLAGS, &OPTION_MAGIC.to_be_bytes(), &[0, 0, 0, 3], &long]),
        bytes(&[&FLAGS, &many]),
        bytes(&[&whole_handshake(), &[0; 28]]),
        bytes(&[&whole_handshake(), &write]),
    ] {
        assert!(run(&input, 4096).0.is_err(), "{:?}", &input[..input.len().min(64)]);
    }
}

#[test]
fn block_status_needs_its_context() {
    let plain = bytes(&[&FLAGS, &option(8, &[]), &go(7, "", &[])]);
    let (inputs, _) = run(&bytes(&[&plain, &request(BLOCK_STATUS, 0, 1, 0, 512, &[])]), 64);
    assert_eq!(inputs, Ok(vec![]), "it is refused");
}

#[test]
fn replies_are_what_the_protocol_says() {
    let mut out = Vec::new();
    reply::done(&mut out, false, 0x0102);
    assert_eq!(out, [0x67, 0x44, 0x66, 0x98, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    out.clear();
    reply::data(&mut out, false, 3, 0, 2, |into| {
        into.copy_from_slice(&[8, 9]);
        Ok(())
    });
    assert_eq!(out[16..], [8, 9]);
    out.clear();
    reply::data(&mut out, true, 3, 512, 2, |into| {
        into.copy_from_slice(&[8, 9]);
        Ok(())
    });
    let want = [
        0x66, 0x8e, 0x33, 0xef, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 2, 0, 8, 9,
    ];
    assert_eq!(out, want);
    out.clear();
    let extents =
        [reply::Extent { bytes: 512, has_data: true }, reply::Extent { bytes: 1024, has_data: false }];
    reply::block_status(&mut out, 3, &extents);
    assert_eq!(out[20..], [0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 3]);
}
