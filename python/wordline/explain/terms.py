"""The field's terms: for each the keys, the columns and the page that it leads to, and a command that shows it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TERMS", "Answer"]


class Answer(NamedTuple):
    """Where a question is answered.

    Attributes:
        name: What is asked.
        words: Words, beginnings of them, or several words together, by which one may ask for it.
        command: The command that answers it.
        page: The page about it, below `docs`.
        keys: The keys that decide it.
        columns: The numbers of a result that show it, as `--columns` takes them.
    """

    name: str
    words: tuple[str, ...]
    command: str
    page: str
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


TERMS = (
    Answer(
        "How long a drive lasts: TBW, DWPD, years",
        ("tbw", "dwpd", "endur", "lifetime", "lifespan", "last", "drive writes", "year", "warranty"),
        "wordline run … --out DIR, then wordline lifetime DIR",
        "how-to/lifetime.md",
        keys=("reliability.pec",),
        columns=("wa",),
    ),
    Answer(
        "Write amplification",
        ("waf", "wa", "amplification", "write amplification", "write amp"),
        "the line WA of wordline run, or wordline compare … --columns wa,written_bytes.by_cause.gc",
        "how-to/certainty.md",
        keys=("ssd.overprovisioning", "gc.policy", "ftl.unit_bytes"),
        columns=("wa", "written_bytes.by_cause.gc"),
    ),
    Answer(
        "A drive that is used, and its steady state",
        (
            "used",
            "aged",
            "aging",
            "ageing",
            "preconditioning",
            "used drive",
            "steady",
            "steady state",
            "warm up",
            "warmup",
        ),
        "wordline run … --steady; wordline pts for SNIA's test",
        "how-to/used-drive.md",
        keys=("precondition.fill", "precondition.overwrite", "host.warmup_requests"),
        columns=("precondition.steady.write_amplification",),
    ),
    Answer(
        "Garbage collection",
        ("gc", "garbage", "collection", "victim", "garbage collection", "cleaning"),
        "wordline compare … --set gc.policy=greedy,cost-benefit,fifo; wordline explain gc",
        "questions.md",
        keys=("gc.policy", "gc.threshold", "gc.preemptible", "gc.pacing"),
        columns=("written_bytes.by_cause.gc", "counters.ftl.gc_jobs"),
    ),
    Answer(
        "A share of the load that a drive serves at most",
        ("load", "utilisation", "utilization", "saturat", "headroom", "maximum", "offered load", "arrival rate"),
        "wordline run PRESET … --load 60%, or wordline compare … --load 30%,60%,90%",
        "how-to/my-workload.md",
        keys=("host.mode", "workload.inter_arrival_us", "host.queue_depth"),
        columns=("iops", "die_utilisation.mean"),
    ),
    Answer(
        "A trace",
        ("trace", "blktrace", "workload"),
        "wordline trace stat FILE, then wordline run PRESET --trace FILE; wordline workloads for made-up ones",
        "how-to/my-trace.md",
    ),
    Answer(
        "Rates: IOPS and bandwidth",
        ("iops", "bandwidth", "throughput", "mb", "limit", "bottleneck"),
        "the first lines of wordline run; wordline explain limits PRESET for what each part allows",
        "validation/drives.md",
        columns=("iops", "bandwidth"),
    ),
    Answer(
        "What slow reads wait for",
        (
            "tail",
            "latency",
            "latencies",
            "percentile",
            "qos",
            "p50",
            "p90",
            "p95",
            "p99",
            "p999",
            "tail latency",
            "read latency",
            "slow reads",
            "response time",
        ),
        "wordline compare … --columns read.p99.9; wordline explain waits for one in a million",
        "how-to/read-waits.md",
        keys=("schedule.policy", "program.suspend", "erase.yield"),
        columns=("read.p99", "read.p99.9", "read_breakdown_us.queue"),
    ),
    Answer(
        "A drive of mine",
        ("fit", "calibrat", "measured", "my drive"),
        "wordline compare PRESET --against MEASURED; wordline fit MEASURED",
        "how-to/fit.md",
    ),
    Answer(
        "How certain a number is",
        ("confidence", "interval", "significan", "error bar"),
        'wordline run … --until "read.p99 ±5%"',
        "how-to/certainty.md",
    ),
    Answer(
        "How far to trust it",
        ("trust", "accura", "validat", "credib", "believ", "realistic"),
        "wordline explain PRESET for the error of its fit; wordline compare PRESET --against MEASURED for yours",
        "validation.md",
    ),
    Answer(
        "Several programs on one drive",
        ("tenant", "noisy", "neighbour", "neighbor", "isolation", "namespace", "fairness"),
        "wordline run PRESET examples/tenants.toml --alone, a file of flows; or -w ycsb/a -w fio/random-write",
        "how-to/tenants.md",
        keys=("host.arbitration",),
    ),
    Answer(
        "Read retries",
        ("read retry", "retry", "read error", "retry step"),
        "wordline compare pnar2 … --set read.retry=baseline,pnar2,sentinel,rif; wordline explain read draws one read",
        "techniques/pr2-ar2.md",
        keys=("read.retry", "reliability.pec", "reliability.retention_months", "cells.chip"),
        columns=("read_retry.first_failure_share", "read_retry.mean_steps", "read.p99"),
    ),
    Answer(
        "Wear and age: P/E cycles, retention, read disturb",
        ("p/e cycle", "p/e", "program/erase cycle", "cycle", "retention", "worn", "wearout", "wear out", "disturb"),
        "wordline compare pnar2 … --set reliability.pec=0,1000 --set reliability.retention_months=0,3",
        "model.md",
        keys=(
            "reliability.pec",
            "reliability.retention_months",
            "reliability.read_disturb",
            "reliability.temperature_c",
        ),
        columns=("read_retry.mean_steps", "requests.lost"),
    ),
    Answer(
        "Wear levelling and bad blocks",
        ("wear levelling", "bad block", "levelling"),
        "wordline compare … --set wear.static_threshold=0,2 --columns wa,counters.ftl.wear_jobs",
        "how-to/wear.md",
        keys=(
            "wear.policy",
            "wear.static_threshold",
            "wear.dynamic",
            "reliability.factory_bad",
            "reliability.grown_bad",
        ),
        columns=("counters.ftl.wear_jobs", "written_bytes.by_cause.wear_levelling"),
    ),
    Answer(
        "Spare flash: over-provisioning",
        ("spare", "spare area"),
        "wordline compare … --steady --load 50% --set ssd.overprovisioning=7%,13%,28% --at-most read.p99.9=300us",
        "questions.md",
        keys=("ssd.overprovisioning", "ssd.capacity"),
        columns=("wa", "read.p99.9"),
    ),
    Answer(
        "A bound: the first setting that meets it",
        ("slo", "sla", "bound", "latency bound", "p99.9 bound", "requirement", "target"),
        "wordline compare … --load 50% --set KEY=A,B,C --at-most read.p99.9=300us; --at-least iops=100k",
        "questions.md",
        keys=("ssd.overprovisioning", "host.queue_depth"),
        columns=("read.p99.9", "iops"),
    ),
    Answer(
        "The mapping table and its unit",
        ("mapping", "mapping table", "mapping unit", "indirection unit", "l2p", "dftl", "ftl"),
        "wordline compare … --set ftl.unit_bytes=0,4096 --columns wa,iops",
        "how-to/mapping-unit.md",
        keys=("ftl.unit_bytes", "ftl.mapping", "ftl.cmt_bytes", "ftl.entry_bytes"),
        columns=("counters.ftl.map_misses", "written_bytes.by_cause.mapping"),
    ),
    Answer(
        "An SLC cache",
        ("slc", "slc cache", "pslc", "write buffer", "turbowrite", "folding"),
        "wordline run consumer-tlc … -w fio/sequential-write, and with --set slc.policy=off",
        "how-to/slc-cache.md",
        keys=("slc.policy", "slc.static_blocks", "slc.dynamic_share", "slc.fold_above"),
        columns=("counters.ftl.slc_writes", "written_bytes.by_cause.folding"),
    ),
    Answer(
        "The DRAM cache and a loss of power",
        ("write cache", "dram cache", "power loss", "plp", "sudden power", "fsync"),
        "wordline run … --set power.cut_at_s=1, and with power.protected=true",
        "how-to/power-loss.md",
        keys=("cache.mode", "cache.capacity_bytes", "cache.flush", "power.protected", "journal.mode"),
        columns=("counters.cache.write_hits", "power.cut.lost_bytes"),
    ),
    Answer(
        "Placement of data: FDP, streams, hints",
        ("fdp", "placement", "data placement", "ruh", "reclaim unit", "stream", "hint", "multi stream"),
        "wordline compare DRIVE.toml JOB --placement plain,hints,fdp-ii,fdp-pi",
        "how-to/fdp.md",
        keys=("ftl.placement", "ftl.streams", "fdp.handles", "fdp.isolation"),
        columns=("wa",),
    ),
    Answer(
        "Zones",
        ("zone", "zns", "zoned", "zone append"),
        "wordline run wd-zn540-1tb examples/zones.fio --scale 1/64",
        "how-to/zones.md",
        keys=("zones.mode", "zones.capacity_bytes", "zones.max_open", "zones.max_active"),
    ),
    Answer(
        "Superblocks and parity",
        ("superblock", "raid", "rain", "parity", "stripe"),
        "wordline compare … --set ftl.group=planes,superblock --columns iops,wa,write.p99.9",
        "how-to/superblocks.md",
        keys=("ftl.group", "ftl.parity"),
        columns=("written_bytes.by_cause.parity", "counters.ftl.parity_rebuilds"),
    ),
    Answer(
        "Suspended programs and erases",
        ("suspend", "suspension", "program suspend", "erase suspend", "preemption"),
        "wordline compare … --set program.suspend=true,false --columns read.p99,read.p99.9",
        "how-to/read-waits.md",
        keys=("program.suspend", "erase.yield", "schedule.max_suspends", "nand.program_suspend_us"),
        columns=("counters.controller.suspends", "read.p99.9"),
    ),
    Answer(
        "Errors and their correction: ECC, RBER",
        ("ecc", "ldpc", "rber", "bit error", "error correction", "uncorrectable"),
        "wordline characterize draws the cells' errors; wordline explain read the read of one page",
        "reference/ecc.md",
        keys=("ecc.engine", "ecc.code", "ecc.correctable_bits", "ecc.decode_us"),
        columns=("counters.controller.failed_decodes", "requests.lost"),
    ),
    Answer(
        "Refresh of old data",
        ("refresh", "scrub", "patrol read", "read reclaim"),
        "wordline compare … --set refresh.period_days=0,30 --columns wa,counters.ftl.refresh_jobs",
        "techniques/ida.md",
        keys=("refresh.policy", "refresh.period_days", "refresh.reclaim_reads", "refresh.at_start"),
        columns=("counters.ftl.refresh_jobs", "written_bytes.by_cause.refresh"),
    ),
    Answer(
        "Trims",
        ("trim", "discard", "deallocate", "unmap"),
        "wordline run … --set workload.trim_ratio=0.1; fio's rw=trim and traces have them, too",
        "how-to/my-workload.md",
        keys=("workload.trim_ratio",),
        columns=("counters.ftl.trimmed",),
    ),
    Answer(
        "Flash and its geometry: channels, dies, planes",
        ("geometry", "parallelism", "die", "lun", "way", "plane", "channel", "capacity", "nand"),
        "wordline explain PRESET --key ssd; wordline explain limits PRESET",
        "how-to/drive-size.md",
        keys=("ssd.channels", "ssd.chips_per_channel", "ssd.dies_per_chip", "ssd.planes_per_die", "ssd.capacity"),
        columns=("die_utilisation.mean", "channel_time.mean.idle"),
    ),
)
