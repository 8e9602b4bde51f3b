//! What must fit together. What features do not go together at all says `together.rs`. Ranges of single keys are checked from their declarations (`check.rs`).

use super::numbers;
use super::problem::{Problem, problem};
use super::{CacheMode, CodingConfig, Config, FreeBlocks, Group, ProgramUnit, fdp, together, zones};
use crate::policy::Refusal;
use wordline_cells::PageOrder;
use wordline_cells::geometry::{Geometry, Shape, UnitGeometry};
use wordline_cells::read::CrossTemperatureConstants;

/// What a policy says of its keys and the device; `slot` is the key that names it.
fn refused(slot: &'static str, name: &str, said: Result<(), Refusal>) -> Result<(), Problem> {
    said.map_err(|Refusal { key, why, fix }| match key {
        Some(key) => Problem { key, message: why, fix },
        None => Problem { key: slot, message: format!("`{slot}` = \"{name}\" {why}"), fix },
    })
}

/// Checks what must fit together.
pub(super) fn check(config: &Config) -> Result<(), Problem> {
    geometry(config)?;
    numbers::fit(config)?;
    zones::check(config)?;
    timing(config)?;
    cells(config)?;
    policies(config)?;
    units(config)?;
    together::check(config)?;
    fdp::check(config)?;
    parity(config)?;
    wordlines(config)?;
    slc(config)?;
    journal(config)?;
    capacity(config)?;
    journal_leaves_room(config)
}

fn geometry(config: &Config) -> Result<(), Problem> {
    let ssd = &config.ssd;
    if ssd.spare_bytes > ssd.page_bytes {
        return problem(
            "ssd.spare_bytes",
            format!("`ssd.spare_bytes` = {} is more than a page's {} bytes", ssd.spare_bytes, ssd.page_bytes),
            "lower it to ssd.page_bytes or less",
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
    let bits = config.coding.cell.bits() as usize;
    if nand.program_us.len() != 1 && nand.program_us.len() != bits {
        return problem(
            "nand.program_us",
            format!("`nand.program_us` has {} times for {bits} page types", nand.program_us.len()),
            "give one time, or one for each page type (LSB first)",
        );
    }
    if scheme.bits() != config.coding.cell.bits() {
        return problem(
            "coding.scheme",
            format!("`coding.scheme` stores {} bits a cell, `coding.cell` has {bits}", scheme.bits()),
            "make them agree, or set coding.scheme = \"auto\"",
        );
    }
    Ok(())
}

/// What `[cells]` names, and what reads and erases need of it.
fn cells(config: &Config) -> Result<(), Problem> {
    // Under `ideal` no errors of a page are looked up.
    let asked = config.device.chip.as_ref().filter(|_| !config.read.retry.is_ideal());
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
    let read = config.device.chip.as_ref().and_then(|chip| chip.read.as_ref());
    if config.reliability.read_disturb && read.is_none_or(|read| read.disturb.rber_per_read == 0.0) {
        return problem(
            "reliability.read_disturb",
            "`reliability.read_disturb` is on, and the chip's [read.disturb] is not known".to_owned(),
            "name a chip in cells.chip that has it, or set it to false",
        );
    }
    if config.reliability.programmed_hotter_c != 0.0
        && read.is_none_or(|read| read.cross_temperature == CrossTemperatureConstants::default())
    {
        return problem(
            "reliability.programmed_hotter_c",
            "`reliability.programmed_hotter_c` is not 0, and the chip's [read.cross_temperature] is not known"
                .to_owned(),
            "name a chip in cells.chip that has it, or set it to 0",
        );
    }
    if !config.cells.retry_table.is_empty() && !config.device.has_read_model() {
        return problem(
            "cells.retry_table",
            "`cells.retry_table` takes the place of a chip's drift, and no chip's reads are known".to_owned(),
            "name one in cells.chip: its errors at each step are needed too",
        );
    }
    let scheme = config.erase.scheme;
    match (config.device.erase_cells.is_none(), scheme.is_by_loop()) {
        // Schemes that follow the cells need a chip whose erases are known.
        (true, true) => problem(
            "erase.scheme",
            format!(
                "`erase.scheme` = \"{}\" needs a chip that says how its blocks are erased",
                scheme.name()
            ),
            "set cells.chip = \"tlc-48l\", or erase.scheme = \"fixed\"",
        ),
        (true, false) if !config.cells.erase_table.is_empty() => problem(
            "cells.erase_table",
            "`cells.erase_table` needs a chip whose blocks are erased".to_owned(),
            "set cells.chip = \"tlc-48l\", or another chip",
        ),
        _ => Ok(()),
    }
}

/// What each slot's policy says.
fn policies(config: &Config) -> Result<(), Problem> {
    let Config { read, ftl, gc, wear, refresh, cache, erase, program, coding, schedule, .. } = config;
    let device = &config.device_view();
    refused("read.retry", &String::from(read.retry), read.retry.check(&read.policies, device))?;
    let allocation = ftl.allocation.policy;
    refused("ftl.allocation", allocation.name(), allocation.check(&ftl.policies, device))?;
    refused("gc.policy", gc.policy.name(), gc.policy.check(&gc.policies, device))?;
    let (hard, threshold) = (gc.hard_threshold, gc.threshold);
    let blocks = config.groups_per_plane();
    if hard.of(blocks) > threshold.of(blocks) {
        return problem(
            "gc.threshold",
            format!("`gc.threshold` = {threshold} is below `gc.hard_threshold` = {hard}"),
            "GC begins at the first and becomes urgent at the second: raise the one or lower the other",
        );
    }
    refused("wear.policy", wear.policy.name(), wear.policy.check(&wear.policies, device))?;
    let said = refresh.policy.check(&refresh.policies, device);
    refused("refresh.policy", &String::from(refresh.policy), said)?;
    refused("cache.flush", cache.flush.name(), cache.flush.check(&cache.policies, device))?;
    let said = crate::policy::erase::check(erase.scheme, &erase.policies, device);
    refused("erase.scheme", erase.scheme.name(), said)?;
    refused("program.policy", program.policy.name(), program.policy.check(&program.policies, device))?;
    refused("coding.policy", coding.policy.name(), coding.policy.check(&coding.policies, device))?;
    refused("schedule.policy", schedule.policy.name(), schedule.policy.check(&schedule.policies, device))
}

/// Parity lies across the blocks of a superblock.
fn parity(config: &Config) -> Result<(), Problem> {
    let (pages, blocks) = (config.ftl.parity, config.geometry().planes());
    if pages == 0 {
        return Ok(());
    }
    let fits = |pages: u32| pages > 1 && blocks.is_multiple_of(pages);
    let (what, fix) = if config.ftl.group != Group::Superblock {
        ("lies across blocks of all dies".to_owned(), "ftl.group = \"superblock\"".to_owned())
    } else if !fits(pages) {
        let choices: Vec<_> =
            (2..=blocks).filter(|&pages| fits(pages)).map(|pages| pages.to_string()).collect();
        (
            format!("cannot share out the {blocks} blocks of a superblock"),
            match choices.is_empty() {
                true => "more planes or dies".to_owned(),
                false => format!("ftl.parity to one of {}", choices.join(", ")),
            },
        )
    } else {
        return Ok(());
    };
    let message = format!("`ftl.parity` = {pages} {what}");
    problem("ftl.parity", message, &format!("set ftl.parity = 0, or {fix}"))
}

/// Units are parts of a page, and a block counts them.
fn units(config: &Config) -> Result<(), Problem> {
    let (unit, page) = (config.ftl.unit_bytes, config.ssd.page_bytes);
    let (message, fix) = if unit > page {
        (format!("is more than a page's {page} bytes"), "lower it to ssd.page_bytes or less")
    } else if config.units_per_page() > 1
        && config.ssd.pages_per_block * config.units_per_page() > u32::from(u16::MAX)
    {
        (
            "makes more than 65,535 of them in a block".to_owned(),
            "take larger units or lower ssd.pages_per_block",
        )
    } else {
        return Ok(());
    };
    problem("ftl.unit_bytes", format!("`ftl.unit_bytes` = {unit} {message}"), fix)
}

/// Whole wordlines are programmed at once.
fn wordlines(config: &Config) -> Result<(), Problem> {
    let Config { ssd, coding, cache, nand, .. } = config;
    if !config.programs_wordlines() {
        return Ok(());
    }
    let bits = coding.cell.bits();
    let is_two_step = config.geometry().page_order == PageOrder::TwoStep;
    let buffer = u64::from(config.units_of_program()) * u64::from(config.unit_bytes());
    let is_buffered = cache.write_back && matches!(cache.mode, CacheMode::Write | CacheMode::ReadWrite);
    let (what, fix) = if !ssd.pages_per_block.is_multiple_of(bits) {
        (
            format!("{} pages of {bits} a wordline are no whole wordlines", ssd.pages_per_block),
            format!(
                "set ssd.pages_per_block to a multiple of {bits}, such as {}",
                ssd.pages_per_block.next_multiple_of(bits)
            ),
        )
    } else if is_two_step && nand.program_wordline_us > 0.0 {
        (
            "`program.policy` = \"two-step\" has a time for each of its steps, not `nand.program_wordline_us`"
                .to_owned(),
            "set nand.program_wordline_us = 0, and the times of the steps in nand.program_us".to_owned(),
        )
    } else if is_buffered && cache.capacity_bytes < buffer {
        (
            format!(
                "a program of {buffer} bytes is more than `cache.capacity_bytes` = {} can hold",
                cache.capacity_bytes
            ),
            format!("raise cache.capacity_bytes to {buffer} or more"),
        )
    } else {
        return Ok(());
    };
    let message = format!("`program.unit` = \"wordline\" programs whole wordlines, and {what}");
    problem("program.unit", message, &format!("set program.unit = \"page\", or {fix}"))
}

/// Some blocks are in SLC mode, and that is not their own.
fn slc(config: &Config) -> Result<(), Problem> {
    if !config.slc.policy.uses_cache() {
        return Ok(());
    }
    let (what, fix) = if config.static_blocks() == 0 && config.slc.dynamic_share == 0.0 {
        ("no block may be in SLC mode", "raise slc.static_blocks or slc.dynamic_share")
    } else if config.coding.cell.bits() == 1 {
        ("cells of one bit are always in that mode", "take another coding.cell")
    } else {
        return Ok(());
    };
    let name = config.slc.policy.name();
    let message = format!("`slc.policy` = \"{name}\" needs a cache of blocks in SLC mode, and {what}");
    problem("slc.policy", message, &format!("set slc.policy = \"off\", or {fix}"))
}

/// A journal has the unit that is written and the one before.
fn journal(config: &Config) -> Result<(), Problem> {
    let Some(least) = config.journal_share_min().filter(|_| config.has_journal()) else { return Ok(()) };
    let message = format!(
        "`journal.share` = {} of a mapping table of {} units is less than one: a journal has the unit that is written and the \
         one before",
        config.journal.share,
        config.table_units()
    );
    problem("journal.share", message, &format!("raise it to {least} or more"))
}

/// Moving a unit takes more than its own room where a journal notes the move. A victim wins room all the same, as long as little of
/// it is live; GC that draws victims without a look meets the mean.
fn journal_leaves_room(config: &Config) -> Result<(), Problem> {
    let (live, of_move) = (config.live_share_when_full(), config.units_of_move());
    let gc = &config.gc;
    if !config.has_journal() || !gc.policy.is_blind(&gc.policies) || live * of_move < 1.0 {
        return Ok(());
    }
    let message = format!(
        "`gc.policy` = \"{}\" draws victims whatever they hold: {:.0} % of a full SSD's blocks are live, and each unit that moves \
         programs {of_move:.2} units, with the journal's entry and the table's pieces: moving takes the room that it wins",
        gc.policy.name(),
        100.0 * live,
    );
    problem(
        "gc.policy",
        message,
        "take \"greedy\", or raise ssd.overprovisioning, ftl.unit_bytes or journal.share, or lower journal.entry_bytes",
    )
}

fn capacity(config: &Config) -> Result<(), Problem> {
    if config.has_zones() {
        return Ok(());
    }
    let blocks = config.groups_per_plane();
    // One to collect into must exist beside the data and what else takes spare blocks.
    let (spare, needed) = (config.spare_blocks(), config.spare_blocks_in_use() + 1.0);
    if spare < needed {
        let (parity, cache) = (config.ftl.parity, config.static_blocks());
        let padding = config.padded_blocks();
        let (beside, fix) = if parity > 0 {
            (format!(" beside the parity of `ftl.parity` = {parity}"), "raise ftl.parity, or ")
        } else if cache > 0 {
            (
                format!(", {cache} of them in the SLC cache (`slc.static_blocks`)"),
                "lower slc.static_blocks, or ",
            )
        } else if padding >= 1.0 {
            (
                format!(", and padding may take {padding:.1} of them (`power.protected` = false)"),
                "raise ssd.pages_per_block, or ",
            )
        } else {
            (String::new(), "")
        };
        let (left, needed) = (spare.max(0.0), (needed * 10.0).ceil() / 10.0);
        return problem(
            "ssd.overprovisioning",
            format!(
                "over-provisioning leaves {left:.1} spare blocks in a plane of {blocks}{beside}; {needed} are needed to collect garbage"
            ),
            &format!("{fix}raise ssd.overprovisioning or ssd.blocks_per_plane"),
        );
    }
    let free = config.free_blocks_when_filled();
    for (key, wanted) in
        [("gc.threshold", config.gc.threshold), ("gc.hard_threshold", config.gc.hard_threshold)]
    {
        let kept = wanted.of(blocks).floor();
        if kept > free.max(3.0) {
            let most = match wanted {
                FreeBlocks::Share(_) => format!("{:.3}", free / f64::from(blocks)),
                FreeBlocks::Blocks(_) => format!("{free:.0}"),
            };
            return Err(Problem {
                key,
                message: format!(
                    "`{key}` = {wanted} asks for {kept} free blocks in a plane, but with precondition.fill only {free:.1} of {blocks} can \
                     be free: GC would never end"
                ),
                fix: format!("lower it to {most} or less, or raise ssd.overprovisioning"),
            });
        }
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
        Geometry::from(self.shape())
    }

    fn shape(&self) -> Shape {
        let CodingConfig { cell, .. } = self.coding;
        Shape {
            channels: self.ssd.channels,
            chips_per_channel: self.ssd.chips_per_channel,
            dies_per_chip: self.ssd.dies_per_chip,
            planes_per_die: self.ssd.planes_per_die,
            blocks_per_plane: self.ssd.blocks_per_plane,
            pages_per_block: self.ssd.pages_per_block,
            page_bytes: self.ssd.page_bytes,
            bits_per_cell: cell.bits(),
            page_order: self.program.policy.page_order(),
        }
    }

    /// All pages of a wordline are programmed at once, or all of a step of it.
    #[must_use]
    pub fn programs_wordlines(&self) -> bool {
        self.program.unit == ProgramUnit::Wordline
    }

    /// Mapping units that the programs of a wordline hold, in all planes that are programmed together.
    #[must_use]
    pub fn units_of_program(&self) -> u32 {
        let planes = match self.ftl.group {
            Group::Block => 1,
            Group::Planes | Group::Superblock => self.ssd.planes_per_die,
        };
        match self.program.unit {
            ProgramUnit::Page => self.units_per_page(),
            ProgramUnit::Wordline => self.units_per_page() * self.coding.cell.bits() * planes,
        }
    }

    /// Mapping units of a page.
    #[must_use]
    pub fn units_per_page(&self) -> u32 {
        (self.ssd.page_bytes / self.unit_bytes()).max(1)
    }

    /// Bytes of a mapping unit.
    #[must_use]
    pub fn unit_bytes(&self) -> u32 {
        if self.ftl.unit_bytes == 0 { self.ssd.page_bytes } else { self.ftl.unit_bytes }
    }

    /// 512-byte sectors of a mapping unit.
    #[must_use]
    pub fn sectors_per_unit(&self) -> u32 {
        self.unit_bytes() / 512
    }

    /// The shape of the flash array as the FTL counts it: a page for each mapping unit.
    #[must_use]
    pub fn unit_geometry(&self) -> UnitGeometry {
        let shape = self.shape();
        let pages_per_block = shape.pages_per_block.saturating_mul(self.units_per_page());
        UnitGeometry::from(Shape { pages_per_block, page_bytes: self.unit_bytes(), ..shape })
    }

    /// Pages that the host sees: all but the over-provisioned ones, or those of all zones.
    #[must_use]
    pub fn host_pages(&self) -> u64 {
        if self.has_zones() {
            return u64::from(self.zone_count()) * (self.zone_size_bytes() / u64::from(self.ssd.page_bytes));
        }
        (self.geometry().pages() as f64 * (1.0 - self.ssd.overprovisioning)) as u64
    }

    /// Mapping units that the host sees.
    #[must_use]
    pub fn host_units(&self) -> u64 {
        self.host_pages() * u64::from(self.units_per_page())
    }

    /// 512-byte sectors that the host sees.
    #[must_use]
    pub fn host_sectors(&self) -> u64 {
        self.host_pages() * u64::from(self.geometry().sectors_per_page())
    }
}
