//! Names binary data that is no trace of a format read here, with the way to a trace.

use crate::formats::Format;

/// Magic numbers in front of a file, with what it is.
const MAGIC: [(&[u8], &str); 12] = [
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a rar archive; unpack it first"),
    (b"\x04\x22\x4d\x18", "compressed by lz4; unpack it first (gzip, zstd, bzip2 and xz are read)"),
    (b"\x5d\0\0", "compressed by lzma; unpack it first (gzip, zstd, bzip2 and xz are read)"),
    (
        b"PAR1",
        "a Parquet file; Wordline's own requests.parquet is read where its name ends in .parquet, of another one write the \
         rows as CSV, and describe them with --csv-columns",
    ),
    (b"SQLite format 3\0", "an SQLite database; write its requests as CSV"),
    (b"\x89HDF\r\n", "an HDF5 file; write its requests as CSV"),
    (b"\x93NUMPY", "an array of NumPy; write its requests as CSV"),
    (b"ARROW1", "an Arrow or Feather file; write its rows as CSV"),
    (b"\xd4\xc3\xb2\xa1", "a recording of network packets, not of requests to a disk"),
    (b"\x0a\x0d\x0d\x0a", "a recording of network packets, not of requests to a disk"),
];
const BLKTRACE: &str = "the binary output of blktrace; run `blkparse -i FILE -o TEXT`, whose text is read";
const VSCSI: &str = "a binary trace of vscsiStats (.vscsi); write it as CSV with the header version,time,op,size,lbn, \
                     which is read";
const OTHER: &str = "binary data of no format that is known here; write it as text, for example as CSV";
/// SCSI commands that move data, and the first that a disk is asked.
const COMMANDS: [u8; 9] = [0x00, 0x08, 0x0a, 0x28, 0x2a, 0x35, 0x42, 0x88, 0x8a];

/// What these first bytes are, and what to do; `None` for text and for Wordline's own format.
pub(crate) fn name(head: &[u8]) -> Option<&'static str> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(what);
    }
    if Format::Native.fits(head) || !head.iter().take(4096).any(|&byte| byte == 0) {
        return None;
    }
    // `blktrace_api.h`: three bytes and a version, in the byte order of the machine that recorded.
    if head.get(1..4) == Some(b"tae") || head.get(..3) == Some(b"eat") {
        return Some(BLKTRACE);
    }
    Some(if is_vscsi(head) { VSCSI } else { OTHER })
}

/// Two records of vscsiStats. Version 1: serial number, length and segments of 4 bytes, command and version of 2, address
/// and time of 8. Version 2: command and version first, and a response time last. The upper byte of the version counts.
fn is_vscsi(head: &[u8]) -> bool {
    let are = |command: usize, version: u8, record: usize| {
        [0, record].iter().all(|start| {
            let code = head.get(start + command).is_some_and(|code| COMMANDS.contains(code));
            code && head.get(start + command + 3) == Some(&version)
        })
    };
    are(12, 1, 32) || are(0, 2, 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_native_traces_are_none_of_these() {
        assert_eq!(name(b"0 0 16 8 1\n"), None);
        assert_eq!(name(b"WLTRACE\0\x02\0\0"), None);
    }

    #[test]
    fn what_is_known_is_named() {
        assert_eq!(name(b"\x07tae\0\0\0\0"), Some(BLKTRACE));
        assert_eq!(name(b"eat\x07\0\0\0\0"), Some(BLKTRACE));
        let mut first = [0; 64];
        for record in first.chunks_mut(32) {
            (record[12], record[15]) = (0x2a, 1);
        }
        assert_eq!(name(&first), Some(VSCSI));
        let mut second = [0; 80];
        for record in second.chunks_mut(40) {
            (record[0], record[3]) = (0x28, 2);
        }
        assert_eq!(name(&second), Some(VSCSI));
        assert_eq!(name(&[1, 2, 3, 0, 5]), Some(OTHER));
        assert!(name(b"PK\x03\x04rest").unwrap().contains("unpack"));
    }
}
