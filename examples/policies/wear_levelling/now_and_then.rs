//! `now-and-then`: with one in so many reclaimed blocks of a plane, the data of a random full block moves, whatever its
//! wear. The controller need not know how worn a block is; JFFS2 does it with one block in a hundred (Woodhouse,
//! "JFFS: The Journalling Flash File System", OLS 2001).

use std::io;

use super::{DeviceView, Policy, WearKeys, WearPolicy, WearView};
use crate::engine::{LoadError, Loader, Saver};
use crate::parameter::section;
use wordline_cells::geometry::{BlockId, PlaneId};
use wordline_cells::ids::IdVec;
use wordline_cells::variation::{Purpose, below};

section! {
    /// The keys of `now-and-then`.
    #[derive(Copy)]
    pub struct Keys {
        /// Reclaimed blocks of a plane until one is chosen at random.
        reclaims_between: u32 = 100, whole(1, 1_000_000).source("JFFS2").when("wear.policy", &["now-and-then"]);
    }
}

/// A random block now and then.
#[derive(Clone, Debug)]
pub struct NowAndThen {
    between: u32,
    seed: u64,
    /// By plane.
    reclaims: IdVec<PlaneId, u32>,
}

impl Policy for NowAndThen {
    const NAME: &'static str = "now-and-then";
    const HELP: &'static str = "a random block's, with one in `reclaims_between` reclaimed blocks";
    type Parameters = Keys;

    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.reclaims)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.reclaims = from.value()?;
        Ok(())
    }
}

impl WearPolicy for NowAndThen {
    fn moves_data(_: &WearKeys) -> bool {
        true
    }

    fn new(keys: &Keys, device: &DeviceView<'_>) -> NowAndThen {
        let planes = device.geometry.planes() as usize;
        NowAndThen { between: keys.reclaims_between, seed: device.seed, reclaims: IdVec::filled(planes, 0) }
    }

    fn choose(&mut self, view: &WearView<'_>) -> Option<BlockId> {
        let reclaims = &mut self.reclaims[view.plane];
        *reclaims += 1;
        if !reclaims.is_multiple_of(self.between) {
            return None;
        }
        let candidates = view.candidates().count() as u64;
        let draw = u64::from(view.plane) << 32 | u64::from(*reclaims);
        let chosen = below(self.seed, draw, Purpose::VictimChoice, candidates.max(1));
        view.candidates().nth(chosen as usize).map(|(block, _)| block)
    }
}
