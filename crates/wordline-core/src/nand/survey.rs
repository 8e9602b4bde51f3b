//! A survey of the device as the first reads of a run find it: pages from everywhere, in the configured condition.

use super::Nand;
use crate::config::Config;
use wordline_cells::coding::GrayCoding;
use wordline_cells::ids::{BlockId, Ppn};
use wordline_cells::read::Page;
use wordline_cells::read::{PrechargeCut, ReadAt, profiled_pages};
use wordline_cells::read::{States, mean_bits};

/// Pages of a device.
#[derive(Debug)]
pub struct Survey {
    nand: Nand,
    surveyed: Vec<Ppn>,
    capability_bits: f32,
    states: Option<States>,
    coding: GrayCoding,
}

/// What the first read of a page finds, at the default voltages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstRead {
    /// The page.
    pub page: Page,
    /// Errors of its mean 1-KiB codeword, bits.
    pub mean_bits: f32,
    /// Whether its worst codeword has more than the ECC corrects.
    pub fails: bool,
}

/// The outcome of AR2 for a survey's pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retried {
    /// Pages surveyed.
    pub pages: u64,
    /// Those whose first read fails.
    pub retried: u64,
    /// Those of them that no step reads with the shorter tPRE, so that AR2 falls back to the default one.
    pub fallbacks: u64,
    /// Those that no step reads at all.
    pub lost: u64,
}

/// Steps from one page of the survey to the next, as a part of all pages: the golden ratio's spread them evenly, and
/// meet every page type.
const STRIDE: f64 = 0.618_033_988_749_895;

impl Survey {
    /// `pages` of the configured device, spread over all of its blocks and page types; all of them, where it has no more.
    #[must_use]
    pub fn new(config: &Config, pages: u64) -> Survey {
        let nand = Nand::new(config);
        let surveyed = spread(&nand, pages);
        Survey::of(config, nand, surveyed)
    }

    /// The pages that AR2's tables were profiled on.
    #[must_use]
    pub fn of_profiled(config: &Config) -> Survey {
        let nand = Nand::new(config);
        let geometry = &nand.geometry;
        let blocks = geometry.blocks() / geometry.dies();
        let profiled =
            (0..geometry.dies()).flat_map(|die| profiled_pages(die, blocks, geometry.pages_per_block));
        let surveyed =
            profiled.map(|(block, page)| geometry.first_page(BlockId::new(block)) + page).collect();
        Survey::of(config, nand, surveyed)
    }

    fn of(config: &Config, nand: Nand, surveyed: Vec<Ppn>) -> Survey {
        let chip = config.device.chip.as_ref();
        let states = chip.and_then(|chip| Some(States::new(chip.read.as_ref()?, chip.cell)));
        Survey {
            surveyed,
            capability_bits: config.ecc.correctable_bits as f32,
            coding: config.coding.scheme.resolve(config.coding.cell).gray(),
            states,
            nand,
        }
    }

    /// The pages in their condition when a run starts.
    pub fn pages(&self) -> impl Iterator<Item = Page> + '_ {
        let geometry = &self.nand.geometry;
        self.surveyed.iter().map(|&ppn| {
            let die = geometry.die_of(geometry.plane_of(geometry.block_of(ppn)));
            self.nand.page(ppn, die, 0)
        })
    }

    /// What the first reads find.
    pub fn first_reads(&self) -> impl Iterator<Item = FirstRead> + '_ {
        self.pages().map(|page| {
            let worst = self.nand.reads.errors(&page, ReadAt::Entry(0), &PrechargeCut::default());
            let mean_bits = mean_bits(f64::from(worst)) as f32;
            FirstRead { page, mean_bits, fails: worst > self.capability_bits }
        })
    }

    /// Retries every page with tPRE cut as AR2's table says for its block: nothing without a chip.
    #[must_use]
    pub fn retry_with_short_senses(&self) -> Retried {
        let geometry = &self.nand.geometry;
        let Nand { reads, .. } = &self.nand;
        let tables = reads.timing_tables(
            self.capability_bits,
            geometry.dies(),
            geometry.blocks() / geometry.dies(),
            geometry.pages_per_block,
        );
        let Some(tables) = tables else { return Retried::default() };
        let none = PrechargeCut::default();
        let mut sum = Retried::default();
        for FirstRead { page, fails, .. } in self.first_reads() {
            sum.pages += 1;
            if !fails {
                continue;
            }
            sum.retried += 1;
            let block = BlockId::new(page.place.block);
            let health = self.nand.health(block);
            let fraction = tables.cut(
                page.place.chip,
                health.pec,
                self.nand.data_age_months(block, 0),
                self.nand.added_bits(block),
                false,
            );
            let reads_with = |cut: &PrechargeCut| {
                let fits = |step| reads.errors(&page, ReadAt::Entry(step), cut) <= self.capability_bits;
                // The step at the best voltages decodes if any does, so it is asked first.
                fits(page.state.step()) || (1..=reads.table_steps()).any(fits)
            };
            if !reads_with(&reads.cut(fraction)) {
                if reads_with(&none) {
                    sum.fallbacks += 1;
                } else {
                    sum.lost += 1;
                }
            }
        }
        sum
    }

    /// How often a cell's bit is wrong in the first read of a page, by what the cell holds on all pages of its wordline
    /// (bit `i` of the index is page `i`'s); scaled so that evenly spread data have the page's mean errors. Nothing
    /// without a chip.
    #[must_use]
    pub fn rates_by_bits(&self, read: &FirstRead) -> Option<Vec<f64>> {
        let states = self.states.as_ref()?;
        let Page { place, state } = &read.page;
        let floor = mean_bits(f64::from(state.floor_bits));
        let misreads = states.misreads(place.page_type as usize, floor, f64::from(state.optimum_steps));
        let mut rates = vec![0.0; misreads.len()];
        for (state, misread) in misreads.iter().enumerate() {
            rates[usize::from(self.coding.words()[state])] = misread.lower + misread.upper;
        }
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let scale = if mean > 0.0 {
            f64::from(read.mean_bits) / wordline_cells::ecc::BITS_PER_KIB / mean
        } else {
            0.0
        };
        rates.iter_mut().for_each(|rate| *rate = (*rate * scale).min(1.0));
        Some(rates)
    }
}

/// `pages` of a device, evenly spread.
fn spread(nand: &Nand, pages: u64) -> Vec<Ppn> {
    let all = nand.geometry.pages();
    let stride = (all as f64 * STRIDE) as u64;
    let stride = (stride..).find(|&stride| are_coprime(stride, all)).unwrap_or(1);
    // Fits: there are at most 2^32 pages.
    let ppn = |n: u64| Ppn::from_index((u128::from(n) * u128::from(stride) % u128::from(all)) as usize);
    (0..pages.min(all)).map(ppn).collect()
}

/// Whether two numbers have no common divisor.
fn are_coprime(mut a: u64, mut b: u64) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layer, resolve};

    fn survey(reliability: &str, pages: u64) -> Survey {
        Survey::new(&config(reliability), pages)
    }

    fn config(reliability: &str) -> Config {
        let preset = include_str!("../../../../presets/ssd/pnar2.toml");
        let text = format!("[reliability]\n{reliability}\n");
        let layer = |name: &str, text: &str| Layer {
            name: name.to_owned(),
            text: text.to_owned(),
            has_lines: true,
            warns: false,
        };
        let layers = [layer("preset", preset), layer("test", &text)];
        resolve(&layers).expect("a valid configuration").config
    }

    #[test]
    fn meets_every_page_type_and_no_page_twice() {
        let survey = survey("", 3_000);
        let mut seen: Vec<_> = survey.pages().map(|page| (page.place.block, page.place.page)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 3_000);
        for page_type in 0..3 {
            let count = survey.pages().filter(|page| page.place.page_type == page_type).count();
            assert!((950..1_050).contains(&count), "{count} pages of type {page_type}");
        }
    }

    #[test]
    fn fresh_pages_are_read_at_once_and_old_ones_are_not() {
        assert!(survey("", 1_000).first_reads().all(|read| !read.fails));
        let old = survey("pec = 2000\nretention_months = 6.0", 1_000);
        assert!(old.first_reads().all(|read| read.fails && read.mean_bits > 50.0));
        let retried = old.retry_with_short_senses();
        assert_eq!((retried.pages, retried.retried, retried.lost), (1_000, 1_000, 0));
    }

    /// The 14 bits of safety are for cold and for pages that were not profiled: those that were never need them both.
    #[test]
    fn no_profiled_page_falls_back() {
        for months in ["3.0", "12.0"] {
            let config = config(&format!("pec = 2000\nretention_months = {months}\ntemperature_c = 30.0"));
            let retried = Survey::of_profiled(&config).retry_with_short_senses();
            assert!(retried.pages >= 16 * 1_024 && retried.retried == retried.pages, "{retried:?}");
            assert_eq!((retried.fallbacks, retried.lost), (0, 0));
        }
    }

    #[test]
    fn ages_that_are_spread_lie_on_both_sides_of_the_mean() {
        let spread = survey("retention_months = 1.0\nretention_spread = 1.0", 4_000);
        let mut ages: Vec<f32> =
            spread.nand.geometry.all_blocks().map(|block| spread.nand.data_age_months(block, 0)).collect();
        ages.sort_by(f32::total_cmp);
        let mean = ages.iter().sum::<f32>() / ages.len() as f32;
        assert!((mean - 1.0).abs() < 0.05, "mean {mean}");
        assert!(ages[0] < 0.01 && ages[ages.len() - 1] > 1.99, "{} to {}", ages[0], ages[ages.len() - 1]);
        let failing = spread.first_reads().filter(|read| read.fails).count();
        assert!((1_000..4_000).contains(&failing), "{failing} of 4,000 fail");
    }

    #[test]
    fn rates_of_the_states_add_up_to_the_pages_errors() {
        let survey = survey("pec = 1000\nretention_months = 1.0", 100);
        for read in survey.first_reads() {
            let rates = survey.rates_by_bits(&read).expect("a chip");
            let bits = rates.iter().sum::<f64>() / rates.len() as f64 * wordline_cells::ecc::BITS_PER_KIB;
            assert!((bits / f64::from(read.mean_bits) - 1.0).abs() < 1e-5, "{bits} of {}", read.mean_bits);
            assert!(rates.iter().any(|&rate| rate > 2.0 * rates.iter().sum::<f64>() / rates.len() as f64));
        }
    }
}
