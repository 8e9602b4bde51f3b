//! Policies that the program gives which runs the SSD, for example one in Python: the row `external` of a slot asks such an object.
//!
//! A configuration says which it is (`gc.external` and others), so that equal configurations give equal results; the object itself is in
//! [`Externals`](super::Externals), beside the keys.

use std::fmt;
use std::io;

use super::DeviceView;
use crate::engine::{LoadError, Loader, Saver};

/// What every such policy does beside its decision.
pub trait External: fmt::Debug + Send {
    /// Writes what the policy has learned in a run.
    ///
    /// # Errors
    /// It cannot say that, or what is written to fails.
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()>;

    /// Takes back what [`External::save`] wrote.
    ///
    /// # Errors
    /// See [`LoadError`].
    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError>;
}

type Make<P> = dyn Fn(&DeviceView<'_>) -> Box<P> + Send + Sync;

/// Makes the policy at the beginning of a run.
pub struct Maker<P: ?Sized>(Box<Make<P>>);

impl<P: ?Sized> Maker<P> {
    /// A maker of this function.
    pub fn new(make: impl Fn(&DeviceView<'_>) -> Box<P> + Send + Sync + 'static) -> Maker<P> {
        Maker(Box::new(make))
    }

    /// The policy at the beginning of a run.
    #[must_use]
    pub fn make(&self, device: &DeviceView<'_>) -> Box<P> {
        (self.0)(device)
    }
}

impl<P: ?Sized> fmt::Debug for Maker<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Maker")
    }
}

/// The row `external` of a slot: it hands each question to the object that the program gave. An SSD for which none was given does not
/// begin to run (`Config::lacks_external`).
macro_rules! external {
    ($Trait:ident for $Slot:ident { $($begin:tt)* }) => {
        /// The policy of the calling program.
        #[derive(Debug)]
        pub struct External(Option<Box<dyn $Trait>>);

        impl $crate::policy::Policy for External {
            const NAME: &'static str = "external";
            const HELP: &'static str = "a policy of the program that runs the SSD, such as one in Python";
            type Parameters = $crate::policy::NoParameters;

            fn save(&self, to: &mut $crate::engine::Saver<'_>) -> std::io::Result<()> {
                self.0.as_ref().map_or(Ok(()), |policy| policy.save(to))
            }

            fn load(&mut self, from: &mut $crate::engine::Loader<'_>) -> Result<(), $crate::engine::LoadError> {
                self.0.as_mut().map_or(Ok(()), |policy| policy.load(from))
            }
        }

        impl External {
            fn made(device: &$crate::policy::DeviceView<'_>) -> External {
                External(device.externals.get::<$crate::policy::Maker<dyn $Trait>>().map(|maker| maker.make(device)))
            }
        }

        impl $Slot for External { $($begin)* }
    };
}
pub(super) use external;
