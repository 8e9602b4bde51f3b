//! Which plane a page goes to: the 24 static orders, or the die with the fewest programs.

use std::collections::VecDeque;

use crate::engine::Divider;
use crate::nand::{Geometry, Lpn, PlaneId};

/// How pages spread over the planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Fixed by the logical page: letters of the order from the fastest to the slowest.
    Static([Level; 4]),
    /// The die with the fewest programs on their way; of several the one whose channel has the fewest, then the
    /// one that waited longest for its turn.
    Dynamic,
}

/// One level of parallelism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// C
    Channel,
    /// W, the way: a chip on its channel.
    Way,
    /// D
    Die,
    /// P
    Plane,
}

impl Allocation {
    /// Reads `CWDP` and its 23 siblings, or `dynamic`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Allocation> {
        if text == "dynamic" {
            return Some(Allocation::Dynamic);
        }
        let mut levels = [Level::Channel; 4];
        let letters = text.as_bytes();
        if letters.len() != 4 {
            return None;
        }
        for (i, letter) in letters.iter().enumerate() {
            if letters[..i].contains(letter) {
                return None;
            }
            levels[i] = match letter {
                b'C' => Level::Channel,
                b'W' => Level::Way,
                b'D' => Level::Die,
                b'P' => Level::Plane,
                _ => return None,
            };
        }
        Some(Allocation::Static(levels))
    }
}

/// Chooses planes.
#[derive(Debug)]
pub struct Allocator {
    /// For each level in order: how many there are, and how many planes apart two neighbours are.
    steps: Option<[(u32, u32); 4]>,
    period: Divider,
    /// Plane by `lpn % period`, where the table is small enough to keep.
    table: Vec<u16>,
    /// Programs on their way, by die and by channel: dynamic allocation goes by them.
    pending: Vec<u32>,
    pending_by_channel: Vec<u32>,
    /// All dies, the one that was chosen longest ago first.
    turns: VecDeque<u32>,
    next_plane: Vec<u8>,
    planes_per_die: Divider,
    dies_per_channel: Divider,
}

impl Allocator {
    /// An allocator over a geometry.
    #[must_use]
    pub fn new(allocation: Allocation, geometry: &Geometry) -> Allocator {
        let steps = match allocation {
            Allocation::Dynamic => None,
            Allocation::Static(levels) => Some(levels.map(|level| {
                let per_chip = geometry.dies_per_chip * geometry.planes_per_die;
                match level {
                    Level::Channel => (geometry.channels, geometry.chips_per_channel * per_chip),
                    Level::Way => (geometry.chips_per_channel, per_chip),
                    Level::Die => (geometry.dies_per_chip, geometry.planes_per_die),
                    Level::Plane => (geometry.planes_per_die, 1),
                }
            })),
        };
        let mut allocator = Allocator {
            steps,
            period: Divider::new(geometry.planes()),
            table: Vec::new(),
            pending: vec![0; geometry.dies() as usize],
            pending_by_channel: vec![0; geometry.channels as usize],
            turns: turns(geometry),
            next_plane: vec![0; geometry.dies() as usize],
            planes_per_die: Divider::new(geometry.planes_per_die),
            dies_per_channel: Divider::new(geometry.dies_per_channel()),
        };
        if let Some(steps) = steps {
            allocator.table = (0..geometry.planes()).map(|i| spread(steps, i) as u16).collect();
        }
        allocator
    }

    /// The plane that the next write of a page goes to. Dynamic allocation only looks at planes that
    /// have room, as long as any has.
    #[inline(always)]
    pub fn plane_for(&mut self, lpn: Lpn, has_room: impl Fn(PlaneId) -> bool) -> PlaneId {
        if self.steps.is_some() { self.home(lpn) } else { self.least_busy(has_room) }
    }

    /// True when pages may go to any plane.
    #[inline]
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.steps.is_none()
    }

    /// The plane of a page that was there before the run.
    #[inline]
    #[must_use]
    pub fn home(&self, lpn: Lpn) -> PlaneId {
        let place = self.period.remainder(lpn);
        match self.table.get(place as usize) {
            Some(&plane) => PlaneId::from(plane),
            None => place,
        }
    }

    #[inline(never)]
    fn least_busy(&mut self, has_room: impl Fn(PlaneId) -> bool) -> PlaneId {
        let least = (0, self.pending_by_channel.iter().copied().min().unwrap_or(0));
        let mut best = None::<((u32, u32), usize, u32)>;
        for (place, &die) in self.turns.iter().enumerate() {
            let channel = self.dies_per_channel.quotient(die);
            let load = (self.pending[die as usize], self.pending_by_channel[channel as usize]);
            let is_less = best.is_none_or(|(least, ..)| load < least);
            if is_less && let Some(plane) = self.next_plane_with(die, &has_room) {
                best = Some((load, place, plane));
                if load == least {
                    break;
                }
            }
        }
        let (_, place, plane) = best.unwrap_or_else(|| {
            let nowhere = self.turns[0];
            ((0, 0), 0, u32::from(self.next_plane[nowhere as usize]))
        });
        let die = self.turns.remove(place).unwrap_or(0);
        self.turns.push_back(die);
        self.next_plane[die as usize] = self.planes_per_die.remainder(plane + 1) as u8;
        die * self.planes_per_die.divisor() + plane
    }

    /// The plane of a die, from the one whose turn it is, that has room.
    fn next_plane_with(&self, die: u32, has_room: &impl Fn(PlaneId) -> bool) -> Option<u32> {
        let first = u32::from(self.next_plane[die as usize]);
        let planes = (0..self.planes_per_die.divisor()).map(|i| self.planes_per_die.remainder(first + i));
        planes.into_iter().find(|plane| has_room(die * self.planes_per_die.divisor() + plane))
    }

    /// Power is gone, and every program with it.
    pub fn nothing_is_pending(&mut self) {
        self.pending.fill(0);
        self.pending_by_channel.fill(0);
    }

    /// A program was handed to a die.
    #[inline]
    pub fn began(&mut self, plane: PlaneId) {
        if !self.is_dynamic() {
            return;
        }
        let die = self.planes_per_die.quotient(plane);
        self.pending[die as usize] += 1;
        self.pending_by_channel[self.dies_per_channel.quotient(die) as usize] += 1;
    }

    /// A program is done.
    #[inline]
    pub fn ended(&mut self, plane: PlaneId) {
        if !self.is_dynamic() {
            return;
        }
        let die = self.planes_per_die.quotient(plane);
        self.pending[die as usize] -= 1;
        self.pending_by_channel[self.dies_per_channel.quotient(die) as usize] -= 1;
    }
}

/// All dies, those of the channels in turn: the first pages go to different channels.
fn turns(geometry: &Geometry) -> VecDeque<u32> {
    let dies = geometry.dies_per_channel();
    (0..geometry.dies()).map(|i| i % geometry.channels * dies + i / geometry.channels).collect()
}

fn spread(steps: [(u32, u32); 4], lpn: u32) -> PlaneId {
    let mut rest = lpn;
    let mut plane = 0;
    for (count, stride) in steps {
        plane += rest % count * stride;
        rest /= count;
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nand::Shape;

    fn geometry() -> Geometry {
        Geometry::from(Shape {
            channels: 3,
            chips_per_channel: 4,
            dies_per_chip: 2,
            planes_per_die: 2,
            blocks_per_plane: 8,
            pages_per_block: 8,
            page_bytes: 4096,
            bits_per_cell: 1,
        })
    }

    #[test]
    fn every_order_reaches_every_plane_once() {
        let letters = ['C', 'W', 'D', 'P'];
        let mut orders = 0;
        for a in letters {
            for b in letters {
                for c in letters {
                    for d in letters {
                        let text: String = [a, b, c, d].iter().collect();
                        let Some(allocation) = Allocation::parse(&text) else { continue };
                        orders += 1;
                        let mut allocator = Allocator::new(allocation, &geometry());
                        let mut planes: Vec<_> =
                            (0..48).map(|lpn| allocator.plane_for(lpn, |_| true)).collect();
                        planes.sort_unstable();
                        assert_eq!(planes, (0..48).collect::<Vec<_>>(), "{text}");
                    }
                }
            }
        }
        assert_eq!(orders, 24);
    }

    #[test]
    fn the_first_letter_changes_fastest() {
        let g = geometry();
        let mut cwdp = Allocator::new(Allocation::parse("CWDP").unwrap(), &g);
        let channels: Vec<_> =
            (0..4).map(|lpn| g.channel_of(g.die_of(cwdp.plane_for(lpn, |_| true)))).collect();
        assert_eq!(channels, [0, 1, 2, 0]);
        let mut pdwc = Allocator::new(Allocation::parse("PDWC").unwrap(), &g);
        assert_eq!((0..4).map(|lpn| pdwc.plane_for(lpn, |_| true)).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn dynamic_avoids_the_busy_die() {
        let mut allocator = Allocator::new(Allocation::Dynamic, &geometry());
        for _ in 0..3 {
            allocator.began(0);
        }
        let dies: Vec<_> = (0..23)
            .map(|_| {
                let plane = allocator.plane_for(0, |_| true);
                allocator.began(plane);
                plane / 2
            })
            .collect();
        assert!(!dies.contains(&0));
    }

    #[test]
    fn dynamic_stripes_over_channels_and_then_dies() {
        let g = geometry();
        let mut allocator = Allocator::new(Allocation::Dynamic, &g);
        let dies: Vec<_> = (0..24)
            .map(|_| {
                let plane = allocator.plane_for(0, |_| true);
                allocator.began(plane);
                g.die_of(plane)
            })
            .collect();
        let channels: Vec<_> = dies[..6].iter().map(|&die| g.channel_of(die)).collect();
        assert_eq!(channels, [0, 1, 2, 0, 1, 2]);
        assert_eq!(dies.iter().collect::<std::collections::BTreeSet<_>>().len(), 24);
    }

    #[test]
    fn dynamic_reaches_every_die_although_channels_take_turns_to_be_full() {
        let g = geometry();
        let mut allocator = Allocator::new(Allocation::Dynamic, &g);
        let mut used = vec![0; 24];
        for i in 0..240 {
            // Only one channel can take a page at a time, as with a limit on the programs of a channel.
            let free = i % 3;
            let plane = allocator.plane_for(0, |plane| g.channel_of(g.die_of(plane)) == free);
            used[g.die_of(plane) as usize] += 1;
        }
        assert_eq!(used, vec![10; 24]);
    }

    #[test]
    fn dynamic_goes_where_there_is_room() {
        let mut allocator = Allocator::new(Allocation::Dynamic, &geometry());
        allocator.began(20);
        allocator.began(21);
        let planes: Vec<_> =
            (0..4).map(|_| allocator.plane_for(0, |plane| (20..23).contains(&plane))).collect();
        assert_eq!(planes, [22, 22, 22, 22], "planes 20 and 21 have room, but their die is busy");
        let planes: Vec<_> = (0..2).map(|_| allocator.plane_for(0, |plane| plane == 20)).collect();
        assert_eq!(planes, [20, 20]);
        allocator.plane_for(0, |_| false);
    }

    #[test]
    fn nonsense_is_no_order() {
        for text in ["CWD", "CCWD", "CWDX", "cwdp", "CWDPC", ""] {
            assert_eq!(Allocation::parse(text), None, "{text}");
        }
    }
}
