//! What a read meets on its die: programs and erases that it waits for, overtakes or interrupts.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::engine::Ns;
use wordline_core::host::{HostRequest, Op};

/// Response time of the request to `unit`.
fn latency_of(ssd: &Ssd, op: Op, unit: u64) -> Ns {
    let entry = log(ssd).iter().find(|e| e.op == op && e.sector == unit * 8).expect("the request completed");
    entry.completed - entry.arrival
}

const HALF_FULL: &str = "precondition.fill=0.5";

#[test]
fn a_read_waits_for_the_program_that_runs() {
    let ssd = run(&one_die(&[HALF_FULL]), vec![open([write_at(0, 9), read_at(100 * US, 2)])]);
    let programmed = T_DMA + T_PROG;
    assert_eq!(latency_of(&ssd, Op::Write, 9), programmed);
    assert_eq!(latency_of(&ssd, Op::Read, 2), programmed - 100 * US + T_R + T_DMA);
}

#[test]
fn a_read_interrupts_the_program_that_runs_and_the_program_pays() {
    let config =
        one_die(&[HALF_FULL, "program.suspend=true", "nand.program_suspend_us=25.0", "nand.resume_us=7.0"]);
    let ssd = run(&config, vec![open([write_at(0, 9), read_at(100 * US, 2)])]);
    let halt = 25 * US;
    assert_eq!(latency_of(&ssd, Op::Read, 2), halt + T_R + T_DMA);
    assert_eq!(latency_of(&ssd, Op::Write, 9), T_DMA + T_PROG + halt + T_R + T_DMA + 7 * US);
    assert_eq!(ssd.controller().counters.suspends, 1);
}

#[test]
fn reads_that_come_meanwhile_are_served_in_the_same_interruption() {
    let config = one_die(&[HALF_FULL, "program.suspend=true", "nand.program_suspend_us=25.0"]);
    let reads = [read_at(100 * US, 2), read_at(101 * US, 3), read_at(130 * US, 4)];
    let ssd = run(&config, vec![open([&[write_at(0, 9)][..], &reads].concat())]);
    assert_eq!(ssd.controller().counters.suspends, 1);
    assert_eq!(latency_of(&ssd, Op::Write, 9), T_DMA + T_PROG + 25 * US + 3 * (T_R + T_DMA));
}

/// At points 120 us of the program apart. With a burst of one read the program runs from point to point between two reads, and with
/// two between two pairs.
#[test]
fn a_program_that_is_suspended_at_points_runs_from_one_to_the_next() {
    let every = 120 * US;
    let of = |burst: u32| {
        let burst = format!("schedule.max_read_burst={burst}");
        let config = one_die(&[
            HALF_FULL,
            "program.suspend=true",
            "program.suspend_every_us=120.0",
            "nand.program_suspend_us=25.0",
            "schedule.suspend_min_remaining_us=0.0",
            &burst,
        ]);
        let reads = (0..4).map(|i| read_at(T_DMA + 50 * US, 2 + i));
        run(&config, vec![open([write_at(0, 9)].into_iter().chain(reads))])
    };
    let (read, halt) = (T_R + T_DMA, 25 * US);
    for burst in [1, 2, 3] {
        let ssd = of(burst);
        for place in 0..4 {
            let stops = place / u64::from(burst) + 1;
            let expected = stops * (every + halt) + (place + 1) * read - 50 * US;
            assert_eq!(latency_of(&ssd, Op::Read, 2 + place), expected, "read {place}, {burst} at a time");
        }
        let stops = 4_u64.div_ceil(burst.into());
        assert_eq!(ssd.controller().counters.suspends, stops);
        assert_eq!(latency_of(&ssd, Op::Write, 9), T_DMA + T_PROG + stops * halt + 4 * read);
    }
    // A read that comes when no point is left waits for the end.
    let config = one_die(&[HALF_FULL, "program.suspend=true", "program.suspend_every_us=260.0"]);
    let ssd = run(&config, vec![open([write_at(0, 9), read_at(T_DMA + 300 * US, 2)])]);
    assert_eq!(latency_of(&ssd, Op::Read, 2), T_PROG - 300 * US + read);
}

#[test]
fn a_program_that_is_nearly_done_or_was_interrupted_often_is_left_alone() {
    let of = |setting: &str, reads: &[HostRequest]| {
        let config = one_die(&[HALF_FULL, "program.suspend=true", "nand.program_suspend_us=25.0", setting]);
        run(&config, vec![open([&[write_at(0, 9)][..], reads].concat())])
    };
    let late = T_DMA + 300 * US;
    let interrupted = of("schedule.suspend_min_remaining_us=199.0", &[read_at(late, 2)]);
    assert_eq!(interrupted.controller().counters.suspends, 1);
    let left_alone = of("schedule.suspend_min_remaining_us=200.0", &[read_at(late, 2)]);
    assert_eq!(left_alone.controller().counters.suspends, 0);
    assert_eq!(latency_of(&left_alone, Op::Read, 2), 200 * US + T_R + T_DMA);

    let twice = of("schedule.max_suspends=1", &[read_at(20 * US, 2), read_at(120 * US, 3)]);
    assert_eq!(twice.controller().counters.suspends, 1);
    let end = T_DMA + T_PROG + 25 * US + T_R + T_DMA;
    assert_eq!(latency_of(&twice, Op::Write, 9), end);
    assert_eq!(latency_of(&twice, Op::Read, 3), end - 120 * US + T_R + T_DMA);
}

/// Its data takes long to come in, or waits in the register behind another program: reads look again once its phase begins.
#[test]
fn a_read_that_comes_before_the_program_begins_interrupts_it_too() {
    let settings = |more: &'static [&'static str]| {
        let slow =
            &[HALF_FULL, "program.suspend=true", "nand.program_suspend_us=25.0", "channel.rate_mb_s=100.0"];
        one_die(&[slow, more].concat())
    };
    let dma = 10 * T_DMA;
    let ssd = run(&settings(&[]), vec![open([write_at(0, 9), read_at(US, 2)])]);
    assert_eq!(latency_of(&ssd, Op::Read, 2), dma - US + 25 * US + T_R + dma);
    assert_eq!(ssd.controller().counters.suspends, 1);
    // The second program's data is in the register when the read comes: there is no place for the read's data until that
    // program has begun.
    let two = [write_at(0, 9), write_at(0, 10), read_at(2 * dma + US, 2)];
    let ssd = run(&settings(&["nand.cache_register=true"]), vec![open(two)]);
    assert_eq!(latency_of(&ssd, Op::Read, 2), dma + T_PROG - 2 * dma - US + 25 * US + T_R + dma);
}

/// Two programs, the data of the second in the register when a read of unit 2 comes: response times of the read and the writes, and
/// the time that data of programs took on the channel.
fn read_past_a_loaded_program(way: &str, read: Ns, settings: &[&str]) -> ([Ns; 3], Ns) {
    let way = format!("program.suspend_loaded={way}");
    let base = [
        HALF_FULL,
        "nand.cache_register=true",
        "program.suspend=true",
        "nand.program_suspend_us=25.0",
        "nand.resume_us=7.0",
        "schedule.suspend_min_remaining_us=1.0",
        &way,
    ];
    let config = one_die(&[&base[..], settings].concat());
    let ssd = run(&config, vec![open([write_at(0, 9), write_at(0, 10), read_at(read, 2)])]);
    let times =
        [latency_of(&ssd, Op::Read, 2), latency_of(&ssd, Op::Write, 9), latency_of(&ssd, Op::Write, 10)];
    let counters = &ssd.controller().counters;
    let passes = u64::from(!way.ends_with("never"));
    assert_eq!((counters.suspends, counters.loaded_suspends), (1, passes), "{way}");
    assert_eq!((counters.programs, counters.reads), (2, 1), "{way}");
    (times, ssd.controller().buses()[0].time().write)
}

/// With a latch of its own for the read, the first program goes on when the read's data have left; without one it goes on beside
/// them, and the second program's data come once more.
#[test]
fn a_read_passes_a_program_whose_successor_is_loaded() {
    let read = 100 * US;
    let of = |way| read_past_a_loaded_program(way, read, &[]);
    let begin = T_DMA + T_PROG;
    // It interrupts the second program as that begins: until then, the register is taken.
    let waits = begin - read + 25 * US + T_R + T_DMA;
    assert_eq!(of("never"), ([waits, begin, begin + 25 * US + T_R + 7 * US + T_PROG], 2 * T_DMA));
    let passes = 25 * US + T_R + T_DMA;
    let end = begin + passes + 7 * US;
    assert_eq!(of("latch"), ([passes, end, end + T_PROG], 2 * T_DMA));
    let end = begin + 25 * US + T_R + 7 * US;
    assert_eq!(of("reload"), ([passes, end, end + T_PROG], 3 * T_DMA));
}

/// Where less is left of the first program than a load takes, the second one waits for its data.
#[test]
fn a_load_that_made_way_late_costs_its_time() {
    let slow = ["channel.rate_mb_s=100.0"];
    let dma = 10 * T_DMA;
    let read = dma + T_PROG - 20 * US;
    let passes = 25 * US + T_R + dma;
    let end = dma + T_PROG + passes + 7 * US;
    assert_eq!(read_past_a_loaded_program("latch", read, &slow), ([passes, end, end + T_PROG], 2 * dma));
    let end = dma + T_PROG + 25 * US + T_R + 7 * US;
    let loaded = read + passes + dma;
    assert_eq!(read_past_a_loaded_program("reload", read, &slow), ([passes, end, loaded + T_PROG], 3 * dma));
}

/// A load that is under way is broken off: what has come of it is lost, and the bus is not free before.
#[test]
fn a_read_passes_a_program_whose_successor_is_being_loaded() {
    let slow = ["channel.rate_mb_s=100.0"];
    let dma = 10 * T_DMA;
    // The first program has begun; the second one's data are half in.
    let read = dma + dma / 2;
    let sense = (read + 25 * US).max(2 * dma);
    let passes = sense - read + T_R + dma;
    for (way, on_die, loads) in [("latch", passes, 2), ("reload", passes - dma, 3)] {
        let end = dma + T_PROG + on_die + 7 * US;
        let ran = read_past_a_loaded_program(way, read, &slow);
        assert_eq!(ran, ([passes, end, end + T_PROG], loads * dma), "{way}");
    }
}

/// The write that kept reads from interrupting anything is done: a read that waits interrupts what still runs.
#[test]
fn reads_look_again_when_the_oldest_write_is_done() {
    // Two dies: the oldest write is on one of them, a younger one and a read on the other.
    let config = one_die(&[
        "ssd.dies_per_chip=2",
        HALF_FULL,
        "program.suspend=true",
        "nand.program_suspend_us=25.0",
        "schedule.suspend_write_limit_us=400.0",
        "schedule.suspend_min_remaining_us=0.0",
    ]);
    let requests = [write_at(0, 8), write_at(300 * US, 9), read_at(450 * US, 3)];
    let ssd = run(&config, vec![open(requests)]);
    let first = latency_of(&ssd, Op::Write, 8);
    assert_eq!(first, T_DMA + T_PROG);
    assert_eq!(latency_of(&ssd, Op::Read, 3), first - 450 * US + 25 * US + T_R + T_DMA);
}

/// A device on which the writes of `victim` cause an erase, and when its pulse begins.
fn erase_under_way(settings: &[&str]) -> (Config, Vec<HostRequest>, Ns) {
    let config = one_die(&[&["precondition.fill=1.0"], settings].concat());
    // The same pages over and over leave blocks without live pages: GC has nothing to move.
    let writes: Vec<_> = (0..400).map(|i| write_at(i * 600 * US, i % 24)).collect();
    let ssd = run_with_timeline(&config, vec![open(writes.clone())]);
    let slices = &ssd.timeline().slices;
    let pulse = slices.iter().find(|s| s.name == "erase pulse").expect("an erase");
    let before: Vec<_> = writes.into_iter().filter(|w| w.arrival_ns <= pulse.start).collect();
    (config, before, pulse.start)
}

#[test]
fn a_read_waits_for_the_erase_that_runs_or_interrupts_it() {
    let latency = |settings: &[&str]| {
        let (config, mut requests, start) = erase_under_way(settings);
        requests.push(read_at(start + 1_000 * US, 900));
        let ssd = run_with_timeline(&config, vec![open(requests)]);
        let slices = &ssd.timeline().slices;
        let pulses: Vec<_> = slices
            .iter()
            .filter(|s| s.name == "erase pulse")
            .map(|s| (s.start - start, s.duration))
            .collect();
        (latency_of(&ssd, Op::Read, 900), pulses)
    };
    let (waits, pulses) = latency(&["erase.yield=none"]);
    assert_eq!(waits, 2_000 * US + T_R + T_DMA);
    assert_eq!(pulses[0], (0, T_BERS));
    // One pulse has no loops to yield between.
    assert_eq!(latency(&["erase.yield=loop"]).0, waits);
    let (interrupts, pulses) =
        latency(&["erase.yield=suspend", "nand.erase_suspend_us=60.0", "nand.resume_us=5.0"]);
    assert_eq!(interrupts, 60 * US + T_R + T_DMA);
    assert_eq!(pulses[1], (1_060 * US + T_R + T_DMA, 2_005 * US), "what was left, and the resume");
}

/// An erase of several loops on [`erase_under_way`]'s device, a pulse of 3.5 ms and a verify of 0.1 ms each.
const LOOPS: &[&str] =
    &["cells.chip=tlc-48l", "erase.scheme=ispe", "reliability.pec=3000", "nand.set_feature_us=0.0"];
const PULSE: Ns = 3_500 * US;
const LOOP: Ns = PULSE + 100 * US;

/// Response time of a read that comes `after` a pulse has begun, with these writes, and the pulses from there: when
/// they begin and how long they take.
fn read_in_a_loop(settings: &[&str], writes: &[Ns], reads: &[Ns]) -> (Ns, Vec<(Ns, Ns)>) {
    let (config, mut requests, start) = erase_under_way(&[LOOPS, settings].concat());
    requests.extend(writes.iter().map(|&after| write_at(start + after, 9)));
    requests.extend(reads.iter().zip(900..).map(|(&after, unit)| read_at(start + after, unit)));
    requests.sort_by_key(|request| request.arrival_ns);
    let ssd = run_with_timeline(&config, vec![open(requests)]);
    let slices = ssd.timeline().slices.iter().filter(|s| s.name == "erase pulse" && s.start >= start);
    (latency_of(&ssd, Op::Read, 900), slices.map(|s| (s.start - start, s.duration)).collect())
}

#[test]
fn a_loop_that_is_not_the_last_begins_again_for_a_read() {
    const HALT: Ns = 60 * US;
    let restart = |more: &[&'static str]| {
        let base = [
            "erase.yield=restart",
            "nand.erase_suspend_us=60.0",
            "nand.resume_us=5.0",
            "schedule.suspend_min_remaining_us=700.0",
        ];
        [&base, more].concat()
    };
    let loops = {
        let (_, pulses) = read_in_a_loop(&["erase.yield=loop"], &[], &[0]);
        pulses.iter().zip(0..).take_while(|&(&(start, _), i)| start.abs_diff(i * LOOP) <= T_R + T_DMA).count()
            as Ns
    };
    assert!(loops >= 2, "{loops} loops");
    let again = 1_000 * US + HALT + T_R + T_DMA;
    let (waits, pulses) = read_in_a_loop(&restart(&[]), &[], &[1_000 * US]);
    assert_eq!(waits, HALT + T_R + T_DMA);
    assert_eq!(pulses[1], (again, PULSE), "the whole pulse");
    // As often as reads come.
    let (_, pulses) = read_in_a_loop(&restart(&[]), &[], &[1_000 * US, again + 1_000 * US]);
    assert_eq!(pulses[2], (2 * again, PULSE));
    // With 700 us left it goes on, and the read passes between the loops.
    let (waits, _) = read_in_a_loop(&restart(&[]), &[], &[PULSE - 700 * US]);
    assert_eq!(waits, 800 * US + T_R + T_DMA);
    // So does the last loop.
    let (waits, _) = read_in_a_loop(&restart(&[]), &[], &[(loops - 1) * LOOP + 1_000 * US]);
    assert_eq!(waits, LOOP - 1_000 * US + T_R + T_DMA);
}

/// A controller does not know that a prediction will turn out wrong: the predicted loop is the last to it.
#[test]
fn a_loop_that_should_be_the_last_is_not_stopped() {
    let settings = [
        "erase.scheme=aero-cons",
        "erase.mispredict_rate=1.0",
        "erase.yield=restart",
        "nand.erase_suspend_us=60.0",
        "schedule.suspend_min_remaining_us=100.0",
    ];
    let (_, pulses) = read_in_a_loop(&settings, &[], &[200_000 * US]);
    let extra = pulses.iter().position(|&(_, time)| time == 500 * US).expect("a wrong prediction");
    let (start, time) = pulses[extra - 1];
    assert!((1_000 * US..PULSE).contains(&time), "{pulses:?}");
    let (waits, _) = read_in_a_loop(&settings, &[], &[start + 200 * US]);
    assert_eq!(waits, time - 200 * US + 100 * US + T_R + T_DMA);
}

#[test]
fn nothing_is_suspended_while_a_write_has_waited_too_long() {
    let waits = |limit: &'static str| {
        let settings = ["erase.yield=suspend", "nand.erase_suspend_us=60.0", limit];
        read_in_a_loop(&settings, &[100 * US], &[1_000 * US]).0
    };
    let halted = 60 * US + T_R + T_DMA;
    assert_eq!(waits("schedule.suspend_write_limit_us=0.0"), halted);
    assert_eq!(waits("schedule.suspend_write_limit_us=5000.0"), halted);
    assert_eq!(waits("schedule.suspend_write_limit_us=500.0"), LOOP - 1_000 * US + T_R + T_DMA);
}

#[test]
fn reads_overtake_writes_unless_the_order_is_fifo() {
    let requests = [write_at(0, 9), write_at(1, 10), write_at(2, 11), read_at(3, 2)];
    let order = |policy: &str| {
        let config = one_die(&[HALF_FULL, &format!("schedule.policy={policy}")]);
        let ssd = run(&config, vec![open(requests)]);
        log(&ssd).iter().map(|entry| entry.sector / 8).collect::<Vec<_>>()
    };
    assert_eq!(order("read-first"), [9, 2, 10, 11]);
    assert_eq!(order("fifo"), [9, 10, 11, 2]);
}

#[test]
fn a_burst_of_reads_lets_a_write_through_where_it_is_bounded() {
    let position = |burst: u32| {
        let config = one_die(&[HALF_FULL, &format!("schedule.max_read_burst={burst}")]);
        let mut requests = vec![read_at(0, 0), write_at(1, 9)];
        requests.extend((1..20).map(|i| read_at(2, i + 20)));
        let ssd = run(&config, vec![open(requests)]);
        log(&ssd).iter().position(|entry| entry.op == Op::Write)
    };
    assert_eq!(position(0), Some(20), "after all reads");
    assert_eq!(position(4), Some(5), "after the read that ran, and four more");
}

#[test]
fn a_burst_of_reads_lets_a_suspended_program_go_on_where_it_is_bounded() {
    let position = |burst: u32| {
        let burst = format!("schedule.max_read_burst={burst}");
        let config = one_die(&[HALF_FULL, "program.suspend=true", &burst]);
        let mut requests = vec![write_at(0, 9)];
        requests.extend((1..20).map(|i| read_at(100 * US, i + 20)));
        let ssd = run(&config, vec![open(requests)]);
        log(&ssd).iter().position(|entry| entry.op == Op::Write)
    };
    assert_eq!(position(0), Some(19), "after all reads");
    assert_eq!(position(4), Some(4));
}

/// With the mapping table in a small cache, each read of the host comes with one of the table.
#[test]
fn reads_of_the_mapping_table_leave_a_bounded_burst_bounded() {
    let position = |burst: u32| {
        let burst = format!("schedule.max_read_burst={burst}");
        let config = one_die(&["precondition.fill=1.0", "ftl.mapping=dftl", "ftl.cmt_bytes=8", &burst]);
        let reads = (0..400).map(|i| read_at(0, i * 5 % 1_000));
        let ssd = run(&config, vec![closed(8, reads), open([write_at(5_000 * US, 9)])]);
        log(&ssd).iter().position(|entry| entry.op == Op::Write).unwrap()
    };
    assert_eq!(position(0), 400, "after all reads");
    assert_eq!(position(64) - position(4), 60);
}

#[test]
fn copyback_leaves_the_channel_alone() {
    let writes = || (0..2_000).map(|i| write_at(0, below(1, i, Purpose::Precondition, 1152)));
    let ssd = |copyback: bool| {
        run(
            &one_die(&["precondition.fill=1.0", &format!("gc.copyback={copyback}")]),
            vec![closed(8, writes())],
        )
    };
    let (with, without) = (ssd(true), ssd(false));
    assert!(with.ftl().counters().moved > 500 && without.ftl().counters().moved > 500);
    assert_eq!(with.controller().buses()[0].time().write, 2_000 * T_DMA, "the host's data and nothing else");
    assert_eq!(with.controller().buses()[0].time().correct, 0);
    let moved = without.ftl().counters().moved;
    assert_eq!(without.controller().buses()[0].time().write, (2_000 + moved) * T_DMA);
    assert!(without.controller().buses()[0].time().correct >= moved * T_DMA);
}

/// A page that is overwritten while the die copies it is programmed in vain, and is a program like others.
#[test]
fn a_copyback_in_vain_counts_as_a_move() {
    let config = one_die(&[
        "precondition.fill=1.0",
        "gc.copyback=true",
        "gc.moves_in_flight=64",
        "gc.threshold=0.2",
        "ssd.overprovisioning=0.3",
    ]);
    let pages = config.host_pages();
    let ssd = run(
        &config,
        vec![closed(256, (0..20_000).map(move |i| write_at(0, below(1, i, Purpose::Precondition, pages))))],
    );
    let ftl = ssd.ftl().counters();
    assert!(ftl.moved > 1_000, "{ftl:?}");
    assert_eq!(ftl.programs(), ssd.controller().counters.programs);
}

/// After the first read the write is the oldest, though a read waits that is younger.
#[test]
fn first_come_is_first_served_among_reads_and_writes() {
    let config = one_die(&["precondition.fill=0.5", "schedule.policy=fifo"]);
    let requests = [read_at(0, 0), read_at(10 * US, 1), write_at(20 * US, 2), read_at(30 * US, 3)];
    let ssd = run(&config, vec![open(requests)]);
    let [_, second, write, last] = latencies(&ssd)[..] else { panic!("four requests") };
    assert!(second < T_PROG && T_PROG < write && T_PROG < last, "{second} {write} {last}");
}
