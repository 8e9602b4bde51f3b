//! A server on a thread of its own, and the least that a client of it can be.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use wordline_core::config::{Config, Layer, resolve};
use wordline_core::host::{FlowInput, Replay};
use wordline_core::{RunOptions, Ssd};
use wordline_serve::{Endpoint, Pace, ServeOptions, Server, SessionReport};

use super::{READ, WRITE, bytes, go, option, request};

const SMALL: &[&str] = &[
    "ssd.channels=2",
    "ssd.chips_per_channel=1",
    "ssd.dies_per_chip=1",
    "ssd.planes_per_die=1",
    "ssd.blocks_per_plane=64",
    "ssd.pages_per_block=32",
    "ssd.page_bytes=4096",
    "ssd.overprovisioning=0.25",
];

/// A small SSD's configuration, with some settings.
pub fn config(settings: &[&str]) -> Config {
    let all = [SMALL, settings].concat();
    let layers: Vec<Layer> = all.iter().map(|s| Layer::assignment(s).expect("an assignment")).collect();
    resolve(&layers).unwrap_or_else(|error| panic!("{error}")).config
}

/// How tests serve, unless they say otherwise.
pub fn options(socket: &Path) -> ServeOptions {
    ServeOptions {
        address: Endpoint::Unix(socket.to_owned()),
        name: "ssd".to_owned(),
        description: String::new(),
        pace: Pace::Virtual,
        record: None,
        store: None,
        sync: wordline_serve::store::Sync::AtFlush,
        once: false,
        clients_max: 4,
        patience: Duration::from_secs(60),
        power_cut: None,
        fails_uncorrectable: false,
    }
}

/// A server on a thread of its own.
pub struct Running {
    pub socket: PathBuf,
    stop: Arc<AtomicBool>,
    pub thread: JoinHandle<SessionReport>,
}

/// Begins to serve an SSD, in checked mode.
pub fn start(config: Config, options: ServeOptions) -> Running {
    let Endpoint::Unix(socket) = options.address.clone() else { panic!("tests use Unix sockets") };
    let server = Server::new(options, config.host_sectors() * 512, config.ssd.page_bytes).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let thread = std::thread::spawn(move || {
        let flow = FlowInput::new("session", Box::new(std::iter::empty()), Replay::Open);
        let mut ssd = Ssd::new(&config, vec![flow], &RunOptions { check: true, ..RunOptions::default() });
        server.serve(&mut ssd, &mut |_| !stopped.load(Ordering::Relaxed)).unwrap()
    });
    Running { socket, stop, thread }
}

impl Running {
    pub fn stop(self) -> SessionReport {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }

    pub fn connect(&self) -> Client {
        let mut stream = UnixStream::connect(&self.socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // Plain replies: client flags and EXPORT_NAME without zeros.
        stream.write_all(&bytes(&[&[0, 0, 0, 3], &option(1, b"")])).unwrap();
        let mut greeting = [0; 18 + 10];
        stream.read_exact(&mut greeting).unwrap();
        Client { stream, cookie: 0 }
    }
}

/// Asks for the device, and is told why it cannot have it.
pub fn refusal(socket: &Path) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(&bytes(&[&3u32.to_be_bytes(), &go(7, "", &[])])).unwrap();
    let mut heard = Vec::new();
    stream.read_to_end(&mut heard).unwrap();
    // Behind the greeting: magic, option, kind of the answer, length.
    assert_eq!(heard[18 + 8..18 + 16], bytes(&[&7u32.to_be_bytes(), &0x8000_0002u32.to_be_bytes()]));
    String::from_utf8(heard[18 + 20..].to_vec()).unwrap()
}

/// A client in its transmission phase, with simple replies.
pub struct Client {
    pub stream: UnixStream,
    pub cookie: u64,
}

impl Client {
    /// Sends a request; its answer is to be had later.
    pub fn send(&mut self, kind: u16, flags: u16, offset: u64, length: u32, data: &[u8]) {
        self.cookie += 1;
        self.stream.write_all(&request(kind, flags, self.cookie, offset, length, data)).unwrap();
    }

    /// The error of the next answer, and so many bytes of data behind it where there is none.
    pub fn answer(&mut self, length: usize) -> Result<Vec<u8>, u32> {
        let mut header = [0; 16];
        self.stream.read_exact(&mut header).unwrap();
        assert_eq!(header[..4], 0x6744_6698u32.to_be_bytes());
        match u32::from_be_bytes(header[4..8].try_into().unwrap()) {
            0 => {
                let mut data = vec![0; length];
                self.stream.read_exact(&mut data).unwrap();
                Ok(data)
            }
            error => Err(error),
        }
    }

    pub fn ask(
        &mut self,
        kind: u16,
        flags: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> Result<Vec<u8>, u32> {
        self.send(kind, flags, offset, length, data);
        self.answer(if kind == READ { length as usize } else { 0 })
    }

    pub fn write(&mut self, offset: u64, data: &[u8], flags: u16) {
        self.ask(WRITE, flags, offset, data.len() as u32, data).unwrap();
    }

    pub fn read(&mut self, offset: u64, length: u32) -> Vec<u8> {
        self.ask(READ, 0, offset, length, &[]).unwrap()
    }

    pub fn is_disconnected(&mut self) -> bool {
        self.stream.read(&mut [0]).map_or(true, |count| count == 0)
    }
}
