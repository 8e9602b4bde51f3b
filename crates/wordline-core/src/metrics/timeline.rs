//! What arrays, buses and ECC engines did, for a window of time: the input of a trace viewer.

use serde::{Deserialize, Deserializer, Serialize};

use crate::engine::Ns;
use crate::flash::{Class, Phase, Txns};
use crate::nand::{ChannelId, Lpn, LunId};

/// What a slice happened on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Track {
    /// The array of a LUN.
    Array(LunId),
    /// The bus of a channel.
    Channel(ChannelId),
    /// The ECC engine of a channel.
    Ecc(ChannelId),
}

/// One thing that took some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Slice {
    /// Where.
    pub track: Track,
    /// What: one of [`ACTIVITIES`].
    pub name: &'static str,
    /// From when, ns.
    pub start: Ns,
    /// How long, ns.
    pub duration: Ns,
    /// The class of its transaction.
    pub class: Class,
    /// For which logical page.
    pub lpn: Lpn,
}

/// All that is done on a track: the phases of a die, then what a channel and its ECC engine do.
pub const ACTIVITIES: [&str; 11] = [
    "sense",
    "predict",
    "program",
    "erase pulse",
    "verify",
    "reset",
    "set feature",
    "suspend",
    "command",
    "data out",
    "decode",
];

impl<'de> Deserialize<'de> for Slice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Slice, D::Error> {
        let (track, name, start, duration, class, lpn) =
            <(_, String, _, _, _, _)>::deserialize(deserializer)?;
        let known = ACTIVITIES.into_iter().find(|known| *known == name);
        let name = known.ok_or_else(|| serde::de::Error::unknown_variant(&name, &ACTIVITIES))?;
        Ok(Slice { track, name, start, duration, class, lpn })
    }
}

/// Slices that begin within a window.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Timeline {
    window: Option<(Ns, Ns)>,
    /// The slices, in the order in which they were begun.
    pub slices: Vec<Slice>,
}

impl Timeline {
    /// A timeline of a window, or of nothing.
    #[must_use]
    pub fn new(window: Option<(Ns, Ns)>) -> Timeline {
        Timeline { window, slices: Vec::new() }
    }

    /// The window counts from `now` on: a run begins on an SSD that has been used before.
    pub fn begin_at(&mut self, now: Ns) {
        self.window = self.window.map(|(from, to)| (from.saturating_add(now), to.saturating_add(now)));
    }

    /// Takes the slices that no later event changes: those that are over by now, but for the last one of each array.
    pub fn take_settled(&mut self, now: Ns) -> Vec<Slice> {
        let mut last = std::collections::BTreeSet::new();
        let mut stays: Vec<bool> = self
            .slices
            .iter()
            .rev()
            .map(|slice| {
                let is_last_of_array = matches!(slice.track, Track::Array(unit) if last.insert(unit));
                is_last_of_array || slice.start + slice.duration > now
            })
            .collect();
        stays.reverse();
        let mut stays = stays.into_iter();
        self.slices.extract_if(.., |_| !stays.next().unwrap_or(false)).collect()
    }

    /// Takes all slices: the run is over.
    pub fn take(&mut self) -> Vec<Slice> {
        std::mem::take(&mut self.slices)
    }

    /// True when there is a window.
    #[inline]
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.window.is_some()
    }

    #[inline]
    fn add(&mut self, track: Track, name: &'static str, start: Ns, duration: Ns, (txns, id): (&Txns, u32)) {
        if self.window.is_some_and(|(from, to)| start >= from && start < to) {
            self.push(Slice {
                track,
                name,
                start,
                duration,
                class: txns[id].class,
                lpn: txns.carried(id).lpn,
            });
        }
    }

    #[inline(never)]
    fn push(&mut self, slice: Slice) {
        self.slices.push(slice);
    }

    pub(crate) fn array(&mut self, lun: LunId, phase: Phase, start: Ns, txn: (&Txns, u32)) {
        self.add(Track::Array(lun), phase.name(), start, phase.ns(), txn);
    }

    /// The array of a LUN has something left to do for a command whose pages have gone.
    pub(crate) fn array_goes_on(&mut self, lun: LunId, phase: Phase, start: Ns) {
        let before = self.slices.iter().rfind(|slice| slice.track == Track::Array(lun)).copied();
        if let Some(before) = before.filter(|_| self.window.is_some_and(|(_, to)| start < to)) {
            self.slices.push(Slice { name: phase.name(), start, duration: phase.ns(), ..before });
        }
    }

    /// What the array of a LUN is doing ends now.
    pub(crate) fn end_array(&mut self, lun: LunId, now: Ns) {
        let last = self.slices.iter_mut().rfind(|slice| slice.track == Track::Array(lun));
        if let Some(slice) = last.filter(|slice| slice.start + slice.duration > now) {
            slice.duration = now - slice.start.min(now);
        }
    }

    #[inline]
    pub(crate) fn channel(
        &mut self,
        channel: ChannelId,
        name: &'static str,
        start: Ns,
        duration: Ns,
        txn: (&Txns, u32),
    ) {
        self.add(Track::Channel(channel), name, start, duration, txn);
    }

    #[inline]
    pub(crate) fn ecc(&mut self, channel: ChannelId, start: Ns, duration: Ns, txn: (&Txns, u32)) {
        self.add(Track::Ecc(channel), "decode", start, duration, txn);
    }
}
