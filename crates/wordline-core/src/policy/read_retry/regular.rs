//! `baseline`: the regular read-retry. Each step senses, ships and decodes with the next entry of the
//! chip's retry table, and the next step starts only when the last one is known to have failed, so
//! that N steps take N times `tR + tDMA + tECC` on top of the first read (PR2/AR2, Eq. 2 and 3,
//! Fig. 12a).

pub(super) fn position(attempt: u8, table_steps: u8) -> Option<f32> {
    (attempt <= table_steps).then_some(f32::from(attempt))
}
