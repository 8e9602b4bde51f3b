//! How old the data of a page are: pages of one block may be from before the run, from the run, and from before the
//! power was off.

use crate::common::*;
use wordline_cells::ids::{BlockId, PlaneId};
use wordline_core::Ssd;
use wordline_core::config::Config;
use wordline_core::engine::Ns;
use wordline_core::host::HostRequest;

const HOUR: Ns = 3_600_000_000_000;

/// A die of a chip that retries old pages and not fresh ones.
fn device(settings: &[&str]) -> Config {
    let chip = ["cells.chip=tlc-48l", "coding.cell=tlc", "read.retry=baseline"];
    one_die(&[&chip, settings].concat())
}

/// A die whose data are six months old, up to the eleventh page of an open block.
fn part_full(settings: &[&str]) -> Config {
    let filled = ["precondition.fill=0.51", "reliability.retention_months=6.0"];
    let config = device(&[&filled, settings].concat());
    assert_eq!((config.host_pages() as f64 * 0.51) as u64 % 24, 11);
    config
}

/// The last old page, in the open block.
fn last_old(config: &Config) -> u64 {
    (config.host_pages() as f64 * 0.51) as u64 - 1
}

/// Which of the reads among the requests, one after the other, took longer than the senses of any page and its transfer.
fn retried(ssd: &Ssd) -> Vec<bool> {
    let reads = log(ssd).iter().filter(|entry| entry.op == wordline_core::host::Op::Read);
    reads.map(|entry| entry.completed - entry.arrival > 4 * T_R + T_DMA).collect()
}

#[test]
fn pages_of_the_run_in_a_block_with_old_ones_are_young() {
    let config = part_full(&[]);
    let old = last_old(&config);
    let requests = writes(0..4).into_iter().chain(reads([0, old, 3, 10]));
    let ssd = run(&config, vec![closed(1, requests)]);
    assert_eq!(retried(&ssd), [false, true, false, true]);
    let open =
        ssd.ftl().blocks().of_plane(PlaneId::new(0)).find(|(_, block)| block.next_page == 15).unwrap().0;
    assert_eq!(
        ssd.nand().data_age(open, ssd.now()),
        ssd.nand().data_age(BlockId::new(0), ssd.now()),
        "of its oldest page"
    );
}

#[test]
fn a_copy_inside_the_flash_is_young() {
    let config = part_full(&["gc.copyback=true", "gc.threshold=0.5", "gc.hard_threshold=0.5"]);
    // GC moves whatever is left in the blocks whose other pages are written again.
    let requests = writes((0..420).filter(|unit| unit % 24 != 7)).into_iter().chain(reads([7]));
    let ssd = run(&config, vec![closed(1, requests)]);
    assert!(ssd.ftl().counters().moved > 0);
    assert_eq!(retried(&ssd), [false]);
}

#[test]
fn a_state_keeps_the_ages_of_pages() {
    let config = part_full(&[]);
    let old = last_old(&config);
    let flows = || vec![open(at_intervals(writes(0..4).into_iter().chain(reads([0, old, 3]))))];
    for at in [0, 2_500 * US, 4_500 * US] {
        assert_goes_on(&config, flows, &CHECKED, at);
    }
    // Another run on the drive, which goes on in the same block.
    let first = run(&config, vec![closed(1, writes(0..4))]);
    let mut ssd =
        Ssd::new(&config, vec![closed(1, writes([5]).into_iter().chain(reads([0, old, 5])))], &CHECKED);
    ssd.take_drive(&mut wordline_core::engine::Loader::new(&mut &*saved(&first)), true).unwrap();
    ssd.run(&mut |_| true).unwrap();
    assert_eq!(retried(&ssd), [false, true, false]);
}

/// One request a millisecond.
fn at_intervals(requests: impl Iterator<Item = HostRequest>) -> Vec<HostRequest> {
    (0..).zip(requests).map(|(i, request)| HostRequest { arrival_ns: i * 1_000 * US, ..request }).collect()
}

#[test]
fn pages_written_after_the_power_was_off_are_younger_than_those_before() {
    let config = device(&["precondition.fill=0.5"]);
    let requests = writes([1, 2, 3]).into_iter().chain(reads([1])).chain(writes([4])).chain(reads([1, 4, 3]));
    let mut ssd = Ssd::new(&config, vec![open(at_intervals(requests))], &CHECKED);
    ssd.precondition(&config, None, &mut |_| true).unwrap();
    ssd.run_until(3_900 * US, &mut |_| true).unwrap();
    ssd.power_cycle(6 * 720 * HOUR).unwrap();
    ssd.run(&mut |_| true).unwrap();
    assert_eq!(retried(&ssd), [false, true, false, true]);
    let open =
        ssd.ftl().blocks().of_plane(PlaneId::new(0)).find(|(_, block)| block.next_page == 4).unwrap().0;
    assert_eq!(ssd.nand().data_age(open, ssd.now()) / (720 * HOUR), 6);
}

#[test]
fn pages_that_are_first_read_between_writes_are_old_and_their_neighbours_are_not() {
    let old = ["ftl.unmapped_read=frontier", "reliability.retention_months=6.0", "refresh.period_days=0.0"];
    let requests = [reads([7]), writes([3]), reads([8, 3, 7, 8]), writes([4]), reads([4])].concat();
    let ssd = run(&device(&old), vec![closed(1, requests)]);
    assert_eq!(retried(&ssd), [true, true, false, true, true, false]);
    assert_eq!(ssd.ftl().blocks().get(BlockId::new(0)).next_page, 4, "all in one block");
    assert_eq!(ssd.nand().block_since(BlockId::new(0)), None);
}
