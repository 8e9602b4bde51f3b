//! The SLC cache.

use super::super::size::FreeBlocks;
use crate::parameter::{Parameter, section};
use crate::policy::folding::{FoldingKeys, FoldingName};
use crate::policy::gc::VictimPolicy;

section! {
    /// `[slc]`: the SLC cache.
    pub struct SlcConfig {
        /// What goes through a cache of blocks in SLC mode, and when it is folded.
        policy: FoldingName = FoldingName::Off, word(FoldingName::CHOICES);
        /// Which policy `external` is; see `gc.external`.
        external: String = String::new(), text("a policy of the program that runs the SSD, or \"\"").when("slc.policy", &["external"]);
        /// Blocks of a plane that are always in SLC mode: a share of its blocks, or a number of them. They come out of the
        /// spare ones.
        static_blocks: FreeBlocks = FreeBlocks::Share(0.0),
            Parameter::new(FreeBlocks::DOMAIN).unless("slc.policy", &["off"]);
        /// Share of a plane's other blocks without data in the chip's own mode that may be in SLC mode: it shrinks as the
        /// drive fills.
        dynamic_share: f64 = 0.3, fraction().unless("slc.policy", &["off"])
            .source("Samsung 980 PRO 1 TB: 108 GB (AnandTech 16087) of the 366 GB that its flash has in SLC mode");
        /// Which block of the cache is folded first.
        victim: VictimPolicy = VictimPolicy::Fifo, word(VictimPolicy::CHOICES).unless("slc.policy", &["off"]);
        /// Once the cache is full it takes nothing until all of it is folded, and the host has this share of what is programmed
        /// meanwhile; 0 = it takes data wherever it has room.
        emptying_share: f64 = 0.0, number(0.0, 0.9).unless("slc.policy", &["off"])
            .source("Sabrent Rocket 4 Plus: 1,250 to 1,700 MB/s, then for half a minute 60 to 250 (SamYaple/fio-plot-results)");
        /// Pages are folded inside a plane, without the channel and the ECC.
        copyback: bool = false, truth().unless("slc.policy", &["off"]);
        /// Time of a read (tR) in SLC mode.
        read_us: f64 = 25.0, positive_operation().unless("slc.policy", &["off"])
            .source("HP, \"Solid State Drive Technology\", Table 1: chips of SLC; a guess for SLC mode");
        /// Time of a program (tPROG) in SLC mode.
        program_us: f64 = 200.0, positive_operation().unless("slc.policy", &["off"])
            .source("HP, \"Solid State Drive Technology\", Table 1: chips of SLC; a guess for SLC mode");
        /// Time of an erase (tBERS) in SLC mode.
        erase_us: f64 = 2000.0, positive_operation().unless("slc.policy", &["off"]).when("erase.scheme", &["fixed"])
            .source("HP, \"Solid State Drive Technology\", Table 1: chips of SLC; a guess for SLC mode");
        /// Wear of a P/E cycle in SLC mode, in cycles of the chip's own mode.
        wear: f64 = 0.1, fraction().unless("slc.policy", &["off"])
            .source("Swissbit, \"4 reasons to use industrial 3D TLC NAND flash as pseudo-SLC\", 2023: 30,000 cycles for 3,000");
        flatten policies: FoldingKeys;
    }
}
