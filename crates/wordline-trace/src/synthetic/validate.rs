//! Checks a workload's keys before anything is built from them.

use wordline_core::config::{Arrival, Pattern, SizeDistribution, WorkloadConfig};

use super::error::SyntheticError;

type Checked = Result<(), SyntheticError>;

/// No request is larger: 1 GiB, far above any host's limit and far below what `u32` sectors hold.
const REQUEST_BYTES_MAX: u64 = 1 << 30;

/// Sizes in a distribution: its table is built in linear time.
const SIZES_MAX: u64 = 65_536;

/// Checks every key that applies.
///
/// # Errors
/// [`SyntheticError::Range`] names the first key that is out of its range, and the range.
pub fn validate(config: &WorkloadConfig) -> Checked {
    at_least_one("requests", config.requests)?;
    operations(config)?;
    places(config)?;
    match config.size_distribution {
        SizeDistribution::Fixed => fixed_sizes(config)?,
        SizeDistribution::Mix => mixed_sizes(config)?,
        SizeDistribution::Mean => mean_sizes(config)?,
    }
    arrivals(config)?;
    updates(config)
}

fn operations(config: &WorkloadConfig) -> Checked {
    fraction("read_ratio", config.read_ratio)?;
    fraction("trim_ratio", config.trim_ratio)?;
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
    if !(0.0..=1.0).contains(&config.cold_ratio) {
        let expected = "must be 0 to 1, or -1 to let reads go anywhere";
        return Err(SyntheticError::range("cold_ratio", config.cold_ratio, expected));
    }
    if config.cold_ratio < 1.0 && !writes {
        let expected =
            "reads of written places need writes: lower workload.read_ratio, or set cold_ratio to 1 or -1";
        return Err(SyntheticError::range("cold_ratio", config.cold_ratio, expected));
    }
    Ok(())
}

fn places(config: &WorkloadConfig) -> Checked {
    if config.pattern == Pattern::Zipf && !(0.0..=10.0).contains(&config.zipf_theta) {
        return Err(SyntheticError::range("zipf_theta", config.zipf_theta, "must be 0 to 10"));
    }
    if config.pattern == Pattern::HotCold {
        fraction("hot_access_fraction", config.hot_access_fraction)?;
        if !(config.hot_fraction > 0.0 && config.hot_fraction < 1.0) {
            let expected = "must be above 0 and below 1";
            return Err(SyntheticError::range("hot_fraction", config.hot_fraction, expected));
        }
    }
    if config.pattern == Pattern::Strided {
        whole_sectors("stride_bytes", config.stride_bytes)?;
        if config.align_bytes > 0 && !config.stride_bytes.is_multiple_of(config.align_bytes) {
            let expected = format!("must be a multiple of workload.align_bytes = {}", config.align_bytes);
            return Err(SyntheticError::range("stride_bytes", config.stride_bytes, expected));
        }
    }
    if !(0.0..1.0).contains(&config.sequentiality) {
        let expected = "must be 0 to below 1; for 1 set workload.pattern = \"sequential\"";
        return Err(SyntheticError::range("sequentiality", config.sequentiality, expected));
    }
    if !(config.footprint_ratio > 0.0 && config.footprint_ratio <= 1.0) {
        let expected = "must be above 0 and at most 1";
        return Err(SyntheticError::range("footprint_ratio", config.footprint_ratio, expected));
    }
    for (key, bytes) in [
        ("align_bytes", config.align_bytes),
        ("offset_bytes", config.offset_bytes),
        ("footprint_bytes", config.footprint_bytes),
        ("write_footprint_bytes", config.write_footprint_bytes),
    ] {
        if bytes > 0 {
            whole_sectors(key, bytes)?;
        }
    }
    if config.align_bytes > REQUEST_BYTES_MAX {
        let expected = format!("must be at most {REQUEST_BYTES_MAX}");
        return Err(SyntheticError::range("align_bytes", config.align_bytes, expected));
    }
    if config.footprint_bytes > 0 && config.write_footprint_bytes > config.footprint_bytes {
        let expected = format!("must be at most workload.footprint_bytes = {}", config.footprint_bytes);
        return Err(SyntheticError::range("write_footprint_bytes", config.write_footprint_bytes, expected));
    }
    Ok(())
}

fn fixed_sizes(config: &WorkloadConfig) -> Checked {
    request_bytes("read_block_bytes", config.read_block_bytes)?;
    if config.write_block_bytes > 0 {
        request_bytes("write_block_bytes", config.write_block_bytes)?;
    }
    Ok(())
}

fn mixed_sizes(config: &WorkloadConfig) -> Checked {
    if config.read_block_mix.is_empty() {
        return Err(SyntheticError::range("read_block_mix", "[]", "needs at least one [bytes, weight]"));
    }
    for (key, mix) in
        [("read_block_mix", &config.read_block_mix), ("write_block_mix", &config.write_block_mix)]
    {
        for &(bytes, weight) in mix {
            request_bytes(key, bytes)?;
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(SyntheticError::range(key, weight, "a weight must be 0 or more"));
            }
        }
        if !mix.is_empty() && !mix.iter().any(|entry| entry.1 > 0.0) {
            return Err(SyntheticError::range(key, "all weights 0", "at least one weight must be above 0"));
        }
    }
    Ok(())
}

fn mean_sizes(config: &WorkloadConfig) -> Checked {
    request_bytes("size_unit_bytes", config.size_unit_bytes)?;
    request_bytes("size_max_bytes", config.size_max_bytes)?;
    let (unit, max) = (config.size_unit_bytes, config.size_max_bytes);
    if !max.is_multiple_of(unit) || max / unit > SIZES_MAX {
        let expected = format!("must be 1 to {SIZES_MAX} times workload.size_unit_bytes = {unit}");
        return Err(SyntheticError::range("size_max_bytes", max, expected));
    }
    let write_mean = config.write_size_mean_bytes;
    let means =
        [("read_size_mean_bytes", config.read_size_mean_bytes), ("write_size_mean_bytes", write_mean)];
    // A mean of writes that is 0 follows the reads.
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
        at_least_one("phases.requests", phase.requests)?;
        fraction("phases.read_ratio", phase.read_ratio)?;
        one_mean("phases.inter_arrival_us", phase.inter_arrival_us, config)?;
    }
    one_mean("inter_arrival_us", config.inter_arrival_us, config)?;
    if config.arrival == Arrival::HyperExponential && !(1.0..=1e6).contains(&config.arrival_cv2) {
        let expected = "must be 1 (a Poisson process) to 1e6";
        return Err(SyntheticError::range("arrival_cv2", config.arrival_cv2, expected));
    }
    if config.arrival == Arrival::Bursts {
        at_least_one("burst_requests", config.burst_requests)?;
    }
    Ok(())
}

/// One mean time between arrivals. A day is the longest: beyond it, long runs would leave 64-bit nanoseconds.
fn one_mean(key: &'static str, mean_us: f64, config: &WorkloadConfig) -> Checked {
    if !(0.0..=8.64e10).contains(&mean_us) {
        return Err(SyntheticError::range(key, mean_us, "must be 0 us (closed loop) to 8.64e10 us (a day)"));
    }
    if config.arrival == Arrival::Bursts && mean_us > 0.0 {
        let inside_us = config.burst_inter_arrival_us;
        if !(0.0..=mean_us).contains(&inside_us) {
            let expected = format!("must be 0 us to the mean, workload.{key} = {mean_us} us");
            return Err(SyntheticError::range("burst_inter_arrival_us", inside_us, expected));
        }
    }
    Ok(())
}

fn updates(config: &WorkloadConfig) -> Checked {
    fraction("update_scattered_ratio", config.update_scattered_ratio)?;
    fraction("update_run_ratio", config.update_run_ratio)?;
    request_bytes("update_extent_bytes", config.update_extent_bytes)?;
    let (extent, run) = (config.update_extent_bytes, config.update_run_bytes);
    if run == 0 || !run.is_multiple_of(extent) {
        let expected = format!("must be a multiple of workload.update_extent_bytes = {extent}");
        return Err(SyntheticError::range("update_run_bytes", run, expected));
    }
    Ok(())
}

fn at_least_one(key: &'static str, value: u64) -> Checked {
    if value == 0 { Err(SyntheticError::range(key, value, "must be at least 1")) } else { Ok(()) }
}

fn fraction(key: &'static str, value: f64) -> Checked {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(SyntheticError::range(key, value, "must be a fraction, 0 to 1"))
    }
}

fn whole_sectors(key: &'static str, bytes: u64) -> Checked {
    if bytes > 0 && bytes.is_multiple_of(512) {
        Ok(())
    } else {
        Err(SyntheticError::range(key, bytes, "must be a multiple of 512 bytes"))
    }
}

fn request_bytes(key: &'static str, bytes: u64) -> Checked {
    whole_sectors(key, bytes)?;
    if bytes > REQUEST_BYTES_MAX {
        return Err(SyntheticError::range(key, bytes, format!("must be at most {REQUEST_BYTES_MAX} bytes")));
    }
    Ok(())
}
