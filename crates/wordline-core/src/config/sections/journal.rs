//! The journal of the mapping table.

use crate::parameter::{choices, section};

choices! {
    /// Whether changes of the mapping table are written to flash.
    pub enum JournalMode {
        /// No: the table outlives every loss of power, and that costs nothing
        Off = "off",
        /// To a journal, and the table itself, piece by piece, to checkpoints
        On = "on",
    }
}

choices! {
    /// What of the last checkpoint is read when power is back.
    pub enum JournalLoad {
        /// The pieces that have changed since, to bring them up to date; the others when they are needed
        Changed = "changed",
        /// All pieces
        Whole = "whole",
    }
}

section! {
    /// `[journal]`: what makes the mapping table durable.
    pub struct JournalConfig {
        /// Whether changes of the mapping table are written to flash. Without it no journal is needed.
        mode: JournalMode = JournalMode::Off, word(JournalMode::CHOICES);
        /// Size of the entry of a change. A mapping unit of them is written when it is full.
        entry_bytes: u32 = 8, whole(4, 64).unit("bytes").when("journal.mode", &["on"])
            .source("assumed: a logical and a physical number of 4 bytes");
        /// Journal that is read at most when power is back, as a share of the table. While so much is written, every piece of the
        /// table that has changed goes to the checkpoint once. It has two units at least; a share of less than one is refused.
        share: f64 = 0.25, above(0.0, 10.0).when("journal.mode", &["on"])
            .source("assumed: replay then reads little beside the pieces that have changed");
        /// The entry of a change by the host waits so long at most for its page to be full; 0 = for ever, as those of moves do. All lie
        /// in spare bytes of their data, too.
        timeout_ms: f64 = 0.0, number(0.0, 1e9).unit("ms").when("journal.mode", &["on"]);
        /// A flush of the host ends when the entries so far are on flash. Without it they are found in the spare bytes of the
        /// data; with backup power the dump has them.
        on_flush: bool = false, truth().when("journal.mode", &["on"]).when("power.protected", &["false"]);
        /// What of the last checkpoint is read when power is back, before the host is served.
        load: JournalLoad = JournalLoad::Changed, word(JournalLoad::CHOICES).when("journal.mode", &["on"]);
    }
}
