//! The list of all policies: what help texts, reference pages, tests of all policies and Python read.

use serde::Serialize;

use super::{
    Counter, allocation, coding, erase, flush, folding, gc, placement, program, read_retry, refresh,
    schedule, wear_levelling,
};
use crate::parameter::{Choice, Parameter};

/// A policy as a reader sees it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Listed {
    /// Its slot: the folder in `policy/`.
    pub slot: &'static str,
    /// The key that names it.
    pub key: &'static str,
    /// What it is where a name may be made of several: a `source` and `modifier`s of read retry, or where a slot decides
    /// two things: the `scheme` of a coding; otherwise `policy`.
    pub part: &'static str,
    /// Its name, and what it does in one line.
    #[serde(flatten)]
    pub choice: Choice,
    /// The keys that it adds to the section of its slot.
    pub parameters: &'static [Parameter],
    /// What it counts of its own in a run.
    pub counters: &'static [Counter],
}

/// All policies, slot by slot; the first of a slot is its plainest.
#[must_use]
pub fn list() -> Vec<Listed> {
    let mut all = Vec::new();
    macro_rules! slot {
        ($($slot:literal, $key:literal, $part:literal: $Names:ty;)+) => {$(
            let policies = <$Names>::ALL.iter().zip(<$Names>::CHOICES);
            all.extend(policies.map(|(policy, &choice)| {
                Listed {
                    slot: $slot,
                    key: $key,
                    part: $part,
                    choice,
                    parameters: policy.parameters(),
                    counters: policy.counters(),
                }
            }));
        )+};
    }
    slot! {
        "read_retry", "read.retry", "source": read_retry::SourceName;
        "read_retry", "read.retry", "modifier": read_retry::ModifierName;
        "erase", "erase.scheme", "policy": erase::Scheme;
        "program", "program.policy", "policy": program::Program;
        "coding", "coding.scheme", "scheme": coding::CodingName;
        "coding", "coding.policy", "policy": coding::CodingPolicy;
        "allocation", "ftl.allocation", "policy": allocation::AllocationName;
        "placement", "ftl.placement", "policy": placement::PlacementName;
        "gc", "gc.policy", "policy": gc::VictimPolicy;
        "folding", "slc.policy", "policy": folding::FoldingName;
        "wear_levelling", "wear.policy", "policy": wear_levelling::WearName;
        "refresh", "refresh.policy", "policy": refresh::RefreshName;
        "schedule", "schedule.policy", "policy": schedule::Schedule;
        "flush", "cache.flush", "policy": flush::FlushName;
    }
    all
}

/// Names that a key takes: of read retry also all modifiers together, alone and with each source that takes them.
#[must_use]
pub fn names(key: &str) -> Vec<String> {
    let policies: Vec<_> = list().into_iter().filter(|policy| policy.key == key).collect();
    let mut names: Vec<String> = policies.iter().map(|policy| policy.choice.name.to_owned()).collect();
    let modifiers: Vec<_> = policies.iter().filter(|p| p.part == "modifier").map(|p| p.choice.name).collect();
    if !modifiers.is_empty() {
        let together = modifiers.join("+");
        let joined = read_retry::SourceName::ALL.iter().filter(|source| !source.is_bound());
        names.extend(joined.map(|source| format!("{}+{together}", source.name())));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_says_what_it_does_and_names_are_its_own() {
        let all = list();
        for (place, policy) in all.iter().enumerate() {
            let Choice { name, help } = policy.choice;
            assert!(!help.is_empty() && !help.ends_with('.') && !help.contains('\n'), "{name}: {help}");
            let same = |other: &Listed| other.key == policy.key && other.choice.name == name;
            assert_eq!(all.iter().position(same), Some(place), "{name} is there twice");
        }
    }

    #[test]
    fn counters_have_names_of_their_own_and_say_what_they_count() {
        let mut seen = std::collections::BTreeSet::new();
        for policy in list() {
            for Counter { name, help } in policy.counters {
                assert!(help.ends_with('.') && !help.contains('\n'), "{name}: {help}");
                assert!(
                    seen.insert((policy.choice.name, name)),
                    "{}.{name} is there twice",
                    policy.choice.name
                );
            }
        }
        assert!(!seen.is_empty());
    }

    #[test]
    fn every_name_resolves() {
        for policy in list() {
            let line = format!("{}={}", policy.key, policy.choice.name);
            let scheme = coding::CodingName::named(policy.choice.name).filter(|_| policy.part == "scheme");
            let bits = scheme.map_or(3, |scheme| scheme.gray().bits());
            let cell = format!("coding.cell={}", ["slc", "mlc", "tlc", "qlc"][bits - 1]);
            let layers = [
                "cells.chip=tlc-48l",
                cell.as_str(),
                "ssd.pages_per_block=384",
                "nand.cache_register=true",
                "nand.on_die_check=true",
            ];
            let layers = layers.iter().copied().chain([line.as_str()]);
            let layers: Vec<_> = layers.map(|l| crate::config::Layer::assignment(l).unwrap()).collect();
            crate::config::resolve(&layers).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }
}
