"""Converts MQSim's file pairs to runs: the arguments of `wordline.run` for each scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..config import Config, Layer, preset
from ..workload import Flow, Trace, Workload, trace
from . import MqsimFlow, MqsimWarning, Scenario, load

__all__ = ["MqsimRun", "runs"]


class MqsimRun(NamedTuple):
    """One scenario.

    Attributes:
        name: `scenario1`, `scenario2`, and so on.
        config: The preset `mqsim` with the settings of the files on top.
        flows: Its flows, each with its own address range.
        warnings: Every key that has no meaning here, or another one.
    """

    name: str
    config: Config
    flows: list[Flow]
    warnings: list[MqsimWarning]


def runs(
    ssdconfig: Path | str,
    workload_file: Path | str,
    assignments: Iterable[str] = (),
    reading: Mapping[str, Any] | None = None,
) -> list[MqsimRun]:
    """Reads a pair; `assignments` such as `"gc.policy=fifo"` apply to every scenario.

    `reading` are options of `wordline.trace` for all traces, such as `on_time_back="clamp"`.

    Raises:
        MqsimError: See `wordline.mqsim.load`.
        ConfigError: The device or an assignment is invalid here.
        TraceError: A trace of which only a part is replayed cannot be read.
    """
    scenarios = load(ssdconfig, workload_file)
    return [_run(scenario, str(workload_file), tuple(assignments), dict(reading or {})) for scenario in scenarios]


def _run(scenario: Scenario, file: str, assignments: tuple[str, ...], reading: dict[str, Any]) -> MqsimRun:
    # The text combines two files: its own line numbers have no meaning, its comments name those of the files.
    layer = Layer(f"{scenario.name} of {file}", scenario.layer, has_lines=False)
    config = Config([*preset("mqsim").layers, layer])
    if assignments:
        config = config.assign(*assignments)
    # Assignments to [workload] apply to every synthetic flow.
    keys = (text.partition("=")[0].strip() for text in assignments)
    assigned = {key.removeprefix("workload.") for key in keys if key.startswith("workload.")}
    return MqsimRun(
        scenario.name, config, [_flow(flow, assigned, reading) for flow in scenario.flows], scenario.warnings
    )


def _flow(read: MqsimFlow, assigned: set[str], reading: dict[str, Any]) -> Flow:
    workload = read.flow.workload
    if isinstance(workload, Workload):
        settings = {key: value for key, value in workload.settings if key not in assigned}
        return replace(read.flow, workload=Workload(None, tuple(settings.items())))
    if not isinstance(workload, Trace):
        return read.flow
    replayed = trace(workload.paths, **{**dict(workload.options), **reading})
    if read.share < 1.0:
        # As in MQSim: a share of the lines, rounded down.
        limit = max(1, int(replayed.stat()["requests"] * read.share))
        replayed = trace(replayed.paths, **{**dict(replayed.options), "limit": limit})
    return replace(read.flow, workload=replayed)
