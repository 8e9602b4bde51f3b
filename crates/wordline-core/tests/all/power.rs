//! Power: graceful shutdown, and power cut at random moments on random small SSDs, in checked mode.
//!
//! At every power-up the shadow is compared with the flash, once everything that was cut off is done again:
//! whatever the SSD had taken in is there, whether it had answered or not.

use crate::common::*;
use wordline_core::config::{Config, Group, Multiplane, ProgramUnit};
use wordline_core::engine::Ns;
use wordline_core::flash::{BlockState, Status};
use wordline_core::host::{FlowInput, HostRequest, Op, Replay, Rest};
use wordline_core::policy::allocation::Allocation;
use wordline_core::policy::gc::VictimPolicy;
use wordline_core::policy::program::Program;
use wordline_core::policy::program::{FastFirst, QueueAtPowerLoss, QueuedUntil, StaleEntries};
use wordline_core::{RunOptions, SimError, Ssd};

const HOUR: Ns = 3_600_000_000_000;
const DAY: Ns = 24 * HOUR;

/// OFWAR on one small die; its chip is worked out once, and shared by all that is made of it.
fn base() -> Config {
    one_die(&[
        "program.policy=ofwar",
        "cells.chip=mlc-ofwar",
        "ssd.blocks_per_plane=24",
        "ssd.overprovisioning=0.5",
        "coding.cell=mlc",
        "gc.threshold=0.3",
        "program.fast_write_threshold=2",
        "program.rewrite_threshold=4",
        "program.rewrite_queue_pages=40",
    ])
}

fn any_device(base: &Config, draws: &mut Draws) -> Config {
    let mut config = base.clone();
    config.seed = draws.seed;
    config.ssd.channels = draws.one_of(&[1, 2]);
    config.ssd.chips_per_channel = draws.one_of(&[1, 2]);
    config.ssd.planes_per_die = draws.one_of(&[1, 2]);
    config.ssd.pages_per_block = draws.one_of(&[4, 6, 8]);
    config.ssd.page_bytes = draws.one_of(&[4096, 8192]);
    config.ftl.allocation =
        Allocation::try_from(draws.one_of(&["dynamic", "CWDP", "PDWC"]).to_owned()).unwrap();
    config.ftl.coalesce = draws.one_of(&[true, false]);
    config.ftl.streams = draws.one_of(&[1, 2]);
    config.nand.multiplane =
        draws.one_of(&[Multiplane::Off, Multiplane::SamePage, Multiplane::Overtaking, Multiplane::Any]);
    config.nand.cache_register = draws.one_of(&[false, true]);
    config.gc.copyback = draws.one_of(&[false, true]);
    config.gc.policy = draws.one_of(&[VictimPolicy::Greedy, VictimPolicy::Fifo, VictimPolicy::Random]);
    config.wear.policies.gap.static_threshold = draws.one_of(&[0, 2]);
    config.program.policy = draws.one_of(&[Program::Ofwar, Program::Ofwar, Program::Ofwar, Program::Normal]);
    config.program.suspend = draws.one_of(&[false, true]);
    config.program.write_streams = draws.one_of(&[0, 1, 2]);
    config.program.policies.ofwar.fast_write_threshold = draws.one_of(&[0, 2, 6]);
    config.program.policies.ofwar.rewrite_threshold = draws.one_of(&[0, 4, 1000]);
    config.program.policies.ofwar.rewrite_queue_pages = draws.one_of(&[3, 40, 1000]);
    config.program.policies.ofwar.rewrites_in_flight = draws.one_of(&[1, 4]);
    config.program.policies.ofwar.stale_entries = draws.one_of(&[StaleEntries::Count, StaleEntries::Ignore]);
    config.program.policies.ofwar.queued_until = draws.one_of(&[QueuedUntil::Begun, QueuedUntil::Done]);
    config.program.policies.ofwar.gc_fast_first =
        draws.one_of(&[FastFirst::Always, FastFirst::Ties, FastFirst::Never]);
    config.program.policies.ofwar.queue_at_power_loss =
        draws.one_of(&[QueueAtPowerLoss::Saved, QueueAtPowerLoss::Lost]);
    config.ftl.open_timeout_ms = draws.one_of(&[0.0, 0.0, 1.0, 8.0]);
    if !config.gc.copyback {
        config.ftl.group = draws.one_of(&[Group::Block, Group::Planes]);
    }
    // Each cut wastes what is left of the block that moved units are collected in: more than small blocks have to spare.
    if !config.gc.copyback && config.program.policy == Program::Normal && config.ssd.pages_per_block == 8 {
        config.ftl.unit_bytes = draws.one_of(&[0, 512, 2048]);
        config.ftl.group = draws.one_of(&[config.ftl.group, Group::Superblock]);
        let blocks = config.geometry().planes();
        if config.ftl.group == Group::Superblock && blocks > 2 {
            config.ftl.parity = draws.one_of(&[0, blocks]);
        }
        config.program.unit = draws.one_of(&[ProgramUnit::Page, ProgramUnit::Wordline]);
        if config.ftl.unit_bytes > 0
            || config.program.unit == ProgramUnit::Wordline
            || config.ftl.group == Group::Superblock
        {
            config.program.write_streams = 0;
        }
    }
    config
}

/// Mostly writes, in bursts, of whole pages and of parts, and now and then a request to close the open groups.
fn requests(config: &Config, draws: &mut Draws, count: u64) -> Vec<HostRequest> {
    let footprint = config.host_sectors() * draws.one_of(&[20, 50, 70]) / 100;
    let mut at = 0;
    (0..count)
        .map(|_| {
            at += draws.one_of(&[0, 0, 0, 20 * US, 300 * US, 4_000 * US]);
            if draws.below(50) == 0 {
                return HostRequest::new(at, Op::Close, 0, 0);
            }
            let op = draws.one_of(&[Op::Write, Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim]);
            let sectors = 1 + draws.below(24) as u32;
            let sector = draws.below(footprint - u64::from(sectors));
            let (sector, sectors) =
                if draws.below(2) == 0 { (sector / 16 * 16, 16) } else { (sector, sectors) };
            HostRequest::new(at, op, sector, sectors)
        })
        .collect()
}

/// Runs to the end with power cuts on the way; returns how many there were, and how many pages were lost.
fn run_with_cuts(config: &Config, draws: &mut Draws, off_max: Ns) -> Result<(u64, u64), SimError> {
    let replay = if draws.below(2) == 0 { Replay::Open } else { Replay::Closed { depth: 12 } };
    let requests = requests(config, draws, 400);
    let mut ssd = Ssd::new(config, vec![flow(replay, requests)], &CHECKED);
    let (mut cuts, mut lost) = (0, 0);
    loop {
        let gap = 1 + draws.one_of(&[US, 100 * US, 3_000 * US]) * draws.below(1000) / 400;
        if !ssd.run_until(ssd.now() + gap, &mut |_| true)? {
            break;
        }
        ssd.power_cut()?;
        lost += ssd.power_up(off_max / 1000 * draws.below(1000))?.lost_pages;
        cuts += 1;
    }
    ssd.run(&mut |_| true)?;
    lost += ssd.shut_down()?.lost_pages;
    assert_eq!(ssd.ftl().fast_pages(), 0, "a shutdown leaves no fast page");
    Ok((cuts, lost))
}

#[test]
fn nothing_that_was_taken_in_is_lost_when_power_is_cut() {
    let base = base();
    let (devices, first) = (number("WORDLINE_CASES", 250), number("WORDLINE_SEED", 1) * 1_000_000);
    let mut cuts = 0;
    for seed in first..first + devices {
        let mut draws = Draws::new(seed);
        let config = any_device(&base, &mut draws);
        let slack = (config.program.policies.ofwar.rewrite_slack_h * HOUR as f64) as Ns;
        let (here, lost) = run_with_cuts(&config, &mut draws, slack * 9 / 10)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{:?} {:?}", config.ssd, config.program));
        assert_eq!(lost, 0, "seed {seed}: pages outlived their retention");
        cuts += here;
    }
    println!("{cuts} power cuts on {devices} devices");
    assert!(cuts >= 20 * devices, "{cuts} cuts are too few to say anything");
}

/// A used SSD of one die or two with little room to spare, which collects all the time.
fn tight_device(draws: &mut Draws, units_per_page: u32, more: &[&str]) -> Config {
    let page = format!("ssd.page_bytes={}", 4096 * units_per_page);
    let settings = [
        page.as_str(),
        "ftl.unit_bytes=4096",
        draws.one_of(&["ssd.pages_per_block=4", "ssd.pages_per_block=8", "ssd.pages_per_block=32"]),
        draws.one_of(&["ssd.planes_per_die=1", "ssd.planes_per_die=2"]),
        draws.one_of(&["ssd.chips_per_channel=1", "ssd.chips_per_channel=2"]),
        draws.one_of(&["ssd.overprovisioning=0.3", "ssd.overprovisioning=0.4"]),
        draws.one_of(&["ftl.group=block", "ftl.group=planes"]),
        draws.one_of(&["ftl.streams=1", "ftl.streams=2"]),
        draws.one_of(&["ftl.allocation=dynamic", "ftl.allocation=CWDP"]),
        draws.one_of(&["gc.policy=greedy", "gc.policy=random", "gc.policy=fifo"]),
        draws.one_of(&["gc.frontier=separate", "gc.frontier=shared"]),
        draws.one_of(&["gc.preemptible=true", "gc.preemptible=false"]),
        draws.one_of(&["gc.moves_in_flight=1", "gc.moves_in_flight=8"]),
        draws.one_of(&["nand.multiplane=off", "nand.multiplane=overtaking", "nand.multiplane=any"]),
        draws.one_of(&["wear.static_threshold=0", "wear.static_threshold=2"]),
        "ssd.blocks_per_plane=24",
        "precondition.fill=1.0",
        "precondition.overwrite=1.0",
    ];
    Config { seed: draws.seed, ..one_die(&[&settings, more].concat()) }
}

/// Power is cut while GC moves pages into the group that is kept for it: it goes on there.
#[test]
fn a_used_ssd_has_room_after_any_power_cut() {
    has_room_after_any_power_cut(1, &[], &[]);
}

/// The same within a page that is not full. On one of these SSDs a page was written again before its program that was cut
/// off, which waited for room, was done again.
#[test]
fn a_used_ssd_with_small_units_has_room_after_any_power_cut() {
    has_room_after_any_power_cut(4, &[1_000_351], &[]);
}

/// Power goes while most groups have programs on their way. Each is collected as soon as its own are done again, and makes room
/// for those of the next one.
#[test]
fn a_cut_with_programs_on_their_way_to_most_groups_leaves_room() {
    let settings = ["ssd.planes_per_die=2", "ssd.overprovisioning=0.2", "ftl.group=planes", "gc.threshold=4"];
    let config = one_die(&settings);
    let pages = config.host_pages();
    let mut ssd = Ssd::new(&config, vec![open((0..pages).map(|page| write_at(0, page)))], &CHECKED);
    ssd.run_until(20_000 * US, &mut |_| true).unwrap();
    let cut = ssd.power_cut().unwrap();
    assert!(cut.programs_cut_off as u64 > pages * 3 / 4, "{cut:?}");
    ssd.power_up(1_000 * US).unwrap();
    ssd.run(&mut |_| true).unwrap();
}

/// Any cut of a used SSD of superblocks, of pages and of wordlines.
#[test]
fn a_used_ssd_of_superblocks_has_room_after_any_power_cut() {
    let superblocks = ["ftl.group=superblock", "ssd.channels=2"];
    has_room_after_any_power_cut(1, &[], &superblocks);
    // Each cut wastes a program of what is left in a group.
    let wordlines = ["program.unit=wordline", "coding.cell=mlc", "ssd.pages_per_block=32"];
    has_room_after_any_power_cut(4, &[], &[&superblocks[..], &wordlines].concat());
    let parity = ["ssd.channels=4", "ftl.parity=4", "ssd.overprovisioning=0.5"];
    has_room_after_any_power_cut(1, &[], &[&superblocks[..], &parity].concat());
    has_room_after_any_power_cut(4, &[], &[&superblocks[..], &wordlines, &parity].concat());
}

/// Without backup power, what moved comes back to the group that it left, and its places are wasted: the group may no longer fit into
/// the last one, and another comes first. GC moves no more at once than leaves room for one of them. So it was on the drives that
/// are named.
#[test]
fn a_used_ssd_has_room_after_any_power_cut_that_undoes_moves() {
    let journal = ["journal.mode=on", "journal.share=1.0", "power.protected=false"];
    // On the fifth of these nothing fits into the rest of the last group of a die: it waits for another die.
    let blocks = [1_000_033, 1_000_034, 1_000_035, 1_000_047, 1_000_079, 404_000_018];
    has_room_after_any_power_cut(1, &blocks, &journal);
    // A program is of four units, and is filled up at the end of each job.
    let large_blocks = ["ssd.pages_per_block=32", "ssd.overprovisioning=0.5"];
    has_room_after_any_power_cut(4, &[], &[&journal[..], &large_blocks].concat());
    let superblocks = ["ftl.group=superblock", "ssd.channels=2"];
    let of_superblocks = [1_000_101, 1_000_104, 20_261_130_000_025, 20_261_130_000_091];
    has_room_after_any_power_cut(1, &of_superblocks, &[&journal[..], &superblocks].concat());
}

/// A loss of power ends a refresh in a pool that is not short of room yet, though it needs its open groups: that group is taken up
/// again when it is. A state that is saved meanwhile goes on to the same end.
#[test]
fn a_state_keeps_the_job_that_a_loss_of_power_ended() {
    for seed in [1_000_000, 1_000_011] {
        let mut draws = Draws::new(seed);
        let refreshed = ["refresh.policy=reads", "refresh.reclaim_reads=50", "ftl.streams=4"];
        let roomy = ["ssd.overprovisioning=0.5", "precondition.fill=0.7", "precondition.overwrite=0.0"];
        let config = tight_device(&mut draws, 1, &[refreshed, roomy].concat());
        let pages = config.host_pages();
        let mut any = || match draws.below(2) {
            0 => write_at(0, draws.below(pages * 7 / 10)),
            _ => read_at(0, draws.below(40)),
        };
        let requests: Vec<_> = (0..3_000).map(|_| any()).collect();
        let flows = || vec![closed(8, requests.clone())];
        let mut ssd = Ssd::new(&config, flows(), &CHECKED);
        ssd.precondition(&config, None, &mut |_| true).unwrap();
        while !format!("{:?}", ssd.ftl()).contains("unfinished: Some") {
            assert!(ssd.run_until(ssd.now() + 3_000 * US, &mut |_| true).unwrap(), "no job was ended");
            ssd.power_cut().unwrap();
            ssd.power_up(US).unwrap();
        }
        let mut other = resumed(&config, flows(), &CHECKED, &saved(&ssd));
        for ssd in [&mut ssd, &mut other] {
            ssd.run(&mut |_| true).unwrap();
        }
        assert!(saved(&other) == saved(&ssd), "seed {seed}");
    }
}

fn has_room_after_any_power_cut(units_per_page: u32, also: &[u64], more: &[&str]) {
    // Each takes many times as long as a drive of the other tests.
    let (devices, first) = (number("WORDLINE_CASES", 300) / 10, number("WORDLINE_SEED", 1) * 1_000_000);
    let (mut cuts, mut faults) = (0, Vec::new());
    for seed in (first..first + devices).chain(also.iter().copied()) {
        let mut draws = Draws::new(seed);
        let config = tight_device(&mut draws, units_per_page, more);
        let pages = config.host_pages();
        let writes = (0..800).map(|_| write_at(0, draws.below(pages))).collect::<Vec<_>>();
        let mut ssd = Ssd::new(&config, vec![closed(8, writes)], &CHECKED);
        ssd.precondition(&config, None, &mut |_| true).unwrap();
        let mut outcome = Ok(true);
        // GC goes on beside the host, and behind its last request.
        while matches!(outcome, Ok(true)) && !ssd.host().is_done() {
            let gap = 1 + draws.below(20_000 * US);
            outcome = ssd.run_until(ssd.now() + gap, &mut |_| true);
            if matches!(outcome, Ok(true)) {
                cuts += 1;
                outcome = ssd.power_cut().and_then(|_| ssd.power_up(US)).map(|_| true);
            }
        }
        let outcome = outcome.and_then(|_| ssd.run(&mut |_| true));
        faults.extend(outcome.err().map(|error| format!("seed {seed}: {error}\n{config:?}")));
    }
    assert!(faults.is_empty(), "{} of {devices}, {}", faults.len(), faults[0]);
    assert!(cuts > 5 * devices, "{cuts} cuts are too few to say anything");
}

/// A burst that is written fast, left alone: its pages stay in the rewrite queue.
fn after_a_burst(settings: &[&str]) -> Ssd {
    let mut all =
        vec!["program.rewrite_threshold=1000", "program.write_streams=1", "program.fast_write_threshold=0"];
    all.extend(settings);
    // The wear for which the paper states the short retention.
    let chip = ["program.policy=ofwar", "cells.chip=mlc-ofwar", "reliability.pec=3000", "gc.threshold=0.1"];
    let config = one_die(&[&chip[..], &all[..]].concat());
    let mut burst = writes(0..60);
    burst.push(HostRequest { arrival_ns: 10 * DAY, ..read_at(0, 0) });
    let mut ssd = Ssd::new(&config, vec![open(burst)], &CHECKED);
    assert!(ssd.run_until(DAY / 2, &mut |_| true).unwrap());
    ssd
}

#[test]
fn what_outlives_its_retention_is_lost() {
    for queue in ["saved", "lost"] {
        let setting = format!("program.queue_at_power_loss={queue}");
        let mut ssd = after_a_burst(&[&setting]);
        let fast = ssd.power_cut().unwrap().fast_pages;
        assert!(fast > 40, "{fast} fast pages");
        let retention = ssd.nand().fast_program.rated_retention;
        assert!(
            (3 * DAY..=5 * DAY).contains(&retention),
            "the chip says about four days, not {retention} ns"
        );
        let report = ssd.power_up(retention).unwrap();
        assert_eq!(report.lost_pages, fast, "half a day and the whole retention: {queue}");
        assert_eq!(report.rewritten_pages, fast, "they are written again, for what they are worth");

        let mut ssd = after_a_burst(&[&setting]);
        let fast = ssd.power_cut().unwrap().fast_pages;
        let report = ssd.power_up(retention - DAY).unwrap();
        assert_eq!((report.lost_pages, report.rewritten_pages), (0, fast), "{queue}");
    }
}

#[test]
fn the_retention_of_fast_pages_falls_with_the_wear_of_their_block() {
    let lost = |pec: &str, off: Ns| {
        let setting = format!("reliability.pec={pec}");
        let mut ssd = after_a_burst(&[&setting]);
        assert!(ssd.power_cut().unwrap().fast_pages > 40);
        ssd.power_up(off).unwrap().lost_pages
    };
    assert_eq!((lost("0", 10 * DAY), lost("1500", 10 * DAY)), (0, 0), "younger than the rated cycles");
    assert!(lost("3000", 10 * DAY) > 40 && lost("3000", DAY) == 0, "at the rated cycles: four days");
}

#[test]
fn rewrites_come_before_the_retention_of_their_block_or_before_that_of_the_rated_cycles() {
    let rewritten = |deadline: &str| {
        let deadline = format!("program.rewrite_deadline={deadline}");
        let mut ssd = after_a_burst(&["reliability.pec=0", &deadline]);
        ssd.run_until(9 * DAY, &mut |_| true).unwrap();
        ssd.ftl().counters().forced_rewrites
    };
    assert!(rewritten("rated") > 40, "the paper has one deadline for all blocks");
    assert_eq!(rewritten("wear"), 0, "a fresh block keeps fast pages for longer");
}

#[test]
fn a_page_whose_program_is_under_way_may_count_as_queued() {
    let fast_pages = |until: &str| {
        let setting = format!("program.queued_until={until}");
        let mut ssd =
            after_a_burst(&["program.write_streams=2", "program.fast_write_threshold=10", &setting]);
        ssd.power_cut().unwrap().fast_pages
    };
    // Two of sixty find a place at once. The rest are fast while more than ten wait; with the one that is under way
    // counted, ten that wait are enough.
    assert_eq!((fast_pages("begun"), fast_pages("done")), (48, 49));
}

#[test]
fn rewrites_are_forced_before_the_slack_is_used_up() {
    let mut ssd = after_a_burst(&[]);
    let retention = ssd.nand().fast_program.rated_retention;
    assert_eq!(ssd.ftl().counters().rewrites, 0, "below the threshold an idle SSD leaves them");
    let forced = retention - 24 * HOUR;
    ssd.run_until(forced - HOUR, &mut |_| true).unwrap();
    assert_eq!(ssd.ftl().counters().rewrites, 0, "they are not due");
    ssd.run_until(forced + HOUR, &mut |_| true).unwrap();
    let counters = *ssd.ftl().counters();
    assert!(ssd.ftl().fast_pages() == 0 && counters.rewrites > 40, "{counters:?}");
    assert_eq!((counters.forced_rewrites, counters.lost_pages), (counters.rewrites, 0));
}

#[test]
fn a_shutdown_takes_as_long_as_its_reads_and_programs() {
    let mut ssd = after_a_burst(&[]);
    let fast = ssd.ftl().fast_pages();
    let report = ssd.shut_down().unwrap();
    assert_eq!((report.rewritten_pages, ssd.ftl().fast_pages()), (fast, 0));
    // One die, one page at a time on it: a sense, the page over the bus and back, a program.
    let each = T_R + T_PROG;
    assert!((fast * each..fast * (each + 2 * T_DMA) + each).contains(&report.time), "{} ns", report.time);
}

/// The time without power does not count towards how long a flow goes on.
#[test]
fn a_closed_loop_and_an_open_one_go_on_as_long_as_without_a_cut() {
    let reads = |step: Ns| (0..200_000).map(move |i| read_at(i * step, i % 500));
    for (is_closed, step) in [(true, 0), (false, 100 * US)] {
        let counts = [false, true].map(|is_cut| {
            let flow = if is_closed { closed(4, reads(step)) } else { open(reads(step)) };
            let config = one_die(&["host.duration_s=0.1"]);
            let mut ssd = Ssd::new(&config, vec![flow], &CHECKED);
            if is_cut {
                ssd.run_until(50_000 * US, &mut |_| true).unwrap();
                ssd.power_cut().unwrap();
                ssd.power_up(HOUR).unwrap();
            }
            ssd.run(&mut |_| true).unwrap();
            ssd.metrics().read().count()
        });
        assert!(counts[1].abs_diff(counts[0]) < 50 && counts[0] > 500, "{is_closed}: {counts:?}");
    }
}

/// Requests that were completed, and those that a cut at this time interrupted.
fn served_around_a_cut(flows: Vec<FlowInput>, at: Ns) -> (u64, u64) {
    let mut ssd = Ssd::new(&one_die(&[]), flows, &CHECKED);
    ssd.run_until(at, &mut |_| true).unwrap();
    let interrupted = ssd.power_cut().unwrap().interrupted_requests;
    ssd.power_up(HOUR).unwrap();
    ssd.run(&mut |_| true).unwrap();
    assert!(ssd.host().is_done(), "a cut at {at} ns: requests are still to come");
    (ssd.metrics().completed_count(), interrupted as u64)
}

/// Those that the SSD had taken and those that waited for it: each has a row, and none a response time.
#[test]
fn requests_that_a_cut_or_a_shutdown_ends_have_a_status() {
    let options = RunOptions { log_requests: true, ..CHECKED };
    let at = 5 * T_R / 2;
    for (is_cut, status) in [(true, Status::AbortedPowerLoss), (false, Status::AbortedSqDeletion)] {
        let config = one_die(&["host.device_queue_depth=4"]);
        let mut ssd = Ssd::new(&config, vec![open((0..40).map(|i| read_at(i * US, i)))], &options);
        ssd.run_until(at, &mut |_| true).unwrap();
        let done = ssd.metrics().completed_count();
        let waiting = 40 - done - 4;
        assert!(done > 0 && waiting > 20, "{done} are done");
        if is_cut {
            let cut = ssd.power_cut().unwrap();
            assert_eq!((cut.interrupted_requests as u64, cut.waiting_requests as u64), (4, waiting));
            ssd.power_up(HOUR).unwrap();
        } else {
            ssd.shut_down().unwrap();
        }
        ssd.run(&mut |_| true).unwrap();
        let ended: Vec<_> = log(&ssd).iter().filter(|entry| entry.status == status).collect();
        let expected = if is_cut { waiting + 4 } else { waiting };
        assert_eq!((ended.len() as u64, ssd.metrics().with_status(status)), (expected, expected));
        assert!(ended.iter().all(|entry| entry.completed == at && entry.submitted <= at), "{ended:?}");
        let served = ssd.metrics().with_status(Status::Success);
        assert_eq!((served + expected, ssd.metrics().completed_count()), (40, served));
        assert_eq!(log(&ssd).len(), 40);
    }
}

#[test]
fn requests_of_the_warm_up_that_a_cut_ends_belong_to_the_warm_up() {
    let config = one_die(&["host.device_queue_depth=4", "host.warmup_requests=10"]);
    let mut ssd = Ssd::new(&config, vec![open((0..40).map(|i| read_at(i * US, i)))], &CHECKED);
    ssd.run_until(5 * T_R / 2, &mut |_| true).unwrap();
    ssd.power_cut().unwrap();
    assert_eq!(ssd.metrics().warmup_requests, 10);
    assert_eq!(ssd.metrics().with_status(Status::AbortedPowerLoss), 30);
}

/// Be it in a pause, before one, or behind its arrival times.
#[test]
fn a_paced_flow_goes_on_after_a_cut() {
    for (rest, gap) in [(Rest { every: 5, pause: 2_000 * US }, 0), (Rest::default(), 10 * US)] {
        for cut in 1..40 {
            let reads = (0..60).map(move |i| read_at(i * gap, i));
            let paced = flow(Replay::Paced { depth: 3, rest }, reads);
            let (completed, interrupted) = served_around_a_cut(vec![paced], cut * 73 * US);
            assert_eq!(completed + interrupted, 60, "{rest:?}, cut {cut}");
        }
    }
}

#[test]
fn flows_that_follow_others_begin_after_a_cut_that_ended_those() {
    let flows = || vec![closed(9, reads(0..9)), FlowInput { group: 1, ..closed(2, reads(0..20)) }];
    assert_eq!(served_around_a_cut(flows(), T_R / 2), (20, 9));
    assert_eq!(served_around_a_cut(flows(), 3 * T_R), (22, 7));
}

#[test]
fn a_shutdown_writes_what_only_the_volatile_cache_holds() {
    let mut ssd = Ssd::new(&one_die(&["cache.mode=write"]), vec![open(writes(0..9))], &CHECKED);
    ssd.run_until(DAY, &mut |_| true).unwrap();
    assert_eq!(ssd.ftl().counters().user_writes, 0, "there is room for more");
    let report = ssd.shut_down().unwrap();
    assert_eq!(ssd.ftl().counters().user_writes, 9);
    assert!(report.time >= 9 * T_PROG, "{} ns on one die", report.time);
    assert_eq!(ssd.power_cut().unwrap().lost_cache_pages, 0);
}

#[test]
fn a_shutdown_writes_the_mapping_entries_that_have_changed() {
    for (mapping, writes_map) in [("flat", false), ("dftl", true)] {
        let mapping = format!("ftl.mapping={mapping}");
        let all = writes((0..900).map(|i| i * 31 % 900));
        let mut ssd = Ssd::new(&one_die(&["gc.threshold=0.1", &mapping]), vec![open(all)], &CHECKED);
        ssd.run_until(DAY, &mut |_| true).unwrap();
        let report = ssd.shut_down().unwrap();
        assert_eq!(report.map_writes > 0, writes_map, "{report:?}");
        assert!(report.time >= report.map_writes * T_PROG, "{report:?} on one die");
        let again = ssd.shut_down().unwrap();
        assert_eq!((again.map_writes, again.time), (0, 0), "nothing has changed since");
    }
}

#[test]
fn a_power_cut_with_a_part_of_the_mapping_in_dram_is_refused() {
    let mut ssd = Ssd::new(&one_die(&["ftl.mapping=dftl"]), vec![open(writes(0..9))], &CHECKED);
    ssd.run_until(600 * US, &mut |_| true).unwrap();
    let error = ssd.power_cut().unwrap_err().to_string();
    assert!(error.contains("ftl.mapping = \"flat\""), "{error}");
}

#[test]
fn a_power_cut_loses_what_only_the_volatile_cache_held() {
    for (setting, lost) in [("cache.write_back=true", 9), ("cache.write_back=false", 0)] {
        let mut again = writes(0..9);
        again.push(HostRequest { arrival_ns: 10 * DAY, ..read_at(0, 0) });
        let mut ssd = Ssd::new(&one_die(&["cache.mode=write", setting]), vec![open(again)], &CHECKED);
        ssd.run_until(DAY, &mut |_| true).unwrap();
        assert_eq!(ssd.power_cut().unwrap().lost_cache_pages, lost, "{setting}");
        ssd.power_up(HOUR).unwrap();
        // Checked mode finds the older data in the place of what was lost, and no newer.
        ssd.run(&mut |_| true).unwrap();
        assert_eq!(ssd.metrics().read().count(), 1);
    }
}

#[test]
fn backup_power_saves_what_only_the_cache_held() {
    for planes in [1, 4] {
        let planes_per_die = format!("ssd.planes_per_die={planes}");
        let settings =
            ["cache.mode=write", "power.protected=true", "ssd.blocks_per_plane=16", &planes_per_die];
        let mut again = writes(0..9);
        again.push(HostRequest { arrival_ns: 10 * DAY, ..read_at(3, 3) });
        let mut ssd = Ssd::new(&one_die(&settings), vec![open(again)], &CHECKED);
        ssd.run_until(DAY, &mut |_| true).unwrap();
        let cut = ssd.power_cut().unwrap();
        assert_eq!((cut.lost_cache_pages, cut.dumped_pages, cut.queued_pages), (0, 9, 0));
        let (rounds, longest) = (9u64.div_ceil(planes), 9 * T_DMA);
        assert!((rounds * T_PROG..=rounds * T_PROG + longest).contains(&cut.dump_time), "{cut:?}");
        ssd.power_up(HOUR).unwrap();
        assert_eq!(ssd.ftl().counters().user_writes, 9, "they are written when power is back");
        // Checked mode finds the newest data.
        ssd.run(&mut |_| true).unwrap();
    }
}

#[test]
fn power_cuts_with_a_data_cache_leave_all_accounts_in_order() {
    let mut cuts = 0;
    for seed in 1..200 {
        let mut draws = Draws::new(seed);
        let mut config = one_die(&[
            "cache.mode=read-write",
            "cache.capacity_bytes=131072",
            "ssd.blocks_per_plane=24",
            "ssd.overprovisioning=0.5",
            "gc.threshold=0.3",
            draws.one_of(&["cache.flush=full", "cache.flush=watermark", "cache.flush=eager"]),
        ]);
        config.seed = seed;
        config.ssd.channels = draws.one_of(&[1, 2]);
        config.ftl.coalesce = draws.one_of(&[true, false]);
        config.power.protected = draws.one_of(&[true, false]);
        let (here, _) = run_with_cuts(&config, &mut draws, HOUR)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{:?} {:?}", config.ssd, config.cache));
        cuts += here;
    }
    assert!(cuts > 1000, "{cuts} cuts are too few to say anything");
}

/// Where there is room, nothing is programmed behind a page whose program was cut off: its block takes no more.
#[test]
fn a_block_takes_no_page_behind_one_that_was_cut_off() {
    // The eleventh program of a block of 24 pages is cut off. No page is written twice.
    let mut ssd = Ssd::new(&one_die(&[]), vec![closed(1, writes(0..40))], &CHECKED);
    ssd.run_until(10 * (T_PROG + T_DMA) + T_PROG / 2, &mut |_| true).unwrap();
    ssd.power_cut().unwrap();
    ssd.power_up(HOUR).unwrap();
    ssd.run(&mut |_| true).unwrap();
    let blocks = ssd.ftl().blocks().table();
    let full: Vec<_> = blocks.iter().filter(|block| block.state() == BlockState::Full).collect();
    assert!(full.iter().any(|block| block.valid == 10), "{full:?}");
}
