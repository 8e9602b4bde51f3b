"""The constants of other simulators in place of the table, and how wrong they are.

BLIS (`kv_offload_devices` of its `defaults.yaml`; bytes/us and us): a transfer takes `base_latency` and bytes over
bandwidth. Bandwidth rises in a line with the transfers in service, from `single_transfer_fraction` of the whole for one
to the whole for `saturation_queue_depth`. It is that of each transfer: more of them never slow each other down.

aisimulate (`g3_offload`; ms and decimal GB/s): a transfer waits `latency_to_first_byte_ms`, then it shares the
bandwidth with the others.

Read at commit f90a1e3a of inference-sim/inference-sim (`sim/kvtransfer/station.go`), and from the reference of
ai-dynamo/aisimulate (12.2.1, "Optional G3 offload").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median
from typing import Any, Final

from ..errors import ConfigError

__all__ = ["FORMS", "Form", "form_of"]

Row = dict[str, Any]
SATURATED: Final = 0.95
"""A depth saturates the drive if it has this share of the largest bandwidth."""
NORMAL_P99: Final = 2.326
"""The 99th percentile of the normal distribution, in standard deviations."""
US_PER_MS: Final = 1000.0
MB_PER_GB: Final = 1000.0


@dataclass(frozen=True)
class Form:
    """Keys of another simulator, and the error of its form on the table.

    Attributes:
        name: Of the simulator.
        keys: Its keys with their values.
        error_mean: Mean relative error of the mean time of a transfer, over all cells of reads or writes alone.
        error_max: The largest one.
        cells: How many cells that are.
    """

    name: str
    keys: dict[str, float | int]
    error_mean: float
    error_max: float
    cells: int

    def text(self) -> str:
        """Returns it as YAML, as its simulator reads it."""
        head = {
            "blis": "# kv_offload_devices of BLIS: bytes/us and us.\nkv_offload_devices:\n  wordline:\n",
            "aisimulate": "# g3_offload of aisimulate: ms and decimal GB/s.\ng3_offload:\n",
        }[self.name]
        indent = "    " if self.name == "blis" else "  "
        lines = "".join(f"{indent}{key}: {value:.6g}\n" for key, value in self.keys.items())
        error = (
            f"# Time of a transfer in this form: {self.error_mean:.0%} off in the mean, {self.error_max:.0%} at most, "
            f"over {self.cells} cells of the table.\n"
        )
        return head + lines + error


def form_of(name: str, rows: Sequence[Row], state: str) -> Form:
    """Returns the keys of a simulator for a drive in one state.

    Raises:
        ConfigError: The simulator is unknown, or the table lacks reads alone or writes alone.
    """
    if name not in FORMS:
        raise ConfigError(f"--for {name}: unknown; take {', '.join(FORMS)}")
    reads = [row for row in rows if row["state"] == state and row["read_share"] == 1]
    writes = [row for row in rows if row["state"] == state and row["read_share"] == 0]
    if not reads or not writes:
        raise ConfigError(f"--for {name}: the table needs reads alone and writes alone: --reads with 100 and 0")
    keys, time_us = FORMS[name](reads, writes)
    errors = [
        abs(time_us(op, row["size_bytes"], row["depth"]) / row[f"{op}_mean_us"] - 1)
        for op, own in (("read", reads), ("write", writes))
        for row in own
        if row[f"{op}_mean_us"]
    ]
    return Form(name, keys, sum(errors) / len(errors), max(errors), len(errors))


Time = Callable[[str, int, int], float]
"""Operation, bytes and depth to the time of a transfer, us."""


def _blis(reads: Sequence[Row], writes: Sequence[Row]) -> tuple[dict[str, float | int], Time]:
    peak = {op: max(row["bandwidth_mb_s"] for row in rows) for op, rows in (("read", reads), ("write", writes))}
    largest = [row for row in reads if row["size_bytes"] == max(row["size_bytes"] for row in reads)]
    largest.sort(key=lambda row: row["depth"])
    depth = next(row["depth"] for row in largest if row["bandwidth_mb_s"] >= SATURATED * largest[-1]["bandwidth_mb_s"])
    fraction = min(1.0, largest[0]["bandwidth_mb_s"] / peak["read"])
    alone = [row for row in reads if row["depth"] == min(row["depth"] for row in reads)]
    smallest = min(alone, key=lambda row: row["size_bytes"])
    base = max(0.0, smallest["read_mean_us"] - smallest["size_bytes"] / (peak["read"] * fraction))
    spreads = [(row["read_p99_us"] / row["read_mean_us"] - 1) / NORMAL_P99 for row in alone if row["read_p99_us"]]
    keys: dict[str, float | int] = {
        "read_bandwidth": peak["read"],
        "write_bandwidth": peak["write"],
        "base_latency": base,
        "saturation_queue_depth": depth,
        "single_transfer_fraction": fraction,
        "latency_jitter_stddev": max(0.0, median(spreads)) if spreads else 0.0,
    }

    def time_us(op: str, size: int, under_way: int) -> float:
        ramp = 1.0 if depth < 2 else min(1.0, fraction + (1 - fraction) * (under_way - 1) / (depth - 1))
        return float(base + size / (peak[op] * ramp))

    return keys, time_us


def _aisimulate(reads: Sequence[Row], writes: Sequence[Row]) -> tuple[dict[str, float | int], Time]:
    peak = {op: max(row["bandwidth_mb_s"] for row in rows) for op, rows in (("read", reads), ("write", writes))}
    alone = [row for row in reads if row["depth"] == min(row["depth"] for row in reads)]
    # The one latency that is right for transfers alone, in the mean of their logarithms.
    waits = [max(1e-3, row["read_mean_us"] - row["size_bytes"] / peak["read"]) for row in alone]
    latency_us = exp(sum(log(wait) for wait in waits) / len(waits))
    keys: dict[str, float | int] = {
        "latency_to_first_byte_ms": latency_us / US_PER_MS,
        "read_bandwidth_gbps": peak["read"] / MB_PER_GB,
        "write_bandwidth_gbps": peak["write"] / MB_PER_GB,
    }

    def time_us(op: str, size: int, under_way: int) -> float:
        return float(latency_us + under_way * size / peak[op])

    return keys, time_us


FORMS: Final = {"blis": _blis, "aisimulate": _aisimulate}
"""Simulators by name."""
