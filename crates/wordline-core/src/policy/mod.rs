//! The slots: one folder a decision, one small file a policy.

pub mod coding;
pub mod erase;
pub mod gc;
pub mod program;
pub mod read_retry;
pub mod schedule;
