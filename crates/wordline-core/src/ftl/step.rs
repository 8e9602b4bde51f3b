//! What the FTL works on while it takes one step.

use crate::engine::Ns;
use crate::flash::{Failure, Outbox};
use crate::nand::Nand;

/// One step of the FTL: when it happens, the flash array, and where what leaves the FTL goes.
#[derive(Debug)]
pub struct Step<'a> {
    /// The flash array.
    pub nand: &'a mut Nand,
    /// Simulated time, ns.
    pub now: Ns,
    /// What leaves the FTL.
    pub out: &'a mut Outbox,
    /// What has failed of the host's requests.
    pub failures: &'a mut Vec<Failure>,
}
