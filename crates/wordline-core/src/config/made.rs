//! Models that this process has made: one takes longer than a short run, and all points of a grid need the same few.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The last models, with what each was made of.
pub(super) struct Made<K, V>(Mutex<VecDeque<(K, Arc<V>)>>);

impl<K: PartialEq, V> Made<K, V> {
    /// The number of models that are kept.
    const KEPT: usize = 8;

    pub(super) const fn new() -> Made<K, V> {
        Made(Mutex::new(VecDeque::new()))
    }

    /// Returns the model of `key`, which `make` makes unless it is kept. Equal keys must give equal models.
    pub(super) fn of<E>(&self, key: K, make: impl FnOnce(&K) -> Result<V, E>) -> Result<Arc<V>, E> {
        let models = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = models().iter().find(|(of, _)| *of == key) {
            return Ok(model.clone());
        }
        // Nobody waits meanwhile: two threads may make the same one.
        let model = Arc::new(make(&key)?);
        let mut models = models();
        models.truncate(Self::KEPT - 1);
        models.push_front((key, model.clone()));
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn a_model_is_made_once_and_only_the_last_ones_are_kept() {
        let squares = Made::<u64, u64>::new();
        let square = |number: u64| {
            let mut is_new = false;
            let make = |number: &u64| {
                is_new = true;
                Ok::<_, Infallible>(number * number)
            };
            let Ok(model) = squares.of(number, make);
            (*model, is_new)
        };
        assert_eq!([3, 3, 4, 3].map(square), [(9, true), (9, false), (16, true), (9, false)]);
        for number in 5..13 {
            assert_eq!(square(number), (number * number, true));
        }
        assert_eq!(square(12), (144, false));
        assert_eq!(square(3), (9, true), "too many others came after it");
        assert!(squares.of(99, |_| Err("impossible")).is_err());
        assert_eq!(square(99), (9801, true), "an error is not kept");
    }
}
