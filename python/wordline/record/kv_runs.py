"""The record of a KV cache: a run for each write policy, and the arguments of `wordline.kv`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from ..errors import RecordError
from ..files import is_file, read_input
from ..kv_cache import KvResult, KvSettings, kv
from ..progress import ProgressCallback
from .difference import Compared, compared
from .record import Record, RecordedRun

__all__ = ["KIND", "KV", "is_kv", "record_of", "repeated", "rows"]

KIND: Final = "kv"
KV: Final = "kv.json"
ABOUT: Final = ("drives", "drive_bytes", "scale", "trace", "settings", "endurance")
"""What all policies have in common."""


def record_of(result: KvResult, command: Sequence[str]) -> Record:
    """Returns the record of a result; reads every trace for its hash.

    Raises:
        TraceNotFoundError: A trace no longer exists.
    """
    asked = result.asked
    options = {
        "traces": list(asked.traces),
        "settings": {name: value for name, value in asdict(asked.settings).items() if value is not None},
        "drives": asked.drives,
        "chunk_bytes": asked.chunk_bytes,
        "flash": asked.flash,
        **({} if asked.block_tokens is None else {"block_tokens": asked.block_tokens}),
    }
    runs = [RecordedRun({"policy": policy}, asked.config, [], asked.config.hash, options) for policy in asked.policies]
    return Record.of(KIND, runs, command)


def rows(place: Path) -> list[tuple[str, dict[str, Any]]]:
    """Returns each policy of a folder, with its numbers.

    Raises:
        RecordError: There are none, or they are damaged.
    """
    path = place / KV
    try:
        document = json.loads(read_input(path, None))
        return _rows(document)
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: damaged: {error!r}", file=str(path)) from None


def _rows(document: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    about = {name: document[name] for name in ABOUT}
    return [(each["policy"], about | each) for each in document["policies"]]


def is_kv(place: Path) -> bool:
    """Whether a folder has the numbers of a KV cache."""
    return is_file(place / KV)


def repeated(
    record: Record, place: Path, where: Mapping[str, str], progress: bool | ProgressCallback | None
) -> list[tuple[dict[str, Any], Compared]]:
    """Repeats all policies; returns the settings of each and the comparison of every number.

    Raises:
        RecordError: The folder is damaged.
        WordlineError: See `wordline.kv`.
    """
    before = rows(place)
    policies = [str(run.settings["policy"]) for run in record.runs]
    if policies != [policy for policy, _ in before]:
        raise RecordError(f"{place}: {KV} and the record have other policies", file=str(place))
    options = record.runs[0].options
    now = kv(
        record.runs[0].config,
        [where[path] for path in options["traces"]],
        policies=policies,
        settings=KvSettings(**options["settings"]),
        drives=options["drives"],
        chunk_bytes=options["chunk_bytes"],
        block_tokens=options.get("block_tokens"),
        flash=options["flash"],
        progress=progress,
    )
    pairs = zip(before, _rows(now.to_dict()), strict=True)
    return [({"policy": policy}, compared(old, new)) for (policy, old), (_, new) in pairs]
