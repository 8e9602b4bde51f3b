//! What can be computed by hand must come out: latencies to the nanosecond, saturation rates, queueing
//! theory, and the write amplification of uniform and of hot and cold writes.

mod aged;
mod die_sharing;
mod erases;
mod front_end;
mod frontiers;
mod groups;
mod mean_field;
mod merged_wordlines;
mod queueing;
mod retries;
mod saturation;
mod small_log;
mod unloaded;
mod write_amplification;
