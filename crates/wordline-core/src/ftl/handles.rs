//! What a drive with Flexible Data Placement tells of its handles: events, and what is left of their reclaim units.

use super::write::pages::Pages;
use super::write::placement::Placement;
use super::{Ftl, Step};
use crate::engine::Ns;
use crate::flash::{Purpose, StreamId, Writer};
use crate::metrics::{HandleCounters, HandleEvent, HandleEventKind, HandleEvents};
use crate::nand::{BlockId, FrontierId, Lpn, PoolId};

impl Ftl {
    /// What happened by placement identifier, and at last for data of none; empty where there are no handles.
    #[must_use]
    pub fn handles(&self) -> &[HandleCounters] {
        &self.pages.by_handle
    }

    /// Handles that the host has written to in this run, in any reclaim group: a bit each, of which there are at most 128.
    #[must_use]
    pub fn used_handles(&self) -> u128 {
        let streams = &self.pages.placement.streams;
        let of_hosts = (0..).zip(&self.pages.by_handle).take(streams.hosts().len());
        let used = of_hosts.filter(|(_, counters)| counters.host > 0);
        used.fold(0, |bits, (number, _)| bits | 1 << streams.handle_of(number))
    }

    /// The events of handles, where there is Flexible Data Placement.
    #[must_use]
    pub fn handle_events(&self) -> Option<&HandleEvents> {
        self.handle_events.as_deref()
    }

    /// The pools that a stream of the host, counted from 0, writes to: those of its reclaim group.
    fn pools_of(&self, number: usize) -> (StreamId, impl Iterator<Item = PoolId>) {
        let Pages { blocks, placement, .. } = &self.pages;
        let stream = placement.streams.hosts()[number];
        let (grouping, group) = (blocks.grouping(), placement.streams.group_of(stream));
        let is_in_group =
            move |pool: &PoolId| group.is_none_or(|group| grouping.reclaim_group_of_pool(*pool) == group);
        (stream, blocks.pools().filter(is_in_group))
    }

    /// Mapping units that the open groups of a placement identifier, counted from 0, have yet to take, and those of a group that is not open
    /// yet: Reclaim Unit Available Media Writes.
    #[must_use]
    pub fn room_of_handle(&self, number: usize) -> u64 {
        let blocks = &self.pages.blocks;
        let (stream, pools) = self.pools_of(number);
        let of_pool = |pool| match blocks.frontier(pool, stream) {
            frontier if blocks.open_group_of(frontier).is_some() => blocks.left_in_open(frontier),
            _ => self.pages.pages_per_group(),
        };
        pools.map(|pool| u64::from(of_pool(pool))).sum()
    }

    /// How long the open groups of a placement identifier may stay as they are, ns; none where there is no limit, or none is open. It is
    /// looked at at intervals.
    #[must_use]
    pub fn time_left_of_handle(&self, number: usize, now: Ns) -> Option<Ns> {
        let (stream, pools) = self.pools_of(number);
        let blocks = &self.pages.blocks;
        let frontiers = pools.map(|pool| blocks.frontier(pool, stream));
        let open = frontiers.filter(|&frontier| blocks.open_group_of(frontier).is_some());
        open.filter_map(|frontier| self.open_timeout.left(frontier, now)).min()
    }

    /// Mapping units of a group of blocks, but for parity.
    #[must_use]
    pub fn units_per_group(&self) -> u32 {
        self.pages.pages_per_group()
    }

    /// A write names a placement handle, counted from 1: counts it where the drive has none such.
    pub fn note_handle(&mut self, handle: u16, now: Ns) {
        if self.pages.placement.streams.of_handle(handle).is_none() {
            self.note_lack(handle, now);
        }
    }

    /// A write names a placement handle, counted from 1, that the drive or its namespace does not have.
    pub fn note_lack(&mut self, handle: u16, now: Ns) {
        if !self.pages.placement.by_handle {
            return;
        }
        self.pages.counters.invalid_handles += 1;
        self.note_event(HandleEventKind::InvalidIdentifier, Some(handle - 1), now);
    }

    /// The stream of the host that a request to close names by its handle; none for all.
    #[must_use]
    pub fn stream_to_close(&self, handle: u16) -> Option<StreamId> {
        let placement = &self.pages.placement;
        if placement.by_handle { placement.streams.of_handle(handle) } else { None }
    }

    /// The stream of the host that the handle of a write says, or the lack of one; none where handles say nothing.
    #[must_use]
    pub fn stream_by_handle(&self, lpn: Lpn, writer: &Writer) -> Option<StreamId> {
        let Placement { streams, by_handle, .. } = &self.pages.placement;
        by_handle.then(|| streams.of_handle(writer.hint).unwrap_or_else(|| streams.without_handle(lpn)))
    }

    fn note_event(&mut self, kind: HandleEventKind, stream: Option<u16>, at: Ns) {
        if let Some(events) = &mut self.handle_events {
            events.note(HandleEvent { at, kind, stream, moved: None });
        }
    }

    /// The stream of the host whose data a frontier takes, as they are written.
    fn host_of_frontier(&self, frontier: FrontierId) -> Option<u16> {
        let (_, stream) = self.pages.blocks.of_frontier(frontier);
        match self.pages.placement.streams.get(stream).purpose {
            Purpose::Host(number) => Some(number),
            _ => None,
        }
    }

    /// Groups that were filled up: their handles go on in others.
    #[inline]
    pub(super) fn note_filled_up(&mut self, now: Ns) {
        if self.handle_events.is_some() {
            self.note_each_filled_up(now);
        }
    }

    #[cold]
    fn note_each_filled_up(&mut self, now: Ns) {
        for frontier in self.pages.blocks.take_filled_up() {
            if let Some(number) = self.host_of_frontier(frontier) {
                self.note_event(HandleEventKind::ImplicitlyModified, Some(number), now);
            }
        }
    }

    /// The open group of a frontier is closed before it is full.
    pub(super) fn note_closed(&mut self, frontier: FrontierId, kind: HandleEventKind, now: Ns) {
        if self.handle_events.is_none() {
            return;
        }
        if let Some(number) = self.host_of_frontier(frontier) {
            self.note_event(kind, Some(number), now);
        }
    }

    /// A job begins, for any reason, that moves what is live in a group.
    pub(super) fn note_reallocation(&mut self, head: BlockId, step: &Step<'_>) {
        if self.handle_events.is_none() {
            return;
        }
        let Pages { blocks, placement, mapping, geometry, .. } = &self.pages;
        let group = blocks.group(head);
        let live_in = |id| mapping.next_valid(geometry.first_page(id), self.pages.end_of(id));
        let first = blocks.written_members(head).find_map(live_in);
        let Some(first) = first else { return };
        let event = HandleEvent {
            at: step.now,
            kind: HandleEventKind::MediaReallocated,
            stream: placement.streams.host_of(group.stream),
            moved: Some((self.pages.live_in(head), mapping.lpn_of(first))),
        };
        self.handle_events.iter_mut().for_each(|events| events.note(event));
    }

    /// The open groups of all streams of the host.
    pub(super) fn open_of_hosts(&self) -> Vec<(FrontierId, Option<BlockId>)> {
        let Pages { blocks, placement, .. } = &self.pages;
        if self.handle_events.is_none() {
            return Vec::new();
        }
        let of_pool = |pool| {
            let hosts = placement.streams.hosts().iter();
            hosts.map(move |&stream| blocks.frontier(pool, stream))
        };
        let frontiers = blocks.pools().flat_map(of_pool);
        frontiers.map(|frontier| (frontier, blocks.open_group_of(frontier))).collect()
    }

    /// Power was lost, before which these groups were open.
    pub(super) fn note_reset(&mut self, before: &[(FrontierId, Option<BlockId>)], now: Ns) {
        for &(frontier, open) in before {
            if open.is_some() && self.pages.blocks.open_group_of(frontier) != open {
                self.note_closed(frontier, HandleEventKind::ResetModified, now);
            }
        }
    }
}
