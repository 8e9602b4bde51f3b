//! Open groups are closed before they are full: the rest of a group is programmed with padding, which costs its time and its bytes.
//! Either nobody has written to it for long (`open_timeout.rs`), or the host asks for it ([`Op::Close`](crate::host::Op::Close)).
//!
//! What the host asks for is done at once, also while GC is at work and programs are on their way: to GC it is as if the host
//! wrote the rest of its open groups itself. Only where pages that move may have to go into these groups does a pool close them
//! when its next job has won room, and the request waits.

use serde::{Deserialize, Serialize};

use super::pages::Pages;
use crate::error::SimError;
use crate::flash::{Class, Owner, StreamId};
use crate::ftl::blocks::Blocks;
use crate::ftl::{Ftl, Step};
use crate::nand::{BlockId, PoolId};

/// The head of an open group, its pool and its stream.
type OpenGroup = (BlockId, PoolId, StreamId);

/// What a request asks to close, and still is not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct Asked {
    owner: Owner,
    groups: Vec<OpenGroup>,
}

impl Asked {
    /// The first pool where that is.
    pub fn first_pool(&self) -> Option<PoolId> {
        self.groups.first().map(|&(_, pool, _)| pool)
    }
}

impl Ftl {
    /// The host asks to close the groups that are open for its data. The owner is served when all that is left of them is
    /// on its way.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    #[inline(never)]
    pub fn close_groups(&mut self, owner: Owner, step: &mut Step<'_>) -> Result<(), SimError> {
        self.reclaim.host_asks(step.now);
        let Pages { blocks, placement, .. } = &self.pages;
        let is_of_host = |&id: &StreamId| placement.streams.get(id).purpose.is_of_host();
        let streams: Vec<_> = placement.streams.ids().filter(is_of_host).collect();
        let open_of = |pool, stream| blocks.open_group_of(pool, stream).map(|head| (head, pool, stream));
        let of_pool = |pool| streams.iter().filter_map(move |&stream| open_of(pool, stream));
        let groups = blocks.pools().flat_map(of_pool).collect();
        self.asked.push(Asked { owner, groups });
        self.close_asked(step)
    }

    /// Closes what the host has asked for, unless GC may need the group.
    #[inline]
    pub(in crate::ftl) fn close_asked(&mut self, step: &mut Step<'_>) -> Result<(), SimError> {
        for Asked { owner, groups } in std::mem::take(&mut self.asked) {
            let mut left = Vec::new();
            for group in groups {
                if !self.try_close(group, step)? {
                    left.push(group);
                }
            }
            match left.is_empty() {
                true => step.out.served.push(owner),
                false => self.asked.push(Asked { owner, groups: left }),
            }
        }
        Ok(())
    }

    /// Closes a group, unless it is full by now; false where GC may need it.
    fn try_close(&mut self, group: OpenGroup, step: &mut Step<'_>) -> Result<bool, SimError> {
        let (head, pool, stream) = group;
        let Pages { blocks, .. } = &self.pages;
        if blocks.open_group_of(pool, stream) != Some(head) {
            return Ok(true);
        }
        if blocks.needs_groups_of_host(pool) {
            return Ok(false);
        }
        self.pages.counters.closed_on_request += 1;
        // Behind the writes that are on their way to it: programs of a block are sent in order.
        self.close_group(group, self.pages.class_of(stream), step)?;
        Ok(true)
    }

    /// Fills an open group up with padding, by programs of a class.
    pub(in crate::ftl) fn close_group(
        &mut self,
        (head, pool, stream): OpenGroup,
        class: Class,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let frontier = self.pages.blocks.frontier(pool, stream);
        self.open_timeout.closed[frontier] = Some(head);
        // Into the program that is open, too, or ones that begin with it, as parity goes.
        let is_open = |blocks: &Blocks| blocks.open_group_of(pool, stream) == Some(head);
        self.pages.pad_while((pool, stream), class, step, is_open);
        self.pages.counters.closed_groups += 1;
        self.after_allocation(pool, step)
    }
}

impl Pages {
    /// The class of programs of a stream for which nobody waits.
    pub(in crate::ftl) fn class_of(&self, stream: StreamId) -> Class {
        if self.placement.streams.get(stream).purpose.is_of_host() {
            Class::UserWrite
        } else {
            Class::InternalWrite
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layer, resolve};
    use crate::flash::Outbox;
    use crate::ftl::blocks::Use;
    use crate::nand::Nand;
    use crate::options::RunOptions;

    /// One plane, in which GC moves pages behind the host's.
    const SHARED: &str = "[ssd]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
                          blocks_per_plane = 16\npages_per_block = 8\noverprovisioning = 0.3\n[gc]\nfrontier = \"shared\"\n";

    #[test]
    fn what_waits_for_gc_is_told_and_closed_when_it_may_be() {
        let config = resolve(&[Layer::file("test", SHARED)]).unwrap().config;
        let mut nand = Nand::new(&config);
        let mut ftl = Ftl::new(&config, 1, &RunOptions::default());
        let mut out = Outbox::new(1);
        let mut step = Step { nand: &mut nand, now: 0, out: &mut out, failures: &mut Vec::new() };
        let (pool, owner) = (PoolId::new(0), Owner::Request(7));
        while ftl.pages.blocks.free_count(pool) > 1 {
            ftl.pages.blocks.allocate(pool, ftl.pages.placement.normal, Use::Host).unwrap();
        }
        // A job that wins nothing has two free blocks for itself.
        ftl.pages.blocks.begin_job_without_gain(pool);
        ftl.close_groups(owner, &mut step).unwrap();
        assert!(step.out.served.is_empty() && step.out.orders.is_empty());
        assert!(ftl.stuck().unwrap().contains("wait to be closed"));
        ftl.pages.blocks.end_job_without_gain(pool);
        ftl.close_asked(&mut step).unwrap();
        assert_eq!((&step.out.served[..], step.out.orders.len()), (&[owner][..], 7));
        assert_eq!((ftl.stuck(), ftl.counters().closed_on_request), (None, 1));
    }
}
