//! A server and its clients, over a Unix socket.

mod common;

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use common::running::{Client, config, options, refusal, start};
use common::*;
use wordline_serve::{Pace, ServeOptions, Server};

#[test]
fn data_come_back_over_every_connection() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(config(&[]), options(&folder.path().join("s")));
    let (mut a, mut b) = (server.connect(), server.connect());
    a.write(4096, &[5; 8192], 0);
    assert_eq!(b.read(8192, 4096), [5; 4096], "CAN_MULTI_CONN: answered writes are seen by all");
    b.ask(WRITE_ZEROES, 0, 4096, 1024, &[]).unwrap();
    b.ask(WRITE_ZEROES, 2, 8192, 512, &[]).unwrap();
    assert_eq!(a.read(4096, 1536), [vec![0; 1024], vec![5; 512]].concat());
    assert_eq!(a.read(8192, 1024), [vec![0; 512], vec![5; 512]].concat());
    a.ask(TRIM, 0, 8192, 4096, &[]).unwrap();
    a.ask(CACHE, 0, 0, 4096, &[]).unwrap();
    b.ask(FLUSH, 0, 0, 0, &[]).unwrap();
    assert_eq!(a.ask(READ, 0, 1, 512, &[]), Err(22));
    assert_eq!(a.read(0, 512), [0; 512], "and goes on");
    let session = server.stop().session;
    assert_eq!((session.clients, session.requests), (2, 10));
    assert!(!folder.path().join("s").exists(), "the socket is removed");
}

#[test]
fn the_socket_is_its_owners_and_a_stale_one_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let server = start(config(&[]), options(&socket));
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let second = Server::new(options(&socket), 1 << 20, 4096).unwrap_err().to_string();
    assert!(second.contains("another server listens there"), "{second}");
    server.stop();
    std::fs::write(&socket, "mine").unwrap();
    let file = Server::new(options(&socket), 1 << 20, 4096).unwrap_err().to_string();
    assert!(file.contains("no socket"), "{file}");
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "mine");
}

#[test]
fn a_file_of_somebody_else_stays_and_the_error_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("thesis.tex");
    std::fs::write(&mine, "mine").unwrap();
    let plain = || options(&folder.path().join("s"));
    let as_record = ServeOptions { record: Some(mine.clone()), ..plain() };
    let as_store = ServeOptions { store: Some(mine.clone()), ..plain() };
    for (options, said) in [
        (as_record, "thesis.tex: a file is there already; name another one"),
        (as_store, "thesis.tex: the file has 4 bytes, the SSD 1048576: name another file"),
    ] {
        let error = Server::new(options, 1 << 20, 4096).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "mine");
    }
}

#[test]
fn two_servers_do_not_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let with_store = |name: &str| ServeOptions {
        store: Some(folder.path().join("store")),
        ..options(&folder.path().join(name))
    };
    let config = config(&[]);
    let bytes = config.host_sectors() * 512;
    let server = start(config, with_store("a"));
    let error = Server::new(with_store("b"), bytes, 4096).unwrap_err().to_string();
    assert!(error.contains("another server uses this store"), "{error}");
    assert!(!folder.path().join("b").exists());
    server.stop();
}

#[test]
fn a_client_that_vanishes_or_lies_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(config(&[]), options(&folder.path().join("s")));
    let mut good = server.connect();
    good.write(0, &[1; 4096], 0);
    let mut vanishing = server.connect();
    for place in 0..64 {
        vanishing.send(WRITE, 0, place * 4096, 4096, &[2; 4096]);
    }
    drop(vanishing);
    let mut liar = server.connect();
    liar.stream.write_all(&[0xff; 28]).unwrap();
    assert!(liar.is_disconnected());
    let mut half = server.connect();
    half.stream.write_all(&request(WRITE, 0, 1, 0, 4096, &[3; 100])).unwrap();
    drop(half);
    let data = good.read(0, 4096);
    assert!(data == [1; 4096] || data == [2; 4096], "the whole of one write");
    let more: Vec<Client> = (0..3).map(|_| server.connect()).collect();
    assert_eq!(refusal(&server.socket), "4 clients are connected, and --clients allows no more");
    drop(more);
    assert_eq!(good.read(4096, 512).len(), 512);
    server.stop();
}

#[test]
fn a_server_ends_with_its_last_client_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(config(&[]), ServeOptions { once: true, ..options(&folder.path().join("s")) });
    // fio looks at the device first, and connects again to use it.
    let mut looks = server.connect();
    looks.send(LEAVE, 0, 0, 0, &[]);
    assert!(looks.is_disconnected());
    std::thread::sleep(Duration::from_millis(700));
    let mut client = server.connect();
    client.write(0, &[1; 512], 0);
    client.send(LEAVE, 0, 0, 0, &[]);
    assert!(client.is_disconnected());
    assert_eq!(server.thread.join().unwrap().session.requests, 1);
}

#[test]
fn a_power_cut_loses_what_was_neither_flushed_nor_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let cut = Some((1_000_000_000, 0));
    let options = ServeOptions { power_cut: cut, ..options(&folder.path().join("s")) };
    let server = start(config(&["cache.mode=write"]), options);
    let mut client = server.connect();
    client.write(0, &[1; 4096], 0);
    client.ask(FLUSH, 0, 0, 0, &[]).unwrap();
    client.write(4096, &[2; 4096], 1);
    client.write(8192, &[3; 4096], 0);
    client.write(0, &[4; 512], 0);
    // Time passes with requests alone: reads until the second is over.
    while client.cookie < 100_000 {
        client.cookie += 1;
        let read = request(READ, 0, client.cookie, 1 << 20, 4096, &[]);
        let mut answer = [0; 16 + 4096];
        if client.stream.write_all(&read).is_err() || client.stream.read_exact(&mut answer).is_err() {
            break;
        }
    }
    assert!(client.is_disconnected());
    let mut client = server.connect();
    assert_eq!(client.read(0, 4096), [1; 4096], "flushed, and what was written over it is lost");
    assert_eq!(client.read(4096, 4096), [2; 4096], "FUA");
    assert_eq!(client.read(8192, 4096), [0; 4096], "lost");
    let session = server.stop().session;
    // Power fails when the next request arrives, which finds it off.
    assert!(session.power_was_cut);
    assert_eq!(session.unanswered, 1);
}

#[test]
fn in_wall_time_an_answer_takes_as_long_as_it_is_simulated_to() {
    let folder = tempfile::tempdir().unwrap();
    let options = ServeOptions { pace: Pace::SlowDown(20.0), ..options(&folder.path().join("s")) };
    let server = start(config(&["nand.program_us=[1000.0]"]), options);
    let mut client = server.connect();
    #[expect(clippy::disallowed_types, reason = "it is the wall time that is tested")]
    let start = std::time::Instant::now();
    client.write(0, &[1; 4096], 0);
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(20), "a program of 1 ms, twenty times slower: {took:?}");
    let session = server.stop().session;
    assert!(session.lateness.is_some() && session.slow_down == 20.0);
}

#[test]
fn a_client_that_idles_in_its_handshake_gives_way_to_one_that_waits() {
    let folder = tempfile::tempdir().unwrap();
    let two = ServeOptions { clients_max: 2, ..options(&folder.path().join("s")) };
    let server = start(config(&[]), two);
    let mut idle: Vec<_> = (0..2).map(|_| UnixStream::connect(&server.socket).unwrap()).collect();
    for stream in &mut idle {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.read_exact(&mut [0; 18]).unwrap();
    }
    std::thread::sleep(Duration::from_millis(800));
    // Both places are taken by clients that say nothing.
    let mut client = server.connect();
    client.write(0, &[7; 512], 0);
    assert_eq!(client.read(0, 512), [7; 512]);
    assert_eq!(idle[0].read(&mut [0]).unwrap(), 0, "the one that came first has lost its place");
    server.stop();
}
