//! The Python extension `wordline._core`: values in, values out.
//!
//! This crate simulates and computes nothing: each file converts Python values to those of a crate below, and the
//! results back to Python values. Files: `config` (resolves layers to one configuration), `presets`, `chips`; `simulation`
//! (one run), `held` (a drive that Python steps), `hosts` (hosts with feedback on such drives), `serving` (its SSD for other programs), `tables` (its columns), `policies` (those in Python), `traces` (traces without an SSD); `lab` (chips
//! under test), `ecc`, `survey`; `statistics`; `watch` (Ctrl-C and progress), `errors` (the only mapping to Python exceptions). The typed
//! package around it is `python/wordline`.

mod bug;
mod chips;
mod config;
mod ecc;
mod errors;
mod held;
mod hosts;
mod lab;
mod policies;
mod presets;
#[cfg(unix)]
mod serving;
mod simulation;
mod statistics;
mod survey;
mod tables;
mod traces;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    bug::keep_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("__debug_assertions__", cfg!(debug_assertions))?;
    module.add("SCHEMA_VERSION", wordline_run::result::SCHEMA_VERSION)?;
    module.add_class::<config::Configuration>()?;
    module.add_class::<simulation::Drives>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<held::Drive>()?;
    module.add_class::<policies::GcView>()?;
    module.add_class::<policies::WearView>()?;
    module.add_class::<policies::RefreshView>()?;
    module.add_class::<policies::WriterView>()?;
    module.add_class::<policies::FoldView>()?;
    module.add_class::<policies::HostPageView>()?;
    module.add_class::<policies::MovedPageView>()?;
    #[cfg(unix)]
    module.add_class::<serving::Server>()?;
    module.add_class::<lab::EraseBench>()?;
    module.add_class::<lab::ReadBench>()?;
    module.add_class::<lab::ProgramBench>()?;
    module.add_function(wrap_pyfunction!(hosts::run_tasks, module)?)?;
    module.add_function(wrap_pyfunction!(chips::chips, module)?)?;
    module.add_function(wrap_pyfunction!(chips::chip_of, module)?)?;
    module.add_function(wrap_pyfunction!(config::base_files, module)?)?;
    module.add_function(wrap_pyfunction!(config::parameters, module)?)?;
    module.add_function(wrap_pyfunction!(config::refusals, module)?)?;
    module.add_function(wrap_pyfunction!(config::split_preset, module)?)?;
    module.add_function(wrap_pyfunction!(config::assignment, module)?)?;
    module.add_function(wrap_pyfunction!(config::number, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::result_schema, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::about_aged, module)?)?;
    module.add_function(wrap_pyfunction!(presets::ssd_presets, module)?)?;
    module.add_function(wrap_pyfunction!(presets::workload_presets, module)?)?;
    module.add_function(wrap_pyfunction!(presets::policies, module)?)?;
    module.add_function(wrap_pyfunction!(traces::check_trace, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_format, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_stat, module)?)?;
    module.add_function(wrap_pyfunction!(traces::write_trace, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_formats, module)?)?;
    module.add_function(wrap_pyfunction!(traces::trace_output_formats, module)?)?;
    module.add_function(wrap_pyfunction!(traces::check_trace_target, module)?)?;
    module.add_function(wrap_pyfunction!(ecc::make_ecc_tables, module)?)?;
    module.add_function(wrap_pyfunction!(ecc::ecc_curves, module)?)?;
    module.add_function(wrap_pyfunction!(lab::normal_density, module)?)?;
    module.add_function(wrap_pyfunction!(survey::first_reads, module)?)?;
    module.add_function(wrap_pyfunction!(survey::short_sense_fallbacks, module)?)?;
    module.add_function(wrap_pyfunction!(survey::predictor_accuracy, module)?)?;
    module.add_function(wrap_pyfunction!(survey::randomizer_effect, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::waves, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::normal_quantile, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::student_quantile, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::binomial_limits, module)?)?;
    Ok(())
}
