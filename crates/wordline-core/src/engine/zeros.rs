//! Bytes that are zero need no room, in files and in memory.

/// Whether all bytes are zero, looked at eight at a time.
pub(super) fn is_zero(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().fold(0, |all, &word| all | u64::from_ne_bytes(word)) == 0
        && rest.iter().all(|&byte| byte == 0)
}
