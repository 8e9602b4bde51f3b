//! The flash array: its shape, its times, and how its cells store bits.

use wordline_cells::Cell;
use wordline_cells::geometry::PLANES_MAX;

use super::super::size::{Capacity, Scale};
use crate::parameter::{Choice, Domain, Parameter, choices, section, words};
use crate::policy::coding::{CodingKeys, CodingPolicy, CodingScheme, SchemeKeys};

section! {
    /// `[ssd]`: the shape of the device.
    pub struct SsdConfig {
        /// Channels.
        channels: u32 = 8, whole(1, 64).source("MQSim's default device");
        /// Chips on a channel; a channel takes at most 64 dies.
        chips_per_channel: u32 = 4, whole(1, 64).source("MQSim");
        /// Dies of a chip.
        dies_per_chip: u32 = 2, whole(1, 64).source("MQSim");
        /// Planes of a die.
        planes_per_die: u32 = 2, whole(1, PLANES_MAX as i64).source("MQSim");
        /// Blocks of a plane.
        blocks_per_plane: u32 = 2048, whole(4, 1 << 20).source("MQSim").when("ssd.capacity", &["0"]);
        /// Pages of a block.
        pages_per_block: u32 = 256, whole(4, 65_535).source("MQSim");
        /// Bytes of a page.
        page_bytes: u32 = 8192, one_of(&[4096, 8192, 16_384, 32_768]).unit("bytes").source("MQSim");
        /// Bytes that cross the channel beside a whole page's data; at most a page's.
        spare_bytes: u32 = 0, whole(0, 32_768).unit("bytes").source("MQSim moves none");
        /// Share of the flash that is not the host's.
        overprovisioning: f64 = 0.07, number(0.0, 0.9).source("MQSim");
        /// What the host sees: as many blocks of a plane as this needs; 0 = ssd.blocks_per_plane decides.
        capacity: Capacity = Capacity::default(), Parameter::new(Capacity::DOMAIN).unit("bytes");
        /// The part of this drive that is simulated: smaller blocks, then fewer; spare share, thresholds, cache and footprint
        /// keep their shares of it.
        scale: Scale = Scale::WHOLE, Parameter::new(Scale::DOMAIN);
    }
}

choices! {
    /// Which pages planes of a die may work on together.
    pub enum Multiplane {
        /// None
        Off = "off",
        /// Planes of a die work together on one page index
        SamePage = "same-page",
        /// So, and programs leave the order of their blocks to do it, as in MQSim
        Overtaking = "overtaking",
        /// Any pages
        Any = "any",
    }
}

section! {
    /// `[nand]`: how long the array takes.
    pub struct NandConfig {
        /// Time of a read (tR) by number of senses: 1, 2, 3, ….
        read_us: Vec<f64> = vec![75.0; 8], list(&SENSE_US, 1, 15).unit("us").source("MQSim");
        /// Time of a program (tPROG) by page type, LSB first, or one for all.
        program_us: Vec<f64> = vec![750.0], list(&SENSE_US, 1, 4).unit("us").source("MQSim");
        /// Time of a program of a whole wordline (one-shot); 0 = as its pages one after the other.
        program_wordline_us: f64 = 0.0, operation().when("program.unit", &["wordline"]);
        /// Programs take between 1 minus and 1 plus this times their time, each place on the flash its own.
        program_spread: f64 = 0.0, number(0.0, 0.9);
        /// Programs under way in the array at a time, over all dies (power): each is of one die, whatever its planes. Others wait,
        /// and reads pass them; 0 = no limit.
        max_programs: u32 = 0, whole(0, 4096).unit("programs");
        /// Time of an erase in one piece (tBERS).
        erase_us: f64 = 3800.0, positive_operation().source("MQSim").when("erase.scheme", &["fixed"]);
        /// Which pages planes of a die work on together.
        multiplane: Multiplane = Multiplane::SamePage, word(Multiplane::CHOICES).source("MQSim");
        /// A second page register: the next sense or data-in overlaps with the bus.
        cache_register: bool = false, truth().source("MQSim has none");
        /// Time until a suspended program frees the die.
        program_suspend_us: f64 = 100.0, operation().source("MQSim").when("program.suspend", &["true"]);
        /// Time until a suspended erase frees the die.
        erase_suspend_us: f64 = 700.0, operation().source("MQSim").when("erase.yield", &["suspend", "restart"]);
        /// Time that resuming adds; a loop that begins again needs none.
        resume_us: f64 = 0.0, operation().source("MQSim");
        /// Time to set a feature of the die (tSET).
        set_feature_us: f64 = 1.0, operation().source("PR2/AR2 Table 1");
        /// Time to reset a read (tRST).
        reset_us: f64 = 5.0, operation().source("PR2/AR2 Table 1").when("read.retry", &["pr2", "pnar2"]);
        /// Time to precharge (tPRE); with the next two it says how a sense divides, whatever its length.
        precharge_us: f64 = 24.0,
            positive_operation().source("PR2/AR2 Table 1").when("read.retry", &["ar2", "pnar2"]);
        /// Time to evaluate (tEVAL).
        evaluate_us: f64 = 5.0,
            positive_operation().source("PR2/AR2 Table 1").when("read.retry", &["ar2", "pnar2"]);
        /// Time to discharge (tDISCH).
        discharge_us: f64 = 10.0,
            positive_operation().source("PR2/AR2 Table 1").when("read.retry", &["ar2", "pnar2"]);
        /// The die can tell whether a sensed page is worth moving.
        on_die_check: bool = false, truth().source("RiF").when("read.retry", &["rif"]);
        /// Time of that check.
        on_die_check_us: f64 = 2.5, operation().source("RiF, overhead analysis").when("read.retry", &["rif"]);
    }
}

/// A time of the array, us.
const SENSE_US: Domain = words::positive_operation().domain;

/// Bits per cell.
const CELLS: &[Choice] = &[
    Choice::new("slc", "1 bit"),
    Choice::new("mlc", "2 bits"),
    Choice::new("tlc", "3 bits"),
    Choice::new("qlc", "4 bits"),
];

section! {
    /// `[coding]`: how many senses a page takes, and whether refresh merges states.
    pub struct CodingConfig {
        /// How states of a cell stand for bits.
        scheme: CodingScheme = CodingScheme::Auto, Parameter::new(CodingScheme::DOMAIN);
        /// Bits of a cell.
        cell: Cell = Cell::Mlc, word(CELLS).source("MQSim");
        /// What refresh does with old data.
        policy: CodingPolicy = CodingPolicy::Conventional, word(CodingPolicy::CHOICES);
        flatten policies: CodingKeys;
        flatten schemes: SchemeKeys;
    }
}
