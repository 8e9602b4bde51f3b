//! What is measured is what happened between the end of the warm-up and the last completion.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::host::{FlowInput, HostRequest, Op};
use wordline_core::metrics::Times;

/// Overwrites of a full drive in some order: GC goes on when the last of them is complete.
fn overwrites(count: u64) -> Vec<HostRequest> {
    writes((0..count).map(|i| i * 577 % 1_100))
}

fn used(settings: &[&str]) -> Config {
    one_die(&[&["precondition.fill=1.0", "precondition.overwrite=1.0"], settings].concat())
}

/// A run with a warm-up of `warmup` requests, and its requests one by one.
fn after(warmup: u64, count: u64) -> Ssd {
    // Writes keep GC from its threshold, so that it goes on after the last of them.
    let config = used(&["gc.threshold=0.1", &format!("host.warmup_requests={warmup}")]);
    run(&config, vec![closed(1, overwrites(count))])
}

/// One request at a time, so nothing is under way at the ends of the window: its counts are exact.
#[test]
fn the_window_has_neither_the_warm_up_nor_what_comes_after() {
    let (count, ssd) = (1_000, after(300, 1_000));
    let (start, end, all) = (ssd.at_start(), ssd.at_end(), ssd.accounts());
    let window = end.since(&start);
    assert_eq!((start.at, end.at), ssd.metrics().window);
    assert_eq!((start.ftl.user_writes, window.ftl.user_writes), (300, count - 300));
    assert_eq!(window.standing.host_bytes, (count - 300) * 4096);
    assert!(start.ftl.moved > 0 && start.ftl.erases > 0, "GC is at work in the warm-up");
    let rest = all.since(&end);
    assert!(rest.at > 0 && rest.ftl.erases > 0, "{rest:?}");
    assert_eq!((rest.ftl.user_writes, rest.standing.host_bytes), (0, 0));
    // The parts add up.
    assert_eq!(start.ftl.moved + window.ftl.moved + rest.ftl.moved, ssd.ftl().counters().moved);
    let erased = |times: &Times| times.latency(3).count();
    let parts = [&start, &window, &rest].map(|part| erased(&part.erase_times));
    assert_eq!(parts.iter().sum::<u64>(), ssd.controller().counters.erases);
    let busy = |dies: &[[u64; 3]]| dies.iter().flatten().sum::<u64>();
    assert_eq!(busy(&start.dies) + busy(&window.dies) + busy(&rest.dies), busy(&all.dies));
    // A die works no longer than the window lasts, whatever it was doing at the ends.
    assert!(busy(&window.dies) <= window.at && busy(&rest.dies) <= rest.at);
    assert_eq!(window.ftl.erases, erased(&window.erase_times), "one count for one thing");
}

/// A warm-up is a run that was not measured: what follows is counted as if it were a run of its own.
#[test]
fn counts_of_the_window_are_those_of_the_requests_in_it() {
    let (short, long) = (after(0, 300), after(300, 1_000));
    // The first 300 requests are the same in both, and nothing is under way between two.
    assert_eq!(short.at_end().ftl.user_writes, long.at_start().ftl.user_writes);
    assert_eq!(short.at_end().ftl.moved, long.at_start().ftl.moved);
    assert_eq!(short.at_end().at, long.at_start().at);
    assert_eq!(short.at_end().dies, long.at_start().dies);
    assert_eq!(short.at_start(), wordline_core::Accounts::default());
}

#[test]
fn the_window_ends_with_the_last_request_of_any_kind_of_flow() {
    let spread = |count: u64| {
        overwrites(count).into_iter().zip(0..).map(|(r, i)| HostRequest { arrival_ns: i * 900 * US, ..r })
    };
    let flows: [(&str, &[&str], Vec<FlowInput>); 5] = [
        ("closed", &[], vec![closed(8, overwrites(900))]),
        ("open", &[], vec![open(spread(900))]),
        ("two", &[], vec![closed(4, overwrites(500)), open(spread(700))]),
        ("until a time", &["host.duration_s=0.4"], vec![closed(8, overwrites(90_000))]),
        (
            "one after the other",
            &[],
            vec![closed(4, overwrites(500)), FlowInput { group: 1, ..closed(4, overwrites(400)) }],
        ),
    ];
    for (name, settings, flows) in flows {
        let ssd = run(&used(settings), flows);
        let last = log(&ssd).iter().map(|row| row.completed).max().unwrap();
        assert_eq!(ssd.at_end().at, last, "{name}");
        assert!(ssd.accounts().at >= last, "{name}");
        let written: u64 =
            log(&ssd).iter().filter(|row| row.op == Op::Write).map(|row| u64::from(row.sectors) * 512).sum();
        assert_eq!(ssd.at_end().standing.host_bytes, written, "{name}");
    }
}

/// What power does later is no part of it.
#[test]
fn the_window_ends_with_the_last_request_though_power_goes_later() {
    let config = used(&["gc.threshold=0.1"]);
    let ended = |later: fn(&mut Ssd)| {
        let mut ssd = Ssd::new(&config, vec![closed(1, overwrites(300))], &CHECKED);
        ssd.precondition(&config, None, &mut |_| true).unwrap();
        while ssd.run_until(ssd.now() + 100 * US, &mut |_| true).unwrap() {}
        let end = ssd.at_end();
        assert!(ssd.accounts().since(&end).ftl.erases > 0, "GC went on");
        later(&mut ssd);
        assert_eq!(ssd.at_end(), end);
    };
    ended(|ssd| _ = ssd.power_cycle(1_000 * US).unwrap());
    ended(|ssd| _ = ssd.shut_down().unwrap());
}

/// Intervals end with the window, so that they add up to it.
#[test]
fn intervals_add_up_to_the_window() {
    let ssd = after(300, 1_000);
    let window = ssd.at_end().since(&ssd.at_start());
    let (_, intervals) = ssd.intervals();
    let sum = |of: fn(&wordline_core::metrics::Standing) -> u64| {
        intervals.iter().map(|interval| of(&interval.flash)).sum::<u64>()
    };
    assert_eq!(sum(|flash| flash.programs), window.standing.programs);
    assert_eq!(sum(|flash| flash.host_bytes), window.standing.host_bytes);
    assert_eq!(sum(|flash| flash.erases), window.standing.erases);
}

/// A run of which all is warm-up measures nothing.
#[test]
fn all_warm_up_leaves_an_empty_window() {
    let ssd = after(1_000, 500);
    let window = ssd.at_end().since(&ssd.at_start());
    assert_eq!((window.at, window.ftl.user_writes), (0, 0));
    assert_eq!(ssd.at_start().ftl.user_writes, 500);
}

/// Pages that are moved are counted by cause.
#[test]
fn moves_are_counted_by_cause() {
    let settings = ["wear.static_threshold=2", "refresh.period_days=0.00001"];
    let ssd = run(&used(&settings), vec![closed(1, overwrites(3_000))]);
    let ftl = ssd.ftl().counters();
    assert!(ftl.wear_jobs > 0 && ftl.refresh_jobs > 0 && ftl.gc_jobs > 0, "{ftl:?}");
    assert!(ftl.wear_moved > 0 && ftl.refresh_moved > 0, "{ftl:?}");
    assert!(ftl.wear_moved + ftl.refresh_moved < ftl.moved, "{ftl:?}");
    let none = run(&used(&[]), vec![closed(1, overwrites(3_000))]);
    let ftl = none.ftl().counters();
    assert_eq!((ftl.wear_moved, ftl.refresh_moved), (0, 0));
}

/// Overwrites before the run leave as many free blocks as writes that never pause would: down to the hard threshold where GC
/// gives way to them, else to the threshold.
#[test]
fn preconditioning_leaves_the_free_blocks_that_gc_keeps() {
    let free = |settings: &[&str]| {
        let config = used(&[&["gc.threshold=0.15", "gc.hard_threshold=0.05"], settings].concat());
        let mut ssd = Ssd::new(&config, vec![closed(1, Vec::new())], &CHECKED);
        ssd.precondition(&config, None, &mut |_| true).unwrap();
        ssd.ftl().blocks().free()
    };
    let (hard, soft) = (3, 9);
    assert!((hard..=hard + 2).contains(&free(&[])), "{}", free(&[]));
    for kept in ["gc.preemptible=false", "precondition.collected_to=threshold"] {
        assert!((soft - 1..=soft).contains(&free(&[kept])), "{kept}: {}", free(&[kept]));
    }
}
