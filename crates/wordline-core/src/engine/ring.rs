//! A short sorted ring of event keys.

use super::Ns;

/// Places of the ring; a power of two.
const CAPACITY: usize = 128;
const MASK: usize = CAPACITY - 1;
/// So many keys make room in less time than it takes to put them elsewhere.
const FEW: u32 = 4;

/// The time of a key.
#[inline(always)]
pub(super) fn time_of(key: u128) -> Ns {
    (key >> 64) as Ns
}

/// Keys by their halves: the time, which mostly decides the order alone, and the rest.
#[derive(Debug)]
struct Places {
    times: [Ns; CAPACITY],
    rests: [u64; CAPACITY],
}

/// Keys below the end of time in ascending order, one less than there are places. Putting one in near either
/// end costs little: only the keys between it and that end make room.
#[derive(Debug)]
pub(super) struct SortedRing {
    /// The end of time follows the last key.
    places: Box<Places>,
    /// Places of the least key and behind the last, counted on without end.
    head: u32,
    tail: u32,
    back: Ns,
}

impl Default for SortedRing {
    fn default() -> Self {
        let places = Box::new(Places { times: [Ns::MAX; CAPACITY], rests: [u64::MAX; CAPACITY] });
        SortedRing { places, head: 0, tail: 0, back: 0 }
    }
}

impl SortedRing {
    #[inline]
    pub fn len(&self) -> usize {
        self.tail.wrapping_sub(self.head) as usize
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() == CAPACITY - 1
    }

    /// Time of the last key; where there is none, 0 or the time of one that was there.
    #[inline]
    pub fn back(&self) -> Ns {
        self.back
    }

    #[inline(always)]
    fn at(&self, place: u32) -> u128 {
        let place = place as usize & MASK;
        u128::from(self.places.times[place]) << 64 | u128::from(self.places.rests[place])
    }

    #[inline(always)]
    fn put(&mut self, place: u32, key: u128) {
        let place = place as usize & MASK;
        self.places.times[place] = time_of(key);
        self.places.rests[place] = key as u64;
    }

    #[inline(always)]
    fn end_at(&mut self, place: u32) {
        self.places.times[place as usize & MASK] = Ns::MAX;
    }

    /// The least key, or one at the end of time.
    #[inline(always)]
    pub fn front(&self) -> u128 {
        self.at(self.head)
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = u128> {
        (0..self.len() as u32).map(|place| self.at(self.head.wrapping_add(place)))
    }

    /// True where more than a few keys are on either side.
    pub fn is_far_from_ends(&self, key: u128) -> bool {
        self.len() > 2 * FEW as usize
            && self.at(self.head.wrapping_add(FEW)) < key
            && key < self.at(self.tail.wrapping_sub(1 + FEW))
    }

    /// Takes the least key out.
    #[inline(always)]
    pub fn pop(&mut self) {
        debug_assert!(!self.is_empty());
        self.head = self.head.wrapping_add(1);
    }

    /// Takes the last key out.
    pub fn pop_back(&mut self) -> u128 {
        debug_assert!(!self.is_empty());
        self.tail = self.tail.wrapping_sub(1);
        let last = self.at(self.tail);
        self.end_at(self.tail);
        self.back = if self.is_empty() { 0 } else { time_of(self.at(self.tail.wrapping_sub(1))) };
        last
    }

    /// Puts a key behind all others; the ring is not full.
    #[inline(always)]
    pub fn append(&mut self, key: u128) {
        debug_assert!(!self.is_full() && (self.is_empty() || self.at(self.tail.wrapping_sub(1)) < key));
        let behind = self.tail.wrapping_add(1);
        self.put(self.tail, key);
        self.end_at(behind);
        self.tail = behind;
        self.back = time_of(key);
    }

    /// Puts a key where it belongs; the ring is not full.
    pub fn insert(&mut self, key: u128) {
        debug_assert!(!self.is_full());
        if self.is_empty() || self.at(self.tail.wrapping_sub(1)) < key {
            return self.append(key);
        }
        let middle = self.head.wrapping_add(self.len() as u32 / 2);
        let mut place;
        if key < self.at(middle) {
            // From the front.
            place = self.head.wrapping_sub(1);
            self.head = place;
            while self.at(place.wrapping_add(1)) < key {
                self.put(place, self.at(place.wrapping_add(1)));
                place = place.wrapping_add(1);
            }
        } else {
            // From the back.
            place = self.tail;
            self.tail = place.wrapping_add(1);
            self.end_at(self.tail);
            while key < self.at(place.wrapping_sub(1)) {
                self.put(place, self.at(place.wrapping_sub(1)));
                place = place.wrapping_sub(1);
            }
        }
        self.put(place, key);
        self.back = time_of(self.at(self.tail.wrapping_sub(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stays_sorted(steps in prop::collection::vec((0u128..1000, 0..5), 1..600)) {
            let mut ring = SortedRing::default();
            let mut model: Vec<u128> = Vec::new();
            // What follows the last key is at the end of time.
            let least = |ring: &SortedRing| Some(ring.front()).filter(|&key| time_of(key) < Ns::MAX);
            for (i, (time, step)) in steps.into_iter().enumerate() {
                match step {
                    0 if !model.is_empty() => {
                        ring.pop();
                        model.remove(0);
                    }
                    1 if !model.is_empty() => prop_assert_eq!(Some(ring.pop_back()), model.pop()),
                    _ if ring.is_full() => {}
                    _ => {
                        let key = time << 64 | i as u128;
                        if model.last().is_none_or(|&last| last < key) {
                            ring.append(key);
                        } else {
                            ring.insert(key);
                        }
                        model.push(key);
                        model.sort_unstable();
                    }
                }
                prop_assert_eq!(least(&ring), model.first().copied());
                if let Some(&last) = model.last() {
                    prop_assert_eq!(ring.back(), time_of(last));
                }
            }
            for key in model {
                prop_assert_eq!(ring.front(), key);
                ring.pop();
            }
            prop_assert_eq!(ring.len(), 0);
        }
    }
}
