//! Groups of a block of each plane: random writes of a die program all its planes together, and so does GC.

use crate::common::*;
use wordline_cells::variation::{Purpose, below};
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::engine::Ns;

const PLANES: u64 = 4;

fn die(group: &str, settings: &[&str]) -> Config {
    let group = format!("ftl.group={group}");
    let own = ["ssd.planes_per_die=4", "nand.multiplane=same-page", "wear.static_threshold=0", &group];
    one_die(&[&own, settings].concat())
}

fn random_writes(config: &Config, count: u64) -> Vec<wordline_core::host::HostRequest> {
    let units = config.host_sectors() / 8;
    writes((0..count).map(move |i| below(3, i, Purpose::Precondition, units)))
}

/// Pages that a program takes along on average.
fn planes_per_program(ssd: &Ssd) -> f64 {
    let busy: Ns = ssd.controller().luns().iter().map(|lun| lun.busy()[1]).sum();
    ssd.controller().counters.programs as f64 / (busy / T_PROG) as f64
}

/// A page of each plane crosses the channel, then all are programmed: whichever pages the host writes.
#[test]
fn random_writes_fill_the_planes_of_a_die_row_by_row() {
    const WRITES: u64 = 400;
    let config = die("planes", &["ftl.coalesce=false"]);
    let ssd = run(&config, vec![open(random_writes(&config, WRITES))]);
    let rows = WRITES / PLANES;
    assert_eq!(ssd.controller().counters.programs, WRITES);
    // The first command goes out when the first page is there, and alone.
    let row = PLANES * T_DMA + T_PROG;
    assert!(end(&ssd) <= (rows + 1) * row, "{} for {rows} rows of {row}", end(&ssd));
    let alone = run(&die("block", &["ftl.coalesce=false"]), vec![open(random_writes(&config, WRITES))]);
    // All writes are there at once, but the plane that most of them go to has more than its share.
    assert!(end(&alone) > end(&ssd) + 5 * row, "{}: planes drift apart", end(&alone));
}

/// GC collects a group as a whole: its pages move row by row, its blocks are erased together.
#[test]
fn a_used_drive_programs_and_erases_all_planes_of_a_group_together() {
    let used = ["precondition.fill=1.0", "precondition.overwrite=2.0"];
    let of = |group: &str| {
        let config = die(group, &used);
        run(&config, vec![closed(64, random_writes(&config, 6_000))])
    };
    let (single, joined) = (of("block"), of("planes"));
    let (apart, together) = (planes_per_program(&single), planes_per_program(&joined));
    assert!(apart < 2.0 && together > 3.5, "{apart} and {together} planes a program");
    assert!(end(&joined) * 2 < end(&single), "{} and {} ns", end(&joined), end(&single));
    let erases = joined.controller().counters.erases;
    let busy: Ns = joined.controller().luns().iter().map(|lun| lun.busy()[2]).sum();
    assert!(erases > 100, "{erases} erases");
    assert_eq!(busy, erases / PLANES * T_BERS, "each command erases four blocks");
}

/// Blocks that are bad are missing in their groups: the rest of the group is used.
#[test]
fn a_group_without_its_bad_blocks_goes_on() {
    let bad = ["reliability.factory_bad=0.05", "reliability.grown_bad=0.01", "ssd.overprovisioning=0.5"];
    let config =
        die("planes", &[&bad[..], &["precondition.fill=1.0", "precondition.overwrite=1.0"]].concat());
    let ssd = run(&config, vec![closed(64, random_writes(&config, 4_000))]);
    assert!(ssd.ftl().counters().grown_bad > 0, "no block went bad");
}

/// Dies of four channels, two on each, of two planes.
fn superblocks(settings: &[&str]) -> Config {
    let own = [
        "ssd.channels=4",
        "ssd.chips_per_channel=2",
        "ssd.planes_per_die=2",
        "nand.multiplane=same-page",
        "wear.static_threshold=0",
        "ftl.group=superblock",
        "ftl.coalesce=false",
    ];
    one_die(&[&own, settings].concat())
}

/// Blocks of all dies fill together: pages go to the channels in turn, then to the dies of each, and all of
/// them are at work.
#[test]
fn writes_to_a_superblock_go_round_channels_and_dies() {
    const ROWS: u64 = 20;
    let write = |config: &Config, pages: u64| run(config, vec![open(random_writes(config, pages))]);
    // Two pages of each of eight dies. The second die of a channel gets its data while the first one programs.
    let ssd = write(&superblocks(&[]), 16);
    assert_eq!(end(&ssd), 4 * T_DMA + T_PROG);
    let order: Vec<Ns> = latencies(&ssd).into_iter().map(|time| time - T_PROG).collect();
    assert_eq!(
        order,
        [[2 * T_DMA; 8], [4 * T_DMA; 8]].concat(),
        "the first die of each channel, then the second"
    );
    let ssd = write(&superblocks(&[]), ROWS * 16);
    let row = 2 * T_DMA + T_PROG;
    assert!(end(&ssd) <= ROWS * row + 2 * T_DMA, "{} for {ROWS} rows of {row}", end(&ssd));
    // A wordline in both planes of a die, then that of the next one.
    let wordlines = ["coding.cell=tlc", "program.unit=wordline", "nand.program_wordline_us=1200.0"];
    let ssd = write(&superblocks(&wordlines), ROWS * 48);
    let row = 6 * T_DMA + 1_200 * US;
    assert!(end(&ssd) <= ROWS * row + 6 * T_DMA, "{} for {ROWS} rows of {row}", end(&ssd));
    assert_eq!(ssd.controller().counters.multiplane, ROWS * 8);
}

/// GC collects a superblock as a whole, and its blocks are erased together.
#[test]
fn a_used_drive_collects_whole_superblocks() {
    let used = ["precondition.fill=1.0", "precondition.overwrite=1.0"];
    for more in [&[][..], &["program.unit=wordline", "coding.cell=tlc"], &["gc.pacing=in-step"]] {
        let config = superblocks(&[&used[..], more].concat());
        let ssd = run(&config, vec![closed(64, random_writes(&config, 12_000))]);
        let counters = ssd.ftl().counters();
        assert!(counters.gc_jobs > 0 && counters.erases.is_multiple_of(16), "{more:?}: {counters:?}");
        assert_eq!(counters.gc_jobs % 16, 0, "{more:?}");
        let dies = ssd.controller().luns();
        let busy: Vec<Ns> = dies.iter().map(|unit| unit.busy().iter().sum()).collect();
        let (least, most) = (busy.iter().min().unwrap(), busy.iter().max().unwrap());
        assert!(least * 10 > most * 9, "{more:?}: dies work alike: {busy:?}");
    }
}

/// A superblock without its bad blocks goes on, whole dies of it among them.
#[test]
fn a_superblock_without_its_bad_blocks_goes_on() {
    let bad = ["reliability.factory_bad=0.2", "reliability.grown_bad=0.002", "ssd.overprovisioning=0.6"];
    let used = ["precondition.fill=1.0", "precondition.overwrite=1.0"];
    for more in [&[][..], &["program.unit=wordline", "coding.cell=tlc"]] {
        let config = superblocks(&[&bad[..], &used, more].concat());
        let ssd = run(&config, vec![closed(64, random_writes(&config, 6_000))]);
        assert!(ssd.ftl().counters().grown_bad > 0, "no block went bad");
    }
}

#[test]
fn the_write_queue_of_pages_is_refused_with_superblocks() {
    use wordline_core::config::{Layer, resolve};
    let layers = ["ftl.group=superblock", "program.write_streams=2"];
    let error =
        resolve(&layers.map(|s| Layer::assignment(s).expect("an assignment"))).expect_err("it is refused");
    assert!(error.key == "ftl.group" && error.to_string().contains("write queue"), "{error}");
}

#[test]
fn what_keeps_to_a_plane_or_a_block_is_refused_with_groups() {
    use wordline_core::config::{Layer, resolve};
    for setting in ["gc.copyback=true", "coding.policy=ida"] {
        let layers = ["ftl.group=planes", "ssd.planes_per_die=2", setting];
        let layers = layers.map(|s| Layer::assignment(s).expect("an assignment"));
        let error = resolve(&layers).expect_err("it is refused");
        assert!(
            error.key == "ftl.group" && error.to_string().contains(setting.split('=').next().unwrap()),
            "{error}"
        );
    }
}

/// A drive that was never written is read as if it had been filled in order. Pages at random have no row in common, though
/// they are read for the first time together; neighbours have.
#[test]
fn what_was_there_before_the_run_lies_as_a_fill_puts_it() {
    const READS: u64 = 400;
    let own =
        ["ssd.pages_per_block=256", "ssd.blocks_per_plane=64", "ftl.unit_bytes=4096", "ssd.page_bytes=16384"];
    let config = die("planes", &own);
    let senses = |units: &dyn Fn(u64) -> u64| {
        let reads = (0..READS).map(|i| request(wordline_core::host::Op::Read, units(i), 1));
        let ssd = run(&config, vec![closed(16, reads.collect::<Vec<_>>())]);
        ssd.controller().luns().iter().map(|lun| lun.busy()[0]).sum::<Ns>() as f64 / T_R as f64
    };
    let units = config.host_sectors() / 8;
    let random = senses(&|i| below(5, i, Purpose::Precondition, units));
    let in_order = senses(&|i| i);
    assert!(random > 0.9 * READS as f64, "{random} senses for {READS} reads at random");
    assert!(in_order < 0.3 * READS as f64, "{in_order} senses for {READS} reads in order");
}
