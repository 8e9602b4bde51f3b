//! Checks a workload's keys before use: each by its declaration, then their combinations.

use toml::Table;
use wordline_core::config::{ArrivalProcess, Pattern, SizeDistribution, WorkloadConfig};
use wordline_core::parameter::{Section, value_text};

use super::error::SyntheticError;

type Checked = Result<(), SyntheticError>;

/// Upper limit of the sizes in a distribution, whose table is built in linear time.
const SIZES_MAX: u64 = 65_536;

/// Checks every key.
///
/// # Errors
/// [`SyntheticError::Range`] names the first key that is out of its range, and the range.
pub fn validate(config: &WorkloadConfig) -> Checked {
    in_range(config)?;
    operations(config)?;
    places(config)?;
    if config.size_distribution == SizeDistribution::Mix {
        mixed_sizes(config)?;
    }
    if config.size_distribution == SizeDistribution::Mean {
        mean_sizes(config)?;
    }
    arrivals(config)?;
    updates(config)
}

/// Checks each key by its declaration. A configuration was checked before; a preset or a caller's struct was not.
fn in_range(config: &WorkloadConfig) -> Checked {
    let too_large = |error: toml::ser::Error| SyntheticError::range("*", "a number", error.to_string());
    let table = Table::try_from(config).map_err(too_large)?;
    for parameter in WorkloadConfig::PARAMETERS {
        let value = &table[parameter.name];
        if parameter.domain.check(value).is_err() {
            let expected = format!("must be {}", parameter.values());
            return Err(SyntheticError::range(parameter.name, value_text(value), expected));
        }
    }
    Ok(())
}

fn operations(config: &WorkloadConfig) -> Checked {
    let read_ratios = config.phases.iter().map(|phase| phase.read_ratio).chain([config.read_ratio]);
    let mut writes = false;
    for read_ratio in read_ratios {
        // Ratios such as 0.7 + 0.3 may exceed 1 by a rounding error.
        if read_ratio + config.trim_ratio > 1.0 + 1e-9 {
            let expected = format!("with reads at {read_ratio} at most {} can be trims", 1.0 - read_ratio);
            return Err(SyntheticError::range("trim_ratio", config.trim_ratio, expected));
        }
        writes |= read_ratio + config.trim_ratio < 1.0;
    }
    if config.cold_ratio == -1.0 {
        return Ok(());
    }
    if config.cold_ratio < 1.0 && !writes {
        let expected =
            "reads of written places need writes: lower workload.read_ratio, or set cold_ratio to 1 or -1";
        return Err(SyntheticError::range("cold_ratio", config.cold_ratio, expected));
    }
    Ok(())
}

fn places(config: &WorkloadConfig) -> Checked {
    let align = config.align_bytes;
    if config.pattern == Pattern::Strided && align > 0 && !config.stride_bytes.is_multiple_of(align) {
        let expected = format!("must be a multiple of workload.align_bytes = {align}");
        return Err(SyntheticError::range("stride_bytes", config.stride_bytes, expected));
    }
    if config.footprint_bytes > 0 && config.write_footprint_bytes > config.footprint_bytes {
        let expected = format!("must be at most workload.footprint_bytes = {}", config.footprint_bytes);
        return Err(SyntheticError::range("write_footprint_bytes", config.write_footprint_bytes, expected));
    }
    Ok(())
}

fn mixed_sizes(config: &WorkloadConfig) -> Checked {
    for (key, mix) in
        [("read_block_mix", &config.read_block_mix), ("write_block_mix", &config.write_block_mix)]
    {
        if !mix.is_empty() && !mix.iter().any(|entry| entry.1 > 0.0) {
            return Err(SyntheticError::range(key, "all weights 0", "at least one weight must be above 0"));
        }
    }
    Ok(())
}

fn mean_sizes(config: &WorkloadConfig) -> Checked {
    let (unit, max) = (config.size_unit_bytes, config.size_max_bytes);
    if !max.is_multiple_of(unit) || max / unit > SIZES_MAX {
        let expected = format!("must be 1 to {SIZES_MAX} times workload.size_unit_bytes = {unit}");
        return Err(SyntheticError::range("size_max_bytes", max, expected));
    }
    let write_mean = config.write_size_mean_bytes;
    let means =
        [("read_size_mean_bytes", config.read_size_mean_bytes), ("write_size_mean_bytes", write_mean)];
    // A mean of 0 for writes means that they follow the reads.
    for (key, mean) in means.into_iter().filter(|&(key, mean)| key.starts_with("read") || mean != 0.0) {
        if !(unit as f64 <= mean && mean <= max as f64) {
            let expected = format!("must be between size_unit_bytes = {unit} and size_max_bytes = {max}");
            return Err(SyntheticError::range(key, mean, expected));
        }
    }
    Ok(())
}

fn arrivals(config: &WorkloadConfig) -> Checked {
    for phase in &config.phases {
        one_mean("phases.inter_arrival_us", phase.inter_arrival_us, config)?;
    }
    one_mean("inter_arrival_us", config.inter_arrival_us, config)
}

/// One mean time between arrivals.
fn one_mean(key: &'static str, mean_us: f64, config: &WorkloadConfig) -> Checked {
    if config.arrival == ArrivalProcess::Bursts && mean_us > 0.0 {
        let (inside_us, busy_us) = (config.burst_inter_arrival_us, mean_us / config.busy_factor);
        if !(0.0..=busy_us).contains(&inside_us) {
            let over = if config.busy_factor > 1.0 { " over workload.busy_factor" } else { "" };
            let expected = format!("must be 0 us to the mean, workload.{key} = {mean_us} us{over}");
            return Err(SyntheticError::range("burst_inter_arrival_us", inside_us, expected));
        }
    }
    Ok(())
}

fn updates(config: &WorkloadConfig) -> Checked {
    let (extent, run) = (config.update_extent_bytes, config.update_run_bytes);
    if run == 0 || !run.is_multiple_of(extent) {
        let expected = format!("must be a multiple of workload.update_extent_bytes = {extent}");
        return Err(SyntheticError::range("update_run_bytes", run, expected));
    }
    Ok(())
}
