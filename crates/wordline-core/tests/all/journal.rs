//! The journal of the mapping table: what it writes, what is read when power is back, and what a drive without backup power
//! loses.
//!
//! Checked mode says at every cut whether a sector holds less than a flush has promised (`ftl/check/promises.rs`), and compares
//! every read with what it must find.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::{Config, ConfigErrorKind, Group, JournalLoad, Layer, ProgramUnit, resolve};
use wordline_core::engine::{Loader, Ns};
use wordline_core::flash::Status;
use wordline_core::host::{HostRequest, Op, Replay};
use wordline_core::{SimError, Ssd};

const HOUR: Ns = 3_600_000_000_000;

/// 1,152 units of the host: with entries of 64 bytes, 64 to a piece, the table has 18 pieces; the ring has 9 units of 64 entries.
const JOURNAL: &[&str] =
    &["journal.mode=on", "journal.entry_bytes=64", "journal.share=0.5", "ftl.entry_bytes=64"];

fn journaled(settings: &[&str]) -> Config {
    one_die(&[JOURNAL, settings].concat())
}

fn flush_at(arrival_ns: Ns) -> HostRequest {
    HostRequest::new(arrival_ns, Op::Flush, 0, 0)
}

/// Each page of 64 entries is a unit of the journal, and with each go two pieces of the table, where they have changed.
#[test]
fn a_unit_of_the_journal_is_written_for_as_many_changes_as_it_holds() {
    for writes_made in [63, 64, 640, 700] {
        let all = writes((0..writes_made).map(|i| i * 7 % 1152));
        let mut ssd = Ssd::new(&journaled(&[]), vec![closed(4, all)], &CHECKED);
        ssd.run(&mut |_| true).unwrap();
        let counters = *ssd.ftl().counters();
        let changes = counters.user_programs() + counters.moved + counters.trimmed;
        // What GC moves of the journal itself has no entry; here it moves nothing.
        assert_eq!((counters.journal_writes, counters.moved), (changes / 64, 0), "{counters:?}");
        assert_eq!(counters.user_programs(), writes_made);
        let pieces = counters.map_writes - counters.journal_writes;
        assert!(pieces <= 2 * counters.journal_writes, "{counters:?}");
        if writes_made == 640 {
            // Strides of 7 over all of the table: every piece has changed whenever its turn comes.
            assert_eq!(pieces, 20);
        }
    }
}

/// A refresh of all data before the run changes thousands of entries at once. They are written without time, as what it moves is; and
/// units that are written one within the other would take a stack that grows with the drive.
#[test]
fn many_units_that_are_due_at_once_take_no_more_stack_than_one() {
    let refreshed = [
        "refresh.at_start=before",
        "precondition.fill=1.0",
        "ssd.blocks_per_plane=512",
        "ftl.unit_bytes=512",
        "ssd.overprovisioning=0.5",
    ];
    let config = journaled(&refreshed);
    let count = config.host_units() / u64::from(config.unit_bytes() / config.journal.entry_bytes);
    let run = move || {
        let mut ssd = Ssd::new(&config, vec![open(writes(0..8))], &CHECKED);
        ssd.precondition(&config, None, &mut |_| true).unwrap();
        ssd.run(&mut |_| true).unwrap();
        ssd.ftl().counters().journal_writes
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap();
    let written = thread.join().unwrap();
    assert!(count > 5_000 && written < 20, "{written} units are written in the run, of {count}");
}

/// A write with FUA is on flash when it is complete: a cut takes what is only in the cache, and not what it wrote.
#[test]
fn a_write_with_fua_outlives_a_cut_that_takes_the_cache() {
    for (fua, lost) in [(false, 2), (true, 1)] {
        let settings = ["cache.mode=write", "cache.flush=watermark", "power.protected=false"];
        let forced = HostRequest { fua, ..write_at(0, 3) };
        let all = vec![forced, write_at(1_000 * US, 5), read_at(5_000 * US, 3)];
        let mut ssd = Ssd::new(&journaled(&settings), vec![open(all)], &CHECKED);
        ssd.run_until(2_000 * US, &mut |_| true).unwrap();
        assert_eq!(ssd.power_cut().unwrap().lost_cache_pages, lost, "FUA {fua}");
        ssd.power_up(HOUR).unwrap();
        ssd.run(&mut |_| true).unwrap();
    }
}

/// So do trims and moves.
#[test]
fn every_change_of_the_table_has_an_entry() {
    let trims = (0..64).map(|unit| request(Op::Trim, unit, 1));
    let all: Vec<_> = writes(0..64).into_iter().chain(trims).collect();
    let mut ssd = Ssd::new(&journaled(&[]), vec![closed(1, all)], &CHECKED);
    ssd.run(&mut |_| true).unwrap();
    assert_eq!((ssd.ftl().counters().trimmed, ssd.ftl().counters().journal_writes), (64, 2));

    let mut draws = 0;
    let random = (0..4_000).map(move |_| {
        draws += 1;
        write_at(0, below(3, draws, Purpose::Precondition, 1000))
    });
    let mut ssd = Ssd::new(&journaled(&["gc.threshold=0.1"]), vec![closed(4, random)], &CHECKED);
    ssd.run(&mut |_| true).unwrap();
    let counters = *ssd.ftl().counters();
    assert!(counters.moved > 500, "{counters:?}");
    let changes = counters.user_programs() + counters.moved;
    // Of what GC moves, a few are units of the journal and of checkpoints.
    let least = (changes - counters.moved / 8) / 64;
    assert!((least..=changes / 64).contains(&counters.journal_writes), "{counters:?}");
}

#[test]
fn the_time_out_writes_a_unit_that_is_not_full() {
    for (timeout, written) in [("0", 0), ("5", 1)] {
        let setting = format!("journal.timeout_ms={timeout}");
        let mut all = writes(0..9);
        all.push(read_at(20_000 * US, 0));
        let mut ssd = Ssd::new(&journaled(&[&setting]), vec![open(all)], &CHECKED);
        ssd.run(&mut |_| true).unwrap();
        assert_eq!(ssd.ftl().counters().journal_writes, written, "{timeout} ms");
    }
}

/// Their programs take longer than the time-out. A unit for each of them would take more room than GC wins.
#[test]
fn the_time_out_waits_for_changes_of_the_host_and_not_for_moves() {
    let count = 400;
    let all = (0..count).map(|i| write_at(i * 20_000 * US, below(3, i, Purpose::Precondition, 1000)));
    let settings = ["journal.timeout_ms=0.1", "precondition.fill=1.0", "precondition.overwrite=2.0"];
    let config = journaled(&settings);
    let mut ssd = Ssd::new(&config, vec![open(all)], &CHECKED);
    ssd.precondition(&config, None, &mut |_| true).unwrap();
    let before = *ssd.ftl().counters();
    ssd.run(&mut |_| true).unwrap();
    let counters = *ssd.ftl().counters();
    let (moved, written) = (counters.moved - before.moved, counters.journal_writes - before.journal_writes);
    assert!(moved > 4 * count, "{counters:?}");
    assert!((count..=count + moved / 64).contains(&written), "{written} for {moved} moves");
}

#[test]
fn a_flush_waits_for_the_journal_where_it_is_told_to() {
    let time = |settings: &[&str]| {
        let mut all = writes(0..1);
        all.push(flush_at(10_000 * US));
        let mut ssd = Ssd::new(&journaled(settings), vec![open(all)], &CHECKED);
        ssd.run(&mut |_| true).unwrap();
        let flush = *log(&ssd).iter().find(|entry| entry.op == Op::Flush).unwrap();
        (flush.completed - flush.submitted, ssd.ftl().counters().journal_writes)
    };
    assert_eq!(time(&[]), (0, 0));
    assert_eq!(time(&["journal.on_flush=true"]), (T_DMA + T_PROG, 1));
    assert_eq!(time(&["journal.on_flush=true", "power.protected=true"]), (0, 0), "the dump has it");
}

/// One die reads one page after the other: each unit of the journal, each piece that has changed and was written before,
/// and the pages that no unit of the journal knows.
#[test]
fn a_replay_takes_as_long_as_its_reads() {
    for (load, pieces) in [("changed", 0), ("whole", 4)] {
        let load = format!("journal.load={load}");
        // Two units of the journal and, with each, the pieces of the first 64 and the next 64 units, then nine entries more.
        let all = writes((0..128).chain(200..209));
        let config = journaled(&[&load]);
        let mut ssd = Ssd::new(&config, vec![closed(1, all)], &CHECKED);
        ssd.run_until(HOUR, &mut |_| true).unwrap();
        let counters = *ssd.ftl().counters();
        let written = counters.map_writes - counters.journal_writes;
        assert_eq!(counters.journal_writes, 2);
        ssd.power_cut().unwrap();
        let report = ssd.power_up(HOUR).unwrap();
        let reads = 2 + if pieces == 0 { 0 } else { written } + 9;
        assert_eq!(report.replay_reads, reads, "{load}");
        // Nine of them bring a sector, in which the spare bytes are counted.
        let most = reads * (T_R + T_DMA);
        assert!((most - 9 * T_DMA..=most).contains(&report.replay_time), "{report:?}, not {most}");
        assert!(report.time >= report.replay_time);
    }
}

#[test]
fn replay_is_bounded_by_the_ring_and_the_table() {
    let all = (0..20_000u64).map(|i| write_at(0, i * 31 % 1000));
    let mut ssd = Ssd::new(&journaled(&["gc.threshold=0.1"]), vec![closed(4, all)], &CHECKED);
    let mut replays = 0;
    while ssd.run_until(ssd.now() + 700_000 * US, &mut |_| true).unwrap() {
        ssd.power_cut().unwrap();
        let report = ssd.power_up(HOUR).unwrap();
        // And the pages that the unit which is being filled, and those on their way, have entries of.
        assert!(report.replay_reads <= 9 + 18 + 2 * 64, "{report:?}");
        replays += 1;
    }
    assert!(replays > 5);
}

/// The host comes back when the drive knows its table.
#[test]
fn requests_wait_for_the_replay() {
    let all = || writes(0..200).into_iter().chain([read_at(100 * HOUR, 0)]);
    let mut ssd = Ssd::new(&journaled(&[]), vec![open(all())], &CHECKED);
    ssd.run_until(HOUR, &mut |_| true).unwrap();
    let later_by = ssd.power_cycle(HOUR).unwrap();
    let (_, report) = ssd.power_log().cut.unwrap();
    assert!(report.replay_time > 0);
    assert_eq!(later_by, HOUR + report.time);
}

#[test]
fn a_shutdown_writes_the_checkpoint_and_the_journal() {
    let mut ssd = Ssd::new(&journaled(&[]), vec![open(writes(0..100))], &CHECKED);
    ssd.run_until(HOUR, &mut |_| true).unwrap();
    let before = ssd.ftl().counters().map_writes;
    let report = ssd.shut_down().unwrap();
    assert_eq!((report.map_writes, ssd.ftl().counters().map_writes), (2, before + 2), "a piece, and a unit");
    ssd.power_cut().unwrap();
    let report = ssd.power_up(HOUR).unwrap();
    assert_eq!(report.replay_reads, 2, "the journal alone");
    assert_eq!(ssd.shut_down().unwrap().map_writes, 0, "nothing has changed since");
}

#[test]
fn the_dump_has_the_data_on_their_way_and_the_entries() {
    let settings = ["cache.mode=write", "power.protected=true"];
    let mut ssd = Ssd::new(&journaled(&settings), vec![open(writes(0..9))], &CHECKED);
    ssd.run_until(HOUR, &mut |_| true).unwrap();
    assert_eq!(ssd.power_cut().unwrap().dumped_bytes, 9 * 4096, "nothing has a place yet");
    let mut ssd = Ssd::new(&journaled(&["power.protected=true"]), vec![open(writes(0..9))], &CHECKED);
    ssd.run_until(HOUR, &mut |_| true).unwrap();
    assert_eq!(ssd.power_cut().unwrap().dumped_bytes, 9 * 64, "nine entries");
    let report = ssd.power_up(HOUR).unwrap();
    assert_eq!((report.replay_reads, report.replay_time), (0, T_R + T_DMA), "a page of the dump");
}

/// Data that were on their way, too.
#[test]
fn without_backup_power_what_was_not_flushed_is_lost() {
    for (protected, lost) in [("true", 0), ("false", 12)] {
        let protected = format!("power.protected={protected}");
        let settings = ["cache.mode=write", "cache.flush=eager", &protected];
        let mut all = writes(0..6);
        all.push(flush_at(20_000 * US));
        all.extend((0..12).map(|unit| write_at(40_000 * US, unit)));
        all.push(read_at(60_000 * US, 3));
        let mut ssd = Ssd::new(&journaled(&settings), vec![open(all)], &CHECKED);
        ssd.run_until(40_100 * US, &mut |_| true).unwrap();
        let cut = ssd.power_cut().unwrap();
        assert_eq!(cut.lost_cache_pages, lost, "{cut:?}");
        ssd.power_up(HOUR).unwrap();
        // Checked mode finds what was flushed.
        ssd.run(&mut |_| true).unwrap();
        assert_eq!(ssd.metrics().read().count(), 1);
    }
}

/// The replay may read what an earlier run programmed and wrote again, and a page may fall back to it.
#[test]
fn a_loss_of_power_takes_a_drive_back_into_an_earlier_run() {
    let config = journaled(&["power.protected=false"]);
    let again = || vec![write_at(0, 0), write_at(10_000 * US, 0)];
    let flushed = || vec![write_at(0, 0), flush_at(10_000 * US), write_at(20_000 * US, 0)];
    for (before, replay_reads) in [(again(), 2), (flushed(), 2)] {
        let first = run(&config, vec![open(before)]);
        let mut ssd = Ssd::new(&config, vec![open([read_at(0, 0)])], &CHECKED);
        ssd.take_drive(&mut Loader::new(&mut &*saved(&first)), true).unwrap();
        ssd.power_cycle(HOUR).unwrap();
        let (cut, report) = ssd.power_log().cut.unwrap();
        assert_eq!(report.replay_reads, replay_reads, "{cut:?}, {report:?}");
        ssd.run(&mut |_| true).unwrap();
        assert_eq!(ssd.metrics().read().count(), 1);
    }
}

/// A unit is needed until the pieces that came with it are on flash, so one alone is no ring.
#[test]
fn a_journal_of_less_than_a_unit_is_refused() {
    let said = |share: &str| {
        let all = [ONE_DIE, JOURNAL].concat();
        let set = [format!("journal.share={share}")];
        let layers = all.iter().copied().chain(set.iter().map(String::as_str));
        let layers: Vec<_> = layers.map(|text| Layer::assignment(text).unwrap()).collect();
        resolve(&layers).map(|resolved| (resolved.config.table_units(), resolved.config.ring_units()))
    };
    let (table, _) = said("0.5").unwrap();
    let least = 1.0 / table as f64;
    assert_eq!(said(&least.to_string()).unwrap(), (table, 2));
    assert_eq!(said(&(2.5 * least).to_string()).unwrap(), (table, 3));
    let error = said(&(0.99 * least).to_string()).unwrap_err();
    assert_eq!((error.key.as_str(), error.kind), ("journal.share", ConfigErrorKind::OutOfRange));
    let raised = error.fix.trim_start_matches("raise it to ").trim_end_matches(" or more");
    assert!((1.0..1.1).contains(&(raised.parse::<f64>().unwrap() / least)), "{error}");
    assert_eq!(said(raised).unwrap().1, 2, "what the message says is taken");
    assert!(said("1e-9").is_err());
}

/// With so short a ring, too.
#[test]
fn the_shortest_journal_loses_nothing_that_was_flushed() {
    for seed in 0..20 {
        let mut draws = Draws::new(7_000 + seed);
        let mut config = any_drive(&mut draws);
        config.journal.share = 1.0 / config.table_units().max(4) as f64;
        run_with_cuts(&config, &mut draws).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// They amplify writes, and are no writes of the host.
#[test]
fn programs_that_are_done_again_are_counted_apart() {
    for is_protected in [true, false] {
        let setting = format!("power.protected={is_protected}");
        let mut ssd = Ssd::new(&journaled(&[&setting]), vec![open(writes(0..6))], &CHECKED);
        ssd.run_until(2 * T_PROG, &mut |_| true).unwrap();
        let before = *ssd.ftl().counters();
        let cut = ssd.power_cut().unwrap();
        assert!(cut.programs_cut_off > 0, "{cut:?}");
        ssd.power_up(HOUR).unwrap();
        let after = *ssd.ftl().counters();
        let again = if is_protected { cut.programs_cut_off as u64 } else { 0 };
        assert_eq!((after.redone, after.user_writes), (again, before.user_writes + again));
        assert_eq!(after.user_programs(), before.user_programs());
        let lost = cut.programs_cut_off - again as usize;
        assert_eq!((cut.lost_cache_pages, cut.lost_bytes), (lost, lost as u64 * 4096), "{cut:?}");
    }
}

/// A small drive with a journal, with all that may go with it.
fn any_drive(draws: &mut Draws) -> Config {
    let units_per_page = draws.one_of(&[1, 1, 4]);
    let page = format!("ssd.page_bytes={}", 4096 * units_per_page);
    let settings = [
        page.as_str(),
        "ftl.unit_bytes=4096",
        "ssd.blocks_per_plane=40",
        "ssd.overprovisioning=0.5",
        "gc.threshold=0.25",
        draws.one_of(&["ssd.pages_per_block=6", "ssd.pages_per_block=12", "ssd.pages_per_block=24"]),
        draws.one_of(&["ssd.planes_per_die=1", "ssd.planes_per_die=2"]),
        draws.one_of(&["ssd.chips_per_channel=1", "ssd.chips_per_channel=2"]),
        draws.one_of(&["ftl.allocation=dynamic", "ftl.allocation=CWDP"]),
        draws.one_of(&["ftl.streams=1", "ftl.streams=2"]),
        draws.one_of(&["gc.policy=greedy", "gc.policy=random", "gc.policy=fifo"]),
        draws.one_of(&["gc.preemptible=true", "gc.preemptible=false"]),
        draws.one_of(&["gc.pacing=off", "gc.pacing=in-step"]),
        draws.one_of(&["gc.moves_in_flight=1", "gc.moves_in_flight=8"]),
        draws.one_of(&["nand.multiplane=off", "nand.multiplane=overtaking", "nand.multiplane=any"]),
        draws.one_of(&["wear.static_threshold=0", "wear.static_threshold=2"]),
        draws.one_of(&["cache.mode=off", "cache.mode=write", "cache.mode=read-write"]),
        draws.one_of(&["cache.flush=eager", "cache.flush=full", "cache.flush=watermark"]),
        draws.one_of(&["cache.write_back=true", "cache.write_back=true", "cache.write_back=false"]),
        "cache.capacity_bytes=262144",
        draws.one_of(&["journal.share=0.25", "journal.share=1.0", "journal.share=3.0"]),
        draws.one_of(&["journal.entry_bytes=64", "journal.entry_bytes=16"]),
        draws.one_of(&["journal.timeout_ms=0", "journal.timeout_ms=1"]),
        draws.one_of(&["power.protected=false", "power.protected=false", "power.protected=true"]),
    ];
    let mut config = journaled(&settings);
    config.seed = draws.seed;
    config.journal.on_flush = draws.one_of(&[false, true]);
    config.ftl.open_timeout_ms = draws.one_of(&[0.0, 0.0, 1.0, 8.0]);
    config.journal.load = draws.one_of(&[JournalLoad::Changed, JournalLoad::Whole]);
    config.ftl.coalesce = draws.one_of(&[true, false]);
    config.nand.cache_register = draws.one_of(&[false, true]);
    match draws.below(4) {
        0 => config.gc.copyback = units_per_page == 1,
        1 => config.ftl.group = draws.one_of(&[Group::Planes, Group::Superblock]),
        2 => {
            config.ftl.group = Group::Planes;
            config.program.unit = ProgramUnit::Wordline;
        }
        _ => {}
    }
    config
}

/// Writes of whole units and of parts, with flushes among them, and a few requests to close the open groups.
fn requests(config: &Config, draws: &mut Draws, count: u64) -> Vec<HostRequest> {
    let footprint = config.host_sectors() * draws.one_of(&[10, 40, 80]) / 100;
    let mut at = 0;
    (0..count)
        .map(|_| {
            at += draws.one_of(&[0, 0, 0, 20 * US, 300 * US, 2_000 * US]);
            let op =
                draws.one_of(&[Op::Write, Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim, Op::Flush]);
            if op == Op::Flush {
                return flush_at(at);
            }
            if draws.below(50) == 0 {
                return HostRequest::new(at, Op::Close, 0, 0);
            }
            let sectors = 1 + draws.below(24) as u32;
            let sector = draws.below(footprint - u64::from(sectors));
            let (sector, sectors) = if draws.below(2) == 0 { (sector / 8 * 8, 8) } else { (sector, sectors) };
            HostRequest::new(at, op, sector, sectors)
        })
        .collect()
}

/// Runs to the end with power cuts on the way; returns how many there were, and how many pages were lost.
fn run_with_cuts(config: &Config, draws: &mut Draws) -> Result<(u64, u64), SimError> {
    let replay = if draws.below(2) == 0 { Replay::Open } else { Replay::Closed { depth: 12 } };
    let requests = requests(config, draws, 600);
    let mut ssd = Ssd::new(config, vec![flow(replay, requests)], &CHECKED);
    let (mut cuts, mut lost) = (0, 0);
    loop {
        let gap = 1 + draws.one_of(&[100 * US, 1_000 * US, 10_000 * US]) * draws.below(1000) / 400;
        if !ssd.run_until(ssd.now() + gap, &mut |_| true)? {
            break;
        }
        lost += ssd.power_cut()?.lost_cache_pages as u64;
        ssd.power_up(HOUR)?;
        cuts += 1;
    }
    ssd.run(&mut |_| true)?;
    ssd.shut_down()?;
    assert!(ssd.metrics().with_status(Status::Success) > 0);
    Ok((cuts, lost))
}

/// With backup power nothing that was acknowledged is lost, without it nothing that was flushed is.
#[test]
fn a_loss_of_power_takes_no_more_than_it_may() {
    let (drives, first) =
        (number("WORDLINE_CASES", 250), number("WORDLINE_SEED", 1) * 1_000_000 + number("WORDLINE_FIRST", 0));
    let (mut cuts, mut lost, mut faults) = (0, 0, Vec::new());
    for seed in first..first + drives {
        let mut draws = Draws::new(seed);
        let config = any_drive(&mut draws);
        match run_with_cuts(&config, &mut draws) {
            Ok((_, here)) if config.power.protected && here > 0 => {
                faults.push(format!("seed {seed}: {here} lost"))
            }
            Ok((some, here)) => (cuts, lost) = (cuts + some, lost + here),
            Err(error) => faults.push(format!("seed {seed}: {error}")),
        }
    }
    println!("{cuts} power cuts on {drives} drives, {lost} pages were lost");
    assert!(faults.is_empty(), "{} of {drives}:\n{}", faults.len(), faults.join("\n"));
    assert!(cuts > 10 * drives && lost > drives, "{cuts} cuts, {lost} lost: too few to say anything");
}
