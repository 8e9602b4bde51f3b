//! The drive that is simulated: that of the configuration, its blocks counted from `ssd.capacity`, or the part of it that
//! `ssd.scale` asks for.
//!
//! What GC does depends on shares: of spare blocks, of free blocks, of pages that are written. So a part of a drive keeps
//! these. It has all dies and channels, and as many blocks as the whole as long as these are not too small: with few blocks
//! in a plane, its open blocks and its reserve take up spare ones, and write amplification rises (measured in
//! docs/validation/scale.md). Blocks of few pages would be erased all the time.

use super::problem::Problem;
use super::size::bytes_text;
use super::{CacheMode, Config, FreeBlocks, MappingKind, Scale};
use crate::parameter::whole_text;

/// Blocks become no smaller than this, pages.
const SMALLEST_BLOCK_PAGES: u32 = 32;
/// A plane of fewer blocks is no model of a larger one: its reserve and its open blocks take most of its spare ones.
const FEWEST_BLOCKS: u32 = 64;
/// With fewer blocks in a plane, write amplification is some percent too high.
const ENOUGH_BLOCKS: u32 = 256;
/// A cache keeps room for so many pages of each plane: as a write buffer it keeps planes busy, of which there are as many as
/// in the whole. With two pages a plane, writes were 16 % slower (measured on a `datacenter-tlc` of four planes a die).
const CACHED_PAGES_PER_PLANE: u64 = 16;

/// One line for each key that `ssd.scale` or `ssd.capacity` changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    lines: Vec<String>,
}

impl Model {
    /// A line for each of `ssd.capacity` and `ssd.scale`, where they are set.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Carries out `ssd.capacity` and `ssd.scale`.
    pub(super) fn build(config: &mut Config) -> Result<Model, Problem> {
        let mut lines = Vec::new();
        lines.extend(count_blocks(config)?);
        if config.ssd.scale != Scale::WHOLE {
            lines.push(scale_down(config)?);
        }
        Ok(Model { lines })
    }
}

/// Takes the fewest blocks that give the capacity; says what the host gets.
fn count_blocks(config: &mut Config) -> Result<Option<String>, Problem> {
    let Some(wanted) = config.ssd.capacity.bytes() else { return Ok(None) };
    let ssd = &mut config.ssd;
    let planes = [ssd.channels, ssd.chips_per_channel, ssd.dies_per_chip, ssd.planes_per_die]
        .map(f64::from)
        .iter()
        .product::<f64>();
    let block = f64::from(ssd.pages_per_block) * f64::from(ssd.page_bytes);
    let blocks = (wanted as f64 / (1.0 - ssd.overprovisioning) / (planes * block)).ceil();
    if !(4.0..=f64::from(1 << 20)).contains(&blocks) {
        return Err(Problem {
            key: "ssd.capacity",
            message: format!(
                "`ssd.capacity` = {} needs {blocks} blocks in each of {planes} planes; 4 to {} are possible",
                bytes_text(wanted),
                whole_text(1 << 20)
            ),
            fix: "change it, or the numbers of channels, chips, dies, planes and pages in [ssd]".to_owned(),
        });
    }
    ssd.blocks_per_plane = blocks as u32;
    // A product that was rounded down may lack a page.
    if host_bytes(config) < wanted {
        config.ssd.blocks_per_plane += 1;
    }
    Ok(Some(format!(
        "ssd.capacity = {}: {} blocks a plane, which give the host {}",
        bytes_text(wanted),
        config.ssd.blocks_per_plane,
        bytes_text(host_bytes(config))
    )))
}

/// Makes the drive a part of itself; says what it changed and what it did not.
fn scale_down(config: &mut Config) -> Result<String, Problem> {
    let (scale, planes) = (config.ssd.scale, u64::from(config.geometry().planes()));
    let share = scale.share();
    let whole = (config.ssd.blocks_per_plane, config.ssd.pages_per_block);
    let zoned = config.has_zones();
    let (blocks, pages) = match zoned {
        // A part of a drive of zones has fewer zones.
        true => ((f64::from(whole.0) * share).round() as u32, whole.1),
        false => shape(whole, config.coding.cell.bits(), share),
    };
    if blocks < FEWEST_BLOCKS && !zoned {
        return Err(too_few(scale, whole, config.coding.cell.bits(), (blocks, pages)));
    }
    (config.ssd.blocks_per_plane, config.ssd.pages_per_block) = (blocks, pages);
    let mut changed = Vec::new();
    if pages != whole.1 {
        changed.push(format!("blocks of {pages} pages instead of {}", whole.1));
    }
    if blocks != whole.0 {
        let few = format!(" (fewer than {ENOUGH_BLOCKS} raise write amplification)");
        let few = if blocks < ENOUGH_BLOCKS && !zoned { &few[..] } else { "" };
        changed.push(format!("{blocks} blocks a plane instead of {}{few}", whole.0));
    }
    for (key, free) in [
        ("gc.threshold", &mut config.gc.threshold),
        ("gc.hard_threshold", &mut config.gc.hard_threshold),
        ("slc.static_blocks", &mut config.slc.static_blocks),
    ] {
        if let FreeBlocks::Blocks(count) = free {
            *count = (f64::from(*count) * f64::from(blocks) / f64::from(whole.0)).round().max(1.0) as u32;
            changed.push(format!("{key} = {count}"));
        }
    }
    let scaled = |bytes: u64| (bytes as f64 * share) as u64;
    if config.cache.mode != CacheMode::Off {
        let least = CACHED_PAGES_PER_PLANE * planes * u64::from(config.ssd.page_bytes);
        let bytes = &mut config.cache.capacity_bytes;
        let left = scaled(*bytes).max(least.min(*bytes));
        if left != *bytes {
            changed.push(format!("cache.capacity_bytes = {}", whole_text(left as i64)));
        }
        *bytes = left;
    }
    if config.ftl.mapping == MappingKind::Dftl {
        config.ftl.cmt_bytes = scaled(config.ftl.cmt_bytes).max(u64::from(config.ftl.entry_bytes));
        changed.push(format!("ftl.cmt_bytes = {}", whole_text(config.ftl.cmt_bytes as i64)));
    }
    let sectors = |bytes: u64| scaled(bytes) / 512 * 512;
    let workload = &mut config.workload;
    for bytes in
        [&mut workload.offset_bytes, &mut workload.footprint_bytes, &mut workload.write_footprint_bytes]
    {
        if *bytes > 0 {
            *bytes = sectors(*bytes).max(512);
        }
    }
    let times = times_text(1.0 / share);
    Ok(format!(
        "ssd.scale = {scale}: {}; {} for the host, filled and worn {times} times as soon. Not scaled: dies, channels, times, queue \
         depths, addresses of traces (docs/validation/scale.md)",
        changed.join(", "),
        bytes_text(host_bytes(config))
    ))
}

/// Blocks of a plane and their pages in a part of a drive: smaller blocks of whole wordlines, then fewer.
fn shape((blocks, pages): (u32, u32), bits: u32, share: f64) -> (u32, u32) {
    let wordline = if pages.is_multiple_of(bits) { bits } else { 1 };
    let wordlines = |pages: f64| (pages / f64::from(wordline)).round().max(1.0) as u32 * wordline;
    let smallest = SMALLEST_BLOCK_PAGES.div_ceil(wordline) * wordline;
    let smaller = wordlines(f64::from(pages) * share).max(smallest).min(pages);
    // What rounding to wordlines has changed is made up for in blocks.
    let plane = f64::from(blocks) * f64::from(pages) * share;
    (((plane / f64::from(smaller)).round() as u32).min(blocks), smaller)
}

fn too_few(scale: Scale, whole: (u32, u32), bits: u32, (blocks, pages): (u32, u32)) -> Problem {
    // Blocks are whole wordlines, so that parts of about the same size may have more or fewer of them.
    let fits = |parts: u32| shape(whole, bits, 1.0 / f64::from(parts)).0 >= FEWEST_BLOCKS;
    // Each part has a page, at least.
    let most = (1.0 / scale.share()).min(f64::from(whole.0) * f64::from(whole.1)) as u32;
    let fix = match (2..=most).rev().find(|&parts| fits(parts)) {
        Some(parts) => format!("write 1/{parts} or more"),
        None => "simulate the whole drive, with ssd.scale = 1".to_owned(),
    };
    Problem {
        key: "ssd.scale",
        message: format!(
            "`ssd.scale` = {scale} leaves {blocks} blocks of {pages} pages in a plane; with fewer than {FEWEST_BLOCKS} the reserve and the open \
             blocks take so many of the spare ones that GC is another drive's",
        ),
        fix,
    }
}

fn host_bytes(config: &Config) -> u64 {
    config.host_sectors() * 512
}

/// A factor with one digit behind the point at most.
fn times_text(times: f64) -> String {
    let text = format!("{times:.1}");
    text.trim_end_matches(".0").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigError, Layer, Resolved, resolve};

    fn resolved(settings: &[&str]) -> Result<Resolved, ConfigError> {
        let layers: Vec<_> = settings.iter().map(|text| Layer::assignment(text).unwrap()).collect();
        resolve(&layers)
    }

    #[test]
    fn blocks_become_smaller_first_and_then_fewer() {
        // The chip of `datacenter-tlc`: three pages a wordline.
        assert_eq!(shape((497, 2112), 3, 1.0 / 4.0), (497, 528));
        assert_eq!(shape((497, 2112), 3, 1.0 / 16.0), (497, 132));
        assert_eq!(shape((497, 2112), 3, 1.0 / 64.0), (497, 33));
        assert_eq!(shape((497, 2112), 3, 1.0 / 256.0), (124, 33));
        // MQSim's: two pages a wordline.
        assert_eq!(shape((2048, 256), 2, 1.0 / 16.0), (1024, 32));
        // Rounding to wordlines is made up for.
        assert_eq!(shape((497, 2112), 3, 1.0 / 7.0), (495, 303));
        // Blocks that are small already stay.
        assert_eq!(shape((2048, 16), 2, 0.25), (512, 16));
    }

    #[test]
    fn a_part_of_a_drive_of_zones_has_fewer_zones_of_the_same_size() {
        let settings = ["zones.mode=on", "ftl.group=superblock", "ftl.unmapped_read=zero"];
        let whole = resolved(&settings).unwrap().config;
        let part = resolved(&[&settings[..], &["ssd.scale=1/32"]].concat()).unwrap().config;
        let (whole, part) = (whole.zone_shape().unwrap(), part.zone_shape().unwrap());
        assert_eq!((whole.capacity, whole.count / 32), (part.capacity, part.count));
    }

    #[test]
    fn a_part_keeps_the_shares_of_the_whole() {
        let settings = [
            "cache.mode=write",
            "cache.capacity_bytes=1073741824",
            "gc.threshold=64",
            "workload.footprint_bytes=1048576",
        ];
        let whole = resolved(&settings).unwrap();
        let part = resolved(&[&settings[..], &["ssd.scale=1/8"]].concat()).unwrap();
        let (one, other) = (&whole.config, &part.config);
        assert_eq!(one.model.lines(), [""; 0]);
        assert_eq!(one.host_pages() / 8, other.host_pages());
        assert_eq!((other.ssd.blocks_per_plane, other.ssd.pages_per_block), (2048, 32));
        assert_eq!(one.gc_thresholds(), other.gc_thresholds());
        assert_eq!(other.cache.capacity_bytes, 1 << 27);
        assert_eq!(other.workload.footprint_bytes, 131_072);
        let line = &other.model.lines()[0];
        assert!(
            line.starts_with(
                "ssd.scale = 1/8: blocks of 32 pages instead of 256, gc.threshold = 64, cache.capacity"
            ),
            "{line}"
        );
        // What is written stays as it was, so that it can be read again.
        assert_eq!((part.written.ssd.blocks_per_plane, part.written.ssd.pages_per_block), (2048, 256));
        assert_eq!(part.written.ssd.scale.share(), 0.125);
    }

    #[test]
    fn too_small_a_part_is_told_to_be_larger_where_its_spare_blocks_are_few() {
        let few = ["ssd.blocks_per_plane=256", "ssd.overprovisioning=0.07", "gc.threshold=17"];
        let whole = resolved(&few).unwrap().config.spare_warning().unwrap();
        let part =
            resolved(&[&few[..], &["ssd.scale=1/8"]].concat()).unwrap().config.spare_warning().unwrap();
        assert!(!whole.contains("ssd.scale"), "{whole}");
        assert!(part.contains("simulate a larger part (ssd.scale), or raise"), "{part}");
    }

    #[test]
    fn a_small_cache_keeps_pages_for_every_plane() {
        let part =
            resolved(&["cache.mode=write", "cache.capacity_bytes=4194304", "ssd.scale=1/8"]).unwrap().config;
        assert_eq!(part.cache.capacity_bytes, 4_194_304);
        let large =
            resolved(&["cache.mode=write", "cache.capacity_bytes=67108864", "ssd.scale=1/8"]).unwrap().config;
        assert_eq!(large.cache.capacity_bytes, 16 * 128 * 8192);
        let tiny =
            resolved(&["cache.mode=write", "cache.capacity_bytes=65536", "ssd.scale=1/8"]).unwrap().config;
        assert_eq!(tiny.cache.capacity_bytes, 65_536);
    }

    #[test]
    fn too_small_a_part_is_refused() {
        let error = resolved(&["ssd.scale=1/1000"]).unwrap_err();
        assert_eq!(error.key, "ssd.scale");
        assert!(error.message.contains("16 blocks of 32 pages"), "{error}");
        assert!(resolved(&["ssd.scale=1/256"]).is_ok());
        // The part that the error names fits, and the next smaller one does not. Blocks are whole wordlines.
        let drive = ["coding.cell=tlc", "ssd.blocks_per_plane=1366", "ssd.pages_per_block=1536"];
        for drive in [&[][..], &drive[..]] {
            let part = |parts: u32| resolved(&[drive, &[&format!("ssd.scale=1/{parts}")]].concat());
            let fix = part(1100).unwrap_err().fix;
            let most = fix.trim_start_matches("write 1/").trim_end_matches(" or more").parse().expect(&fix);
            assert!(part(most).is_ok() && part(most + 1).is_err(), "{fix}");
        }
        let error = resolved(&["ssd.blocks_per_plane=32", "ssd.scale=1/2"]).unwrap_err();
        assert!(error.fix.contains("ssd.scale = 1"), "no part has more blocks: {error}");
    }

    #[test]
    fn a_capacity_is_reached_with_the_fewest_blocks() {
        let host = |config: &Config| config.host_sectors() * 512;
        for (wanted, bytes) in
            [("3.84TB", 3_840_000_000_000), ("\"960GB\"", 960_000_000_000), ("500000000000", 500_000_000_000)]
        {
            let config =
                resolved(&[&format!("ssd.capacity={wanted}"), "ssd.page_bytes=16384"]).unwrap().config;
            let mut fewer = config.clone();
            fewer.ssd.blocks_per_plane -= 1;
            assert!(host(&fewer) < bytes && bytes <= host(&config), "{wanted}: {}", host(&config));
            assert!(config.model.lines()[0].contains("blocks a plane"), "{:?}", config.model);
        }
        let error = resolved(&["ssd.capacity=900PB"]).unwrap_err();
        assert_eq!(error.key, "ssd.capacity");
        let both = resolved(&["ssd.capacity=960GB", "ssd.scale=1/4"]).unwrap().config;
        assert_eq!(both.model.lines().len(), 2);
        let share = host(&both) as f64 / 240e9;
        assert!((1.0..1.01).contains(&share), "{share}");
    }

    #[test]
    fn blocks_that_gc_keeps_are_checked_against_the_spare() {
        let settings = ["ssd.blocks_per_plane=100", "ssd.overprovisioning=0.1", "precondition.fill=1.0"];
        let with = |threshold: &str| resolved(&[&settings[..], &[threshold]].concat());
        assert_eq!(with("gc.threshold=6").unwrap().config.gc_thresholds().begins_below, 6);
        let error = with("gc.threshold=12").unwrap_err();
        assert!(error.key == "gc.threshold" && error.fix.starts_with("lower it to 8 or less"), "{error}");
        assert!(with("gc.threshold=1.5").is_err());
        let error = with("gc.hard_threshold=6").unwrap_err();
        assert!(error.message.contains("is below"), "{error}");
    }
}
