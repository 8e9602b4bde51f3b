//! Reads: the drift of the best read voltages, and the bit errors at those voltages and away from them.
//!
//! The errors of a sense are one sum: errors at the best voltages (wear, retention, cold, incomplete erases, fast
//! programs), errors of voltages away from the best, and errors of shorter phases. The read succeeds if the ECC corrects
//! the sum. The model does not store a number of retry steps: a page needs the first step that succeeds.
//!
//! A page's best voltages drift continuously from the default ones. Manufacturers choose the retry table so that one of
//! its entries is close to them (PR2/AR2, Section 2.4). With other tables the successful entry would often be at the
//! ECC's limit, but it never has more than 40 of 72 errors (Section 5.1). Default and estimated voltages can be at any
//! distance from the best ones, so pages near the limit come from them.
//!
//! | question | file |
//! |---|---|
//! | how far have the voltages drifted? | `drift.rs` |
//! | how many errors remain at the best voltages? | `floor.rs` |
//! | which pages are worse than others? | `place.rs` |
//! | how do storage temperature and time combine? | `retention.rs` |
//! | how do errors grow away from the best voltages? | `valley.rs` |
//! | how do LSB, CSB and MSB pages differ? | `references.rs` |
//! | what do shorter senses add? | `timing_cut.rs`, `rpt.rs` |
//! | where do policies start that estimate the voltages? | `estimate.rs` |
//! | how many errors has the mean codeword? | `codeword.rs` |
//! | what do the threshold voltages look like? | `vth.rs` |
//! | what do reads do to the block? | `disturb.rs` |
//! | what is read between the two steps of a program? | `between_steps.rs` |
//! | what if the program was hotter or colder than the read? | `cross_temperature.rs` |
//! | how does a user's measurement of the steps enter? | `retry_table.rs` |
//! | what does the simulator use? | `model.rs`, `page.rs` with tables from `curve.rs` and `valley_table.rs` |

mod between_steps;
mod check;
mod codeword;
mod constants;
mod cross_temperature;
mod curve;
mod disturb;
mod drift;
mod estimate;
mod floor;
mod model;
mod page;
mod place;
mod references;
mod retention;
mod retry_table;
mod rpt;
mod timing_cut;
mod timing_tables;
mod valley;
mod valley_table;
mod vth;

pub use check::Misfit;
pub use codeword::{CODEWORD_BYTES, DEVIATION_MAX, deviation, mean_bits, mean_rber, worst_bits, worst_of};
pub use constants::{
    BetweenStepsConstants, CrossTemperatureConstants, CutConstants, CutCurve, DisturbConstants,
    DriftConstants, DriftShares, EstimateConstants, FloorConstants, FloorShares, ReadConstants,
    ValleyConstants,
};
pub use cross_temperature::CrossTemperature;
pub use curve::Interpolation;
pub use disturb::Disturb;
pub use drift::Drift;
pub use estimate::Estimates;
pub use floor::Floor;
pub use model::{Page, PrechargeCut, ReadModel, profiled_pages};
pub use page::{Cells, Condition, PageState, ReadAt};
pub use place::{Place, Spread, Spreads};
pub use references::{MergedRead, References, Weights};
pub use retention::{MONTH_DAYS, acceleration, effective_months};
pub use retry_table::RetryTable;
pub use rpt::{Profile, ReadTimingTable};
pub use timing_cut::{CutEffect, Cuts, TimingCut};
pub use timing_tables::ReadTimingTables;
pub use valley::{CODEWORD_BITS, Valley, tail};
pub use vth::{Misreads, StateVoltages, States};
