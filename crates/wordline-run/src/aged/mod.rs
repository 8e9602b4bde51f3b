//! Drives that were aged without time, for further runs that write the same before they begin.
//!
//! Points of a grid, and commands after each other, often differ only in the host, in timings or in policies that aging does not
//! ask. Their drives are equal when the run begins, so they are aged once. Results do not depend on it. What such a drive depends
//! on is its [key]; the last one of a process stays in its [memory], any number of them in [files](file).

mod file;
mod key;
mod memory;

pub use file::about_aged;
pub use key::{AgedKey, drive_number};
pub use memory::DriveCache;

use wordline_core::engine::LoadError;

use crate::RunError;
use crate::run::{Report, Run};
use key::Key;

impl Run {
    /// [`Run::precondition`], or the drive of an earlier run that wrote the same.
    ///
    /// # Errors
    /// See [`Run::precondition`].
    pub fn precondition_from(
        &mut self,
        drives: &mut DriveCache,
        go_on: &mut dyn FnMut(Report) -> bool,
    ) -> Result<(), RunError> {
        if !self.take_aged(drives)? {
            self.age(Some(drives), go_on)?;
        }
        self.age_with_time(go_on)
    }

    /// Takes the drive that is kept, if it is what [`Run::age`] would make; false if not.
    ///
    /// # Errors
    /// [`RunError::State`]: what was kept cannot be read, which is a bug.
    pub fn take_aged(&mut self, drives: &mut DriveCache) -> Result<bool, RunError> {
        match Key::of(self) {
            Some(key) => drives.give(self, &key),
            None => Ok(false),
        }
    }

    /// The first stage of [`Run::precondition`], without time; [`Run::age_with_time`] is the second one. `drives` keeps the drive.
    ///
    /// # Errors
    /// See [`Run::precondition`].
    pub fn age(
        &mut self,
        drives: Option<&mut DriveCache>,
        go_on: &mut dyn FnMut(Report) -> bool,
    ) -> Result<(), RunError> {
        let Some((drives, key)) = drives.zip(Key::of(self)) else {
            return self.precondition_without_time(go_on);
        };
        drives.clear_spares();
        self.precondition_without_time(go_on)?;
        drives.keep(self, key);
        Ok(())
    }
}

pub(crate) fn broken(what: &str, error: &LoadError) -> RunError {
    RunError::State { file: what.to_owned(), what: format!("cannot be read: {error:?}") }
}
