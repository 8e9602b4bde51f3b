//! One-shot programs of a wordline (`program.unit`), and how many there may be at a time (`nand.max_programs`).

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::host::{HostRequest, Op};

/// A die of TLC with two planes, whose wordlines are programmed at once.
const TLC: &[&str] = &[
    "coding.cell=tlc",
    "ssd.planes_per_die=2",
    "nand.multiplane=same-page",
    "ftl.group=planes",
    "program.unit=wordline",
    "nand.program_wordline_us=1200.0",
];
/// tPROG of its wordline.
const T_WORDLINE: Ns = 1_200 * US;
/// Pages that a program takes.
const PAGES: u64 = 6;

const BUFFER: &[&str] = &["cache.mode=write", "cache.flush=eager", "cache.capacity_bytes=262144"];

fn tlc(settings: &[&str]) -> Config {
    one_die(&[TLC, settings].concat())
}

fn random_writes(config: &Config, count: u64) -> Vec<HostRequest> {
    let units = config.host_sectors() / 8;
    writes((0..count).map(move |i| below(3, i, Purpose::Precondition, units)))
}

fn programs(ssd: &Ssd) -> (u64, Ns) {
    let busy = ssd.controller().luns().iter().map(|lun| lun.busy()[1]).sum();
    (ssd.controller().counters.programs, busy)
}

/// All page types of both planes cross the channel, then one program of the array: whatever is written.
#[test]
fn a_program_takes_all_pages_of_a_wordline_in_all_planes() {
    const ROWS: u64 = 50;
    let run_of = |settings: &[&str]| {
        let config = tlc(&[&["ftl.coalesce=false"], settings].concat());
        let ssd = run(&config, vec![open(random_writes(&config, ROWS * PAGES))]);
        assert_eq!(programs(&ssd), (ROWS * PAGES, ROWS * T_WORDLINE));
        assert_eq!(ssd.ftl().counters().padding, 0);
        end(&ssd)
    };
    assert_eq!(run_of(&[]), ROWS * (PAGES * T_DMA + T_WORDLINE));
    let overlapped = run_of(&["nand.cache_register=true"]);
    assert_eq!(overlapped, PAGES * T_DMA + ROWS * T_WORDLINE, "data come behind the program");
    // Commands: one with addresses for each page.
    let commands = ["channel.program_command_ns=300", "channel.program_command_plane_ns=200"];
    let (first, more) = (300, 200);
    assert_eq!(run_of(&commands), ROWS * (PAGES * T_DMA + first + 5 * more + T_WORDLINE));
}

#[test]
fn without_a_time_of_its_own_a_wordline_takes_that_of_its_pages() {
    let config = tlc(&["nand.program_wordline_us=0", "nand.program_us=[300.0,500.0,700.0]"]);
    let ssd = run(&config, vec![open(random_writes(&config, 10 * PAGES))]);
    assert_eq!(programs(&ssd).1, 10 * 1_500 * US);
}

/// Blocks that are single have programs of one plane.
#[test]
fn groups_of_one_block_program_a_wordline_of_one_plane() {
    let config = tlc(&["ftl.group=block", "nand.multiplane=off", "ftl.coalesce=false"]);
    let ssd = run(&config, vec![open(writes(0..30))]);
    assert_eq!(programs(&ssd), (30, 10 * T_WORDLINE));
}

/// The same bytes in the same array time: only how many pages a program takes differs.
#[test]
fn two_steps_are_programs_of_all_pages_of_a_step() {
    let of = |unit: &str| {
        let unit = format!("program.unit={unit}");
        let settings = [
            "coding.cell=qlc",
            "program.policy=two-step",
            "nand.program_us=[500.0,500.0,500.0,2900.0]",
            "nand.program_wordline_us=0",
            "ftl.coalesce=false",
            &unit,
        ];
        let config = tlc(&settings);
        // Two blocks of 24 pages.
        let ssd = run(&config, vec![open(writes(0..48))]);
        (programs(&ssd), ssd.controller().counters.multiplane, ssd.ftl().counters().padding)
    };
    let ((pages, time), commands, padding) = of("wordline");
    assert_eq!(of("page").0, (pages, time));
    // Six wordlines of two planes, in two steps each.
    assert_eq!((pages, time, commands, padding), (48, 6 * 4_400 * US, 12, 0));
}

#[test]
fn what_waits_in_vain_is_filled_up_with_padding_and_a_flush_does_not_wait() {
    let config = tlc(BUFFER);
    let late = 5_000 * US;
    let ssd = run(&config, vec![open([write_at(0, 3), write_at(0, 9), write_at(late, 4)])]);
    assert_eq!((programs(&ssd).0, ssd.ftl().counters().padding), (2 * PAGES, 2 * PAGES - 3));
    assert_eq!(latencies(&ssd), [0; 3], "the host waits for none of that");
    let flush = HostRequest { arrival_ns: 0, ..HostRequest::new(0, Op::Flush, 0, 0) };
    let ssd = run(&config, vec![open([write_at(0, 3), flush])]);
    assert_eq!((programs(&ssd).0, ssd.ftl().counters().padding), (PAGES, PAGES - 1));
    assert_eq!(end(&ssd), PAGES * T_DMA + T_WORDLINE);
}

/// What is being programmed is read from the controller.
#[test]
fn data_on_their_way_to_flash_are_read_from_the_controller() {
    let ssd = run(&tlc(&[]), vec![open([write_at(0, 3), read_at(600 * US, 3), read_at(4_000 * US, 3)])]);
    let reads: Vec<_> = log(&ssd).iter().filter(|entry| entry.op == Op::Read).collect();
    let times: Vec<_> = reads.iter().map(|entry| entry.completed - entry.arrival).collect();
    assert_eq!(times, [0, T_R + T_DMA]);
    assert_eq!(ssd.ftl().counters().reads_without_flash, 1);
}

/// The data of a wordline come page by page: commands and data of reads of another die pass between two of them.
#[test]
fn reads_of_other_dies_pass_between_data_ins() {
    // A fill in order goes to a die after the other, a program each.
    let config = tlc(&["ssd.chips_per_channel=2", "precondition.fill=0.5", "ftl.allocation=WCDP"]);
    let other = |at| read_at(at, PAGES);
    let program = |at| (0..PAGES).map(move |i| write_at(at, 60 + i));
    let ran = |requests: Vec<HostRequest>| {
        let ssd = run(&config, vec![open(requests)]);
        let read = log(&ssd).iter().find(|entry| entry.op == Op::Read).expect("it is served").completed;
        (read, end(&ssd))
    };
    // Its command goes out behind the first page; its data come when all are in.
    let all = PAGES * T_DMA + T_WORDLINE;
    assert_eq!(ran(program(0).chain([other(100)]).collect()), (2 * T_DMA + T_R, all));
    // Its data are there while pages go in: they pass behind the third one.
    let late = 40 * US;
    let passed = late + 4 * T_DMA;
    assert_eq!(ran([other(0)].into_iter().chain(program(late)).collect()), (passed, late + all + T_DMA));
}

#[test]
fn a_read_suspends_a_program_of_a_wordline() {
    let settings = ["precondition.fill=0.5", "program.suspend=true", "nand.program_suspend_us=10.0"];
    let config = tlc(&settings);
    let requests = (0..PAGES).map(|i| write_at(0, 60 + i)).chain([read_at(300 * US, 0)]);
    let ssd = run(&config, vec![open(requests.collect::<Vec<_>>())]);
    let read = log(&ssd).iter().find(|entry| entry.op == Op::Read).expect("it is served");
    assert_eq!(read.completed - read.arrival, 10 * US + T_R + T_DMA);
    assert_eq!(end(&ssd), PAGES * T_DMA + T_WORDLINE + 10 * US + T_R + T_DMA);
}

/// The data of the next program come page by page while a read comes: with a latch to spare the read's command waits for the rest
/// of them, else they are broken off behind the page that is on its way, and all come again.
#[test]
fn a_read_passes_a_wordline_that_is_being_loaded() {
    let load = PAGES * T_DMA;
    let read = load + 2 * T_DMA + T_DMA / 2;
    let of = |way: &str| {
        let way = format!("program.suspend_loaded={way}");
        let settings = [
            "precondition.fill=0.5",
            "program.suspend=true",
            "nand.program_suspend_us=10.0",
            "nand.cache_register=true",
            "ftl.coalesce=false",
            &way,
        ];
        let requests = (0..2 * PAGES).map(|i| write_at(0, 60 + i)).chain([read_at(read, 0)]);
        let ssd = run(&tlc(&settings), vec![open(requests.collect::<Vec<_>>())]);
        let log = log(&ssd);
        let served = log.iter().find(|entry| entry.op == Op::Read).expect("it is served").completed;
        assert_eq!(programs(&ssd), (2 * PAGES, 2 * T_WORDLINE + 10 * US));
        (served, end(&ssd), ssd.controller().buses()[0].time().write)
    };
    let served = 2 * load + T_R + T_DMA;
    let first_ends = load + T_WORDLINE + served - read;
    assert_eq!(of("latch"), (served, first_ends + T_WORDLINE, 2 * load));
    let served = read + 10 * US + T_R + T_DMA;
    let first_ends = load + T_WORDLINE + 10 * US + T_R;
    assert_eq!(of("reload"), (served, first_ends + T_WORDLINE, 2 * load + 3 * T_DMA));
}

/// GC has programs of its own: neither it nor the host waits for the other's to be full.
#[test]
fn a_used_drive_goes_on_with_a_buffer_of_one_program() {
    let settings = [
        "cache.mode=write",
        "cache.flush=eager",
        "cache.capacity_bytes=24576",
        "precondition.fill=1.0",
        "precondition.overwrite=2.0",
        "program.suspend=true",
    ];
    for more in [&[][..], &["gc.frontier=shared"], &["gc.pacing=in-step"], &["ftl.mapping=dftl"]] {
        let config = tlc(&[&settings[..], more].concat());
        let ssd = run(&config, vec![closed(16, random_writes(&config, 4_000))]);
        let counters = ssd.ftl().counters();
        assert!(counters.erases > 200 && counters.moved > 0, "{more:?}: {counters:?}");
        let (pages, busy) = programs(&ssd);
        assert_eq!(busy, pages / PAGES * T_WORDLINE, "{more:?}: every program takes a whole wordline");
    }
}

/// Each write is asked for and served. What GC moves shares programs with others, and brings the host no further: else a run in
/// which moves take all the room that they win would go on for ever.
#[test]
fn a_move_is_no_step_of_the_host() {
    let config = tlc(&["precondition.fill=1.0", "precondition.overwrite=2.0", "ftl.coalesce=false"]);
    let ssd = run(&config, vec![closed(16, random_writes(&config, 2_000))]);
    assert!(ssd.ftl().counters().moved > 1_000, "{:?}", ssd.ftl().counters());
    assert_eq!(ssd.ftl().host_steps(), 2 * 2_000);
}

/// Blocks that are bad are missing in their groups, and in their programs.
#[test]
fn a_wordline_without_its_bad_blocks_is_programmed_in_the_others() {
    let bad = ["reliability.factory_bad=0.05", "reliability.grown_bad=0.01", "ssd.overprovisioning=0.5"];
    let config = tlc(&[&bad[..], &["precondition.fill=1.0", "precondition.overwrite=1.0"]].concat());
    let ssd = run(&config, vec![closed(64, random_writes(&config, 4_000))]);
    assert!(ssd.ftl().counters().grown_bad > 0, "no block went bad");
}

/// Of four dies as many program at a time as there is power for, in turn.
#[test]
fn programs_at_a_time_are_limited_over_all_dies() {
    const ROWS: u64 = 48;
    let end_with = |settings: &[&str]| {
        let dies = ["ssd.channels=4", "ftl.coalesce=false", "nand.cache_register=true"];
        let config = tlc(&[&dies[..], settings].concat());
        let ssd = run(&config, vec![open(writes(0..ROWS * PAGES))]);
        assert_eq!(programs(&ssd), (ROWS * PAGES, ROWS * T_WORDLINE));
        end(&ssd)
    };
    let load = PAGES * T_DMA;
    assert_eq!(end_with(&[]), load + ROWS / 4 * T_WORDLINE);
    for (limit, turns) in [(1, ROWS), (2, ROWS / 2), (3, ROWS / 3), (4, ROWS / 4), (9, ROWS / 4)] {
        let limit = format!("nand.max_programs={limit}");
        let ended = end_with(&[&limit]);
        // The last programs of a die may have to wait for their data.
        let least = load + turns * T_WORDLINE;
        assert!((least..=least + load).contains(&ended), "{limit}: {ended}, not {least}");
    }
    // Page by page as well.
    let pages = |limit: &str| {
        let settings = ["ssd.channels=4", "nand.cache_register=true", limit];
        end(&run(&one_die(&settings), vec![open(writes(0..96))]))
    };
    assert_eq!(pages("nand.max_programs=0"), T_DMA + 24 * T_PROG);
    assert_eq!(pages("nand.max_programs=2"), T_DMA + 48 * T_PROG);
}

/// A die whose program waits for power reads meanwhile.
#[test]
fn reads_pass_a_program_that_waits_for_power() {
    let dies = ["ssd.channels=2", "precondition.fill=0.5", "nand.max_programs=1", "ftl.allocation=CWDP"];
    let config = tlc(&[&dies[..], &["program.suspend=false"]].concat());
    let all = (0..2 * PAGES).map(|i| write_at(0, 60 + i));
    let reads = [read_at(300 * US, 0), read_at(300 * US, PAGES)];
    let ssd = run(&config, vec![open(all.chain(reads).collect::<Vec<_>>())]);
    let times: Vec<_> =
        log(&ssd).iter().filter(|e| e.op == Op::Read).map(|e| e.completed - e.arrival).collect();
    // One die programs until the end of its program, the other waits for power.
    assert_eq!(times, [T_R + T_DMA, PAGES * T_DMA + T_WORDLINE - 300 * US + T_R + T_DMA]);
    assert_eq!(end(&ssd), PAGES * T_DMA + 2 * T_WORDLINE);
}

#[test]
fn what_programs_single_pages_is_refused_with_the_reason() {
    for (setting, reason) in [
        ("gc.copyback=true", "copies a page alone"),
        ("coding.policy=ida", "waits for programs of single pages"),
        ("program.write_streams=1", "programs pages"),
        ("ftl.unmapped_read=frontier", "among those that are being filled"),
        ("ssd.pages_per_block=25", "no whole wordlines"),
        ("cache.capacity_bytes=4096", "more than `cache.capacity_bytes`"),
        ("coding.cell=slc", ""),
    ] {
        let settings =
            ["program.unit=wordline", "coding.cell=tlc", "ssd.pages_per_block=24", "cache.mode=write"];
        let layers: Vec<Layer> =
            settings.iter().chain([&setting]).map(|s| Layer::assignment(s).expect("an assignment")).collect();
        match resolve(&layers) {
            Ok(_) => assert!(reason.is_empty(), "{setting} is taken"),
            Err(error) => {
                assert!(!reason.is_empty() && error.to_string().contains(reason), "{error}");
                assert_eq!(error.key, "program.unit");
            }
        }
    }
    let two_step = ["program.unit=wordline", "coding.cell=tlc", "ssd.pages_per_block=24"];
    let two_step = [&two_step[..], &["program.policy=two-step", "nand.program_wordline_us=9.0"]].concat();
    let layers: Vec<Layer> = two_step.iter().map(|s| Layer::assignment(s).expect("an assignment")).collect();
    let error = resolve(&layers).expect_err("two steps have two times");
    assert!(error.to_string().contains("each of its steps"), "{error}");
}
