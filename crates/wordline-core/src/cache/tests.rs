//! The cache alone: what leaves it, and when.

use super::*;
use crate::config::{Layer, resolve};
use crate::flash::Writer;

fn cache(settings: &str) -> Cache {
    let base = Layer::file("test", "[cache]\nmode = \"read-write\"\ncapacity_bytes = 16384\n");
    let layer = Layer::file("test", &format!("[cache]\n{settings}"));
    Cache::new(&resolve(&[base, layer]).unwrap().config).unwrap()
}

fn op(kind: PageOpKind, lpn: u32, sectors: SectorMask) -> PageOp {
    PageOp {
        kind,
        lpn: Lpn::new(lpn),
        sectors,
        owner: Owner::Request(lpn),
        writer: Writer::default(),
        priority: Priority::High,
    }
}

#[test]
fn a_write_is_served_at_once_and_a_read_of_it_hits() {
    let (mut cache, mut out) = (cache(""), CacheOut::default());
    cache.access(op(PageOpKind::Write, 7, 0xff), 0, &mut out);
    cache.access(op(PageOpKind::Read, 7, 0x0f), 0, &mut out);
    assert_eq!((out.moved[0].served, out.ops.len()), (2, 0));
    cache.access(op(PageOpKind::Read, 7, 0xff00), 0, &mut out);
    assert_eq!(out.ops, [op(PageOpKind::Read, 7, 0xff00)], "only what is missing goes to flash");
}

#[test]
fn a_full_cache_flushes_the_oldest_and_the_write_waits_for_it() {
    let (mut cache, mut out) = (cache(""), CacheOut::default());
    for lpn in 0..3 {
        cache.access(op(PageOpKind::Write, lpn, 1), 0, &mut out);
    }
    assert_eq!(out.moved.len(), 2, "the third waits: two pages of 8 KiB fit");
    assert_eq!(out.leaving[0].owner, Owner::Slot(Lpn::new(0)));
    cache.flushed(Lpn::new(0), 0, &mut out);
    assert_eq!(out.moved.len(), 3);
}

#[test]
fn a_page_written_while_it_is_flushed_stays_dirty() {
    let (mut cache, mut out) = (cache("flush = \"eager\"\nfill_wait_us = 0.0"), CacheOut::default());
    cache.access(op(PageOpKind::Write, 5, 1), 0, &mut out);
    cache.access(op(PageOpKind::Write, 5, 2), 0, &mut out);
    assert_eq!(out.ops.len(), 1);
    cache.flushed(Lpn::new(5), 0, &mut out);
    assert_eq!(out.leaving.len(), 1, "what was written later is read from DRAM");
    assert_eq!(out.leaving[0].sectors, 2);
}

#[test]
fn a_page_that_only_passes_is_gone_when_flash_has_it() {
    for (settings, stays) in [("flush = \"eager\"\nfill_wait_us = 0.0", false), ("flush = \"full\"", true)] {
        let (mut cache, mut out) = (cache(settings), CacheOut::default());
        cache.access(op(PageOpKind::Write, 5, 1), 0, &mut out);
        cache.flush_all(Owner::Request(9), &mut out);
        cache.access(op(PageOpKind::Read, 5, 1), 0, &mut out);
        assert_eq!(cache.counters.read_hits, 1, "{settings}: flash does not have it yet");
        cache.flushed(Lpn::new(5), 0, &mut out);
        cache.access(op(PageOpKind::Read, 5, 1), 0, &mut out);
        assert_eq!(cache.counters.read_hits, 1 + u64::from(stays), "{settings}");
    }
}

#[test]
fn an_eager_page_waits_for_the_rest_of_it_but_not_for_ever() {
    let (mut cache, mut out) = (cache("flush = \"eager\"\nfill_wait_us = 5.0"), CacheOut::default());
    cache.access(op(PageOpKind::Write, 5, 0xff), 1_000, &mut out);
    assert_eq!((out.ops.len(), cache.alarm(1_000), cache.alarm(1_000)), (0, Some(6_000), None));
    cache.access(op(PageOpKind::Write, 5, 0xff00), 2_000, &mut out);
    assert_eq!((out.ops.len(), out.ops[0].sectors), (1, 0xffff), "it is whole");
    // Written again on its way to flash: it has its own time.
    cache.access(op(PageOpKind::Write, 5, 1), 3_000, &mut out);
    cache.flushed(Lpn::new(5), 4_000, &mut out);
    cache.rings(6_000, &mut out);
    assert_eq!((out.leaving.len(), cache.alarm(6_000)), (0, Some(8_000)));
    cache.rings(8_000, &mut out);
    assert_eq!((out.leaving.len(), out.leaving[0].sectors, cache.alarm(8_000)), (1, 1, None));
    // Due on its way to flash: it leaves again when it is there.
    cache.access(op(PageOpKind::Write, 5, 2), 8_000, &mut out);
    cache.rings(13_000, &mut out);
    assert_eq!(out.leaving.len(), 1);
    cache.flushed(Lpn::new(5), 13_500, &mut out);
    assert_eq!((out.leaving.len(), out.leaving[1].sectors), (2, 2));
}

#[test]
fn a_flush_request_waits_until_all_is_clean() {
    let (mut cache, mut out) = (cache(""), CacheOut::default());
    cache.access(op(PageOpKind::Write, 1, 1), 0, &mut out);
    out.served.clear();
    cache.flush_all(Owner::Request(99), &mut out);
    assert!(out.served.is_empty());
    cache.flushed(Lpn::new(1), 0, &mut out);
    assert_eq!(out.served, [Owner::Request(99)]);
}

#[test]
fn a_flush_request_covers_what_was_written_before_it_and_no_more() {
    let (mut cache, mut out) = (cache("capacity_bytes = 65536"), CacheOut::default());
    cache.access(op(PageOpKind::Write, 1, 1), 0, &mut out);
    cache.flush_all(Owner::Request(98), &mut out);
    cache.access(op(PageOpKind::Write, 1, 2), 0, &mut out);
    cache.access(op(PageOpKind::Write, 2, 1), 0, &mut out);
    cache.flush_all(Owner::Request(99), &mut out);
    cache.access(op(PageOpKind::Write, 3, 1), 0, &mut out);
    out.served.clear();
    cache.flushed(Lpn::new(1), 0, &mut out);
    assert_eq!(out.served, [Owner::Request(98)]);
    cache.flushed(Lpn::new(2), 0, &mut out);
    assert_eq!(out.served, [Owner::Request(98)], "page 1 was written again before the second request");
    cache.flushed(Lpn::new(1), 0, &mut out);
    assert_eq!(out.served, [Owner::Request(98), Owner::Request(99)], "page 3 came later");
    assert_eq!(cache.dirty_sectors(Lpn::new(3)), 1);
}

#[test]
fn a_trim_of_part_of_a_page_leaves_what_was_written_to_it() {
    let (mut cache, mut out) = (cache(""), CacheOut::default());
    cache.access(op(PageOpKind::Write, 1, 0xff), 0, &mut out);
    cache.access(op(PageOpKind::Trim, 1, 0x0f), 0, &mut out);
    assert_eq!(cache.dirty_sectors(Lpn::new(1)), 0xff);
    cache.access(op(PageOpKind::Trim, 1, 0xffff), 0, &mut out);
    assert_eq!(cache.dirty_sectors(Lpn::new(1)), 0);
}

#[test]
fn the_watermark_drains_to_its_low_mark() {
    let (mut cache, mut out) =
        (cache("flush = \"watermark\"\nhigh_watermark = 0.5\nlow_watermark = 0.0"), CacheOut::default());
    cache.access(op(PageOpKind::Write, 1, 1), 0, &mut out);
    assert!(out.leaving.is_empty());
    cache.access(op(PageOpKind::Write, 2, 1), 0, &mut out);
    assert_eq!(out.leaving.len(), 2);
}

#[test]
fn hot_pages_stay_and_cold_ones_leave() {
    let (mut cache, mut out) = (cache("flush = \"hot-cold\"\nhot_window_ms = 1.0"), CacheOut::default());
    cache.access(op(PageOpKind::Write, 5, 1), 10, &mut out);
    assert_eq!(out.ops.len(), 1, "the first write in a while leaves");
    cache.access(op(PageOpKind::Write, 5, 1), 20, &mut out);
    cache.flushed(Lpn::new(5), 30, &mut out);
    assert_eq!((out.ops.len(), out.leaving.len()), (1, 0), "the second stays");
    cache.access(op(PageOpKind::Write, 5, 1), 1_100_000, &mut out);
    assert_eq!(out.ops.len(), 1, "what is known is forgotten at the end of the window");
    cache.access(op(PageOpKind::Write, 5, 1), 1_200_000, &mut out);
    assert_eq!(out.ops.len(), 2);
}

#[test]
fn a_buffer_frees_the_line_at_once_and_holds_writes_back_when_it_is_full() {
    let (mut cache, mut out) = (cache("flush_buffer_bytes = 1024"), CacheOut::default());
    for lpn in 0..4 {
        cache.access(op(PageOpKind::Write, lpn, 1), 0, &mut out);
    }
    assert_eq!((out.moved.len(), out.leaving.len()), (4, 2), "two lines, and two sectors in the buffer");
    cache.access(op(PageOpKind::Write, 4, 1), 0, &mut out);
    assert_eq!(out.moved.len(), 4, "the buffer is full");
    cache.flushed(Lpn::new(0), 0, &mut out);
    assert_eq!((out.moved.len(), out.leaving.len()), (5, 3));
}

#[test]
fn what_has_gone_to_flash_may_go_from_the_cache() {
    for (flush, misses) in [("full", 0), ("eager", 1), ("hot-cold", 1)] {
        let settings = format!("flush = \"{flush}\"");
        let (mut cache, mut out) = (cache(&settings), CacheOut::default());
        cache.access(op(PageOpKind::Write, 5, 1), 0, &mut out);
        cache.access(op(PageOpKind::Read, 5, 1), 0, &mut out);
        cache.flush_all(Owner::Request(99), &mut out);
        cache.flushed(Lpn::new(5), 0, &mut out);
        cache.access(op(PageOpKind::Read, 5, 1), 0, &mut out);
        assert_eq!(cache.counters.read_misses, misses, "{flush}");
    }
}

#[test]
fn a_page_that_a_flush_finds_on_its_way_lets_others_leave_first() {
    let (mut cache, mut out) = (cache(""), CacheOut::default());
    cache.access(op(PageOpKind::Write, 1, 1), 0, &mut out);
    cache.flush_all(Owner::Request(8), &mut out);
    // Dirty again, while it is on its way.
    cache.access(op(PageOpKind::Write, 1, 1), 0, &mut out);
    cache.filled(Lpn::new(2), 1, 0);
    cache.flush_all(Owner::Request(9), &mut out);
    cache.access(op(PageOpKind::Write, 3, 1), 0, &mut out);
    assert_eq!(cache.counters.write_misses, 2, "the clean page has left for it");
}

#[test]
fn what_each_flushed_page_lets_in_crosses_the_dram_by_itself() {
    let (mut cache, mut out) = (cache("flush = \"eager\"\nfill_wait_us = 0.0"), CacheOut::default());
    let of_nine = |lpn| PageOp { owner: Owner::Request(9), ..op(PageOpKind::Write, lpn, 0xff) };
    for lpn in 0..2 {
        cache.access(of_nine(lpn), 0, &mut out);
    }
    let together = Moved { owner: Owner::Request(9), sectors: 16, served: 2 };
    assert_eq!(out.take_moved(), [together], "pages of a request that find room together");
    (2..4).for_each(|lpn| cache.access(of_nine(lpn), 0, &mut out));
    (0..2).for_each(|lpn| cache.flushed(Lpn::new(lpn), 0, &mut out));
    let alone = Moved { sectors: 8, served: 1, ..together };
    assert_eq!(out.moved, [alone, alone]);
    let last = out.take_unsealed();
    assert_eq!((&last.moved[..], &out.moved[..]), (&[alone][..], &[alone][..]));
    assert_eq!((last.ops[0].lpn, out.ops.last().unwrap().lpn), (Lpn::new(3), Lpn::new(2)));
}

#[test]
fn the_time_of_pages_that_have_left_is_kept_once() {
    let base = Layer::file("test", "[cache]\nmode = \"write\"\nflush = \"eager\"\nfill_wait_us = 10.0\n");
    let (mut cache, mut out) = (Cache::new(&resolve(&[base]).unwrap().config).unwrap(), CacheOut::default());
    for lpn in 0..3 {
        cache.access(op(PageOpKind::Write, lpn, cache.full_page), 0, &mut out);
    }
    cache.access(op(PageOpKind::Write, 3, 1), 0, &mut out);
    assert_eq!((out.ops.len(), cache.partial.len()), (3, 2));
    assert_eq!(cache.alarm(0), Some(10_000));
    cache.rings(10_000, &mut out);
    assert_eq!(out.leaving[0].owner, Owner::Slot(Lpn::new(3)));
}
