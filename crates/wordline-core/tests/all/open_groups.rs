//! Open groups that nobody writes to are filled up with padding and closed (`ftl.open_timeout_ms`). `closing.rs` has those that the
//! host asks to close.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::flash::BlockState;

const MS: u64 = 1_000 * US;
const TIMEOUT: &str = "ftl.open_timeout_ms=8";

/// Padding, groups that were closed, and blocks that are full and open, after some writes and a read at 100 ms.
fn after(settings: &[&str], arrivals_ms: &[u64]) -> (u64, u64, usize, usize) {
    let mut all: Vec<_> = arrivals_ms.iter().zip(0..).map(|(&at, unit)| write_at(at * MS, unit)).collect();
    all.push(read_at(100 * MS, 0));
    let mut ssd = Ssd::new(&one_die(settings), vec![open(all)], &CHECKED);
    ssd.run(&mut |_| true).unwrap();
    let counters = ssd.ftl().counters();
    let states = [BlockState::Full, BlockState::Open].map(|state| in_state(&ssd, state));
    (counters.padding, counters.closed_groups, states[0], states[1])
}

/// 24 pages a block.
#[test]
fn padding_is_the_rest_of_the_block() {
    assert_eq!(after(&[TIMEOUT], &[0; 5]), (19, 1, 1, 0));
    assert_eq!(after(&[], &[0; 5]), (0, 0, 0, 1), "never, if not told to");
    assert_eq!(after(&[TIMEOUT], &[0; 24]), (0, 0, 1, 0), "a full block needs none");
    // The next write opens another block, which is closed in its turn.
    assert_eq!(after(&[TIMEOUT], &[0, 0, 0, 40]), (21 + 23, 2, 2, 0));
    // A write comes in time, again and again.
    assert_eq!(after(&[TIMEOUT], &[0, 7, 14, 21, 28]), (19, 1, 1, 0));
    // The last one is not 8 ms ago when the host goes.
    assert_eq!(after(&[TIMEOUT], &[94]), (0, 0, 0, 1));
}

/// All blocks of a group are filled up: its units less those of the host and of parity.
#[test]
fn padding_is_the_rest_of_the_group() {
    let units = ["ssd.page_bytes=16384", "ftl.unit_bytes=4096", "ssd.planes_per_die=2"];
    let more: [(&[&str], u64, u64); 5] = [
        (&["ftl.group=block", "ftl.allocation=CWDP"], 24 * 4, 0),
        (&["ftl.group=planes"], 2 * 24 * 4, 0),
        (&["ftl.group=planes", "program.unit=wordline"], 2 * 24 * 4, 0),
        (&["ftl.group=superblock", "ssd.dies_per_chip=2"], 4 * 24 * 4, 0),
        (
            &["ftl.group=superblock", "ssd.dies_per_chip=2", "ssd.overprovisioning=0.5", "ftl.parity=4"],
            4 * 24 * 4,
            24 * 4,
        ),
    ];
    // After a time-out, or since the host asks for it.
    let ways: [(&[&str], _); 2] = [(&[TIMEOUT], None), (&[], Some(close_at(20 * MS)))];
    for ((settings, group, parity), (way, asked)) in
        more.into_iter().flat_map(|one| ways.map(|way| (one, way)))
    {
        let config = one_die(&[&units[..], settings, way].concat());
        // Seven units, and a read of each when all is over.
        let mut all: Vec<_> = (0..7).map(|unit| write_at(0, unit)).collect();
        all.extend(asked);
        all.extend((0..7).map(|unit| read_at(200 * MS, unit)));
        let mut ssd = Ssd::new(&config, vec![open(all)], &CHECKED);
        ssd.run(&mut |_| true).unwrap();
        let counters = *ssd.ftl().counters();
        let groups = counters.closed_groups;
        assert!(groups > 0 && in_state(&ssd, BlockState::Open) == 0, "{settings:?}: {counters:?}");
        assert_eq!(counters.closed_on_request, if asked.is_some() { groups } else { 0 }, "{settings:?}");
        assert_eq!(counters.parity, groups * parity, "{settings:?}");
        assert_eq!(counters.padding + counters.user_writes + counters.parity, groups * group, "{settings:?}");
        assert_eq!(ssd.metrics().read().count(), 7);
    }
}

/// A time-out that is shorter than a program closes no group while the padding of the one before is on its way.
#[test]
fn a_group_is_not_closed_behind_padding() {
    let settings = [
        "ssd.page_bytes=16384",
        "ftl.unit_bytes=4096",
        "ftl.group=planes",
        "ssd.planes_per_die=2",
        "ftl.open_timeout_ms=0.1",
    ];
    // A row of two pages each 2 ms, which takes twice tPROG; the padding of a group takes 23 ms.
    let mut all: Vec<_> =
        (0..10).flat_map(|row| (0..8).map(move |unit| write_at(row * 2 * MS, 8 * row + unit))).collect();
    all.push(read_at(200 * MS, 0));
    let mut ssd = Ssd::new(&one_die(&settings), vec![open(all)], &CHECKED);
    ssd.run_until(20 * MS, &mut |_| true).unwrap();
    assert_eq!(ssd.ftl().counters().closed_groups, 1);
    ssd.run(&mut |_| true).unwrap();
    assert_eq!(in_state(&ssd, BlockState::Open), 0);
}

/// Programs of padding that a loss of power ends take nothing with them.
#[test]
fn a_cut_in_the_midst_of_the_padding_loses_nothing() {
    for at_us in (8_000..20_000).step_by(700) {
        let mut all: Vec<_> = (0..5).map(|unit| write_at(0, unit)).collect();
        all.extend((0..5).map(|unit| read_at(60 * MS, unit)));
        let mut ssd = Ssd::new(&one_die(&[TIMEOUT]), vec![open(all)], &CHECKED);
        ssd.run_until(at_us * US, &mut |_| true).unwrap();
        let cut = ssd.power_cut().unwrap();
        ssd.power_up(MS).unwrap();
        ssd.run(&mut |_| true).unwrap();
        assert_eq!((cut.lost_cache_pages, ssd.metrics().read().count()), (0, 5), "cut at {at_us} us");
    }
}

/// GC has the first claim on free blocks: an idle drive does not collect what it has padded itself, again and again.
#[test]
fn nothing_is_closed_where_free_blocks_are_short() {
    let all = (0..1_100).map(|unit| write_at(0, unit)).chain([read_at(9_000 * MS, 0)]);
    let settings = [TIMEOUT, "gc.threshold=0.9", "gc.preemptible=false"];
    let mut ssd = Ssd::new(&one_die(&settings), vec![open(all)], &CHECKED);
    ssd.run(&mut |_| true).unwrap();
    assert_eq!(ssd.ftl().counters().closed_groups, 0);
}
