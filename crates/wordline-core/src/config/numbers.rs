//! Numbers of blocks, pages and mapping units have to fit what holds them.

use super::problem::{Problem, problem};
use super::{Config, MappingKind, ScheduleUnit};
use crate::parameter::whole_text;

/// The most blocks of a drive: their numbers have 32 bits, and one of them says that there is none.
const BLOCKS_MAX: u64 = u32::MAX as u64 - 1;
/// The most mapping units of a drive: tables hold numbers of 40 bits, and what is left of these is for the mapping table's own
/// units, which come behind the host's.
const UNITS_MAX: u64 = 1_000_000_000_000;
/// The most mapping units that the mapping table itself takes on flash; a journal's ring has at most as many.
const PIECES_MAX: u64 = 1 << 31;

/// Checks that they do.
pub(super) fn fit(config: &Config) -> Result<(), Problem> {
    let geometry = config.geometry();
    let blocks = u64::from(geometry.planes()) * u64::from(geometry.blocks_per_plane);
    if blocks > BLOCKS_MAX {
        return problem(
            "ssd.blocks_per_plane",
            format!("the geometry has {} blocks, more than {}", text(blocks), text(BLOCKS_MAX)),
            "take fewer, and larger ones",
        );
    }
    let (pages, units) = (geometry.pages(), config.unit_geometry().pages());
    let (dies, part) = match config.schedule.unit {
        ScheduleUnit::Die => (1, "die"),
        ScheduleUnit::Chip => (config.ssd.dies_per_chip, "chip"),
    };
    // What finds the part of a page divides numbers of 32 bits by any other, and larger ones by smaller ones.
    let of_part = pages / u64::from(geometry.dies()) * u64::from(dies);
    let most = (u64::MAX / (pages + 1)).min(u32::MAX.into());
    if of_part > most {
        let (pages, of_part, most) = (text(pages), text(of_part), text(most));
        let message =
            format!("the geometry has {pages} pages, {of_part} in a {part}, where at most {most} fit");
        return problem("ssd.blocks_per_plane", message, "take fewer blocks or larger pages");
    }
    if units > UNITS_MAX {
        let (unit, units, most) = (config.unit_bytes(), text(units), text(UNITS_MAX));
        let message = format!("the drive has {units} mapping units of {unit} bytes, more than {most}");
        return problem("ftl.unit_bytes", message, "take larger units or fewer blocks");
    }
    table_on_flash(config)
}

/// Those of the mapping table's own units, where it is on flash. Its entries have to name all units.
fn table_on_flash(config: &Config) -> Result<(), Problem> {
    let entry_bytes = config.ftl.entry_bytes;
    if config.ftl.mapping != MappingKind::Dftl && !config.has_journal() {
        return Ok(());
    }
    let units = config.unit_geometry().pages();
    let needed = (u64::BITS - units.leading_zeros()).div_ceil(8);
    if entry_bytes < needed {
        let message = format!(
            "an entry of `ftl.entry_bytes` = {entry_bytes} cannot name one of {} mapping units",
            text(units)
        );
        return problem(
            "ftl.entry_bytes",
            message,
            &format!("set it to {needed} or more, or take larger units (ftl.unit_bytes)"),
        );
    }
    let takes = config.table_units();
    if takes <= PIECES_MAX {
        return Ok(());
    }
    let (takes, most) = (text(takes), text(PIECES_MAX));
    let message = format!(
        "with `ftl.entry_bytes` = {entry_bytes} the mapping table takes {takes} mapping units, more than {most}"
    );
    problem("ftl.entry_bytes", message, "lower it, or take larger units (ftl.unit_bytes)")
}

fn text(number: u64) -> String {
    whole_text(number as i64)
}

#[cfg(test)]
mod tests {
    use super::UNITS_MAX;
    use crate::config::{Config, Layer, resolve};
    use wordline_cells::geometry::{BlockId, Ppn};

    /// A drive of 64 channels of 64 dies of `planes` planes.
    fn drive(planes: u32, blocks: u32, pages: u32, more: &str) -> Result<Config, String> {
        let text = format!(
            "[ssd]\nchannels = 64\nchips_per_channel = 32\ndies_per_chip = 2\nplanes_per_die = {planes}\n\
             blocks_per_plane = {blocks}\npages_per_block = {pages}\npage_bytes = 16384\n{more}"
        );
        let layers = [Layer::file("test", &text)];
        resolve(&layers).map(|resolved| resolved.config).map_err(|error| error.to_string())
    }

    #[test]
    fn the_largest_drives_that_fit_divide_their_numbers_exactly() {
        for (blocks, pages) in [(1024, 16_383), (4000, 4000)] {
            let config = drive(4, blocks, pages, "").unwrap();
            let geometry = config.geometry();
            assert!(geometry.pages() > 1 << 37);
            let per_die = geometry.pages() / u64::from(geometry.dies());
            let last = geometry.end().index() as u64 - 1;
            for ppn in (0..4096).map(|die| die * per_die).chain([last, last - 1, per_die - 1, last / 3]) {
                let page = Ppn::from_index(ppn as usize);
                let (block, in_block) =
                    (ppn / u64::from(pages), u32::try_from(ppn % u64::from(pages)).unwrap());
                assert_eq!(geometry.block_of(page), BlockId::from_index(block as usize));
                assert_eq!(geometry.page_in_block(page), in_block);
                assert_eq!(geometry.first_page(geometry.block_of(page)) + in_block, page);
                assert_eq!(u64::from(geometry.die_of_page(page)), ppn / per_die);
                assert_eq!(geometry.plane_of_page(page), geometry.plane_of(geometry.block_of(page)));
            }
        }
    }

    #[test]
    fn units_of_all_drives_divide_exactly() {
        let config = drive(4, 3720, 4096, "[ftl]\nunit_bytes = 4096\n").unwrap();
        let geometry = config.unit_geometry();
        assert!((990_000_000_000..=UNITS_MAX).contains(&geometry.pages()));
        for block in (0..geometry.blocks())
            .step_by(1 << 20)
            .map(BlockId::new)
            .chain([geometry.blocks() - 1].map(BlockId::new))
        {
            let units = geometry.pages_of(block);
            assert_eq!((geometry.block_of(units.start), geometry.block_of(units.end - 1)), (block, block));
            assert_eq!(geometry.page_in_block(units.end - 1), geometry.pages_per_block - 1);
        }
    }

    #[test]
    fn what_is_too_large_is_refused_with_the_limit() {
        let journal = "[ftl]\nunit_bytes = 512\nentry_bytes = 64\n[journal]\nmode = \"on\"\n";
        for ((blocks, pages, more), words) in [
            ((1 << 20, 4, ""), "2^34 blocks, more than 4_294_967_294; take fewer"),
            ((1024, 16_384, ""), "2^38 pages, 2^26 in a die, where at most 2^26-1 fit; take fewer"),
            ((1600, 8192, "[schedule]\nunit = \"chip\"\n"), "in a chip, where at most"),
            (
                (4000, 4000, "[ftl]\nunit_bytes = 4096\n"),
                "1_048_576_000_000 mapping units of 4096 bytes, more than 1e12; take larger units",
            ),
            (
                (1024, 1024, "[ftl]\nmapping = \"dftl\"\nentry_bytes = 4\n"),
                "cannot name one of 2^34 mapping units; set it to 5 or more",
            ),
            (
                (1024, 1024, journal),
                "the mapping table takes 63_909_113_364 mapping units, more than 2^31; lower it",
            ),
        ] {
            let error = drive(4, blocks, pages, more).map(|_| ()).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
