//! An order of places of a table, which any of them can leave.

/// No place.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    newer: u32,
    older: u32,
}

/// Places from the one that was put in longest ago to the newest, linked both ways.
#[derive(Debug)]
pub struct Chain {
    /// By place. Those of places that are not in the chain are never read.
    links: Vec<Link>,
    newest: u32,
    oldest: u32,
    len: usize,
}

impl Default for Chain {
    fn default() -> Self {
        Chain { links: Vec::new(), newest: NONE, oldest: NONE, len: 0 }
    }
}

impl Chain {
    /// Number of places.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True where no place is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts in a place that is not there, as the newest.
    #[inline]
    pub fn push(&mut self, place: u32) {
        if place as usize >= self.links.len() {
            self.links.resize(place as usize + 1, Link { newer: NONE, older: NONE });
        }
        self.link_newest(place);
        self.len += 1;
    }

    /// Takes out a place that is there.
    #[inline]
    pub fn remove(&mut self, place: u32) {
        self.unlink(place);
        self.len -= 1;
    }

    /// Makes a place that is there the newest.
    #[inline]
    pub fn touch(&mut self, place: u32) {
        if place != self.newest {
            self.unlink(place);
            self.link_newest(place);
        }
    }

    /// The place that was put in longest ago.
    #[inline]
    #[must_use]
    pub fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// All places, the oldest first.
    pub fn from_oldest(&self) -> impl Iterator<Item = u32> {
        let newer = |&place: &u32| Some(self.links[place as usize].newer).filter(|&newer| newer != NONE);
        std::iter::successors(self.oldest(), newer)
    }

    fn unlink(&mut self, place: u32) {
        let Link { newer, older } = self.links[place as usize];
        if newer == NONE {
            self.newest = older;
        } else {
            self.links[newer as usize].older = older;
        }
        if older == NONE {
            self.oldest = newer;
        } else {
            self.links[older as usize].newer = newer;
        }
    }

    fn link_newest(&mut self, place: u32) {
        let before = self.newest;
        self.links[place as usize] = Link { newer: NONE, older: before };
        if before == NONE {
            self.oldest = place;
        } else {
            self.links[before as usize].newer = place;
        }
        self.newest = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_the_order_of_use(uses in prop::collection::vec((0u32..12, any::<bool>()), 0..200)) {
            let (mut chain, mut model) = (Chain::default(), Vec::new());
            for (place, leaves) in uses {
                let is_there = model.contains(&place);
                model.retain(|&other| other != place);
                match (is_there, leaves) {
                    (true, true) => chain.remove(place),
                    (true, false) => chain.touch(place),
                    (false, true) => {}
                    (false, false) => chain.push(place),
                }
                if !leaves {
                    model.push(place);
                }
                prop_assert_eq!(chain.from_oldest().collect::<Vec<_>>(), &model[..]);
                prop_assert_eq!((chain.oldest(), chain.len()), (model.first().copied(), model.len()));
            }
        }
    }
}
