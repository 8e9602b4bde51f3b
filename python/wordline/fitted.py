"""What presets were fitted to, as their heads say, and what a run uses of a drive beyond that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .config import Config, PresetInfo, lacks_of, summary_of
from .explain.words import bare

__all__ = ["basis_of", "beyond_fit", "fitted_ops", "use_of", "warnings_of_fit"]

FITTED = re.compile(r"\bfitted to (.+?)(?: that |\.$)")
"""What the summary of a preset says that it was fitted to."""
AMPLIFICATION = "write amplification"
"""A preset that was fitted to it has no times of requests that were fitted."""
OPS = ("read", "write")
ERRORS = re.compile(
    r"^# Error of the fit, \d+ ((?:read|write)s[^:]*?), median / 90th percentile in %: (.*)\.$", re.MULTILINE
)
"""What a preset says of its error: the loads, and each number with its median and that of nine of ten points."""
ERROR = re.compile(r"(IOPS|p[\d.]+) [\d.]+ / ([\d.]+)")
FAR_PERCENT = 25.0
"""An error that nine of ten points stay within, and that a run says."""
BESIDE = "reads beside writes"
GC = "garbage collection"
SIZE = re.compile(r"-\d+(gb|tb)(-\w+)?$")
"""The end of a drive's name that says its size."""
SHEET = re.compile(r"^# rated_dwpd = .*data sheet", re.MULTILINE)
"""How the head of a preset says that a data sheet rates the drive."""
PAGE = re.compile(r"docs/validation/[\w-]+\.md")
PRESET = "preset "
"""How the layer of a preset begins its name."""


def fitted_ops(text: str) -> tuple[str, ...] | None:
    """Returns the kinds of request whose times a preset was fitted to; None where it was not fitted."""
    match = FITTED.search(summary_of(text))
    if match is None:
        return None
    return () if AMPLIFICATION in match[1] else tuple(op for op in OPS if f"{op}s" in match[1])


def warnings_of_fit(config: Config, document: Mapping[str, Any]) -> list[str]:
    """Returns what a run uses of a fitted preset that the fit does not have, or has with large errors: a line each."""
    made = [op for op in OPS if document["requests"][op]]
    lines = []
    for name, text, fitted in _fitted_layers(config):
        if beyond := _beyond(name, text, fitted, made):
            lines.append(beyond)
        elif found := [*_errors(text, made), *_unlike(text, document)]:
            lines.append(f"{name}: {'; '.join(found)} (docs/validation/real-drives.md)")
    return lines


def beyond_fit(config: Config, made: Iterable[str]) -> list[str]:
    """Returns a line for each fitted preset of a drive that was not fitted to all kinds of request that are made."""
    ops = [op for op in OPS if op in set(made)]
    return [line for layer in _fitted_layers(config) if (line := _beyond(*layer, ops))]


def _fitted_layers(config: Config) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The presets of a configuration that were fitted: name, text and the kinds of request."""
    for layer in config.layers:
        fitted = fitted_ops(layer.text) if layer.name.startswith(PRESET) else None
        if fitted is not None:
            yield layer.name.removeprefix(PRESET), layer.text, fitted


def _beyond(name: str, text: str, fitted: tuple[str, ...], made: Sequence[str]) -> str:
    """Returns which kinds of request are made that a preset was not fitted to; empty if there are none."""
    beyond = [f"{op}s" for op in made if op not in fitted]
    if not beyond:
        return ""
    to = f"{fitted[0]}s alone" if fitted else "neither reads nor writes"
    lacks = lacks_of(text)
    what = f"; the preset lacks {lacks.rstrip('.')}" if lacks else ""
    return f"{name} was fitted to {to}: IOPS and times of {' and '.join(beyond)} may be far from the drive's{what}"


def _errors(text: str, made: Iterable[str]) -> list[str]:
    """Returns the large errors of a fit in the numbers of requests that a run makes, as one phrase."""
    ops = list(made)
    worst: dict[str, dict[str, float]] = {}
    for loads, numbers in ERRORS.findall(text):
        # Reads beside writes are another load than reads alone.
        is_mixed = loads.startswith(BESIDE)
        op = "read" if loads.startswith("read") else "write"
        if op not in ops or (op == "read" and is_mixed != (len(ops) > 1 and BESIDE in text)):
            continue
        of_op = worst.setdefault(op, {})
        for number, percent in ERROR.findall(numbers):
            of_op[number] = max(of_op.get(number, 0.0), float(percent))
    far = {
        op: ", ".join(f"{number} {percent:.0f} %" for number, percent in of_op.items() if percent > FAR_PERCENT)
        for op, of_op in worst.items()
    }
    told = [f"{op}s {numbers}" for op, numbers in far.items() if numbers]
    return [f"errors that nine of ten points of its fit stay within: {'; '.join(told)}"] if told else []


def _unlike(text: str, document: Mapping[str, Any]) -> list[str]:
    """Returns that garbage collection, which the run had, is not that of the drive, if the head says so."""
    return [f"its {GC} is not the drive's"] if GC in lacks_of(text) and document["gc"]["jobs"] else []


def reads_alone(preset: PresetInfo) -> bool:
    """Whether a preset was fitted to reads and to nothing else."""
    return fitted_ops(preset.text) == ("read",)


def others_for(preset: PresetInfo, known: Iterable[PresetInfo]) -> list[str]:
    """Returns the presets whose heads name the same model of drive and that were not fitted to reads alone."""
    model = bare(SIZE.sub("", preset.name))
    return [
        each.name
        for each in known
        if not reads_alone(each) and model in bare(f"{each.name} {each.text.partition('[')[0]}")
    ]


def use_of(preset: PresetInfo, known: Iterable[PresetInfo]) -> str:
    """Returns which preset to take for reads and which for the rest, where this one was fitted to reads alone."""
    if not reads_alone(preset):
        return ""
    others = ", ".join(others_for(preset, known)) or "no preset was fitted to them"
    return f"fitted to reads alone; for writes or mixes: {others}"


def basis_of(preset: PresetInfo) -> str:
    """Returns that a preset of a drive is made of its data sheet alone, and the page about that; else nothing."""
    if fitted_ops(preset.text) is not None or not SHEET.search(preset.text):
        return ""
    page = PAGE.search(preset.text)
    told = "made of data sheets and publications, not fitted to latencies that were measured on the drive"
    return f"{told} ({page[0]})" if page else told
