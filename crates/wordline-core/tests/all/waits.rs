//! Nothing waits without bound: each class of transactions under each load that its policy prefers.
//!
//! The one exception is between flows, and MQSim's own: with `mqsim-priority-out-of-order` the flows that are not urgent wait
//! for as long as an urgent one has something (`priorities.rs`).

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::engine::Ns;
use wordline_core::host::{FlowInput, HostRequest, Op};
use wordline_core::policy::schedule::Schedule;

/// What may wait this long at its die, and then for a few commands more.
const MAX_WAIT: Ns = 5_000 * US;

/// A used SSD of one plane that collects all the time.
fn used(settings: &[&str]) -> Config {
    let base = ["precondition.fill=1.0", "precondition.overwrite=1.0", "schedule.max_wait_us=5000.0"];
    one_die(&[&base, settings].concat())
}

/// Requests for random pages of the first half of the SSD.
fn random(op: Op, seed: u64, count: u64, at: impl Fn(u64) -> Ns) -> Vec<HostRequest> {
    let page = |i| below(seed, i, Purpose::Precondition, 500);
    let of = |i| HostRequest { arrival_ns: at(i), ..request(op, page(i), 1) };
    (0..count).map(of).collect()
}

fn longest(ssd: &Ssd, flow: u16) -> Ns {
    let waits = log(ssd).iter().filter(|e| e.flow == flow).map(|e| e.completed - e.arrival);
    waits.max().expect("requests of the flow")
}

/// What keeps a die busy, as long as a number of requests lasts.
type Load = (&'static str, fn(u64) -> Vec<FlowInput>);

const LOADS: [Load; 3] = [
    ("reads", |count| vec![closed(8, random(Op::Read, 1, 10 * count, |_| 0))]),
    ("writes", |count| vec![closed(8, random(Op::Write, 2, count, |_| 0))]),
    ("reads and writes", |count| {
        vec![closed(8, random(Op::Read, 1, 10 * count, |_| 0)), closed(8, random(Op::Write, 2, count, |_| 0))]
    }),
];

/// Without and with reads that suspend what runs.
const SUSPENSION: [&[&str]; 2] = [&[], &["program.suspend=true", "erase.yield=suspend"]];

/// The longest wait of a few requests that come while a load lasts.
fn longest_under(load: &Load, count: u64, policy: &str, suspension: &[&str], op: Op) -> Ns {
    let policy = format!("schedule.policy={policy}");
    let mut flows = (load.1)(count);
    flows.push(open(random(op, 3, 40, |i| (10 + 5 * i) * 1_000 * US)));
    let flow = flows.len() as u16 - 1;
    longest(&run(&used(&[&[policy.as_str()], suspension].concat()), flows), flow)
}

/// A read waits for what is overdue, a write also for the reclaiming of a block: 24 pages read and programmed, each of which
/// may wait until it is overdue, and an erase.
#[test]
fn reads_and_writes_of_the_host_wait_no_longer_under_a_longer_load() {
    let job = 24 / 8 * 2 * (MAX_WAIT + 5 * 8 * (T_PROG + T_DMA)) + MAX_WAIT + T_BERS;
    let cases =
        Schedule::ALL.iter().flat_map(|policy| SUSPENSION.map(|suspension| (policy.name(), suspension)));
    for (policy, suspension) in cases {
        for load in &LOADS {
            for (op, bound) in [(Op::Read, 2 * MAX_WAIT + 8 * T_BERS), (Op::Write, 2 * job)] {
                let wait = longest_under(load, 2_000, policy, suspension, op);
                assert!(wait <= bound, "{policy}, {suspension:?}: {op:?} under {}: {wait} > {bound}", load.0);
            }
        }
    }
}

/// All of an SSD's blocks are due when the run starts, some 48 of them. Where GC collects, it gets to most of them first.
#[test]
fn a_refresh_gets_on_under_every_load() {
    for policy in Schedule::ALL {
        for load in &LOADS {
            let policy = format!("schedule.policy={}", policy.name());
            let ssd = run(&used(&[&policy, "refresh.at_start=during"]), (load.1)(6_000));
            let jobs = ssd.ftl().counters().refresh_jobs;
            let least = if load.0 == "reads" { 40 } else { 8 };
            assert!(jobs >= least, "{policy} under {}: {jobs} of about 48 blocks refreshed", load.0);
        }
    }
}

/// A block that is read often is due after so many reads, and moved within a bounded number of further ones.
#[test]
fn read_reclaim_gets_on_under_reads() {
    let settings = ["refresh.policy=reads", "refresh.reclaim_reads=500", "cells.chip=tlc-48l"];
    let cases =
        Schedule::ALL.iter().flat_map(|policy| SUSPENSION.map(|suspension| (policy.name(), suspension)));
    for (policy, suspension) in cases {
        let policy = format!("schedule.policy={policy}");
        let reads = (0..60_000).map(|i| read_at(0, i % 4));
        let config = used(&[&settings[..], &[policy.as_str()], suspension].concat());
        let ssd = run(&config, vec![closed(8, reads.collect::<Vec<_>>())]);
        let most = ssd.controller().counters.block_reads_max;
        assert!(most < 2_000, "{policy}, {suspension:?}: {most} reads of a block");
    }
}

/// A program that has its turn is not stopped by the next read that comes: a refresh moves about as many pages with
/// suspension as without it.
#[test]
fn what_has_its_turn_is_not_suspended() {
    let moved = |suspends: bool| {
        let suspend = format!("program.suspend={suspends}");
        let own =
            ["precondition.fill=1.0", "refresh.at_start=during", "schedule.max_wait_us=5000.0", &suspend];
        // They come faster than they can be served.
        let reads = (0..40_000).map(|i| read_at(i * 40 * US, i * 7 % 1_000));
        let mut ssd = Ssd::new(&one_die(&own), vec![open(reads)], &CHECKED);
        ssd.precondition(&one_die(&own), None, &mut |_| true).unwrap();
        ssd.run_until(1_000_000 * US, &mut |_| true).unwrap();
        ssd.ftl().counters().refresh_moved
    };
    let (with, without) = (moved(true), moved(false));
    assert!(with * 10 >= without * 8 && without > 60, "{with} pages with suspension, {without} without");
}

/// A used SSD under reads and writes, two of each outstanding: a read waits for fewer than three erases and one command of
/// GC, which is one page in each plane of a die.
#[test]
fn urgent_gc_holds_up_no_read_for_long() {
    let flows =
        || vec![closed(2, random(Op::Read, 1, 20_000, |_| 0)), closed(2, random(Op::Write, 2, 3_000, |_| 0))];
    let longest_read = |policy: &str| longest(&run(&used(&[policy, "gc.preemptible=false"]), flows()), 0);
    let bound = 3 * T_BERS + T_R + T_PROG;
    let wait = longest_read("schedule.policy=read-first");
    assert!(wait < bound, "{wait} >= {bound}");
    assert!(longest_read("schedule.policy=mqsim-out-of-order") > bound, "MQSim's order lets it wait");
}

/// 20,000 writes of 4 KiB anywhere.
fn random_writes(config: &Config) -> impl Iterator<Item = HostRequest> + Send + use<> {
    let units = config.host_sectors() / 8;
    (0..20_000).map(move |i| request(Op::Write, below(3, i, Purpose::Precondition, units), 1))
}

/// With pacing a write waits for some pages that move, not for a whole victim: also where GC goes before the host from its begin.
/// `gc.threshold` stays free, without pacing `gc.hard_threshold`.
#[test]
fn paced_writes_wait_for_pages_and_not_for_victims() {
    const PAGES: u64 = 200;
    let of = |pacing: &str, urgency: &str| {
        let pacing = format!("gc.pacing={pacing}");
        let own = [
            "ssd.pages_per_block=200",
            "ssd.blocks_per_plane=100",
            "precondition.overwrite=2.0",
            "gc.moves_in_flight=4",
            "gc.threshold=4",
            urgency,
            &pacing,
        ];
        let config = used(&own);
        let ssd = run(&config, vec![closed(4, random_writes(&config))]);
        (longest(&ssd, 0), ssd.ftl().counters().moved)
    };
    for urgency in ["gc.preemptible=true", "gc.preemptible=false", "gc.hard_threshold=3"] {
        let (paced, moved_in_step) = of("in-step", urgency);
        let (unpaced, moved) = of("off", urgency);
        // Half of a victim is live.
        assert!(unpaced > PAGES / 3 * T_PROG, "{urgency}: {unpaced}");
        assert!(paced < unpaced / 4, "{urgency}: {paced} of {unpaced}");
        assert_near("pages moved", moved_in_step as f64, moved as f64, 0.2);
    }
}

/// Writes that wait, for room in a pool or for a line of the cache, fill the programs that are open. There is padding only for what is
/// left at the end.
#[test]
fn no_program_is_padded_while_writes_wait_that_would_fill_it() {
    for lines in [512, 4_096] {
        let own = [
            "ssd.channels=4",
            "ssd.pages_per_block=96",
            "ssd.blocks_per_plane=128",
            "ssd.page_bytes=16384",
            "ssd.overprovisioning=0.13",
            "coding.cell=tlc",
            "cache.mode=write",
            "cache.flush=eager",
            &format!("cache.capacity_bytes={}", lines * 4096),
            "ftl.unit_bytes=4096",
            "ftl.unit_wait_us=20.0",
            "program.unit=wordline",
            "gc.pacing=in-step",
            "precondition.fill=1.0",
            "precondition.overwrite=2.0",
        ];
        let config = one_die(&own);
        let ssd = run(&config, vec![closed(64, random_writes(&config))]);
        let counters = ssd.ftl().counters();
        let (programs, units) = (u64::from(config.geometry().planes()), u64::from(config.units_of_program()));
        assert!(counters.parked_writes > 500, "{}", counters.parked_writes);
        assert!(counters.padding < programs * units, "{lines} lines: {} units of padding", counters.padding);
    }
}

/// The number of a page says which plane it goes to, so some planes get more writes at a time than others. Each may be ahead of
/// its GC by an eighth of a group. With a single page, writes that wait for one plane keep the others idle: all take 9 % longer.
#[test]
fn paced_writes_of_one_plane_hardly_hold_up_the_others() {
    let time_of = |pacing: &str| {
        let pacing = format!("gc.pacing={pacing}");
        let own = [
            "ssd.channels=8",
            "ssd.planes_per_die=2",
            "ssd.pages_per_block=192",
            "ssd.overprovisioning=0.15",
            "precondition.overwrite=2.0",
            "gc.threshold=4",
            &pacing,
        ];
        let config = used(&own);
        run(&config, vec![closed(16, random_writes(&config))]).now()
    };
    let (paced, unpaced) = (time_of("in-step"), time_of("off"));
    assert!(paced * 15 < unpaced * 16, "{paced} of {unpaced}");
}

/// Superblocks of programs that take many units: what a host took too early in one job it repays in the next, and what GC has
/// read but not programmed counts as not moved. So free groups stay where they are, and nobody waits for a whole victim.
#[test]
fn steady_writes_to_superblocks_wait_for_an_erase_and_some_programs() {
    const T_WORDLINE: Ns = 1_200 * US;
    const ROWS: u64 = 32;
    let own = [
        "ssd.channels=2",
        "ssd.planes_per_die=2",
        "ssd.pages_per_block=96",
        "ssd.blocks_per_plane=256",
        "ssd.page_bytes=16384",
        "ssd.overprovisioning=0.13",
        "coding.cell=tlc",
        "ftl.group=superblock",
        "ftl.unit_bytes=4096",
        "program.unit=wordline",
        "nand.multiplane=same-page",
        "nand.program_wordline_us=1200.0",
        "gc.threshold=0.02",
        "gc.hard_threshold=0.008",
        "gc.pacing=in-step",
        "gc.moves_in_flight=6",
        "precondition.fill=1.0",
        "precondition.overwrite=2.0",
    ];
    let config = one_die(&own);
    let ssd = run(&config, vec![closed(32, random_writes(&config))]);
    let times: Vec<Ns> = log(&ssd).iter().map(|entry| entry.completed).collect();
    let quarters = times.chunks(5_000).map(|part| part[part.len() - 1] - part[0]);
    let (least, most) = (quarters.clone().min().unwrap(), quarters.max().unwrap());
    assert!(most * 8 < least * 9, "the same speed from the begin to the end: {least} to {most}");
    // The time to program and erase a whole group.
    let victim = ROWS * T_WORDLINE + T_BERS;
    assert!(longest(&ssd, 0) < victim / 2, "{} of {victim}", longest(&ssd, 0));
}
