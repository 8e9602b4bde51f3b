//! The power fails while a log writes: what it has promised can be read back from what the drive still holds.
//!
//! A log knows after a loss of power what it finds on the drive: of each place, which unit was written there, and when. The newest
//! copy of a unit is the unit. Here that is looked up in what the drive says to hold ([`Notice`]), with checked mode beside.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::flash::{Completion, Notice, Status};
use wordline_core::host::{HostRequest, Op};

use super::{LogHost, LogShape, Work};
use crate::Opening;
use crate::hosts::{Done, Host, Jobs};

/// 24 segments of 32 units of 8 KiB, of which the user sees 14.
const DRIVE: &str = "preset = \"mqsim\"\n[ssd]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                     blocks_per_plane = 24\npages_per_block = 32\noverprovisioning = 0.5\n[ftl]\nunmapped_read = \"zero\"\n";
const VOLATILE: &str = "[cache]\nmode = \"write\"\ncapacity_bytes = 524288\nflush = \"full\"\n";
const PROTECTED: &str = "[power]\nprotected = true\n";
const UNIT_SECTORS: u64 = 16;
const SEGMENT_BYTES: u64 = 32 * UNIT_SECTORS * 512;
const SPARE: f64 = 10.0 / 24.0;
const REQUESTS: usize = 2_000;
const CASES: u64 = 60;
/// Units that most writes go to.
const HOT: u64 = 20;

/// A number that says when something was written.
type Turn = u64;

/// Numbers that look random.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Writes of one to four units, in most cases mostly to few units, so that segments die as a whole; flushes, writes with FUA, reads and trims. Units that were
/// trimmed are noted: nothing is promised of them.
fn requests(
    seed: u64,
    logical: u64,
    trimmed: &RefCell<BTreeSet<usize>>,
) -> impl Iterator<Item = HostRequest> {
    let mut draws = Draws(seed);
    let at =
        |op, unit, units: u64| HostRequest::new(0, op, unit * UNIT_SECTORS, (units * UNIT_SECTORS) as u32);
    (0..REQUESTS).map(move |_| {
        let range = if !seed.is_multiple_of(4) && draws.below(8) > 0 { HOT } else { logical };
        let units = 1 + draws.below(4);
        let unit = draws.below(range - units);
        match draws.below(20) {
            0 => HostRequest::new(0, Op::Flush, 0, 0),
            1 => HostRequest { fua: true, ..at(Op::Write, unit, units) },
            2 => at(Op::Read, unit, units),
            3 => {
                let last = logical - 1 - draws.below(HOT);
                trimmed.borrow_mut().insert(last as usize);
                at(Op::Trim, last, 1)
            }
            _ => at(Op::Write, unit, units),
        }
    })
}

/// A request that the log has sent to the drive.
struct Sent {
    job: u64,
    first_place: u64,
    /// Of each place of a write: which unit, and when.
    holds: Vec<Option<(usize, Turn)>>,
}

/// A log on a drive, and what both have said.
struct Scene<'a> {
    ssd: Ssd,
    host: LogHost<'a>,
    jobs: Jobs,
    turn: Turn,
    sent: BTreeMap<u32, Sent>,
    left: BTreeMap<u64, usize>,
    /// Units that a job of the user has written, and when.
    written: BTreeMap<u64, Vec<(usize, Turn)>>,
    /// What the drive has acknowledged before a flush of the user was sent, by its job.
    before_flush: BTreeMap<u64, BTreeMap<usize, Turn>>,
    done: Vec<Done>,
    cached: BTreeMap<u64, (usize, Turn)>,
    kept: BTreeMap<u64, (usize, Turn)>,
    acknowledged: BTreeMap<usize, Turn>,
    promised: BTreeMap<usize, Turn>,
}

impl<'a> Scene<'a> {
    fn new(ssd: Ssd, host: LogHost<'a>) -> Scene<'a> {
        let (jobs, done) = (Jobs::default(), Vec::new());
        let (sent, left, written, before_flush) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (cached, kept, acknowledged, promised) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Scene {
            ssd,
            host,
            jobs,
            turn: 0,
            sent,
            left,
            written,
            before_flush,
            done,
            cached,
            kept,
            acknowledged,
            promised,
        }
    }

    /// Gives the drive what the log has asked for.
    fn submit(&mut self) {
        let lengths = std::mem::take(&mut self.jobs.lengths);
        let ops = std::mem::take(&mut self.jobs.ops);
        self.jobs.marks = false;
        if ops.is_empty() {
            return;
        }
        let now = self.ssd.now();
        self.ssd.run_to_arrival(now).expect("no error");
        self.hear();
        let first = self.jobs.next - lengths.len() as u64;
        let job_of: Vec<u64> =
            (first..).zip(&lengths).flat_map(|(job, &length)| std::iter::repeat_n(job, length)).collect();
        let requests: Vec<HostRequest> = ops
            .iter()
            .map(|placed| {
                HostRequest::new(0, placed.op.op, placed.op.offset / 512, (placed.op.bytes / 512) as u32)
            })
            .collect();
        let mut names = Vec::new();
        // A drive may tell of a request before it returns from the call that brings it: each comes alone.
        for (request, &job) in requests.iter().zip(&job_of) {
            names.clear();
            self.turn += 1;
            let first_place = request.sector / UNIT_SECTORS;
            let places = first_place..first_place + u64::from(request.sectors) / UNIT_SECTORS;
            let holds: Vec<_> = match request.op {
                Op::Write => {
                    places.map(|place| Some((self.host.segments.owner(place)?, self.turn))).collect()
                }
                _ => Vec::new(),
            };
            if let Some(Work::Write { .. }) = self.host.work.get(&job) {
                self.written.entry(job).or_default().extend(holds.iter().flatten());
            }
            if let Some(Work::Flush { .. }) = self.host.work.get(&job) {
                self.before_flush.insert(job, self.acknowledged.clone());
            }
            *self.left.entry(job).or_default() += 1;
            self.ssd.submit([(0, *request)], &mut names).expect("no error");
            self.sent.insert(names[0], Sent { job, first_place, holds });
            self.hear();
        }
    }

    fn hear(&mut self) {
        let mut notices = Vec::new();
        self.ssd.take_notices(&mut notices);
        for notice in notices {
            self.take(notice);
        }
    }

    fn holds(&self, request: u32, lpn: u64) -> Option<(usize, Turn)> {
        let sent = &self.sent[&request];
        sent.holds[(lpn - sent.first_place) as usize]
    }

    fn take(&mut self, notice: Notice) {
        match notice {
            Notice::Cached { request, lpn, .. } => {
                let place = lpn.index() as u64;
                _ = self.holds(request, place).map(|holds| self.cached.insert(place, holds));
            }
            Notice::Flushed { lpn } => {
                let place = lpn.index() as u64;
                _ = self.cached.remove(&place).map(|holds| self.kept.insert(place, holds));
            }
            Notice::Kept { request, lpn, .. } => {
                let place = lpn.index() as u64;
                _ = self.holds(request, place).map(|holds| self.kept.insert(place, holds));
            }
            Notice::Trimmed { lpn, .. } => {
                let place = lpn.index() as u64;
                self.cached.remove(&place);
                self.kept.remove(&place);
            }
            Notice::BehindOwnWork { .. } => {}
            Notice::Completed(Completion { request, status, at, .. }) => {
                assert_eq!(status, Status::Success);
                let Some(Sent { job, .. }) = self.sent.remove(&request) else { return };
                let left = self.left.get_mut(&job).expect("it is under way");
                *left -= 1;
                if *left == 0 {
                    self.done.push(Done { job, done_ns: at, status, behind_own_work: false });
                }
            }
        }
    }

    /// The log hears of its jobs, and the scene of what it acknowledges.
    fn pass_on(&mut self) {
        while !self.done.is_empty() {
            let done = self.done.remove(0);
            if let Some(units) = self.written.remove(&done.job) {
                self.acknowledged.extend(units.iter().copied());
                if !self.host.shape.volatile {
                    self.promised.extend(units);
                }
            }
            self.promised.extend(self.before_flush.remove(&done.job).unwrap_or_default());
            self.host.hear(&done, &mut self.jobs);
            self.submit();
        }
    }

    /// Goes on for so many events; false when there are no more.
    fn go_on(&mut self, events: u64) -> bool {
        for _ in 0..events {
            if !self.ssd.step_live(Ns::MAX >> 2).expect("no error") {
                return false;
            }
            self.hear();
            self.pass_on();
        }
        true
    }

    /// The power fails. Returns how many units are promised.
    fn cut(mut self, case: u64, trimmed: &BTreeSet<usize>) -> usize {
        let before = self.cached.len();
        self.ssd.power_cut().expect("the table is kept whole");
        if self.host.shape.volatile {
            self.cached.clear();
        }
        let mut newest: BTreeMap<usize, Turn> = BTreeMap::new();
        for &(unit, turn) in self.kept.values().chain(self.cached.values()) {
            let known = newest.entry(unit).or_default();
            *known = turn.max(*known);
        }
        self.promised.retain(|unit, _| !trimmed.contains(unit));
        for (unit, turn) in &self.promised {
            let there = newest.get(unit).copied().unwrap_or(0);
            assert!(
                there >= *turn,
                "case {case}: unit {unit} was written at {turn} and promised, the drive has it as of {there}; {before} units were cached"
            );
        }
        self.ssd.power_up(1_000_000).expect("checked mode agrees");
        self.promised.len()
    }
}

fn cut_while_it_writes(more: &str, case: u64) -> usize {
    let drive =
        Opening { check: true, ..Opening::of(&format!("{DRIVE}{more}")) }.open().expect("a small drive");
    let run = drive.into_run();
    let shape = LogShape::of(&run.config, SPARE, SEGMENT_BYTES, 2).expect("a log fits");
    let trimmed = RefCell::default();
    let mut source = requests(case, shape.logical_units(), &trimmed);
    let host = LogHost::new(shape, &mut source, 8, 0, 3);
    let mut scene = Scene::new(run.ssd, host);
    scene.host.turn(0, &mut scene.jobs);
    scene.submit();
    scene.pass_on();
    scene.go_on(Draws(case ^ 0x5eed).below(16_000));
    scene.cut(case, &trimmed.borrow())
}

#[test]
fn what_a_log_has_promised_outlives_a_loss_of_power() {
    let mut promised = 0;
    for case in 0..CASES {
        promised += cut_while_it_writes(if case.is_multiple_of(3) { PROTECTED } else { VOLATILE }, case);
    }
    assert!(promised > 50 * CASES as usize, "{promised} units");
}
