//! How blocks of this SSD are erased, and what they are like when a run starts.

use super::erase::{Aged, EraseDevice, EraseOptions, PlaneErase};
use super::{BlockHealth, Geometry};
use crate::config::{Config, WornBy};
use wordline_cells::erase::EraseOutcome;

/// The erase side of the configured chip; `None` where it says nothing about erases. An erase of tBERS
/// wears a block as one of ISPE does.
///
/// # Panics
/// Never: the configuration has been checked.
#[must_use]
pub(super) fn device(config: &Config) -> Option<EraseDevice> {
    let chip = config.device.chip.as_ref()?;
    let cells = config.device.erase_cells.clone()?;
    let options = EraseOptions { scheme: config.erase.scheme, keys: config.erase.policies };
    Some(EraseDevice::new(chip, cells, &options, config.seed).expect("a checked configuration"))
}

/// Every block as it is when a run starts.
pub(super) fn worn(config: &Config, geometry: &Geometry, device: Option<&EraseDevice>) -> Vec<BlockHealth> {
    let pec = config.reliability.pec;
    let average =
        BlockHealth { pec, stress: pec as f32, erase_age_pec: pec as f32, ..BlockHealth::default() };
    let every = geometry.all_blocks();
    let Some(device) = device else { return every.map(|_| average).collect() };
    let with = |aged: Aged| BlockHealth {
        stress: aged.stress,
        erase_age_pec: aged.age_pec,
        undone_pulses: aged.undone_pulses,
        erase_note: aged.note,
        ..average
    };
    match config.reliability.worn_by {
        WornBy::Ispe => {
            let aged = device.worn_by_ispe(pec);
            every.map(|block| with(aged(block))).collect()
        }
        WornBy::Scheme => {
            let aged = device.worn_by_scheme(pec);
            let of = |block| {
                let worn = with(aged(block));
                // What its last erase left behind is what the next one would leave.
                let EraseOutcome { residual_bits, undone_pulses, .. } =
                    finish(device, &mut device.begin(block, &worn));
                BlockHealth { residual_bits, undone_pulses, ..worn }
            };
            every.map(of).collect()
        }
    }
}

/// Goes through what is left of an erase; what it did to the block.
pub(crate) fn finish(device: &EraseDevice, erase: &mut PlaneErase) -> EraseOutcome {
    while device.next_pulse(erase).is_some() {}
    device.outcome(erase)
}
