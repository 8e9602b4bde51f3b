"""Many runs: a grid of settings, on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from . import studies
from .config import Config, full_key
from .errors import ConfigError
from .result import Result, flat
from .studies import PointsProgress, axes
from .workload import WorkloadLike

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["Comparison", "Point", "compare"]


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a grid: what was set, and what came of it."""

    settings: dict[str, Any]
    result: Result


class Comparison:
    """The results of a grid, in the grid's order: the last key varies fastest.

    `comparison[2]` is a point; `comparison[{"read.retry": "baseline"}]` is the result of the one point
    with these settings.
    """

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = list(points)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> list[Point]: ...
    @overload
    def __getitem__(self, index: Mapping[str, object]) -> Result: ...

    def __getitem__(self, index: int | slice | Mapping[str, object]) -> Point | list[Point] | Result:
        if isinstance(index, int | slice):
            return self.points[index]
        wanted = {full_key(key): value for key, value in index.items()}
        found = [p for p in self.points if all(p.settings.get(key) == value for key, value in wanted.items())]
        if len(found) != 1:
            raise KeyError(f"{len(found)} points have {wanted}")
        return found[0].result

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def to_dict(self) -> dict[str, Any]:
        """The settings and JSON document of every point."""
        return {"points": [{"set": dict(p.settings), "result": p.result.to_dict()} for p in self.points]}

    def rows(self) -> list[dict[str, Any]]:
        """For each point the settings, then the result's flat columns."""
        return [{**_plain(point.settings), **flat(point.result.document)} for point in self.points]

    def to_pandas(self) -> pd.DataFrame:
        """A row for each point: the settings, then the result's flat columns."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_arrow(self) -> pa.Table:
        """As `to_pandas`, for Arrow."""
        import pyarrow as pa

        return pa.Table.from_pandas(self.to_pandas(), preserve_index=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def compare(
    config: Config,
    workload: WorkloadLike = None,
    grid: Mapping[str, Sequence[Any]] | None = None,
    *,
    jobs: int | None = None,
    check: bool = False,
    progress: Callable[[PointsProgress], object] | None = None,
) -> Comparison:
    """Runs every combination of a grid's values, each in a process of its own.

    All points are resolved before the first one runs, so that a mistake in any of them costs no time. The
    results do not depend on the number of processes.

    Args:
        config: What all points have in common.
        workload: As for `run`.
        grid: Key to values; the last key varies fastest.
        jobs: Processes at a time, 1 or more; None: one a core. With 1 everything runs in this process.
        check: Checked mode, see `run`.
        progress: Called when the comparison begins and after every point.

    Raises:
        WordlineError: As `run`, from the first point that fails.
        KeyboardInterrupt: Ctrl-C ends all processes at once.
    """
    choices = axes.grid(grid or {})
    if not grid:
        raise ConfigError("the grid is empty: give every key at least one value")
    points = [studies.Point(config, each, workload, check=check) for each in choices]
    outcomes = studies.run_points(points, jobs=jobs, progress=progress, stop_at_failure=True)
    results = (outcome.result for outcome in outcomes)
    return Comparison(
        [Point(each, result) for each, result in zip(choices, results, strict=True) if result is not None]
    )


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as cells of a table: lists as texts."""
    return {key: str(value) if isinstance(value, list | tuple | dict) else value for key, value in settings.items()}
