//! What one client has asked for and the SSD has not been asked yet. Long requests come to the SSD in pieces, so that neither
//! memory nor the time of other clients depends on what a client asks for in 28 bytes.

use std::collections::{BTreeMap, VecDeque};

use wordline_core::engine::Ns;

use crate::protocol::{Command, Errno, NbdRequest};

/// The longest piece of a request that brings no data, mapping units and bytes.
const PIECE_UNITS_MAX: u64 = 4096;
const PIECE_BYTES_MAX: u64 = 32 << 20;
/// Mapping units that the requests of one client may have under way in the SSD.
const CLIENT_UNITS_MAX: u64 = 16 << 10;
/// Mapping units that all requests may have under way.
const UNITS_MAX: u64 = 64 << 10;
/// What a flush counts as, also one behind a write with FUA: it looks at the whole cache.
const FLUSH_UNITS: u64 = 512;
/// What a question about the store counts as.
const STATUS_UNITS: u64 = 1024;

/// A request, or a piece of one, on its way to the SSD.
#[derive(Debug)]
pub(crate) struct Piece {
    pub request: NbdRequest,
    /// What it counts as.
    pub units: u64,
    /// The number of the request that it is a piece of; none for a whole one.
    pub of: Option<u64>,
}

/// A request whose pieces are not all answered.
#[derive(Debug, Default)]
struct Split {
    pieces: u64,
    /// More pieces are to come.
    is_cut_up: bool,
    failure: Option<Errno>,
    arrived: Option<Ns>,
}

/// How a request has ended whose pieces are all answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub failure: Option<Errno>,
    pub arrived: Ns,
}

/// The requests of a client, in order.
#[derive(Debug)]
pub(crate) struct Queue {
    waiting: VecDeque<NbdRequest>,
    unit_bytes: u64,
    /// Units under way.
    units: u64,
    /// Which request the one at the front is, if it is split.
    front: Option<u64>,
    splits: BTreeMap<u64, Split>,
    numbers: u64,
}

impl Queue {
    /// For an SSD whose mapping units have so many bytes.
    pub fn new(unit_bytes: u32) -> Queue {
        Queue {
            waiting: VecDeque::new(),
            unit_bytes: unit_bytes.into(),
            units: 0,
            front: None,
            splits: BTreeMap::new(),
            numbers: 0,
        }
    }

    pub fn push(&mut self, request: NbdRequest) {
        self.waiting.push_back(request);
    }

    /// The next piece, if the SSD has room for it beside `all` units of all clients. A client with nothing under way
    /// always has its turn.
    pub fn next(&mut self, all: u64) -> Option<Piece> {
        let front = self.waiting.front()?;
        let bytes = self.piece_bytes(front);
        let units = self.units_of(front, bytes);
        let has_room = self.units + units <= CLIENT_UNITS_MAX && all + units <= UNITS_MAX;
        if self.units > 0 && !has_room {
            return None;
        }
        self.units += units;
        if bytes == front.bytes && self.front.is_none() {
            return self.waiting.pop_front().map(|request| Piece { request, units, of: None });
        }
        Some(self.cut(bytes, units))
    }

    /// Takes a piece of the request at the front.
    fn cut(&mut self, bytes: u32, units: u64) -> Piece {
        let number = *self.front.get_or_insert_with(|| {
            self.numbers += 1;
            self.numbers
        });
        let front = &mut self.waiting[0];
        let request = NbdRequest { bytes, ..front.clone() };
        front.offset += u64::from(bytes);
        front.bytes -= bytes;
        let is_last = front.bytes == 0;
        if is_last {
            self.waiting.pop_front();
            self.front = None;
        }
        let split = self.splits.entry(number).or_default();
        split.pieces += 1;
        split.is_cut_up = !is_last;
        Piece { request, units, of: Some(number) }
    }

    /// How much of a request comes to the SSD at once: all of it where data come with it, else up to the end of a unit.
    fn piece_bytes(&self, request: &NbdRequest) -> u32 {
        let is_long = matches!(request.command, Command::Cache | Command::Trim | Command::WriteZeroes { .. });
        let most = (PIECE_UNITS_MAX * self.unit_bytes).min(PIECE_BYTES_MAX);
        if !is_long || u64::from(request.bytes) <= most {
            return request.bytes;
        }
        (most - request.offset % self.unit_bytes) as u32
    }

    fn units_of(&self, request: &NbdRequest, bytes: u32) -> u64 {
        match request.command {
            Command::Flush => FLUSH_UNITS,
            Command::BlockStatus { .. } => STATUS_UNITS,
            _ => {
                let end = request.offset + u64::from(bytes);
                let units = end.div_ceil(self.unit_bytes) - request.offset / self.unit_bytes;
                units + if request.is_durable_when_answered() { FLUSH_UNITS } else { 0 }
            }
        }
    }

    /// Units are no longer under way.
    pub fn done(&mut self, units: u64) {
        self.units -= units;
    }

    /// A piece is answered; how its request has ended, where it was the last one.
    pub fn piece_done(&mut self, of: u64, failure: Option<Errno>, arrived: Ns) -> Option<Ended> {
        let split = self.splits.get_mut(&of)?;
        split.pieces -= 1;
        split.failure = split.failure.or(failure);
        let arrived = split.arrived.map_or(arrived, |earlier| earlier.min(arrived));
        split.arrived = Some(arrived);
        if split.pieces > 0 || split.is_cut_up {
            return None;
        }
        let failure = split.failure;
        self.splits.remove(&of);
        Some(Ended { failure, arrived })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u32 = 1 << 30;

    fn request(command: Command, offset: u64, bytes: u32) -> NbdRequest {
        NbdRequest { cookie: 7, command, offset, bytes, fua: false }
    }

    /// Takes all pieces there are, and answers each before the next.
    fn pieces(queue: &mut Queue) -> (Vec<(u64, u32)>, Option<Ended>) {
        let (mut pieces, mut ended) = (Vec::new(), None);
        while let Some(piece) = queue.next(0) {
            assert!(piece.units <= PIECE_UNITS_MAX);
            queue.done(piece.units);
            ended = piece.of.and_then(|of| queue.piece_done(of, None, pieces.len() as Ns));
            pieces.push((piece.request.offset, piece.request.bytes));
        }
        (pieces, ended)
    }

    #[test]
    fn long_requests_come_in_pieces_that_end_at_units() {
        for (unit_bytes, most) in [(4096, 16 << 20), (512, 2 << 20), (65_536, 32 << 20)] {
            let mut queue = Queue::new(unit_bytes);
            queue.push(request(Command::Cache, 512, GIB));
            let (pieces, ended) = pieces(&mut queue);
            assert_eq!(ended, Some(Ended { failure: None, arrived: 0 }));
            let mut at = 512;
            for &(offset, bytes) in &pieces {
                assert_eq!(offset, at);
                assert!(bytes <= most);
                at += u64::from(bytes);
                assert!(at.is_multiple_of(unit_bytes.into()) || at == 512 + u64::from(GIB));
            }
            assert_eq!(at, 512 + u64::from(GIB));
        }
    }

    #[test]
    fn what_brings_data_stays_whole() {
        let mut queue = Queue::new(512);
        queue.push(request(Command::Read, 0, 32 << 20));
        queue.push(request(Command::Trim, 0, 4096));
        let piece = queue.next(UNITS_MAX).unwrap();
        assert_eq!((piece.units, piece.of), (65_536, None), "a client with nothing under way has its turn");
        assert!(queue.next(0).is_none());
        queue.done(piece.units);
        assert_eq!(queue.next(0).unwrap().of, None);
    }

    #[test]
    fn a_client_has_so_much_under_way_and_all_have() {
        let mut queue = Queue::new(4096);
        queue.push(request(Command::Trim, 0, GIB));
        let taken = std::iter::from_fn(|| queue.next(0)).count() as u64;
        assert_eq!(taken * PIECE_UNITS_MAX, CLIENT_UNITS_MAX);
        let mut queue = Queue::new(4096);
        queue.push(request(Command::Trim, 0, GIB));
        assert!(queue.next(UNITS_MAX).is_some());
        assert!(queue.next(UNITS_MAX).is_none());
    }

    #[test]
    fn the_first_failure_of_a_piece_is_that_of_the_request() {
        let mut queue = Queue::new(4096);
        queue.push(request(Command::Trim, 0, 48 << 20));
        let of: Vec<u64> = std::iter::from_fn(|| queue.next(0)).filter_map(|piece| piece.of).collect();
        assert_eq!(of, [1, 1, 1]);
        assert_eq!(queue.piece_done(1, None, 5), None);
        assert_eq!(queue.piece_done(1, Some(Errno::NoSpace), 4), None);
        let ended = queue.piece_done(1, Some(Errno::Io), 6);
        assert_eq!(ended, Some(Ended { failure: Some(Errno::NoSpace), arrived: 4 }));
    }
}
