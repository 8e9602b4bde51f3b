//! A chip lab: what needs a whole configured device, and the tables of its ECC. Blocks and pages of one kind of chip are under
//! test in `wordline_cells::bench` and `wordline_core::nand::erase`.
//!
//! | file | content |
//! |---|---|
//! | `survey.rs` | first reads of pages all over the device |
//! | `ecc.rs` | makes the tables of the ECC on several threads, and computes their curves |

pub mod ecc;
pub mod survey;
