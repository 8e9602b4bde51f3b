//! Clients that ask for too much, stop, or take nothing: the server lives, and the others are served.

mod common;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use common::running::{config, options, refusal, start};
use common::*;
use wordline_serve::ServeOptions;

/// An SSD of 16 GiB, whose mapping table and blocks are small.
const LARGE: &[&str] = &["ssd.blocks_per_plane=1024", "ssd.pages_per_block=1024", "ssd.page_bytes=16384"];
const GIB: u64 = 1 << 30;

/// Waits until the server has closed the connection; what came before.
fn rest(stream: &mut UnixStream) -> Vec<u8> {
    let mut heard = Vec::new();
    match stream.read_to_end(&mut heard) {
        Ok(_) => heard,
        Err(error) => {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "the server does not close");
            heard
        }
    }
}

/// While one client asks for 8 TiB in 112 KiB, another one has its turn each time.
#[test]
fn long_requests_of_one_client_take_turns_with_short_ones_of_another() {
    let folder = tempfile::tempdir().unwrap();
    for (name, kind, flags) in
        [("a", CACHE, 0), ("b", TRIM, 0), ("c", WRITE_ZEROES, 0), ("d", WRITE_ZEROES, 2)]
    {
        let server = start(config(LARGE), options(&folder.path().join(name)));
        let (mut greedy, mut other) = (server.connect(), server.connect());
        other.write(3 * GIB, &[7; 4096], 0);
        for _ in 0..4096 {
            greedy.send(kind, flags, 0, 2 * GIB as u32, &[]);
        }
        for place in 0..20 {
            assert_eq!(other.read(3 * GIB + place % 8 * 512, 512), [7; 512]);
        }
        drop(greedy);
        let requests = server.stop().session.requests;
        assert!(requests < 4096, "the other client had to wait for all of kind {kind}");
    }
}

#[test]
fn a_long_request_is_answered_once_when_all_of_it_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(config(LARGE), options(&folder.path().join("s")));
    let mut client = server.connect();
    client.write(0, &[1; 4096], 0);
    client.write(GIB - 4096, &[2; 4096], 0);
    client.write(GIB, &[3; 4096], 0);
    client.ask(WRITE_ZEROES, 1, 512, (GIB - 512) as u32, &[]).unwrap();
    assert_eq!(client.read(0, 1024), [[1; 512], [0; 512]].concat());
    assert_eq!(client.read(GIB - 4096, 8192), [[0; 4096], [3; 4096]].concat());
    assert_eq!(server.stop().session.requests, 6);
}

#[test]
fn clients_that_stop_in_a_request_or_take_nothing_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Duration::from_millis(300);
    let server = start(config(&[]), ServeOptions { patience, ..options(&folder.path().join("s")) });
    let (mut inside, mut deaf, mut idle) = (server.connect(), server.connect(), server.connect());
    inside.stream.write_all(&request(WRITE, 0, 1, 0, 4096, &[3; 100])).unwrap();
    for place in 0..64 {
        deaf.send(READ, 0, place * 65_536, 65_536, &[]);
    }
    assert!(rest(&mut inside.stream).is_empty());
    std::thread::sleep(2 * patience);
    // It had its time: what it takes now is what the socket held.
    assert!(rest(&mut deaf.stream).len() < 64 * 65_536);
    // One that asks for nothing is welcome to stay.
    idle.write(0, &[1; 512], 0);
    assert_eq!(idle.read(0, 512), [1; 512]);
    server.stop();
}

#[test]
fn the_places_of_turned_away_clients_are_not_taken_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let one = ServeOptions { clients_max: 1, ..options(&folder.path().join("s")) };
    let server = start(config(&[]), one);
    let mut client = server.connect();
    client.write(0, &[1; 512], 0);
    // They say nothing, and more of them than can be told why.
    let silent: Vec<UnixStream> = (0..40).map(|_| UnixStream::connect(&server.socket).unwrap()).collect();
    for mut stream in silent {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        rest(&mut stream);
    }
    assert!(refusal(&server.socket).contains("--clients"));
    assert_eq!(client.read(0, 512), [1; 512]);
    server.stop();
}
