//! What a read finds: where the best read voltages have drifted to, and how many bits are wrong there
//! and beside it.
//!
//! A page's best voltages lie a whole number of retry-table steps from the default ones, plus a small
//! residual: manufacturers make the table so that the step that succeeds lands close (PR2/AR2, Section
//! 2.4). How many steps a page needs is stored nowhere; it is the first step whose errors fit the ECC.
//!
//! | question | file |
//! |---|---|
//! | how far have the voltages drifted? | `drift.rs` |
//! | how many errors are left at the best voltages? | `floor.rs` |
//! | which pages are worse than others? | `place.rs` |
//! | how do storage temperature and time act together? | `retention.rs` |
//! | how do errors climb beside the best voltages? | `valley.rs` |
//! | what do shorter senses add? | `timing_cut.rs`, `rpt.rs` |
//! | where do policies start that know more? | `estimate.rs` |
//! | how many errors has the mean codeword, and a chunk? | `codeword.rs` |
//! | what do the threshold voltages look like? | `vth.rs` |
//! | what if a user has measured the steps? | `retry_table.rs` |
//! | what does the simulator ask? | `model.rs`, of `page.rs` with tables from `curve.rs` and `valley_table.rs` |

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
