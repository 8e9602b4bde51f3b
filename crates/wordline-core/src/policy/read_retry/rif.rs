//! `rif`: the die checks each page that it has sensed and senses a doomed one again, with a V_REF as
//! good as `swift_read`'s, before anything crosses the channel (RiF, "Key Idea"). Only a page that the
//! check takes for good and that is not costs a transfer and a decoding; the controller then goes on as
//! with `swift_read`.
//!
//! The slides leave open whether the second sense is checked too. `read.on_die_retries` says how often a
//! read may be sensed again on the die; what comes of the last time is not checked, so that 1 stands for
//! no second check.

/// True when the die checks the sense that has ended.
pub(super) fn checks(on_die_retries: u8, on_die_retries_max: u8, failed_at_ecc: bool) -> bool {
    !failed_at_ecc && on_die_retries < on_die_retries_max
}
