"""What Wordline does with each option of fio 3.33: it follows, refuses or simplifies it, or says that nothing changes.

The names are those that `fio --cmdhelp=all` and `fio --enghelp=ENGINE` print, and some of later versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# Two names of one option: the second is used here.
ALIASES = {
    "bandwidth-log": "write_bw_log", "blockalign": "ba", "blocksize": "bs", "blocksize_range": "bsrange",
    "blocksize_unaligned": "bs_unaligned", "disable_bw": "disable_bw_measurement", "fdp_pli": "plids",
    "fdp_pli_select": "plid_select", "fileoffset": "offset",
    "fill_fs": "fill_device", "io_limit": "io_size", "iodepth_batch_complete": "iodepth_batch_complete_min",
    "iodepth_batch_submit": "iodepth_batch", "iomem": "mem", "mem_align": "iomem_align", "nr_files": "nrfiles",
    "ratecycle": "rate_cycle", "ratemin": "rate_min", "readwrite": "rw", "ss": "steadystate",
    "ss_dur": "steadystate_duration", "ss_ramp": "steadystate_ramp_time", "threads": "thread", "timeout": "runtime",
    "wait_for_previous": "stonewall",
}  # fmt: skip

# Options that decide which requests are made, and when: followed.
HONOURED = frozenset({
    "ba", "bs", "bsrange", "bssplit", "dataplacement", "directory", "dp_scheme", "end_fsync", "fdatasync", "fdp",
    "filename", "filename_format", "filesize", "fsync", "fsync_on_close", "io_size", "io_submit_mode", "iodepth",
    "ioengine", "loops", "name",
    "norandommap", "number_ios", "numjobs", "offset", "offset_align", "offset_increment", "percentage_random",
    "plid_select", "plids", "ramp_time", "random_distribution", "random_generator", "randrepeat", "randseed", "rate",
    "rate_iops", "rate_process", "read_iolog", "replay_no_stall", "runtime", "rw", "rw_sequencer", "rwmixread",
    "rwmixwrite", "size", "startdelay", "stonewall", "sync", "thinktime", "thinktime_blocks", "time_based", "wait_for",
    "write_hint", "write_iolog", "writefua", "zonemode",
})  # fmt: skip

_CONTENTS = "is about what the data are; a simulated SSD keeps none"
_REPORT = "is about fio's own output, which --fio-json writes"
_HOST = "is about the host's processes, memory and files, which are not simulated; no request changes"
_ENGINE = "is about how the host hands requests over; the requests are the same"
_RANDOM = "is about fio's random numbers; Wordline has its own, which `--seed` changes"
_VERIFY = "is about how data are verified; a simulated SSD keeps none"

# Options that change no request, by the reason.
CHANGES_NOTHING = {
    _CONTENTS: frozenset({
        "buffer_compress_chunk", "buffer_compress_percentage", "buffer_pattern", "dedupe_global", "dedupe_mode",
        "dedupe_percentage", "dedupe_working_set_percentage", "refill_buffers", "scramble_buffers", "zero_buffers",
    }),
    _REPORT: frozenset({
        "block_error_percentiles", "bwavgtime", "clat_percentiles", "description", "disable_bw_measurement",
        "disable_clat", "disable_lat", "disable_slat", "disk_util", "error_dump", "eta", "group_reporting",
        "gtod_cpu", "gtod_reduce", "iopsavgtime", "lat_percentiles", "log_alternate_epoch",
        "log_alternate_epoch_clock_id", "log_avg_msec", "log_compression", "log_compression_cpus", "log_entries",
        "log_hist_coarseness", "log_hist_msec", "log_max_value", "log_offset", "log_prio", "log_store_compressed",
        "log_unix_epoch", "log_window_value", "new_group", "per_job_logs", "percentile_list", "significant_figures",
        "slat_percentiles", "stats", "unified_rw_reporting", "unit_base", "write_bw_log", "write_hist_log",
        "write_iops_log", "write_lat_log",
    }),
    _HOST: frozenset({
        "allow_file_create", "allow_mounted_write", "atomic", "cgroup", "cgroup_nodelete", "cgroup_weight",
        "clocksource", "continue_on_error", "cpumask", "cpus_allowed", "cpus_allowed_policy", "create_fsync",
        "create_on_open", "create_only", "create_serialize", "exec_postrun", "exec_prerun",
        "exitall_on_error", "fadvise_hint", "fallocate", "gid", "hugepage-size", "ignore_error", "invalidate",
        "iomem_align", "ioscheduler", "lockmem", "mem", "nice", "numa_cpu_nodes", "numa_mem_policy",
        "openfiles", "overwrite", "prio", "prioclass", "thinktime_spin", "thread", "uid", "unique_filename", "unlink",
        "unlink_each_loop",
    }),
    _ENGINE: frozenset({
        "apptag", "apptag_mask", "brick", "busy_poll", "clientname", "clustername", "cmd_type", "cmdprio",
        "cmdprio_bssplit", "cmdprio_class", "cmdprio_percentage", "conf", "cuda_io", "fixedbufs", "force_async",
        "gpu_dev_id", "gpu_dev_ids", "hipri", "hipri_percentage", "hostname", "http_host", "http_mode", "http_s3_key",
        "http_s3_keyid", "http_s3_region", "http_s3_sse_customer_algorithm", "http_s3_sse_customer_key",
        "http_s3_storage_class", "http_swift_auth_token", "http_verbose", "https", "libblkio_driver",
        "libblkio_path", "libblkio_pre_start_props", "libblkio_vectored", "md_per_io_size",
        "nfs_url", "nonvectored", "nowait", "pi_act", "pi_chk", "pool", "port", "rbdname", "registerfiles", "rocm_io",
        "single-instance", "skip_bad", "sqthread_poll", "sqthread_poll_cpu", "thp", "touch_objects", "uncached", "uri",
        "userspace_reap", "volume",
    }),
    _RANDOM: frozenset({"allrandrepeat", "softrandommap"}),
    _VERIFY: frozenset({
        "do_verify", "verify_async", "verify_async_cpus", "verify_dump", "verify_fatal", "verify_interval",
        "verify_offset", "verify_pattern", "verify_state_load", "verify_state_save", "verify_write_sequence",
    }),
    "only acts on a job of several files, which are refused": frozenset({"file_service_type"}),
    "only acts together with another option, which is refused": frozenset({
        "exit_what", "flow_id", "flow_sleep", "flow_watermark", "latency_percentile", "latency_run", "latency_window",
        "rate_cycle", "read_iolog_chunked", "replay_redirect", "steadystate_check_interval",
        "steadystate_duration", "steadystate_ramp_time", "trim_verify_zero",
    }),
}  # fmt: skip


class Limit(NamedTuple):
    """An option that would change which requests are made.

    Attributes:
        neutral: Values with which it changes nothing; they are accepted. `*` is any value.
        reason: What it does in fio, or what differs here.
        fix: What can be written instead; empty: the job is run, and the difference is said.
    """

    neutral: frozenset[str]
    reason: str
    fix: str


_OFF = frozenset({"0", "false", "none"})


def _refused(reason: str, fix: str, *neutral: str) -> Limit:
    return Limit(frozenset(neutral) | _OFF, reason, fix)


_REPLAY = "changes the log that is replayed, which Wordline replays as it is"
_NO_REPLAY = "remove it; `wordline trace convert` changes traces"
_ONE_FILE = "write a job for each file"
_ZONED = "remove it; zones are simulated with zonemode=zbd, on a drive that has them"

# Options that are refused, unless they have a value with which they change nothing.
REFUSED = {
    "bs_is_seq_rand": _refused("gives sequential and random requests sizes of their own", "write two jobs"),
    "bs_unaligned": _refused("makes sizes that are no multiples of 512 bytes", "remove it"),
    "exitall": _refused("ends all jobs when one of them ends", "give the other jobs a runtime"),
    "experimental_verify": _refused("reads back what was written", "add a job with rw=read after `stonewall`"),
    "file_append": _refused("begins at the end of the file", "write the place with offset="),
    "fill_device": _refused("writes until the device is full", "write size=100% and filename=/dev/nvme0n1"),
    "flow": _refused("makes jobs take turns", "write one job with rwmixread=, or give each a rate="),
    "kb_base": _refused("changes what k, m and g mean", "write sizes in bytes", "1024"),
    "latency_target": _refused("searches for a queue depth", "compare depths: iodepth=1, 2, 4 ..."),
    "lockfile": _refused("lets one job at a time use the file", "order the jobs with `stonewall`"),
    "max_latency": _refused("ends the job when a request takes too long", "remove it; results have percentiles"),
    "merge_blktrace_file": _refused(_REPLAY, _NO_REPLAY),
    "merge_blktrace_iters": _refused(_REPLAY, _NO_REPLAY),
    "merge_blktrace_scalars": _refused(_REPLAY, _NO_REPLAY),
    "nrfiles": _refused("divides the job between several files", _ONE_FILE, "1"),
    "num_range": _refused("puts several ranges into one trim", "remove it", "1"),
    "opendir": _refused("takes the files of a folder", _ONE_FILE),
    "pre_read": _refused("reads the file before the job", "add a job with rw=read before `stonewall`"),
    "profile": _refused("brings a job of fio's own", "write its options out"),
    "random_sequence_stride": _refused("chooses another sequence of places", "remove it"),
    "rate_ignore_thinktime": _refused("lets a job catch up after its pauses", "remove it"),
    "rate_iops_min": _refused("ends the job when it is slower", "remove it"),
    "rate_min": _refused("ends the job when it is slower", "remove it"),
    "readfua": _refused("makes every read bypass the device's cache", "remove it"),
    "replay_align": _refused(_REPLAY, _NO_REPLAY),
    "replay_scale": _refused(_REPLAY, _NO_REPLAY, "1"),
    "replay_skip": _refused(_REPLAY, _NO_REPLAY),
    "replay_time_scale": _refused(_REPLAY, "remove it; `host.time_scale` does so", "100"),
    "sg_write_mode": _refused("sends other commands than writes", "remove it", "write"),
    "sprandom": _refused("preconditions the SSD", "remove it; `precondition.fill` and `precondition.overwrite` do so"),
    "steadystate": _refused("ends the job when it is steady", "remove it, and run with `--until`"),
    "stream_id": _refused("places data by identifier on the device", "remove it; `ftl.streams` separates flows"),
    "sync_file_range": _refused("makes the kernel write pages back", "write fdatasync=N: a flush after N writes"),
    "thinktime_blocks_type": _refused("counts requests when they are made", "remove it", "complete"),
    "thinktime_iotime": _refused("pauses after a time of work", "write thinktime_blocks=N: a pause after N requests"),
    "trim_backlog": _refused("adds trims to the job", "write a job with rw=trimwrite"),
    "trim_backlog_batch": _refused("adds trims to the job", "write a job with rw=trimwrite"),
    "trim_percentage": _refused("adds trims to the job", "write a job with rw=trimwrite"),
    "verify": _refused("reads everything back that was written", "write verify=0, and a job with rw=read after it"),
    "verify_backlog": _refused("reads back what was written", "remove it"),
    "verify_backlog_batch": _refused("reads back what was written", "remove it"),
    "verify_mode": _refused("sends other commands than reads", "remove it", "read"),
    "verify_only": _refused("writes nothing, and reads instead", "write rw=read"),
    "write_barrier": _refused("orders writes at the device", "write fsync=N: a flush after N writes"),
    "write_mode": _refused("sends other commands than writes", "remove it", "write"),
    "zonerange": _refused("leads the job from zone to zone", _ZONED),
    "zoneskip": _refused("leads the job from zone to zone", _ZONED),
    "ignore_zone_limits": _refused("opens more zones than the drive allows", "remove it"),
    "read_beyond_wp": _refused("reads what was not written", "remove it"),
}  # fmt: skip

# Options of jobs on zones: followed with `zonemode=zbd`, without effect otherwise.
OF_ZONES = frozenset({
    "job_max_open_zones", "max_open_zones", "zone_reset_frequency", "zone_reset_threshold", "zonecapacity", "zonesize",
})  # fmt: skip

_ONE_BY_ONE = "here a request is made as soon as one is complete"
# Options that change when requests are made: the job is run without them, and the difference is said.
SIMPLIFIED = {
    "iodepth_batch": Limit(_OFF, f"fio hands requests over in groups; {_ONE_BY_ONE}", ""),
    "iodepth_batch_complete_max": Limit(_OFF | {"1"}, f"fio waits for groups of requests; {_ONE_BY_ONE}", ""),
    "iodepth_batch_complete_min": Limit(_OFF | {"1"}, f"fio waits for groups of requests; {_ONE_BY_ONE}", ""),
    "iodepth_low": Limit(_OFF, f"fio lets the queue run down to this depth; {_ONE_BY_ONE}", ""),
    "serialize_overlap": Limit(_OFF, "fio holds requests back that overlap; here they go to the SSD together", ""),
}  # fmt: skip

# Engines that move data between the host and a file or device. Others measure a network, a processor, a file system.
DATA_ENGINES = frozenset({
    "cpp_null", "dev-dax", "dfs", "external", "gfapi", "gfapi_async", "http", "ime_aio", "ime_psync", "ime_psyncv",
    "io_uring", "io_uring_cmd", "libaio", "libblkio", "libcufile", "libhdfs", "libhipfile", "libiscsi", "libpmem",
    "libzbc", "mmap", "mtd", "nbd", "nfs", "null", "pmemblk", "posixaio", "psync", "pvsync", "pvsync2", "rados", "rbd",
    "sg", "solarisaio", "splice", "sync", "vsync", "windowsaio", "xnvme",
})  # fmt: skip
# Those of them that complete a request before they take the next one (`FIO_SYNCIO`); others queue it.
ENGINES_WITHOUT_QUEUE = frozenset({
    "dev-dax", "gfapi", "http", "ime_psync", "libcufile", "libhdfs", "libhipfile", "libpmem", "libzbc", "mmap", "mtd",
    "pmemblk", "psync", "pvsync", "pvsync2", "splice", "sync",
})  # fmt: skip
# Those that read and write through the page cache of the kernel, unless a job says direct=1.
ENGINES_OF_THE_KERNEL = frozenset({
    "io_uring", "libaio", "mmap", "posixaio", "psync", "pvsync", "pvsync2", "solarisaio", "splice", "sync", "vsync",
    "windowsaio",
})  # fmt: skip
# Options that say whether the page cache is used: it is not simulated, and a job that uses it is told so.
OF_THE_PAGE_CACHE = frozenset({"buffered", "direct"})
# Engines that do nothing: they queue requests at a depth above 1.
IDLE_ENGINES = frozenset({"cpp_null", "null"})
OTHER_ENGINES = frozenset({
    "cpuio", "dircreate", "dirdelete", "dirstat", "e4defrag", "exec", "falloc", "filecreate", "filedelete",
    "fileoperations", "filestat", "ftruncate", "net", "netsplice", "page_fault", "rdma",
})  # fmt: skip
# Options of those engines.
OF_OTHER_ENGINES = frozenset({
    "arguments", "bindname", "cpuchunks", "cpuload", "cpumode", "donorname", "exit_on_io_done", "grace_time", "inplace",
    "interface", "listen", "mss", "nodelay", "pingpong", "program", "protocol", "stat_type", "std_redirect", "ttl",
    "verb", "window_size",
})  # fmt: skip


def canonical(name: str) -> str:
    """Returns an option's name, for one that has two."""
    return ALIASES.get(name, name)


def reasons() -> Iterator[tuple[str, str]]:
    """Returns each option that changes no request, with the reason."""
    return ((name, reason) for reason, names in CHANGES_NOTHING.items() for name in names)


NOTHING = dict(reasons())


def known() -> frozenset[str]:
    """Returns the name of each option that is known here."""
    return frozenset(
        {*ALIASES, *HONOURED, *OF_THE_PAGE_CACHE, *NOTHING, *REFUSED, *SIMPLIFIED, *OF_OTHER_ENGINES, *OF_ZONES}
    )
