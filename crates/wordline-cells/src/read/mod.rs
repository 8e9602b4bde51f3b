//! Reads: the drift of the best read voltages, and the bit errors at those voltages and beside them.
//!
//! A page's best voltages are a whole number of retry-table steps from the default ones, plus a small residual:
//! manufacturers make the table so that the step that succeeds is close to them (PR2/AR2, Section 2.4). The number of
//! steps that a page needs is not stored; it is the first step whose errors the ECC can correct.
//!
//! | question | file |
//! |---|---|
//! | how far have the voltages drifted? | `drift.rs` |
//! | how many errors remain at the best voltages? | `floor.rs` |
//! | which pages are worse than others? | `place.rs` |
//! | how do storage temperature and time combine? | `retention.rs` |
//! | how do errors grow beside the best voltages? | `valley.rs` |
//! | what do shorter senses add? | `timing_cut.rs`, `rpt.rs` |
//! | where do policies with an estimate start? | `estimate.rs` |
//! | how many errors has the mean codeword, and a chunk? | `codeword.rs` |
//! | what do the threshold voltages look like? | `vth.rs` |
//! | how does a user's measurement of the steps enter? | `retry_table.rs` |
//! | what does the simulator use? | `model.rs`, `page.rs` with tables from `curve.rs` and `valley_table.rs` |

mod check;
mod codeword;
mod constants;
mod curve;
mod drift;
mod estimate;
mod floor;
mod model;
mod page;
mod place;
mod retention;
mod retry_table;
mod rpt;
mod timing_cut;
mod timing_tables;
mod valley;
mod valley_table;
mod vth;

pub use check::Misfit;
pub use codeword::{CHUNKS, chunk_rber, mean_bits, mean_rber, worst_bits};
pub use constants::{
    CutConstants, CutCurve, DriftConstants, DriftShares, EstimateConstants, FloorConstants, FloorShares,
    ReadConstants, ValleyConstants,
};
pub use curve::Interpolation;
pub use drift::Drift;
pub use estimate::Estimates;
pub use floor::Floor;
pub use model::{Page, PrechargeCut, ReadModel};
pub use page::{Cells, Condition, PageState};
pub use place::{Place, Spread, Spreads};
pub use retention::{MONTH_DAYS, acceleration, effective_months};
pub use retry_table::RetryTable;
pub use rpt::{Profile, ReadTimingTable};
pub use timing_cut::{CutEffect, Cuts, TimingCut};
pub use timing_tables::ReadTimingTables;
pub use valley::{CODEWORD_BITS, Valley};
pub use vth::{Misreads, StateVoltages, States};
