//! What a read finds in a page.

/// Errors in a 1-KiB codeword a step away from the step that decodes, where every page takes the same
/// number of steps: more than any code corrects.
const CLIMB_BITS: f32 = 1e6;

/// A page's errors as a function of the read voltages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageState {
    /// The best read voltages, in steps of the retry table from the default ones.
    pub optimum: f32,
    /// Errors there, bits of a 1-KiB codeword.
    pub floor_bits: f32,
    /// How they climb with the distance from there, bits per step.
    pub climb_bits: f32,
}

impl PageState {
    /// A page that decodes at one step of the table and at no other, without any error.
    #[must_use]
    pub fn at_step(step: u8) -> PageState {
        PageState { optimum: f32::from(step), floor_bits: 0.0, climb_bits: CLIMB_BITS }
    }

    /// Errors of the worst 1-KiB codeword when the page is read at `position`, in steps of the retry
    /// table, with tPRE shorter by the fraction `cut`.
    #[inline]
    #[must_use]
    pub fn errors(&self, position: f32, _cut: f32) -> f32 {
        self.floor_bits + self.climb_bits * (position - self.optimum).abs()
    }
}
