//! The device model's share of a read: the cost of a page's state and of one retry step.

use std::hint::black_box;

use serde_json::{Value, json};
use wordline_cells::Chip;
use wordline_cells::read::{Cells, Condition, ReadAt, TimingCut};

use crate::timer::seconds;

/// Look-ups per slice, and slices; the fastest slice counts, because others use the machine at the same time.
const LOOKUPS: u32 = 20_000;
const SLICES: u32 = 1000;
const PAGES: u32 = 576;

/// Nanoseconds of a retry step: of a page with a known state, and of one whose state must be computed first, at random
/// places and ages.
pub fn read() -> Value {
    let chip = Chip::built_in("tlc-48l").expect("a chip of ours").expect("it reads");
    let constants = chip.read.expect("it says what a read finds");
    let cells = Cells::new(&constants, chip.cell, chip.geometry.layers, PAGES, 42);
    let cut = cells.cut(TimingCut::precharge(0.4));
    let place = |i: u32| {
        let mixed = i.wrapping_mul(0x9e37_79b9);
        cells.place(mixed >> 28, mixed >> 14, mixed % PAGES)
    };
    let condition = |i: u32| Condition {
        stress: (i % 2048) as f32,
        months: (i % 1021) as f32 / 85.0,
        temperature_c: 30.0,
        ..Condition::default()
    };
    let page = black_box(cells.page(place(7), &condition(1999)));
    let fastest = |look_up: &dyn Fn(u32) -> f32| {
        let slice = |from: u32| {
            seconds(|| {
                let sum: f32 = (from..from + LOOKUPS).map(look_up).sum();
                black_box(sum);
            })
        };
        let best = (0..SLICES).map(|i| slice(i * LOOKUPS)).fold(f64::INFINITY, f64::min);
        best * 1e9 / f64::from(LOOKUPS)
    };
    let step = fastest(&|i| cells.errors(&page, ReadAt::Entry((i % 24) as u8), cut));
    let whole =
        fastest(&|i| cells.errors(&cells.page(place(i), &condition(i)), ReadAt::Entry((i % 24) as u8), cut));
    json!({ "retry_step_ns": step, "page_and_retry_step_ns": whole })
}
