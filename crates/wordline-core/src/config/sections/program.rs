//! How pages are programmed, and power losses.

use crate::parameter::{choices, section};
use crate::policy::program::{Program, ProgramKeys};

choices! {
    /// Whether entries of the rewrite queue count whose pages have newer copies.
    pub enum StaleEntries {
        /// They wait like others until they come to the top
        Count = "count",
        /// They do not count
        Ignore = "ignore",
    }
}

choices! {
    /// Until when a page is in the write queue.
    pub enum QueuedUntil {
        /// Until its program begins
        Begun = "begun",
        /// Until its program has ended
        Done = "done",
    }
}

choices! {
    /// When GC takes a fast block before others.
    pub enum FastFirst {
        /// Always
        Always = "always",
        /// Before others with as many live pages
        Ties = "ties",
        /// Like others
        Never = "never",
    }
}

choices! {
    /// What becomes of the rewrite queue when power is lost.
    pub enum QueueAtPowerLoss {
        /// It survives
        Saved = "saved",
        /// Fast pages are found by their blocks
        Lost = "lost",
    }
}

section! {
    /// `[program]`: how a page is programmed.
    pub struct ProgramConfig {
        /// How fast a page is programmed.
        policy: Program = Program::Normal, word(Program::CHOICES);
        /// Reads suspend a running program.
        suspend: bool = false, truth();
        /// Pages that a channel programs at once, the rest waits in one write queue; 0 = no limit: every page goes
        /// to the queue of its die at once (ofwar: one for each die).
        write_streams: u32 = 0, whole(0, 4096).unit("pages");
        /// Program step of fast writes over the normal one.
        fast_dvpp: f64 = 2.0, number(1.0, 3.0).source("OFWAR section 4.1.4").when("program.policy", &["ofwar"]);
        /// Writes are fast while more pages than this are queued (N_th_w).
        fast_write_threshold: u32 = 128,
            whole(0, 1_000_000_000).unit("pages").source("OFWAR section 5").when("program.policy", &["ofwar"]);
        /// Idle channels rewrite while more fast pages than this wait (N_th_rw).
        rewrite_threshold: u32 = 128,
            whole(0, 1_000_000_000).unit("pages").source("OFWAR section 5").when("program.policy", &["ofwar"]);
        /// Fast pages that may wait for their rewrite (D_rw); beyond it writes are normal.
        rewrite_queue_pages: u32 = 65_536,
            whole(0, 1_000_000_000).unit("pages").source("OFWAR section 5").when("program.policy", &["ofwar"]);
        /// Pages that an idle channel rewrites at once.
        rewrites_in_flight: u32 = 1, whole(1, 4096).unit("pages")
            .source("assumed: the paper rewrites \"a page\"").when("program.policy", &["ofwar"]);
        /// Until when N_th_w counts a page.
        queued_until: QueuedUntil = QueuedUntil::Begun, word(QueuedUntil::CHOICES)
            .source("assumed: the paper counts those \"held in the write queue\"")
            .when("program.policy", &["ofwar"]);
        /// Whether entries count as waiting whose pages have newer copies.
        stale_entries: StaleEntries = StaleEntries::Count, word(StaleEntries::CHOICES)
            .source("assumed: OFWAR section 3.2 leaves them where they are").when("program.policy", &["ofwar"]);
        /// When GC takes fast blocks before others.
        gc_fast_first: FastFirst = FastFirst::Ties, word(FastFirst::CHOICES)
            .source("OFWAR section 3.2 says \"higher priority\"").when("program.policy", &["ofwar"]);
        /// Rewrites are forced so long before the short retention ends: time to be off, and to rewrite all when
        /// power is back.
        rewrite_slack_h: f64 = 24.0, number(0.0, 1e5).unit("h").source("assumed: a day").when("program.policy", &["ofwar"]);
        /// What becomes of the rewrite queue when power is lost.
        queue_at_power_loss: QueueAtPowerLoss = QueueAtPowerLoss::Saved, word(QueueAtPowerLoss::CHOICES)
            .source("OFWAR section 3.3").when("program.policy", &["ofwar"]);
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
        /// The SSD is switched off then, and the run ends; 0 = never.
        shutdown_at_s: f64 = 0.0, number(0.0, 1e9).unit("s");
    }
}
