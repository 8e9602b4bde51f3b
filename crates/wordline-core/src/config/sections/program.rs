//! How pages are programmed, and power losses.

use crate::parameter::{choices, section};
use crate::policy::program::{Program, ProgramKeys};

choices! {
    /// What one program takes.
    pub enum ProgramUnit {
        /// A page, and the same page of other planes where `nand.multiplane` allows
        Page = "page",
        /// All pages of a wordline, in all planes of a group on a die; of a wordline in two steps, those of a step
        Wordline = "wordline",
    }
}

choices! {
    /// What a read does that meets a program whose successor's data are on the die already.
    pub enum SuspendLoaded {
        /// It waits: that program is not suspended
        Never = "never",
        /// It suspends the program; the die has latches for its data beside those of both programs
        Latch = "latch",
        /// It suspends the program and takes the cache register; the successor's data cross the channel again
        Reload = "reload",
    }
}

section! {
    /// `[program]`: how a page is programmed.
    pub struct ProgramConfig {
        /// How fast a page is programmed.
        policy: Program = Program::Normal, word(Program::CHOICES);
        /// What one program takes (one-shot programs). Data wait in the controller until it is full, or filled up with padding after
        /// ftl.unit_wait_us.
        unit: ProgramUnit = ProgramUnit::Page, word(ProgramUnit::CHOICES);
        /// Reads suspend a running program.
        suspend: bool = false, truth();
        /// Reads suspend a program only each time that it has run for so long; 0 = at any time. After schedule.max_read_burst reads
        /// it goes on until the next such point.
        suspend_every_us: f64 = 0.0, operation().when("program.suspend", &["true"])
            .source("WD SN540 beside 10 MiB/s of writes (NVMeBenchmarks): one read waits at most 200 us for a program, 64 wait 4 ms");
        /// What a read does where the cache register has the data of the next program.
        suspend_loaded: SuspendLoaded = SuspendLoaded::Never,
            word(SuspendLoaded::CHOICES).when("program.suspend", &["true"]).when("nand.cache_register", &["true"]);
        /// Pages that a channel programs at once, the rest waits in one write queue; 0 = no limit: every page goes
        /// to the queue of its die at once (ofwar: one for each die).
        write_streams: u32 = 0, whole(0, 4096).unit("pages");
        flatten policies: ProgramKeys;
    }
}

section! {
    /// `[power]`: power losses and shutdowns.
    pub struct PowerConfig {
        /// Power is lost then, and back after off_h; 0 = never.
        cut_at_s: f64 = 0.0, number(0.0, 1e9).unit("s");
        /// Time without power after a loss.
        off_h: f64 = 1.0, number(0.0, 1e6).unit("h").unless("power.cut_at_s", &["0"]);
        /// Backup power saves what only the DRAM cache holds when power is lost; without it that is gone.
        protected: bool = false, truth();
        /// The SSD is switched off then: it writes its cache, its fast pages and changed mapping entries to flash, and the
        /// run ends; 0 = never.
        shutdown_at_s: f64 = 0.0, number(0.0, 1e9).unit("s");
    }
}
