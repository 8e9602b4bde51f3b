//! Write amplification of uniform and of hot and cold writes, for infinitely many blocks.
//!
//! FIFO (Desnoyers, SYSTOR 2012, for LRW; the same as Robinson's for log-structured storage): a block lives for one round of
//! the log. With `H` host writes in a round, as a multiple of the live pages, a page of class `i` survives it with
//! probability `exp(-a_i H)`, where `a_i` is the share of writes over the share of pages. Each class writes `r_i H / (1 -
//! exp(-a_i H))` in a round, and together they write every page once.
//!
//! All others: the mean field of Van Houdt (SIGMETRICS 2013 for uniform writes; Performance Evaluation 2013 for hot and cold
//! ones with one write frontier). `x[i][j]` is the share of blocks with `i` live hot and `j` live cold pages of `b`. Live pages
//! die at the rate of their class; a victim is the one with the fewest live pages of `d` blocks; a new block holds what was live
//! in a victim, and host writes behind it. Greedy is the limit of large `d`. The window of windowed greedy (Hu et al., SYSTOR
//! 2009) is a pool of its own, which blocks enter at the age at which they have become that old.

/// Hot and cold data: the shares of pages that are hot, and of writes that go there.
#[derive(Clone, Copy, Debug)]
pub struct Skew {
    pub pages: f64,
    pub writes: f64,
}

/// All pages alike: two halves of the same kind.
pub const UNIFORM: Skew = Skew { pages: 0.5, writes: 0.5 };

impl Skew {
    /// Death rates of hot and cold pages, by host writes over live pages.
    fn rates(self) -> [f64; 2] {
        [self.writes / self.pages, (1.0 - self.writes) / (1.0 - self.pages)]
    }
}

/// FIFO, with one frontier or two: live pages over all pages is `utilisation`.
pub fn fifo(utilisation: f64, skew: Skew) -> f64 {
    let [hot, cold] = skew.rates();
    let written = |h: f64| {
        let of = |share: f64, rate: f64| share / (1.0 - libm::exp(-rate * h));
        of(skew.writes, hot) + of(1.0 - skew.writes, cold)
    };
    // Writes in a round over host writes in a round: it falls with h, and slower than 1 / h.
    let (mut low, mut high) = (1e-9, 1.0 / utilisation);
    for _ in 0..200 {
        let h = (low + high) / 2.0;
        if written(h) * h * utilisation < 1.0 { low = h } else { high = h }
    }
    1.0 / (utilisation * low)
}

/// How victims are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Collector {
    /// The best of so many blocks.
    pub choices: f64,
    /// Share of the blocks that can be chosen, those that have been full for longest; 1 = all.
    pub window: f64,
}

/// Host writes between two looks whether the state still changes, over live pages.
const CHECKED_EVERY: f64 = 6.0;

/// `chances[n][k]`: `k` of `n`, each with probability `p`.
fn binomials(pages: usize, p: f64) -> Vec<Vec<f64>> {
    let mut all = vec![vec![1.0]];
    for n in 1..=pages {
        let before: &Vec<f64> = &all[n - 1];
        let of = |k: usize| before.get(k).copied().unwrap_or(0.0);
        all.push((0..=n).map(|k| of(k) * (1.0 - p) + if k > 0 { of(k - 1) * p } else { 0.0 }).collect());
    }
    all
}

/// Shares of blocks by their live hot and cold pages, of `pages`.
#[derive(Clone)]
struct Field {
    pages: usize,
    shares: Vec<f64>,
}

impl Field {
    fn empty(pages: usize) -> Field {
        Field { pages, shares: vec![0.0; (pages + 1) * (pages + 1)] }
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * (self.pages + 1) + j
    }

    fn states(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let pages = self.pages;
        (0..=pages).flat_map(move |i| (0..=pages - i).map(move |j| (i, j, i * (pages + 1) + j)))
    }

    /// The blocks when each hot page is left with one probability, and each cold one with another.
    fn thinned(&self, hot: f64, cold: f64) -> Field {
        let (hot, cold) = (binomials(self.pages, hot), binomials(self.pages, cold));
        let mut half = Field::empty(self.pages);
        for (i, j, at) in self.states().filter(|&(.., at)| self.shares[at] > 0.0) {
            for (k, chance) in hot[i].iter().enumerate() {
                let to = half.at(k, j);
                half.shares[to] += self.shares[at] * chance;
            }
        }
        let mut all = Field::empty(self.pages);
        for (i, j, at) in self.states().filter(|&(.., at)| half.shares[at] > 0.0) {
            for (k, chance) in cold[j].iter().enumerate() {
                let to = all.at(i, k);
                all.shares[to] += half.shares[at] * chance;
            }
        }
        all
    }

    /// The blocks when what is not live in them is filled with host writes, of which a share is hot.
    fn filled(&self, hot: &[Vec<f64>]) -> Field {
        let mut all = Field::empty(self.pages);
        for (i, j, at) in self.states().filter(|&(.., at)| self.shares[at] > 0.0) {
            let room = self.pages - i - j;
            for (k, chance) in hot[room].iter().enumerate() {
                let to = all.at(i + k, j + room - k);
                all.shares[to] += self.shares[at] * chance;
            }
        }
        all
    }
}

/// The mean field in its steady state, for blocks of so many pages: a new block holds the live pages of a victim, and host
/// writes behind them. Where all pages are alike it does not matter whether they are apart.
pub fn amplification(utilisation: f64, pages: usize, skew: Skew, collector: Collector) -> f64 {
    let Collector { choices, window } = collector;
    let [hot_rate, cold_rate] = skew.rates();
    let (b, writes) = (pages as f64, binomials(pages, skew.writes));
    let mut x = {
        let mut empty = Field::empty(pages);
        empty.shares[0] = 1.0;
        empty.filled(&binomials(pages, skew.pages)).thinned(utilisation, utilisation)
    };
    let (mut moved, mut before) = (0.0, 0.0);
    let (mut now, mut check_at) = (0.0, CHECKED_EVERY);
    while now < 300.0 {
        // Blocks by live pages, and the chance of each to be the victim.
        let mut of_live = vec![0.0; pages + 1];
        x.states().for_each(|(i, j, at)| of_live[i + j] += x.shares[at]);
        let mut at_least = vec![0.0; pages + 2];
        for live in (0..=pages).rev() {
            at_least[live] = at_least[live + 1] + of_live[live];
        }
        let best = |k: usize| libm::pow((at_least[k] / at_least[0]).min(1.0), choices);
        let chance: Vec<f64> = (0..=pages)
            .map(|k| if of_live[k] > 0.0 { (best(k) - best(k + 1)) / of_live[k] } else { 0.0 })
            .collect();
        let mut victims = Field::empty(pages);
        x.states().for_each(|(i, j, at)| victims.shares[at] = chance[i + j] * x.shares[at]);
        let live: f64 = x.states().map(|(i, j, at)| (i + j) as f64 * victims.shares[at]).sum();
        moved = live / (b - live);
        // Victims in the time of one host write for each live page, by block of the SSD and by block of the window.
        let count = utilisation * b / (b - live);
        let rate = count / window;
        let mut new = victims.filled(&writes);
        if window < 1.0 {
            let age = (1.0 - window) / count;
            new = new.thinned(libm::exp(-hot_rate * age), libm::exp(-cold_rate * age));
        }
        // No state loses more than it has.
        let step = (0.25 / (b * hot_rate.max(cold_rate))).min(0.4 / (rate * choices));
        let mut next = x.clone();
        for (i, j, at) in x.states() {
            let mut change = rate * (new.shares[at] - victims.shares[at])
                - (i as f64 * hot_rate + j as f64 * cold_rate) * x.shares[at];
            if i + j < pages {
                change += (i + 1) as f64 * hot_rate * x.shares[x.at(i + 1, j)];
                change += (j + 1) as f64 * cold_rate * x.shares[x.at(i, j + 1)];
            }
            next.shares[at] = (x.shares[at] + step * change).max(0.0);
        }
        let sum: f64 = next.shares.iter().sum();
        next.shares.iter_mut().for_each(|share| *share /= sum);
        x = next;
        now += step;
        if now > check_at {
            if (moved - before).abs() < 2e-4 * (1.0 + moved) {
                break;
            }
            before = moved;
            check_at = now + CHECKED_EVERY;
        }
    }
    1.0 + moved
}

#[test]
fn the_solvers_agree_with_known_values() {
    for utilisation in [0.6, 0.8] {
        for skew in [UNIFORM, Skew { pages: 0.2, writes: 0.8 }] {
            // A victim drawn at random is as full as the average block, whatever is written.
            let random = amplification(utilisation, 16, skew, Collector { choices: 1.0, window: 1.0 });
            assert!((random * (1.0 - utilisation) - 1.0).abs() < 1e-3, "{random}");
        }
    }
    // alpha = 2: X = exp(-2 (1 - X)) at X = 0.2031878…
    assert!((fifo(0.5, UNIFORM) * (1.0 - 0.203_187_87) - 1.0).abs() < 1e-6);
}
