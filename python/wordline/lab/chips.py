"""The kinds of NAND chips, their properties, and configurations that put one on a bench."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Literal

from .. import _core
from ..config import Config, config, did_you_mean, preset
from ..errors import WrongValueError
from ..files import parse_toml, read_input

__all__ = ["Chip", "Cut", "all_chips", "chip_of", "on_bench"]

Cut = tuple[float, float, float]
"""Fractions by which tPRE, tEVAL and tDISCH are cut."""

Part = Literal["read", "erase", "program"]


@dataclass(frozen=True, slots=True)
class Chip:
    """A kind of chip.

    Attributes:
        name: Its name, or the path of the user's file.
        description: A description in one line.
        cell: `slc`, `mlc`, `tlc` or `qlc`.
        parts: The parts that it has: `read`, `erase`, `program`.
    """

    name: str
    description: str
    cell: str
    parts: tuple[str, ...]


def all_chips() -> list[Chip]:
    """Returns the chips that come with Wordline, by name."""
    return [Chip(name, description, cell, tuple(parts)) for name, description, cell, parts in _core.chips()]


def chip_of(of: Config) -> Chip | None:
    """Returns the chip that a configuration names (`cells.chip`), if any."""
    chip = _core.chip_of(of.core)
    return None if chip is None else Chip(chip[0], chip[1], chip[2], tuple(chip[3]))


def on_bench(device: str) -> Config:
    """Returns a configuration whose `cells.chip` is the chip of `device`.

    Args:
        device: A chip's name, a TOML file of a chip, a configuration file, or an SSD preset with a chip.

    Raises:
        WrongValueError: It does not exist, or it is an SSD without a chip.
        ConfigError: A mistake in a file; the message names its line.
        OSError: A file cannot be read.
    """
    for chip in all_chips():
        if chip.name == device:
            return config().set_all({"cells.chip": device, "coding.cell": chip.cell})
    opened = _of_file(device) if device.endswith(".toml") or "/" in device else _of_preset(device)
    if chip_of(opened) is None:
        names = ", ".join(chip.name for chip in all_chips())
        raise WrongValueError(f'`{device}` names no chip (cells.chip = "none"); name one of {names}', key="cells.chip")
    return opened


def _of_file(path: str) -> Config:
    try:
        document = parse_toml(read_input(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        # The reader of configurations names the line.
        return config(path)
    if "geometry" not in document and "cell" not in document:
        return config(path)
    cell = document.get("cell")
    # The reader of chips rejects a chip without a valid `cell`, and names the line.
    cells = {chip.cell for chip in all_chips()}
    return config().set_all({"cells.chip": path, **({"coding.cell": cell} if cell in cells else {})})


def _of_preset(name: str) -> Config:
    known = [chip.name for chip in all_chips()]
    presets = [each for each, _ in _core.ssd_presets()]
    if name not in presets:
        near = did_you_mean(name, [*known, *presets])
        raise WrongValueError(
            f"there is no chip or SSD preset `{name}`; chips: {', '.join(known)}; "
            f"`wordline presets` lists the SSDs{near}",
            key="cells.chip",
        )
    return preset(name)
