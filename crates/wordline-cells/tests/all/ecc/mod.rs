//! The ECC's committed tables against the code and decoder that made them, and what follows from them.

mod predictor;
mod tables;
