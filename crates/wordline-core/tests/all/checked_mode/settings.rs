//! What random SSDs are drawn from: keys and their choices.

use std::sync::LazyLock;
use wordline_core::policy::names;

/// Key and choices; the first choice is the plainest.
pub(super) static CHOICES: LazyLock<Vec<(&str, Vec<String>)>> = LazyLock::new(|| {
    let of = |&(key, choices): &(&'static str, &[&str])| match choices {
        // Of a policy of the calling program there is none here.
        POLICIES => (key, names(key).into_iter().filter(|name| name != "external").collect()),
        _ => (key, choices.iter().map(|&choice| choice.to_owned()).collect()),
    };
    SETTINGS.iter().chain(MORE_SETTINGS).map(of).collect()
});

/// Those that matter most.
pub(super) const SETTINGS: &[(&str, &[&str])] = &[
    ("ssd.channels", &["1", "2", "3"]),
    ("ssd.chips_per_channel", &["1", "2"]),
    ("ssd.dies_per_chip", &["1", "2"]),
    ("ssd.planes_per_die", &["1", "2", "3", "4"]),
    ("ssd.blocks_per_plane", &["16", "24", "40"]),
    ("ssd.pages_per_block", &["4", "6", "12", "32"]),
    ("ssd.page_bytes", &["4096", "8192", "16384", "32768"]),
    ("ssd.spare_bytes", &["0", "128"]),
    ("ssd.overprovisioning", &["0.5", "0.44"]),
    ("coding.cell", &["slc", "mlc", "tlc", "qlc"]),
    ("nand.multiplane", &["off", "same-page", "overtaking", "any"]),
    ("nand.cache_register", &["false", "true"]),
    ("nand.program_suspend_us", &["0.0", "20.0"]),
    ("nand.resume_us", &["0.0", "5.0"]),
    ("channel.rate_mb_s", &["1000.0", "0.0", "100.0"]),
    ("channel.read_command_ns", &["0", "300"]),
    ("channel.program_command_ns", &["0", "400"]),
    ("channel.order", &["commands-first", "data-first"]),
    ("ecc.engine", &["none", "pipelined", "serial"]),
    ("ecc.decode_us", &["0.0", "8.0", "60.0"]),
    ("ecc.decode_fail_us", &["0.0", "20.0"]),
    ("ecc.buffer_pages", &["1", "2", "5"]),
    ("ecc.hold_die", &["false", "true"]),
    ("dram.rate_mb_s", &["0.0", "500.0"]),
    ("host.link_rate_mb_s", &["0.0", "300.0"]),
    ("host.submit_ns", &["0", "700"]),
    ("host.complete_ns", &["0", "900"]),
    ("host.device_queue_depth", &["65535", "3"]),
    ("ftl.unmapped_read", &["preloaded", "zero"]),
    ("ftl.transfer", &["sectors", "page"]),
    ("ftl.coalesce", &["true", "false"]),
    ("ftl.mapping", &["flat", "dftl"]),
    ("ftl.cmt_bytes", &["400", "64", "8"]),
    ("ftl.entry_bytes", &["8", "64"]),
    ("ftl.map_transfer", &["page", "sector"]),
    ("ftl.streams", &["1", "2"]),
    ("gc.policy", POLICIES),
    ("gc.victims", &["with-invalid", "any"]),
    ("gc.frontier", &["separate", "shared"]),
    ("gc.threshold", &["0.05", "0.2", "0.4"]),
    ("gc.preemptible", &["true", "false"]),
    ("gc.copyback", &["false", "true"]),
    ("gc.moves_in_flight", &["8", "1", "100"]),
    ("wear.dynamic", &["true", "false"]),
    ("wear.policy", POLICIES),
    ("wear.static_threshold", &["0", "1", "4"]),
    ("refresh.policy", POLICIES),
    ("refresh.period_days", &["0.0", "0.00002"]),
    ("refresh.at_start", &["never", "before", "during"]),
    ("coding.policy", POLICIES),
    ("coding.ida_error_rate", &["0.2", "0.0", "0.8"]),
    ("coding.ida_adjust_time", &["msb-program", "ispp-range"]),
    ("cache.mode", &["off", "write", "read", "read-write"]),
    ("cache.capacity_bytes", &["100000", "1", "600000"]),
    ("cache.write_back", &["true", "false"]),
    ("cache.flush", POLICIES),
    ("cache.flush_buffer_bytes", &["0", "20000", "512"]),
    ("schedule.policy", POLICIES),
    ("schedule.unit", &["die", "chip"]),
    ("schedule.suspend_min_remaining_us", &["0.0", "100.0"]),
    ("schedule.max_suspends", &["16", "1", "0"]),
    ("schedule.suspend_write_limit_us", &["0.0", "50.0"]),
    ("schedule.max_read_burst", &["0", "3"]),
    ("read.retry", POLICIES),
    ("read.pipeline_first", &["false", "true"]),
    ("read.shorten_first", &["false", "true"]),
    ("read.tpre_cut", &["0.4", "0.9"]),
    ("read.pso_scope", &["die", "block"]),
    ("read.on_die_retries", &["3", "1"]),
    ("nand.on_die_check", &["true"]),
    ("nand.on_die_check_us", &["2.5", "0.0", "90.0"]),
    ("nand.set_feature_us", &["1.0", "0.0", "70.0"]),
    ("nand.reset_us", &["5.0", "0.0"]),
    ("reliability.retry_steps", &["0", "3"]),
    ("erase.scheme", POLICIES),
    ("erase.yield", &["none", "loop", "suspend", "restart"]),
    ("erase.mispredict_rate", &["0.0", "0.3"]),
    ("reliability.pec", &["0", "700", "3600"]),
    ("reliability.worn_by", &["ispe", "scheme"]),
    ("program.suspend", &["false", "true"]),
    ("program.policy", POLICIES),
    ("program.write_streams", &["0", "1", "3"]),
    ("program.fast_write_threshold", &["128", "2", "0"]),
    ("program.rewrite_threshold", &["128", "4", "0"]),
    ("program.rewrite_queue_pages", &["65536", "20", "3"]),
    ("program.rewrites_in_flight", &["1", "8"]),
    ("program.stale_entries", &["count", "ignore"]),
    ("program.queued_until", &["begun", "done"]),
    ("program.gc_fast_first", &["ties", "always", "never"]),
    ("program.fast_write_counts", &["pages", "requests"]),
    ("program.fast_keeps_h", &["0.0", "1.0"]),
    ("reliability.factory_bad", &["0.0", "0.03"]),
    ("reliability.grown_bad", &["0.0", "0.01"]),
    ("precondition.fill", &["lazy", "1.0", "0.6"]),
    ("precondition.overwrite", &["0.0", "1.5"]),
];

/// What long hunts draw too: it makes runs longer, or seldom matters.
const MORE_SETTINGS: &[(&str, &[&str])] = &[
    ("nand.erase_suspend_us", &["700.0", "0.0"]),
    ("channel.data_out_ns", &["0", "250"]),
    ("ecc.code", &["bounded", "ldpc"]),
    ("ecc.max_iterations", &["20", "2"]),
    ("ecc.iteration_us", &["0.0", "3.0"]),
    ("dram.latency_ns", &["0", "40"]),
    ("dram.timing", &["linear", "mqsim"]),
    ("gc.window", &["64", "3"]),
    ("host.link_request_ns", &["0", "150"]),
    ("ftl.sector_map", &["false", "true"]),
    ("ftl.open_timeout_ms", &["0.0", "0.5", "4.0"]),
    ("gc.hard_threshold", &["0.005", "0.05"]),
    ("gc.d", &["8", "1"]),
    ("cache.high_watermark", &["0.8", "0.6"]),
    ("cache.low_watermark", &["0.6", "0.0"]),
    ("read.pso_min_steps", &["3", "0"]),
    ("read.pso_window", &["512", "1"]),
    ("read.pso_alone_after", &["512", "0"]),
    ("read.soft_senses", &["2", "3"]),
    ("erase.rber_requirement_bits", &["63.0", "20.0"]),
    ("program.rewrite_deadline", &["wear", "rated"]),
    ("program.queue_at_power_loss", &["saved", "lost"]),
    ("reliability.retention_months", &["0.0", "6.0"]),
    ("reliability.retention_spread", &["0.0", "0.5"]),
    ("reliability.temperature_c", &["30.0", "55.0"]),
    ("ftl.group", &["block", "planes", "superblock"]),
    ("host.link", &["nvme", "sata"]),
    ("controller.command_ns", &["0", "1500"]),
    ("controller.command_read_ns", &["0", "900"]),
    ("controller.command_write_ns", &["0", "2100"]),
    ("controller.batch_write_ns", &["0", "7000"]),
    ("host.job_ns", &["0", "2600"]),
    ("host.cores", &["0", "1", "2"]),
    ("host.reap_ns", &["0", "1400"]),
    ("host.switch_ns", &["0", "5000"]),
    ("controller.cores", &["1", "3"]),
    ("controller.sector_ns", &["0.0", "12.5"]),
    ("controller.unit_ns", &["0", "300"]),
    ("gc.pacing", &["off", "in-step"]),
    ("ftl.unit_bytes", UNITS),
    ("ftl.unit_wait_us", &["1000.0", "0.0", "20.0"]),
    ("program.unit", &["page", "wordline"]),
    ("nand.program_wordline_us", &["0.0", "1200.0"]),
    ("nand.max_programs", &["0", "1", "3"]),
    ("nand.program_spread", &["0.0", "0.3"]),
    ("program.suspend_loaded", &["never", "latch", "reload"]),
    ("program.suspend_every_us", &["0.0", "60.0"]),
];

/// Those of an SLC cache.
pub(super) const SLC_SETTINGS: &[(&str, &[&str])] = &[
    ("slc.policy", &["idle", "watermark"]),
    ("slc.dynamic_share", &["0.5", "0.0", "1.0"]),
    ("slc.static_blocks", &["0.0", "1", "2"]),
    ("slc.victim", &["fifo", "greedy", "random"]),
    ("slc.idle_ms", &["0.05", "0.0", "2.0"]),
    ("slc.fold_above", &["0.2", "0.0", "0.8"]),
    ("slc.around_bytes", &["0", "8192"]),
    ("slc.copyback", &["false", "true"]),
    ("slc.erase_us", &["2000.0", "100.0"]),
];

/// Those of a journal.
pub(super) const JOURNAL_SETTINGS: &[(&str, &[&str])] = &[
    ("journal.mode", &["on"]),
    ("journal.entry_bytes", &["16", "64"]),
    ("journal.share", &["0.5", "0.25", "3.0"]),
    ("journal.timeout_ms", &["0.0", "0.3"]),
    ("journal.load", &["changed", "whole"]),
    ("power.protected", &["false", "true"]),
];

/// Mapping units: a page, and smaller ones.
pub(super) const UNITS: &[&str] = &["0", "4096", "2048", "512"];

/// The names of the policies that a key takes.
const POLICIES: &[&str] = &[];

/// Orders of allocation, and its other policies.
pub(super) static ALLOCATIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let orders = [
        "CWDP", "CWPD", "CDWP", "CDPW", "CPWD", "CPDW", "WCDP", "WCPD", "WDCP", "WDPC", "WPCD", "WPDC",
        "DCWP", "DCPW", "DWCP", "DWPC", "DPCW", "DPWC", "PCWD", "PCDW", "PWCD", "PWDC", "PDCW", "PDWC",
    ];
    let policies = names("ftl.allocation").into_iter().skip(1);
    orders.map(str::to_owned).into_iter().chain(policies).collect()
});
