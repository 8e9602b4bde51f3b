//! What a read finds in the 48-layer TLC, against the measurements that it is calibrated to: every number
//! is computed from the model, over a population like the papers' own.

mod between_steps;
mod characterization;
mod chips;
mod cross_temperature;
mod cuts;
mod disturb;
mod drift;
mod estimates;
mod floor;
mod hardness;
mod population;
mod properties;
mod retry_table;
mod steps;
mod timing_table;
mod voltages;
