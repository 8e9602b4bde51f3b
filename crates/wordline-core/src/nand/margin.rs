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
        let worn = cells.begin(f64::from(health.stress), hardness(device.seed, block), 0.0);
        let loops = cells.loops(f64::from(worn.required_pulses));
        let most = if device.scheme.leaves_margin() {
            (1..=loops).map(|row| params.ept.most_left(row)).max().unwrap_or(0)
        } else {
            0
        };
        // This erase has worn the block: before it, it may have needed a loop less.
        let errors = |loops: u8| cells.residual.errors(most, loops) as f32;
        let window = device.scheme.window_bits(params, health.pec.saturating_sub(1));
        let allowed = errors(loops).max(errors(loops.saturating_sub(1))) + window;
        if health.residual_bits <= allowed {
            return Ok(());
        }
        Err(SimError::Check(format!(
            "block {block} was erased with {} errors in 1 KiB left, and its scheme may leave {allowed}",
            health.residual_bits
        )))
    }
}
