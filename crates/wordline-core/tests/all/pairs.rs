//! Every pair of policies from different slots runs in checked mode, in as few small SSDs as a greedy search finds.
//!
//! The SSD has the one chip on which everything is known. A pair that the configuration refuses cannot run; the test
//! finds those pairs by asking, and knows for which reasons that may be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::config::{Config, ConfigError, Layer, refused_keys, resolve};
use wordline_core::host::{HostRequest, Op, Replay};
use wordline_core::policy::coding::CodingName;
use wordline_core::policy::{list, names};

/// Slots and their policies, the plainest first: those of the list of policies, then keys that decide in other ways.
static SLOTS: LazyLock<Vec<(&'static str, Vec<String>)>> = LazyLock::new(|| {
    let mut slots: Vec<(&'static str, Vec<String>)> = Vec::new();
    for policy in list() {
        if !slots.iter().any(|(key, _)| *key == policy.key) {
            // Of a policy of the calling program there is none here.
            slots.push((
                policy.key,
                names(policy.key).into_iter().filter(|name| name != "external").collect(),
            ));
        }
    }
    for (key, values) in OTHERS {
        let values = values.iter().map(|&value| value.to_owned());
        match slots.iter_mut().find(|(known, _)| known == key) {
            Some((_, policies)) => policies.extend(values),
            None => slots.push((key, values.collect())),
        }
    }
    slots
});

/// Keys that are no policies of the list, and further values of keys that are.
const OTHERS: &[(&str, &[&str])] = &[
    ("ftl.allocation", &["WDPC", "DPCW", "PCWD", "PDWC"]),
    ("coding.scheme", &[OWN_STATES]),
    ("erase.yield", &["none", "loop", "suspend", "restart"]),
    ("erase.last_loop", &["at-once", "at-first-write"]),
    ("nand.multiplane", &["off", "same-page", "overtaking", "any"]),
    ("cache.mode", &["off", "write", "read", "read-write"]),
    ("gc.victims", &["with-invalid", "any"]),
    ("gc.frontier", &["separate", "shared"]),
    ("ftl.group", &["block", "planes", "superblock", WITH_PARITY]),
    ("gc.pacing", &["off", "in-step"]),
    ("refresh.at_start", &["never", "before", "during"]),
    ("refresh.period_days", &["0.0", "0.000005"]),
    ("program.suspend", &["false", "true"]),
    ("program.unit", &["page", "wordline"]),
    ("nand.max_programs", &["0", "2"]),
    ("schedule.unit", &["die", "chip"]),
    ("wear.static_threshold", &["0", "2"]),
    ("ftl.mapping", &["flat", "dftl"]),
    ("ecc.engine", &["none", "pipelined", "serial"]),
    ("ecc.code", &["bounded", "ldpc"]),
    ("reliability.worn_by", &["ispe", "scheme"]),
];

/// Superblocks in which one page of each row is parity.
const WITH_PARITY: &str = "superblock with parity";

/// A coding of the user's: the usual TLC states in another order.
const OWN_STATES: &str = r#"["111","011","001","101","100","000","010","110"]"#;

/// Worn cells with old data on the chip whose reads, programs and erases are known; pages that are
/// written fast and rewritten soon, and blocks that fill and are collected within a short run.
const DEVICE: &[&str] = &[
    "ssd.channels=2",
    "ssd.dies_per_chip=2",
    "ssd.planes_per_die=2",
    "ssd.blocks_per_plane=16",
    "ssd.pages_per_block=12",
    "ssd.overprovisioning=0.5",
    "cells.chip=tlc-48l",
    "coding.cell=tlc",
    "coding.scheme=tlc-1-2-4",
    "nand.cache_register=true",
    "nand.on_die_check=true",
    "reliability.pec=1500",
    "reliability.retention_months=3.0",
    "program.fast_write_threshold=2",
    "program.rewrite_threshold=4",
    "cache.capacity_bytes=100000",
    "ftl.cmt_bytes=400",
    "ecc.decode_us=8.0",
    "gc.threshold=0.2",
    "refresh.reclaim_reads=40",
    "slc.dynamic_share=0.5",
    "slc.idle_ms=0.05",
    "slc.fold_above=0.2",
    "precondition.fill=1.0",
    "precondition.overwrite=0.5",
];

/// What a slot is set to, as its place among the slot's policies.
type Row = Vec<usize>;
/// Two slots and their policies; the first slot comes first in [`SLOTS`].
type Pair = ((usize, usize), (usize, usize));

fn settings(slot: usize, policy: usize) -> Vec<String> {
    let (key, policies) = &SLOTS[slot];
    let value = &policies[policy];
    if value == WITH_PARITY {
        // With as much spare as without parity.
        return [&format!("{key}=superblock"), "ftl.parity=8", "ssd.overprovisioning=0.5625"]
            .map(str::to_owned)
            .into();
    }
    let mut all = vec![format!("{key}={value}")];
    if *key == "coding.scheme" {
        // The states of the user's own are those of TLC.
        let bits = CodingName::named(value).map_or(3, |coding| coding.gray().bits());
        all.push(format!("coding.cell={}", ["slc", "mlc", "tlc", "qlc"][bits - 1]));
    }
    all
}

/// The device without any slot set, as one layer: thousands of configurations stand on it.
static BASE: LazyLock<Layer> = LazyLock::new(|| {
    let settings: BTreeMap<_, _> = ONE_DIE.iter().chain(DEVICE).filter_map(|s| s.split_once('=')).collect();
    let line = |(key, value): (&str, &str)| {
        format!("{}\n", Layer::assignment(&format!("{key}={value}")).expect("an assignment").text)
    };
    Layer::file("the device", &settings.into_iter().map(line).collect::<String>())
});

/// The device with some of its slots set; in the others is the first policy, which is the default.
fn device(chosen: impl IntoIterator<Item = (usize, usize)>) -> Result<Config, ConfigError> {
    let chosen = chosen.into_iter().flat_map(|(slot, policy)| settings(slot, policy));
    let mut layers = vec![BASE.clone()];
    layers.extend(chosen.map(|s| Layer::assignment(&s).expect("an assignment")));
    resolve(&layers).map(|resolved| resolved.config)
}

/// Every pair of policies from different slots.
fn pairs() -> impl Iterator<Item = Pair> {
    let slots =
        |from: usize| (from..SLOTS.len()).flat_map(|slot| (0..SLOTS[slot].1.len()).map(move |p| (slot, p)));
    slots(0).flat_map(move |first| slots(first.0 + 1).map(move |second| (first, second)))
}

/// The pairs that the configuration refuses, with the key that it complains of.
static REFUSED: LazyLock<BTreeMap<Pair, String>> = LazyLock::new(|| {
    let all: Vec<Pair> = pairs().collect();
    let refusals = on_all_cores(&all, |pair| device([pair.0, pair.1]).err().map(|error| error.key));
    all.into_iter().zip(refusals).filter_map(|(pair, key)| Some((pair, key?))).collect()
});

/// What comes of each item, in their order.
fn on_all_cores<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    std::thread::scope(|scope| {
        let chunks = items.chunks(items.len().div_ceil(cores).max(1));
        let threads: Vec<_> =
            chunks.map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>())).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// Rows that hold every pair which is not refused: in each row one slot after the other takes the policy that
/// makes most pairs with those before it, among those that are not refused with any of them.
fn covering(refused: &BTreeMap<Pair, String>) -> Vec<Row> {
    let mut missing: BTreeSet<Pair> = pairs().filter(|pair| !refused.contains_key(pair)).collect();
    let mut rows = Vec::new();
    while let Some(&(first, second)) = missing.first() {
        let mut row: BTreeMap<usize, usize> = [first, second].into();
        for (slot, (_, policies)) in SLOTS.iter().enumerate() {
            if row.contains_key(&slot) {
                continue;
            }
            let with = |policy: usize| {
                row.iter().map(move |(&other, &chosen)| {
                    if other < slot {
                        ((other, chosen), (slot, policy))
                    } else {
                        ((slot, policy), (other, chosen))
                    }
                })
            };
            let possible = (0..policies.len()).filter(|&p| with(p).all(|pair| !refused.contains_key(&pair)));
            let gain = |policy: usize| with(policy).filter(|pair| missing.contains(pair)).count();
            // Of equals another one in each row, so that policies alternate.
            let turn = |policy: usize| (policy + rows.len()) % policies.len();
            let best = possible.max_by_key(|&policy| (gain(policy), turn(policy)));
            row.insert(slot, best.expect("a plain policy goes with all"));
        }
        let row: Row = row.into_values().collect();
        for pair in pairs_of(&row) {
            missing.remove(&pair);
        }
        rows.push(row);
    }
    rows
}

fn pairs_of(row: &Row) -> impl Iterator<Item = Pair> + '_ {
    (0..row.len()).flat_map(move |a| (a + 1..row.len()).map(move |b| ((a, row[a]), (b, row[b]))))
}

/// Reads and writes of most of the device, some again and again, and a few trims.
fn requests(seed: u64, capacity_sectors: u64) -> Vec<HostRequest> {
    let draw = |i: u64, field: u64, n: u64| below(seed, i * 4 + field, Purpose::Precondition, n);
    let request = |i: u64| {
        let units = capacity_sectors / 8;
        let hot = if draw(i, 0, 2) == 0 { units } else { units / 10 };
        let op = match draw(i, 1, 20) {
            0..9 => Op::Read,
            9..19 => Op::Write,
            _ => Op::Trim,
        };
        HostRequest { arrival_ns: 0, ..request(op, draw(i, 2, hot - 4), 1 + draw(i, 3, 4) as u32) }
    };
    (0..REQUESTS).map(request).collect()
}

const REQUESTS: u64 = 280;

/// What the policies of a run did: policies that have nothing to do prove nothing.
fn work(ssd: &Ssd) -> [(&'static str, u64); 9] {
    let (ftl, controller) = (ssd.ftl().counters(), &ssd.controller().counters);
    [
        ("fast writes", ftl.fast_writes),
        ("rewrites", ftl.rewrites),
        ("adjusted wordlines", ftl.adjusted_wordlines),
        ("moved pages", ftl.moved),
        ("folded pages", ftl.fold_moved),
        ("wear-levelling jobs", ftl.wear_jobs),
        ("retry senses", controller.retry_senses),
        ("incomplete erases", controller.incomplete_erases),
        ("suspends", controller.suspends),
    ]
}

#[test]
fn only_impossible_pairs_are_refused() {
    let mut reasons: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    let refused = &*REFUSED;
    for (((a, _), (b, _)), key) in refused {
        reasons.entry(key).or_default().insert((SLOTS[*a].0, SLOTS[*b].0));
    }
    let of_slots = |one: &str, other: &str| -> Option<(&'static str, &'static str)> {
        let place = |key: &str| SLOTS.iter().position(|(slot, _)| *slot == key);
        let (one, other) = (place(one)?, place(other)?);
        Some((SLOTS[one.min(other)].0, SLOTS[one.max(other)].0))
    };
    // What features take from each other.
    let mut expected: BTreeMap<&str, BTreeSet<_>> = BTreeMap::new();
    for (key, other) in refused_keys() {
        if let Some(pair) = of_slots(key, other) {
            expected.entry(key).or_default().insert(pair);
        }
    }
    // The reads of a chip are known for its own number of bits per cell only, and asked for unless reads are ideal.
    // Two steps program the last page type of a wordline by itself, after pages of the next one.
    // Cells of one bit are what an SLC cache is made of.
    for (key, other) in [
        ("cells.chip", ("read.retry", "coding.scheme")),
        ("program.policy", ("program.policy", "coding.policy")),
        ("program.policy", ("program.policy", "coding.scheme")),
        ("program.policy", ("program.policy", "nand.multiplane")),
        ("slc.policy", ("coding.scheme", "slc.policy")),
    ] {
        expected.entry(key).or_default().insert(other);
    }
    assert_eq!(reasons, expected);
    let name = |(slot, policy): (usize, usize)| SLOTS[slot].1[policy].as_str();
    for (&(one, other), key) in refused {
        let names = [name(one), name(other)];
        let is_known = match key.as_str() {
            "cells.chip" => names[0] != "ideal" && ["mlc-1-2", "slc", "qlc-1-2-4-8"].contains(&names[1]),
            "program.policy" => {
                let others = ["ida", "slc", "tlc-2-3-2", OWN_STATES, "overtaking"];
                names.contains(&"two-step") && names.iter().any(|name| others.contains(name))
            }
            // A plain one goes with all, but for cells of one bit, and OFWAR with the planes of a die.
            _ => names.contains(&"slc") || names != ["ofwar", "planes"] && one.1 > 0 && other.1 > 0,
        };
        assert!(is_known, "{key}: {names:?}");
    }
}

#[test]
fn every_pair_of_policies_runs_in_checked_mode_and_goes_on_from_a_state() {
    let refused = &*REFUSED;
    let rows = covering(refused);
    let numbered: Vec<_> = rows.iter().enumerate().collect();
    let done = on_all_cores(&numbered, |&(number, row)| {
        let names: Vec<_> =
            row.iter().zip(SLOTS.iter()).map(|(&policy, slot)| slot.1[policy].as_str()).collect();
        let config = device(row.iter().copied().enumerate())
            .unwrap_or_else(|error| panic!("pairs go together, but not {names:?}: {error}"));
        let asked = requests(number as u64, config.host_sectors());
        let (ssd, result) = try_run(&config, vec![flow(Replay::Closed { depth: 16 }, asked)]);
        result.unwrap_or_else(|error| panic!("{names:?}: {error}"));
        assert_eq!(ssd.metrics().all.count(), REQUESTS, "{names:?}");
        let flows =
            || vec![flow(Replay::Closed { depth: 16 }, requests(number as u64, config.host_sectors()))];
        assert_goes_on(&config, flows, &CHECKED, ssd.now() / 2);
        work(&ssd)
    });
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for (what, count) in done.into_iter().flatten() {
        *sums.entry(what).or_default() += count;
    }
    assert!(sums.values().all(|&count| count > 0), "nothing to do: {sums:?}");
    let seen: BTreeSet<Pair> = rows.iter().flat_map(pairs_of).collect();
    let all: BTreeSet<Pair> = pairs().collect();
    let left: Vec<_> = all.difference(&seen).filter(|pair| !refused.contains_key(pair)).collect();
    assert!(left.is_empty(), "pairs that did not run: {left:?}");
    assert!(seen.iter().all(|pair| !refused.contains_key(pair)), "pairs that ran although they are refused");
}
