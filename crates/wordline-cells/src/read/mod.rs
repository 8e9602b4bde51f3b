//! Reads: the drift of the best read voltages, and the bit errors at those voltages and beside them.
//!
//! There is one budget: the errors of a sense are those at the best voltages (wear, retention, cold, disturb, what
//! incomplete erases and fast programs left), those of voltages beside the best, and those of shorter phases. A page is
//! read when their sum fits the ECC. How many retry steps it needs is stored nowhere: it is the first that fits.
//!
//! A page's best voltages drift continuously from the default ones. Manufacturers make the retry table so that one of
//! its entries lands close to them (PR2/AR2, Section 2.4); by continuity the entry that succeeds would otherwise often
//! sit at the ECC's limit, and it never has more than 40 of 72 errors (Section 5.1). The default voltages, and those
//! that a policy estimates, lie at any distance: that is where pages near the limit come from.
//!
//! | question | file |
//! |---|---|
//! | how far have the voltages drifted? | `drift.rs` |
//! | how many errors remain at the best voltages? | `floor.rs` |
//! | which pages are worse than others? | `place.rs` |
//! | how do storage temperature and time act together? | `retention.rs` |
//! | how do errors climb beside the best voltages? | `valley.rs` |
//! | how do LSB, CSB and MSB pages differ? | `references.rs` |
//! | what do shorter senses add? | `timing_cut.rs`, `rpt.rs` |
//! | where do policies start that know more? | `estimate.rs` |
//! | how many errors has the mean codeword? | `codeword.rs` |
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
pub use codeword::{mean_bits, mean_rber, worst_bits};
pub use constants::{
    CutConstants, CutCurve, DriftConstants, DriftShares, EstimateConstants, FloorConstants, FloorShares,
    ReadConstants, ValleyConstants,
};
pub use curve::Interpolation;
pub use drift::Drift;
pub use estimate::Estimates;
pub use floor::Floor;
pub use model::{Page, PrechargeCut, ReadModel};
pub use page::{Cells, Condition, PageState, ReadAt};
pub use place::{Place, Spread, Spreads};
pub use references::{References, Weights};
pub use retention::{MONTH_DAYS, acceleration, effective_months};
pub use retry_table::RetryTable;
pub use rpt::{Profile, ReadTimingTable};
pub use timing_cut::{CutEffect, Cuts, TimingCut};
pub use timing_tables::ReadTimingTables;
pub use valley::{CODEWORD_BITS, Valley};
pub use vth::{Misreads, StateVoltages, States};
