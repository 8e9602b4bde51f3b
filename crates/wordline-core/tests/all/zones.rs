//! A drive of zones: what is written lies in the superblock of its zone, a finish fills it, a reset erases it, and each takes its time.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::config::{Config, Layer, resolve};
use wordline_core::engine::Ns;
use wordline_core::flash::{BlockState, Status};
use wordline_core::host::{HostRequest, Op};
use wordline_core::zones::ZoneState;

const MS: Ns = 1_000 * US;
/// Two dies of one plane on two channels: a superblock has 48 units of 4 KiB, a zone too.
const UNITS: u64 = 48;
const ZONED: &[&str] = &[
    "ssd.channels=2",
    "ssd.blocks_per_plane=16",
    "ftl.group=superblock",
    "ftl.unmapped_read=zero",
    "zones.mode=on",
];

fn zoned(settings: &[&str]) -> Config {
    one_die(&[ZONED, settings].concat())
}

/// A command for the zone of a number, at a time.
fn to_zone(arrival_ns: Ns, op: Op, zone: u64) -> HostRequest {
    HostRequest::new(arrival_ns, op, zone * UNITS * 8, 0)
}

/// Writes of whole units from one on, each when the one before is done.
fn fill(from: u64, units: u64) -> impl Iterator<Item = HostRequest> {
    (from..from + units).map(|unit| write_at(0, unit))
}

fn statuses(ssd: &Ssd) -> Vec<Status> {
    log(ssd).iter().map(|entry| entry.status).collect()
}

fn states(ssd: &Ssd) -> Vec<ZoneState> {
    ssd.zones().unwrap().all().iter().map(|zone| zone.state).collect()
}

/// Response times of one kind of request, in order of completion.
fn times_of(ssd: &Ssd, op: Op) -> Vec<Ns> {
    let rows = log(ssd).iter().filter(|entry| entry.op == op);
    rows.map(|entry| entry.completed - entry.arrival).collect()
}

#[test]
fn a_write_is_acknowledged_when_the_controller_has_it() {
    // At most two programs of each die are under way: the fifth write waits for the first program.
    let ssd = run(&zoned(&[]), vec![open(fill(0, 6))]);
    let program = T_DMA + T_PROG;
    assert_eq!(latencies(&ssd), [0, 0, 0, 0, program, program]);
    assert_eq!(ssd.ftl().counters().user_writes, 6);
    let ssd = run(&zoned(&["zones.buffer_bytes=4096"]), vec![open(fill(0, 3))]);
    assert_eq!(latencies(&ssd), [0, program, 2 * program]);
}

#[test]
fn each_zone_has_a_superblock_and_takes_no_other() {
    let mut requests: Vec<_> = (0..UNITS).flat_map(|i| [write_at(0, i), write_at(0, UNITS + i)]).collect();
    requests.push(to_zone(0, Op::ZoneReset, 0));
    let ssd = run(&zoned(&[]), vec![closed(1, requests)]);
    assert_eq!(&states(&ssd)[..3], &[ZoneState::Empty, ZoneState::Full, ZoneState::Empty]);
    // Two blocks of the zone that is left; those of the other are erased, and nothing moved.
    assert_eq!((in_state(&ssd, BlockState::Full), in_state(&ssd, BlockState::Open)), (2, 0));
    let counters = ssd.ftl().counters();
    assert_eq!((counters.erases, counters.moved, counters.gc_jobs, counters.padding), (2, 0, 0, 0));
}

#[test]
fn what_is_wrong_ends_with_its_status_and_the_run_goes_on() {
    let keys = ["zones.max_open=2", "zones.max_active=2", "zones.offline=1", "zones.read_only=1"];
    let last = u64::from(zoned(&keys).zone_shape().unwrap().count) - 1;
    let requests = vec![
        request(Op::Write, 1, 1),
        request(Op::Write, 0, UNITS as u32 + 1),
        to_zone(0, Op::ZoneClose, 0),
        request(Op::Append, 0, 2),
        request(Op::Read, UNITS - 1, 2),
        request(Op::Write, last * UNITS, 1),
        request(Op::Write, (last - 1) * UNITS, 1),
        request(Op::Trim, 0, 1),
        request(Op::Close, 0, 0),
        to_zone(0, Op::ZoneOpen, 0),
        to_zone(0, Op::ZoneOpen, 1),
        request(Op::Write, 2 * UNITS, 1),
        request(Op::Append, UNITS, UNITS as u32),
        request(Op::Append, UNITS, 1),
        request(Op::ZoneReport, 0, 0),
        HostRequest::new(0, Op::Write, 2 * UNITS * 8, 4),
    ];
    let ssd = run(&zoned(&keys), vec![closed(1, requests)]);
    use Status::*;
    let ends = [
        ZoneInvalidWrite,
        ZoneBoundaryError,
        InvalidZoneTransition,
        Success,
        ZoneBoundaryError,
        ZoneIsOffline,
        ZoneIsReadOnly,
        InvalidOpcode,
        InvalidOpcode,
        Success,
        Success,
        TooManyActiveZones,
        Success,
        ZoneIsFull,
        Success,
        InvalidField,
    ];
    assert_eq!(statuses(&ssd), ends);
    assert_eq!(ssd.metrics().with_status(ZoneIsFull), 1);
    // Zones are closed only by the host, and the one that was opened first is open.
    assert_eq!(states(&ssd)[0], ZoneState::ExplicitlyOpened);
}

#[test]
fn a_drive_without_zones_has_no_such_commands() {
    let requests =
        vec![to_zone(0, Op::ZoneReset, 0), request(Op::Append, 0, 1), request(Op::ZoneReport, 0, 0)];
    let ssd = run(&one_die(&[]), vec![closed(1, requests)]);
    assert_eq!(statuses(&ssd), [Status::InvalidOpcode; 3]);
    assert_eq!(ssd.ftl().counters().user_writes, 0);
}

#[test]
fn an_append_is_told_where_it_went_and_takes_its_time() {
    let keys = ["zones.append_ns=700", "controller.command_ns=1000"];
    let requests =
        vec![request(Op::Append, UNITS, 2), request(Op::Append, UNITS, 1), request(Op::Write, 0, 1)];
    let ssd = run(&zoned(&keys), vec![closed(1, requests)]);
    let sectors: Vec<_> = log(&ssd).iter().map(|entry| entry.sector).collect();
    assert_eq!(sectors, [UNITS * 8, (UNITS + 2) * 8, 0]);
    assert_eq!(latencies(&ssd), [1_700, 1_700, 1_000]);
}

#[test]
fn a_finish_takes_the_programs_of_the_rest() {
    for (written, name) in
        [(0, "an empty zone has nothing to fill"), (6, "a part"), (UNITS - 1, "all but one")]
    {
        let requests = fill(0, written).chain([to_zone(20 * MS, Op::ZoneFinish, 0)]);
        let ssd = run(&zoned(&[]), vec![open(requests)]);
        assert_eq!(states(&ssd)[0], ZoneState::Full);
        let left = if written == 0 { 0 } else { UNITS - written };
        // Both dies program their halves; a die takes the data of a program while it does the one before only with a cache register.
        let time = left.div_ceil(2) * (T_DMA + T_PROG);
        assert_eq!(times_of(&ssd, Op::ZoneFinish), [time], "{name}");
        assert_eq!(ssd.ftl().counters().padding, left);
        assert_eq!(in_state(&ssd, BlockState::Open), 0);
    }
}

#[test]
fn a_reset_takes_a_time_by_what_is_written_and_how_the_zone_was_left() {
    let keys = ["zones.reset_us=1600", "zones.reset_full_us=4800", "zones.reset_open_us=2700"];
    let time = |written: u64, finishes: bool, more: &[&str]| {
        let finish = finishes.then(|| to_zone(100 * MS, Op::ZoneFinish, 0));
        let requests = fill(0, written).chain(finish).chain([to_zone(200 * MS, Op::ZoneReset, 0)]);
        let ssd = run(&zoned(&[&keys[..], more].concat()), vec![open(requests)]);
        assert_eq!(states(&ssd)[0], ZoneState::Empty);
        assert_eq!(in_state(&ssd, BlockState::Free), 32, "all blocks are erased when the run has ended");
        times_of(&ssd, Op::ZoneReset)[0]
    };
    assert_eq!(time(0, false, &[]), 1_600 * US);
    assert_eq!(time(UNITS, false, &[]), 6_400 * US);
    assert_eq!(time(UNITS / 2, true, &[]), 4_000 * US);
    assert_eq!(time(UNITS / 2, false, &[]), 6_700 * US);
    // The erase takes longer than the first two times, and is waited for where that is asked for.
    let waits = &["zones.reset_erase=foreground", "zones.reset_us=0", "zones.reset_full_us=0"][..];
    assert_eq!((time(UNITS, false, waits), time(0, false, waits)), (T_BERS, 0));
    // One unit waits for its wordline to be full: no program of the zone has begun.
    let wordlines = &["program.unit=wordline", "coding.cell=tlc", "nand.program_us=[500.0,500.0,500.0]"][..];
    assert_eq!(time(1, false, wordlines), 1_700 * US);
    assert_eq!(time(3, false, wordlines), 1_600 * US + 300 * US + 2_700 * US);
}

#[test]
fn a_reset_holds_up_what_comes_in_its_first_part() {
    let keys = ["zones.reset_us=10000", "zones.reset_holds=0.75"];
    let at = 100 * MS;
    let requests = [fill(0, UNITS).collect::<Vec<_>>(), fill(UNITS, UNITS).collect()].concat();
    let commands = vec![
        to_zone(at, Op::ZoneReset, 0),
        read_at(at + MS, UNITS),
        to_zone(at + 2 * MS, Op::ZoneReset, 2),
        read_at(at + 9 * MS, UNITS),
    ];
    let ssd = run(&zoned(&keys), vec![open(requests.into_iter().chain(commands))]);
    let reads = times_of(&ssd, Op::Read);
    // Behind the erase of the first die, which is over by then; the second read comes when nothing is held up.
    assert_eq!(reads, [6_500 * US + T_R + T_DMA, T_R + T_DMA]);
    // The second reset waits for the first.
    assert_eq!(times_of(&ssd, Op::ZoneReset), [10 * MS, 18 * MS]);
}

#[test]
fn a_part_of_the_zones_is_full_before_the_run() {
    let config = zoned(&["precondition.fill=0.3", "zones.size_bytes=262144"]);
    let shape = config.zone_shape().unwrap();
    assert_eq!((shape.count, shape.size, shape.capacity), (12, 512, UNITS * 8));
    let ssd = run(&config, vec![closed(1, reads([0, 64, 3 * 64 + 10, 5 * 64]))]);
    // 0.3 of 12 zones are three and 28 of the 48 units of the fourth.
    assert_eq!(&states(&ssd)[2..5], &[ZoneState::Full, ZoneState::Closed, ZoneState::Empty]);
    assert_eq!(ssd.zones().unwrap().all()[3].pointer, 28 * 8);
    assert_eq!(latencies(&ssd), [T_R + T_DMA, T_R + T_DMA, T_R + T_DMA, 0]);
}

#[test]
fn zones_refuse_what_moves_data_and_say_why() {
    for (more, words) in [
        (&["cache.mode=write"][..], "set zones.mode = \"off\", or cache.mode = \"off\""),
        (&["ftl.group=block"], "a zone is a superblock; set ftl.group = \"superblock\""),
        (&["ftl.unmapped_read=preloaded"], "set ftl.unmapped_read = \"zero\""),
        (&["ftl.parity=2"], "set zones.mode = \"off\", or ftl.parity = 0"),
        (&["zones.capacity_bytes=1000000"], "is more than a superblock of 196608 bytes"),
        (&["zones.capacity_bytes=5000"], "take 4096 or 8192"),
        (&["zones.size_bytes=4096"], "raise it to 196608 or more"),
        (&["zones.max_active=3"], "set zones.max_open to 1 to 3"),
        (&["zones.offline=20"], "leave one zone"),
        (&["ssd.overprovisioning=0"], "one zone and one spare superblock are needed"),
    ] {
        let layers: Vec<_> =
            [ONE_DIE, ZONED, more].concat().iter().map(|text| Layer::assignment(text).unwrap()).collect();
        let error = resolve(&layers).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// A request that is more often right than wrong.
fn any_request(shape: &wordline_core::zones::ZoneShape, draws: &mut Draws) -> HostRequest {
    let zone = draws.below(u64::from(shape.count)) * shape.size;
    let end = u64::from(shape.count) * shape.size;
    let units = |draws: &mut Draws| 1 + draws.below(12) as u32;
    match draws.below(16) {
        0..=6 => HostRequest::new(0, Op::Append, zone, units(draws).min((shape.size / 8) as u32) * 8),
        7 | 8 => {
            let at = zone + draws.below(shape.capacity / 8) * 8;
            HostRequest::new(0, Op::Write, at, (units(draws) * 8).min((end - at) as u32))
        }
        9 | 10 => {
            let at = zone + draws.below(shape.size);
            HostRequest::new(0, Op::Read, at, (1 + draws.below(20) as u32).min((end - at) as u32))
        }
        11 | 12 => HostRequest::new(0, Op::ZoneReset, zone, 0),
        13 => HostRequest::new(0, Op::ZoneFinish, zone, 0),
        14 => HostRequest::new(0, draws.one_of(&[Op::ZoneOpen, Op::ZoneClose]), zone, 0),
        _ => HostRequest::new(0, draws.one_of(&[Op::Flush, Op::ZoneReport]), 0, 0),
    }
}

#[test]
fn any_requests_agree_with_the_second_account_and_go_on_from_a_state() {
    for seed in 0..number("WORDLINE_CASES", 6) {
        let mut draws = Draws::new(seed);
        let wordlines = ["program.unit=wordline", "coding.cell=tlc", "nand.program_us=[500.0,500.0,500.0]"];
        let pages = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096"];
        let mut keys =
            vec!["zones.max_open=3", "zones.max_active=5", "zones.reset_us=200", "zones.reset_holds=0.5"];
        keys.extend(draws.one_of(&[&wordlines[..], &pages[..], &[][..]]));
        keys.push(draws.one_of(&["zones.reset_erase=foreground", "zones.reset_erase=background"]));
        keys.push(draws.one_of(&["ssd.planes_per_die=1", "ssd.planes_per_die=2"]));
        keys.push(draws.one_of(&[
            "zones.capacity_bytes=0",
            "zones.capacity_bytes=147456",
            "zones.capacity_bytes=131072",
        ]));
        keys.push(draws.one_of(&["precondition.fill=0", "precondition.fill=0.4"]));
        let config = zoned(&keys);
        let shape = config.zone_shape().unwrap();
        let requests: Vec<_> = (0..600).map(|_| any_request(&shape, &mut draws)).collect();
        let depth = draws.one_of(&[1, 4, 32]);
        let flows = || vec![closed(depth, requests.clone())];
        let ssd = run(&config, flows());
        let ended = statuses(&ssd);
        assert!(ended.contains(&Status::Success) && ended.iter().any(|status| *status != Status::Success));
        assert_goes_on(&config, flows, &CHECKED, (draws.below(50) + 1) * MS);
    }
}
