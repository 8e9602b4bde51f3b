//! Names of files until they are complete.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names given out by this process.
static NAMES: AtomicU64 = AtomicU64::new(0);

/// A name beside a file, under which it is written until it is complete: no other writer has the same, in this process or in
/// another. So of two that write one file at once, one leaves it whole, and then the other.
#[must_use]
pub fn part_name(path: &Path) -> PathBuf {
    let number = NAMES.fetch_add(1, Ordering::Relaxed);
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}-{number}.part", std::process::id()));
    part.into()
}
