//! A log on zones and on a plain drive, and a drive without a log.

use wordline_core::host::{HostRequest, Op};

use super::segments::{Segments, Stream};
use super::{LogCounts, LogHost, LogShape};
use crate::hosts::{Done, Host, Jobs, run};
use crate::{DriveOp, HeldDrive, Opening};

/// 64 superblocks of 128 units.
const DRIVE: &str = "preset = \"mqsim\"\n[ssd]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                     blocks_per_plane = 64\npages_per_block = 64\n";
const UNITS: u64 = 128;
const SEGMENTS: u64 = 64;
/// Units of the user: the rest is spare.
const LOGICAL: u64 = 48 * UNITS;
const SECTORS: u64 = 16;

fn opened(ssd: &str, more: &str) -> HeldDrive {
    let text = format!("{DRIVE}{ssd}\n[ftl]\ngroup = \"superblock\"\nunmapped_read = \"zero\"\n{more}");
    Opening { check: true, ..Opening::of(&text) }.open().expect("a small drive")
}

fn on_zones() -> HeldDrive {
    opened("overprovisioning = 0.01", "[zones]\nmode = \"on\"\n")
}

/// All units in order, then so many anywhere.
fn writes(anywhere: u64) -> impl Iterator<Item = HostRequest> {
    let mut state = 1u64;
    let drawn = move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % LOGICAL
    };
    (0..LOGICAL)
        .chain((0..anywhere).map(drawn))
        .map(|unit| HostRequest::new(0, Op::Write, unit * SECTORS, SECTORS as u32))
}

/// Media bytes over those of the user, of the last part of a run on a drive.
fn amplification(drive: &mut HeldDrive, counts: &LogCounts) -> f64 {
    let of_drive = drive.run().measured().write_amplification.unwrap_or(1.0);
    counts.write_amplification() * of_drive
}

fn logged(
    mut drive: HeldDrive,
    spare: f64,
    segment_bytes: u64,
    mut source: impl Iterator<Item = HostRequest>,
) -> (f64, LogCounts) {
    let shape = LogShape::of(&drive.run().config, spare, segment_bytes, 2).expect("a log fits");
    assert_eq!(shape.logical_units(), LOGICAL);
    let mut host = LogHost::new(shape, &mut source, 8, 7 * LOGICAL, 3);
    assert!(run(&mut host, std::slice::from_mut(&mut drive), &mut |_| true).expect("served"));
    let counts = host.counts;
    assert_eq!(counts.failed, 0);
    (amplification(&mut drive, &counts), counts)
}

/// Writes straight to the drive.
struct Direct<I> {
    source: I,
    left_of_warmup: u64,
    begun: bool,
}

impl<I: Iterator<Item = HostRequest>> Direct<I> {
    fn ask(&mut self, jobs: &mut Jobs) {
        if let Some(HostRequest { sector, sectors, .. }) = self.source.next() {
            let (offset, bytes) = (sector * 512, u64::from(sectors) * 512);
            jobs.submit_one(DriveOp { op: Op::Write, offset, bytes, flow: 0, handle: 0 });
        }
    }
}

impl<I: Iterator<Item = HostRequest>> Host for Direct<I> {
    fn next_turn(&self) -> Option<u64> {
        (!self.begun).then_some(0)
    }

    fn turn(&mut self, _: u64, jobs: &mut Jobs) {
        self.begun = true;
        (0..8).for_each(|_| self.ask(jobs));
    }

    fn hear(&mut self, _: &Done, jobs: &mut Jobs) {
        self.left_of_warmup = self.left_of_warmup.saturating_sub(1);
        if self.left_of_warmup == 1 {
            jobs.mark();
        }
        self.ask(jobs);
    }
}

#[test]
fn a_log_on_zones_amplifies_as_a_plain_drive_of_the_same_spare() {
    let (on_zones, counts) = logged(on_zones(), 1.0 - 48.0 / 63.0, 0, writes(16 * LOGICAL));
    assert!(counts.moved > 0 && counts.cleared > 0);
    // As the log does, it collects the group with the fewest live units.
    let gc = "[gc]\npolicy = \"greedy\"\nthreshold = 3\nhard_threshold = 2\npreemptible = false\n";
    let mut plain = opened("overprovisioning = 0.25", gc);
    let mut direct = Direct { source: writes(16 * LOGICAL), left_of_warmup: 7 * LOGICAL, begun: false };
    assert!(run(&mut direct, std::slice::from_mut(&mut plain), &mut |_| true).expect("served"));
    let by_drive = amplification(&mut plain, &LogCounts::default());
    // The drive keeps three groups free, the log two, beside the one that the drive of zones has.
    let off = on_zones / by_drive - 1.0;
    assert!(off.abs() < 0.03, "{on_zones:.3} on zones, {by_drive:.3} on a plain drive");
    assert!(by_drive > 1.5, "{by_drive}");
}

#[test]
fn a_log_on_a_plain_drive_with_little_spare_is_collected_twice() {
    let segment = UNITS * SECTORS * 512;
    let drive =
        opened("overprovisioning = 0.0625", "[gc]\nthreshold = 3\nhard_threshold = 2\npreemptible = false\n");
    let segments = (SEGMENTS as f64 * (1.0 - 0.0625)).floor();
    let (total, counts) = logged(drive, 1.0 - 48.0 / segments, segment, writes(10 * LOGICAL));
    // Both streams of the log share superblocks of the drive.
    let of_drive = total / counts.write_amplification();
    assert!(of_drive > 1.2, "{of_drive:.3} of {total:.3}");
}

#[test]
fn reads_find_what_was_written_and_trims_cost_nothing() {
    let read = |unit: u64| HostRequest::new(0, Op::Read, unit * SECTORS, 2 * SECTORS as u32);
    let trim = HostRequest::new(0, Op::Trim, 0, (40 * UNITS * SECTORS) as u32);
    let requests =
        writes(6 * LOGICAL).chain((0..200).map(|i| read(i * 17))).chain([trim, read(0), read(41 * UNITS)]);
    let (_, counts) = logged(on_zones(), 1.0 - 48.0 / 63.0, 0, requests);
    assert_eq!(counts.requests, 203, "what follows the warm-up");
    assert_eq!((counts.written, counts.failed), (0, 0));
}

#[test]
fn a_segment_is_kept_until_what_replaces_it_is_written() {
    let mut segments = Segments::new(8, 4, 16);
    segments.put(Stream::User, 0..4);
    let put = segments.put(Stream::User, 0..4);
    assert_eq!(put.replaced, [0; 4]);
    assert!(!segments.is_idle(0), "the new places are not written yet");
    segments.end_replacing(&put.replaced);
    assert!(segments.is_idle(0));
}

#[test]
fn a_trim_may_be_the_last_request_of_a_warm_up() {
    let trim = HostRequest::new(0, Op::Trim, 0, SECTORS as u32);
    let requests = writes(6 * LOGICAL - 1).chain([trim]).chain(writes(0).take(5));
    let (_, counts) = logged(on_zones(), 1.0 - 48.0 / 63.0, 0, requests);
    assert_eq!(counts.requests, 5);
}

#[test]
fn a_log_that_does_not_fit_says_so() {
    let mut drive = on_zones();
    let error = LogShape::of(&drive.run().config, 0.01, 0, 2).expect_err("no room");
    assert!(error.to_string().contains("raise the spare share"), "{error}");
}
