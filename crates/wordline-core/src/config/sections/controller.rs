//! The controller: channels, ECC engines, its memory, and what a die does next.

use wordline_cells::ecc::tally::ITERATIONS_MAX;

use super::{delay, operation, rate};
use crate::parameter::{Choice, choices, section};
use crate::policy::erase::{EraseKeys, Scheme};
use crate::policy::read_retry::{ModifierName, ReadRetry, SourceName};
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
        /// The die stays with a page until it is decoded, as in retry papers.
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

section! {
    /// `[dram]`: the controller's memory.
    pub struct DramConfig {
        /// Its data rate; 0 = no time at all.
        rate_mb_s: f64 = 0.0, rate();
        /// Time of one access.
        latency_ns: u64 = 0, delay();
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

section! {
    /// `[schedule]`: which transaction next.
    pub struct ScheduleConfig {
        /// The order on each die.
        policy: Schedule = Schedule::ReadFirst, word(Schedule::CHOICES);
        /// What serves one command at a time.
        unit: ScheduleUnit = ScheduleUnit::Die, word(ScheduleUnit::CHOICES);
        /// A program or erase with less left is not suspended.
        suspend_min_remaining_us: f64 = 200.0,
            operation().when_either(("program.suspend", &["true"]), ("erase.yield", &["suspend"]));
        /// Times that one program or erase may be suspended.
        max_suspends: u32 = 16,
            whole(0, 1_000_000).when_either(("program.suspend", &["true"]), ("erase.yield", &["suspend"]));
        /// User reads served in a row while writes wait; 0 = no limit.
        max_read_burst: u32 = 0, whole(0, 1_000_000).when("schedule.policy", &["read-first"]);
        flatten policies: ScheduleKeys;
    }
}

choices! {
    /// Which word lines of a horizontal layer count as similar.
    pub enum PsoScope {
        /// Those of a die
        Die = "die",
        /// Those of a block
        Block = "block",
    }
}

section! {
    /// `[read]`: what happens when a page does not decode.
    pub struct ReadConfig {
        /// How a page is read again that did not decode.
        retry: ReadRetry = ReadRetry::IDEAL, joined(READ_RETRIES);
        /// `pr2` overlaps the first read too, which the paper does not.
        pipeline_first: bool = false, truth().when("read.retry", &["pr2", "pnar2"]);
        /// `ar2` shortens the regular read too.
        shorten_first: bool = false, truth().source("PR2/AR2 section 8").when("read.retry", &["ar2", "pnar2"]);
        /// Share by which `ar2` shortens tPRE; 0 = by the chip's table (RPT).
        tpre_cut: f64 = 0.0, number(0.0, 0.9).when("read.retry", &["ar2", "pnar2"]);
        /// Steps below the lowest V_REF that worked lately at which `pso` begins.
        pso_min_steps: u8 = 3,
            whole(0, 100).unit("steps").source("PR2/AR2 section 3.1").when("read.retry", &["pso"]);
        /// Share of that lowest V_REF's steps: `pso` begins so far below it where that is more.
        pso_drift_share: f64 = 0.25,
            fraction().source("assumed: far drift varies more").when("read.retry", &["pso"]);
        /// Where `pso` looks for word lines of the same layer.
        pso_scope: PsoScope = PsoScope::Die, word(PsoScope::CHOICES).when("read.retry", &["pso"]);
        /// Times that `rif` senses a doomed page again on the die; the last time is not checked again.
        on_die_retries: u8 = 3, whole(1, 7).when("read.retry", &["rif"]);
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
    }
}

section! {
    /// `[erase]`: how a block is erased.
    pub struct EraseConfig {
        /// The erase scheme; all but `fixed` need a cells.chip that says how blocks are erased.
        scheme: Scheme = Scheme::Fixed, word(Scheme::CHOICES);
        /// Where an erase lets reads in.
        r#yield: EraseYield = EraseYield::None, word(EraseYield::CHOICES);
        /// Time of AERO's shallow erasure (tSE).
        shallow_us: f64 = 1000.0,
            operation().source("AERO section 5.3").when("erase.scheme", &["aero", "aero-cons"]);
        /// Share of AERO's predictions after which a block needs 0.5 ms more.
        mispredict_rate: f64 = 0.0,
            fraction().source("AERO section 7.4").when("erase.scheme", &["aero", "aero-cons"]);
        /// Errors in 1 KiB that AERO's table may leave a block with after a year.
        rber_requirement_bits: f64 = 63.0,
            number(0.0, 8192.0).unit("bits").source("AERO section 5.4").when("erase.scheme", &["aero"]);
        flatten policies: EraseKeys;
    }
}
