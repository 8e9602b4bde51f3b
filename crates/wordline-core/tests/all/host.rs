//! Flows that share an SSD: arbitration, queue depth, pacing, and what is counted.

use crate::common::*;
use wordline_core::Ssd;
use wordline_core::engine::Ns;
use wordline_core::host::{FlowInput, HostRequest, Op, Replay, Rest};
use wordline_core::metrics::LogEntry;

const FULL: &str = "precondition.fill=1.0";
/// Time of one read on an idle die.
const READ: Ns = T_R + T_DMA;

/// Endless enough reads over the whole device.
fn many_reads() -> Vec<HostRequest> {
    reads((0..4_000).map(|i| i * 7 % 1_152))
}

fn weighted(weight: u32, flow: FlowInput) -> FlowInput {
    FlowInput { weight, ..flow }
}

/// Completions of each flow while all of them had requests to come.
fn shares(ssd: &Ssd, flows: u16) -> Vec<usize> {
    let of = |flow: u16| log(ssd).iter().filter(move |entry| entry.flow == flow);
    let first_end =
        (0..flows).map(|flow| of(flow).map(|entry| entry.completed).max().unwrap()).min().unwrap();
    (0..flows).map(|flow| of(flow).filter(|entry| entry.completed <= first_end).count()).collect()
}

#[test]
fn round_robin_shares_equally_whatever_the_queue_depths() {
    // The device takes one request at a time: who waits is decided at the queues.
    let config = one_die(&[FULL, "host.device_queue_depth=1"]);
    let ssd = run(&config, vec![closed(2, many_reads()), closed(32, many_reads()), closed(8, many_reads())]);
    let shares = shares(&ssd, 3);
    assert!(shares.iter().all(|share| share.abs_diff(shares[0]) <= 1), "{shares:?}");
}

#[test]
fn weights_share_in_proportion() {
    let config = one_die(&[FULL, "host.device_queue_depth=1", "host.arbitration=weighted"]);
    let flows = [(1, 8), (2, 8), (5, 8)].map(|(weight, depth)| weighted(weight, closed(depth, many_reads())));
    let ssd = run(&config, flows.into());
    let shares = shares(&ssd, 3);
    assert_eq!(shares[2], 4_000);
    assert!(shares[0].abs_diff(800) <= 5 && shares[1].abs_diff(1_600) <= 10, "{shares:?}");
}

#[test]
fn a_weight_of_none_counts_as_one() {
    let config = one_die(&[FULL, "host.device_queue_depth=1", "host.arbitration=weighted"]);
    let ssd = run(&config, vec![weighted(0, closed(4, many_reads())), weighted(1, closed(4, many_reads()))]);
    let shares = shares(&ssd, 2);
    assert!(shares[0].abs_diff(shares[1]) <= 1, "{shares:?}");
}

#[test]
fn a_flow_that_asks_for_little_leaves_the_rest_to_others() {
    let config = one_die(&[FULL, "host.device_queue_depth=1", "host.arbitration=weighted"]);
    let slow: Vec<_> = (0..50).map(|i| read_at(i * 40 * READ, i)).collect();
    let ssd = run(&config, vec![weighted(10, open(slow)), weighted(1, closed(4, many_reads()))]);
    let worst = log(&ssd).iter().filter(|e| e.flow == 0).map(|e| e.completed - e.arrival).max();
    assert!(worst <= Some(2 * READ), "its requests wait for the one in service at most: {worst:?}");
    assert_eq!(end(&ssd), 4_050 * READ, "the die never idles");
}

/// Most requests of a flow between arrival and completion at once.
fn outstanding_max(entries: &[LogEntry], from: impl Fn(&LogEntry) -> Ns) -> i64 {
    let starts = entries.iter().map(|entry| (from(entry), 1));
    let ends = entries.iter().map(|entry| (entry.completed, -1));
    let mut steps: Vec<(Ns, i64)> = starts.chain(ends).collect();
    // At one instant completions come first: the next request is submitted when one completes.
    steps.sort_unstable();
    let mut outstanding = 0;
    steps.into_iter().fold(0, |most: i64, (_, step)| {
        outstanding += step;
        most.max(outstanding)
    })
}

#[test]
fn a_closed_loop_keeps_exactly_its_depth_outstanding() {
    for depth in [1, 3, 32] {
        let ssd = run(&one_die(&[FULL, "ssd.channels=4"]), vec![closed(depth, many_reads())]);
        assert_eq!(outstanding_max(log(&ssd), |entry| entry.arrival), i64::from(depth));
        assert_eq!(log(&ssd).iter().filter(|entry| entry.arrival == 0).count(), depth as usize);
    }
}

#[test]
fn the_device_never_works_on_more_than_it_takes() {
    let config = one_die(&[FULL, "ssd.channels=4", "host.device_queue_depth=5"]);
    let ssd = run(&config, vec![closed(32, many_reads()), closed(32, many_reads())]);
    assert_eq!(outstanding_max(log(&ssd), |entry| entry.submitted), 5);
}

#[test]
fn an_open_loop_arrives_on_time_and_its_time_scales() {
    let requests: Vec<_> = (0..40).map(|i| read_at(i * i * 10 * US, i)).collect();
    for scale in [0.1, 1.0, 2.5] {
        let flow = FlowInput { time_scale: scale, ..open(requests.clone()) };
        let ssd = run(&one_die(&[FULL]), vec![flow]);
        let mut arrivals: Vec<Ns> = log(&ssd).iter().map(|entry| entry.arrival).collect();
        arrivals.sort_unstable();
        let expected: Vec<Ns> = (0..40u64).map(|i| ((i * i * 10 * US) as f64 * scale) as Ns).collect();
        assert_eq!(arrivals, expected, "scale {scale}");
    }
}

#[test]
fn a_run_of_a_given_time_submits_no_more_after_it() {
    for refresh in ["refresh.period_days=0.0", "refresh.period_days=0.00001"] {
        // 10 ms, with far more to come; a refresh timer must not keep the run going.
        let config = one_die(&[FULL, "host.duration_s=0.01", refresh]);
        let late: Vec<_> = (0..2_000).map(|i| read_at(i * 100 * US, i % 1_000)).collect();
        for flow in [closed(4, many_reads()), open(late)] {
            let ssd = run(&config, vec![flow]);
            let last = log(&ssd).iter().map(|entry| entry.arrival).max().unwrap();
            assert!(last < 10_000 * US && last > 9_000 * US, "the last request came at {last} ns");
            assert!(log(&ssd).len() >= 100);
        }
    }
}

#[test]
fn the_warm_up_is_simulated_but_not_counted() {
    let all = run(&one_die(&[FULL]), vec![closed(4, many_reads())]);
    let warm = run(&one_die(&[FULL, "host.warmup_requests=1000"]), vec![closed(4, many_reads())]);
    assert_eq!(warm.metrics().all.count(), 3_000);
    assert_eq!(warm.metrics().warmup_requests, 1_000);
    assert_eq!(log(&warm), &log(&all)[1_000..], "what is counted went as if all were");
    assert_eq!(warm.metrics().bytes()[0], 3_000 * 4_096);
}

#[test]
fn a_ramp_is_simulated_but_not_counted() {
    let config = one_die(&[FULL]);
    let all = run(&config, vec![closed(1, many_reads())]);
    let ramp = 10 * READ;
    let ramped = run(&config, vec![FlowInput { ramp, ..closed(1, many_reads()) }]);
    assert_eq!(
        ramped.metrics().warmup_requests,
        10,
        "a lone read takes READ, and the tenth arrives within the ramp"
    );
    assert_eq!(log(&ramped), &log(&all)[10..], "what is counted went as if all were");
    assert_eq!(ramped.metrics().window, (ramp, all.metrics().window.1));
}

#[test]
fn each_flow_has_a_ramp_of_its_own_which_begins_with_it() {
    let config = one_die(&[FULL]);
    let first = FlowInput { ramp: 3 * READ, ..closed(1, reads(0..10)) };
    let second = FlowInput { ramp: 4 * READ, group: 1, ..closed(1, reads(0..10)) };
    let ssd = run(&config, vec![first, second, FlowInput { group: 2, ..closed(1, reads(0..10)) }]);
    let count = |flow: u16| log(&ssd).iter().filter(|entry| entry.flow == flow).count();
    assert_eq!((count(0), count(1), count(2)), (7, 6, 10));
    assert_eq!(ssd.metrics().warmup_requests, 7);
    assert_eq!(ssd.metrics().window.0, 3 * READ);
}

#[test]
fn flows_lie_where_they_are_put() {
    let config = one_die(&[FULL]);
    let put = |first_sector: u64| FlowInput { first_sector, ..closed(2, reads(0..100)) };
    let ssd = run(&config, vec![put(0), put(800), put(4_000)]);
    for (flow, first) in [(0, 0), (1, 800), (2, 4_000)] {
        let mut sectors: Vec<u64> = log(&ssd).iter().filter(|e| e.flow == flow).map(|e| e.sector).collect();
        sectors.sort_unstable();
        assert_eq!(sectors, (0..100).map(|i| first + i * 8).collect::<Vec<_>>(), "flow {flow}");
    }
    assert_eq!(ssd.metrics().flows.iter().map(|flow| flow.all().count()).collect::<Vec<_>>(), [100; 3]);
}

#[test]
fn open_and_closed_flows_run_side_by_side() {
    let config = one_die(&[FULL, "ssd.channels=2"]);
    let trace: Vec<_> = (0..300).map(|i| write_at(i * 700 * US, i * 3 % 1_000)).collect();
    let ssd = run(&config, vec![open(trace), closed(4, many_reads()), flow(Replay::Closed { depth: 1 }, [])]);
    assert_eq!(log(&ssd).len(), 4_300);
}

#[test]
fn a_group_begins_when_the_one_before_is_complete() {
    let config = one_die(&[FULL]);
    let second = FlowInput { group: 1, ..open((0..3).map(|i| read_at(i * 10 * READ, i))) };
    let third = FlowInput { group: 2, ..closed(1, reads(0..2)) };
    let ssd = run(&config, vec![closed(4, reads(0..10)), third, second]);
    let of = |flow: u16| log(&ssd).iter().filter(move |entry| entry.flow == flow);
    let first_end = of(0).map(|entry| entry.completed).max().unwrap();
    let arrivals: Vec<Ns> = of(2).map(|entry| entry.arrival - first_end).collect();
    assert_eq!(arrivals, [0, 10 * READ, 20 * READ]);
    let second_end = of(2).map(|entry| entry.completed).max().unwrap();
    assert_eq!(of(1).map(|entry| entry.arrival).min(), Some(second_end));
    assert_eq!(of(1).count(), 2);
}

#[test]
fn a_group_of_no_requests_is_passed_over() {
    let config = one_die(&[FULL]);
    let empty = FlowInput { group: 1, ..closed(1, []) };
    let last = FlowInput { group: 2, ..closed(1, reads(0..2)) };
    let ssd = run(&config, vec![closed(1, reads(0..2)), empty, last]);
    assert_eq!(log(&ssd).len(), 4);
}

fn paced(depth: u32, rest: Rest, gap: Ns, count: u64) -> FlowInput {
    flow(Replay::Paced { depth, rest }, (0..count).map(move |i| read_at(i * gap, i)))
}

#[test]
fn a_paced_flow_keeps_its_rate_where_the_device_can() {
    let ssd = run(&one_die(&[FULL]), vec![paced(4, Rest::default(), 3 * READ, 20)]);
    assert!(latencies(&ssd).iter().all(|&latency| latency == READ));
    assert_eq!(end(&ssd), 19 * 3 * READ + READ);
}

#[test]
fn a_paced_flow_never_has_more_outstanding_than_its_depth() {
    // One read at a time can be served: with a depth of 1 all go back to back, and none waits in a queue.
    let ssd = run(&one_die(&[FULL]), vec![paced(1, Rest::default(), READ / 10, 20)]);
    assert!(latencies(&ssd).iter().all(|&latency| latency == READ));
    assert_eq!(end(&ssd), 20 * READ);
}

#[test]
fn a_paced_flow_rests_after_so_many_requests() {
    let rest = Rest { every: 2, pause: 5 * READ };
    let ssd = run(&one_die(&[FULL]), vec![paced(1, rest, 0, 6)]);
    assert_eq!(end(&ssd), 6 * READ + 2 * 5 * READ);
}

#[test]
fn a_flow_ends_after_its_time() {
    let config = one_die(&[FULL]);
    let lasts = 10 * READ;
    let long = FlowInput { lasts, ..closed(1, many_reads()) };
    let open = FlowInput { lasts, group: 1, ..open((0..100).map(|i| read_at(i * 2 * READ, i))) };
    let resting = FlowInput { lasts, group: 2, ..paced(1, Rest { every: 1, pause: READ }, 0, 100) };
    let ssd = run(&config, vec![long, open, resting]);
    let count = |flow: u16| log(&ssd).iter().filter(|entry| entry.flow == flow).count();
    assert_eq!((count(0), count(1), count(2)), (10, 5, 5));
}

/// A drive with backup power has promised all that it acknowledged: a flush waits for nothing and pads nothing. Without, it takes what
/// cells and firmware take, and so does a write with FUA, for its page alone.
#[test]
fn a_flush_and_fua_cost_what_the_promise_of_an_acknowledgement_lacks() {
    let units =
        ["ssd.page_bytes=16384", "ftl.unit_bytes=4096", "ftl.unit_wait_us=100000", "cache.mode=write"];
    let took = |more: &str, requests: Vec<HostRequest>| {
        let config =
            one_die(&[&units[..], &["cache.flush=watermark", "controller.flush_us=700", more]].concat());
        let mut ssd = Ssd::new(&config, vec![closed(1, requests)], &CHECKED);
        ssd.run_until(90_000 * US, &mut |_| true).unwrap();
        (latencies(&ssd), ssd.ftl().counters().padding)
    };
    let flush = HostRequest::new(0, Op::Flush, 0, 0);
    let forced = HostRequest { fua: true, ..write_at(0, 9) };
    let (protected, exposed) = ("power.protected=true", "power.protected=false");
    let program = T_PROG + 4 * T_DMA;
    assert_eq!(took(protected, vec![write_at(0, 3), flush]), (vec![0, 700 * US], 0));
    assert_eq!(took(exposed, vec![write_at(0, 3), flush]), (vec![0, program + 700 * US], 3));
    assert_eq!(took(protected, vec![write_at(0, 3), forced]), (vec![0, 0], 0));
    assert_eq!(took(exposed, vec![write_at(0, 3), forced]), (vec![0, program], 3), "its page alone");
}
