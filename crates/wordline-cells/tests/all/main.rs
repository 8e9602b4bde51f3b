//! Cells and ECC against the measurements of the papers.

mod ecc;
mod read;
