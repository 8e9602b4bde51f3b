//! The calls as a program in C makes them.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

use super::*;

const SMALL: &str = "preset = \"mqsim\"\n[ssd]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\n\
                     planes_per_die = 1\nblocks_per_plane = 64\npages_per_block = 64\n\
                     [precondition]\nfill = 1.0\noverwrite = 1.0\n";

fn words() -> String {
    // SAFETY: the library's own string.
    unsafe { CStr::from_ptr(wl_error()) }.to_str().unwrap().to_owned()
}

fn open(config: &str, state: Option<&str>) -> Result<*mut wl_drive, (wl_code, String)> {
    let config = CString::new(config).unwrap();
    let state = state.map(|state| CString::new(state).unwrap());
    let mut drive = null_mut();
    let state = state.as_ref().map_or(null(), |state| state.as_ptr());
    // SAFETY: strings and a place of this function.
    match unsafe { wl_open(config.as_ptr(), 2, state, &raw mut drive) } {
        wl_code::WL_OK => Ok(drive),
        code => Err((code, words())),
    }
}

fn submit(drive: *mut wl_drive, at: u64, ops: &[wl_op], lengths: &[u32]) -> (wl_code, u64) {
    let mut first = u64::MAX;
    let pointer = if lengths.is_empty() { null() } else { lengths.as_ptr() };
    // SAFETY: slices of this function.
    let code =
        unsafe { wl_submit(drive, at, ops.as_ptr(), ops.len(), pointer, lengths.len(), &raw mut first) };
    (code, first)
}

fn advance(drive: *mut wl_drive, until: u64, room: usize) -> (wl_code, Vec<(u64, u64, u32)>) {
    let (mut done, mut count) = (vec![wl_done::default(); room], 0);
    // SAFETY: room for as many as are said.
    let code = unsafe { wl_advance(drive, until, done.as_mut_ptr(), room, &raw mut count) };
    (code, done[..count].iter().map(|each| (each.job, each.done_ns, each.status)).collect())
}

fn ops(count: u64) -> Vec<wl_op> {
    let op = |i| wl_op {
        offset: i * 37 % 1000 * 4096,
        length: 4096,
        operation: (i % 3 / 2) as u32,
        ..wl_op::default()
    };
    (0..count).map(op).collect()
}

#[test]
fn jobs_come_back_in_pieces_of_the_callers_size() {
    let drive = open(SMALL, None).unwrap();
    assert_eq!(submit(drive, 5, &ops(9), &[4, 1, 1, 1, 1, 1]), (wl_code::WL_OK, 0));
    let mut all = Vec::new();
    loop {
        let (code, done) = advance(drive, WL_UNTIL_DONE, 2);
        assert_eq!(code, wl_code::WL_OK);
        let is_last = done.len() < 2;
        all.extend(done);
        if is_last {
            break;
        }
    }
    assert_eq!(all.len(), 6);
    assert!(all.is_sorted_by_key(|&(_, done_ns, _)| done_ns) && all.iter().all(|&(.., status)| status == 0));
    let (mut at, mut json): (u64, *mut c_char) = (0, null_mut());
    // SAFETY: places of this function.
    unsafe {
        assert_eq!(wl_next_event(drive, &raw mut at), wl_code::WL_OK);
        assert_eq!(wl_result(drive, &raw mut json), wl_code::WL_OK);
        let text: serde_json::Value = serde_json::from_slice(CStr::from_ptr(json).to_bytes()).unwrap();
        assert_eq!((at, &text["requests"]["all"]), (WL_NEVER, &serde_json::json!(9)));
        wl_free(json);
        wl_close(drive);
    }
}

#[test]
fn an_append_says_where_its_data_are() {
    let zoned = format!(
        "{}unmapped_read = \"zero\"\n[zones]\nmode = \"on\"\n",
        SMALL.replace(
            "[precondition]\nfill = 1.0\noverwrite = 1.0\n",
            "overprovisioning = 0.06\n[ftl]\ngroup = \"superblock\"\n"
        )
    );
    let drive = open(&zoned, None).unwrap();
    // A zone is a block of 64 pages of 8 KiB on each of two dies.
    let zone = 2 * 64 * 8192;
    let append = |length| wl_op { offset: zone, length, operation: 5, ..wl_op::default() };
    assert_eq!(submit(drive, 0, &[append(16 << 10), append(8 << 10)], &[]).0, wl_code::WL_OK);
    let (mut done, mut count) = ([wl_done::default(); 2], 0);
    // SAFETY: there is room for two.
    unsafe {
        assert_eq!(wl_advance(drive, WL_UNTIL_DONE, done.as_mut_ptr(), 2, &raw mut count), wl_code::WL_OK);
        wl_close(drive);
    }
    done.sort_by_key(|each| each.job);
    assert_eq!(count, 2);
    assert_eq!(done.map(|each| (each.status, each.offset)), [(0, zone), (0, zone + (16 << 10))]);
}

#[test]
fn forks_and_saved_drives_go_on_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.state");
    let path = path.to_str().unwrap();
    let drive = open(SMALL, None).unwrap();
    submit(drive, 0, &ops(50), &[]);
    advance(drive, 100_000, 0);
    let (mut fork, file) = (null_mut(), CString::new(path).unwrap());
    // SAFETY: places and strings of this function.
    unsafe {
        assert_eq!(wl_fork(drive, &raw mut fork), wl_code::WL_OK);
        assert_eq!(wl_save(drive, file.as_ptr()), wl_code::WL_OK);
    }
    let rest = advance(drive, WL_UNTIL_DONE, 100);
    assert!(rest.1.len() == 50 && rest == advance(fork, WL_UNTIL_DONE, 100));
    let again = [open(SMALL, Some(path)).unwrap(), open(SMALL, Some(path)).unwrap()];
    let [one, two] = again.map(|drive| {
        submit(drive, 0, &ops(20), &[]);
        let done = advance(drive, WL_UNTIL_DONE, 20);
        // SAFETY: it is not used any more.
        unsafe { wl_close(drive) };
        done
    });
    assert!(one == two && one.1.len() == 20);
    // SAFETY: they are not used any more.
    unsafe {
        wl_close(drive);
        wl_close(fork);
    }
}

#[test]
fn mistakes_have_a_code_and_the_words_of_all_interfaces() {
    let drive = open(SMALL, None).unwrap();
    let bad = wl_op { operation: 99, ..wl_op::default() };
    assert_eq!(submit(drive, 0, &[bad], &[]).0, wl_code::WL_REQUEST);
    assert_eq!(words(), "there is no operation 99; see wl_operation");
    assert_eq!(submit(drive, 0, &[wl_op { length: 100, ..wl_op::default() }], &[]).0, wl_code::WL_REQUEST);
    assert!(words().contains("multiples of 512"), "{}", words());
    assert_eq!(submit(drive, 0, &ops(2), &[3]).0, wl_code::WL_REQUEST);
    assert_eq!(advance(drive, 1000, 4), (wl_code::WL_OK, Vec::new()));
    assert_eq!(submit(drive, 999, &ops(1), &[]).0, wl_code::WL_REQUEST);
    assert_eq!(words(), "999 ns is over: the drive is at 1000 ns, and time never goes back");
    let (code, said) = open("no-such", None).unwrap_err();
    assert!(code == wl_code::WL_CONFIG && said.starts_with("there is no preset `no-such`"), "{said}");
    let (code, said) = open("[ssd]\nchanels = 4\n", None).unwrap_err();
    assert!(code == wl_code::WL_CONFIG && said.contains(":2"), "{said}");
    assert_eq!(open(SMALL, Some("/no/such/file")).unwrap_err().0, wl_code::WL_STATE);
    // SAFETY: NULL is what is tried.
    unsafe {
        let mut none = null_mut();
        assert_eq!(wl_mark(null()), wl_code::WL_REQUEST);
        assert_eq!(wl_open(null(), 1, null(), &raw mut none), wl_code::WL_REQUEST);
        assert_eq!(wl_next_event(drive, null_mut()), wl_code::WL_REQUEST);
        wl_close(drive);
        wl_close(null_mut());
        wl_free(null_mut());
    }
}

#[test]
fn a_second_thread_is_told_that_the_drive_is_in_use() {
    let drive = open(SMALL, None).unwrap();
    // SAFETY: the drive stays open.
    let shared = unsafe { &*drive };
    let _held = shared.held.lock().unwrap();
    // SAFETY: the drive is open.
    assert_eq!(unsafe { wl_mark(drive) }, wl_code::WL_BUSY);
}

#[test]
fn a_panic_becomes_a_code() {
    assert_eq!(guarded(|| panic!("no")), wl_code::WL_FAULT);
    assert!(words().contains("fault of Wordline: no"), "{}", words());
}
