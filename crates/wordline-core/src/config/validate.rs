//! Ranges, and what must fit together.

use super::{CodingConfig, Config, Fill, MappingKind};
use crate::nand::{Geometry, PLANES_MAX, Shape};
use crate::policy::Refusal;
use wordline_cells::ecc::tally::ITERATIONS_MAX;

/// What is wrong with a value, and how to mend it.
pub(super) struct Problem {
    pub key: &'static str,
    pub message: String,
    pub fix: String,
}

fn problem(key: &'static str, message: String, fix: &str) -> Result<(), Problem> {
    Err(Problem { key, message, fix: fix.to_owned() })
}

/// What a policy says of the rest of the configuration.
fn refused(key: &'static str, name: &str, said: Result<(), Refusal>) -> Result<(), Problem> {
    said.or_else(|Refusal { why, fix }| problem(key, format!("`{key}` = \"{name}\" {why}"), fix))
}

fn within(key: &'static str, value: f64, low: f64, high: f64) -> Result<(), Problem> {
    if value >= low && value <= high {
        return Ok(());
    }
    problem(key, format!("`{key}` = {value} is out of range"), &format!("it takes {low} to {high}"))
}

fn positive(key: &'static str, value: f64, high: f64) -> Result<(), Problem> {
    if value > 0.0 && value <= high {
        return Ok(());
    }
    problem(key, format!("`{key}` = {value} is out of range"), &format!("it takes more than 0, up to {high}"))
}

/// Longest single operation that a configuration may ask for, us (100 s).
const TIME_MAX_US: f64 = 1e8;

/// Checks ranges first, then what must fit together.
pub(super) fn check(config: &Config) -> Result<(), Problem> {
    geometry(config)?;
    timing(config)?;
    read(config)?;
    host(config)?;
    ftl(config)?;
    program(config)?;
    capacity(config)
}

fn geometry(config: &Config) -> Result<(), Problem> {
    let ssd = &config.ssd;
    within("ssd.channels", ssd.channels.into(), 1.0, 64.0)?;
    within("ssd.chips_per_channel", ssd.chips_per_channel.into(), 1.0, 64.0)?;
    within("ssd.dies_per_chip", ssd.dies_per_chip.into(), 1.0, 64.0)?;
    within("ssd.planes_per_die", ssd.planes_per_die.into(), 1.0, PLANES_MAX as f64)?;
    within("ssd.blocks_per_plane", ssd.blocks_per_plane.into(), 4.0, 1_048_576.0)?;
    within("ssd.pages_per_block", ssd.pages_per_block.into(), 4.0, 65_535.0)?;
    within("ssd.page_bytes", ssd.page_bytes.into(), 4096.0, 65_536.0)?;
    within("ssd.spare_bytes", ssd.spare_bytes.into(), 0.0, f64::from(ssd.page_bytes))?;
    within("ssd.overprovisioning", ssd.overprovisioning, 0.0, 0.9)?;
    if !ssd.page_bytes.is_power_of_two() {
        return problem(
            "ssd.page_bytes",
            format!("`ssd.page_bytes` = {} is not a power of two", ssd.page_bytes),
            "take 4096, 8192, 16384, 32768 or 65536",
        );
    }
    let dies = ssd.chips_per_channel * ssd.dies_per_chip;
    if dies > 64 {
        return problem(
            "ssd.chips_per_channel",
            format!(
                "{} chips of {} dies are {dies} dies on a channel",
                ssd.chips_per_channel, ssd.dies_per_chip
            ),
            "a channel takes at most 64 dies",
        );
    }
    let pages = config.geometry().pages();
    if pages >= u64::from(u32::MAX) - 1 {
        return problem(
            "ssd.blocks_per_plane",
            format!("the geometry has {pages} pages"),
            "at most 4,294,967,293 fit; take fewer blocks or larger pages",
        );
    }
    Ok(())
}

fn timing(config: &Config) -> Result<(), Problem> {
    let nand = &config.nand;
    let scheme = config.coding.scheme.resolve(config.coding.cell);
    let senses = scheme.senses_max();
    if nand.read_us.len() < senses {
        return problem(
            "nand.read_us",
            format!(
                "`nand.read_us` has {} times, but a page of this coding takes up to {senses} senses",
                nand.read_us.len()
            ),
            "give one time for each number of senses: 1, 2, 3, …",
        );
    }
    for &us in &nand.read_us {
        positive("nand.read_us", us, TIME_MAX_US)?;
    }
    let bits = config.coding.cell.bits() as usize;
    if nand.program_us.len() != 1 && nand.program_us.len() != bits {
        return problem(
            "nand.program_us",
            format!("`nand.program_us` has {} times for {bits} page types", nand.program_us.len()),
            "give one time, or one for each page type (LSB first)",
        );
    }
    for &us in &nand.program_us {
        positive("nand.program_us", us, TIME_MAX_US)?;
    }
    positive("nand.erase_us", nand.erase_us, TIME_MAX_US)?;
    for (key, us) in [
        ("nand.program_suspend_us", nand.program_suspend_us),
        ("nand.erase_suspend_us", nand.erase_suspend_us),
        ("nand.resume_us", nand.resume_us),
        ("nand.set_feature_us", nand.set_feature_us),
        ("nand.reset_us", nand.reset_us),
        ("ecc.decode_us", config.ecc.decode_us),
        ("ecc.decode_fail_us", config.ecc.decode_fail_us),
        ("ecc.iteration_us", config.ecc.iteration_us),
        ("schedule.suspend_min_remaining_us", config.schedule.suspend_min_remaining_us),
    ] {
        within(key, us, 0.0, TIME_MAX_US)?;
    }
    within("channel.rate_mb_s", config.channel.rate_mb_s, 0.0, 1e6)?;
    within("dram.rate_mb_s", config.dram.rate_mb_s, 0.0, 1e7)?;
    within("ecc.buffer_pages", config.ecc.buffer_pages.into(), 1.0, 4096.0)?;
    within("ecc.correctable_bits", config.ecc.correctable_bits, 0.0, 8192.0)?;
    within("ecc.max_iterations", config.ecc.max_iterations.into(), 1.0, ITERATIONS_MAX as f64)?;
    if scheme.bits() != config.coding.cell.bits() {
        return problem(
            "coding.scheme",
            format!("`coding.scheme` stores {} bits a cell, `coding.cell` has {bits}", scheme.bits()),
            "make them agree, or set coding.scheme = \"auto\"",
        );
    }
    Ok(())
}

fn read(config: &Config) -> Result<(), Problem> {
    let (nand, read) = (&config.nand, &config.read);
    for (key, us) in [
        ("nand.precharge_us", nand.precharge_us),
        ("nand.evaluate_us", nand.evaluate_us),
        ("nand.discharge_us", nand.discharge_us),
    ] {
        positive(key, us, TIME_MAX_US)?;
    }
    within("nand.on_die_check_us", nand.on_die_check_us, 0.0, TIME_MAX_US)?;
    within("read.tpre_cut", read.tpre_cut, 0.0, 0.9)?;
    within("read.pso_min_steps", read.pso_min_steps.into(), 0.0, 100.0)?;
    within("read.pso_drift_share", read.pso_drift_share, 0.0, 1.0)?;
    within("read.on_die_retries", read.on_die_retries.into(), 1.0, 7.0)?;
    // Under `ideal` no page is asked what is wrong in it.
    let asked = config.device.chip.as_ref().filter(|_| !read.retry.is_ideal());
    if let Some(chip) = asked.filter(|chip| chip.cell != config.coding.cell) {
        return problem(
            "cells.chip",
            format!(
                "`cells.chip` stores {} bits a cell, `coding.cell` {}",
                chip.cell.bits(),
                config.coding.cell.bits()
            ),
            "take another chip, or set coding.cell to the chip's",
        );
    }
    if !config.cells.retry_table.is_empty() && !config.device.has_read_model() {
        return problem(
            "cells.retry_table",
            "`cells.retry_table` takes the place of a chip's drift, and no chip's reads are known".to_owned(),
            "name one in cells.chip: its errors at each step are needed too",
        );
    }
    refused("read.retry", &String::from(read.retry), read.retry.check(config))
}

fn host(config: &Config) -> Result<(), Problem> {
    let host = &config.host;
    within("host.queue_depth", host.queue_depth.into(), 1.0, 65_535.0)?;
    within("host.device_queue_depth", host.device_queue_depth.into(), 1.0, 1_048_576.0)?;
    positive("host.time_scale", host.time_scale, 1e9)?;
    within("host.link_rate_mb_s", host.link_rate_mb_s, 0.0, 1e6)?;
    within("host.duration_s", host.duration_s, 0.0, 1e9)?;
    within("metrics.digits", config.metrics.digits.into(), 1.0, 4.0)?;
    within("metrics.series_ms", config.metrics.series_ms, 0.0, 1e9)
}

fn ftl(config: &Config) -> Result<(), Problem> {
    if crate::ftl::Allocation::parse(&config.ftl.allocation).is_none() {
        return problem(
            "ftl.allocation",
            format!("`ftl.allocation` = \"{}\" is no allocation order", config.ftl.allocation),
            "write the letters C, W, D, P in the order in which consecutive pages spread, or \"dynamic\"",
        );
    }
    within("ftl.entry_bytes", config.ftl.entry_bytes.into(), 4.0, 64.0)?;
    within("ftl.streams", config.ftl.streams.into(), 1.0, 16.0)?;
    within("gc.threshold", config.gc.threshold, 0.0, 0.9)?;
    within("gc.hard_threshold", config.gc.hard_threshold, 0.0, 0.9)?;
    if config.gc.hard_threshold > config.gc.threshold {
        let (hard, threshold) = (config.gc.hard_threshold, config.gc.threshold);
        return problem(
            "gc.threshold",
            format!("`gc.threshold` = {threshold} is below `gc.hard_threshold` = {hard}"),
            "GC begins at the first and becomes urgent at the second: raise the one or lower the other",
        );
    }
    within("gc.d", config.gc.policies.d_choices.d.into(), 1.0, 1024.0)?;
    within("gc.moves_in_flight", config.gc.moves_in_flight.into(), 1.0, 1024.0)?;
    within("refresh.period_days", config.refresh.period_days, 0.0, 36_500.0)?;
    within("coding.ida_error_rate", config.coding.ida_error_rate, 0.0, 1.0)?;
    within("cache.high_watermark", config.cache.high_watermark, 0.0, 1.0)?;
    within("cache.low_watermark", config.cache.low_watermark, 0.0, config.cache.high_watermark)?;
    within("reliability.pec", config.reliability.pec.into(), 0.0, 1e6)?;
    within("reliability.retention_months", config.reliability.retention_months, 0.0, 1200.0)?;
    within("reliability.retention_spread", config.reliability.retention_spread, 0.0, 1.0)?;
    within("reliability.temperature_c", config.reliability.temperature_c, -40.0, 125.0)?;
    within("reliability.retry_steps", config.reliability.retry_steps.into(), 0.0, 100.0)?;
    within("erase.shallow_us", config.erase.shallow_us, 0.0, TIME_MAX_US)?;
    within("erase.mispredict_rate", config.erase.mispredict_rate, 0.0, 1.0)?;
    within("erase.rber_requirement_bits", config.erase.rber_requirement_bits, 0.0, 8192.0)?;
    erase(config)?;
    within("reliability.factory_bad", config.reliability.factory_bad, 0.0, 0.5)?;
    within("reliability.grown_bad", config.reliability.grown_bad, 0.0, 1.0)?;
    if let Fill::Share(share) = config.precondition.fill {
        within("precondition.fill", share, 0.0, 1.0)?;
    }
    within("precondition.overwrite", config.precondition.overwrite, 0.0, 1000.0)
}

/// Schemes that go by what the cells do need a chip that says what they do.
fn erase(config: &Config) -> Result<(), Problem> {
    let scheme = config.erase.scheme;
    if !scheme.is_by_loop() {
        return if config.device.erase_cells.is_none() && !config.cells.erase_table.is_empty() {
            problem(
                "cells.erase_table",
                "`cells.erase_table` needs a chip whose blocks are erased".to_owned(),
                "set cells.chip = \"tlc-48l\", or another chip",
            )
        } else {
            Ok(())
        };
    }
    let name = scheme.name();
    let Some(cells) = &config.device.erase_cells else {
        return problem(
            "erase.scheme",
            format!("`erase.scheme` = \"{name}\" needs a chip that says how its blocks are erased"),
            "set cells.chip = \"tlc-48l\", or erase.scheme = \"fixed\"",
        );
    };
    refused("erase.scheme", name, scheme.check(config))?;
    let pulse_us = cells.constants.pulse_ms * 1000.0;
    let loop_us = pulse_us * f64::from(cells.constants.pulses_per_loop);
    let pulses = config.erase.shallow_us / pulse_us;
    if pulses < 1.0 || config.erase.shallow_us >= loop_us || (pulses - libm::round(pulses)).abs() > 1e-9 {
        return problem(
            "erase.shallow_us",
            format!("`erase.shallow_us` = {} is no shallow erasure", config.erase.shallow_us),
            &format!("take a multiple of the chip's {pulse_us} us, below the {loop_us} us of a loop"),
        );
    }
    Ok(())
}

fn program(config: &Config) -> Result<(), Problem> {
    let program = &config.program;
    within("program.write_streams", program.write_streams.into(), 0.0, 4096.0)?;
    within("program.fast_dvpp", program.fast_dvpp, 1.0, 3.0)?;
    within("program.rewrite_queue_pages", program.rewrite_queue_pages.into(), 0.0, 1e9)?;
    within("program.rewrites_in_flight", program.rewrites_in_flight.into(), 1.0, 4096.0)?;
    for (key, s) in
        [("power.cut_at_s", config.power.cut_at_s), ("power.shutdown_at_s", config.power.shutdown_at_s)]
    {
        within(key, s, 0.0, 1e9)?;
    }
    within("power.off_h", config.power.off_h, 0.0, 1e6)?;
    within("program.rewrite_slack_h", program.rewrite_slack_h, 0.0, 1e5)?;
    refused("program.policy", program.policy.name(), program.policy.check(config))
}

fn capacity(config: &Config) -> Result<(), Problem> {
    let geometry = config.geometry();
    // One open block per stream, one for GC, one to collect into and one where wear levelling parks cold
    // data must exist beside the data; so must the mapping table, where it is on flash.
    let blocks = f64::from(geometry.blocks_per_plane);
    let parking = if config.wear.static_threshold > 0 { 1.0 } else { 0.0 };
    let table = match config.ftl.mapping {
        MappingKind::Dftl => {
            let bytes = f64::from(config.ftl.entry_bytes) / f64::from(config.ssd.page_bytes);
            (blocks * (1.0 - config.ssd.overprovisioning) * bytes).ceil()
        }
        MappingKind::Flat => 0.0,
    };
    let spare_blocks = blocks * config.ssd.overprovisioning;
    let fast = if config.program.policy.writes_fast() { 1.0 } else { 0.0 };
    let needed = f64::from(config.ftl.streams) + 2.0 + parking + fast + table;
    if spare_blocks < needed {
        return problem(
            "ssd.overprovisioning",
            format!(
                "over-provisioning leaves {spare_blocks:.1} spare blocks in a plane of {}; {needed} are needed to collect garbage",
                geometry.blocks_per_plane
            ),
            "raise ssd.overprovisioning or ssd.blocks_per_plane",
        );
    }
    if config.host_pages() == 0 {
        return problem(
            "ssd.overprovisioning",
            "no page is left for the host".to_owned(),
            "lower ssd.overprovisioning",
        );
    }
    Ok(())
}

impl Config {
    /// The shape of the flash array.
    #[must_use]
    pub fn geometry(&self) -> Geometry {
        let CodingConfig { cell, .. } = self.coding;
        Geometry::from(Shape {
            channels: self.ssd.channels,
            chips_per_channel: self.ssd.chips_per_channel,
            dies_per_chip: self.ssd.dies_per_chip,
            planes_per_die: self.ssd.planes_per_die,
            blocks_per_plane: self.ssd.blocks_per_plane,
            pages_per_block: self.ssd.pages_per_block,
            page_bytes: self.ssd.page_bytes,
            bits_per_cell: cell.bits(),
        })
    }

    /// Pages that the host sees: all but the over-provisioned ones.
    #[must_use]
    pub fn host_pages(&self) -> u64 {
        (self.geometry().pages() as f64 * (1.0 - self.ssd.overprovisioning)) as u64
    }

    /// 512-byte sectors that the host sees.
    #[must_use]
    pub fn host_sectors(&self) -> u64 {
        self.host_pages() * u64::from(self.geometry().sectors_per_page())
    }
}
