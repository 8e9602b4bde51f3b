//! Several policies at once: their names, joined by `+`, and what they keep in a run.

use std::io;

use serde::{Deserialize, Serialize};

use super::{DeviceView, RefreshKeys, RefreshName, RefreshRun, RefreshView};
use crate::engine::{LoadError, Loader, Ns, Saver, State};
use crate::policy::{Counted, Refusal};

/// The policies of a configuration, a bit each in the order of their table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RefreshList(u32);

impl RefreshList {
    /// One policy.
    #[must_use]
    pub const fn of(policy: RefreshName) -> RefreshList {
        RefreshList(1 << policy as u32)
    }

    /// Its policies, in the order of their table.
    pub fn iter(self) -> impl Iterator<Item = RefreshName> {
        RefreshName::ALL.iter().copied().filter(move |&policy| self.0 & RefreshList::of(policy).0 != 0)
    }

    /// What must fit together: the keys of its policies with each other, and with the device.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(self, keys: &RefreshKeys, device: &DeviceView<'_>) -> Result<(), Refusal> {
        self.iter().try_for_each(|policy| policy.check(keys, device))
    }
}

impl TryFrom<String> for RefreshList {
    type Error = String;

    fn try_from(names: String) -> Result<RefreshList, String> {
        let mut list = 0;
        for word in names.split('+') {
            let named = RefreshName::named(word.trim());
            let policy = named.ok_or_else(|| format!("there is no refresh policy \"{}\"", word.trim()))?;
            let bit = RefreshList::of(policy).0;
            if list & bit != 0 {
                return Err(format!("\"{names}\" names {} twice", policy.name()));
            }
            list |= bit;
        }
        Ok(RefreshList(list))
    }
}

impl From<RefreshList> for String {
    fn from(list: RefreshList) -> String {
        list.iter().map(RefreshName::name).collect::<Vec<_>>().join("+")
    }
}

/// The policies of a run that are on.
#[derive(Debug)]
pub struct Refreshes(Vec<RefreshRun>);

impl State for Refreshes {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.0.save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.0.load(from)
    }
}

impl Refreshes {
    /// The policies at the beginning of a run.
    #[must_use]
    pub fn new(list: RefreshList, keys: &RefreshKeys, device: &DeviceView<'_>) -> Refreshes {
        let all = list.iter().map(|policy| RefreshRun::new(policy, keys, device));
        Refreshes(all.filter(|policy| policy.looks_every().is_some()).collect())
    }

    /// What they have counted of their own.
    #[must_use]
    pub fn counted(&self) -> Vec<Counted> {
        self.0.iter().map(RefreshRun::counted).collect()
    }

    /// Time from one look at all blocks to the next, ns; `None` where no policy is on.
    #[must_use]
    pub fn looks_every(&self) -> Option<Ns> {
        self.0.iter().filter_map(RefreshRun::looks_every).min()
    }

    /// Whether the data of a block is due.
    #[must_use]
    pub fn is_due(&self, view: &RefreshView<'_>) -> bool {
        self.0.iter().any(|policy| policy.is_due(view))
    }

    /// Whether it is due because of the reads of its block.
    #[must_use]
    pub fn is_read_reclaim(&self, view: &RefreshView<'_>) -> bool {
        self.0.iter().any(|policy| policy.reclaims_reads() && policy.is_due(view))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_went_in() {
        for &policy in RefreshName::ALL {
            let name = policy.name().to_owned();
            assert_eq!(String::from(RefreshList::try_from(name.clone()).unwrap()), name);
            assert!(RefreshList::try_from(format!("{name}+{name}")).unwrap_err().contains("twice"));
        }
        assert!(RefreshList::try_from("never".to_owned()).unwrap_err().contains("\"never\""));
    }
}
