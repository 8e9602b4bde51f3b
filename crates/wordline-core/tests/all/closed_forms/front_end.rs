//! What stands between the host and the flash: a job's processor, the link, the controller's processor.
//!
//! Pages that were never written are read without flash, so that nothing else takes time.

use crate::common::*;
use wordline_core::config::Config;
use wordline_core::engine::Ns;
use wordline_core::host::{HostRequest, Op};

const READS: u64 = 480;
/// A command of one page: 1 us, 8 sectors of 50.5 ns, and one entry of 200 ns.
const COSTS: [&str; 3] =
    ["controller.command_ns=1000", "controller.sector_ns=50.5", "controller.unit_ns=200"];
const COST: Ns = 1000 + 404 + 200;

fn without_flash(settings: &[&str]) -> Config {
    one_die(&[&["ftl.unmapped_read=zero"], settings].concat())
}

fn all_reads() -> Vec<HostRequest> {
    reads((0..READS).map(|i| i * 7 % READS))
}

fn end_of_reads(settings: &[&str], depth: u32) -> Ns {
    end(&run(&without_flash(settings), vec![closed(depth, all_reads())]))
}

#[test]
fn a_command_takes_its_parts() {
    let one = |request: HostRequest| latencies(&run(&without_flash(&COSTS), vec![closed(1, vec![request])]));
    assert_eq!(one(request(Op::Read, 0, 1)), [COST]);
    assert_eq!(one(request(Op::Read, 0, 4)), [1000 + 4 * 404 + 4 * 200]);
    // One sector of each of two pages.
    assert_eq!(one(HostRequest { sector: 7, sectors: 2, ..request(Op::Read, 0, 1) }), [1000 + 101 + 2 * 200]);
    assert_eq!(one(request(Op::Trim, 0, 4)), [1000 + 4 * 200]);
    assert_eq!([Op::Flush, Op::Close].map(|op| one(request(op, 0, 0))), [[1000], [1000]]);
    // Before the flash.
    let config = one_die(&[&["precondition.fill=0.5"], &COSTS[..]].concat());
    assert_eq!(latencies(&run(&config, vec![closed(1, reads([0]))])), [COST + T_R + T_DMA]);
    assert_eq!(latencies(&run(&config, vec![closed(1, writes([0]))])), [COST + T_DMA + T_PROG]);
}

/// Reads and writes may have times of their own; all else has that of any command.
#[test]
fn reads_and_writes_have_times_of_their_own() {
    let of = |settings: &[&str], op| {
        let config = without_flash(&[&["cache.mode=write", "cache.flush=eager"], settings].concat());
        let units = u32::from(op != Op::Flush);
        latencies(&run(&config, vec![closed(1, vec![request(op, 0, units)])]))[0]
    };
    let ops = [Op::Read, Op::Write, Op::Trim, Op::Flush];
    let all = |settings: &[&str]| ops.map(|op| of(settings, op));
    let (read, write) = ("controller.command_read_ns=700", "controller.command_write_ns=1100");
    assert_eq!(all(&["controller.command_ns=300"]), [300; 4]);
    assert_eq!(all(&["controller.command_ns=300", read]), [700, 300, 300, 300]);
    assert_eq!(all(&["controller.command_ns=300", read, write]), [700, 1100, 300, 300]);
    assert_eq!(all(&[write]), [0, 1100, 0, 0]);
}

/// A batch is what waits when a core has ended the one before: alone, each write is a batch of its own.
#[test]
fn writes_that_wait_are_taken_together() {
    let base = [
        "cache.mode=write",
        "cache.flush=eager",
        "controller.command_ns=300",
        "controller.command_write_ns=1000",
    ];
    let config = without_flash(&[&base[..], &["controller.batch_write_ns=5000"]].concat());
    let of = |depth, count| latencies(&run(&config, vec![closed(depth, writes(0..count))]));
    assert_eq!(of(1, 3), [6000; 3]);
    // The next batches hold the three that were submitted while the first was worked on.
    let together = of(3, 6);
    assert_eq!(together[..3], [6000, 7000, 8000]);
    assert_eq!(together[3..], [8000; 3]);
    // Reads are no part of a batch.
    assert_eq!(latencies(&run(&config, vec![closed(1, reads([0]))])), [300]);
}

#[test]
fn the_cores_bound_the_rate() {
    for cores in [1, 2, 3] {
        let cores_set = format!("controller.cores={cores}");
        let settings = [&COSTS[..], &[&cores_set]].concat();
        assert_eq!(end_of_reads(&settings, 1), READS * COST, "one at a time");
        assert_eq!(end_of_reads(&settings, 64), READS / cores * COST, "{cores} cores");
    }
    // No command takes any time by default.
    assert_eq!(end_of_reads(&[], 64), 0);
}

/// 790,000 IOPS are a command in 1.266 us.
#[test]
fn a_rated_ceiling_is_met() {
    let ends = end_of_reads(&["controller.cores=4", "controller.command_ns=5063"], 128);
    assert_near("IOPS", READS as f64 / (ends as f64 / 1e9), 790_000.0, 0.001);
}

/// A PM883 serves 45,400 reads of 4 KiB a second at any depth from 16 on (louwrentius/fio-plot): its processor is slower
/// than the wire.
#[test]
fn a_sata_drives_processor_bounds_it_below_the_wire() {
    for depth in [16, 64] {
        let ends = end_of_reads(&["host.link=sata", "controller.command_ns=22026"], depth);
        assert_near("IOPS", READS as f64 / (ends as f64 / 1e9), 45_400.0, 0.005);
    }
}

#[test]
fn commands_are_taken_as_they_arrive() {
    // The data of a write take 4.096 us over the link; the command of a read behind it overtakes them.
    let config = without_flash(&["host.link_rate_mb_s=1000.0", "controller.command_ns=1000"]);
    let ssd = run(&config, vec![open([write_at(0, 0), read_at(0, 1)])]);
    let read = log(&ssd).iter().find(|entry| entry.op == Op::Read).unwrap();
    assert_eq!(read.completed, 1000 + 4096);
    let write = log(&ssd).iter().find(|entry| entry.op == Op::Write).unwrap();
    assert_eq!(write.completed, 4096 + 1000 + T_DMA + T_PROG);
}

#[test]
fn a_job_submits_one_request_after_the_other() {
    assert_eq!(end_of_reads(&["host.job_ns=2600"], 64), READS * 2600);
    assert_eq!(end_of_reads(&["host.job_ns=2600"], 1), READS * 2600);
    // Each job has a processor of its own.
    let config = without_flash(&["host.job_ns=2600"]);
    let two = run(&config, vec![closed(8, all_reads()), closed(8, all_reads())]);
    assert_eq!(end(&two), READS * 2600);
    // A job that is not at its limit adds its time to each request.
    let config = one_die(&["host.job_ns=2600", "precondition.fill=0.5"]);
    assert_eq!(latencies(&run(&config, vec![closed(1, reads([0, 1]))])), [2600 + T_R + T_DMA; 2]);
}

/// Submitting is part of a request's latency, reaping is not; both are time of the job.
#[test]
fn a_job_reaps_what_it_has_seen_before_it_goes_on() {
    let (job, reap, there) = (2_600, 1_400, 9_000);
    let settings = ["host.job_ns=2600", "host.reap_ns=1400", "host.complete_ns=9000"];
    let of = |depth| run(&without_flash(&settings), vec![closed(depth, all_reads())]);
    let alone = of(1);
    assert_eq!(latencies(&alone), vec![job + there; READS as usize]);
    assert_eq!(end(&alone), READS * (job + there + reap) - reap);
    // The processor is the limit: it never rests, once the first answer is there.
    assert_eq!(end(&of(64)), READS * (job + reap) - reap);
    // Each request waits for all others of its job to be reaped and submitted.
    let ssd = of(8);
    let steady = &latencies(&ssd)[100..READS as usize - 8];
    assert!(steady.iter().all(|&latency| latency == 8 * (job + reap) - reap), "{steady:?}");
}

/// Without a request of another job to submit or reap, nothing is waited for; and a job is never at two processors.
#[test]
fn jobs_share_processors() {
    let times = ["host.job_ns=2000", "host.reap_ns=1000", "host.complete_ns=50000"];
    let ends = |cores: u32, jobs: u64, depth: u32| {
        let cores = format!("host.cores={cores}");
        let config = without_flash(&[&times[..], &[&cores]].concat());
        let flows = (0..jobs).map(|_| closed(depth, reads((0..READS / jobs).map(|i| i * 7 % READS))));
        end(&run(&config, flows.collect())) as f64
    };
    let (each, there, all) = (3_000.0, 50_000.0, READS as f64);
    // As many as there are processors: each has one.
    for jobs in [1, 2, 4] {
        assert_eq!(ends(jobs, jobs.into(), 32), ends(0, jobs.into(), 32), "{jobs} jobs");
    }
    assert_eq!(ends(4, 1, 32), ends(1, 1, 32), "a job takes one processor");
    for (cores, jobs, depth) in [(1, 48, 1), (2, 48, 1), (3, 48, 2), (1, 4, 16), (2, 8, 8)] {
        let busy = all * each / f64::from(cores);
        assert_near(&format!("{jobs} jobs of {depth}"), ends(cores, jobs, depth), busy, 0.06);
    }
    // Below the limit of the processors jobs hardly wait for each other.
    let rounds = all / 8.0 * (each + there);
    assert_near("8 jobs", ends(2, 8, 1), rounds, 0.12);
}

/// A processor that turns to another job takes time for it: with each request where jobs have one outstanding, with each slice where
/// they never rest.
#[test]
fn turning_to_another_job_takes_time() {
    let ends = |jobs: u64, depth: u32, switch: u64| {
        let switch = format!("host.switch_ns={switch}");
        let config = without_flash(&[
            "host.job_ns=2000",
            "host.reap_ns=1000",
            "host.complete_ns=5000",
            "host.cores=1",
            &switch,
        ]);
        let flows = (0..jobs).map(|_| closed(depth, reads((0..4 * READS / jobs).map(|i| i % READS))));
        end(&run(&config, flows.collect())) as f64
    };
    let all = 4.0 * READS as f64;
    assert_near("32 jobs", ends(32, 1, 9_000), all * 12_000.0, 0.02);
    assert_near("one job", ends(1, 32, 9_000), all * 3_000.0, 0.01);
    // Two that never rest take turns of 3 ms, neither waits for the other's end.
    assert_near("two jobs", ends(2, 32, 9_000), all * 3_000.0, 0.01);
    let config = without_flash(&["host.job_ns=2000", "host.reap_ns=1000", "host.cores=1"]);
    let ssd = run(&config, (0..2).map(|_| closed(32, reads((0..2 * READS).map(|i| i % READS)))).collect());
    let last =
        |flow: u16| log(&ssd).iter().filter(|entry| entry.flow == flow).map(|entry| entry.completed).max();
    let (first, second) = (last(0).unwrap(), last(1).unwrap());
    assert!(first.abs_diff(second) < 3_100_000, "{first} {second}");
}

#[test]
fn what_a_job_submits_crosses_the_link_once() {
    // 4.096 us a write over the link, which is slower than the job.
    let writes = || (0..READS).map(|i| write_at(0, i)).collect::<Vec<_>>();
    let cache =
        ["cache.mode=write", "cache.capacity_bytes=4000000", "cache.flush=full", "dram.rate_mb_s=0.0"];
    let ends =
        |settings: &[&str]| end(&run(&one_die(&[&cache, settings].concat()), vec![closed(64, writes())]));
    assert_eq!(ends(&["host.job_ns=2600", "host.link_rate_mb_s=1000.0"]), 2600 + READS * 4096);
    // And a job that is slower than the link.
    assert_eq!(ends(&["host.job_ns=5000", "host.link_rate_mb_s=1000.0"]), READS * 5000 + 4096);
    let all = ["host.job_ns=2600", "host.link_rate_mb_s=1000.0", "controller.command_ns=500"];
    assert_eq!(ends(&all), 2600 + READS * 4096 + 500);
}

/// Nanoseconds of so many bytes at 6 Gb/s, ten bits a byte.
fn wire(bytes: u64) -> Ns {
    (bytes * 10 + 3) / 6
}

const H: Ns = 700;
const SATA: [&str; 2] = ["host.link=sata", "host.sata_handshake_ns=700"];
/// A command and its answer: two frames of 20 bytes, with 12 of framing.
const COMMAND: Ns = 107 + 2 * H;
/// The frame that says which commands are done.
const DONE: Ns = 33 + H;

/// The set-up of DMA, and data in frames of 8 KiB with a head each.
fn data(bytes: u64) -> Ns {
    let frames = bytes.div_ceil(8192);
    wire(28 + frames * 4 + bytes + (1 + frames) * 12) + (1 + frames) * H
}

#[test]
fn sata_takes_the_time_of_its_frames() {
    let read = |units| {
        let config = without_flash(&SATA);
        latencies(&run(&config, vec![closed(1, vec![request(Op::Read, 0, units)])]))
    };
    assert_eq!((wire(64), wire(20)), (107, 33));
    assert_eq!(read(1), [COMMAND + data(4096) + DONE]);
    // 128 KiB are 16 frames, at some 540 MB/s.
    assert_eq!(read(32), [COMMAND + data(131_072) + DONE]);
    let config = one_die(&SATA);
    let write = latencies(&run(&config, vec![closed(1, writes([0]))]));
    assert_eq!(write, [COMMAND + data(4096) + T_DMA + T_PROG + DONE]);
}

#[test]
fn the_wire_carries_one_command_at_a_time() {
    assert_eq!(end_of_reads(&SATA, 64), READS * (COMMAND + data(4096) + DONE));
    // Both ways: data that go and data that come share it, unlike those of an NVMe link.
    let mixed = || (0..READS).map(|i| if i % 2 == 0 { write_at(0, i) } else { read_at(0, i) });
    let cached =
        ["cache.mode=write", "dram.rate_mb_s=0.0", "ftl.unmapped_read=zero", "nand.program_us=[0.001]"];
    let both =
        end(&run(&one_die(&[&cached, &SATA[..]].concat()), vec![closed(16, mixed().collect::<Vec<_>>())]));
    assert!(both >= READS * (COMMAND + data(4096) + DONE), "{both}");
}

/// Time on the way to the wire is time of the command alone: the wire carries what others have to say meanwhile, as with as much time
/// on the way back.
#[test]
fn a_command_on_its_way_leaves_the_wire_to_others() {
    let wire = COMMAND + data(4096) + DONE;
    for (depth, way) in [(1, 40_000), (64, 40_000), (64, 15_000)] {
        let [there, back] = ["submit", "complete"]
            .map(|key| end_of_reads(&[&SATA[..], &[&format!("host.{key}_ns={way}")]].concat(), depth));
        // 32 commands keep the wire busy.
        let expected = if depth == 1 { READS * (way + wire) } else { READS * wire + way };
        assert_eq!((there, back), (expected, expected), "{depth} outstanding, {way} ns");
    }
}

#[test]
fn a_sata_drive_has_32_commands_at_once() {
    let config = one_die(&[&["precondition.fill=0.5"], &SATA[..]].concat());
    let ssd = run(&config, vec![closed(40, reads(0..200))]);
    let rows = log(&ssd);
    let most = rows
        .iter()
        .map(|row| {
            rows.iter().filter(|at| at.submitted <= row.submitted && row.submitted < at.completed).count()
        })
        .max();
    assert_eq!(most, Some(32));
}

#[test]
fn a_front_end_goes_on_from_a_saved_state() {
    let hosts: [&[&str]; 2] =
        [&[], &["host.cores=1", "host.reap_ns=9000", "host.switch_ns=700", "host.submit_ns=3000"]];
    for host in hosts {
        let settings = [
            &["precondition.fill=0.5", "host.job_ns=900", "controller.cores=2"],
            host,
            &COSTS[..],
            &SATA[..],
        ];
        let config = one_die(&settings.concat());
        let flows = || vec![closed(8, reads(0..100)), closed(4, writes((0..60).map(|i| i * 3 % 50)))];
        let whole = end(&run(&config, flows()));
        for part in 1..8 {
            assert_goes_on(&config, flows, &CHECKED, whole * part / 8);
        }
    }
}
