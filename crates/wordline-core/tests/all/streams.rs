//! Streams: flows that write to open blocks of their own keep short-lived and long-lived data apart.

use crate::common::*;
use wordline_cells::ids::{Lpn, PlaneId};
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::Config;
use wordline_core::flash::{Purpose as For, StreamId, Writer, WrittenPage};
use wordline_core::host::{FlowInput, HostRequest, Op, Replay};
use wordline_core::{Overwrites, Ssd};

const HOT_PAGES: u64 = 100;
const WRITES: u64 = 30_000;

/// Writes of single pages, drawn from a range.
fn random_writes(seed: u64, first: u64, pages: u64, count: u64) -> Vec<HostRequest> {
    let page = move |i| first + below(seed, i, Purpose::Precondition, pages);
    (0..count).map(|i| request(Op::Write, page(i), 1)).collect()
}

/// Write amplification when one flow rewrites a few pages over and over, and another all the others.
fn write_amplification(streams: u32) -> f64 {
    let setting = format!("ftl.streams={streams}");
    let config = one_die(&[&setting, "precondition.fill=1.0"]);
    let pages = config.host_pages();
    let hot = random_writes(1, 0, HOT_PAGES, WRITES);
    let cold = random_writes(2, HOT_PAGES, pages - HOT_PAGES, WRITES / 4);
    let mut flows = vec![closed(4, hot), closed(1, cold)];
    flows[1].name = "cold".to_owned();
    let ssd = run(&config, flows);
    let counters = *ssd.ftl().counters();
    (counters.user_writes + counters.moved) as f64 / counters.user_writes as f64
}

#[test]
fn two_streams_move_less_than_one() {
    let (one, two) = (write_amplification(1), write_amplification(2));
    assert!(two < one * 0.97, "one stream {one:.3}, two {two:.3}");
}

/// Live pages in the blocks of each of a drive's host streams, and in all others.
fn live_pages(ssd: &Ssd, config: &Config) -> (Vec<u64>, u64) {
    let streams = config.streams();
    let mut by_stream = vec![0; streams.len()];
    for plane in 0..config.geometry().planes() {
        for (_, block) in ssd.ftl().blocks().of_plane(PlaneId::new(plane)) {
            by_stream[usize::from(block.stream)] += u64::from(block.valid);
        }
    }
    let hosts: Vec<u64> = streams.hosts().iter().map(|&id| by_stream[usize::from(id)]).collect();
    let others = by_stream.iter().sum::<u64>() - hosts.iter().sum::<u64>();
    (hosts, others)
}

/// Two flows side by side: one has the first pages of the device, the other all that follow.
fn side_by_side(first: Vec<HostRequest>, pages: u64, second: Vec<HostRequest>) -> Vec<FlowInput> {
    let sectors = pages * 8;
    let second = FlowInput { first_sector: sectors, ..closed(8, second) };
    vec![FlowInput { sectors, ..closed(8, first) }, FlowInput { name: "second".to_owned(), ..second }]
}

#[test]
fn a_drive_has_the_streams_that_it_needs_and_knows_where_their_data_move() {
    let moves = |settings: &[&str]| {
        let streams = one_die(settings).streams();
        let purpose = |id: StreamId| streams.get(id).purpose;
        let of = |id| (purpose(id), purpose(streams.get(id).moves_to));
        streams.ids().map(of).collect::<Vec<_>>()
    };
    let (host, moved) = (For::Host(0), For::Moved);
    assert_eq!(moves(&["ftl.unmapped_read=zero"]), [(host, moved), (moved, moved)]);
    assert_eq!(
        moves(&["ftl.streams=2", "wear.static_threshold=4"]),
        [(host, moved), (For::Host(1), moved), (moved, moved), (For::Cold, moved), (For::Preload, moved)]
    );
    // Behind the host's writes of the same stream; all others join the first.
    assert_eq!(
        moves(&["ftl.streams=2", "gc.frontier=shared", "wear.static_threshold=4"]),
        [(host, host), (For::Host(1), For::Host(1)), (For::Cold, host), (For::Preload, host)]
    );
}

#[test]
fn a_fill_goes_to_the_streams_of_the_flows_in_whose_parts_it_lies() {
    let config = one_die(&["ftl.streams=2", "precondition.fill=1.0"]);
    let pages = config.host_pages();
    let ssd = run(&config, side_by_side(Vec::new(), 300, Vec::new()));
    assert_eq!(live_pages(&ssd, &config), (vec![300, pages - 300], 0));
}

/// What a flow writes keeps its stream through the cache, through merges of partial writes, and through a loss of power,
/// after which the SSD writes again what was cut off and what waited.
#[test]
fn data_keep_their_stream_through_cache_merges_and_a_loss_of_power() {
    let plain = ["ftl.streams=2", "ssd.planes_per_die=2"];
    let cached: &[&str] = &["cache.mode=write", "cache.capacity_bytes=100000", "power.protected=true"];
    for more in [&[] as &[&str], cached] {
        let config = one_die(&[&plain, more].concat());
        for cut_at in [300 * US, 1_100 * US, 4_700 * US] {
            // Each page is written whole, and then its second half again.
            let writes = |first: u64| {
                let whole = (0..80).map(|page| request(Op::Write, page, 1));
                let half = (0..80).map(move |page| HostRequest {
                    sector: page * 8 + 4,
                    sectors: 3 + first as u32,
                    ..request(Op::Write, page, 1)
                });
                whole.chain(half).collect::<Vec<_>>()
            };
            let mut ssd = Ssd::new(&config, side_by_side(writes(0), 80, writes(1)), &CHECKED);
            ssd.run_until(cut_at, &mut |_| true).unwrap();
            let cut = ssd.power_cut().unwrap();
            assert!(cut.programs_cut_off > 0, "{cut:?}");
            ssd.power_up(0).unwrap();
            ssd.run(&mut |_| true).unwrap();
            ssd.shut_down().unwrap();
            assert_eq!(live_pages(&ssd, &config), (vec![80, 80], 0), "{more:?} at {cut_at}");
        }
    }
}

/// Overwrites of a full drive by a hot flow and a cold one: page and flow.
fn hot_and_cold(config: &Config, round: u64, count: u64) -> impl Iterator<Item = (u64, u16)> + use<> {
    let pages = config.host_pages();
    (0..count).map(move |i| match below(round, 2 * i, Purpose::Precondition, 5) {
        0 => (HOT_PAGES + below(round, 2 * i + 1, Purpose::Precondition, pages - HOT_PAGES), 1),
        _ => (below(round, 2 * i + 1, Purpose::Precondition, HOT_PAGES), 0),
    })
}

/// Overwrites of whole pages before a run.
struct Before<I>(I, u64);

impl<I: Iterator<Item = WrittenPage>> Iterator for Before<I> {
    type Item = WrittenPage;

    fn next(&mut self) -> Option<WrittenPage> {
        self.1 += 1;
        self.0.next()
    }
}

impl<I: Iterator<Item = WrittenPage>> Overwrites for Before<I> {
    fn host_bytes(&self) -> u64 {
        self.1 * 4096
    }

    fn pages(&self) -> u64 {
        self.1
    }

    fn is_over(&self) -> bool {
        false
    }
}

/// Where the overwrites go with which a drive is used before its write amplification is measured.
#[derive(Clone, Copy, PartialEq)]
enum Used {
    /// In the run.
    Running,
    /// Before the run, by their flows.
    ByFlow,
    /// Before the run, all by the first flow.
    ByOne,
}

/// Write amplification on a used drive of two streams.
fn amplification(used: Used) -> f64 {
    // What moves stays in its stream, so that much depends on the streams.
    let settings =
        ["ftl.streams=2", "gc.frontier=shared", "precondition.fill=1.0", "precondition.shape=workload"];
    let count = one_die(&settings).host_pages() * 6;
    let (overwrite, warmup) = if used == Used::Running { (0, count) } else { (6, 0) };
    let more = [format!("precondition.overwrite={overwrite}"), format!("host.warmup_requests={warmup}")];
    let config = one_die(&[&settings[..], &more.each_ref().map(String::as_str)].concat());
    let measured = hot_and_cold(&config, 2, 2_000);
    let all: Vec<_> = hot_and_cold(&config, 1, warmup).chain(measured).collect();
    let of = |flow: u16| {
        let here = all.iter().filter(|(_, of)| *of == flow);
        here.map(|(page, _)| request(Op::Write, page - u64::from(flow) * HOT_PAGES, 1)).collect()
    };
    // Of five requests under way four are hot.
    let mut flows = side_by_side(of(0), HOT_PAGES, of(1));
    flows[0].replay = Replay::Closed { depth: 4 };
    flows[1].replay = Replay::Closed { depth: 1 };
    let mut ssd = Ssd::new(&config, flows, &CHECKED);
    let before = hot_and_cold(&config, 1, count).map(|(page, flow)| WrittenPage {
        lpn: Lpn::new(page as u32),
        writer: Writer::new(if used == Used::ByOne { 0 } else { flow }, 8),
        is_trimmed: false,
    });
    ssd.precondition(&config, Some(&mut Before(before, 0)), &mut |_| true).unwrap();
    ssd.run(&mut |_| true).unwrap();
    let window = ssd.at_end().since(&ssd.at_start()).ftl;
    (window.user_writes + window.moved) as f64 / window.user_writes as f64
}

#[test]
fn a_drive_used_before_the_run_is_like_one_that_ran_there() {
    let [ran, by_flow, by_one] = [Used::Running, Used::ByFlow, Used::ByOne].map(amplification);
    assert_near("used before the run", by_flow, ran, 0.03);
    assert!(by_one > ran * 1.2, "in one stream {by_one:.3}, in the flows' own {by_flow:.3}");
}
