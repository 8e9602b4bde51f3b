//! What refresh does with one wordline.

/// What refresh does with the pages of one wordline; a bit a page, the LSB lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Action {
    /// Valid pages that are written to another block.
    pub moves: u8,
    /// Valid pages that stay, in a wordline whose voltages are adjusted with all its other pages invalid.
    /// With none, the wordline is not touched.
    pub stays: u8,
}

impl Action {
    /// Whether the voltages of the wordline are adjusted.
    #[must_use]
    pub fn adjusts(self) -> bool {
        self.stays != 0
    }

    /// The invalid pages to adjust with, once `moves` are safe elsewhere, for a wordline of `bits` pages.
    #[must_use]
    pub fn invalid(self, bits: usize) -> u8 {
        !self.stays & all(bits)
    }
}

/// A mask of so many pages.
pub(super) fn all(bits: usize) -> u8 {
    ((1_u16 << bits) - 1) as u8
}
