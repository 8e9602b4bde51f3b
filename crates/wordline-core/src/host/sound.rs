//! Whether the requests of a state are possible: whoever sent it may have changed it.

use std::collections::BTreeSet;

use super::{Host, HostRequest, OnItsWay, Op, Request};
use crate::flash::Status;

impl Host {
    /// Whether all that waits is there once, the counts are of what there is, and requests are on the device. Those that have
    /// `failed` already may be elsewhere.
    pub(crate) fn is_sound(&self, failed: impl Fn(u32) -> bool) -> bool {
        let mut waiting = self.waiting();
        let count = waiting.len();
        waiting.sort_unstable();
        waiting.dedup();
        let names: BTreeSet<u32> = self.requests.names().collect();
        let has_left = |way| matches!(way, OnItsWay::Answered | OnItsWay::Seen);
        let in_device = names
            .iter()
            .filter(|&id| waiting.binary_search(id).is_err() && !has_left(self.requests[*id].way));
        let may_wait_for_cache = |request: &Request| {
            request.way != OnItsWay::Emptying || matches!(request.request.op, Op::Flush | Op::Close)
        };
        let fits = |request: &HostRequest| self.check(request) == Status::Success;
        let upcoming = self.flows.iter().filter_map(|flow| flow.upcoming.as_ref());
        waiting.len() == count
            && count == self.waiting
            && waiting.iter().all(|id| names.contains(id))
            && in_device.count() == self.in_device as usize
            && self.requests.iter().all(|request| usize::from(request.flow) < self.flows.len())
            && self.requests.iter().all(may_wait_for_cache)
            && names.iter().all(|&id| failed(id) || fits(&self.requests[id].request))
            && upcoming.into_iter().all(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::resolve;
    use crate::host::{FlowInput, Replay};

    #[test]
    fn only_what_waits_for_the_cache_is_in_that_state() {
        for (op, is_sound) in [(Op::Flush, true), (Op::Close, true), (Op::Read, false)] {
            let flow = FlowInput::new("flow", Box::new(std::iter::empty()), Replay::Open);
            let mut host = Host::new(&resolve(&[]).unwrap().config, vec![flow]);
            host.submit(0, HostRequest::new(0, op, 0, 1)).unwrap();
            let id = host.fetch(0).unwrap();
            host.requests[id].way = OnItsWay::Emptying;
            assert_eq!(host.is_sound(|_| false), is_sound, "{op:?}");
        }
    }

    #[test]
    fn counts_of_requests_that_are_not_there_are_refused() {
        let fresh = || Host::new(&resolve(&[]).unwrap().config, Vec::new());
        assert!(fresh().is_sound(|_| false));
        let forge: [&dyn Fn(&mut Host); 2] = [&|host| host.waiting = 1, &|host| host.in_device = 1];
        for (number, forge) in forge.iter().enumerate() {
            let mut host = fresh();
            forge(&mut host);
            assert!(!host.is_sound(|_| false), "{number}");
        }
    }
}
