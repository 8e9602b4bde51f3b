//! `dynamic`: the die with the fewest programs on their way; of several the one whose channel has the fewest, then
//! the one that waited longest for its turn.

use std::collections::VecDeque;
use std::io;

use super::{AllocationPolicy, DeviceView, NoParameters, Order, Policy};
use crate::engine::{LoadError, Loader, Saver};
use wordline_cells::Divider;
use wordline_cells::geometry::{Geometry, Lpn, PlaneId};

/// The die with the fewest programs.
#[derive(Clone, Debug)]
pub struct Dynamic {
    planes: Divider,
    /// Programs on their way, by die and by channel.
    pending: Vec<u32>,
    pending_by_channel: Vec<u32>,
    /// All dies, the one that was chosen longest ago first.
    turns: VecDeque<u32>,
    next_plane: Vec<u8>,
    planes_per_die: Divider,
    dies_per_channel: Divider,
}

impl Policy for Dynamic {
    const NAME: &'static str = "dynamic";
    const HELP: &'static str = "the least busy die";
    type Parameters = NoParameters;

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&(&self.pending, &self.pending_by_channel, &self.turns, &self.next_plane))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        (self.pending, self.pending_by_channel, self.turns, self.next_plane) = from.value()?;
        Ok(())
    }
}

impl AllocationPolicy for Dynamic {
    fn new(_: &NoParameters, device: &DeviceView<'_>, _: Order) -> Dynamic {
        let geometry = &device.geometry;
        Dynamic {
            planes: Divider::new(geometry.planes()),
            pending: vec![0; geometry.dies() as usize],
            pending_by_channel: vec![0; geometry.channels as usize],
            turns: turns(geometry),
            next_plane: vec![0; geometry.dies() as usize],
            planes_per_die: Divider::new(geometry.planes_per_die),
            dies_per_channel: Divider::new(geometry.dies_per_channel()),
        }
    }

    #[inline]
    fn home(&self, lpn: Lpn) -> PlaneId {
        PlaneId::new(self.planes.remainder(lpn))
    }

    #[inline(never)]
    fn plane_for(&mut self, _: Lpn, has_room: impl Fn(PlaneId) -> bool) -> PlaneId {
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
        self.plane(die, plane)
    }

    #[inline]
    fn goes_anywhere(&self) -> bool {
        true
    }

    #[inline]
    fn began(&mut self, plane: PlaneId) {
        let die = self.planes_per_die.quotient(plane.number());
        self.pending[die as usize] += 1;
        self.pending_by_channel[self.dies_per_channel.quotient(die) as usize] += 1;
    }

    #[inline]
    fn ended(&mut self, plane: PlaneId) {
        let die = self.planes_per_die.quotient(plane.number());
        self.pending[die as usize] -= 1;
        self.pending_by_channel[self.dies_per_channel.quotient(die) as usize] -= 1;
    }

    fn nothing_is_pending(&mut self) {
        self.pending.fill(0);
        self.pending_by_channel.fill(0);
    }
}

impl Dynamic {
    /// One of the planes of a die.
    fn plane(&self, die: u32, plane: u32) -> PlaneId {
        PlaneId::new(die * self.planes_per_die.divisor() + plane)
    }

    /// The next plane of a die with room, beginning with the one in turn.
    fn next_plane_with(&self, die: u32, has_room: &impl Fn(PlaneId) -> bool) -> Option<u32> {
        let first = u32::from(self.next_plane[die as usize]);
        let planes = (0..self.planes_per_die.divisor()).map(|i| self.planes_per_die.remainder(first + i));
        planes.into_iter().find(|plane| has_room(self.plane(die, *plane)))
    }
}

/// All dies, those of the channels in turn: the first pages go to different channels.
fn turns(geometry: &Geometry) -> VecDeque<u32> {
    let dies = geometry.dies_per_channel();
    (0..geometry.dies()).map(|i| i % geometry.channels * dies + i / geometry.channels).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn dynamic() -> (Geometry, Dynamic) {
        let mut config = Config::default();
        (config.ssd.channels, config.ssd.chips_per_channel) = (3, 4);
        let device = config.device_view();
        (device.geometry, Dynamic::new(&NoParameters {}, &device, Order::CWDP))
    }

    #[test]
    fn dynamic_avoids_the_busy_die() {
        let (_, mut allocator) = dynamic();
        for _ in 0..3 {
            allocator.began(PlaneId::new(0));
        }
        let dies: Vec<_> = (0..23)
            .map(|_| {
                let plane = allocator.plane_for(Lpn::new(0), |_| true);
                allocator.began(plane);
                plane.number() / 2
            })
            .collect();
        assert!(!dies.contains(&0));
    }

    #[test]
    fn dynamic_stripes_over_channels_and_then_dies() {
        let (g, mut allocator) = dynamic();
        let dies: Vec<_> = (0..24)
            .map(|_| {
                let plane = allocator.plane_for(Lpn::new(0), |_| true);
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
        let (g, mut allocator) = dynamic();
        let mut used = vec![0; 24];
        for i in 0..240 {
            // Only one channel can take a page at a time, as with a limit on the programs of a channel.
            let free = i % 3;
            let plane = allocator.plane_for(Lpn::new(0), |plane| g.channel_of(g.die_of(plane)) == free);
            used[g.die_of(plane) as usize] += 1;
        }
        assert_eq!(used, vec![10; 24]);
    }

    #[test]
    fn dynamic_goes_where_there_is_room() {
        let (_, mut allocator) = dynamic();
        allocator.began(PlaneId::new(20));
        allocator.began(PlaneId::new(21));
        let planes: Vec<_> = (0..4)
            .map(|_| allocator.plane_for(Lpn::new(0), |plane| (20..23).contains(&plane.number())))
            .collect();
        assert_eq!(planes, [PlaneId::new(22); 4], "planes 20 and 21 have room, but their die is busy");
        let planes: Vec<_> =
            (0..2).map(|_| allocator.plane_for(Lpn::new(0), |plane| plane == PlaneId::new(20))).collect();
        assert_eq!(planes, [PlaneId::new(20); 2]);
        allocator.plane_for(Lpn::new(0), |_| false);
    }
}
