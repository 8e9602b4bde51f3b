//! Streams of open blocks: what each is for, and where its data go when they move.

use serde::{Deserialize, Serialize};

use super::ModeId;

/// A stream's number, which only its [`StreamTable`] makes: the streams that a plane has open blocks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StreamId(Width);

/// The width of a stream's number, written once.
type Width = u16;

impl From<StreamId> for usize {
    /// Its place in what is kept by stream.
    #[inline(always)]
    fn from(id: StreamId) -> usize {
        id.0.into()
    }
}

impl StreamId {
    /// The stream at a place in what is kept by stream.
    #[must_use]
    pub fn at(place: usize) -> StreamId {
        StreamId(place as Width)
    }
}

/// What the blocks of a stream hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// What the host writes: its stream of this number.
    Host(u16),
    /// What GC and refresh have moved.
    Moved,
    /// What was moved of one stream of the host alone: its handle is persistently isolated.
    MovedOf(u16),
    /// What wear levelling has moved: cold data.
    Cold,
    /// Pages that were read before the run wrote them.
    Preload,
    /// What was written fast (OFWAR).
    Fast,
    /// What the host wrote and is yet to be folded: the SLC cache.
    Cache,
    /// What was folded out of it.
    Folded,
    /// The journal of the mapping table and its checkpoints.
    Map,
    /// What the host writes to the zone of this number.
    Zone(u32),
}

impl Purpose {
    /// True for what the host writes, and not for what moves or follows from it.
    #[must_use]
    pub fn is_of_host(self) -> bool {
        matches!(self, Purpose::Host(_) | Purpose::Cache | Purpose::Zone(_))
    }
}

/// A stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// What its blocks hold.
    pub purpose: Purpose,
    /// How the cells of its blocks store bits.
    pub mode: ModeId,
    /// Where its data go when GC or refresh moves them.
    pub moves_to: StreamId,
    /// Its data never share blocks with those of other streams of the host, also when they move.
    stays_apart: bool,
}

/// All streams of a drive, and what they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamTable {
    streams: Vec<Stream>,
    hosts: Vec<StreamId>,
    /// Streams of the host in a reclaim group; 0 where there is one group.
    of_group: u32,
}

impl StreamTable {
    /// Adds a stream for a purpose that has none yet, in the chip's own mode. Its data stay in it when they move.
    ///
    /// # Panics
    /// There are more streams than numbers: the configuration takes far fewer.
    pub fn add(&mut self, purpose: Purpose) -> StreamId {
        self.add_in(ModeId::NATIVE, purpose)
    }

    /// [`StreamTable::add`] for blocks in a mode.
    ///
    /// # Panics
    /// See there.
    pub fn add_in(&mut self, mode: ModeId, purpose: Purpose) -> StreamId {
        let id = StreamId(Width::try_from(self.streams.len()).expect("few streams"));
        self.streams.push(Stream { purpose, mode, moves_to: id, stays_apart: false });
        if let Purpose::Host(_) = purpose {
            self.hosts.push(id);
        }
        id
    }

    /// From now on data of a stream go to another one when they move.
    pub fn moves_to(&mut self, from: StreamId, to: StreamId) {
        self.streams[usize::from(from)].moves_to = to;
    }

    /// From now on data of a stream never share blocks with those of other streams of the host, also when they move.
    pub fn stays_apart(&mut self, id: StreamId) {
        self.streams[usize::from(id)].stays_apart = true;
    }

    /// From now on so many streams of the host, in their order, are of the first reclaim group, as many of the next, and so on.
    pub fn divide(&mut self, of_group: u32) {
        self.of_group = of_group;
    }

    /// There are several reclaim groups.
    #[inline]
    #[must_use]
    pub fn are_divided(&self) -> bool {
        self.of_group > 0
    }

    /// The reclaim group of a stream of the host, where there are several.
    #[inline]
    #[must_use]
    pub fn group_of(&self, id: StreamId) -> Option<u32> {
        let number = u32::from(self.host_of(id)?);
        number.checked_div(self.of_group)
    }

    /// The handle, within its reclaim group, of a stream of the host; both are counted from 0.
    #[must_use]
    pub fn handle_of(&self, number: u32) -> u32 {
        if self.are_divided() { number % self.of_group } else { number }
    }

    /// The stream of data that name no handle: of the first one, in a reclaim group by a number.
    #[inline]
    #[must_use]
    pub fn without_handle(&self, number: impl Into<u64>) -> StreamId {
        if !self.are_divided() {
            return self.hosts[0];
        }
        let groups = self.hosts.len() as u64 / u64::from(self.of_group);
        self.hosts[(number.into() % groups) as usize * self.of_group as usize]
    }

    /// The stream of the host that the blocks of a stream hold data of, where these are of one.
    #[must_use]
    pub fn host_of(&self, id: StreamId) -> Option<u16> {
        match self.get(id).purpose {
            Purpose::Host(number) | Purpose::MovedOf(number) => Some(number),
            _ => None,
        }
    }

    /// The same, where its data must not share blocks with others.
    #[must_use]
    pub fn kept_apart(&self, id: StreamId) -> Option<u16> {
        if self.get(id).stays_apart { self.host_of(id) } else { None }
    }

    /// The stream of the host for a placement handle, counted from 1; none for 0, and where there is none.
    #[inline]
    #[must_use]
    pub fn of_handle(&self, handle: u16) -> Option<StreamId> {
        self.hosts.get(usize::from(handle).wrapping_sub(1)).copied()
    }

    /// A stream.
    #[inline]
    #[must_use]
    pub fn get(&self, id: StreamId) -> Stream {
        self.streams[usize::from(id)]
    }

    /// Number of streams.
    #[must_use]
    pub fn len(&self) -> usize {
        self.streams.len()
    }

    /// True before a stream was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// All streams, in the order of their numbers.
    pub fn ids(&self) -> impl Iterator<Item = StreamId> + use<> {
        (0..self.streams.len() as Width).map(StreamId)
    }

    /// The streams of the host: at least one.
    #[inline]
    #[must_use]
    pub fn hosts(&self) -> &[StreamId] {
        &self.hosts
    }

    /// The stream of a purpose, if the drive has one.
    #[must_use]
    pub fn of(&self, purpose: Purpose) -> Option<StreamId> {
        self.ids().find(|&id| self.get(id).purpose == purpose)
    }
}
