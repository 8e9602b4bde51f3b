//! Which policies of the calling program a configuration asks for.

use super::Config;
use crate::policy::folding::FoldingName;
use crate::policy::gc::VictimPolicy;
use crate::policy::placement::PlacementName;
use crate::policy::refresh::RefreshName;
use crate::policy::wear_levelling::WearName;

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

impl Config {
    /// The policies of the calling program that the configuration asks for.
    #[must_use]
    pub fn wanted_externals(&self) -> Vec<WantedExternal<'_>> {
        let Config { gc, wear, refresh, slc, ftl, externals, .. } = self;
        let folds = slc.policy.uses_cache();
        let gc_is = gc.policy == VictimPolicy::External || folds && slc.victim == VictimPolicy::External;
        let refresh_is = refresh.policy.iter().any(|policy| policy == RefreshName::External);
        let rows = [
            (gc_is, "gc", "gc.external", &gc.external, externals.gc.is_some()),
            (
                wear.policy == WearName::External,
                "wear_levelling",
                "wear.external",
                &wear.external,
                externals.wear_levelling.is_some(),
            ),
            (refresh_is, "refresh", "refresh.external", &refresh.external, externals.refresh.is_some()),
            (
                slc.policy == FoldingName::External,
                "folding",
                "slc.external",
                &slc.external,
                externals.folding.is_some(),
            ),
            (
                ftl.placement == PlacementName::External && !self.fdp.is_on(),
                "placement",
                "ftl.external",
                &ftl.external,
                externals.placement.is_some(),
            ),
        ];
        rows.into_iter()
            .filter(|row| row.0)
            .map(|(_, slot, key, name, is_given)| WantedExternal { slot, key, name, is_given })
            .collect()
    }
}
