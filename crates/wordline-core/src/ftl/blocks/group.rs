//! Groups and pools of blocks.
//!
//! A group is what is opened, filled, collected and erased together; a pool is the planes whose groups share free ones,
//! thresholds, waiting writes and a job. With `ftl.group = "block"` both are the smallest there are: a block, a plane. With
//! `"planes"` a group has a block of each plane of a die, and its pages are handed out row by row: the same page of
//! each block, then the next. So programs of all planes are of the same page, which is what a multi-plane program needs.
//! With `"superblock"` a group has a block of each plane of the SSD, which is the only pool: all planes of a die take a row, or what
//! is programmed at once, then those of the next die, on another channel. Each begins on another die. Where there are reclaim groups
//! (`fdp.reclaim_groups`), each is a set of channels with pools of its own, and a superblock lies on the planes of one.
//!
//! A pool has the number of its first plane, and a group goes by its first block there, its head. All blocks of a group have the same place in
//! their planes; with `fdp.unit_superblocks` it has several of each plane, which follow each other, and their rows are handed out in turn.
//! A block that is bad is missing in its group.

use crate::config::{Config, Group};
use crate::nand::{BlockId, PlaneId, PoolId};
use wordline_cells::Divider;

/// Which planes and blocks belong together.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct Grouping {
    /// Planes of a pool.
    pool: Divider,
    /// Blocks of each plane in a group.
    layers: Divider,
    blocks_per_plane: u32,
    /// Planes of the SSD.
    all_planes: u32,
    /// Planes of a die, where a group has a block of each; else one.
    planes: u32,
    /// Channels that a group lies on, and its dies on each.
    channels: u32,
    dies: u32,
    /// Planes of a reclaim group.
    planes_of_reclaim_group: u32,
}

impl Grouping {
    /// As the configuration says.
    pub fn new(config: &Config) -> Grouping {
        let geometry = config.geometry();
        let (planes, channels, dies) = match config.ftl.group {
            Group::Block => (1, 1, 1),
            Group::Planes => (geometry.planes_per_die, 1, 1),
            Group::Superblock => (
                geometry.planes_per_die,
                geometry.channels / config.fdp.groups(),
                geometry.dies_per_channel(),
            ),
        };
        let pool = Divider::new(planes * channels * dies);
        let layers = Divider::new(config.fdp.layers());
        let blocks_per_plane = config.ssd.blocks_per_plane;
        let all_planes = geometry.planes();
        let planes_of_reclaim_group = all_planes / config.fdp.groups();
        Grouping {
            pool,
            layers,
            blocks_per_plane,
            all_planes,
            planes,
            channels,
            dies,
            planes_of_reclaim_group,
        }
    }

    /// Blocks of a group.
    #[inline]
    pub fn width(&self) -> u32 {
        self.pool_planes() * self.layers()
    }

    /// Planes of a pool.
    #[inline]
    pub fn pool_planes(&self) -> u32 {
        self.pool.divisor()
    }

    /// Blocks of each plane in a group.
    #[inline]
    pub fn layers(&self) -> u32 {
        self.layers.divisor()
    }

    /// Planes of the SSD.
    #[inline]
    pub fn all_planes(&self) -> u32 {
        self.all_planes
    }

    /// Dies that a group lies on.
    #[inline]
    pub fn dies(&self) -> u32 {
        self.channels * self.dies
    }

    /// True where a group is more than a block.
    #[inline]
    pub fn joins(&self) -> bool {
        self.width() > 1
    }

    /// The pool of a plane.
    #[inline]
    pub fn pool_of(&self, plane: PlaneId) -> PoolId {
        let number = plane.number();
        PoolId::new(if self.joins() { number - self.pool.remainder(number) } else { number })
    }

    /// What a pool is, for messages.
    pub fn name(&self, pool: PoolId) -> String {
        match (self.pool_planes() > 1, self.pool_planes() == self.all_planes) {
            (false, _) => format!("plane {pool}"),
            (true, true) => "the SSD".to_owned(),
            (true, false) if self.dies() > 1 => {
                format!("reclaim group {}", self.reclaim_group_of_pool(pool))
            }
            (true, false) => format!("die {}", pool.number() / self.pool_planes()),
        }
    }

    /// What groups are, for messages.
    pub fn groups(&self) -> &'static str {
        if self.joins() { "groups of blocks" } else { "blocks" }
    }

    /// The reclaim group of a plane.
    #[inline]
    pub fn reclaim_group_of(&self, plane: PlaneId) -> u32 {
        plane.number() / self.planes_of_reclaim_group
    }

    /// The reclaim group of a pool.
    pub fn reclaim_group_of_pool(&self, pool: PoolId) -> u32 {
        self.reclaim_group_of(self.first_plane(pool))
    }

    /// The planes of a pool.
    pub fn planes_of(&self, pool: PoolId) -> impl Iterator<Item = PlaneId> + use<> {
        let first = pool.number();
        (first..first + self.pool_planes()).map(PlaneId::new)
    }

    /// The first plane of a pool.
    #[inline]
    pub fn first_plane(&self, pool: PoolId) -> PlaneId {
        PlaneId::new(pool.number())
    }

    /// All pools.
    pub fn pools(self) -> impl Iterator<Item = PoolId> + use<> {
        (0..self.all_planes).step_by(self.pool_planes() as usize).map(PoolId::new)
    }

    /// The heads of all groups of a pool.
    pub fn heads(&self, pool: PoolId) -> impl Iterator<Item = BlockId> + use<> {
        let first = BlockId::new(pool.number() * self.blocks_per_plane);
        first.to(first + self.blocks_per_plane).step_by(self.layers() as usize)
    }

    /// The head of the group of a block.
    #[inline]
    pub fn head_of(&self, block: BlockId) -> BlockId {
        if !self.joins() {
            return block;
        }
        let (plane, place) = (block.number() / self.blocks_per_plane, block.number() % self.blocks_per_plane);
        block - self.pool.remainder(plane) * self.blocks_per_plane - self.layers.remainder(place)
    }

    /// One block of a group.
    #[inline]
    pub fn member(&self, head: BlockId, member: u32) -> BlockId {
        head + self.blocks_to(member)
    }

    /// From the head of a group to one of its blocks.
    #[inline]
    pub fn blocks_to(&self, member: u32) -> u32 {
        if self.layers() == 1 {
            return member * self.blocks_per_plane;
        }
        self.pool.remainder(member) * self.blocks_per_plane + self.pool.quotient(member)
    }

    /// Planes of a die that have a block of a group each.
    #[inline]
    pub fn planes(&self) -> u32 {
        self.planes
    }

    /// The block of a group that takes a page in a turn: those of the planes of a die one after the other, then those of the next
    /// die, on the next channel.
    #[inline]
    pub fn in_turn(&self, head: BlockId, turn: u32) -> BlockId {
        if self.dies() == 1 {
            return self.member(head, turn);
        }
        let (layer, turn) = (self.pool.quotient(turn), self.pool.remainder(turn));
        let (die, plane) = (turn / self.planes + self.first_die(head), turn % self.planes);
        let die = if die < self.dies() { die } else { die - self.dies() };
        let (channel, way) = (die % self.channels, die / self.channels);
        self.member(head, layer * self.pool_planes() + (channel * self.dies + way) * self.planes + plane)
    }

    /// The turn of a block in its group: the inverse of [`Grouping::in_turn`].
    pub fn turn_of(&self, block: BlockId) -> u32 {
        let (layer, member) =
            (self.pool.quotient(self.member_of(block)), self.pool.remainder(self.member_of(block)));
        let (die, plane) = (member / self.planes, member % self.planes);
        let (channel, way) = (die / self.dies, die % self.dies);
        let die = way * self.channels + channel + self.dies() - self.first_die(block);
        layer * self.pool_planes() + die % self.dies() * self.planes + plane
    }

    /// The die that has the first turn. It is another one for each group, and so parity, which has the last turn of a stripe, lies on
    /// all dies.
    #[inline]
    fn first_die(&self, block: BlockId) -> u32 {
        self.layers.quotient(block.number() % self.blocks_per_plane) % self.dies()
    }

    /// The blocks of a group on the die of one of its members, bad ones among them.
    pub fn members_on_die(self, head: BlockId, member: u32) -> impl Iterator<Item = BlockId> + use<> {
        let first = member - member % self.planes;
        (first..first + self.planes).map(move |member| self.member(head, member))
    }

    /// Which member of its group a block is.
    #[inline]
    pub fn member_of(&self, block: BlockId) -> u32 {
        if !self.joins() {
            return 0;
        }
        let (plane, place) = (block.number() / self.blocks_per_plane, block.number() % self.blocks_per_plane);
        self.layers.remainder(place) * self.pool_planes() + self.pool.remainder(plane)
    }

    /// All blocks of a group, bad ones among them.
    pub fn members(self, head: BlockId) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.width()).map(move |member| self.member(head, member))
    }
}
