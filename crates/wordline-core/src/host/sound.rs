//! Whether the requests of a state are possible: whoever sent it may have changed it.

use std::collections::BTreeSet;

use super::{Host, OnItsWay};

impl Host {
    /// Whether all that waits is there once, and the counts are of what there is.
    pub(crate) fn is_sound(&self) -> bool {
        let mut waiting = self.waiting();
        let count = waiting.len();
        waiting.sort_unstable();
        waiting.dedup();
        let names: BTreeSet<u32> = self.requests.names().collect();
        let has_left = |way| matches!(way, OnItsWay::Answered | OnItsWay::Seen);
        let in_device = names
            .iter()
            .filter(|&id| waiting.binary_search(id).is_err() && !has_left(self.requests[*id].way));
        waiting.len() == count
            && count == self.waiting
            && waiting.iter().all(|id| names.contains(id))
            && in_device.count() == self.in_device as usize
            && self.requests.iter().all(|request| usize::from(request.flow) < self.flows.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::resolve;

    #[test]
    fn counts_of_requests_that_are_not_there_are_refused() {
        let fresh = || Host::new(&resolve(&[]).unwrap().config, Vec::new());
        assert!(fresh().is_sound());
        let forge: [&dyn Fn(&mut Host); 2] = [&|host| host.waiting = 1, &|host| host.in_device = 1];
        for (number, forge) in forge.iter().enumerate() {
            let mut host = fresh();
            forge(&mut host);
            assert!(!host.is_sound(), "{number}");
        }
    }
}
