//! The slow changes of a series, by frequency.

use std::f64::consts::TAU;

/// Sums of values times cosines and sines: of one, two, … periods over the whole series, a cosine and a sine for each.
///
/// Their squares are the periodogram of the series. `places` say where each value lies, from 0 to 1.
#[must_use]
pub fn waves(values: &[f64], places: &[f64], frequencies: usize) -> Vec<f64> {
    (1..=frequencies).flat_map(|periods| wave(values, places, periods as f64 * TAU)).collect()
}

fn wave(values: &[f64], places: &[f64], speed: f64) -> [f64; 2] {
    values.iter().zip(places).fold([0.0, 0.0], |[cosines, sines], (value, place)| {
        let (sine, cosine) = libm::sincos(speed * place);
        [cosines + value * cosine, sines + value * sine]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cosine of two periods is found there, and nowhere else.
    #[test]
    fn a_wave_is_found_at_its_own_frequency() {
        let places: Vec<f64> = (0..64).map(|place| (f64::from(place) + 0.5) / 64.0).collect();
        let values: Vec<f64> = places.iter().map(|place| 3.0 * libm::cos(2.0 * TAU * place)).collect();
        let sums = waves(&values, &places, 4);
        assert_eq!(sums.len(), 8);
        for (number, sum) in sums.into_iter().enumerate() {
            let expected = if number == 2 { 3.0 * 32.0 } else { 0.0 };
            assert!((sum - expected).abs() < 1e-9, "{number}: {sum}");
        }
    }
}
