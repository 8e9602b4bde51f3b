//! Open groups are closed before they are full. The rest of a group is programmed with padding, which costs its time and its bytes,
//! or is left as it is (`ftl.closing`). Either nobody has written to the group for long (`open_timeout.rs`), or the host asks for it
//! ([`Op::Close`](crate::host::Op::Close)).
//!
//! What the host asks for is done at once, also while GC is at work and programs are on their way: to GC it is as if the host
//! wrote the rest of its open groups itself. Only where pages that move may have to go into these groups does a pool close them
//! when its next job has won room, and the request waits.
//!
//! A write cache may have taken in data before that still have to leave it. They go to the groups that were open then: these are
//! detached from their streams, which open others for newer data, and are closed when the cache has no older data any more. Where a
//! pool has too little room for one more open group, newer data join older ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pages::Pages;
use super::put::{Placing, To, Why};
use crate::error::SimError;
use crate::flash::{Class, Owner, StreamId};
use crate::ftl::blocks::Blocks;
use crate::ftl::{Ftl, Step};
use crate::metrics::HandleEventKind;
use crate::nand::{BlockId, FrontierId, PoolId};

pub(in crate::ftl) use crate::config::Ending;

/// The head of an open group, and the frontier that has it.
type OpenGroup = (BlockId, FrontierId);

/// What a request asks to close, and still is not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct Asked {
    owner: Owner,
    groups: Vec<OpenGroup>,
}

impl Asked {
    /// The first frontier where that is.
    pub fn first(&self) -> Option<FrontierId> {
        self.groups.first().map(|&(_, frontier)| frontier)
    }
}

/// A request to close that waits for what the write cache had taken in before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::ftl) struct Leaving {
    owner: Owner,
    /// Requests to close until this one, in 8 bits.
    closes: u8,
    /// The streams whose groups it closes.
    streams: Vec<StreamId>,
    /// Where older data go instead of to the frontiers of their streams: those had an open group, or older data opened one.
    seats: BTreeMap<FrontierId, FrontierId>,
    /// Groups that are not detached: of the SLC cache, or the pool has little room. Newer data may join older ones there.
    kept: Vec<OpenGroup>,
}

impl Leaving {
    /// The seats, and the frontiers that they stand for.
    pub fn into_seats(self) -> impl Iterator<Item = (FrontierId, FrontierId)> {
        self.seats.into_iter()
    }
}

impl Ftl {
    /// The host asks to close the groups that are open for its data, or for those of one stream. The owner is served when all that
    /// is left of them is on its way.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    #[inline(never)]
    pub fn close_groups(
        &mut self,
        owner: Owner,
        of: Option<StreamId>,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        self.reclaim.host_asks(step.now);
        let groups = self.open_for(&self.streams_to_close(of));
        self.asked.push(Asked { owner, groups });
        self.close_asked(step)
    }

    /// The host asks to close groups, and a write cache has data that came before. They go to the groups that are
    /// open now, and what comes later to others. [`Ftl::end_close`] is called when the cache has none of them any more.
    #[inline(never)]
    pub fn begin_close(&mut self, owner: Owner, of: Option<StreamId>) {
        self.closes = self.closes.wrapping_add(1);
        let closes = self.closes;
        let streams = self.streams_to_close(of);
        let groups = self.open_for(&streams).into_iter();
        let (goes, kept): (Vec<_>, _) = groups.partition(|&(_, frontier)| self.pages.may_detach(frontier));
        let detach = |(_, frontier)| (frontier, self.pages.detach(frontier));
        let seats = goes.into_iter().map(detach).collect();
        self.leaving.push(Leaving { owner, closes, streams, seats, kept });
    }

    /// Requests to close so far that a write cache had to do with, in 8 bits: data that come now come behind them.
    #[inline(always)]
    #[must_use]
    pub fn closes(&self) -> u8 {
        self.closes
    }

    /// All that came before a request to close has left the write cache: the groups are closed now.
    ///
    /// # Errors
    /// See [`Ftl::submit`].
    pub fn end_close(&mut self, owner: Owner, step: &mut Step<'_>) -> Result<(), SimError> {
        let Some(place) = self.leaving.iter().position(|leaving| leaving.owner == owner) else {
            step.out.served.push(owner);
            return Ok(());
        };
        let Leaving { seats, kept: groups, .. } = self.leaving.remove(place);
        for seat in seats.into_values() {
            if self.pages.blocks.open_group_of(seat).is_some() {
                self.pages.counters.closed_on_request += 1;
                self.note_closed(seat, HandleEventKind::NotFullyWritten, step.now);
                self.close_group(seat, self.ending, self.pages.class_of(seat), step)?;
            }
            self.pages.blocks.leave_seat(seat);
        }
        self.asked.push(Asked { owner, groups });
        self.close_asked(step)
    }

    /// Streams of the host whose groups a request closes: one, or all.
    fn streams_to_close(&self, of: Option<StreamId>) -> Vec<StreamId> {
        let streams = &self.pages.placement.streams;
        let is_asked = |&id: &StreamId| streams.get(id).purpose.is_of_host() && of.is_none_or(|of| of == id);
        streams.ids().filter(is_asked).collect()
    }

    /// The open groups of streams.
    fn open_for(&self, streams: &[StreamId]) -> Vec<OpenGroup> {
        let blocks = &self.pages.blocks;
        let open_of = |pool, stream| {
            let frontier = blocks.frontier(pool, stream);
            blocks.open_group_of(frontier).map(|head| (head, frontier))
        };
        blocks
            .pools()
            .flat_map(|pool| streams.iter().filter_map(move |&stream| open_of(pool, stream)))
            .collect()
    }

    /// Where a write goes which may have come before a request to close.
    #[cold]
    pub(in crate::ftl) fn place_as_it_came(&mut self, write: &Placing, to: To) -> To {
        let To::Stream(stream) = to else { return to };
        let frontier = self.pages.blocks.frontier(write.pool, stream);
        let is_older = |leaving: &&mut Leaving| {
            // In 8 bits: of requests that still wait there are few.
            let closes_since = leaving.closes.wrapping_sub(write.writer.closes);
            (1..=i8::MAX as u8).contains(&closes_since) && leaving.streams.contains(&stream)
        };
        let Some(leaving) = self.leaving.iter_mut().find(is_older) else { return to };
        if write.why != Why::Written {
            return to;
        }
        match leaving.seats.get(&frontier) {
            Some(&seat) if self.pages.blocks.open_group_of(seat).is_some() => To::Group(seat),
            _ if !self.pages.may_detach(frontier) => to,
            Some(&seat) => To::Group(seat),
            None => {
                let seat = self.pages.take_seat(write.pool, stream);
                leaving.seats.insert(frontier, seat);
                To::Group(seat)
            }
        }
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
    fn try_close(&mut self, (head, frontier): OpenGroup, step: &mut Step<'_>) -> Result<bool, SimError> {
        let Pages { blocks, .. } = &self.pages;
        let (pool, _) = blocks.of_frontier(frontier);
        if blocks.open_group_of(frontier) != Some(head) {
            return Ok(true);
        }
        if blocks.needs_groups_of_host(pool) {
            return Ok(false);
        }
        self.pages.counters.closed_on_request += 1;
        self.note_closed(frontier, HandleEventKind::NotFullyWritten, step.now);
        // Behind the writes that are on their way to it: programs of a block are sent in order.
        self.close_group(frontier, self.ending, self.pages.class_of(frontier), step)?;
        Ok(true)
    }

    /// Closes the open group of a frontier, with programs of a class: all of the rest is padding, or only what a program and a
    /// stripe lack.
    pub(in crate::ftl) fn close_group(
        &mut self,
        frontier: FrontierId,
        ending: Ending,
        class: Class,
        step: &mut Step<'_>,
    ) -> Result<(), SimError> {
        let Some(head) = self.pages.blocks.open_group_of(frontier) else { return Ok(()) };
        let (pool, _) = self.pages.blocks.of_frontier(frontier);
        self.open_timeout.note_closed(frontier, head);
        self.note_filled_up(step.now);
        // Into the program that is open, too, or ones that begin with it, as parity goes.
        let is_open = |blocks: &Blocks| blocks.open_group_of(frontier) == Some(head);
        let goes_on = |blocks: &Blocks| match ending {
            Ending::Pad => true,
            Ending::Leave => blocks.is_within_program(frontier) || blocks.is_within_stripe(frontier),
        };
        self.pages.pad_while(frontier, class, step, |blocks| is_open(blocks) && goes_on(blocks));
        if is_open(&self.pages.blocks) && ending == Ending::Leave {
            self.pages.blocks.leave_rest(frontier);
        }
        self.pages.counters.closed_groups += 1;
        // By padding.
        self.pages.blocks.take_filled_up();
        self.after_allocation(pool, step)
    }
}

impl Pages {
    /// The open group of a frontier is detached, with its turn and the program that it is filling: to a seat, which gets what is
    /// sent to it by name ([`To::Group`]). The frontier opens another group with its next unit.
    pub(in crate::ftl) fn detach(&mut self, frontier: FrontierId) -> FrontierId {
        let (pool, stream) = self.blocks.of_frontier(frontier);
        let seat = self.take_seat(pool, stream);
        self.blocks.move_group(frontier, seat);
        self.packing.move_program(frontier, seat);
        seat
    }

    /// Takes a seat in a pool for data of a stream: a frontier that has no open group, and opens one when it is sent something.
    pub(in crate::ftl) fn take_seat(&mut self, pool: PoolId, stream: StreamId) -> FrontierId {
        let seat = self.blocks.take_seat(pool, stream);
        self.packing.make_room_for(seat);
        seat
    }

    /// True but for blocks of the SLC cache, where pages that move may have to go behind the host's, and where there is no room for
    /// one more open group.
    fn may_detach(&self, frontier: FrontierId) -> bool {
        let (pool, stream) = self.blocks.of_frontier(frontier);
        !self.blocks.is_cache(stream)
            && !self.blocks.needs_groups_of_host(pool)
            && self.blocks.has_room_for_seat(pool)
    }

    /// A detached group is taken up again by a frontier of its pool that has none, and its seat is free.
    pub(in crate::ftl) fn attach(&mut self, seat: FrontierId, frontier: FrontierId) {
        self.blocks.move_group(seat, frontier);
        self.packing.move_program(seat, frontier);
        self.blocks.leave_seat(seat);
    }

    /// The class of programs for which nobody waits.
    pub(in crate::ftl) fn class_of(&self, frontier: FrontierId) -> Class {
        let (_, stream) = self.blocks.of_frontier(frontier);
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
            let frontier = ftl.pages.blocks.frontier(pool, ftl.pages.placement.normal);
            ftl.pages.blocks.allocate(pool, frontier, Use::Host).unwrap();
        }
        // A job that wins nothing has two free blocks for itself.
        ftl.pages.blocks.begin_job_without_gain(pool);
        ftl.close_groups(owner, None, &mut step).unwrap();
        assert!(step.out.served.is_empty() && step.out.orders.is_empty());
        assert!(ftl.stuck().unwrap().contains("wait to be closed"));
        ftl.pages.blocks.end_job_without_gain(pool);
        ftl.close_asked(&mut step).unwrap();
        assert_eq!((&step.out.served[..], step.out.orders.len()), (&[owner][..], 7));
        assert_eq!((ftl.stuck(), ftl.counters().closed_on_request), (None, 1));
    }
}
