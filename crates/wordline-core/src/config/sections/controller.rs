//! The controller: channels, ECC engines, its memory, and what a die does next.

use wordline_cells::ecc::tally::ITERATIONS_MAX;
use wordline_cells::ns_from_us;

use crate::engine::Ns;
use crate::parameter::{Choice, OneOf, choices, section};
use crate::policy::erase::{EraseKeys, Scheme};
use crate::policy::read_retry::{ModifierName, ReadRetry, RetryKeys, SourceName};
use crate::policy::schedule::{Schedule, ScheduleKeys};

choices! {
    /// What goes first over a free channel.
    pub enum BusOrder {
        /// A die starts its next sense before pages move
        CommandsFirst = "commands-first",
        /// Pages move before a die starts its next sense
        DataFirst = "data-first",
    }
}

section! {
    /// `[controller]`: how long its processor takes for a command of the host. All 0: no time at all.
    pub struct ControllerConfig {
        /// Cores that take commands, each in the order of arrival.
        cores: u32 = 1, whole(1, 64);
        /// For each command.
        command_ns: u64 = 0, delay();
        /// For each read in its place; 0 = as command_ns.
        command_read_ns: u64 = 0, delay();
        /// For each write in its place; 0 = as command_ns.
        command_write_ns: u64 = 0, delay();
        /// Once for all writes that wait when a core takes them, in addition to the time of each.
        batch_write_ns: u64 = 0, delay();
        /// For each sector of 512 bytes that is read or written.
        sector_ns: f64 = 0.0, number(0.0, 1e6).unit("ns");
        /// For each mapping entry that is looked up, changed or deallocated.
        unit_ns: u64 = 0, delay();
        /// The firmware's own time for a flush of the host, beside what it has to write. Other commands go on meanwhile.
        flush_us: f64 = 0.0, operation();
    }
}

section! {
    /// `[channel]`: how long a channel's bus takes.
    pub struct ChannelConfig {
        /// Data rate of one channel; 0 = no time at all.
        rate_mb_s: f64 = 333.3333, rate().source("MQSim");
        /// Bus time of a read's command and address.
        read_command_ns: u64 = 290, delay().source("MQSim");
        /// The same for each further plane.
        read_command_plane_ns: u64 = 650, delay().source("MQSim");
        /// Bus time of a program's command and address.
        program_command_ns: u64 = 361, delay().source("MQSim");
        /// The same for each further plane.
        program_command_plane_ns: u64 = 816, delay().source("MQSim");
        /// Bus time of an erase command.
        erase_command_ns: u64 = 220, delay().source("MQSim");
        /// The same for each further plane.
        erase_command_plane_ns: u64 = 700, delay().source("MQSim");
        /// Bus time of the command and address of a retry sense; 0 = none, as in the equations of PR2/AR2.
        retry_command_ns: u64 = 0, delay().source("PR2/AR2 Eq. 3").unless("read.retry", &["ideal"]);
        /// Bus time of a SET FEATURE, before nand.set_feature_us.
        set_feature_command_ns: u64 = 0, delay().source("PR2/AR2 Eq. 5").when("read.retry", &["ar2", "pnar2"]);
        /// Bus time of a RESET, before nand.reset_us.
        reset_command_ns: u64 = 0, delay().source("PR2/AR2 Table 1").when("read.retry", &["pr2", "pnar2"]);
        /// Bus time before a page's data-out.
        data_out_ns: u64 = 0, delay().source("MQSim");
        /// What goes first while pages wait.
        order: BusOrder = BusOrder::CommandsFirst, word(BusOrder::CHOICES).source("MQSim");
    }
}

choices! {
    /// The kind of ECC engine behind each channel.
    pub enum EccEngine {
        /// Decoding takes no time
        None = "none",
        /// A latency
        Pipelined = "pipelined",
        /// One page occupies the channel's decoder
        Serial = "serial",
    }
}

choices! {
    /// What the ECC can correct.
    pub enum EccCode {
        /// So many bits and no more
        Bounded = "bounded",
        /// A QC-LDPC code of 4-KiB chunks, rate 8/9
        Ldpc = "ldpc",
    }
}

section! {
    /// `[ecc]`: the engine behind each channel.
    pub struct EccConfig {
        /// The engine.
        engine: EccEngine = EccEngine::None, word(EccEngine::CHOICES);
        /// Time of a page that decodes (tECC).
        decode_us: f64 = 0.0, operation().unless("ecc.engine", &["none"]);
        /// Time of a page that does not; 0 = as decode_us.
        decode_fail_us: f64 = 0.0, operation().unless("ecc.engine", &["none"]);
        /// Pages that the engine can hold, the one in work included.
        buffer_pages: u32 = 2, whole(1, 4096).unit("pages").when("ecc.engine", &["serial"]);
        /// The die stays with every page until it is decoded; else with those that do not decode, and where the next
        /// step has begun or its timing has to be set back.
        hold_die: bool = false, truth();
        /// What it can correct.
        code: EccCode = EccCode::Bounded, word(EccCode::CHOICES);
        /// Bits in 1 KiB that can be corrected.
        correctable_bits: f64 = 72.0,
            number(0.0, 8192.0).unit("bits").source("PR2/AR2 section 1").when("ecc.code", &["bounded"]);
        /// Iterations after which the decoder gives up.
        max_iterations: u32 = 20,
            whole(1, ITERATIONS_MAX as i64).source("assumed: a hard-decision decoder's usual limit").when("ecc.code", &["ldpc"]);
        /// Time of one iteration, on top of decode_us; a failure takes decode_fail_us where that is not 0, else
        /// all iterations.
        iteration_us: f64 = 0.0, operation().unless("ecc.engine", &["none"]).when("ecc.code", &["ldpc"]);
    }
}

choices! {
    /// How long an access of the DRAM takes.
    pub enum DramTiming {
        /// A latency, then its data
        Linear = "linear",
        /// As MQSim counts, which leaves out every second row of a long access, and its last part
        Mqsim = "mqsim",
    }
}

section! {
    /// `[dram]`: the memory of the data cache. What the cache takes in, serves or gives to flash later crosses it; a read
    /// that the cache does not serve passes it by.
    pub struct DramConfig {
        /// Its data rate; 0 = no time at all.
        rate_mb_s: f64 = 0.0, rate().unless("cache.mode", &["off"]);
        /// Time before the data of an access.
        latency_ns: u64 = 0, delay().unless("cache.mode", &["off"]);
        /// How long an access takes.
        timing: DramTiming = DramTiming::Linear, word(DramTiming::CHOICES).unless("cache.mode", &["off"]);
        /// Size of a row.
        row_bytes: u32 = 8192, whole(512, 1 << 20).unit("bytes").when("dram.timing", &["mqsim"]).source("MQSim");
        /// Data of one transfer; a clock has two.
        burst_bytes: u32 = 1, whole(1, 4096).unit("bytes").when("dram.timing", &["mqsim"]).source("MQSim");
        /// Time between two rows of one access.
        precharge_ns: u64 = 13, delay().when("dram.timing", &["mqsim"]).source("MQSim");
    }
}

choices! {
    /// What serves one command at a time.
    pub enum ScheduleUnit {
        /// A die
        Die = "die",
        /// A chip
        Chip = "chip",
    }
}

/// Settings under which programs are suspended, and erases within a loop.
const SUSPENDED_PROGRAMS: OneOf = ("program.suspend", &["true"]);
const SUSPENDED_ERASES: OneOf = ("erase.yield", &["suspend", "restart"]);

section! {
    /// `[schedule]`: which transaction next.
    pub struct ScheduleConfig {
        /// The order on each die.
        policy: Schedule = Schedule::ReadFirst, word(Schedule::CHOICES);
        /// What serves one command at a time.
        unit: ScheduleUnit = ScheduleUnit::Die, word(ScheduleUnit::CHOICES);
        /// A program or erase with less left is not suspended.
        suspend_min_remaining_us: f64 = 200.0, operation().when_either(SUSPENDED_PROGRAMS, SUSPENDED_ERASES);
        /// Times that one program or erase may be suspended.
        max_suspends: u32 = 16, whole(0, 1_000_000).when_either(SUSPENDED_PROGRAMS, SUSPENDED_ERASES);
        /// Nothing is suspended while a write of the host has taken this long; 0 = however long.
        suspend_write_limit_us: f64 = 0.0,
            operation().when_either(SUSPENDED_PROGRAMS, SUSPENDED_ERASES).source("AERO's simulator: 64 ms");
        /// What has waited this long at its die for another class is served after at most four commands more, whatever
        /// the policy prefers. A program or erase that has been on its die this long is suspended no more, and a block that has
        /// been reclaimed or refreshed this long gets on like urgent GC; 0 = no limit.
        max_wait_us: f64 = 100_000.0,
            operation().source("assumed: far above what waits where nothing is overloaded");
        flatten policies: ScheduleKeys;
    }
}

impl ScheduleConfig {
    /// How long something may wait, ns.
    pub(crate) fn max_wait(&self) -> Ns {
        if self.max_wait_us == 0.0 { Ns::MAX } else { ns_from_us(self.max_wait_us) }
    }
}

section! {
    /// `[read]`: what happens when a page does not decode.
    pub struct ReadConfig {
        /// How a page is read again that did not decode.
        retry: ReadRetry = ReadRetry::IDEAL, joined(READ_RETRIES);
        flatten policies: RetryKeys;
    }
}

/// Parts of the name of a read-retry policy.
const READ_RETRIES: &[&[Choice]] = &[SourceName::CHOICES, ModifierName::CHOICES, ReadRetry::TOGETHER];

choices! {
    /// Where an erase lets reads in.
    pub enum EraseYield {
        /// Nowhere
        None = "none",
        /// Between loops
        Loop = "loop",
        /// Within a loop too
        Suspend = "suspend",
        /// Within a loop that is not the last, which then begins again
        Restart = "restart",
    }
}

impl EraseYield {
    /// A read may stop a loop.
    pub(crate) fn stops_loops(self) -> bool {
        matches!(self, EraseYield::Suspend | EraseYield::Restart)
    }
}

choices! {
    /// When the last loop of an erase runs.
    pub enum LastLoop {
        /// After the others
        AtOnce = "at-once",
        /// Before the first program of the block
        AtFirstWrite = "at-first-write",
    }
}

section! {
    /// `[erase]`: how a block is erased.
    pub struct EraseConfig {
        /// The erase scheme; all but `fixed` need a cells.chip that says how blocks are erased.
        scheme: Scheme = Scheme::Fixed, word(Scheme::CHOICES);
        /// Where an erase lets reads in.
        r#yield: EraseYield = EraseYield::None, word(EraseYield::CHOICES);
        /// When the last loop of an erase runs: later, it counts as time of the program that waits for it.
        last_loop: LastLoop = LastLoop::AtOnce,
            word(LastLoop::CHOICES).source("`true_lazy_erase` of the simulator of AERO's authors");
        flatten policies: EraseKeys;
    }
}
