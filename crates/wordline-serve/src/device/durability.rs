//! What was acknowledged as durable is there: through full disks, faults, power cuts, kills and crashes.
//!
//! `WORDLINE_CASES` and `WORDLINE_SEED` set another number of random sequences, and others.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::io::Errno as Fault;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::host::{FlowInput, Replay};
use wordline_core::{RunOptions, Ssd};

use super::faulty::{Faulty, Plan};
use super::{Arrival, Behaviour, Device, Until};
use crate::protocol::{Command, NbdRequest};
use crate::queue::Piece;
use crate::store::{Store, Sync};

const SECTOR: usize = 512;
const PAGE: u32 = 4096;
/// Requests go to so many sectors at the front of the SSD.
const SECTORS: usize = 256;
const NEVER: Ns = Ns::MAX - 1;

const TINY: &[&str] = &[
    "ssd.channels=2",
    "ssd.chips_per_channel=1",
    "ssd.dies_per_chip=1",
    "ssd.planes_per_die=1",
    "ssd.blocks_per_plane=16",
    "ssd.pages_per_block=8",
    "ssd.page_bytes=4096",
    "ssd.overprovisioning=0.4",
];

fn config(settings: &[&str]) -> Config {
    let all = [TINY, settings].concat();
    let layers: Vec<Layer> = all.iter().map(|s| Layer::assignment(s).expect("an assignment")).collect();
    resolve(&layers).unwrap_or_else(|error| panic!("{error}")).config
}

/// SSDs whose writes are durable at once, after a flush, and always by backup power.
fn configs() -> Vec<Config> {
    let small = "cache.capacity_bytes=32768";
    vec![
        config(&["cache.mode=off"]),
        config(&["cache.mode=write", small]),
        config(&["cache.mode=read-write", small, "cache.flush=full"]),
        config(&["cache.mode=write", small, "power.protected=true"]),
    ]
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// What a sector may hold. Each write has a value of its own; 0 stands for zeros.
#[derive(Clone, Debug)]
struct Sector {
    /// What a read may find.
    now: Vec<u32>,
    /// What a read may find when power or program have failed.
    durable: Vec<u32>,
    /// It is that of a session whose sync failed: the system believes that the disk has what a read finds.
    is_doubtful: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Trim,
    Zeroes { may_deallocate: bool },
    Cache,
    Flush,
}

const KINDS: [Kind; 7] = [
    Kind::Read,
    Kind::Write,
    Kind::Trim,
    Kind::Zeroes { may_deallocate: true },
    Kind::Zeroes { may_deallocate: false },
    Kind::Cache,
    Kind::Flush,
];

#[derive(Clone, Copy, Debug)]
struct Ask {
    kind: Kind,
    fua: bool,
    from: usize,
    count: usize,
    /// What a write leaves.
    value: u32,
}

impl Ask {
    fn request(&self, cookie: u64) -> NbdRequest {
        let data = self.value.to_le_bytes().repeat(self.count * SECTOR / 4);
        let command = match self.kind {
            Kind::Read => Command::Read,
            Kind::Write => Command::Write(data),
            Kind::Trim => Command::Trim,
            Kind::Zeroes { may_deallocate } => Command::WriteZeroes { may_deallocate },
            Kind::Cache => Command::Cache,
            Kind::Flush => Command::Flush,
        };
        let (from, count) = if self.kind == Kind::Flush { (0, 0) } else { (self.from, self.count) };
        NbdRequest {
            cookie,
            command,
            offset: (from * SECTOR) as u64,
            bytes: (count * SECTOR) as u32,
            fua: self.fua,
        }
    }

    /// What its sectors hold afterwards, for one that changes them.
    fn leaves(&self) -> Option<u32> {
        match self.kind {
            Kind::Write => Some(self.value),
            Kind::Trim | Kind::Zeroes { .. } => Some(0),
            Kind::Read | Kind::Cache | Kind::Flush => None,
        }
    }
}

/// How a session ends, or what it lives through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// All of it in good order, and then the machine crashes.
    Good,
    /// The program is killed; the system goes on.
    Killed,
    /// The machine crashes.
    Crashed,
}

/// What is told of a sequence that fails.
#[derive(Debug)]
#[expect(dead_code, reason = "for the message of a failure")]
enum Event {
    Sequence(u64, Sync),
    Asks(Vec<Ask>),
    Plan(Option<Plan>),
    PowerCut,
    End(End),
}

/// A disk, and what has to be on it.
struct Bench {
    disk: Faulty,
    sync: Sync,
    sectors: Vec<Sector>,
    value: u32,
    /// A sync has failed in an earlier session.
    is_doubtful: bool,
    /// What was done, for the message of a failure.
    story: Vec<Event>,
}

impl Bench {
    fn new(seed: u64, sync: Sync) -> Bench {
        let sector = Sector { now: vec![0], durable: vec![0], is_doubtful: false };
        Bench {
            disk: Faulty::new(SECTORS * SECTOR, Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5eed)),
            sync,
            sectors: vec![sector; SECTORS],
            value: 0,
            is_doubtful: false,
            story: Vec::new(),
        }
    }

    fn ask(&mut self, kind: Kind, fua: bool, from: usize, count: usize) -> Ask {
        self.value += 1;
        Ask { kind, fua, from, count, value: self.value }
    }

    /// A session on the disk.
    fn session(&mut self, config: &Config, mut goes_on: impl FnMut(&mut Bench, &mut Device<'_>), end: End) {
        self.begin();
        let flow = FlowInput::new("session", Box::new(std::iter::empty()), Replay::Open);
        let options = RunOptions { check: true, ..RunOptions::default() };
        let mut ssd = Ssd::new(config, vec![flow], &options);
        let store = Store::on(Box::new(self.disk.clone()), PAGE, self.sync);
        let behaviour = Behaviour { cut: None, fails_uncorrectable: false };
        let mut device = Device::new(&mut ssd, store, None, &behaviour).unwrap();
        goes_on(self, &mut device);
        self.end(&mut device, end);
    }

    /// Power or program have failed: what a read may find now is what was durable.
    fn begin(&mut self) {
        for sector in &mut self.sectors {
            sector.now = sector.durable.clone();
            sector.is_doubtful = self.is_doubtful;
        }
    }

    fn end(&mut self, device: &mut Device<'_>, end: End) {
        self.story.push(Event::End(end));
        self.is_doubtful |= device.store.trusted().is_err();
        if end == End::Good {
            device.finish().unwrap();
            self.is_doubtful |= device.store.trusted().is_err();
            if device.store_ended.is_none() {
                self.all_is_durable();
            }
        }
        // The one sync of a session may have failed: then it promises nothing of a crash.
        let is_synced = self.sync == Sync::AtFlush || !self.is_doubtful && device.store_ended.is_none();
        if end != End::Killed && is_synced {
            self.disk.crash();
        }
    }

    fn all_is_durable(&mut self) {
        for sector in self.sectors.iter_mut().filter(|sector| !sector.is_doubtful) {
            sector.durable = sector.now.clone();
        }
    }

    /// Requests arrive together, of which no two change the same sectors. Those that are not answered after
    /// `limit` are left without an answer. Returns how many failed.
    fn serve(&mut self, device: &mut Device<'_>, asks: &[Ask], limit: Ns) -> usize {
        self.story.push(Event::Asks(asks.to_vec()));
        let has_flush = asks.iter().any(|ask| ask.kind == Kind::Flush);
        let before = if has_flush { self.sectors.clone() } else { Vec::new() };
        let failures_before = self.disk.failures();
        let was_trusted = device.store.trusted().is_ok();
        let mut arrivals = (0..)
            .zip(asks)
            .map(|(cookie, ask)| Arrival {
                client: 1,
                piece: Piece { request: ask.request(cookie), units: 1, of: None },
            })
            .collect();
        device.arrive(0, &mut arrivals).unwrap();
        device.advance(limit, Until::Limit).unwrap();
        let mut failed = 0;
        let mut is_answered = vec![false; asks.len()];
        // What changes data comes first, and a flush last: reads and flushes of the same moment see all of it.
        let mut answers = std::mem::take(&mut device.answers);
        answers.sort_by_key(|answer| asks[answer.cookie as usize].leaves().is_none());
        for answer in &answers {
            let ask = &asks[answer.cookie as usize];
            is_answered[answer.cookie as usize] = true;
            failed += usize::from(answer.failure.is_some());
            match (ask.kind, answer.failure) {
                (Kind::Flush, None) => self.flushed(&before, asks),
                (Kind::Read, None) => failed += usize::from(!self.reads(device, ask)),
                (_, failure) => self.changed(ask, failure.is_none()),
            }
        }
        for (ask, _) in asks.iter().zip(is_answered).filter(|(_, is_answered)| !is_answered) {
            self.changed(ask, false);
        }
        if was_trusted && self.disk.failures() == failures_before {
            assert_eq!(failed, 0, "nothing fails without a cause: {:#?}", self.story);
        }
        failed
    }

    fn changed(&mut self, ask: &Ask, is_acknowledged: bool) {
        let Some(value) = ask.leaves() else { return };
        for sector in &mut self.sectors[ask.from..ask.from + ask.count] {
            if is_acknowledged {
                sector.now.clear();
                sector.is_doubtful = false;
                if ask.fua {
                    sector.durable.clear();
                }
            }
            sector.now.push(value);
            sector.durable.push(value);
        }
    }

    /// A flush covers what was answered before it came.
    fn flushed(&mut self, before: &[Sector], asks: &[Ask]) {
        for (i, (sector, before)) in self.sectors.iter_mut().zip(before).enumerate() {
            if !before.is_doubtful {
                let beside = asks.iter().filter(|ask| (ask.from..ask.from + ask.count).contains(&i));
                sector.durable = before.now.iter().copied().chain(beside.filter_map(Ask::leaves)).collect();
            }
        }
    }

    /// Reads, and compares; false where the store cannot be read.
    fn reads(&mut self, device: &Device<'_>, ask: &Ask) -> bool {
        let mut data = vec![0xee; ask.count * SECTOR];
        if device.store.read((ask.from * SECTOR) as u64, &mut data).is_err() {
            return false;
        }
        for (place, bytes) in (ask.from..).zip(data.chunks(SECTOR)) {
            let value = u32::from_le_bytes(bytes[..4].try_into().unwrap());
            let sector = &mut self.sectors[place];
            assert!(
                sector.now.contains(&value) && bytes.chunks(4).all(|word| word == value.to_le_bytes()),
                "sector {place} holds {value}, not {:?}: {:#?}",
                sector.now,
                self.story
            );
            // It stays so.
            sector.now = vec![value];
        }
        true
    }

    fn read_all(&mut self, device: &mut Device<'_>) {
        let all = self.ask(Kind::Read, false, 0, SECTORS);
        self.serve(device, &[all], NEVER);
    }

    fn power_cut(&mut self, device: &mut Device<'_>) {
        self.story.push(Event::PowerCut);
        let is_saved = device.ssd.is_protected();
        device.cut_power().unwrap();
        for sector in self.sectors.iter_mut().filter(|_| !is_saved) {
            sector.now = sector.durable.clone();
            sector.is_doubtful = self.is_doubtful;
        }
    }

    fn set(&mut self, plan: Option<Plan>) {
        self.story.push(Event::Plan(plan));
        self.disk.set(plan);
    }
}

fn below(random: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    (random.next_u64() % n as u64) as usize
}

fn draw_asks(bench: &mut Bench, random: &mut Xoshiro256PlusPlus) -> Vec<Ask> {
    // Each has a stretch of its own.
    let asks = 1 + below(random, 4);
    let stretch = SECTORS / asks;
    (0..asks)
        .map(|i| {
            // Half of all requests write.
            let kind = if below(random, 2) == 0 { Kind::Write } else { KINDS[below(random, KINDS.len())] };
            let from = below(random, stretch);
            let count = 1 + below(random, (stretch - from).min(40));
            bench.ask(kind, below(random, 3) == 0, i * stretch + from, count)
        })
        .collect()
}

fn draw_plan(random: &mut Xoshiro256PlusPlus) -> Plan {
    let errno = if below(random, 2) == 0 { Fault::NOSPC } else { Fault::IO };
    let calls = if below(random, 2) == 0 { u32::MAX } else { 1 + below(random, 4) as u32 };
    Plan { after: below(random, 12) as u32, calls, errno }
}

/// One step of a random sequence.
fn step(bench: &mut Bench, device: &mut Device<'_>, random: &mut Xoshiro256PlusPlus) {
    match below(random, 20) {
        0 | 1 => {
            let plan = draw_plan(random);
            bench.set(Some(plan));
        }
        2 | 3 => bench.set(None),
        4 => bench.read_all(device),
        5 => {
            let asks = draw_asks(bench, random);
            let limit = device.ssd.now() + below(random, 2_000_000) as Ns;
            bench.serve(device, &asks, limit);
            bench.power_cut(device);
        }
        _ => {
            let asks = draw_asks(bench, random);
            bench.serve(device, &asks, NEVER);
        }
    }
}

#[test]
fn nothing_acknowledged_as_durable_is_lost_in_random_sequences() {
    let configs = configs();
    let first = number("WORDLINE_SEED", 1);
    let mut failures = 0;
    for seed in first..first + number("WORDLINE_CASES", 400) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sync = if below(&mut random, 3) > 0 { Sync::AtFlush } else { Sync::AtEnd };
        let mut bench = Bench::new(seed, sync);
        bench.story.push(Event::Sequence(seed, sync));
        for _ in 0..1 + below(&mut random, 3) {
            let config = &configs[below(&mut random, configs.len())];
            // Without a sync at each flush, a crash of the machine may lose anything.
            let ends = [End::Good, End::Killed, End::Crashed];
            let end = ends[below(&mut random, if sync == Sync::AtFlush { 3 } else { 2 })];
            let steps = 1 + below(&mut random, 12);
            bench.session(
                config,
                |bench, device| (0..steps).for_each(|_| step(bench, device, &mut random)),
                end,
            );
        }
        failures += bench.disk.failures();
        bench.set(None);
        bench.session(&configs[0], |bench, device| bench.read_all(device), End::Killed);
    }
    assert!(failures > 100, "{failures} calls failed");
}

/// Each call of the disk in a session of all commands fails, once or for good: every read before and after a restart is
/// compared, and once there is room again everything works.
#[test]
fn each_call_of_the_disk_may_fail() {
    // The others differ in when pages leave the cache.
    for config in configs().into_iter().take(2) {
        for (errno, calls) in
            [(Fault::NOSPC, 1), (Fault::NOSPC, u32::MAX), (Fault::IO, 1), (Fault::IO, u32::MAX)]
        {
            let mut after = 0;
            // Until a session has fewer calls.
            while fail_at(&config, Plan { after, calls, errno }) {
                after += 1;
            }
            assert!(after >= 20, "only {after} calls were tried");
        }
    }
}

/// A session of all commands whose disk fails from some call on; false if that call did not come.
fn fail_at(config: &Config, plan: Plan) -> bool {
    let mut bench = Bench::new(u64::from(plan.after), Sync::AtFlush);
    let everything = |bench: &mut Bench, device: &mut Device<'_>| {
        for fua in [false, true] {
            for (i, kind) in KINDS.into_iter().enumerate() {
                let from = 9 * i;
                let asks = [bench.ask(Kind::Write, fua, from, 30), bench.ask(kind, fua, 100 + from, 17)];
                bench.serve(device, &asks, NEVER);
                let over = bench.ask(kind, fua, from + 3, 12);
                bench.serve(device, &[over], NEVER);
                _ = device.store.extents(0, (SECTORS * SECTOR) as u32, false);
            }
            bench.read_all(device);
        }
    };
    let mut is_usable = true;
    bench.session(
        config,
        |bench, device| {
            let all = bench.ask(Kind::Write, false, 0, SECTORS);
            bench.serve(device, &[all], NEVER);
            bench.set(Some(plan));
            everything(bench, device);
            bench.set(None);
            bench.read_all(device);
            is_usable = device.store.trusted().is_ok();
            if is_usable {
                // There is room again: what failed before does not matter any more.
                let again = bench.ask(Kind::Write, true, 0, SECTORS);
                assert_eq!(bench.serve(device, &[again], NEVER), 0);
                bench.read_all(device);
            } else {
                let refused = [bench.ask(Kind::Write, false, 0, 8), bench.ask(Kind::Flush, false, 0, 8)];
                assert_eq!(bench.serve(device, &refused, NEVER), 2, "not before the next session");
            }
        },
        End::Crashed,
    );
    bench.session(config, |bench, device| bench.read_all(device), End::Killed);
    bench.disk.failures() > 0
}
