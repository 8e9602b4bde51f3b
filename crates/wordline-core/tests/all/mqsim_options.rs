//! What MQSim's FTL and scheduler do and others do not: each option alone by hand, then all of them in checked mode.

use crate::common::{T_DMA, T_PROG, T_R, US, closed, end, one_die, open, read_at, request, run, write_at};
use wordline_cells::variation::{Purpose, below};
use wordline_core::host::{HostRequest, Op};

/// Two planes whose pages alternate: even host pages lie in the first.
const TWO_PLANES: [&str; 2] = ["ssd.planes_per_die=2", "ftl.allocation=PDWC"];

fn two_planes(settings: &[&str]) -> wordline_core::config::Config {
    one_die(&[&TWO_PLANES[..], settings].concat())
}

#[test]
fn programs_overtake_to_join_only_where_they_may() {
    // The first plane is at its second page when the second plane gets its first two.
    let requests = || [write_at(0, 0), write_at(US, 2), write_at(US, 1), write_at(US, 3)];
    let end_with = |multiplane: &str| {
        let config = two_planes(&[&format!("nand.multiplane={multiplane}")]);
        end(&run(&config, vec![open(requests())]))
    };
    assert_eq!(end_with("same-page"), 4 * (T_DMA + T_PROG), "nothing joins in order");
    assert_eq!(end_with("overtaking"), 4 * T_DMA + 3 * T_PROG, "second pages first, together");
}

#[test]
fn a_page_read_before_it_was_written_moves_the_frontier_where_it_shares_it() {
    let requests = || [read_at(0, 1), write_at(1_000 * US, 0), write_at(1_000 * US, 3)];
    let end_with = |unmapped: &str| {
        let unmapped = format!("ftl.unmapped_read={unmapped}");
        let config = two_planes(&["nand.multiplane=same-page", &unmapped]);
        end(&run(&config, vec![open(requests())])) - 1_000 * US
    };
    assert_eq!(end_with("preloaded"), 2 * T_DMA + T_PROG, "both writes go to first pages, together");
    assert_eq!(end_with("frontier"), 2 * (T_DMA + T_PROG), "the second plane is at its second page");
}

#[test]
fn a_page_read_at_the_frontier_is_in_flash_although_older_programs_are_not() {
    let config = one_die(&["ftl.unmapped_read=frontier"]);
    // Two writes wait or run; the read's page comes behind theirs and is read as soon as the die is free.
    let ssd = run(&config, vec![open([write_at(0, 0), write_at(0, 1), read_at(US, 2), read_at(US, 2)])]);
    assert_eq!(ssd.ftl().counters().user_reads, 2, "neither comes from the controller");
    assert_eq!(end(&ssd), 2 * (T_DMA + T_PROG) + 2 * (T_R + T_DMA));
}

#[test]
fn a_write_in_part_reads_what_it_keeps() {
    let half_pages = |units: &[u64], sector_map: bool| {
        let config = one_die(&["ssd.page_bytes=8192", &format!("ftl.sector_map={sector_map}")]);
        let writes: Vec<_> = units.iter().map(|&unit| request(Op::Write, unit, 1)).collect();
        end(&run(&config, vec![closed(1, writes)]))
    };
    let (half, merged) = (T_DMA + T_PROG, T_R + T_DMA + 2 * T_DMA + T_PROG);
    assert_eq!(half_pages(&[0, 0], false), half + merged);
    assert_eq!(half_pages(&[0, 0], true), 2 * half, "the same half: nothing to keep");
    assert_eq!(half_pages(&[0, 1], true), half + merged, "the other half is kept");
    assert_eq!(half_pages(&[0, 1, 1], true), half + 2 * merged, "a merged page holds both");
}

#[test]
fn nothing_is_lost_with_all_of_them_at_once() {
    let config = two_planes(&[
        "ssd.page_bytes=8192",
        "nand.multiplane=overtaking",
        "ftl.unmapped_read=frontier",
        "ftl.sector_map=true",
        "ftl.coalesce=false",
        "gc.threshold=0.1",
    ]);
    let units = config.host_pages() * 2;
    let draw = |i, to| below(11, i, Purpose::Precondition, to);
    let requests = (0..20_000).map(move |i| {
        let op = if draw(2 * i, 10) < 3 { Op::Read } else { Op::Write };
        let unit = draw(2 * i + 1, units - 2);
        HostRequest { arrival_ns: 0, ..request(op, unit, 1 + (i % 2) as u32) }
    });
    // Checked: every read is compared with a second account of what was written.
    let ssd = run(&config, vec![closed(16, requests)]);
    let counters = *ssd.ftl().counters();
    assert!(counters.gc_jobs > 100 && counters.merge_reads > 1_000 && counters.preloaded > 100);
    assert!(ssd.controller().counters.multiplane > 1_000);
}
