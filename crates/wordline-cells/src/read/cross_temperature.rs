//! Cross-temperature: data programmed at one temperature and read at another.
//!
//! The current of a string depends on temperature, so cells seem to have other threshold voltages than at their program.
//! The best voltages move with the difference of the two temperatures, not with the temperatures themselves (Guo et al.,
//! "Cross-Temperature Reliabilities in TLC 3D NAND Flash Memory", EDTM 2023). Cells do not move alike, so the states widen
//! too. Worst is a program that was hotter than the read (Zambelli et al., IIRW 2018). With a difference d in degrees:
//!
//! ```text
//! distance = steps_per_c · |d|                                   steps, of the best voltages from where they were
//! errors = hotter_bits_per_c · max(d, 0) + colder_bits_per_c · max(-d, 0)      bits of a codeword, at the best voltages
//! ```
//!
//! The distance adds to that of drift, whatever its sign. The retry table was not chosen for it: its entries stay.

use super::constants::CrossTemperatureConstants;

/// Its effect on a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossTemperature {
    steps_per_c: f32,
    hotter_bits_per_c: f32,
    colder_bits_per_c: f32,
}

impl CrossTemperature {
    /// That of a kind of chip.
    #[must_use]
    pub fn new(constants: &CrossTemperatureConstants) -> CrossTemperature {
        CrossTemperature {
            steps_per_c: constants.steps_per_c as f32,
            hotter_bits_per_c: constants.hotter_bits_per_c as f32,
            colder_bits_per_c: constants.colder_bits_per_c as f32,
        }
    }

    /// Distance of the best voltages, steps, where the program was so many degrees hotter than the read.
    #[inline]
    #[must_use]
    pub fn steps(&self, hotter_c: f32) -> f32 {
        self.steps_per_c * hotter_c.abs()
    }

    /// Errors of the worst page at the best voltages, bits of a 1-KiB codeword.
    #[inline]
    #[must_use]
    pub fn bits(&self, hotter_c: f32) -> f32 {
        self.hotter_bits_per_c * hotter_c.max(0.0) + self.colder_bits_per_c * (-hotter_c).max(0.0)
    }
}
