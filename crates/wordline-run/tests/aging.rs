//! Every workload that writes can age every drive of today, and leaves the data spread evenly over its dies.
//!
//! `make test` tries a few of them, `WORDLINE_CASES` so many of all presets, workloads, spares and seeds: others with each `WORDLINE_SEED`.

#[path = "aging/timed.rs"]
mod timed;

use std::sync::atomic::{AtomicUsize, Ordering};

use wordline_cells::ids::PlaneId;
use wordline_core::config::{Config, Layer, WorkloadConfig, resolve};
use wordline_core::{RunOptions, Ssd};
use wordline_run::presets::{self, WORKLOADS};
use wordline_run::{Flow, FlowRequests, Run};

const DRIVES: [&str; 4] = ["datacenter-tlc", "datacenter-qlc", "consumer-tlc", "consumer-qlc"];
const SPARES: [f64; 4] = [0.07, 0.127, 0.28, 0.4];
/// Small objects anywhere in a twentieth of the drive, and a log of large ones.
const CACHE: &str = "a cache of small and large objects";

/// One drive, and what ages it.
#[derive(Clone, Debug)]
struct Case {
    drive: &'static str,
    workload: &'static str,
    /// That of the preset where there is none.
    overprovisioning: Option<f64>,
    seed: u64,
    /// How often the drive is overwritten.
    overwrite: f64,
}

/// A few drives of 4 GB that ran out of space when a program went where the address of its first unit said.
fn some() -> Vec<Case> {
    let case = |drive, workload, overprovisioning, seed| Case {
        drive,
        workload,
        overprovisioning,
        seed,
        overwrite: 1.0,
    };
    vec![
        case("consumer-tlc", "fio/zipf-write", None, 1),
        case("consumer-tlc", CACHE, Some(0.28), 2),
        case("consumer-tlc", "fio/zipf-mix", Some(0.127), 3),
        case("consumer-qlc", "fio/hot-cold-write", None, 4),
    ]
}

/// Every preset with every workload, spare and seed.
fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for drive in DRIVES {
        for workload in WORKLOADS.iter().map(|(name, _)| *name).chain([CACHE]) {
            for spare in SPARES {
                cases.extend((1..=4).map(|seed| Case {
                    drive,
                    workload,
                    overprovisioning: Some(spare),
                    seed,
                    overwrite: 3.0,
                }));
            }
        }
    }
    cases
}

/// Does the same to each case, on all threads of the machine.
fn each_on_some_thread<T: Sync>(cases: &[T], examine: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let examine_rest = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            examine(case);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(examine_rest))));
}

/// What an environment variable sets.
fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

/// So many of all, spread over them; which ones, the seed says.
fn spread(count: usize, seed: usize) -> Vec<Case> {
    let all = all();
    let count = count.min(all.len());
    let first = seed % (all.len() / count.max(1)).max(1);
    (0..count).map(|case| all[case * all.len() / count + first].clone()).collect()
}

impl Case {
    /// The drive; none where the preset does not go with so little spare.
    fn config(&self) -> Option<Config> {
        let mut layers = vec![presets::ssd(self.drive).expect("listed")];
        layers.extend(presets::workload(self.workload));
        let sets = [
            "ssd.scale=1/256".to_owned(),
            "precondition.fill=1.0".to_owned(),
            format!("precondition.overwrite={:?}", self.overwrite),
            "precondition.shape=workload".to_owned(),
            format!("seed={}", self.seed),
        ];
        let spare = self.overprovisioning.map(|spare| format!("ssd.overprovisioning={spare}"));
        layers.extend(sets.iter().chain(&spare).map(|set| Layer::assignment(set).expect("an assignment")));
        resolve(&layers).ok().map(|resolved| resolved.config)
    }

    fn flows(&self, config: &Config) -> Vec<Flow> {
        if self.workload != CACHE {
            return vec![Flow::synthetic(config)];
        }
        let part = |name: &str, first: f64, share: f64, text: &str| {
            let workload: WorkloadConfig =
                resolve(&[Layer::preset("cache", text)]).expect("valid").config.workload;
            let sectors = |share: f64| (config.host_sectors() as f64 * share) as u64 / 512 * 512;
            let mut flow = Flow::new(name, FlowRequests::synthetic(workload));
            (flow.first_sector, flow.sectors) = (sectors(first), Some(sectors(share)));
            flow
        };
        let small = "[workload]\nread_ratio = 0.0\nwrite_block_bytes = 4096\npattern = \"random\"\n";
        let large = "[workload]\nread_ratio = 0.0\nwrite_block_bytes = 262144\npattern = \"sequential\"\n";
        vec![part("small objects", 0.0, 0.05, small), part("large objects", 0.05, 0.9, large)]
    }

    /// Ages the drive; the live units of its fullest die over the mean. None where the workload writes nothing, or a part of the
    /// drive is too small for its requests.
    fn fullest(&self) -> Option<f64> {
        let config = self.config()?;
        let mut run = match Run::new(&config, self.flows(&config), RunOptions::default()) {
            Ok(run) => run,
            Err(error) => {
                assert!(error.to_string().contains("bytes of addresses"), "{self:?}: {error}");
                return None;
            }
        };
        if let Err(error) = run.precondition(&mut |_| true) {
            assert!(error.to_string().contains("writes nothing"), "{self:?}: {error}");
            return None;
        }
        Some(fullest_die(run.ssd()))
    }
}

/// The live units of the fullest die over those of the mean one.
fn fullest_die(ssd: &Ssd) -> f64 {
    let (geometry, blocks) = (&ssd.nand().geometry, ssd.ftl().blocks());
    let mut live = vec![0.0; geometry.dies() as usize];
    for plane in PlaneId::first(geometry.planes()) {
        let of_plane = blocks.of_plane(plane).map(|(_, block)| f64::from(block.valid)).sum::<f64>();
        live[geometry.die_of(plane) as usize] += of_plane;
    }
    live.iter().copied().fold(0.0, f64::max) * live.len() as f64 / live.iter().sum::<f64>()
}

/// A die that holds 1 % of its room more than the mean loses its turn, so spares of up to two fifths leave 1.4 % of the mean.
const FULLEST_MAX: f64 = 1.02;

#[test]
fn skewed_writes_age_drives_of_today_and_lie_evenly_on_their_dies() {
    let seed = number("WORDLINE_SEED").unwrap_or(0);
    let cases = number("WORDLINE_CASES").map_or_else(some, |count| spread(count, seed));
    each_on_some_thread(&cases, |case| {
        let Some(fullest) = case.fullest() else { return };
        assert!(fullest <= FULLEST_MAX, "{case:?}: the fullest die holds {fullest:.3} of the mean");
    });
}

/// Dies of few blocks keep pace under load: one that is fuller than others gets fewer of the writes that wait for room.
#[test]
#[ignore = "ten seconds; make verify runs it"]
fn the_smallest_drive_of_a_preset_ages_under_load() {
    let mut layers = vec![presets::ssd("datacenter-tlc").expect("listed")];
    layers.extend(presets::workload("fio/random-write"));
    let sets = [
        "ssd.scale=1/1000",
        "precondition.fill=1.0",
        "precondition.overwrite=steady",
        "precondition.shape=workload",
    ];
    layers.extend(sets.iter().map(|set| Layer::assignment(set).expect("an assignment")));
    let config = resolve(&layers).expect("accepted").config;
    let mut run = Run::new(&config, vec![Flow::synthetic(&config)], RunOptions::default()).expect("it fits");
    run.precondition(&mut |_| true).expect("room");
    assert!(run.ssd().steady().is_some_and(|steady| steady.timed.is_some()));
    // Writes that wait go where there is room, also on a die that holds more than others.
    let fullest = fullest_die(run.ssd());
    assert!(fullest <= 1.04, "the fullest die holds {fullest:.3} of the mean");
}
