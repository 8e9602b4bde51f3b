//! What a policy counts of its own, beside what the stages count.

use super::Policy;

/// A number that a policy counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Counter {
    /// Its name in results, below that of the policy.
    pub name: &'static str,
    /// What it counts, in one line.
    pub help: &'static str,
}

impl Counter {
    /// A counter, by its name and its doc comment.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str) -> Counter {
        Counter { name, help: help.trim_ascii() }
    }
}

/// What a policy has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The policy.
    pub policy: &'static str,
    /// What it counts.
    pub counters: &'static [Counter],
    /// How often, in that order.
    pub values: Vec<u64>,
}

impl Counted {
    /// What a policy has counted so far.
    pub(crate) fn of<P: Policy>(policy: &P) -> Counted {
        let values = policy.counts();
        debug_assert!(values.len() == P::COUNTERS.len(), "{} counts what it declares", P::NAME);
        Counted { policy: P::NAME, counters: P::COUNTERS, values }
    }
}

/// Makes a struct of counts from their declarations: a doc comment, which is the help, and a name. A policy keeps it in a
/// field, gives it in `COUNTERS` and `counts`, and saves it with what it has learned.
macro_rules! counters {
    ($(#[$about:meta])* $vis:vis struct $Counts:ident { $($(#[doc = $help:literal])+ $name:ident),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $vis struct $Counts {
            $($(#[doc = $help])+ $name: u64),+
        }

        impl $Counts {
            const ALL: &'static [$crate::policy::Counter] =
                &[$($crate::policy::Counter::new(stringify!($name), concat!($($help),+))),+];

            fn values(&self) -> Vec<u64> {
                vec![$(self.$name),+]
            }
        }
    };
}
pub(crate) use counters;
