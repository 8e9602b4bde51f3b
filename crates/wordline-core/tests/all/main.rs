//! The SSD from outside: runs in checked mode, closed forms, and what erase schemes do to blocks.
//!
//! One program, since each costs the time of a link.

mod behaviours;
mod checked_mode;
mod closed_forms;
mod closing;
mod coding;
mod common;
mod data_age;
mod erase_schemes;
mod errors;
mod external;
mod fast_writes;
mod fdp;
mod host;
mod journal;
mod large_drive;
mod live;
mod loaded_programs;
mod mqsim_options;
mod open_groups;
mod pairs;
mod parity;
mod policy_counters;
mod power;
mod power_ida;
mod priorities;
mod read_policies;
mod read_reclaim;
mod real_traces;
mod slc;
mod soak;
mod soft_decisions;
mod states;
mod streams;
mod two_step;
mod units;
mod waits;
mod window;
mod wordlines;
mod zones;
