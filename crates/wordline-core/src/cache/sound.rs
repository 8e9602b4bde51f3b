//! Whether the pages of a state are possible: whoever sent it may have changed it.

use std::collections::BTreeSet;

use super::{Cache, FlushRequest, Transfer};
use crate::flash::{Owner, PageOp, PageOpKind, SectorMask};
use crate::nand::Lpn;

impl Cache {
    /// Whether all that is here are pages that there are, each once, and the counts are of what there is.
    pub(crate) fn is_sound(&self, is_page: impl Fn(Lpn) -> bool) -> bool {
        let is_due = |&(_, lpn): &(u64, Lpn)| lpn == Lpn::NONE || is_page(lpn);
        let is_leaving = |op: &PageOp| self.flushes(op.lpn) && self.is_write(op);
        self.lines_are_sound(&is_page)
            && self.partial.iter().all(is_due)
            && self.waiting.iter().all(|op| is_page(op.lpn) && self.is_write(op))
            && self.flush_requests.iter().all(|request| self.waits_for_pages(request))
            && self.dram.is_sound(is_leaving)
    }

    /// True for a page that is on its way to flash.
    pub(crate) fn flushes(&self, lpn: Lpn) -> bool {
        self.lines.peek(lpn).is_some_and(|line| line.flushing != 0)
    }

    /// Who waits for the cache.
    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner> {
        let waiting = self.waiting.iter().map(|op| op.owner);
        let of_transfer = |transfer: &Transfer| match transfer {
            Transfer::Request(id) => Owner::Request(*id),
            Transfer::Leaves(op) => op.owner,
        };
        waiting
            .chain(self.flush_requests.iter().map(|request| request.owner))
            .chain(self.dram.under_way().map(of_transfer))
    }

    fn is_write(&self, op: &PageOp) -> bool {
        op.kind == PageOpKind::Write && self.are_sectors(op.sectors) && op.sectors != 0
    }

    /// True for sectors of one page.
    fn are_sectors(&self, sectors: SectorMask) -> bool {
        sectors & !self.full_page == 0
    }

    fn lines_are_sound(&self, is_page: impl Fn(Lpn) -> bool) -> bool {
        let (mut pages, mut dirty, mut flushing) = (BTreeSet::new(), 0, (0, 0));
        for (lpn, line) in self.lines.pages_from_oldest() {
            let newer_than_flash = line.dirty | line.flushing;
            if !is_page(lpn)
                || !pages.insert(lpn)
                || !self.are_sectors(line.present)
                || newer_than_flash & !line.present != 0
            {
                return false;
            }
            dirty += usize::from(line.dirty != 0);
            flushing.0 += u64::from(line.flushing.count_ones());
            flushing.1 += usize::from(line.flushing != 0);
        }
        let is_dirty = |place: u32| self.lines.line(place).dirty != 0;
        dirty == self.lines.dirty_pages()
            && self.lines.dirty_from_oldest().all(is_dirty)
            && flushing == self.flushing
    }

    /// Whether what a request waits for is on its way.
    fn waits_for_pages(&self, request: &FlushRequest) -> bool {
        let is_under_way = |(&lpn, &flushes): (&Lpn, &u8)| {
            let line = self.lines.peek(lpn).filter(|line| line.flushing != 0);
            line.is_some_and(|line| (1..=line.flushes()).contains(&flushes))
        };
        !request.left.is_empty() && request.left.iter().all(is_under_way)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{CacheOut, Line, WaitsFor};
    use super::*;
    use crate::config::{Layer, resolve};
    use crate::flash::{Priority, Writer};

    /// A page that is dirty, and one that is on its way to flash.
    fn cache() -> Cache {
        let layer = Layer::file("test", "[cache]\nmode = \"write\"\n");
        let mut cache = Cache::new(&resolve(&[layer]).unwrap().config).unwrap();
        let mut out = CacheOut::default();
        for lpn in [3, 4] {
            cache.access(write(lpn, 1), 0, &mut out);
        }
        let place = cache.lines.find(Lpn::new(4)).unwrap();
        cache.start_flush(place, &mut out);
        cache
    }

    fn write(lpn: u32, sectors: SectorMask) -> PageOp {
        let (kind, owner) = (PageOpKind::Write, Owner::Request(0));
        PageOp {
            kind,
            lpn: Lpn::new(lpn),
            sectors,
            owner,
            writer: Writer::default(),
            priority: Priority::High,
        }
    }

    #[test]
    fn pages_that_no_cache_can_hold_are_refused() {
        let is_page = |lpn: Lpn| lpn.index() < 100;
        assert!(cache().is_sound(is_page));
        let line = |cache: &mut Cache, lpn, change: fn(&mut Line)| {
            change(cache.lines.peek_mut(Lpn::new(lpn)).unwrap());
        };
        let waits = |left| FlushRequest {
            owner: Owner::Request(0),
            left: BTreeMap::from([(Lpn::new(left), 1)]),
            waits_for: WaitsFor::Flush,
        };
        let forge: [&dyn Fn(&mut Cache); 11] = [
            &|cache| _ = cache.lines.insert(Lpn::new(100), Line::default()),
            &|cache| line(cache, 3, |line| line.dirty = 0),
            &|cache| line(cache, 3, |line| line.dirty = 2),
            &|cache| line(cache, 3, |line| line.present = SectorMask::MAX),
            &|cache| line(cache, 4, |line| line.flushing = 0),
            &|cache| cache.flushing.0 = 2,
            &|cache| cache.flushing.1 = 0,
            &|cache| cache.partial.push_back((0, Lpn::new(100))),
            &|cache| cache.waiting.push(write(100, 1)),
            &|cache| cache.waiting.push(write(5, 0)),
            &|cache| cache.flush_requests.push(waits(3)),
        ];
        for (number, forge) in forge.iter().enumerate() {
            let mut cache = cache();
            forge(&mut cache);
            assert!(!cache.is_sound(is_page), "{number}");
        }
    }
}
