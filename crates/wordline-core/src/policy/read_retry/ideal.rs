//! `ideal`: every page decodes at the first sense. The upper bound that the retry papers call NoRR
//! (PR2/AR2, Section 7.2) and SSD_zero (RiF, "Experiment Settings").

pub(super) fn position(attempt: u8) -> Option<f32> {
    (attempt == 0).then_some(0.0)
}
