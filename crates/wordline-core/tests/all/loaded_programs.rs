//! Reads that pass programs whose successors are loaded (`program.suspend_loaded`): on used drives of many kinds, in checked mode,
//! and over a state that is saved and loaded.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::config::Config;
use wordline_core::host::{FlowInput, Op};

/// A used drive of four dies on two channels, which reads interrupt.
const USED: &[&str] = &[
    "ssd.channels=2",
    "ssd.dies_per_chip=2",
    "ssd.planes_per_die=2",
    "ssd.pages_per_block=24",
    "ssd.overprovisioning=0.3",
    "coding.cell=tlc",
    "ftl.group=planes",
    "nand.multiplane=same-page",
    "nand.cache_register=true",
    "nand.program_suspend_us=20.0",
    "nand.erase_suspend_us=60.0",
    "nand.resume_us=5.0",
    "program.suspend=true",
    "erase.yield=suspend",
    "schedule.suspend_min_remaining_us=10.0",
    "cache.mode=write",
    "cache.flush=eager",
    "cache.capacity_bytes=262144",
    "gc.pacing=in-step",
    "precondition.fill=1.0",
    "precondition.overwrite=1.0",
];
/// What else these drives do.
const KINDS: &[&[&str]] = &[
    &[],
    &["program.unit=wordline", "nand.program_wordline_us=1200.0"],
    &["program.unit=wordline", "nand.max_programs=1"],
    &["program.unit=wordline", "channel.rate_mb_s=300.0", "channel.order=data-first"],
    &["program.unit=wordline", "ftl.unit_bytes=2048", "ftl.group=superblock"],
    &["nand.max_programs=2", "ftl.mapping=dftl", "ftl.cmt_bytes=400"],
    &["schedule.unit=chip", "schedule.max_suspends=2"],
    &["schedule.max_wait_us=900.0", "schedule.max_read_burst=2"],
    &["cells.chip=tlc-48l", "erase.scheme=ispe", "erase.last_loop=at-first-write", "reliability.pec=1500"],
    &["cells.chip=tlc-48l", "read.retry=pnar2", "reliability.pec=500", "reliability.retention_months=1.0"],
    &["ecc.engine=serial", "ecc.decode_us=60.0", "ecc.hold_die=true"],
];

fn drive(way: &str, kind: &[&str]) -> Config {
    let way = format!("program.suspend_loaded={way}");
    one_die(&[USED, kind, &[&way]].concat())
}

/// Writes at random, 32 at a time, and a read each 150 us.
fn mix(config: &Config, writes: u64) -> Vec<FlowInput> {
    let units = config.host_sectors() / 8;
    let at = move |seed, i| below(seed, i, Purpose::Precondition, units);
    let reads = (0..2 * writes).map(move |i| read_at(i * 150 * US, at(3, i)));
    vec![open(reads), closed(32, (0..writes).map(move |i| request(Op::Write, at(5, i), 1)))]
}

#[test]
fn reads_pass_loaded_programs_on_used_drives() {
    for kind in KINDS {
        let of = |way: &str| {
            let config = drive(way, kind);
            let ssd = run(&config, mix(&config, 500));
            assert!(ssd.is_at_rest() && log(&ssd).len() == 1_500, "{way} {kind:?}");
            assert!(ssd.ftl().counters().erases > 0, "{way} {kind:?}: no garbage collection");
            ssd.controller().counters.loaded_suspends
        };
        assert_eq!(of("never"), 0, "{kind:?}");
        for way in ["latch", "reload"] {
            assert!(of(way) > 0, "{way} {kind:?}: no read passed a loaded program");
        }
    }
}

#[test]
fn a_state_goes_on_with_programs_that_made_way() {
    for way in ["latch", "reload"] {
        for kind in &KINDS[..3] {
            let config = drive(way, kind);
            let flows = || mix(&config, 100);
            for at in (0..8).map(|i| 1_000 * US + i * 37 * US) {
                assert_goes_on(&config, flows, &CHECKED, at);
            }
        }
    }
}
