//! Soft reads: how reliable each bit is, if each reference is also sensed a little above and below.
//!
//! A further sense on either side of a reference divides the cells beside it into classes by their distance from it.
//! A bit whose cell is close to the reference is doubtful. The model is the valley of the simulator's own reads
//! (`read/valley.rs`): two normal distributions, `margin` standard deviations from the reference, with
//! [`CELLS_BESIDE`] of a page's cells on either side of the references that it senses. So
//!
//! ```text
//! rber = 2 · CELLS_BESIDE · Q(margin)
//! ```
//!
//! The further levels lie at fixed shares of the distance between the reference and the state, where they maximise
//! the mutual information between written and read bits at [`DESIGN_RBER`] (Wang et al., "Enhanced Precision Through
//! Multiple Reads for LDPC Decoding in Flash Memories", IEEE JSAC 2014, choose levels in this way). The decoder gets
//! the log-likelihood ratios of this rate whatever the true one is, as a controller with a fixed table does.

use super::channel::ErrorSource;
use super::decode::{CHANNEL, Doubt};
use super::matrix::CODE_BITS;
use crate::read::tail;

/// Share of a page's cells on one side of the references that it senses: the mean page of a TLC, 7 references for 3
/// pages and 8 states.
const CELLS_BESIDE: f64 = 7.0 / 24.0;

/// Raw bit error rate at which levels and log-likelihood ratios are chosen: 115 bits in 1 KiB, between what hard and
/// soft decisions correct.
const DESIGN_RBER: f64 = 0.014;

/// Log-likelihood ratio that the decoder's largest magnitude of the channel stands for.
const FULL_LLR: f64 = 6.4;

/// Levels above and below each reference, as shares of the distance between reference and state, ascending.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Levels {
    above: &'static [f64],
    below: &'static [f64],
}

/// How many further levels each reference is sensed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SoftSenses {
    /// One on either side.
    Two,
    /// Two above, one below. The sense of the hard decision stays in use, so three cannot lie evenly.
    Three,
}

impl SoftSenses {
    /// All numbers of senses that have a table.
    pub const ALL: [SoftSenses; 2] = [SoftSenses::Two, SoftSenses::Three];

    /// The number of senses.
    #[must_use]
    pub const fn count(self) -> u8 {
        match self {
            SoftSenses::Two => 2,
            SoftSenses::Three => 3,
        }
    }

    /// This many senses, if there is a table of it.
    #[must_use]
    pub fn of(count: u8) -> Option<SoftSenses> {
        SoftSenses::ALL.into_iter().find(|senses| senses.count() == count)
    }

    const fn levels(self) -> Levels {
        match self {
            SoftSenses::Two => Levels { above: &[0.4], below: &[0.4] },
            SoftSenses::Three => Levels { above: &[0.24, 0.58], below: &[0.4] },
        }
    }
}

/// A class of bits: read on one side of the reference, at some distance from it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Class {
    /// Share of all bits that are read correctly and fall into it.
    right: f64,
    /// Share of all bits that are read wrongly and fall into it.
    wrong: f64,
}

impl Class {
    fn llr(self) -> f64 {
        libm::log(self.right / self.wrong)
    }
}

/// The standard deviations between reference and state at a raw bit error rate.
fn margin(rber: f64) -> f64 {
    let share = rber / (2.0 * CELLS_BESIDE);
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if tail(middle) > share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The classes of one side, the most doubtful first.
fn classes(levels: &[f64], margin: f64) -> Vec<Class> {
    let from: Vec<f64> = core::iter::once(0.0).chain(levels.iter().map(|level| level * margin)).collect();
    (0..from.len())
        .map(|i| {
            // Cells of the state on this side lie around +margin, those of the other state around -margin.
            let beyond = |at: Option<&f64>, state: f64| at.map_or(0.0, |at| tail(at - state));
            let between = |state: f64| beyond(from.get(i), state) - beyond(from.get(i + 1), state);
            // Cells far from all references, and half of the bits on each side.
            let far = if i + 1 == from.len() { 0.5 - CELLS_BESIDE } else { 0.0 };
            Class { right: CELLS_BESIDE * between(margin) + far, wrong: CELLS_BESIDE * between(-margin) }
        })
        .collect()
}

/// A class of doubtful bits, as the decoder sees it.
#[derive(Clone, Copy, Debug)]
struct Doubtful {
    magnitude: i8,
    /// Its share of the right and of the wrong bits.
    right: f64,
    wrong: f64,
}

/// Draws which bits of a chunk are doubtful.
#[derive(Clone, Debug)]
pub struct SoftChannel {
    doubtful: Vec<Doubtful>,
    doubts: Vec<Doubt>,
}

impl SoftChannel {
    /// The channel of chunks with `errors` errors.
    #[must_use]
    pub fn new(senses: SoftSenses, errors: u16) -> SoftChannel {
        // A chunk without errors has the states of one with half an error.
        let rber = f64::from(errors).max(0.5) / CODE_BITS as f64;
        let Levels { above, below } = senses.levels();
        let doubtful_on = |levels: &'static [f64]| {
            let (now, designed) = (classes(levels, margin(rber)), classes(levels, margin(DESIGN_RBER)));
            now.into_iter().zip(designed).take(levels.len()).map(|(now, designed)| Doubtful {
                magnitude: magnitude(designed.llr()),
                right: now.right / (1.0 - rber),
                wrong: now.wrong / rber,
            })
        };
        SoftChannel { doubtful: doubtful_on(above).chain(doubtful_on(below)).collect(), doubts: Vec::new() }
    }

    /// Draws the doubtful bits of a chunk that has these errors.
    pub fn draw(&mut self, errors: &[u16], source: &mut ErrorSource) -> &[Doubt] {
        self.doubts.clear();
        let total: f64 = self.doubtful.iter().map(|class| class.right).sum();
        // The gaps between doubtful bits have a geometric distribution.
        let per_bit = libm::log1p(-total);
        let gap = |source: &mut ErrorSource| libm::floor(libm::log(1.0 - source.unit()) / per_bit);
        let mut bit = gap(source);
        while bit < CODE_BITS as f64 {
            let at = total * source.unit();
            let magnitude = self.magnitude_at(at, |class| class.right);
            self.doubts.push(Doubt { bit: bit as u16, magnitude });
            bit += 1.0 + gap(source);
        }
        // Wrong bits have classes of their own. The last word on a bit counts.
        for &bit in errors {
            let magnitude = self.magnitude_at(source.unit(), |class| class.wrong);
            self.doubts.push(Doubt { bit, magnitude });
        }
        &self.doubts
    }

    /// The magnitude of the class at `at` of all that `share` says, in their order; beyond the last there is no doubt.
    fn magnitude_at(&self, mut at: f64, share: impl Fn(&Doubtful) -> f64) -> i8 {
        let found = self.doubtful.iter().find(|class| {
            at -= share(class);
            at < 0.0
        });
        found.map_or(CHANNEL, |class| class.magnitude)
    }
}

/// The magnitude of a bit's belief.
fn magnitude(llr: f64) -> i8 {
    (f64::from(CHANNEL) * llr / FULL_LLR + 0.5).clamp(0.0, f64::from(CHANNEL)) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mutual information between written and read bits, bits.
    fn information(above: &[f64], below: &[f64], margin: f64) -> f64 {
        let all = [classes(above, margin), classes(below, margin)].concat();
        let lost = |part: f64, sum: f64| if part > 0.0 { part * libm::log2(part / sum) } else { 0.0 };
        1.0 + all
            .iter()
            .map(|c| lost(c.right, c.right + c.wrong) + lost(c.wrong, c.right + c.wrong))
            .sum::<f64>()
    }

    #[test]
    fn classes_share_out_all_bits() {
        for senses in SoftSenses::ALL {
            let Levels { above, below } = senses.levels();
            assert_eq!(above.len() + below.len(), usize::from(senses.count()));
            for rber in [1e-4, 0.005, 0.014, 0.025] {
                for levels in [above, below] {
                    let classes = classes(levels, margin(rber));
                    let (right, wrong) =
                        classes.iter().fold((0.0, 0.0), |(r, w), class| (r + class.right, w + class.wrong));
                    assert!((right + wrong - 0.5).abs() < 1e-9 && (wrong / (0.5 * rber) - 1.0).abs() < 1e-6);
                    assert!(
                        classes.windows(2).all(|pair| pair[0].llr() < pair[1].llr()),
                        "the farther the surer"
                    );
                }
            }
        }
    }

    /// Moving any level away loses information, up to the two digits that levels are given with.
    #[test]
    fn levels_tell_the_most() {
        let margin = margin(DESIGN_RBER);
        for senses in SoftSenses::ALL {
            let Levels { above, below } = senses.levels();
            let best = information(above, below, margin);
            for at in 0..above.len() {
                for by in [-0.04, 0.04] {
                    let mut moved = above.to_vec();
                    moved[at] += by;
                    assert!(information(&moved, below, margin) < best, "{senses:?} level {at} by {by}");
                }
            }
            let next = if senses == SoftSenses::Two {
                information(&[], &[], margin)
            } else {
                information(&[0.4], &[0.4], margin)
            };
            assert!(next < best, "{senses:?}: a further sense tells more");
        }
    }

    #[test]
    fn doubts_are_as_frequent_as_the_valley_says() {
        let (errors, chunks) = (520u16, 200);
        let mut source = ErrorSource::new(1, 7);
        for senses in SoftSenses::ALL {
            let mut channel = SoftChannel::new(senses, errors);
            let (mut right, mut wrong) = (0usize, 0usize);
            for _ in 0..chunks {
                let places = source.exactly(errors.into()).to_vec();
                let doubts = channel.draw(&places, &mut source);
                let own = doubts.len() - places.len();
                right += own;
                wrong += doubts[own..].iter().filter(|doubt| doubt.magnitude < CHANNEL).count();
            }
            let share = |of: fn(&Doubtful) -> f64| channel.doubtful.iter().map(of).sum::<f64>();
            let expected =
                (share(|class| class.right) * CODE_BITS as f64, share(|class| class.wrong) * 520.0);
            let found = (right as f64 / f64::from(chunks), wrong as f64 / f64::from(chunks));
            assert!((found.0 / expected.0 - 1.0).abs() < 0.01, "{senses:?}: {found:?}, not {expected:?}");
            assert!((found.1 / expected.1 - 1.0).abs() < 0.03, "{senses:?}: {found:?}, not {expected:?}");
        }
    }
}
