//! The devices of a trace: how many there are, how large, and where they lie one behind the other.

use std::collections::{BTreeMap, BTreeSet};

/// Devices with numbers below this take a bit each.
const LOW: usize = 1 << 16;
/// Devices begin at multiples of this many sectors (1 MiB), so that no page of any SSD belongs to two of them.
const STEP_SECTORS: u64 = 2048;

/// The devices that were seen.
pub(crate) struct Devices {
    last: u32,
    low: Vec<u64>,
    high: BTreeSet<u32>,
    count: u64,
    /// The end of each device, sectors; only where the sizes are wanted.
    ends: Option<BTreeMap<u32, u64>>,
}

impl Devices {
    /// None so far; with their sizes, if these are wanted.
    pub fn new(with_sizes: bool) -> Self {
        Self {
            last: 0,
            low: vec![0; LOW / 64],
            high: BTreeSet::new(),
            count: 0,
            ends: with_sizes.then(BTreeMap::new),
        }
    }

    /// A request of a device, which ends before this sector.
    #[inline]
    pub fn add(&mut self, device: u32, end_sector: u64) {
        if device != self.last || self.count == 0 {
            self.count_once(device);
        }
        if let Some(ends) = &mut self.ends {
            let end = ends.entry(device).or_default();
            *end = end_sector.max(*end);
        }
    }

    fn count_once(&mut self, device: u32) {
        self.last = device;
        let is_new = match self.low.get_mut(device as usize / 64) {
            Some(word) => {
                let bit = 1 << (device % 64);
                let is_new = *word & bit == 0;
                *word |= bit;
                is_new
            }
            None => self.high.insert(device),
        };
        self.count += u64::from(is_new);
    }

    /// Number of devices.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The devices one behind the other, in the order of their numbers; `None` if they do not fit 64 bits.
    pub fn packed(&self) -> Option<Packed> {
        let mut firsts = BTreeMap::new();
        let mut next = 0u64;
        for (device, end) in self.ends.iter().flatten() {
            firsts.insert(*device, next);
            next = next.checked_add(end.checked_next_multiple_of(STEP_SECTORS)?)?;
        }
        Some(Packed { firsts })
    }
}

/// Where devices begin that lie one behind the other, each as large as the trace uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed {
    firsts: BTreeMap<u32, u64>,
}

impl Packed {
    /// The first sector of a device.
    pub fn first(&self, device: u32) -> Option<u64> {
        self.firsts.get(&device).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_counts_once_and_has_its_own_size() {
        let mut devices = Devices::new(true);
        for (device, end) in [(7, 100), (70_000, 3000), (7, 50), (3, 0), (70_000, 10), (3, 2048)] {
            devices.add(device, end);
        }
        assert_eq!(devices.count(), 3);
        let packed = devices.packed().unwrap();
        assert_eq!(
            [3, 7, 70_000, 1].map(|device| packed.first(device)),
            [Some(0), Some(2048), Some(4096), None]
        );
        devices.add(4, u64::MAX);
        assert_eq!(devices.packed(), None);
    }
}
