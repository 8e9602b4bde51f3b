//! What `[ecc]` names: a code, and the time of its decoder.

use std::convert::Infallible;

use wordline_cells::ecc::{CHUNK_BYTES, Code, DecodeTime, SoftSenses, soft_gain};
use wordline_cells::ns_from_us;
use wordline_cells::read::CODEWORD_BYTES;

use super::made::Made;
use super::{EccCode, EccConfig};

/// LDPC codes, by the bytes of a page, the decoder's iterations, and the further senses of soft decisions.
static LDPC_CODES: Made<(u32, u8, Option<SoftSenses>), Code> = Made::new();
/// What soft decisions gain, by their further senses.
static SOFT_GAINS: Made<SoftSenses, f64> = Made::new();

impl EccConfig {
    /// The code, for pages of `page_bytes`.
    #[must_use]
    pub fn code(&self, page_bytes: u32) -> Code {
        match self.code {
            EccCode::Bounded => Code::Bounded { bits_per_kib: self.correctable_bits as f32 },
            EccCode::Ldpc => ldpc(page_bytes, self.max_iterations as u8, None),
        }
    }

    /// The same code with soft decisions, after `senses` further senses beside each reference. We assume that a code that is
    /// only known by its bound gains as much as the LDPC code of the tables.
    #[must_use]
    pub fn soft_code(&self, page_bytes: u32, senses: SoftSenses) -> Code {
        match self.code {
            EccCode::Bounded => {
                let Ok::<_, Infallible>(gain) = SOFT_GAINS.of(senses, |&senses| Ok(soft_gain(senses)));
                Code::Bounded { bits_per_kib: (self.correctable_bits * *gain) as f32 }
            }
            EccCode::Ldpc => ldpc(page_bytes, self.max_iterations as u8, Some(senses)),
        }
    }

    /// Bytes of what it decodes at a time.
    #[must_use]
    pub fn codeword_bytes(&self) -> u32 {
        match self.code {
            EccCode::Bounded => CODEWORD_BYTES,
            EccCode::Ldpc => CHUNK_BYTES,
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

fn ldpc(page_bytes: u32, limit: u8, soft: Option<SoftSenses>) -> Code {
    let make = |_: &_| {
        Ok(match soft {
            None => Code::ldpc(page_bytes, limit),
            Some(senses) => Code::soft_ldpc(page_bytes, limit, senses),
        })
    };
    let Ok::<_, Infallible>(code) = LDPC_CODES.of((page_bytes, limit, soft), make);
    code.as_ref().clone()
}
