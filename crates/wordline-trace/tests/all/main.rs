//! Traces and synthetic workloads: what is read, what is written, what is refused.

mod common;
mod files;
mod formats;
mod native;
mod noise;
mod reading;
mod real_traces;
mod stat;
mod synthetic_look_alikes;
mod synthetic_patterns;
mod synthetic_presets;
