//! The FTL and the data cache before it.

use super::super::size::FreeBlocks;
use crate::parameter::{Domain, Parameter, choices, section};
use crate::policy::allocation::{Allocation, AllocationKeys, AllocationName};
use crate::policy::flush::{FlushKeys, FlushName};
use crate::policy::gc::{GcKeys, VictimPolicy};
use crate::policy::placement::{PlacementKeys, PlacementName};
use crate::policy::refresh::{RefreshKeys, RefreshList, RefreshName};
use crate::policy::wear_levelling::{WearKeys, WearName};

choices! {
    /// What a read of a page that was never written does.
    pub enum UnmappedRead {
        /// As if written before the run
        Preloaded = "preloaded",
        /// So, but in the blocks that user writes fill
        Frontier = "frontier",
        /// No flash access
        Zero = "zero",
    }
}

choices! {
    /// What a user read moves over the channel.
    pub enum Transfer {
        /// What was asked for
        Sectors = "sectors",
        /// The whole page
        Page = "page",
    }
}

choices! {
    /// Where the mapping table lives.
    pub enum MappingKind {
        /// All in DRAM
        Flat = "flat",
        /// On flash, with a cached mapping table
        Dftl = "dftl",
    }
}

choices! {
    /// What a miss of the cached mapping table moves over the channel.
    pub enum MapTransfer {
        /// The page of the table
        Page = "page",
        /// The sector with the entry
        Sector = "sector",
    }
}

choices! {
    /// Blocks that are opened, filled, collected and erased together.
    pub enum Group {
        /// One
        Block = "block",
        /// One of each plane of a die, row by row: the superblock of a die
        Planes = "planes",
        /// One of each plane of every die, die by die over all channels
        Superblock = "superblock",
    }
}

choices! {
    /// What becomes of the rest of a group of blocks that the host closes.
    pub enum Ending {
        /// It is programmed with padding
        Pad = "pad",
        /// Only the program that is open is filled up; the rest is lost until the erase
        Leave = "leave",
    }
}

/// Mapping units of which a page may have several.
const UNITS_OF_PAGES: &[&str] = &["512", "1024", "2048", "4096", "8192", "16384", "32768"];

section! {
    /// `[ftl]`: mapping and allocation.
    pub struct FtlConfig {
        /// Which plane a page goes to. Programs of several units go to one plane after the other in this order, whatever their
        /// addresses; one that holds 1 % of its room more than the mean loses its turn.
        allocation: Allocation = Allocation::CWDP, either(&[
            Domain::Word(AllocationName::CHOICES),
            Domain::Text("the letters C, W, D, P in another order"),
        ]).unless("ftl.group", &["superblock"]);
        /// Bytes that one entry of the mapping table is for; 0 = a page. Smaller writes read the rest of their unit first; units
        /// of any addresses share a page.
        unit_bytes: u32 = 0, one_of(&[0, 512, 1024, 2048, 4096, 8192, 16_384, 32_768]).unit("bytes");
        /// How long a program with units that the cache waits for stays open for more of them, before it is filled up with padding.
        /// Without a write-back cache it does not wait; where units are pages and programs are of pages, nothing does.
        unit_wait_us: f64 = 1_000.0, operation()
            .when_either(("program.unit", &["wordline"]), ("ftl.unit_bytes", UNITS_OF_PAGES)).unless("cache.mode", &["off", "read"])
            .source("assumed: as cache.fill_wait_us");
        /// An open group of blocks to which nobody has written for so long, and up to an eighth longer, is filled up with padding and
        /// closed, unless GC is short of free ones; 0 = never. Half full blocks lose data sooner.
        open_timeout_ms: f64 = 0.0, number(0.0, 1e9).unit("ms");
        /// What becomes of the rest of an open group that the host closes.
        closing: Ending = Ending::Pad, word(Ending::CHOICES);
        /// Blocks that are opened, filled, collected and erased together. With `planes` and `superblock` a page goes to the next
        /// plane of its die, so that planes program the same page together.
        group: Group = Group::Block, word(Group::CHOICES);
        /// One page in so many of a superblock's row holds the XOR of the others (RAIN): of a page that does not decode these are
        /// read. 0: none does. It takes its share of the spare.
        parity: u32 = 0, whole(0, 4096).unit("pages").when("ftl.group", &["superblock"]);
        /// What a read of a page does that was never written.
        unmapped_read: UnmappedRead = UnmappedRead::Preloaded, word(UnmappedRead::CHOICES);
        /// What a user read moves over the channel.
        transfer: Transfer = Transfer::Sectors, word(Transfer::CHOICES);
        /// Writes that wait for the same page share one program.
        coalesce: bool = true, truth();
        /// The FTL knows which sectors of a page hold data: a write in part reads no others first.
        sector_map: bool = false, truth();
        /// Where the mapping table is.
        mapping: MappingKind = MappingKind::Flat, word(MappingKind::CHOICES);
        /// Size of the cached mapping table.
        cmt_bytes: u64 = 2_097_152, whole(1, 1 << 50).unit("bytes").when("ftl.mapping", &["dftl"]);
        /// Size of a mapping entry, in DRAM and on flash.
        entry_bytes: u32 = 8,
            whole(4, 64).unit("bytes").when_either(("ftl.mapping", &["dftl"]), ("journal.mode", &["on"]));
        /// What a miss of the cached mapping table moves over the channel.
        map_transfer: MapTransfer = MapTransfer::Page, word(MapTransfer::CHOICES).when("ftl.mapping", &["dftl"]);
        /// Streams of the host: open blocks of each plane that its data are kept apart in.
        streams: u32 = 1, whole(1, 16).when("fdp.isolation", &["off"]);
        /// Which of these streams data goes to, and which stream what moves goes to.
        placement: PlacementName = PlacementName::Flow, word(PlacementName::CHOICES).when("fdp.isolation", &["off"]);
        /// Which policy `external` is; see `gc.external`.
        external: String = String::new(), text("a policy of the program that runs the SSD, or \"\"").when("ftl.placement", &["external"]);
        flatten policies: AllocationKeys;
        flatten placements: PlacementKeys;
    }
}

choices! {
    /// Which full blocks may be victims.
    pub enum Victims {
        /// Those with a page that is not live
        WithInvalid = "with-invalid",
        /// Any, as in the models of FIFO and random victims
        Any = "any",
    }
}

choices! {
    /// Where live pages go that GC moves.
    pub enum Frontier {
        /// Into a block of their own
        Separate = "separate",
        /// Behind the host's writes of the same stream
        Shared = "shared",
    }
}

choices! {
    /// What holds the host back while GC wins room.
    pub enum PacingKind {
        /// Nothing, until only the reserve of GC is free: then it waits for a whole victim
        Off = "off",
        /// It writes as many pages as the victim gives up, in step with the live ones that leave: gc.threshold stays free
        InStep = "in-step",
    }
}

section! {
    /// `[gc]`: garbage collection.
    pub struct GcConfig {
        /// How GC picks its victim.
        policy: VictimPolicy = VictimPolicy::Greedy, word(VictimPolicy::CHOICES);
        /// Which policy `external` is: in Python MODULE:NAME, or FILE.py:NAME, and after a # the hash of its source.
        external: String = String::new(), text("a policy of the program that runs the SSD, or \"\"")
            .when_either(("gc.policy", &["external"]), ("slc.victim", &["external"]));
        /// Which full blocks it picks from.
        victims: Victims = Victims::WithInvalid, word(Victims::CHOICES);
        /// Where live pages go that it moves (write frontier).
        frontier: Frontier = Frontier::Separate, word(Frontier::CHOICES);
        /// A plane collects while fewer than this share of its blocks, or this number of them, are free, or fewer than 3; if
        /// gc.preemptible, also while fewer are free than the hard threshold and one for each stream and for GC.
        threshold: FreeBlocks = FreeBlocks::Share(0.05), Parameter::new(FreeBlocks::DOMAIN);
        /// With this share of its blocks free or fewer, or with this number of them, or with 2, GC goes before user I/O.
        hard_threshold: FreeBlocks = FreeBlocks::Share(0.005), Parameter::new(FreeBlocks::DOMAIN);
        /// Above the hard threshold GC waits while user I/O is queued.
        preemptible: bool = true, truth();
        /// How the writes of the host and those of GC share the free blocks while GC is at work.
        pacing: PacingKind = PacingKind::Off, word(PacingKind::CHOICES);
        /// Pages move inside a plane without the channel.
        copyback: bool = false, truth();
        /// Pages of one victim on the move at once, for each of its blocks.
        moves_in_flight: u32 = 8, whole(1, 1024).unit("pages");
        flatten policies: GcKeys;
    }
}

section! {
    /// `[wear]`: wear levelling.
    pub struct WearConfig {
        /// New blocks are the least worn of the free ones.
        dynamic: bool = true, truth();
        /// Whose data moves so that its block is worn too.
        policy: WearName = WearName::Gap, word(WearName::CHOICES);
        /// Which policy `external` is; see `gc.external`.
        external: String = String::new(), text("a policy of the program that runs the SSD, or \"\"").when("wear.policy", &["external"]);
        flatten policies: WearKeys;
    }
}

choices! {
    /// Whether all data is refreshed once when a run starts.
    pub enum RefreshAtStart {
        /// No
        Never = "never",
        /// Every full block of the fill and overwrites once, before the run and without time
        Before = "before",
        /// They are all due when the run starts
        During = "during",
    }
}

section! {
    /// `[refresh]`: periodic rewriting of old data.
    pub struct RefreshConfig {
        /// Which data is rewritten; one policy or several.
        policy: RefreshList = RefreshList::of(RefreshName::Age), joined(&[RefreshName::CHOICES]);
        /// Which policy `external` is; see `gc.external`.
        external: String = String::new(), text("a policy of the program that runs the SSD, or \"\"").when("refresh.policy", &["external"]);
        /// Whether all data is refreshed once when the run starts.
        at_start: RefreshAtStart = RefreshAtStart::Never, word(RefreshAtStart::CHOICES);
        flatten policies: RefreshKeys;
    }
}

choices! {
    /// What the DRAM data cache serves.
    pub enum CacheMode {
        /// Nothing
        Off = "off",
        /// Writes
        Write = "write",
        /// Reads
        Read = "read",
        /// Both
        ReadWrite = "read-write",
    }
}

section! {
    /// `[cache]`: the DRAM data cache.
    pub struct CacheConfig {
        /// What it serves.
        mode: CacheMode = CacheMode::Off, word(CacheMode::CHOICES);
        /// Its size.
        capacity_bytes: u64 = 268_435_456, whole(0, 1 << 50).unit("bytes").unless("cache.mode", &["off"]);
        /// A write is acknowledged when it is in DRAM (else when it is programmed).
        write_back: bool = true, truth().unless("cache.mode", &["off", "read"]);
        /// When dirty pages leave.
        flush: FlushName = FlushName::Full,
            word(FlushName::CHOICES).unless("cache.mode", &["off", "read"]);
        /// Data on its way to flash at most, in a buffer beside the lines: a write waits while there is so much; 0 = no
        /// buffer, and a page stays in its line until it is on flash.
        flush_buffer_bytes: u64 = 0,
            whole(0, 1 << 50).unit("bytes").unless("cache.mode", &["off", "read"]);
        /// Data that a read finds where nobody has written stay, too.
        keeps_unwritten: bool = true, truth().when("cache.mode", &["read", "read-write"]);
        flatten policies: FlushKeys;
    }
}
