//! Read disturb, against figures for 2y-nm MLC, and as properties of any chip.

use proptest::prelude::*;
use wordline_cells::Chip;
use wordline_cells::read::{Disturb, DisturbConstants};

/// Raw bit error rate that a read adds, by P/E cycles, as remembered from Cai et al., DSN 2015, Fig. 3. The numbers were not
/// compared with the paper.
const SLOPES: [(f64, f64); 7] = [
    (2_000.0, 1.00e-9),
    (3_000.0, 1.63e-9),
    (4_000.0, 2.37e-9),
    (5_000.0, 3.74e-9),
    (8_000.0, 7.50e-9),
    (10_000.0, 9.10e-9),
    (15_000.0, 1.90e-8),
];

fn tlc_2d() -> Disturb {
    let chip = Chip::built_in("tlc-2d").expect("listed").expect("it reads");
    Disturb::new(&chip.read.expect("its reads are known").disturb)
}

#[test]
fn errors_grow_with_reads_and_wear_as_remembered() {
    let disturb = tlc_2d();
    for (cycles, slope) in SLOPES {
        let bits = disturb.bits(cycles, 1_000_000);
        let slope_bits = 8192.0 * 1e6 * slope;
        assert!((bits / slope_bits - 1.0).abs() < 0.15, "{cycles}: {bits}, not {slope_bits}");
    }
}

/// The fit for 2y-nm MLC that SimpleSSD holds (`ftl/read_reclaim/abstract_read_reclaim.cc`), at the usual threshold of read
/// reclaim. It is not linear in reads, so it lies higher below this count and lower above it.
#[test]
fn errors_at_the_usual_threshold_are_near_a_public_fit() {
    let disturb = tlc_2d();
    for (cycles, _) in SLOPES {
        let fit = 8192.0 * 6.26e-13 * f64::powf(cycles, 1.76) * f64::powf(1e5, 0.47);
        let share = disturb.bits(cycles, 100_000) / fit;
        assert!((0.5..2.0).contains(&share), "{cycles}: {share} of the fit's {fit} bits");
    }
}

#[test]
fn a_chip_without_constants_is_not_disturbed() {
    assert_eq!(Disturb::new(&DisturbConstants::default()).bits(5_000.0, u32::MAX), 0.0);
}

proptest! {
    #[test]
    fn more_reads_and_more_wear_never_bring_fewer_errors(
        rber_per_read in 0.0f64..1e-8,
        wear_power in 0.0f64..3.0,
        stress in 0.0f64..20_000.0,
        more_stress in 0.0f64..20_000.0,
        reads: u32,
        more_reads: u32,
    ) {
        let disturb = Disturb::new(&DisturbConstants { rber_per_read, wear_power });
        let bits = disturb.bits(stress, reads);
        prop_assert!(bits >= 0.0 && bits.is_finite());
        prop_assert!(disturb.bits(stress, reads.saturating_add(more_reads)) >= bits);
        prop_assert!(disturb.bits(stress + more_stress, reads) >= bits);
    }
}
