"""Compares a drive with what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, cpu_count

from ..config import Config, preset
from ..fitted import beyond_fit
from ..measured import Agreement, Point, Row, read
from ..measured.labels import check_one_drive
from .history import History
from .simulate import Length, Progress, Simulator

__all__ = ["against"]


def against(
    drive: Config | str,
    measured: str | PathLike[str] | Sequence[str | PathLike[str]] | Sequence[Point],
    *,
    only: Sequence[str] = (),
    history: Sequence[str] = (),
    requests: int = Length().requests,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """Runs the load of each measured point on a drive and compares the numbers.

    Args:
        drive: A configuration, or the name of a preset.
        measured: Files that `wordline.measured.read` reads, or points.
        only: Selects points, see `wordline.measured.read`.
        history: Kinds of load that came before each one, in order, such as `["randwrite", "randrw5"]`: its own jobs
            run them, with the addresses in the order that fio repeats in each run.
        requests: Requests that count of each load, after a warm-up.
        jobs: Simulations at a time; None: one for each core.
        progress: Called after each load with the number of those that are done, and of all.

    Raises:
        InputFileError: A file cannot be read.
        WordlineError: A load does not fit the drive, the points are of several drives, or the drive is aged and has a
            history, too.
    """
    config = preset(drive) if isinstance(drive, str) else drive
    points = _points(measured, only)
    check_one_drive(points)
    simulator = Simulator(Length(requests), jobs or cpu_count() or 1, history=History.of(history))
    numbers = simulator.numbers(config, points, progress)
    name = drive if isinstance(drive, str) else config.layers[0].name if config.layers else "base"
    made = {op for point in points for load in point.loads for op in load.ops}
    said = [*beyond_fit(config, made), *config.warnings, *config.model]
    return Agreement(name, [Row(point, each) for point, each in zip(points, numbers, strict=True)], said)


def _points(
    measured: str | PathLike[str] | Sequence[str | PathLike[str]] | Sequence[Point], only: Sequence[str]
) -> list[Point]:
    if isinstance(measured, str | PathLike):
        return read(measured, only).points
    points = [each for each in measured if isinstance(each, Point)]
    return points or read([each for each in measured if not isinstance(each, Point)], only).points
