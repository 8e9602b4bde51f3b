//! Which policies of the calling program a configuration asks for.

use super::Config;
use crate::policy::folding::{ExternalFolding, FoldingName};
use crate::policy::gc::{ExternalGc, VictimPolicy};
use crate::policy::placement::{ExternalPlacement, PlacementName};
use crate::policy::refresh::{ExternalRefresh, RefreshName};
use crate::policy::wear_levelling::{ExternalWear, WearName};
use crate::policy::{Externals, Maker};

/// A policy of the calling program that a configuration asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedExternal<'a> {
    /// Its slot: the folder in `policy/`.
    pub slot: &'static str,
    /// The key that says which policy it is.
    pub key: &'static str,
    /// What that key says.
    pub name: &'a str,
    /// The program has given one.
    pub is_given: bool,
}

/// Whether the program has given the policy that a slot asks.
fn has<P: ?Sized + 'static>(externals: &Externals) -> bool {
    externals.get::<Maker<P>>().is_some()
}

impl Config {
    /// The policies of the calling program that the configuration asks for.
    #[must_use]
    pub fn wanted_externals(&self) -> Vec<WantedExternal<'_>> {
        let Config { gc, wear, refresh, slc, ftl, externals, .. } = self;
        let folds = slc.policy.uses_cache();
        let gc_is = gc.policy == VictimPolicy::External || folds && slc.victim == VictimPolicy::External;
        let refresh_is = refresh.policy.iter().any(|policy| policy == RefreshName::External);
        let rows = [
            (gc_is, "gc", "gc.external", &gc.external, has::<dyn ExternalGc>(externals)),
            (
                wear.policy == WearName::External,
                "wear_levelling",
                "wear.external",
                &wear.external,
                has::<dyn ExternalWear>(externals),
            ),
            (
                refresh_is,
                "refresh",
                "refresh.external",
                &refresh.external,
                has::<dyn ExternalRefresh>(externals),
            ),
            (
                slc.policy == FoldingName::External,
                "folding",
                "slc.external",
                &slc.external,
                has::<dyn ExternalFolding>(externals),
            ),
            (
                ftl.placement == PlacementName::External && !self.fdp.is_on(),
                "placement",
                "ftl.external",
                &ftl.external,
                has::<dyn ExternalPlacement>(externals),
            ),
        ];
        rows.into_iter()
            .filter(|row| row.0)
            .map(|(_, slot, key, name, is_given)| WantedExternal { slot, key, name, is_given })
            .collect()
    }
}
