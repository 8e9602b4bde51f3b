//! Damaged handshakes and requests: none may crash a session or a server, or let it go on for ever.
//!
//! `WORDLINE_CASES` and `WORDLINE_SEED` set other numbers of inputs, and others. A server gets one for every hundred.

mod common;

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use common::running::{config, options, start};
use common::*;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use wordline_serve::protocol::{Command, Input, Session};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn below(random: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    (random.next_u64() % n as u64) as usize
}

/// Messages that make sense, any of which may follow any other.
fn messages() -> Vec<Vec<u8>> {
    vec![
        3u32.to_be_bytes().to_vec(),
        option(3, &[]),
        option(8, &[]),
        meta_context(9, "", &["base:"]),
        meta_context(10, "ssd", &["base:allocation", "x-a:b"]),
        go(6, "ssd", &[1, 2, 3]),
        go(7, "", &[3]),
        option(1, b"ssd"),
        request(READ, 0, 1, 512, 4096, &[]),
        request(WRITE, 1, 2, 1024, 512, &[7; 512]),
        request(FLUSH, 0, 3, 0, 0, &[]),
        request(TRIM, 0, 4, 0, 8192, &[]),
        request(WRITE_ZEROES, 3, 6, 0, 512, &[]),
        request(BLOCK_STATUS, 8, 8, 0, 512, &[]),
        request(LEAVE, 0, 9, 0, 0, &[]),
    ]
}

/// A client's bytes: a few messages, mostly behind a handshake, a few of whose bytes are changed, lost or doubled.
fn damaged(random: &mut Xoshiro256PlusPlus, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut input = if below(random, 4) > 0 { whole_handshake() } else { Vec::new() };
    for _ in 0..below(random, 6) {
        input.extend_from_slice(&messages[below(random, messages.len())]);
    }
    for _ in 0..below(random, 5) {
        if input.is_empty() {
            break;
        }
        let at = below(random, input.len());
        match below(random, 5) {
            0 => input[at] = random.next_u64() as u8,
            1 => input[at] ^= 1 << below(random, 8),
            2 => input.truncate(at),
            3 => _ = input.remove(at),
            _ => {
                let end = (at + below(random, 64)).min(input.len());
                let piece = input[at..end].to_vec();
                input.splice(at..at, piece);
            }
        }
    }
    input
}

#[test]
fn no_input_crashes_or_hangs_a_session() {
    let (export, messages) = (export(), messages());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number("WORDLINE_SEED", 1));
    let cases = number("WORDLINE_CASES", 50_000);
    let (mut requests, mut violations) = (0u64, 0u64);
    for _ in 0..cases {
        let input = damaged(&mut random, &messages);
        let mut out = Vec::new();
        let mut session = Session::new(&mut out, None);
        let piece = 1 + below(&mut random, 200);
        let mut inputs = 0;
        'client: for piece in input.chunks(piece) {
            session.receive(piece);
            loop {
                match session.next_input(&export, &mut out) {
                    Ok(Some(Input::Request(request))) => {
                        let end = request.offset + u64::from(request.bytes);
                        assert!(end <= EXPORT_BYTES, "{request:?} reaches too far");
                        if let Command::Write(data) = &request.command {
                            assert_eq!(data.len(), request.bytes as usize);
                        }
                        inputs += 1;
                    }
                    Ok(Some(Input::Leave)) => break 'client,
                    Ok(None) => break,
                    Err(_) => {
                        violations += 1;
                        break 'client;
                    }
                }
            }
        }
        assert!(inputs <= input.len() / 28, "a request takes 28 bytes");
        assert!(out.len() <= 1024 + input.len() * 64, "{} bytes answer {}", out.len(), input.len());
        requests += inputs as u64;
    }
    assert!(requests > cases / 10 && violations > cases / 10, "{requests} requests, {violations} violations");
}

#[test]
fn no_client_crashes_or_hangs_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let settings = ["cache.mode=read-write", "cache.capacity_bytes=65536", "precondition.fill=0.9"];
    let server = start(config(&settings), options(&folder.path().join("s")));
    let mut good = server.connect();
    let messages = messages();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number("WORDLINE_SEED", 1));
    let cases = number("WORDLINE_CASES", 50_000) / 100;
    for _ in 0..cases {
        let mut bad = UnixStream::connect(&server.socket).unwrap();
        bad.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The server may leave while it is still being told.
        _ = bad.write_all(&damaged(&mut random, &messages));
        _ = bad.shutdown(Shutdown::Write);
        if below(&mut random, 2) == 0 {
            let end = bad.read_to_end(&mut Vec::new()).map_err(|error| error.kind());
            assert!(!matches!(end, Err(std::io::ErrorKind::WouldBlock)), "the server does not close");
        }
        // Far from where the messages write, unless damage has hit an address.
        let place = 1 << 20;
        good.write(place, &[9; 4096], 0);
        assert_eq!(good.read(place, 4096).len(), 4096);
    }
    drop(good);
    assert!(server.stop().session.requests >= 2 * cases);
}
