//! Erasing: the chips of AERO against the paper's measurements, every number computed from the model; the
//! policies step by step; and a user's own erase latencies.

mod chips;
mod device;
mod fail_bits;
mod lifetimes;
mod margins;
mod measured;
mod properties;
mod schemes;
mod shallow;
mod work;
