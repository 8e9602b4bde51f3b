//! What every call has in common: its code, its words, no panic, one thread at a time.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, TryLockError};

use wordline_core::SimError;
use wordline_run::{DoneJob, HeldDrive, OpenError, RunError};

use crate::{wl_code, wl_drive};

thread_local! {
    static WORDS: RefCell<CString> = RefCell::default();
}

/// Why a call fails.
pub(crate) struct Failure {
    code: wl_code,
    words: String,
}

impl Failure {
    pub fn null(name: &str) -> Failure {
        Failure::request(&format!("{name} is NULL"))
    }

    pub fn request(words: &str) -> Failure {
        Failure { code: wl_code::WL_REQUEST, words: words.to_owned() }
    }

    pub fn fault(error: &impl Display) -> Failure {
        let words = format!("this is a fault of Wordline: {error}; please report it with what you ran");
        Failure { code: wl_code::WL_FAULT, words }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let code = match &error {
            RunError::State { .. } | RunError::StorageFull { .. } => wl_code::WL_STATE,
            RunError::Simulation(SimError::OutOfSpace(_)) => wl_code::WL_OUT_OF_SPACE,
            RunError::Simulation(SimError::Request(_)) => wl_code::WL_REQUEST,
            RunError::Workload(_) | RunError::Trace(_) | RunError::Synthetic(_) => wl_code::WL_CONFIG,
            RunError::Simulation(_) => wl_code::WL_SIMULATION,
        };
        Failure { code, words: error.to_string() }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        match error {
            OpenError::Run(error) => error.into(),
            OpenError::Config(_) | OpenError::Setting(_) => {
                Failure { code: wl_code::WL_CONFIG, words: error.to_string() }
            }
        }
    }
}

/// The words of the last failure of this thread.
pub(crate) fn last_words() -> *const c_char {
    WORDS.with_borrow(|words| words.as_ptr())
}

/// Carries out a call.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> wl_code {
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Err(Failure::fault(&words))
    });
    let Err(Failure { code, words }) = outcome else { return wl_code::WL_OK };
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ").replace('\0', " ");
    WORDS.set(CString::new(line).unwrap_or_default());
    code
}

/// Carries out a call on a drive, which no other thread uses meanwhile.
pub(crate) fn with(
    drive: *const wl_drive,
    work: impl FnOnce(&mut HeldDrive, &mut Vec<DoneJob>) -> Result<(), Failure>,
) -> wl_code {
    let mut is_broken = false;
    guarded(|| {
        // SAFETY: the caller says that the drive is open; a reference is all that is made of it.
        let drive = unsafe { drive.as_ref() }.ok_or_else(|| Failure::null("drive"))?;
        let mut held = match drive.held.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => {
                is_broken = true;
                held.into_inner()
            }
            Err(TryLockError::WouldBlock) => {
                let words = "another thread uses the drive at this moment".to_owned();
                return Err(Failure { code: wl_code::WL_BUSY, words });
            }
        };
        if is_broken {
            *held = None;
        }
        let held = held.as_mut().ok_or_else(|| Failure::fault(&"the drive is of no use after a fault"))?;
        let mut waiting = drive.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        work(held, &mut waiting)
    })
}
