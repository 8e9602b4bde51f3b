"""What presets were fitted to, as their heads say, and what a run uses of a drive beyond that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .config import Config, PresetInfo, lacks_of, summary_of
from .explain.words import bare

__all__ = ["fitted_ops", "use_of", "warnings_of_fit"]

FITTED = re.compile(r"\bfitted to (.+?)(?: that |\.$)")
"""What the summary of a preset says that it was fitted to."""
AMPLIFICATION = "write amplification"
"""A preset that was fitted to it has no times of requests that were fitted."""
OPS = ("read", "write")
SIZE = re.compile(r"-\d+(gb|tb)(-\w+)?$")
"""The end of a drive's name that says its size."""
PRESET = "preset "
"""How the layer of a preset begins its name."""


def fitted_ops(text: str) -> tuple[str, ...] | None:
    """Returns the kinds of request whose times a preset was fitted to; None where it was not fitted."""
    match = FITTED.search(summary_of(text))
    if match is None:
        return None
    return () if AMPLIFICATION in match[1] else tuple(op for op in OPS if f"{op}s" in match[1])


def warnings_of_fit(config: Config, document: Mapping[str, Any]) -> list[str]:
    """Returns a warning for a preset that was fitted to other kinds of request than the run makes."""
    made = [op for op in OPS if document["requests"][op]]
    lines = []
    for layer in config.layers:
        fitted = fitted_ops(layer.text) if layer.name.startswith(PRESET) else None
        beyond = [f"{op}s" for op in made if fitted is not None and op not in fitted]
        if not beyond:
            continue
        name = layer.name.removeprefix(PRESET)
        to = f"{fitted[0]}s alone" if fitted else "neither reads nor writes"
        lacks = lacks_of(layer.text)
        what = f"; the preset lacks {lacks.rstrip('.')}" if lacks else ""
        lines.append(
            f"{name} was fitted to {to}: IOPS and times of {' and '.join(beyond)} may be far from the drive's{what}"
        )
    return lines


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
    return f"reads: {preset.name}; writes or mixes: {others}"
