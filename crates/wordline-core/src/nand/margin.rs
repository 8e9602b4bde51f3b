//! Checked mode: no block is used before it is erased as far as its scheme must.

use super::{BlockId, Nand};
use crate::error::SimError;
use wordline_cells::erase::hardness;

impl Nand {
    /// A block was erased: down to F_PASS, or, under a scheme that leaves something to the ECC, to what its table allows.
    ///
    /// # Errors
    /// [`SimError::Check`] for more errors than that.
    pub fn check_erased(&self, block: BlockId) -> Result<(), SimError> {
        let Some(device) = &self.erases else { return Ok(()) };
        let (health, cells, params) = (self.health(block), &device.cells, &device.params);
        let worn = cells.begin(f64::from(health.erase_age_pec), hardness(device.seed, block), 0.0, 0.0);
        let required = f64::from(worn.required_pulses);
        // This erase has worn the block, so it may have needed one loop less before. Pulses that the last erase left out
        // may have cost one loop more.
        let loops = cells.loops(required).saturating_sub(1).max(1)..=cells.loops(required) + 1;
        let most = if device.scheme.leaves_margin() {
            (1..=*loops.end()).map(|row| params.ept.most_left(row)).max().unwrap_or(0)
        } else {
            0
        };
        let window = device.scheme.window_bits(params, health.pec.saturating_sub(1));
        let errors = loops.map(|row| cells.residual.errors(most, row, required)).fold(0.0, f64::max);
        let allowed = errors as f32 + window;
        if health.residual_bits <= allowed {
            return Ok(());
        }
        Err(SimError::Check(format!(
            "block {block} was erased with {} errors in 1 KiB left, and its scheme may leave {allowed}",
            health.residual_bits
        )))
    }
}
