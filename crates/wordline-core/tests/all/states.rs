//! States: what is saved comes back, on the same run and on a drive that another run takes; nothing else does.

use crate::common::*;
use wordline_cells::ids::BlockId;
use wordline_core::engine::{LoadError, Loader, Ns};
use wordline_core::host::{FlowInput, HostRequest, Op, Replay, Rest};
use wordline_core::{RunOptions, Ssd};

/// Writes over a third of the SSD, then reads of the same.
fn mixed(count: u64) -> impl Iterator<Item = HostRequest> + Send + 'static {
    (0..count).map(|i| HostRequest {
        arrival_ns: i * 90 * US,
        ..request(if i % 3 == 0 { Op::Read } else { Op::Write }, i * 7 % 350, 1)
    })
}

/// Takes the drive of a state.
fn with_drive(
    config: &wordline_core::config::Config,
    flows: Vec<FlowInput>,
    bytes: &[u8],
) -> Result<Ssd, LoadError> {
    let mut ssd = Ssd::new(config, flows, &CHECKED);
    ssd.take_drive(&mut Loader::new(&mut &*bytes), true).map(|()| ssd)
}

#[test]
fn flows_of_every_kind_go_on() {
    let config = one_die(&["host.arbitration=weighted", "host.duration_s=0.5", "host.warmup_requests=20"]);
    let rest = Rest { every: 7, pause: 3_000 * US };
    let flows = || {
        let kinds =
            [Replay::Open, Replay::Closed { depth: 5 }, Replay::Paced { depth: 3, rest }, Replay::Open];
        let flows = (0..).zip(kinds).map(|(place, replay)| FlowInput {
            weight: 1 + place,
            group: place / 2,
            time_scale: 0.7,
            lasts: if place == 1 { 100_000 * US } else { 0 },
            ..flow(replay, mixed(600))
        });
        flows.collect()
    };
    for at in [0, 1, 40_000 * US, 90_000 * US, 110_000 * US, 499_000 * US, 2_000_000 * US] {
        assert_goes_on(&config, flows, &CHECKED, at);
    }
}

#[test]
fn power_that_was_cut_is_not_cut_again() {
    let config = one_die(&["power.cut_at_s=0.02", "power.off_h=1.0"]);
    let run = |ssd: &mut Ssd, stop_after: Ns| {
        ssd.run_until(stop_after, &mut |_| true).unwrap();
    };
    let flows = || vec![open(mixed(600))];
    let mut whole = Ssd::new(&config, flows(), &CHECKED);
    whole.run_with_power(&config.power, &mut |_| true).unwrap();
    // Before the cut.
    let mut ssd = Ssd::new(&config, flows(), &CHECKED);
    run(&mut ssd, 10_000 * US);
    let mut ssd = resumed(&config, flows(), &CHECKED, &saved(&ssd));
    ssd.run_with_power(&config.power, &mut |_| true).unwrap();
    assert!(saved(&ssd) == saved(&whole));
    // After it.
    let mut ssd = Ssd::new(&config, flows(), &CHECKED);
    run(&mut ssd, 20_000 * US);
    ssd.power_cycle(3_600_000_000 * US).unwrap();
    let later = ssd.now() + 5_000 * US;
    run(&mut ssd, later);
    let mut ssd = resumed(&config, flows(), &CHECKED, &saved(&ssd));
    ssd.run_with_power(&config.power, &mut |_| true).unwrap();
    assert!(saved(&ssd) == saved(&whole));
}

#[test]
fn other_requests_are_refused() {
    let config = one_die(&[]);
    let mut ssd = Ssd::new(&config, vec![open(mixed(600))], &CHECKED);
    ssd.run_until(20_000 * US, &mut |_| true).unwrap();
    let bytes = saved(&ssd);
    let refusal = |flows: Vec<FlowInput>| {
        let mut ssd = Ssd::new(&config, flows, &CHECKED);
        ssd.resume(&mut Loader::new(&mut &*bytes)).unwrap_err().to_string()
    };
    let shifted = mixed(600).map(|r| HostRequest { sector: r.sector + 8, ..r });
    assert_eq!(refusal(vec![open(shifted)]), "the requests of flow: they are others than before");
    assert!(refusal(vec![open(mixed(10))]).starts_with("the requests of flow: "), "fewer");
    assert_eq!(refusal(vec![closed(4, mixed(600))]), "flow `flow` was another one, `flow`");
}

#[test]
fn a_drive_goes_on_with_another_workload() {
    let config = one_die(&["cache.mode=write", "cache.capacity_bytes=65536"]);
    let first = run(&config, vec![open(mixed(3_000))]);
    assert!(first.is_at_rest());
    let mut ssd = with_drive(&config, vec![open(mixed(300))], &saved(&first)).unwrap();
    assert_eq!((ssd.now(), ssd.began_at()), (0, first.now()));
    let wear = |ssd: &Ssd| -> u32 { BlockId::first(64).map(|block| ssd.nand().health(block).pec).sum() };
    assert_eq!(wear(&ssd), wear(&first));
    assert!(wear(&ssd) > 0);
    ssd.run(&mut |_| true).unwrap();
    assert_eq!(ssd.metrics().all.count(), 300, "what was measured begins anew");
    assert_eq!(ssd.ftl().counters().preloaded, 0, "all that is read is there");
    let last = log(&ssd).iter().map(|entry| entry.arrival).max().unwrap();
    assert_eq!(last - ssd.began_at(), 299 * 90 * US, "its clock begins anew");
    assert!(ssd.now() < first.now());
    // On a drive that was not used before, it is the run alone.
    let fresh = Ssd::new(&config, Vec::new(), &CHECKED);
    let mut ssd = with_drive(&config, vec![open(mixed(300))], &saved(&fresh)).unwrap();
    ssd.run(&mut |_| true).unwrap();
    assert!(saved(&ssd) == saved(&run(&config, vec![open(mixed(300))])));
}

#[test]
fn samples_intervals_and_timelines_of_a_taken_drive_begin_at_its_beginning() {
    let config = one_die(&[]);
    let reads = || vec![open(reads(0..50))];
    let options = RunOptions { timeline: Some((0, 1_000 * US)), ..CHECKED };
    let bytes = saved(&run(&config, reads()));
    let mut ssd = Ssd::new(&config, reads(), &options);
    ssd.take_drive(&mut Loader::new(&mut &*bytes), true).unwrap();
    ssd.run(&mut |_| true).unwrap();
    let fresh = run_with_timeline(&config, reads());
    assert_eq!(ssd.metrics().series(), fresh.metrics().series());
    let requests =
        |ssd: &Ssd| -> Vec<_> { ssd.intervals().1.iter().map(|interval| interval.sample).collect() };
    assert_eq!(requests(&ssd), requests(&fresh));
    assert_eq!(ssd.metrics().window.0, ssd.began_at());
    let slices = &ssd.timeline().slices;
    assert!(!slices.is_empty() && slices.iter().all(|slice| slice.start - ssd.began_at() < 1_000 * US));
}

#[test]
fn no_bit_of_a_state_may_flip() {
    let config = one_die(&[
        "ssd.blocks_per_plane=12",
        "ssd.pages_per_block=4",
        "ssd.overprovisioning=0.5",
        "metrics.digits=1",
    ]);
    let mut ssd = Ssd::new(&config, vec![open(reads(0..3))], &RunOptions::default());
    ssd.run_until(60 * US, &mut |_| true).unwrap();
    let mut bytes = saved(&ssd);
    let load = |bytes: &[u8]| {
        let mut ssd = Ssd::new(&config, vec![open(reads(0..3))], &RunOptions::default());
        let mut from = bytes;
        let mut from = Loader::new(&mut from);
        ssd.resume(&mut from).and_then(|()| from.end())
    };
    load(&bytes).unwrap();
    for place in 0..bytes.len() {
        for bit in [0, 5] {
            bytes[place] ^= 1 << bit;
            assert!(matches!(load(&bytes), Err(LoadError::Damaged)), "byte {place}, bit {bit}");
            bytes[place] ^= 1 << bit;
        }
    }
    for length in (0..bytes.len()).step_by(7) {
        assert!(matches!(load(&bytes[..length]), Err(LoadError::Damaged)), "cut after {length}");
    }
    bytes.push(0);
    assert!(matches!(load(&bytes), Err(LoadError::Damaged)));
}
