//! What a drive without backup power keeps of a logical unit until its newest copy is on flash: the copy before it.
//!
//! The table says at once where a unit goes. Its program may be cut off, or wait for other units that share it. Then the unit is,
//! when power is back, where its newest program has ended. So a block with such a copy is not erased: each holds its block as a
//! read does. This also holds the victim of GC until what moved out of it is on flash.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::nand::{Lpn, Pun};

/// A place whose program is not done.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct OnItsWay {
    pun: Pun,
    /// It has data that the place before had not: it is a write, and not a move.
    is_new: bool,
}

/// A unit whose newest copy is not on flash.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Chain {
    /// The newest copy that is on flash, if there is any.
    safe: Option<Pun>,
    /// Those that are on their way, in the order in which they were asked for.
    rest: Vec<OnItsWay>,
}

/// What a loss of power makes of a unit.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct FallBack {
    pub lpn: Lpn,
    /// The copy on flash, if there is any.
    pub to: Option<Pun>,
    /// Programs that were not done.
    pub programs: usize,
    /// Data are lost with them.
    pub loses: bool,
}

/// Which blocks are held from now on, and which are no more, by a page of each.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ftl) struct Holds {
    pub begins: Option<Pun>,
    pub ends: Option<Pun>,
}

/// All units whose newest copies are not on flash.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::ftl) struct Undone {
    chains: BTreeMap<Lpn, Chain>,
}

impl Undone {
    /// True if the newest copy of every unit is on flash, as far as is known here.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    /// A unit goes from where it is to another place.
    pub fn begins(&mut self, lpn: Lpn, old: Option<Pun>, pun: Pun, is_new: bool) -> Holds {
        let next = OnItsWay { pun, is_new };
        if let Some(chain) = self.chains.get_mut(&lpn) {
            chain.rest.push(next);
            return Holds::default();
        }
        self.chains.insert(lpn, Chain { safe: old, rest: vec![next] });
        Holds { begins: old, ends: None }
    }

    /// A program of a unit is done.
    pub fn ends(&mut self, lpn: Lpn, pun: Pun) -> Holds {
        let Some(chain) = self.chains.get_mut(&lpn) else { return Holds::default() };
        let Some(at) = chain.rest.iter().position(|next| next.pun == pun) else { return Holds::default() };
        let ends = chain.safe;
        if at + 1 == chain.rest.len() {
            self.chains.remove(&lpn);
            return Holds { begins: None, ends };
        }
        chain.rest.drain(..=at);
        chain.safe = Some(pun);
        Holds { begins: chain.safe, ends }
    }

    /// A unit is nowhere any more.
    pub fn forget(&mut self, lpn: Lpn) -> Holds {
        Holds { begins: None, ends: self.chains.remove(&lpn).and_then(|chain| chain.safe) }
    }

    /// Where the copy of a unit is that is kept until its newest one is on flash.
    pub fn safe_copy(&self, lpn: Lpn) -> Option<Pun> {
        self.chains.get(&lpn).and_then(|chain| chain.safe)
    }

    /// All copies that hold their blocks.
    pub fn safe_copies(&self) -> impl Iterator<Item = Pun> {
        self.chains.values().filter_map(|chain| chain.safe)
    }

    /// Power is gone.
    pub fn power_cut(&mut self) -> Vec<FallBack> {
        let chains = std::mem::take(&mut self.chains);
        let of_chain = |(lpn, chain): (Lpn, Chain)| {
            let loses = chain.rest.iter().any(|next| next.is_new);
            FallBack { lpn, to: chain.safe, programs: chain.rest.len(), loses }
        };
        chains.into_iter().map(of_chain).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_falls_back_to_its_newest_copy_on_flash() {
        let mut undone = Undone::default();
        assert_eq!(
            undone.begins(Lpn::new(7), Some(Pun::new(1)), Pun::new(2), true).begins,
            Some(Pun::new(1)),
            "its block stays"
        );
        assert_eq!(undone.begins(Lpn::new(7), Some(Pun::new(2)), Pun::new(3), true).begins, None);
        assert_eq!(undone.begins(Lpn::new(7), Some(Pun::new(3)), Pun::new(4), false).begins, None);
        let holds = undone.ends(Lpn::new(7), Pun::new(3));
        assert_eq!(
            (holds.begins, holds.ends, undone.safe_copy(Lpn::new(7))),
            (Some(Pun::new(3)), Some(Pun::new(1)), Some(Pun::new(3)))
        );
        assert_eq!(undone.ends(Lpn::new(7), Pun::new(2)).ends, None, "an older one says nothing");
        let back = undone.power_cut();
        assert_eq!(
            (back.len(), back[0].to, back[0].loses),
            (1, Some(Pun::new(3)), false),
            "a move loses nothing"
        );
        undone.begins(Lpn::new(7), Some(Pun::new(3)), Pun::new(4), true);
        assert_eq!(undone.ends(Lpn::new(7), Pun::new(4)).ends, Some(Pun::new(3)));
        assert!(undone.power_cut().is_empty());
    }
}
