//! What the calling program gives to the rows `external`: one object of a type, which the slot names that asks for it.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

type Given = (TypeId, Arc<dyn Any + Send + Sync>);

/// The makers of policies that the program gives, at most one of a slot.
#[derive(Clone, Default)]
pub struct Externals(Vec<Given>);

impl Externals {
    /// Gives one, in the place of the one of its type that was there.
    pub fn give<T: Any + Send + Sync>(&mut self, maker: T) {
        self.0.retain(|(of, _)| *of != TypeId::of::<T>());
        self.0.push((TypeId::of::<T>(), Arc::new(maker)));
    }

    /// The one of this type.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|(_, maker)| maker.downcast_ref())
    }
}

impl PartialEq for Externals {
    fn eq(&self, other: &Self) -> bool {
        let is_in = |given: &Given, all: &[Given]| all.iter().any(|each| Arc::ptr_eq(&each.1, &given.1));
        self.0.len() == other.0.len() && self.0.iter().all(|given| is_in(given, &other.0))
    }
}

impl fmt::Debug for Externals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Externals({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_of_a_type_counts() {
        let mut externals = Externals::default();
        externals.give(1_u8);
        externals.give(2_u8);
        externals.give(3_u16);
        assert_eq!((externals.get(), externals.get()), (Some(&2_u8), Some(&3_u16)));
        assert_eq!(externals.get::<u32>(), None);
        let copy = externals.clone();
        assert_eq!(copy, externals);
        externals.give(3_u16);
        assert_ne!(copy, externals, "another object that says the same is another one");
    }
}
