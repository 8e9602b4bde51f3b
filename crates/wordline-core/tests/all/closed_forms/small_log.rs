//! A log of blocks as small as can be, to compare policies with for which there is no closed form.

use super::mean_field::Skew;
use wordline_cells::variation::{Purpose, below};

/// One block: the page in each place, where it is live, and when the block became full.
#[derive(Clone, Default)]
struct Segment {
    places: Vec<Option<usize>>,
    live: usize,
    full_at: u64,
}

/// How the small log picks a victim.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// `(1 - u) age / (1 + u)` (Rosenblum and Ousterhout, TOCS 1992).
    CostBenefit,
    /// The fewest live pages of so many blocks that have been full for longest.
    OldestFew(usize),
    /// The fewest live pages of so many drawn at random.
    Drawn(u64),
}

/// Blocks of so many pages; as many stay free as GC keeps.
pub struct SmallLog {
    segments: Vec<Segment>,
    free: Vec<usize>,
    /// Where each page is.
    at: Vec<Option<(usize, usize)>>,
    /// Full blocks, the one that has been full for longest first.
    full: Vec<usize>,
    /// The open block of the host, and that of moved pages.
    open: [Option<usize>; 2],
    pages: usize,
    fulls: u64,
    moved: u64,
    draws: u64,
    pick: Pick,
}

impl SmallLog {
    pub fn new(blocks: usize, pages: usize, host_pages: usize, pick: Pick) -> SmallLog {
        SmallLog {
            segments: vec![Segment::default(); blocks],
            free: (0..blocks).collect(),
            at: vec![None; host_pages],
            full: Vec::new(),
            open: [None; 2],
            pages,
            fulls: 0,
            moved: 0,
            draws: 0,
            pick,
        }
    }

    fn append(&mut self, page: usize, frontier: usize) {
        let open = self.open[frontier].unwrap_or_else(|| self.free.pop().expect("a free block"));
        if let Some((segment, place)) = self.at[page].take() {
            self.segments[segment].places[place] = None;
            self.segments[segment].live -= 1;
        }
        let segment = &mut self.segments[open];
        self.at[page] = Some((open, segment.places.len()));
        segment.places.push(Some(page));
        segment.live += 1;
        let is_full = segment.places.len() == self.pages;
        self.open[frontier] = (!is_full).then_some(open);
        if is_full {
            segment.full_at = self.fulls;
            self.full.push(open);
            self.fulls += 1;
        }
    }

    fn victim(&mut self) -> usize {
        let full = &self.full;
        let live = |id: usize| self.segments[id].live;
        match self.pick {
            Pick::CostBenefit => {
                let worth = |&id: &usize| {
                    let used = live(id) as f64 / self.pages as f64;
                    (1.0 - used) * (self.fulls - self.segments[id].full_at + 1) as f64 / (1.0 + used)
                };
                *full.iter().max_by(|a, b| worth(a).total_cmp(&worth(b))).expect("a full block")
            }
            Pick::OldestFew(count) => {
                *full.iter().take(count).min_by_key(|&&id| live(id)).expect("a full block")
            }
            Pick::Drawn(count) => {
                let first = self.draws;
                self.draws += count;
                let drawn = |draw| full[below(7, draw, Purpose::Precondition, full.len() as u64) as usize];
                (first..first + count).map(drawn).min_by_key(|&id| live(id)).expect("a draw")
            }
        }
    }

    fn collect(&mut self) {
        let victim = self.victim();
        let places = self.segments[victim].places.clone();
        for page in places.into_iter().flatten() {
            self.moved += 1;
            self.append(page, 1);
        }
        self.full.retain(|&id| id != victim);
        self.segments[victim] = Segment::default();
        self.free.insert(0, victim);
    }

    fn write(&mut self, page: usize) {
        self.append(page, 0);
        while self.open[0].is_none() && self.free.len() < 3 {
            self.collect();
        }
    }

    /// The host gives up a page.
    fn trim(&mut self, page: usize) {
        if let Some((segment, place)) = self.at[page].take() {
            self.segments[segment].places[place] = None;
            self.segments[segment].live -= 1;
        }
    }

    /// Write amplification of writes to any pages, of which those with `is_trim` give up theirs instead; after as many others.
    pub fn amplification_with_trims(
        mut self,
        page_of: impl Fn(usize, u64) -> usize,
        is_trim: impl Fn(u64) -> bool,
        requests: u64,
    ) -> f64 {
        let pages = self.at.len();
        (0..pages).for_each(|page| self.write(page));
        let mut written = 0;
        for request in 0..2 * requests {
            if request == requests {
                (self.moved, written) = (0, 0);
            }
            match is_trim(request) {
                true => self.trim(page_of(pages, request)),
                false => self.write(page_of(pages, request)),
            }
            written += u64::from(!is_trim(request));
        }
        1.0 + self.moved as f64 / written as f64
    }

    /// Write amplification of so many writes, after as many others.
    pub fn amplification(self, skew: Skew, writes: u64) -> f64 {
        self.amplification_of(|pages, write| page_of(skew, pages, write), writes)
    }

    /// The same of writes to any pages.
    pub fn amplification_of(mut self, page_of: impl Fn(usize, u64) -> usize, writes: u64) -> f64 {
        (0..self.at.len()).for_each(|page| self.write(page));
        (0..writes).for_each(|write| self.write(page_of(self.at.len(), write)));
        self.moved = 0;
        (writes..2 * writes).for_each(|write| self.write(page_of(self.at.len(), write)));
        1.0 + self.moved as f64 / writes as f64
    }
}

/// A prime: hot pages lie among cold ones.
const STRIDE: u64 = 7_919;

/// The page of a hot and cold write.
pub fn page_of(skew: Skew, pages: usize, write: u64) -> usize {
    let hot_pages = (pages as f64 * skew.pages) as u64;
    let draw = |place, count| below(5, place, Purpose::Precondition, count);
    let is_hot = draw(2 * write, 1_000_000) < (skew.writes * 1e6) as u64;
    let (first, count) = if is_hot { (0, hot_pages) } else { (hot_pages, pages as u64 - hot_pages) };
    let page = first + draw(2 * write + 1, count);
    // A drive that is filled in order would begin with hot and cold data apart.
    assert_ne!(pages as u64 % STRIDE, 0);
    (page * STRIDE % pages as u64) as usize
}
