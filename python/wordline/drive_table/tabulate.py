"""A table of a drive, with the error of interpolation on points that are not in it."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any, Final

from .. import _core
from ..config import Config, preset
from ..inputs import clash, inputs_of
from ..output.csv_table import write_rows
from ..progress import Progress, ProgressCallback, reporting
from .measure import COLUMNS, Cell, between, cells, measure, part_of

__all__ = ["DriveTable", "Error", "table"]

CHECKED: Final = ("bandwidth_mb_s", "read_mean_us", "read_p99_us", "write_mean_us", "write_p99_us")
DEPTHS: Final = (1, 4, 16, 64)
SIZES: Final = (4096, 16_384, 65_536, 262_144, 2 << 20)
READS: Final = (1.0, 0.75, 0.5, 0.25, 0.0)


@dataclass(frozen=True)
class Error:
    """How far interpolation is from what was measured, on points that are not in the table.

    Attributes:
        state: Of the drive.
        name: The column.
        mean: Mean of the relative errors.
        median: Their median: one point near a leap makes the mean large.
        max: The largest one.
        points: How many points that are.
    """

    state: str
    name: str
    mean: float
    median: float
    max: float
    points: int


@dataclass(frozen=True)
class DriveTable:
    """Numbers of a drive over depth, size and read share.

    Attributes:
        rows: A row a cell, with the columns of `COLUMNS`.
        points: Rows of points between the cells, which were measured too.
        errors: The error of interpolation on them.
        config: The SSD.
    """

    rows: tuple[dict[str, Any], ...]
    points: tuple[dict[str, Any], ...]
    errors: tuple[Error, ...]
    config: Config

    def to_dict(self) -> dict[str, Any]:
        """Returns it as JSON."""
        return {
            "config_hash": self.config.hash,
            "scale": self.config["ssd.scale"],
            "rows": list(self.rows),
            "points": list(self.points),
            "errors": [vars(each) for each in self.errors],
        }

    def write_csv(self, path: Path) -> None:
        """Writes the rows.

        Raises:
            OSError: The file cannot be written, or is one that the configuration was read from.
        """
        if (why := clash(path, inputs_of(self.config))) is not None:
            raise FileExistsError(errno.EEXIST, f"{why}; name another file", str(path))
        write_rows(path, COLUMNS, [[row[name] for name in COLUMNS] for row in self.rows])


def table(
    drive: Config | str,
    *,
    depths: Sequence[int] = DEPTHS,
    sizes: Sequence[int] = SIZES,
    read_shares: Sequence[float] = READS,
    states: Sequence[str] = ("fresh", "steady"),
    requests: int | None = None,
    check_points: int = 8,
    progress: bool | ProgressCallback | None = None,
) -> DriveTable:
    """Measures a drive over depth, size and read share, for simulators that have no room for a drive.

    Args:
        drive: The SSD, from `preset` or `config`, or the name of a preset. With `ssd.scale = 1` a part of at most 16
            GiB is measured.
        depths: Requests under way.
        sizes: Bytes of a request.
        read_shares: Shares of reads, 0 to 1.
        states: `fresh` (half filled, nothing is collected), `steady` (at the equilibrium of each load).
        requests: Requests of a cell; fewer where they would move more than 4 GiB. None: 20,000, and in the steady state
            until 1/32 of the drive is written.
        check_points: In so many points between the cells of each state, interpolation is compared with a run.
        progress: True for a bar, or a function; see `run`.

    Raises:
        WordlineError: An axis that makes no sense, or as for `run`.
    """
    config = part_of(preset(drive) if isinstance(drive, str) else drive)
    wanted = cells(depths, sizes, read_shares, states)
    checked = between(wanted, check_points) if check_points > 0 else []
    total, kept = len(wanted) + len(checked), _core.Drives()
    with reporting(progress) as callback:

        def part(first: int) -> Any:  # noqa: ANN401 - see measure
            return lambda place, _: _share_of(callback, first + place, total)

        rows = measure(config, wanted, requests=requests, drives=kept, progress=part(0))
        points = measure(config, checked, requests=requests, drives=kept, progress=part(len(wanted)))
    made = DriveTable(tuple(rows), tuple(points), (), config)
    return DriveTable(made.rows, made.points, tuple(_errors(made, checked)), config)


def _errors(made: DriveTable, checked: Sequence[Cell]) -> list[Error]:
    """Compares the points with what the reader says of them."""
    from .reader import Table

    if not checked:
        return []
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        made.write_csv(path)
        for state in dict.fromkeys(cell.state for cell in checked):
            read = Table(path, state)
            for name in CHECKED:
                errors = [
                    abs(value / row[name] - 1)
                    for row in made.points
                    if row["state"] == state and row[name]
                    for value in [_at(read, name, row)]
                    if isfinite(value)
                ]
                if errors:
                    found.append(
                        Error(state, name, sum(errors) / len(errors), median(errors), max(errors), len(errors))
                    )
    return found


def _at(read: Any, name: str, row: dict[str, Any]) -> float:  # noqa: ANN401 - the reader knows no types of ours
    value: float = read.at(name, depth=row["depth"], size_bytes=row["size_bytes"], read_share=row["read_share"])
    return value


def _share_of(callback: ProgressCallback | None, place: int, total: int) -> ProgressCallback | None:
    """Returns a callback that tells of one of several runs."""
    if callback is None:
        return None
    tell = callback

    def report(now: Progress) -> None:
        share = now.fraction if now.fraction is not None and now.stage == "run" else 0.0
        tell(replace(now, fraction=(place + share) / total))

    return report
