"""Tests which process gets which job: those that begin on the same preconditioned SSD go to one, in turn."""

from __future__ import annotations

from typing import Any

import pytest

import wordline as wl
from wordline import _core
from wordline.api import drive_number
from wordline.sweeps import pools
from wordline.sweeps.engine import run_points
from wordline.sweeps.point import Computation, Point, RunTask
from wordline.sweeps.queues import Queues
from wordline.sweeps.worker import Job

DRIVES: dict[str, Any] = {
    "ssd.channels": 2, "ssd.chips_per_channel": 1, "ssd.dies_per_chip": 1, "ssd.planes_per_die": 2,
    "ssd.blocks_per_plane": 24, "ssd.pages_per_block": 48, "ssd.overprovisioning": 0.25,
    "precondition.fill": 1.0, "workload.requests": 100,
}  # fmt: skip


def jobs(*drives: int | None) -> list[tuple[int, Job]]:
    task = Computation(dict)
    return [(number, Job(task, drive=drive)) for number, drive in enumerate(drives)]


def number(source: str | wl.Trace | None = "fio/random-mix", **keys: object) -> int | None:
    settings: dict[str, Any] = {key.replace("__", "."): value for key, value in keys.items()}
    task = Point("mqsim", {**DRIVES, **settings}, source).resolve()
    assert isinstance(task, RunTask)
    return drive_number(task.config, task.flows)


def test_a_lane_keeps_its_drive() -> None:
    queues = Queues(jobs(7, 8, 7, 8, 7), 2)
    assert [queues.take(lane) for lane in (0, 1, 0, 1, 0)] == [0, 1, 2, 3, 4]
    assert queues.take(0) is None
    assert queues.take(1) is None


def test_a_lane_begins_another_drive_before_it_helps() -> None:
    queues = Queues(jobs(7, 7, 7, 8, 9), 2)
    assert [queues.take(lane) for lane in (0, 1, 1)] == [0, 3, 4]
    assert queues.take(1) == 1, "nothing else is left"
    assert queues.take(0) == 2


def test_a_lane_helps_the_one_with_most_left() -> None:
    queues = Queues(jobs(7, 7, 8, 8, 8, 8), 3)
    assert [queues.take(lane) for lane in (0, 1, 2, 2)] == [0, 2, 3, 4]


def test_jobs_without_a_drive_begin_in_order() -> None:
    queues = Queues(jobs(None, None, None), 2)
    assert [queues.take(lane) for lane in (0, 0, 1)] == [0, 1, 2]


def test_a_drive_has_the_number_of_what_is_written() -> None:
    assert number() == number(host__queue_depth=2) == number("fio/random-read") is not None
    assert number(seed=2) != number() != number(precondition__fill=0.5)
    assert number(precondition__fill="lazy") is None, "nothing is written"


@pytest.mark.parametrize("count", [1, 2])
def test_points_of_a_drive_run_one_after_the_other(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        Point("mqsim", {**DRIVES, "host.queue_depth": depth}, "fio/random-mix", seed=seed)
        for depth in (1, 2, 4)
        for seed in (1, 2)
    ]
    kept = _core.Drives()
    monkeypatch.setattr(pools, "Drives", lambda: kept)
    results = run_points(points, jobs=count)
    assert kept.hits == (len(points) - 2 if count == 1 else 0), "each of the two drives is written once"
    assert [each.point for each in results] == points
    alone = [run_points([point], jobs=1)[0] for point in points]
    assert [each["response_us.read.mean"] for each in results] == [each["response_us.read.mean"] for each in alone]
