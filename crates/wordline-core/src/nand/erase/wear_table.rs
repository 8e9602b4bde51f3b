//! The wear of blocks of a given age: cycled once under a scheme, then looked up.

use wordline_cells::erase::EraseCells;

use super::{BlockSet, Erased};
use crate::policy::erase::{Scheme, SchemeParams};

/// Stress by P/E cycles and hardness under a scheme: what blocks of a given age have been through.
#[derive(Clone, Debug)]
pub struct WearTable {
    columns: usize,
    /// By row of 50 P/E cycles, then column of hardness.
    cells: Vec<Aged>,
}

/// What a block that was cycled under a scheme is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aged {
    /// Accumulated stress.
    pub stress: f32,
    /// Erase age, P/E cycles under ISPE.
    pub age_pec: f32,
    /// Pulses that its last erase left out.
    pub undone_pulses: f32,
    /// Note of its last erase.
    pub note: u8,
}

impl WearTable {
    /// Hardness columns.
    const COLUMNS: u32 = 64;

    /// Cycles the model under a scheme up to `most_pec` P/E cycles.
    #[must_use]
    pub fn new(
        cells: &EraseCells,
        scheme: Scheme,
        params: &SchemeParams,
        most_pec: u32,
        seed: u64,
    ) -> WearTable {
        Self::cycle(BlockSet::new(cells, scheme, params, Self::COLUMNS, seed), most_pec, BlockSet::wear)
    }

    /// As [`WearTable::new`], where the blocks have the stress that plain ISPE causes.
    #[must_use]
    pub fn under_ispe(
        cells: &EraseCells,
        scheme: Scheme,
        params: &SchemeParams,
        most_pec: u32,
        seed: u64,
    ) -> WearTable {
        Self::cycle(
            BlockSet::new(cells, scheme, params, Self::COLUMNS, seed),
            most_pec,
            BlockSet::wear_as_ispe,
        )
    }

    fn cycle<'a>(
        mut set: BlockSet<'a>,
        most_pec: u32,
        wear: impl Fn(&mut BlockSet<'a>, &[Erased], u32),
    ) -> WearTable {
        let mut table = WearTable { columns: Self::COLUMNS as usize, cells: Vec::new() };
        for _ in 0..=most_pec.div_ceil(BlockSet::STEP_PEC) {
            table.cells.extend(set.blocks().iter().map(|block| Aged {
                stress: block.stress as f32,
                age_pec: block.age_pec as f32,
                undone_pulses: block.undone_pulses as f32,
                note: block.note,
            }));
            let erases = set.erases();
            wear(&mut set, &erases, BlockSet::STEP_PEC);
        }
        table
    }

    /// A block of some P/E cycles, at most those of the table, and hardness 0 to 1.
    #[must_use]
    pub fn after(&self, pec: u32, hardness: f64) -> Aged {
        let rows = self.cells.len() / self.columns;
        let row = (pec / BlockSet::STEP_PEC) as usize;
        let (row, part) = if row + 1 < rows {
            (row, (pec % BlockSet::STEP_PEC) as f32 / BlockSet::STEP_PEC as f32)
        } else {
            (rows - 1, 0.0)
        };
        let at = (hardness * self.columns as f64 - 0.5).clamp(0.0, (self.columns - 1) as f64);
        let column = (at as usize).min(self.columns - 2);
        let across = (at - column as f64) as f32;
        let between = |of: fn(&Aged) -> f32| {
            let of_row = |row: usize| {
                let cells = &self.cells[row * self.columns..];
                of(&cells[column]) + (of(&cells[column + 1]) - of(&cells[column])) * across
            };
            let low = of_row(row);
            let high = if part > 0.0 { of_row(row + 1) } else { low };
            low + (high - low) * part
        };
        let nearest = column + usize::from(across >= 0.5);
        Aged {
            stress: between(|aged| aged.stress),
            age_pec: between(|aged| aged.age_pec),
            ..self.cells[row * self.columns + nearest]
        }
    }
}
