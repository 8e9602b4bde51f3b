//! What follows from a change of the mapping table: an entry of the journal, and a copy that is kept until the newer one is on
//! flash.

use super::pages::Pages;
use crate::flash::Owner;
use crate::ftl::Step;
use crate::ftl::map::undone::Holds;
use crate::nand::{BlockId, Lpn, Pun};

impl Pages {
    /// The entry of a unit changes: from where it is, or is not, to another place, whose program has not ended. It `is_new`
    /// data, or a unit that moves.
    #[inline]
    pub fn entry_changes(&mut self, lpn: Lpn, old: Option<Pun>, pun: Pun, is_new: bool) {
        if let Some(journal) = &mut self.journal {
            journal.changed(lpn, Some(pun), is_new);
            if !journal.is_protected {
                let holds = journal.undone.begins(lpn, old, pun, is_new);
                self.begin_hold(holds);
            }
        }
    }

    /// The same where the data are at their new place already.
    #[inline]
    pub fn entry_has_changed(&mut self, lpn: Lpn, pun: Pun, is_new: bool) {
        if let Some(journal) = &mut self.journal {
            journal.changed(lpn, Some(pun), is_new);
        }
    }

    /// True for a unit of the journal itself, and not of the checkpoint.
    #[inline]
    pub fn is_of_journal(&self, lpn: Lpn) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.is_of_ring(lpn))
    }

    fn begin_hold(&mut self, holds: Holds) {
        if let Some(pun) = holds.begins {
            self.blocks.get_mut(self.geometry.block_of(pun)).add_reads(1);
        }
    }

    /// The program of a unit is done. Returns a page of a block that is no longer held for it.
    #[inline(always)]
    pub fn entry_is_safe(&mut self, lpn: Lpn, pun: Pun) -> Option<Pun> {
        let journal = self.journal.as_mut()?;
        if journal.is_of_ring(lpn) && self.mapping.is_valid(pun) {
            journal.is_durable(lpn);
        }
        // A drive with backup power may have been saved without it, while copies were kept.
        if journal.is_protected && journal.undone.is_empty() {
            return None;
        }
        let holds = journal.undone.ends(lpn, pun);
        self.begin_hold(holds);
        holds.ends
    }

    /// A unit is nowhere any more. Returns a page of a block that is no longer held for it.
    pub fn entry_is_gone(&mut self, lpn: Lpn) -> Option<Pun> {
        let journal = self.journal.as_mut()?;
        journal.changed(lpn, None, true);
        journal.undone.forget(lpn).ends
    }

    /// The victim of a job waits until units that moved out of it are on flash: programs that wait for more of them do not.
    pub fn hurry_moved_out_of(&mut self, victim: BlockId, step: &mut Step<'_>) {
        let Some(journal) = self.journal.as_deref() else { return };
        let head_of = |pun| self.blocks.grouping().head_of(self.geometry.block_of(pun));
        let holds = |lpn| journal.undone.safe_copy(lpn).is_some_and(|safe| head_of(safe) == victim);
        let waits = |owner| matches!(owner, Owner::Moved | Owner::Nobody);
        let frontiers = self.packing.frontiers_with(|unit| waits(unit.owner) && holds(unit.lpn));
        for frontier in frontiers {
            self.pad(frontier, step);
        }
    }
}
