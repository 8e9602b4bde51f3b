//! Slot `allocation`: which plane does a page go to?
//!
//! The name of a policy, or the letters of an order, are read in `name.rs`.

mod dynamic;
mod in_order;
mod name;

pub use in_order::{Level, Order};
pub use name::Allocation;

use super::{DeviceView, NoParameters, Policy, policies};
use wordline_cells::geometry::{Lpn, PlaneId};

/// Where pages go. What a policy keeps in a run is in its fields.
pub trait AllocationPolicy: Policy {
    /// At the beginning of a run. The order is the one that the configuration spells, or the default one.
    fn new(keys: &Self::Parameters, device: &DeviceView<'_>, order: Order) -> Self;

    /// The plane of a page that was there before the run.
    fn home(&self, lpn: Lpn) -> PlaneId;

    /// The plane that the next write of a page goes to: its home, unless pages may go anywhere. Then it should have
    /// room, as long as any plane has.
    #[inline]
    fn plane_for(&mut self, lpn: Lpn, _has_room: impl Fn(PlaneId) -> bool) -> PlaneId {
        self.home(lpn)
    }

    /// Pages may go to any plane: those that wait for room wait in one queue, and not at a plane.
    #[inline]
    fn goes_anywhere(&self) -> bool {
        false
    }

    /// A program was handed to a die.
    #[inline]
    fn began(&mut self, _plane: PlaneId) {}

    /// A program is done.
    #[inline]
    fn ended(&mut self, _plane: PlaneId) {}

    /// Power is gone, and every program with it.
    fn nothing_is_pending(&mut self) {}
}

policies! {
    /// The policies of the slot.
    AllocationName, AllocationKeys [
        in_order::InOrder,
        dynamic::Dynamic,
    ]

    run Allocator: AllocationPolicy (device: &DeviceView<'_>, order: Order) {
        /// See [`AllocationPolicy::home`].
        #[must_use]
        fn home(&self, lpn: Lpn) -> PlaneId;
        /// See [`AllocationPolicy::plane_for`].
        fn plane_for(&mut self, lpn: Lpn, has_room: impl Fn(PlaneId) -> bool) -> PlaneId;
        /// See [`AllocationPolicy::goes_anywhere`].
        #[must_use]
        fn goes_anywhere(&self) -> bool;
        /// See [`AllocationPolicy::began`].
        fn began(&mut self, plane: PlaneId);
        /// See [`AllocationPolicy::ended`].
        fn ended(&mut self, plane: PlaneId);
        /// See [`AllocationPolicy::nothing_is_pending`].
        fn nothing_is_pending(&mut self);
    }
}
