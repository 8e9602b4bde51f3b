"""Opening a drive, or several under one clock."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path as FilePath
from typing import Any, Final, overload

from .. import _core, aged_drives
from ..config import Config, preset
from ..errors import ConfigError
from ..memory import check_tables_fit
from ..progress import ProgressCallback, reporting
from ..python_policies import bound
from ..state import loaded
from ..workload import live_form
from .array import DriveArray
from .drive import Drive

__all__ = ["open"]

Path = str | PathLike[str]

CHUNK_BYTES: Final = 512 << 10
"""Bytes that a striped array puts on one drive before it goes to the next: the default of Linux's mdadm."""


@overload
def open(  # noqa: A001 - see below
    config: Config | str,
    *,
    flows: Sequence[str] = ...,
    state: Path | None = ...,
    policies: Mapping[str, object] | None = ...,
    check: bool = ...,
    log: bool = ...,
    log_requests: bool = ...,
    drives: _core.Drives | None = ...,
    progress: bool | ProgressCallback | None = ...,
) -> Drive: ...
@overload
def open(  # noqa: A001 - see below
    config: list[Config | str] | list[Config] | list[str] | Mapping[str, Config | str],
    *,
    chunk_bytes: int = ...,
    link_mb_per_s: float = ...,
    flows: Sequence[str] = ...,
    state: Path | None = ...,
    policies: Mapping[str, object] | None = ...,
    check: bool = ...,
    log: bool = ...,
    log_requests: bool = ...,
    drives: _core.Drives | None = ...,
    progress: bool | ProgressCallback | None = ...,
) -> DriveArray: ...
def open(  # noqa: A001 - as in files: `wordline.open` makes what is held
    config: Config | str | list[Config | str] | list[Config] | list[str] | Mapping[str, Config | str],
    *,
    chunk_bytes: int | None = None,
    link_mb_per_s: float = 0.0,
    flows: Sequence[str] = ("host",),
    state: Path | None = None,
    policies: Mapping[str, object] | None = None,
    check: bool = False,
    log: bool = False,
    log_requests: bool = False,
    drives: _core.Drives | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Drive | DriveArray:
    """Opens a drive that your program steps, or several under one clock.

    Args:
        config: The SSD, from `preset` or `config`, or the name of a preset. It is filled and overwritten as
            `precondition.*` says; with `precondition.overwrite = "steady"` it is a used drive. A list of SSDs is a
            striped array, a dict of them an array of shards with names. Give each its own `seed`.
        chunk_bytes: Of a striped array: bytes in a row on one drive, a multiple of 512; None: 512 KiB.
        link_mb_per_s: Of an array: what all drives together can move in each direction, MB/s; 0: no common limit.
        flows: Names of the flows that may ask; an operation names one by its place.
        state: A file that `Drive.save` or `run(save_state=…)` wrote, instead of preconditioning. Of an array:
            the folder that `DriveArray.save` wrote into.
        policies: Policies in Python, as for `run`; each drive has a copy.
        check: Checked mode: compares every read with a second record of what was written. Slower.
        log: Keep the operations as they arrive, for `Drive.log`: 40 bytes of memory each.
        log_requests: Keep a row for each operation in the result: about 40 bytes of memory each.
        drives: As for `run`.
        progress: As for `run`, while the SSD is preconditioned.

    Raises:
        WordlineError: As for `run`.
    """
    common: dict[str, Any] = {"check": check, "log": log, "log_requests": log_requests}
    common |= {"policies": policies, "progress": progress}
    if isinstance(config, str | Config):
        if chunk_bytes is not None or link_mb_per_s:
            raise ConfigError("chunk_bytes and link_mb_per_s are those of an array: give a list or a dict of SSDs")
        return _one(config, flows, state, drives, **common)
    each: dict[str, Config | str]
    if isinstance(config, Mapping):
        if chunk_bytes is not None:
            raise ConfigError("chunk_bytes is that of a striped array: give a list of SSDs")
        each = dict(config)
        for name in each:
            if re.fullmatch(r"[^/\\\0]+", str(name)) is None:
                raise ConfigError(f"the drive {name!r}: its state goes to NAME.state; leave out / and \\ in the name")
    elif isinstance(config, list | tuple):
        each = {str(place): ssd for place, ssd in enumerate(config)}
        chunk_bytes = CHUNK_BYTES if chunk_bytes is None else chunk_bytes
    else:
        raise ConfigError(
            f"a {type(config).__name__} is no configuration; use wordline.preset(…) or wordline.config(…)"
        )
    # Drives that are written alike before they begin are written once.
    kept = _core.Drives() if drives is None else drives
    opened = {
        name: _one(ssd, flows, None if state is None else FilePath(state) / f"{name}.state", kept, **common)
        for name, ssd in each.items()
    }
    return DriveArray(opened, chunk_bytes, link_mb_per_s)


def _one(
    config: Config | str,
    flows: Sequence[str],
    state: Path | None,
    drives: _core.Drives | None,
    *,
    policies: Mapping[str, object] | None,
    check: bool,
    log: bool,
    log_requests: bool,
    progress: bool | ProgressCallback | None,
) -> Drive:
    if isinstance(config, str):
        config = preset(config)
    if not isinstance(config, Config):
        raise ConfigError(
            f"a {type(config).__name__} is no configuration; use wordline.preset(…) or wordline.config(…)"
        )
    _check(config, flows)
    config = bound(config.set("host.mode", "open"), policies)
    forms = [live_form(name, config) for name in flows]
    check_tables_fit(config, check=check)
    simulation = _core.Simulation(config.core, json.dumps(forms), check=check, log_requests=log_requests)
    wall_s = 0.0
    options: dict[str, Any] = {"check": check, "log_requests": log_requests}
    if state is not None:
        with loaded(simulation, state) as restored:
            if (drive := restored.decides) is not None:
                options["load_state"] = drive
    elif simulation.needs_preconditioning():
        began = time.perf_counter()
        with reporting(progress) as callback:
            aged_drives.precondition(simulation, config, callback, drives)
        wall_s = time.perf_counter() - began
    return Drive(_core.Drive(simulation, log), config, {"options": options, "flows": forms, "wall_s": wall_s})


def _check(config: Config, flows: Sequence[str]) -> None:
    for key, why in config.core.live_conflicts():
        raise ConfigError(why, key=key)
    if isinstance(flows, str) or not flows or len(set(flows)) < len(flows):
        raise ConfigError("flows: give one name or more, each once, such as flows=('reader', 'writer')")
