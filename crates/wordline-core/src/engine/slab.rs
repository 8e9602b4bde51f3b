//! Things that come and go, named by a small integer while they are there.

use serde::{Deserialize, Serialize};

/// A pool whose freed places are taken again, newest first: no allocation once it has grown.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "Saved<T>")]
pub struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

/// One that was saved: whoever changed it may have named places that are not there.
#[derive(Deserialize)]
struct Saved<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> TryFrom<Saved<T>> for Slab<T> {
    type Error = &'static str;

    fn try_from(Saved { items, free }: Saved<T>) -> Result<Slab<T>, &'static str> {
        let mut is_free = vec![false; items.len()];
        let are_places = free.iter().all(|&name| {
            is_free.get_mut(name as usize).is_some_and(|is_free| !std::mem::replace(is_free, true))
        });
        if are_places { Ok(Slab { items, free }) } else { Err("a free place that is not there") }
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { items: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Slab<T> {
    /// Stores an item and returns its name.
    #[inline(always)]
    pub fn insert(&mut self, item: T) -> u32 {
        // Always inlined, and no call takes the item: so it is made where it stays, field by field. Made elsewhere and
        // copied in wide pieces, it would keep the processor waiting for its own stores.
        if let Some(id) = self.free.pop() {
            self.items[id as usize] = item;
            id
        } else {
            self.items.push(item);
            (self.items.len() - 1) as u32
        }
    }

    /// Takes an item out; its name may be given to another.
    #[inline]
    pub fn remove(&mut self, id: u32) -> T {
        self.free.push(id);
        self.items[id as usize]
    }

    /// Number of items that are there.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    /// True where the place of a name was ever taken.
    #[must_use]
    pub fn has(&self, id: u32) -> bool {
        (id as usize) < self.items.len()
    }

    /// All items that are there.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.names().map(|name| &self.items[name as usize])
    }

    /// Names of all items that are there, in order.
    pub fn names(&self) -> impl Iterator<Item = u32> + use<T> {
        let mut are_there = vec![true; self.items.len()];
        for &name in &self.free {
            are_there[name as usize] = false;
        }
        (0..).zip(are_there).filter_map(|(name, is_there)| is_there.then_some(name))
    }

    /// True when nothing is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, id: u32) -> &T {
        &self.items[id as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.items[id as usize]
    }
}
