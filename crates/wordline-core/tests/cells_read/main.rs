//! What a read finds in the 48-layer TLC, against the measurements that it is calibrated to: every number
//! is computed from the model, over a population like the papers' own.

mod drift;
mod floor;
mod population;
