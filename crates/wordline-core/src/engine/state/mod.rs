//! What a run has changed, as bytes and back.
//!
//! A part is made anew from its configuration, then loaded: so what follows from the configuration (tables of a chip,
//! times, limits) is not stored. Each part says in one [`state!`] what it stores and what it does not; a field that is in
//! neither list does not compile.
//!
//! Bytes come in frames with a checksum each. No byte of a damaged frame is decoded.

mod forks;
mod loader;
mod saver;
mod table;

pub use forks::Forks;
pub use loader::{LoadError, Loader};
pub use saver::Saver;
pub(super) use table::{Pieces, save_table};

use std::io;

/// A part of a simulation whose state can be stored.
pub trait State {
    /// Writes the state.
    ///
    /// # Errors
    /// What is written to fails.
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()>;

    /// Takes a state in place of its own. A part that fails here is of no further use.
    ///
    /// # Errors
    /// [`LoadError`]: the bytes are damaged or belong to a part of another shape.
    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError>;
}

impl<T: State> State for Option<T> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.is_some())?;
        self.as_ref().map_or(Ok(()), |part| part.save(to))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        if from.value::<bool>()? != self.is_some() {
            return Err(LoadError::Damaged);
        }
        self.as_mut().map_or(Ok(()), |part| part.load(from))
    }
}

impl<T: State> State for [T] {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        to.value(&self.len())?;
        self.iter().try_for_each(|part| part.save(to))
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        if from.value::<usize>()? != self.len() {
            return Err(LoadError::Damaged);
        }
        self.iter_mut().try_for_each(|part| part.load(from))
    }
}

impl<T: State, const N: usize> State for [T; N] {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.as_slice().save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.as_mut_slice().load(from)
    }
}

impl<T: State> State for Vec<T> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        self.as_slice().save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        self.as_mut_slice().load(from)
    }
}

impl<T: State> State for Box<T> {
    fn save(&self, to: &mut Saver<'_>) -> io::Result<()> {
        (**self).save(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), LoadError> {
        (**self).load(from)
    }
}

/// Implements [`State`] for a struct: `parts` have a state themselves, `values` are stored as they are, and `derived` is
/// what the configuration, the options of the run or other parts say. A state from elsewhere is `checked` by a method that says
/// whether every number in it names something that there is.
macro_rules! state {
    ($Part:ty {
        $(parts: $($part:ident),+;)?
        $(values: $($value:ident),+;)?
        $(derived: $($derived:ident),+;)?
        $(checked: $check:ident;)?
    }) => {
        impl $crate::engine::State for $Part {
            fn save(&self, to: &mut $crate::engine::Saver<'_>) -> std::io::Result<()> {
                let Self { $($($part,)+)? $($($value,)+)? $($($derived: _,)+)? } = self;
                $($($part.save(to)?;)+)?
                $($(to.value($value)?;)+)?
                Ok(())
            }

            fn load(&mut self, from: &mut $crate::engine::Loader<'_>) -> Result<(), $crate::engine::LoadError> {
                let Self { $($($part,)+)? $($($value,)+)? $($($derived: _,)+)? } = self;
                $($($part.load(from)?;)+)?
                $($(*$value = from.value()?;)+)?
                $(from.check(|| self.$check())?;)?
                Ok(())
            }
        }
    };
}
pub(crate) use state;
