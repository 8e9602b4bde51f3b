//! A file under a name of its own until it is complete.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Names given out by this process.
static NAMES: AtomicU64 = AtomicU64::new(0);
/// What such a name ends with.
const SUFFIX: &str = ".wordline-part";

/// A file that is being written, beside the one that it becomes. No other writer has its name, in this process or in another: of
/// two that write one file at once, one leaves it whole, and then the other.
///
/// Its writer holds a lock of it. So the next one that writes the same file knows, and removes, what a process has left that
/// was killed.
#[derive(Debug)]
pub struct Part {
    target: PathBuf,
    path: PathBuf,
    /// Keeps the lock until it has the target's name.
    lock: OnceLock<File>,
}

impl Part {
    /// Of a file, which is not begun yet.
    #[must_use]
    pub fn of(target: &Path) -> Part {
        let number = NAMES.fetch_add(1, Ordering::Relaxed);
        let mut name = beginning(target);
        name.push(format!("{}-{number}{SUFFIX}", std::process::id()));
        Part { target: target.to_owned(), path: target.with_file_name(name), lock: OnceLock::new() }
    }

    /// Begins it, and removes those of processes that were killed.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(&self) -> io::Result<File> {
        self.sweep();
        let file = File::create_new(&self.path)?;
        // Where the file system has no locks, nobody removes it either.
        if file.lock().is_ok() && !self.path.exists() {
            // Somebody took it for one that was left, in the moment before it had its lock.
            return self.create();
        }
        if let Ok(lock) = file.try_clone() {
            _ = self.lock.set(lock);
        }
        Ok(file)
    }

    /// It is whole: it takes the name of the file, over one that is there.
    ///
    /// # Errors
    /// The system does not let it.
    pub fn complete(&self) -> io::Result<()> {
        fs::rename(&self.path, &self.target)
    }

    /// It is whole: it takes the name of the file, or, if one has come there, that name with the first free number behind it.
    /// Returns its path.
    ///
    /// # Errors
    /// The system does not let it.
    pub fn complete_beside(&self) -> io::Result<PathBuf> {
        let mut place = self.target.clone();
        for number in 2_u32.. {
            match fs::hard_link(&self.path, &place) {
                Ok(()) => break,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // Some file systems have no hard links.
                Err(_) if place.symlink_metadata().is_err() => {
                    fs::rename(&self.path, &place)?;
                    break;
                }
                Err(error) => return Err(error),
            }
            let mut name = self.target.file_name().unwrap_or_default().to_owned();
            name.push(format!("-{number}"));
            place.set_file_name(name);
        }
        Ok(place)
    }

    fn sweep(&self) {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else { return };
        for entry in entries.flatten().filter(|entry| is_part_of(&self.target, &entry.file_name())) {
            let path = entry.path();
            let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
            let Some(left) = is_file.then(|| File::options().write(true).open(&path).ok()).flatten() else {
                continue;
            };
            if !matches!(left.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_))) {
                _ = fs::remove_file(path);
            }
        }
    }
}

impl Drop for Part {
    /// Removes an incomplete file; a complete one no longer has this name.
    fn drop(&mut self) {
        _ = fs::remove_file(&self.path);
    }
}

/// How the names of a file's parts begin.
fn beginning(target: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".");
    name
}

/// Whether a name is one that a process gave to a part of a file.
fn is_part_of(target: &Path, name: &std::ffi::OsStr) -> bool {
    let (name, beginning) = (name.as_encoded_bytes(), beginning(target));
    let number = name.strip_prefix(beginning.as_encoded_bytes());
    let number = number.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    number.is_some_and(|number| {
        let mut parts = number.split(|&byte| byte == b'-');
        let is_number = |part: Option<&[u8]>| {
            part.is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
        };
        is_number(parts.next()) && is_number(parts.next()) && parts.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let entries =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    }

    #[test]
    fn what_has_come_meanwhile_stays() {
        let folder = std::env::temp_dir().join(format!("wordline-beside-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let target = folder.join("session.wlt");
        for place in ["session.wlt", "session.wlt-2", "session.wlt-3"] {
            let part = Part::of(&target);
            part.create().unwrap().write_all(place.as_bytes()).unwrap();
            assert_eq!(part.complete_beside().unwrap(), folder.join(place));
        }
        let all = ["session.wlt", "session.wlt-2", "session.wlt-3"];
        assert_eq!(names(&folder), all);
        assert!(all.iter().all(|name| fs::read_to_string(folder.join(name)).unwrap() == *name));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("wordline-part-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let target = folder.join("state");
        let theirs = [".state.7-x.wordline-part", ".other.7-1.wordline-part", "state.7-1.part", "notes"];
        for name in theirs.iter().chain(&[".state.4194305-0.wordline-part"]) {
            fs::write(folder.join(name), "half").unwrap();
        }
        let live = Part::of(&target);
        let mut file = live.create().unwrap();
        file.write_all(b"first").unwrap();
        let next = Part::of(&target);
        next.create().unwrap().write_all(b"second").unwrap();
        // That of the killed process is gone; the live one and what is not ours are there.
        assert_eq!(names(&folder).len(), theirs.len() + 2, "{:?}", names(&folder));
        drop(file);
        live.complete().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"first");
        next.complete().unwrap();
        drop((live, next));
        assert_eq!(fs::read(&target).unwrap(), b"second");
        let mut left: Vec<&str> = theirs.iter().copied().chain(["state"]).collect();
        left.sort_unstable();
        assert_eq!(names(&folder), left);
        fs::remove_dir_all(folder).unwrap();
    }
}
