//! The LDPC decoder on one core, and the tables that the simulator uses instead of it.

use crate::timer::seconds;
use serde_json::{Value, json};
use std::hint::black_box;
use wordline_cells::ecc::CAPABILITY_LEVEL;
use wordline_cells::ecc::channel::ErrorSource;
use wordline_cells::ecc::codeword::{DATA_WORDS, Word};
use wordline_cells::ecc::matrix::CODE_BITS;
use wordline_cells::ecc::study::decoder;
use wordline_cells::ecc::{BITS_PER_KIB, Code, Curve, Predictor, table};

const CHUNKS: u32 = 2000;
const LOOK_UPS: u64 = 20_000_000;

/// Chunks per second: decoded at the rate at which a tenth of them fail (the hard-decision limit) and at half of that
/// raw bit error rate; encoded; and with a syndrome only. Nanoseconds of a verdict and a prediction.
pub fn ldpc() -> Value {
    let capability = Curve::new(&table::built_in()).capability(CAPABILITY_LEVEL);
    let mut decoder = decoder();
    let mut rate = |rber: f64| {
        let mut source = ErrorSource::new(1, 0);
        let words: Vec<Word> = (0..CHUNKS)
            .map(|_| {
                let mut word = Word::zero();
                source.at_rate(rber).iter().for_each(|&bit| word.flip(bit.into()));
                word
            })
            .collect();
        let time = seconds(|| {
            for mut word in words {
                black_box(decoder.decode(&mut word));
            }
        });
        f64::from(CHUNKS) / time
    };
    let (at_limit, at_half) = (rate(capability), rate(capability / 2.0));
    let mut source = ErrorSource::new(2, 0);
    let data: Box<[u64; DATA_WORDS]> = Box::new(std::array::from_fn(|_| source.bits()));
    let mut word = Word::encode(&data);
    let encode = seconds(|| (0..CHUNKS).for_each(|_| drop(black_box(Word::encode(black_box(&data))))));
    let syndrome = seconds(|| {
        for bit in 0..CHUNKS as usize {
            word.flip(bit % CODE_BITS);
            black_box(word.syndrome());
        }
    });
    let (code, predictor) = (Code::ldpc(16384, 20), Predictor::ldpc(16384, 20));
    let mut sum = 0;
    let look_up = seconds(|| {
        for i in 0..LOOK_UPS {
            let hash = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let verdict = code.judge((hash & 127) as f32, hash);
            sum += u64::from(verdict.iterations)
                + u64::from(predictor.says_retry((hash & 127) as f32, verdict.ok, !hash));
        }
    });
    black_box(sum);
    json!({
        "chunks_decoded_per_s_at_capability": at_limit,
        "chunks_decoded_per_s_at_half_of_it": at_half,
        "chunks_encoded_per_s": f64::from(CHUNKS) / encode,
        "syndromes_per_s": f64::from(CHUNKS) / syndrome,
        "verdict_and_prediction_ns": look_up / LOOK_UPS as f64 * 1e9,
        "capability_bits_per_kib": capability * BITS_PER_KIB,
    })
}
