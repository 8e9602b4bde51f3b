//! `libwordline`: a simulated SSD that a program in another language steps.
//!
//! Every function that can fail returns a [`wl_code`]; [`wl_error`] has the words, the same that Python and the command line
//! say. No panic crosses the interface. A drive may move between threads, and one thread at a time may use it: a second
//! one gets [`wl_code::WL_BUSY`]. Different drives share nothing.

#![expect(non_camel_case_types, reason = "names of a C interface")]

mod guard;
#[cfg(test)]
mod tests;

use std::ffi::{CStr, CString, c_char};
use std::path::PathBuf;
use std::sync::Mutex;

use wordline_core::engine::Ns;
use wordline_core::flash::Status;
use wordline_core::host::Op;
use wordline_run::{DoneJob, DriveOp, HeldDrive, Opening};

use guard::{Failure, guarded, last_words, with};

/// Version of this interface. It grows when a call or a struct changes for those who have it.
pub const WL_ABI: u32 = 2;
/// `wl_advance` up to this time: until every job is done.
pub const WL_UNTIL_DONE: u64 = u64::MAX;
/// `wl_next_event` when no job is under way.
pub const WL_NEVER: u64 = u64::MAX;

/// How a call ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum wl_code {
    /// It did what was asked.
    WL_OK = 0,
    /// A mistake in the configuration.
    WL_CONFIG = 1,
    /// A time that is over, an operation that makes no sense, an unknown flow, or a null pointer.
    WL_REQUEST = 2,
    /// The simulated SSD has no room left.
    WL_OUT_OF_SPACE = 3,
    /// A state that cannot be read or written.
    WL_STATE = 4,
    /// The simulation cannot go on for another reason.
    WL_SIMULATION = 5,
    /// Another thread uses the drive at this moment.
    WL_BUSY = 6,
    /// A fault of Wordline. The drive is of no further use.
    WL_FAULT = 7,
}

/// What an operation does.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum wl_operation {
    /// Read bytes.
    WL_READ = 0,
    /// Write bytes.
    WL_WRITE = 1,
    /// Forget bytes (deallocate).
    WL_TRIM = 2,
    /// Make what was acknowledged durable; it has no address.
    WL_FLUSH = 3,
    /// Close the open groups of blocks (reclaim unit handle update); it has no address.
    WL_CLOSE = 4,
    /// Write bytes at the write pointer of the zone that begins at the offset.
    WL_APPEND = 5,
    /// Open the zone that begins at the offset; it has no length, as all that follow.
    WL_ZONE_OPEN = 6,
    /// Close the zone.
    WL_ZONE_CLOSE = 7,
    /// Fill the zone.
    WL_ZONE_FINISH = 8,
    /// Empty the zone.
    WL_ZONE_RESET = 9,
    /// Report all zones; it has no address.
    WL_ZONE_REPORT = 10,
}

/// How a job ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum wl_status {
    /// It was served.
    WL_SUCCESS = 0,
    /// An operation on nothing.
    WL_INVALID_FIELD = 1,
    /// An address beyond the drive.
    WL_LBA_OUT_OF_RANGE = 2,
    /// A page that could not be decoded.
    WL_UNRECOVERED_READ_ERROR = 3,
    /// The power failed.
    WL_ABORTED = 4,
    /// The drive has no such command.
    WL_INVALID_OPCODE = 5,
    /// It would leave its zone, or the capacity of its zone.
    WL_ZONE_BOUNDARY_ERROR = 6,
    /// A write to a zone that is full.
    WL_ZONE_IS_FULL = 7,
    /// A write to a zone that can only be read.
    WL_ZONE_IS_READ_ONLY = 8,
    /// A zone that cannot be used.
    WL_ZONE_IS_OFFLINE = 9,
    /// A write that does not begin at the write pointer.
    WL_ZONE_INVALID_WRITE = 10,
    /// One active zone too many.
    WL_TOO_MANY_ACTIVE_ZONES = 11,
    /// One open zone too many.
    WL_TOO_MANY_OPEN_ZONES = 12,
    /// The zone does not go from its state to the one that is asked for.
    WL_INVALID_ZONE_TRANSITION = 13,
}

/// An operation of a job. Set what you do not use to 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct wl_op {
    /// First byte, a multiple of 512.
    pub offset: u64,
    /// Bytes, a multiple of 512.
    pub length: u64,
    /// A `wl_operation`.
    pub operation: u32,
    /// The flow that asks, from 0.
    pub flow: u16,
    /// A placement handle; 0 for none.
    pub handle: u16,
}

/// A job that is done.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct wl_done {
    /// Its number.
    pub job: u64,
    /// When it was done, ns.
    pub done_ns: u64,
    /// First byte of its operation that was complete last: of an append, where the drive has put the data.
    pub offset: u64,
    /// A `wl_status`.
    pub status: u32,
    /// 0.
    pub reserved: u32,
}

/// A drive.
pub struct wl_drive {
    held: Mutex<Option<HeldDrive>>,
    /// Jobs that are done and did not fit into the caller's array yet, the next one last.
    waiting: Mutex<Vec<DoneJob>>,
}

/// Returns `WL_ABI` of the library.
#[unsafe(no_mangle)]
pub extern "C" fn wl_abi() -> u32 {
    WL_ABI
}

/// Returns what went wrong in the last call of this thread that failed, one line in UTF-8. It is valid until the thread's
/// next call.
#[unsafe(no_mangle)]
pub extern "C" fn wl_error() -> *const c_char {
    last_words()
}

/// Opens a drive. `config` is the name of a preset or the text of a configuration (TOML, UTF-8); `flows` is the number of
/// flows that may ask, from 1; `state` is a file of `wl_save`, or NULL. The drive is at time 0.
///
/// # Safety
/// `config` and `state` are strings that end with 0, or NULL; `drive` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_open(
    config: *const c_char,
    flows: u16,
    state: *const c_char,
    drive: *mut *mut wl_drive,
) -> wl_code {
    guarded(|| {
        if drive.is_null() {
            return Err(Failure::null("drive"));
        }
        // SAFETY: the caller says that these are strings and a place.
        let (config, state) = unsafe {
            *drive = std::ptr::null_mut();
            (text_of(config, "config")?, if state.is_null() { None } else { Some(text_of(state, "state")?) })
        };
        let flows = (0..flows).map(|flow| format!("flow{flow}")).collect();
        let opening = Opening { flows, state: state.map(PathBuf::from), ..Opening::of(&config) };
        let opened = wl_drive { held: Mutex::new(Some(opening.open()?)), waiting: Mutex::default() };
        // SAFETY: see above.
        unsafe { *drive = Box::into_raw(Box::new(opened)) };
        Ok(())
    })
}

/// Closes a drive and frees its memory. NULL is ignored.
///
/// # Safety
/// `drive` comes from `wl_open` or `wl_fork`, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_close(drive: *mut wl_drive) {
    _ = guarded(|| {
        if !drive.is_null() {
            // SAFETY: it was made by `Box::into_raw`, and the caller gives it back.
            drop(unsafe { Box::from_raw(drive) });
        }
        Ok(())
    });
}

/// Submits jobs at a time, ns, which is not before an earlier one. `ops` has `count` operations. With `lengths` they are
/// `jobs` jobs of so many operations each; without (NULL) each is a job, and `jobs` is ignored. The number of the first
/// job is put into `first` (NULL is ignored); the others follow. Nothing is submitted if the call fails.
///
/// # Safety
/// `drive` is open; `ops` and `lengths` have as many elements as is said.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_submit(
    drive: *const wl_drive,
    at_ns: u64,
    ops: *const wl_op,
    count: usize,
    lengths: *const u32,
    jobs: usize,
    first: *mut u64,
) -> wl_code {
    with(drive, |held, _| {
        if ops.is_null() && count > 0 {
            return Err(Failure::null("ops"));
        }
        // SAFETY: the caller says how many there are.
        let (ops, lengths) = unsafe {
            (
                if count == 0 { &[] } else { std::slice::from_raw_parts(ops, count) },
                if lengths.is_null() { None } else { Some(std::slice::from_raw_parts(lengths, jobs)) },
            )
        };
        let ops: Vec<DriveOp> = ops.iter().map(op_of).collect::<Result<_, _>>()?;
        let number = held.submit(at_ns, &ops, lengths)?;
        if !first.is_null() {
            // SAFETY: the caller's place for a number.
            unsafe { *first = number };
        }
        Ok(())
    })
}

/// Lets time go on to `until_ns`, or with `WL_UNTIL_DONE` until every job is done. Puts up to `room` jobs that are done, in
/// order of completion, into `done`, and their number into `count`. If `count` equals `room`, call it again with the same
/// time: more jobs may be done.
///
/// # Safety
/// `drive` is open; `done` has room for `room` elements; `count` is a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_advance(
    drive: *const wl_drive,
    until_ns: u64,
    done: *mut wl_done,
    room: usize,
    count: *mut usize,
) -> wl_code {
    with(drive, |held, waiting| {
        if count.is_null() || done.is_null() && room > 0 {
            return Err(Failure::null(if count.is_null() { "count" } else { "done" }));
        }
        if until_ns == WL_UNTIL_DONE {
            held.drain(&mut |_| true)?;
        } else {
            held.advance(until_ns, &mut |_| true)?;
        }
        let mut more = Vec::new();
        held.take_done(&mut more);
        more.reverse();
        more.append(waiting);
        *waiting = more;
        let given = waiting.len().min(room);
        for place in 0..given {
            let Some(DoneJob { job, done_ns, offset, status, .. }) = waiting.pop() else { break };
            let status = status_of(status) as u32;
            // SAFETY: `place` is below `room`.
            unsafe { *done.add(place) = wl_done { job, done_ns, offset, status, reserved: 0 } };
        }
        // SAFETY: the caller's place for a number.
        unsafe { *count = given };
        Ok(())
    })
}

/// Puts the time of the next event, ns, into `at_ns`: no job is done before it. `WL_NEVER` while no job is under way.
///
/// # Safety
/// `drive` is open; `at_ns` is a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_next_event(drive: *const wl_drive, at_ns: *mut u64) -> wl_code {
    with(drive, |held, _| {
        let next: Option<Ns> = held.next_event();
        if at_ns.is_null() {
            return Err(Failure::null("at_ns"));
        }
        // SAFETY: the caller's place for a number.
        unsafe { *at_ns = next.unwrap_or(WL_NEVER) };
        Ok(())
    })
}

/// Lets the results begin now: what is complete counts as warm-up.
///
/// # Safety
/// `drive` is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_mark(drive: *const wl_drive) -> wl_code {
    with(drive, |held, _| {
        held.mark();
        Ok(())
    })
}

/// Puts the results so far into `json`, as the measured part of Wordline's result document. Free it with `wl_free`.
///
/// # Safety
/// `drive` is open; `json` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_result(drive: *const wl_drive, json: *mut *mut c_char) -> wl_code {
    with(drive, |held, _| {
        if json.is_null() {
            return Err(Failure::null("json"));
        }
        let text = serde_json::to_string(&held.run().measured()).map_err(|error| Failure::fault(&error))?;
        let text = CString::new(text).map_err(|error| Failure::fault(&error))?;
        // SAFETY: the caller's place for a pointer.
        unsafe { *json = text.into_raw() };
        Ok(())
    })
}

/// Frees a text of `wl_result`. NULL is ignored.
///
/// # Safety
/// `text` comes from `wl_result`, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it was made by `CString::into_raw`.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Puts a second drive in the same state into `fork`, jobs under way included.
///
/// # Safety
/// `drive` is open; `fork` is a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_fork(drive: *const wl_drive, fork: *mut *mut wl_drive) -> wl_code {
    with(drive, |held, waiting| {
        if fork.is_null() {
            return Err(Failure::null("fork"));
        }
        let copy = wl_drive { held: Mutex::new(Some(held.fork()?)), waiting: Mutex::new(waiting.clone()) };
        // SAFETY: the caller's place for a pointer.
        unsafe { *fork = Box::into_raw(Box::new(copy)) };
        Ok(())
    })
}

/// Writes the state of the drive, as if it were switched off in good order now with all jobs done, to a file.
///
/// # Safety
/// `drive` is open; `path` is a string that ends with 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_save(drive: *const wl_drive, path: *const c_char) -> wl_code {
    with(drive, |held, _| {
        // SAFETY: the caller says that it is a string.
        let path = unsafe { text_of(path, "path")? };
        held.fork()?.put_away()?.save(&PathBuf::from(path))?;
        Ok(())
    })
}

/// # Safety
/// `text` is a string that ends with 0, or NULL.
unsafe fn text_of(text: *const c_char, name: &str) -> Result<String, Failure> {
    if text.is_null() {
        return Err(Failure::null(name));
    }
    // SAFETY: the caller says that it is a string.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(str::to_owned).map_err(|_| Failure::request(&format!("{name} is not UTF-8")))
}

fn op_of(op: &wl_op) -> Result<DriveOp, Failure> {
    let &wl_op { offset, length: bytes, operation, flow, handle } = op;
    let op = Op::ALL.get(operation as usize).copied();
    let op =
        op.ok_or_else(|| Failure::request(&format!("there is no operation {operation}; see wl_operation")))?;
    Ok(DriveOp { op, offset, bytes, flow, handle })
}

fn status_of(status: Status) -> wl_status {
    match status {
        Status::Success => wl_status::WL_SUCCESS,
        Status::InvalidField => wl_status::WL_INVALID_FIELD,
        Status::LbaOutOfRange => wl_status::WL_LBA_OUT_OF_RANGE,
        Status::UnrecoveredReadError => wl_status::WL_UNRECOVERED_READ_ERROR,
        Status::AbortedPowerLoss | Status::AbortedSqDeletion => wl_status::WL_ABORTED,
        Status::InvalidOpcode => wl_status::WL_INVALID_OPCODE,
        Status::ZoneBoundaryError => wl_status::WL_ZONE_BOUNDARY_ERROR,
        Status::ZoneIsFull => wl_status::WL_ZONE_IS_FULL,
        Status::ZoneIsReadOnly => wl_status::WL_ZONE_IS_READ_ONLY,
        Status::ZoneIsOffline => wl_status::WL_ZONE_IS_OFFLINE,
        Status::ZoneInvalidWrite => wl_status::WL_ZONE_INVALID_WRITE,
        Status::TooManyActiveZones => wl_status::WL_TOO_MANY_ACTIVE_ZONES,
        Status::TooManyOpenZones => wl_status::WL_TOO_MANY_OPEN_ZONES,
        Status::InvalidZoneTransition => wl_status::WL_INVALID_ZONE_TRANSITION,
    }
}
