//! What goes together: each feature says what it needs of the drive, and what of that it takes from others.
//!
//! The refusals, the pairs of keys that tests expect to be refused and a page for users are made from [`FEATURES`].

use super::problem::{Problem, problem};
use super::{CacheMode, Config, Frontier, Group, MappingKind, RefreshConfig, UnmappedRead};

/// What features need of a drive, and not every drive has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// A mapping unit is a page.
    WholePages,
    /// Pages are programmed one by one.
    SinglePrograms,
    /// A group is one block, in its plane.
    SingleBlocks,
    /// A pool is on one channel.
    ChannelPools,
    /// All blocks are in the chip's own mode, and data go where their stream says.
    ChipMode,
    /// Stripes have no parity.
    PlainStripes,
    /// The mapping table is in DRAM.
    TableInDram,
    /// What the controller holds outlives a loss of power.
    SafeMemory,
    /// What the host writes has blocks of its handle.
    BlocksOfHandles,
    /// The drive chooses where data go, and may move them.
    FreePlaces,
}

use Need::*;

/// Something that a configuration may ask for.
struct Feature {
    /// The key that asks for it.
    key: &'static str,
    /// Its value, where it has a name: with it, the key is the subject of a sentence.
    value: Option<&'static str>,
    is_on: fn(&Config) -> bool,
    off: &'static str,
    /// What it does that takes something from others.
    does: &'static str,
    takes: &'static [Need],
    /// What it needs, and why.
    needs: &'static [(Need, &'static str)],
}

/// All features that take something or need it. Those that come first complain first.
static FEATURES: &[Feature] = &[
    feature("ftl.group", |c| c.ftl.group != Group::Block, "ftl.group = \"block\"")
        .takes(&[SingleBlocks], "joins blocks of several planes"),
    feature("ftl.group", |c| c.ftl.group == Group::Superblock, "ftl.group = \"planes\"")
        .with("superblock")
        .takes(&[ChannelPools], "joins blocks of all dies"),
    feature("zones.mode", Config::has_zones, "zones.mode = \"off\"")
        .with("on")
        .takes(&[FreePlaces], "writes each zone to a superblock of its own, in order"),
    feature("ftl.parity", |c| c.ftl.parity > 0, "ftl.parity = 0")
        .takes(&[PlainStripes], "counts on programs")
        .needs(&[(FreePlaces, "takes pages of each superblock")]),
    feature("ftl.unit_bytes", |c| c.units_per_page() > 1, "ftl.unit_bytes = 0")
        .takes(&[WholePages], "maps units smaller than a page"),
    feature("program.unit", Config::programs_wordlines, "program.unit = \"page\"")
        .with("wordline")
        .takes(&[SinglePrograms], "programs whole wordlines")
        .needs(&[(ChipMode, "takes a program of all page types for the unit")]),
    feature("slc.policy", |c| c.slc.policy.uses_cache(), "slc.policy = \"off\"")
        .takes(&[ChipMode], "needs a cache of blocks in SLC mode")
        .needs(&[(FreePlaces, "moves data out of the cache")]),
    feature("journal.mode", Config::has_journal, "journal.mode = \"off\"")
        .with("on")
        .takes(&[TableInDram, SafeMemory], "writes changes of the mapping table to flash")
        .needs(&[(FreePlaces, "writes them among data")]),
    feature("gc.copyback", |c| c.gc.copyback, "gc.copyback = false").needs(&[
        (SingleBlocks, "keeps pages in their plane"),
        (WholePages, "moves whole pages"),
        (SinglePrograms, "copies a page alone"),
    ]),
    feature("coding.policy", |c| c.coding.policy.merges(), "coding.policy = \"conventional\"")
        .with("ida")
        .needs(&[
            (SingleBlocks, "refreshes single blocks in place"),
            (WholePages, "keeps whole pages in place"),
            (SinglePrograms, "waits for programs of single pages"),
            (ChipMode, "merges states that cells of one bit do not have"),
            (FreePlaces, "moves pages when it refreshes"),
            (SafeMemory, "merges wordlines whose data only the controller has meanwhile"),
        ]),
    feature("program.policy", has_write_queue, "program.policy = \"normal\" and program.write_streams = 0")
        .takes(&[BlocksOfHandles], "has a write queue that chooses the blocks itself")
        .needs(&[
            (ChannelPools, "has a write queue that goes by the channel of a pool"),
            (WholePages, "has a write queue that holds whole pages"),
            (SinglePrograms, "has a write queue that programs pages"),
            (ChipMode, "has a write queue that chooses the blocks itself"),
            (FreePlaces, "has a write queue that chooses the blocks itself"),
            (SafeMemory, "has a write queue in memory that outlives every loss of power"),
        ]),
    feature(
        "ftl.unmapped_read",
        |c| c.ftl.unmapped_read == UnmappedRead::Frontier,
        "ftl.unmapped_read = \"preloaded\"",
    )
    .with("frontier")
    .needs(&[
        (PlainStripes, "puts pages among them"),
        (WholePages, "puts pages among those that are being filled"),
        (SinglePrograms, "puts pages among those that are being filled"),
    ]),
    feature("gc.frontier", |c| c.gc.frontier == Frontier::Shared, "gc.frontier = \"separate\"")
        .with("shared")
        .needs(&[(ChipMode, "leaves pages that move in the stream that they come from")]),
    feature("ftl.streams", |c| c.ftl.streams > 1, "ftl.streams = 1").needs(&[
        (ChipMode, "keeps data apart that the cache does not"),
        (FreePlaces, "keeps data apart that zones already do"),
    ]),
    feature("fdp.isolation", |c| c.fdp.is_on(), "fdp.isolation = \"off\"").needs(&[
        (ChipMode, "keeps data apart that the cache does not"),
        (BlocksOfHandles, "gives each handle blocks of its own"),
        (FreePlaces, "keeps data apart that zones already do"),
    ]),
    feature("slc.copyback", |c| c.slc.policy.uses_cache() && c.slc.copyback, "slc.copyback = false").needs(
        &[(SingleBlocks, "keeps pages in their plane"), (WholePages, "moves whole pages inside their plane")],
    ),
    feature("ftl.mapping", |c| c.ftl.mapping == MappingKind::Dftl, "ftl.mapping = \"flat\"")
        .with("dftl")
        .needs(&[
            (TableInDram, "has the table itself on flash"),
            (FreePlaces, "writes the table among data"),
        ]),
    feature("cache.mode", |c| c.cache.mode != CacheMode::Off, "cache.mode = \"off\"")
        .needs(&[(FreePlaces, "chooses the order in which data leave it")]),
    feature("reliability.factory_bad", |c| c.reliability.factory_bad > 0.0, "reliability.factory_bad = 0")
        .needs(&[(FreePlaces, "makes some superblocks smaller than others")]),
    feature("reliability.grown_bad", |c| c.reliability.grown_bad > 0.0, "reliability.grown_bad = 0")
        .needs(&[(FreePlaces, "makes some superblocks smaller than others")]),
    feature("power.cut_at_s", |c| c.power.cut_at_s > 0.0, "power.cut_at_s = 0")
        .needs(&[(FreePlaces, "does programs again that were cut off, elsewhere")]),
    feature("power.shutdown_at_s", |c| c.power.shutdown_at_s > 0.0, "power.shutdown_at_s = 0")
        .needs(&[(FreePlaces, "fills open programs up, which zones have no room for")]),
    feature("precondition.overwrite", |c| c.precondition.overwrite.is_any(), "precondition.overwrite = 0")
        .needs(&[(FreePlaces, "writes anywhere before the run")]),
    feature("refresh.period_days", |c| c.refresh.policies.age.period_days > 0.0, "refresh.period_days = 0")
        .needs(&[(FreePlaces, "moves data that are old")]),
    feature(
        "refresh.policy",
        |c| c.refresh.policy != RefreshConfig::default().policy,
        "refresh.policy = \"age\"",
    )
    .needs(&[(FreePlaces, "moves data")]),
];

/// A feature that neither takes nor needs anything yet.
const fn feature(key: &'static str, is_on: fn(&Config) -> bool, off: &'static str) -> Feature {
    Feature { key, value: None, is_on, off, does: "", takes: &[], needs: &[] }
}

impl Feature {
    const fn with(self, value: &'static str) -> Feature {
        Feature { value: Some(value), ..self }
    }

    const fn takes(self, takes: &'static [Need], does: &'static str) -> Feature {
        Feature { does, takes, ..self }
    }

    const fn needs(self, needs: &'static [(Need, &'static str)]) -> Feature {
        Feature { needs, ..self }
    }

    /// Its key, with its value where that has a name.
    fn name(&self) -> String {
        let value = self.value.map(|value| format!(" = \"{value}\"")).unwrap_or_default();
        format!("`{}`{value}", self.key)
    }
}

/// Each feature that takes something with each that needs it, and why.
fn clashes() -> impl Iterator<Item = (&'static Feature, &'static Feature, &'static str)> {
    FEATURES.iter().flat_map(|taker| {
        let why = |other: &'static Feature| other.needs.iter().find(|(need, _)| taker.takes.contains(need));
        FEATURES.iter().filter_map(move |other| why(other).map(|&(_, why)| (taker, other, why)))
    })
}

/// Refuses what does not go together.
pub(super) fn check(config: &Config) -> Result<(), Problem> {
    match clashes().find(|(taker, other, _)| (taker.is_on)(config) && (other.is_on)(config)) {
        None => Ok(()),
        Some((taker, other, why)) => {
            let message = format!("{} {}, and {} {why}", taker.name(), taker.does, other.name());
            problem(taker.key, message, &format!("set {}, or {}", taker.off, other.off))
        }
    }
}

/// Keys of which some values do not go together: the one that a refusal names, and the other.
pub fn refused_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    clashes().map(|(taker, other, _)| (taker.key, other.key))
}

/// What does not go together, as the rows of a table for readers: a key and what it does, another, and what that does.
pub fn refusals() -> impl Iterator<Item = [String; 4]> {
    clashes().map(|(taker, other, why)| [taker.name(), taker.does.to_owned(), other.name(), why.to_owned()])
}

/// Complete pages wait in one queue before the dies.
fn has_write_queue(config: &Config) -> bool {
    config.program.write_streams > 0 || config.program.policy.fast_dvpp(&config.program.policies).is_some()
}
