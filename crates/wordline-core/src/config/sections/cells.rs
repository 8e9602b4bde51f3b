//! The kind of chip, and the condition that it is in.

use crate::parameter::{choices, section};

section! {
    /// `[cells]`: the kind of chip, or measurements of one.
    pub struct CellsConfig {
        /// The kind of chip; without one only reliability.retry_steps makes reads fail.
        chip: String = "none".to_owned(),
            text("\"none\", a name of `wordline presets --chips`, or a TOML file that describes a chip");
        /// A chip that takes the place of the SSD's own, whose errors and wear nobody has published; where it is the cells.chip
        /// of a run, results say so.
        stand_in: String = String::new(), text("a name of `wordline presets --chips`, or \"\"");
        /// Retry steps by word line, P/E cycles and months; they take the place of the chip's drift.
        retry_table: String = String::new(), text("a CSV file of yours, or \"\"").unless("cells.chip", &["none"]);
        /// Erase latencies by P/E cycles; they take the place of the chip's erase work.
        erase_table: String = String::new(), text("a CSV file of yours, or \"\"").unless("cells.chip", &["none"]);
    }
}

impl CellsConfig {
    /// The chip, if it takes the place of the SSD's own.
    #[must_use]
    pub fn stands_in(&self) -> Option<&str> {
        (self.chip == self.stand_in && self.chip != "none").then_some(self.chip.as_str())
    }
}

choices! {
    /// The erase scheme that gave the blocks the wear that they start with.
    pub enum WornBy {
        /// The same wear for every scheme, as in AERO section 7.3
        Ispe = "ispe",
        /// The erase scheme of the run
        Scheme = "scheme",
    }
}

section! {
    /// `[reliability]`: the operating condition.
    pub struct ReliabilityConfig {
        /// P/E cycles that all blocks start with.
        pec: u32 = 0, whole(0, 1_000_000).unit("P/E cycles");
        /// The erase scheme under which blocks had them.
        worn_by: WornBy = WornBy::Ispe, word(WornBy::CHOICES).unless("reliability.pec", &["0"]);
        /// Age of the data that is there when the run starts.
        retention_months: f64 = 0.0, number(0.0, 1200.0).unit("months");
        /// Ages of blocks lie evenly between retention_months times 1 minus and 1 plus this: one age for all pages of a
        /// block that are there when the run starts.
        retention_spread: f64 = 0.0, fraction().unless("reliability.retention_months", &["0"]);
        /// Pages of the mapping table carry that age, too; else they are read as if just programmed.
        mapping_ages: bool = true, truth().when("ftl.mapping", &["dftl"]).unless("reliability.retention_months", &["0"]);
        /// Operating temperature.
        temperature_c: f64 = 30.0, number(-40.0, 125.0).unit("degrees Celsius").unless("cells.chip", &["none"]);
        /// By how much hotter it was when the data were programmed that are there when the run starts; below 0: colder.
        programmed_hotter_c: f64 = 0.0, number(-165.0, 165.0).unit("degrees Celsius")
            .source("Guo et al., EDTM 2023").unless("cells.chip", &["none"]);
        /// Reads disturb the other pages of their block, by the chip's constants.
        read_disturb: bool = false, truth().source("Cai et al., DSN 2015").unless("cells.chip", &["none"]);
        /// Reads of each block with data that is there when the run starts, since its last erase.
        block_reads: u32 = 0, whole(0, 16_777_215).unit("reads")
            .when_either(("reliability.read_disturb", &["true"]), ("refresh.policy", &["reads"]));
        /// Retry steps of every page.
        retry_steps: u32 = 0, whole(0, 100).unit("steps").when("cells.chip", &["none"]);
        /// Share of blocks that are bad from the factory.
        factory_bad: f64 = 0.0, number(0.0, 0.5);
        /// Chance that an erase turns its block bad.
        grown_bad: f64 = 0.0, fraction();
    }
}
