//! Every chip that says what a read finds: it must at least hang together.

use wordline_cells::Chip;
use wordline_cells::read::{Cells, CutEffect, ReadAt, States};

use super::population::{CAPABILITY, PAGES, SEED, condition, places};

#[test]
fn on_every_chip_the_best_step_is_the_only_one_that_fits() {
    let mut chips = 0;
    for name in Chip::names() {
        let chip = Chip::built_in(name).expect("listed").expect("it reads");
        let Some(constants) = &chip.read else { continue };
        chips += 1;
        let cells = Cells::new(constants, chip.cell, chip.geometry.layers, PAGES, SEED);
        for (stress, months) in [(0.0, 0.0), (0.0, 3.0), (500.0, 6.0), (1000.0, 12.0)] {
            let condition = condition(stress, months, 30.0);
            for place in places(&cells, 1).step_by(7) {
                let page = cells.page(place, &condition);
                let at = |step: u8| cells.errors(&page, ReadAt::Entry(step), CutEffect::NONE);
                let best = page.step();
                if best == 0 {
                    continue;
                }
                assert!(at(best) <= CAPABILITY, "{name}: {} bits", at(best));
                assert!(at(best + 1) > CAPABILITY, "{name}: {} bits a step behind", at(best + 1));
                assert!(
                    best == 1 || at(best - 1) > CAPABILITY,
                    "{name}: {} bits a step before",
                    at(best - 1)
                );
            }
        }
    }
    assert!(chips >= 6, "{chips} chips");
}

#[test]
fn on_every_chip_states_stay_in_order() {
    for name in Chip::names() {
        let chip = Chip::built_in(name).expect("listed").expect("it reads");
        let Some(constants) = &chip.read else { continue };
        let states = States::new(constants, chip.cell).voltages(1000.0, 12.0, 30.0);
        assert_eq!(states.len(), 1 << chip.cell.bits(), "{name}");
        assert!(states.windows(2).all(|pair| pair[0].mean_volts < pair[1].mean_volts), "{name}");
        assert!(states.iter().all(|state| state.sigma_volts > 0.0), "{name}");
    }
}
