"""Keys that were set for a run and that nothing in it asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..config import Config

__all__ = ["reason_of", "warnings_of_keys"]

Replays = Sequence[tuple[str, int | None]]
"""How each flow sends its requests: `open`, `closed` or `paced`, and the most that are outstanding of the last two."""


@dataclass(frozen=True)
class Run:
    """What a run was, and what it did."""

    config: Mapping[str, Any] | Config
    document: Mapping[str, Any]
    replays: Replays | None

    def count(self, *names: str) -> int:
        """Returns the sum of counters, by part and name, such as `ftl.gc_jobs`."""
        parts = (name.split(".") for name in names)
        return sum(self.document["counters"][part][name] for part, name in parts)


@dataclass(frozen=True)
class Rule:
    """Keys that act only where something happened.

    Attributes:
        keys: Which, as a regular expression.
        happened: Whether it did in a run.
        reason: Why they had no effect, if not.
        fix: What makes them act, or a function of the run that says it.
    """

    keys: str
    happened: Callable[[Run], bool]
    reason: str
    fix: str | Callable[[Run], str]

    def told(self, run: Run) -> str:
        """The reason and the fix."""
        return f"{self.reason}; {self.fix if isinstance(self.fix, str) else self.fix(run)}"


def _collected(run: Run) -> bool:
    return run.count("ftl.gc_jobs") > 0 or run.document["precondition"]["erases"] > 0


def _has_chip(run: Run) -> bool:
    return bool(run.config["cells.chip"] != "none")


def _aged(run: Run) -> bool:
    return _has_chip(run) or run.count("ftl.refresh_jobs") > 0


def _can_fail(run: Run) -> bool:
    return _has_chip(run) or bool(run.config["reliability.retry_steps"] > 0)


def _queues_wait(run: Run) -> bool:
    if run.replays is None:
        return True
    depths = [depth for _, depth in run.replays]
    known = [depth for depth in depths if depth is not None]
    return len(known) < len(depths) or bool(sum(known) > run.config["host.device_queue_depth"])


def _take_the_depth(run: Run) -> bool:
    return run.replays is None or any(
        kind != "open" and each["queue_depth"] is None
        for (kind, _), each in zip(run.replays, run.document["workload"]["flows"], strict=True)
    )


def _has_a_choice(run: Run) -> bool:
    """Whether a die can have had work of several kinds before it: of operations, of their reasons, or of priorities."""
    kinds = sum(run.count(f"controller.{kind}") > 0 for kind in ("reads", "programs", "erases", "adjusts"))
    inner = run.count("ftl.map_reads", "ftl.merge_reads", "ftl.moved", "ftl.rewrites")
    return kinds > 1 or inner > 0 or len({flow["priority"] for flow in run.document["workload"]["flows"]}) > 1


def _generated(run: Run) -> bool:
    return any("workload" in each for each in run.document["workload"]["flows"])


def _counted(keys: str, counters: str, reason: str, fix: str | Callable[[Run], str]) -> Rule:
    """Keys that act only where one of some counters is not 0."""
    return Rule(keys, lambda run: run.count(*counters.split()) > 0, reason, fix)


def _use_it(run: Run) -> str:
    """How a drive comes to be used that is not; what is set already is no advice."""
    wanted = [f"{key}=1" for key in ("precondition.fill", "precondition.overwrite") if not _is_one(run.config[key])]
    if len(wanted) == 2:
        return "write more, or begin with a used drive: --steady, or precondition.fill=1 and precondition.overwrite=1"
    return f"write more, or begin with a used drive: {' and '.join(wanted)}" if wanted else "write more"


def _is_one(value: float | str) -> bool:
    """Whether a drive is filled, or overwritten as often as it holds, or until it is steady."""
    return value == "steady" if isinstance(value, str) else value >= 1.0


# Reason and fix.
NO_QUEUE_WAITS = (
    "the device takes all outstanding requests at once, so no queue waits",
    "set host.device_queue_depth below the sum of the flows' depths",
)

RULES = (
    Rule(r"gc\..*|ssd\.overprovisioning", _collected, "no block was collected", _use_it),
    _counted(r"wear\.(policy|static_threshold)", "ftl.wear_jobs", "no block was levelled", _use_it),
    _counted(
        r"slc\.(victim|emptying_share|copyback|idle_ms|fold_above|erase_us|wear)",
        "ftl.fold_jobs",
        "nothing was folded",
        "write more, let the host pause, or fold earlier",
    ),
    Rule(
        r"slc\..*",
        lambda run: run.config["slc.policy"] == "off" or run.count("ftl.slc_writes") > 0,
        "nothing was written to an SLC cache",
        "write more",
    ),
    _counted(
        r"refresh\..*|coding\.(policy|ida_.*)",
        "ftl.refresh_jobs ftl.read_reclaim_jobs",
        "no data was due for a refresh",
        "run longer, or give the data an age with reliability.retention_months",
    ),
    _counted(
        r"erase\..*|nand\.erase_us|channel\.erase_command.*|reliability\.grown_bad",
        "controller.erases",
        "no block was erased",
        _use_it,
    ),
    _counted(
        r"nand\.(program_us|program_wordline_us|program_spread|max_programs)|channel\.program_command.*|program\.(suspend|suspend_every_us|write_streams)",
        "controller.programs",
        "no page was programmed",
        "let requests write, past the cache",
    ),
    Rule(
        r"nand\.program_us",
        lambda run: run.config["program.unit"] == "page" or run.config["nand.program_wordline_us"] == 0,
        "programs are of whole wordlines",
        "set nand.program_wordline_us",
    ),
    _counted(
        r"nand\.read_us|channel\.read_command.*",
        "controller.reads",
        "no page was read from flash",
        "let requests read, past the cache",
    ),
    _counted(
        r"nand\.(program_suspend|erase_suspend|resume)_us",
        "controller.suspends",
        "nothing was suspended",
        "mix reads with writes, and set program.suspend=true, or erase.yield",
    ),
    _counted(
        r"program\.suspend_loaded",
        "controller.loaded_suspends",
        "no program was suspended whose successor was loaded",
        "mix reads with many writes, with nand.cache_register=true",
    ),
    _counted(r"(nand|channel)\.reset_.*", "controller.resets", "no read was reset", "read.retry=pr2 does so"),
    _counted(
        r"(nand|channel)\.set_feature_.*", "controller.set_features", "no feature was set", "read.retry=ar2 does so"
    ),
    _counted(
        r"channel\.retry_command_ns|ecc\.decode_fail_us",
        "controller.retry_senses controller.failed_decodes",
        "every read decoded at once",
        "give the cells wear and age: reliability.pec, reliability.retention_months",
    ),
    _counted(
        r"reliability\.retry_steps",
        "controller.retry_senses",
        "no read was done again",
        "let requests read, and set read.retry=baseline: ideal senses once, at the right voltages",
    ),
    Rule(
        r"ftl\.unmapped_read|controller\.command_read_ns",
        lambda run: run.document["requests"]["read"] > 0,
        "no request read",
        "let requests read",
    ),
    _counted(r"metrics\.lost_reads", "controller.uncorrectable_pages", "every read was decoded", "leave it out"),
    Rule(
        r"schedule\.(policy|max_wait_us|max_read_burst|urgent_read_burst)",
        _has_a_choice,
        "all work on flash was of one kind, in which there is nothing to prefer",
        "mix reads and writes",
    ),
    Rule(
        r"ecc\.(engine|buffer_pages|hold_die)",
        lambda run: bool(run.document["ecc_utilisation"]),
        "decoding took no time",
        "set ecc.decode_us, and ecc.engine",
    ),
    Rule(
        r"ecc\.(code|correctable_bits|max_iterations)",
        _can_fail,
        "no read can fail without a chip (cells.chip = none)",
        "name one, such as cells.chip=tlc-48l",
    ),
    Rule(
        r"controller\.cores",
        lambda run: any(
            run.config[f"controller.{key}"]
            for key in ("command_ns", "command_read_ns", "command_write_ns", "batch_write_ns", "sector_ns", "unit_ns")
        ),
        "the controller takes no time",
        "set controller.command_ns",
    ),
    Rule(
        r"host\.cores",
        lambda run: any(run.config[f"host.{key}"] for key in ("job_ns", "reap_ns", "switch_ns")),
        "jobs take no time of a processor",
        "set host.job_ns and host.reap_ns",
    ),
    Rule(
        r"host\.switch_ns",
        lambda run: len(run.document["workload"]["flows"]) > 1,
        "a single job has the processors",
        "add flows",
    ),
    Rule(
        r"host\.link_request_ns|controller\.(command|batch)_write_ns|cache\.(flush.*|write_back|high_watermark|low_watermark|fill_wait_us|hot_window_ms)",
        lambda run: run.document["requests"]["write"] > 0,
        "no request wrote",
        "let requests write",
    ),
    Rule(
        r"host\.duration_s",
        lambda run: bool(run.document["simulated_s"] >= run.config["host.duration_s"]),
        "the requests ended before",
        "send more of them",
    ),
    Rule(
        r"power\.off_h|journal\.load",
        lambda run: run.document["power"] is not None,
        "power was not lost",
        "set power.cut_at_s",
    ),
    Rule(
        # Without backup power a journal keeps the copies before those that are on their way.
        r"power\.protected",
        lambda run: run.document["power"] is not None or run.config["journal.mode"] == "on",
        "power was not lost",
        "set power.cut_at_s",
    ),
    Rule(
        r"journal\.on_flush",
        lambda run: run.document["requests"]["flush"] > 0,
        "the host flushed nothing",
        "let it send flushes: fsync of an fio job, or a trace that has them",
    ),
    _counted(
        r"journal\.(mode|entry_bytes|share|timeout_ms)",
        "ftl.journal_writes",
        "no unit of the journal was written",
        "write more",
    ),
    Rule(
        r"gc\.pacing",
        lambda run: run.config["gc.pacing"] == "off" or not _collected(run) or run.count("ftl.paced_writes") > 0,
        "no write had to wait for it",
        "write more at a time to a used drive, or set gc.preemptible = true",
    ),
    Rule(
        r"ftl\.open_timeout_ms",
        lambda run: run.count("ftl.closed_groups") > run.count("ftl.closed_on_request"),
        "no open group waited for so long while free blocks were enough",
        "shorten it, let the host pause, or lower gc.threshold",
    ),
    Rule(
        r"ftl\.streams",
        lambda run: len(run.document["workload"]["flows"]) > 1 or run.config["ftl.placement"] != "flow",
        "a single flow fills a single stream (ftl.placement = flow)",
        "add flows, or set ftl.placement",
    ),
    Rule(
        r"reliability\.pec",
        _has_chip,
        "the SSD has no chip whose cells wear (cells.chip = none)",
        "name one, such as cells.chip=tlc-48l",
    ),
    Rule(
        r"reliability\.retention_months",
        _aged,
        "the SSD has no chip whose data ages (cells.chip = none)",
        "name one, such as cells.chip=tlc-48l",
    ),
    Rule(
        r"read\..*",
        _can_fail,
        "no read can fail without a chip (cells.chip = none)",
        "name one, such as cells.chip=tlc-48l",
    ),
    Rule(
        r"host\.queue_depth",
        _take_the_depth,
        "no flow sends its requests by this depth: they come at their own times, or with a depth of their own",
        "host.mode=closed ignores the times",
    ),
    Rule(
        r"host\.time_scale",
        lambda run: run.replays is None or any(kind != "closed" for kind, _ in run.replays),
        "no request comes at a time of its own (closed loop)",
        "host.mode=open",
    ),
    Rule(
        r"host\.(arbitration|device_queue_depth)",
        _queues_wait,
        *NO_QUEUE_WAITS,
    ),
    Rule(
        r"workload\..*",
        _generated,
        "the requests come from a trace or a job file, not from [workload]",
        "leave it out",
    ),
)


def reason_of(key: str, config: Mapping[str, Any] | Config, document: Mapping[str, Any]) -> str:
    """Returns why a key had no effect in a run, and the fix; empty if the result does not tell of one."""
    run = Run(config, document, None)
    for rule in RULES:
        if re.fullmatch(rule.keys, key) and not rule.happened(run):
            return rule.told(run)
    return ""


def _warnings_of_flows(run: Run, switched_off: str) -> Iterator[str]:
    """Settings of flows that nothing asked for."""
    flows = run.document["workload"]["flows"]
    weights = {each["weight"] for each in flows}
    if weights != {1}:
        key = f"weight of {', '.join(each['flow'] for each in flows if each['weight'] != 1)} had no effect"
        if len(weights) == 1:
            yield f"{key}: all flows have the same; give them different ones"
        elif run.config["host.arbitration"] != "weighted":
            yield f"{key}: the device takes requests of all flows in turn; host.arbitration=weighted looks at it"
        elif not _queues_wait(run):
            yield f"{key}: {'; '.join(NO_QUEUE_WAITS)}"
    by_priority = run.config["schedule.policy"] == "mqsim-priority-out-of-order"
    # MQSim's files have a message of their own, which names the lines.
    if len({each["priority"] for each in flows}) > 1 and not by_priority and "Priority_Class" not in switched_off:
        yield (
            f"priority of the flows had no effect: schedule.policy = {run.config['schedule.policy']} looks at none; "
            "mqsim-priority-out-of-order does"
        )


def warnings_of_keys(
    config: Config, document: Mapping[str, Any], replays: Iterable[tuple[str, int | None]]
) -> list[str]:
    """Returns a line for each reason why keys, or settings of flows, that the user set had no effect in a run."""
    run = Run(config, document, tuple(replays))
    given = config.given()
    switched_off = " ".join(config.warnings)
    idle_settings = []
    for rule in RULES:
        idle = [key for key in given if re.fullmatch(rule.keys, key) and f"`{key}`" not in switched_off]
        if idle and not rule.happened(run):
            place = str(given[idle[0]])
            keys = ", ".join(f"`{key}`" for key in idle)
            idle_settings.append(f"{place}: {keys} had no effect: {rule.told(run)}")
    return [*idle_settings, *_warnings_of_flows(run, switched_off)]
