"""The name of the SSD of a run, for titles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .numbers import scale_text

if TYPE_CHECKING:
    from ..config import Config

__all__ = ["drive_name", "scaled"]

PRESET, WORKLOAD = "preset ", "workload "


def drive_name(config: Config) -> str:
    """The configuration's file with the preset that it is based on, or the preset."""
    named = [layer.name for layer in config.layers if layer.has_lines]
    presets = [name.removeprefix(PRESET) for name in named if name.startswith(PRESET)]
    files = [Path(name).name for name in named if not name.startswith((PRESET, WORKLOAD))]
    if not files:
        return presets[-1] if presets else "the base SSD"
    return f"{files[-1]} (on {presets[-1]})" if presets else files[-1]


def scaled(config: Config) -> str:
    """Which part of the SSD was simulated, ` at 1/256`; empty for all of it."""
    return "" if config["ssd.scale"] == 1 else f" at {scale_text(config['ssd.scale'])}"
