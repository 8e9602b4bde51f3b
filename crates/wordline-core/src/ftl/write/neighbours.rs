//! What a fill of the drive in order would put beside a unit: the units of a page, in each of the planes of its row, or of
//! what is programmed at once.

use crate::config::{Config, Group};
use crate::ftl::blocks::group::Grouping;
use crate::nand::{Lpn, PlaneId};
use crate::policy::allocation::Allocator;

/// Which logical units lie together.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct Neighbours {
    /// Units of a run of logical ones that follow each other.
    run: u32,
    /// Planes that have a run each.
    planes: u32,
    /// From a run to that of the next plane of its die, in runs.
    stride: u32,
}

impl Neighbours {
    pub fn new(config: &Config, allocator: &Allocator) -> Neighbours {
        let (run, planes) = (config.units_of_program(), Grouping::new(config).planes());
        if config.programs_wordlines() {
            return Neighbours { run, planes: 1, stride: 0 };
        }
        if config.ftl.group == Group::Superblock {
            // One pool: what follows each other goes to the planes of a die.
            return Neighbours { run: run * planes, planes: 1, stride: 0 };
        }
        // An order has its next plane after as many pages as it has planes before it comes to the same die again.
        let next_plane = || {
            (1..config.geometry().planes())
                .find(|&page| allocator.home(Lpn::new(page)) == allocator.home(Lpn::new(0)) + 1)
        };
        Neighbours { run, planes, stride: if planes > 1 { next_plane().unwrap_or(1) } else { 0 } }
    }

    /// A unit has no neighbour.
    #[inline(always)]
    pub fn are_alone(&self) -> bool {
        self.run == 1 && self.planes == 1
    }

    /// The units beside one whose home is a plane, and itself, in the order of a fill.
    pub fn of(&self, lpn: Lpn, plane: PlaneId) -> impl Iterator<Item = Lpn> + use<> {
        let Neighbours { run, planes, stride } = *self;
        let (run, first) = (run as usize, (plane.number() % planes * stride) as usize);
        let first = (lpn.index() / run).saturating_sub(first);
        let runs = (0..planes).map(move |plane| first + (plane * stride) as usize);
        runs.flat_map(move |number| Lpn::from_index(number * run).to(Lpn::from_index((number + 1) * run)))
    }
}
