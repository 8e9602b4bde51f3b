"""Keeps what runs gave in a file of out/ for each commit of the core: a page that was stopped goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import stamp

import wordline as wl

from .drives import ROOT

FILE = ROOT / "out" / f"warp-{stamp.measured_commit()}.json"


@dataclass(frozen=True)
class Ran:
    """What a run gave: amplification; by handle (0: mixed) what GC moved of it and what it caused, over host bytes."""

    amplification: float
    handles: list[tuple[int, float, float]]
    seconds: float


def kept(key: str, run: Callable[[], wl.Result]) -> Ran:
    """Returns what a run gave before, or runs it."""

    def made() -> dict[str, Any]:
        began = time.process_time()
        result = run()
        return asdict(Ran(*_numbers(result), time.process_time() - began))

    return Ran(**_kept(key, made))


def kept_series(key: str, run: Callable[[], list[float]]) -> tuple[list[float], float]:
    """Returns the numbers of a run, and its processor time in s."""

    def made() -> dict[str, Any]:
        began = time.process_time()
        numbers = run()
        return {"numbers": numbers, "seconds": time.process_time() - began}

    found = _kept(key, made)
    return found["numbers"], found["seconds"]


def _kept(key: str, made: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    known: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    if key not in known:
        known[key] = made()
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(json.dumps(known, indent=1), encoding="utf-8")
        print(key[-60:], known[key].get("amplification", ""), flush=True)
    return known[key]


def _numbers(result: wl.Result) -> tuple[float, list[tuple[int, float, float]]]:
    document = result.document
    host, placement = document["written_bytes"]["by_cause"]["host"], document["placement"]
    handles: list[tuple[int, float, float]] = []
    if placement is not None:
        handles = [
            (each["handle"] + 1, each["written_bytes"]["gc"] / host, each["written_bytes"]["gc_caused"] / host)
            for each in placement["handles"]
        ]
        handles.append((0, placement["mixed"]["gc"] / host, placement["mixed"]["gc_caused"] / host))
    return float(document["write_amplification"] or 0.0), handles
