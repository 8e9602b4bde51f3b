//! How long the write queue is, as N_th_w counts it (OFWAR, section 5): in pages, or in requests of the host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::flash::Owner;

/// Pages of the write queue, and how many each request has of them where requests count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Held {
    /// Pages; where requests count, those alone that belong to none.
    pages: u32,
    requests: Option<BTreeMap<u32, u32>>,
}

impl Held {
    pub fn new(counts_requests: bool) -> Held {
        Held { pages: 0, requests: counts_requests.then(BTreeMap::new) }
    }

    /// A page is in the queue.
    pub fn enters(&mut self, owner: Owner) {
        match (&mut self.requests, owner) {
            (Some(requests), Owner::Request(request)) => *requests.entry(request).or_default() += 1,
            _ => self.pages += 1,
        }
    }

    /// A page is in the queue no more.
    pub fn leaves(&mut self, owner: Owner) {
        let (Some(requests), Owner::Request(request)) = (&mut self.requests, owner) else {
            self.pages -= 1;
            return;
        };
        if let Some(pages) = requests.get_mut(&request) {
            *pages -= 1;
            if *pages == 0 {
                requests.remove(&request);
            }
        }
    }

    /// Pages, or requests and pages that belong to none.
    pub fn count(&self) -> u32 {
        self.pages + self.requests.as_ref().map_or(0, |requests| requests.len() as u32)
    }

    /// Nothing is in the queue any more.
    pub fn clear(&mut self) {
        *self = Held::new(self.requests.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_counts_once_until_its_last_page_leaves() {
        for (counts_requests, counts) in [(false, [4, 3, 2, 1]), (true, [3, 3, 2, 1])] {
            let mut held = Held::new(counts_requests);
            for owner in [Owner::Request(7), Owner::Request(7), Owner::Request(8), Owner::Nobody] {
                held.enters(owner);
            }
            let mut seen = vec![held.count()];
            for owner in [Owner::Request(7), Owner::Request(7), Owner::Nobody] {
                held.leaves(owner);
                seen.push(held.count());
            }
            assert_eq!(seen, counts);
            held.clear();
            assert_eq!(held.count(), 0);
        }
    }
}
