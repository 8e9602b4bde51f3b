//! Hosts on small drives.

use std::collections::BTreeSet;

use wordline_core::engine::Ns;
use wordline_core::flash::Status;
use wordline_core::host::Op;

use super::{Done, Finished, Host, Jobs, PlacedOp, Striped, Task, TaskError, Tasks, run};
use crate::{DriveOp, HeldDrive, Opening};

const SMALL: &str = "preset = \"mqsim\"\n[ssd]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\n\
                     planes_per_die = 1\nblocks_per_plane = 64\npages_per_block = 64\n";
const READ: DriveOp = DriveOp { op: Op::Read, offset: 0, bytes: 4096, flow: 0, handle: 0 };

fn drive() -> HeldDrive {
    Opening { logs: true, ..Opening::of(SMALL) }.open().expect("a small drive")
}

/// Reads one page after the other, each when the one before is done; at turns of its own it writes.
struct Chain {
    reads: u64,
    turns: Vec<Ns>,
    heard: Vec<Done>,
    writes: BTreeSet<u64>,
    log: Vec<(Ns, &'static str)>,
}

impl Host for Chain {
    fn next_turn(&self) -> Option<Ns> {
        self.turns.first().copied()
    }

    fn turn(&mut self, now: Ns, jobs: &mut Jobs) {
        assert_eq!(self.turns.remove(0), now);
        self.log.push((now, "turn"));
        if now == 0 {
            jobs.submit_one(READ);
        } else {
            self.writes.insert(jobs.submit_one(DriveOp { op: Op::Write, offset: 1 << 20, ..READ }));
        }
    }

    fn hear(&mut self, done: &Done, jobs: &mut Jobs) {
        self.log.push((done.done_ns, "done"));
        self.heard.push(*done);
        if !self.writes.contains(&done.job) && self.reads > 0 {
            self.reads -= 1;
            jobs.submit_one(DriveOp { offset: self.reads * 8192, ..READ });
        }
    }
}

fn chain(reads: u64, turns: &[Ns]) -> Chain {
    Chain { reads, turns: turns.to_vec(), heard: Vec::new(), writes: BTreeSet::new(), log: Vec::new() }
}

#[test]
fn a_host_hears_each_job_before_it_asks_for_the_next() {
    let mut drives = [drive()];
    let mut host = chain(20, &[0]);
    assert!(run(&mut host, &mut drives, &mut |_| true).expect("served"));
    assert_eq!(host.heard.len(), 21);
    assert!(host.heard.iter().all(|done| done.status == Status::Success));
    let arrivals = drives[0].log().expect("kept").iter().map(|(_, request)| request.arrival_ns);
    for (arrival, before) in arrivals.skip(1).zip(&host.heard) {
        assert!(arrival > before.done_ns && arrival < before.done_ns + 100, "{arrival} after {before:?}");
    }
}

#[test]
fn turns_and_answers_come_in_the_order_of_time() {
    let mut host = chain(30, &[0, 50_000, 50_000, 400_000, 5_000_000]);
    run(&mut host, &mut [drive()], &mut |_| true).expect("served");
    assert!(host.log.is_sorted_by_key(|&(at, _)| at), "{:?}", host.log);
    assert_eq!(host.log.iter().filter(|(_, what)| *what == "turn").count(), 5);
    assert_eq!(host.heard.len(), 31 + 4);
    // An answer and a turn of one time: the answer first.
    let done_ns = host.heard[0].done_ns;
    let mut host = chain(0, &[0, done_ns]);
    run(&mut host, &mut [drive()], &mut |_| true).expect("served");
    assert_eq!(host.log[1..3], [(done_ns, "done"), (done_ns, "turn")]);
}

#[test]
fn the_same_jobs_submitted_by_hand_are_done_at_the_same_times() {
    let mut drives = [drive()];
    let mut host = chain(20, &[0, 100_000]);
    run(&mut host, &mut drives, &mut |_| true).expect("served");
    let mut other = drive();
    for &(flow, request) in drives[0].log().expect("kept") {
        let bytes = u64::from(request.sectors) * 512;
        let op = DriveOp { op: request.op, offset: request.sector * 512, bytes, flow, handle: request.hint };
        other.submit(request.arrival_ns, &[op], None).expect("submitted");
    }
    other.drain(&mut |_| true).expect("served");
    let mut done = Vec::new();
    other.take_done(&mut done);
    let by_hand: Vec<Ns> = done.iter().map(|each| each.done_ns).collect();
    assert_eq!(by_hand, host.heard.iter().map(|each| each.done_ns).collect::<Vec<_>>());
}

/// Reads over all drives, one at a time.
struct Wide {
    stripes: Striped,
    left: u64,
    heard: Vec<Done>,
}

impl Host for Wide {
    fn next_turn(&self) -> Option<Ns> {
        self.heard.is_empty().then_some(0).filter(|_| self.left == 10)
    }

    fn turn(&mut self, _now: Ns, jobs: &mut Jobs) {
        self.left -= 1;
        jobs.submit(self.stripes.parts(DriveOp { bytes: 16 << 10, ..READ }));
    }

    fn hear(&mut self, done: &Done, jobs: &mut Jobs) {
        self.heard.push(*done);
        if self.left > 0 {
            self.left -= 1;
            jobs.submit(self.stripes.parts(DriveOp { offset: self.left * 16_384, bytes: 16 << 10, ..READ }));
        }
    }
}

#[test]
fn a_job_over_several_drives_is_done_with_its_slowest_part() {
    let mut drives = [drive(), drive(), drive(), drive()];
    let mut host = Wide { stripes: Striped { drives: 4, chunk_bytes: 4096 }, left: 10, heard: Vec::new() };
    run(&mut host, &mut drives, &mut |_| true).expect("served");
    assert_eq!(host.heard.iter().map(|done| done.job).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    assert!(host.heard.is_sorted_by_key(|done| done.done_ns));
    for each in &drives {
        assert_eq!(each.log().expect("kept").len(), 10);
    }
    // One drive alone takes longer for the four pages of each read.
    let mut one = Wide { stripes: Striped { drives: 1, chunk_bytes: 4096 }, left: 10, heard: Vec::new() };
    run(&mut one, &mut [drive()], &mut |_| true).expect("served");
    assert!(one.heard[9].done_ns > host.heard[9].done_ns);
}

struct Nowhere;
impl Host for Nowhere {
    fn next_turn(&self) -> Option<Ns> {
        Some(0)
    }
    fn turn(&mut self, _: Ns, jobs: &mut Jobs) {
        jobs.submit([PlacedOp { drive: 1, op: READ }]);
    }
    fn hear(&mut self, _: &Done, _: &mut Jobs) {}
}

#[test]
fn a_host_can_be_stopped_and_its_jobs_may_fail() {
    let beyond = DriveOp { offset: 1 << 50, ..READ };
    struct Once(DriveOp, Option<Done>, bool);
    impl Host for Once {
        fn next_turn(&self) -> Option<Ns> {
            (!self.2).then_some(7)
        }
        fn turn(&mut self, _: Ns, jobs: &mut Jobs) {
            self.2 = true;
            jobs.submit([PlacedOp { drive: 0, op: READ }, PlacedOp { drive: 0, op: self.0 }]);
        }
        fn hear(&mut self, done: &Done, _: &mut Jobs) {
            self.1 = Some(*done);
        }
    }
    let mut once = Once(beyond, None, false);
    run(&mut once, &mut [drive()], &mut |_| true).expect("served");
    assert_eq!(once.1.map(|done| done.status), Some(Status::LbaOutOfRange));
    let mut stopped = chain(1_000_000, &[0]);
    assert!(!run(&mut stopped, &mut [drive()], &mut |_| false).expect("stopped"));
    assert!(stopped.reads > 0);
    let error = run(&mut Nowhere, &mut [drive()], &mut |_| true).expect_err("there is no second drive");
    assert!(error.to_string().contains("drive 1"), "{error}");
}

#[test]
fn parts_of_a_stripe_cover_an_operation_once() {
    for drives in 1..5 {
        for (offset, bytes) in [(0, 512), (512, 8192), (3584, 1024), (4096, 40_960), (1536, 100_352)] {
            let stripes = Striped { drives, chunk_bytes: 4096 };
            let mut seen = BTreeSet::new();
            for part in stripes.parts(DriveOp { offset, bytes, ..READ }) {
                for byte in (part.op.offset..part.op.offset + part.op.bytes).step_by(512) {
                    let chunk = byte / 4096 * drives + part.drive as u64;
                    assert!(seen.insert(chunk * 4096 + byte % 4096));
                }
            }
            assert_eq!(seen, (offset..offset + bytes).step_by(512).collect(), "{drives} {offset} {bytes}");
        }
    }
}

fn task(at: Ns, pool: usize, after: Option<usize>, ops: usize) -> Task {
    Task { at, pool, after, ops }
}

const ALONE: Striped = Striped { drives: 1, chunk_bytes: 1 << 20 };

/// Carries out tasks that read a page with each operation.
fn carry_out(tasks: &[Task], threads: &[usize]) -> Vec<Finished> {
    let count = tasks.iter().map(|task| task.ops as u64).sum();
    let ops = (0..count).map(|page| DriveOp { offset: page * 8192, ..READ }).collect();
    let mut host = Tasks::new(tasks.to_vec(), ops, threads, ALONE, None).expect("in order");
    assert!(run(&mut host, &mut [drive()], &mut |_| true).expect("served"));
    host.finished().to_vec()
}

#[test]
fn a_thread_carries_out_one_task_at_a_time() {
    let done = carry_out(&[task(0, 0, None, 3), task(0, 0, None, 2), task(9, 0, None, 1)], &[1]);
    assert_eq!(done[0].begun_ns, 0);
    assert_eq!([done[1].begun_ns, done[2].begun_ns], [done[0].done_ns, done[1].done_ns]);
    // Three reads one after the other take three times one, but for the ns that each submission may be late.
    let one = carry_out(&[task(0, 0, None, 1)], &[1])[0].done_ns;
    assert!(done[0].done_ns.abs_diff(3 * one) < 100, "{one} {done:?}");
    let together = carry_out(&[task(0, 0, None, 3), task(0, 0, None, 2)], &[2]);
    assert_eq!(together[1].begun_ns, 0);
}

#[test]
fn pools_have_threads_of_their_own_and_tasks_wait_for_others() {
    let tasks = [task(0, 0, None, 4), task(5, 1, None, 1), task(5, 1, Some(0), 1), task(5, 1, None, 1)];
    let done = carry_out(&tasks, &[1, 2]);
    assert_eq!(done[1].begun_ns, 5);
    // The third waits for the first, and the fourth behind it in the queue.
    assert_eq!([done[2].begun_ns, done[3].begun_ns], [done[0].done_ns; 2]);
    assert!(done.iter().all(|each| !each.failed && !each.behind_own_work));
}

#[test]
fn tasks_that_make_no_sense_are_refused() {
    let refused = |tasks: &[Task]| Tasks::new(tasks.to_vec(), vec![READ], &[1, 0], ALONE, None).err();
    assert_eq!(refused(&[task(5, 0, None, 1), task(4, 0, None, 1)]), Some(TaskError::Order(1)));
    assert_eq!(refused(&[task(0, 1, None, 1)]), Some(TaskError::Pool(0)));
    assert_eq!(refused(&[task(0, 0, Some(0), 1)]), Some(TaskError::After(0)));
    assert_eq!(refused(&[task(0, 0, None, 2)]), Some(TaskError::Ops(0)));
}

/// Overwrites a small drive and reads it: some reads come to a die that collects.
#[test]
fn reads_behind_garbage_collection_are_told() {
    let mut drive =
        Opening::of(&format!("{SMALL}[precondition]\nfill = 1.0\n")).open().expect("a full drive");
    let (pages, gap_ns) = (3000, 1_500_000);
    let mut ops = Vec::new();
    for round in 0..pages {
        let page = round * 1237 % pages;
        ops.push(DriveOp { op: Op::Write, offset: page * 8192, bytes: 8192, ..READ });
        ops.push(DriveOp { offset: (page + 7) % pages * 8192, ..READ });
    }
    let tasks: Vec<Task> =
        (0..ops.len() as u64).map(|place| task(place * gap_ns, (place % 2) as usize, None, 1)).collect();
    let mut host = Tasks::new(tasks, ops, &[4, 4], ALONE, Some(100_000_000)).expect("in order");
    run(&mut host, std::slice::from_mut(&mut drive), &mut |_| true).expect("served");
    let (writes, reads): (Vec<_>, Vec<_>) = host.finished().chunks(2).map(|pair| (pair[0], pair[1])).unzip();
    assert!(writes.iter().all(|each| !each.behind_own_work));
    let behind = reads.iter().filter(|each| each.behind_own_work).count();
    assert!(behind > 10 && behind < reads.len() / 2, "{behind} of {}", reads.len());
    let mean = |wanted: bool| {
        let (mut sum, mut count) = (0, 0);
        for (place, each) in reads.iter().enumerate().filter(|(_, each)| each.behind_own_work == wanted) {
            sum += each.done_ns - (2 * place as u64 + 1) * gap_ns;
            count += 1;
        }
        sum / count
    };
    assert!(2 * mean(true) > 3 * mean(false), "{} {}", mean(true), mean(false));
}
