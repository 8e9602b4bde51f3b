//! What `[ecc]` names: a code, and the time of its decoder.

use wordline_cells::ecc::{Code, DecodeTime, SoftSenses, soft_gain};
use wordline_cells::ns_from_us;

use super::{EccCode, EccConfig};

impl EccConfig {
    /// The code, for pages of `page_bytes`.
    #[must_use]
    pub fn code(&self, page_bytes: u32) -> Code {
        match self.code {
            EccCode::Bounded => Code::Bounded { bits_per_kib: self.correctable_bits as f32 },
            EccCode::Ldpc => Code::ldpc(page_bytes, self.max_iterations as u8),
        }
    }

    /// The same code with soft decisions, after `senses` further senses beside each reference. We assume that a code that is
    /// only known by its bound gains as much as the LDPC code of the tables.
    #[must_use]
    pub fn soft_code(&self, page_bytes: u32, senses: SoftSenses) -> Code {
        match self.code {
            EccCode::Bounded => {
                Code::Bounded { bits_per_kib: (self.correctable_bits * soft_gain(senses)) as f32 }
            }
            EccCode::Ldpc => Code::soft_ldpc(page_bytes, self.max_iterations as u8, senses),
        }
    }

    /// How long it works on a page.
    #[must_use]
    pub fn decode_time(&self) -> DecodeTime {
        DecodeTime {
            fixed_ns: ns_from_us(self.decode_us),
            iteration_ns: ns_from_us(self.iteration_us),
            fail_ns: (self.decode_fail_us > 0.0).then(|| ns_from_us(self.decode_fail_us)),
        }
    }
}
