"""Tests that runs which write the same before they begin share the preconditioned SSD, and that no result changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from wordline import _core
from wordline.sweeps.perform import perform
from wordline.sweeps.point import Point

# Small, with blocks that are collected before the run.
SMALL: dict[str, Any] = {
    "ssd.channels": 2, "ssd.chips_per_channel": 1, "ssd.dies_per_chip": 1, "ssd.planes_per_die": 2,
    "ssd.blocks_per_plane": 24, "ssd.pages_per_block": 48, "gc.threshold": 0.15, "gc.hard_threshold": 0.1,
    "ssd.overprovisioning": 0.25,
    "precondition.fill": 1.0, "precondition.overwrite": 0.7, "workload.requests": 300,
}  # fmt: skip
# Sections that preconditioning does not read.
UNREAD = (
    "cache", "host", "metrics", "power", "read", "schedule", "ecc", "channel", "controller", "dram", "nand", "program",
    "erase", "reliability",
)  # fmt: skip
CHANGED: dict[str, Any] = {"int": 3, "float": 1.5, "bool": True}


def document(drives: _core.Drives | None, point: Point) -> dict[str, Any]:
    result = perform(point.resolve(), None, drives)
    assert isinstance(result, wl.Result)
    return {key: value for key, value in result.document.items() if not key.startswith("wall")}


def measured(drives: _core.Drives | None, **keys: object) -> dict[str, Any]:
    settings = {**SMALL, **{key.replace("__", "."): value for key, value in keys.items()}}
    return document(drives, Point("mqsim", settings, "fio/random-mix"))


def other_values(row: dict[str, Any]) -> list[Any]:
    """Returns values that differ from the default, where the key takes some of them."""
    default, values = row["default"], row["values"]
    if isinstance(default, bool):
        return [not default]
    if isinstance(default, int | float):
        return [default * 2, default + 1, 0.5]
    if isinstance(default, str):
        words = str(values).replace("`", "").replace(",", " ").split()
        return [word for word in words if word.isidentifier() and word != default]
    return []


def test_a_second_run_takes_the_drive_of_the_first() -> None:
    drives = _core.Drives()
    first = measured(drives)
    again = measured(drives)
    assert drives.hits == 1
    assert first == again == measured(None)
    assert first["precondition"]["moved_pages"] > 0, "garbage was collected before the run"


@pytest.mark.parametrize("section", UNREAD)
def test_keys_that_preconditioning_does_not_read(section: str) -> None:
    """A run that takes the drive of another configuration gives what it gives on its own."""
    checked = 0
    for row in json.loads(_core.parameters()):
        key = row["key"]
        if key.partition(".")[0] != section:
            continue
        for value in other_values(row):
            try:
                alone = measured(None, **{key: value})
            except wl.WordlineError:
                continue
            drives = _core.Drives()
            measured(drives)
            assert measured(drives, **{key: value}) == alone, f"{key} = {value}"
            checked += drives.hits
            break
    assert checked > 0 or section == "power", f"no key of [{section}] shares a drive"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", 7),
        ("ssd.overprovisioning", 0.3),
        ("gc.policy", "d-choices"),
        ("precondition.overwrite", 0.5),
        ("reliability.factory_bad", 0.05),
        ("ftl.allocation", "PWCD"),
    ],
)
def test_keys_that_make_another_drive(key: str, value: object) -> None:
    drives = _core.Drives()
    measured(drives)
    assert measured(drives, **{key: value}) == measured(None, **{key: value})
    assert drives.hits == 0


def test_checked_mode_writes_its_own() -> None:
    drives = _core.Drives()
    measured(drives)
    perform(Point("mqsim", SMALL, "fio/random-mix", check=True).resolve(), None, drives)
    assert drives.hits == 0


def test_shapes_from_a_trace_share_a_drive_until_its_file_changes(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    shaped = {key: value for key, value in SMALL.items() if key != "workload.requests"}

    def write(pages: int) -> None:
        lines = (f"{128166372000000000 + n},hm,0,Write,{n % pages * 8192},8192,100\n" for n in range(50))
        trace.write_text("".join(lines))

    def replayed(drives: _core.Drives | None) -> dict[str, Any]:
        return document(drives, Point("mqsim", {**shaped, "precondition.shape": "workload"}, wl.trace(trace)))

    drives = _core.Drives()
    write(9)
    first = replayed(drives)
    assert replayed(drives) == first == replayed(None)
    assert drives.hits == 1
    write(40)
    assert replayed(drives) == replayed(None) != first
    assert drives.hits == 1


@pytest.mark.parametrize(
    ("changed", "hits"),
    [
        ({"program.fast_write_threshold": 8}, 1),
        ({"program.rewrite_threshold": 0}, 1),
        ({"program.rewrite_queue_pages": 64}, 1),
        ({"program.write_streams": 0}, 1),
        ({"program.stale_entries": "ignore"}, 1),
        ({"program.queued_until": "begun"}, 1),
        ({"program.rewrites_in_flight": 4}, 1),
        ({"program.policy": "normal"}, 0),
        ({"program.gc_fast_first": "always"}, 0),
    ],
)
def test_thresholds_of_fast_writes_share_a_drive(changed: dict[str, Any], hits: int) -> None:
    """The write path has done nothing before the run, whatever its settings are; GC has."""
    small = {key: value for key, value in SMALL.items() if key != "workload.requests"}
    one = {**small, "program.policy": "ofwar", "program.write_streams": 2, "program.fast_write_threshold": 32}

    def written(drives: _core.Drives | None, settings: dict[str, Any]) -> dict[str, Any]:
        return document(drives, Point("ofwar", settings, "fio/random-write", requests=400))

    drives = _core.Drives()
    written(drives, one)
    assert written(drives, {**one, **changed}) == written(None, {**one, **changed})
    assert drives.hits == hits


SHAPED = {"precondition__shape": "workload"}


@pytest.mark.parametrize(
    ("changed", "hits"),
    [
        ({}, 1),
        ({"workload__requests": 200}, 1),
        ({"workload__inter_arrival_us": 50.0}, 1),
        ({"workload__inter_arrival_us": 50.0, "workload__arrival": "exponential"}, 1),
        ({"workload__read_ratio": 0.3}, 1),
        ({"workload__trim_ratio": 0.1}, 0),
        ({"workload__pattern": "zipf"}, 0),
        ({"workload__write_block_bytes": 16_384}, 0),
        ({"workload__footprint_ratio": 0.5}, 0),
        ({"workload__seed": 3}, 0),
    ],
)
def test_shaped_overwrites_share_the_drive_of_workloads_that_write_alike(changed: dict[str, Any], hits: int) -> None:
    """Where a workload writes does not depend on its length, its times and the reads between its writes."""
    drives = _core.Drives()
    first = measured(drives, **SHAPED)
    assert first != measured(None)
    assert measured(drives, **SHAPED, **changed) == measured(None, **SHAPED, **changed)
    assert drives.hits == hits


def test_a_workload_without_writes_gives_no_shape() -> None:
    for read, trim in ((1.0, 0.0), (0.7, 0.3)):
        with pytest.raises(wl.WordlineError, match="the workload writes nothing"):
            measured(_core.Drives(), **SHAPED, workload__read_ratio=read, workload__trim_ratio=trim)


def test_update_phases_are_part_of_the_drive() -> None:
    def updated(drives: _core.Drives | None, **keys: object) -> dict[str, Any]:
        settings = {**SMALL, "precondition.overwrite": 0.0, "workload.update_scattered_ratio": 0.3}
        point = Point("mqsim", {**settings, **{key.replace("__", "."): value for key, value in keys.items()}}, None)
        return document(drives, point)

    drives = _core.Drives()
    first = updated(drives)
    assert (
        first["precondition"]["host_pages"]
        > updated(None, workload__update_scattered_ratio=0.0)["precondition"]["host_pages"]
    )
    assert updated(drives, nand__erase_us=5000.0) == updated(None, nand__erase_us=5000.0)
    assert drives.hits == 1
    assert updated(drives) == first
    assert drives.hits == 2
    other = {"workload__update_scattered_ratio": 0.1}
    assert updated(drives, **other) == updated(None, **other) != first
    assert drives.hits == 2
