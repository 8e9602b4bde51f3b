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
        keys: Which.
        happened: Whether it did in a run.
        reason: Why they had no effect, if not.
        fix: What makes them act, or a function of the run that says it.
    """

    keys: re.Pattern[str]
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


def _generated(run: Run) -> bool:
    return any("workload" in each for each in run.document["workload"]["flows"])


def _rule(keys: str, happened: Callable[[Run], bool], reason: str, fix: str | Callable[[Run], str]) -> Rule:
    return Rule(re.compile(keys), happened, reason, fix)


def _use_it(run: Run) -> str:
    """How a drive comes to be used that is not; what is set already is no advice."""
    wanted = [f"{key}=1" for key in ("precondition.fill", "precondition.overwrite") if not _is_one(run.config[key])]
    return f"write more, or begin with a used drive: {' and '.join(wanted)}" if wanted else "write more"


def _is_one(value: float | str) -> bool:
    """Whether a drive is filled, or overwritten as often as it holds, or until it is steady."""
    return value == "steady" if isinstance(value, str) else value >= 1.0


NO_QUEUE_WAITS = (
    "the device takes all outstanding requests at once, so no queue waits; "
    "set host.device_queue_depth below the sum of the flows' depths"
)

RULES = (
    _rule(r"gc\..*|ssd\.overprovisioning", _collected, "no block was collected", _use_it),
    _rule(
        r"wear\.(policy|static_threshold)", lambda run: run.count("ftl.wear_jobs") > 0, "no block was levelled", _use_it
    ),
    _rule(
        r"refresh\..*",
        lambda run: run.count("ftl.refresh_jobs", "ftl.read_reclaim_jobs") > 0,
        "no data was due for a refresh",
        "run longer, or give the data an age with reliability.retention_months",
    ),
    _rule(
        r"erase\..*",
        lambda run: run.count("controller.erases") > 0,
        "no block was erased",
        _use_it,
    ),
    _rule(
        r"reliability\.pec",
        _has_chip,
        "the SSD has no chip whose cells wear (cells.chip = none)",
        "name one, such as cells.chip=tlc-48l",
    ),
    _rule(
        r"reliability\.retention_months",
        _aged,
        "the SSD has no chip whose data ages (cells.chip = none)",
        "name one, such as cells.chip=tlc-48l",
    ),
    _rule(
        r"read\..*",
        _can_fail,
        "no read can fail without a chip (cells.chip = none)",
        "name one, such as cells.chip=tlc-48l",
    ),
    _rule(
        r"host\.queue_depth",
        _take_the_depth,
        "no flow sends its requests by this depth: they come at their own times, or with a depth of their own",
        "host.mode=closed ignores the times",
    ),
    _rule(
        r"host\.time_scale",
        lambda run: run.replays is None or any(kind != "closed" for kind, _ in run.replays),
        "no request comes at a time of its own (closed loop)",
        "host.mode=open",
    ),
    _rule(
        r"host\.arbitration",
        _queues_wait,
        *NO_QUEUE_WAITS.split("; "),
    ),
    _rule(
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
        if rule.keys.fullmatch(key) and not rule.happened(run):
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
            yield f"{key}: {NO_QUEUE_WAITS}"
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
        idle = [key for key in given if rule.keys.fullmatch(key) and f"`{key}`" not in switched_off]
        if idle and not rule.happened(run):
            place = str(given[idle[0]])
            keys = ", ".join(f"`{key}`" for key in idle)
            idle_settings.append(f"{place}: {keys} had no effect: {rule.told(run)}")
    return [*idle_settings, *_warnings_of_flows(run, switched_off)]
