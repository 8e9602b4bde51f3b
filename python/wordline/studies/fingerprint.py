"""What a study's short form gives, as a hash: as long as it stays, another core gives the same results."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .engine import PointsProgress, run_points
from .outcome import Outcome, Results
from .point import Computation, Point
from .store import Store
from .study import Study

__all__ = ["of_results", "of_study"]

TRACES = "WORDLINE_TRACES"
# Fields of a run's document that say when and by what it was made, not what came out.
WALL = "wall_"
MADE_BY = ("wordline", "config_hash")
# What Python computes may differ in its last digits from machine to machine; what the core computes may not.
SIGNIFICANT_DIGITS = 9
DIGITS = 16


def of_study(
    study: Study,
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[PointsProgress], object] | None = None,
) -> str:
    """Fingerprint of what a study's short form gives on this core, as it is where no real trace is at hand.

    Raises:
        PointFailedError: Points that failed.
        WordlineError: A mistake in a point.
    """
    results = run_points(_points(study), jobs=jobs, store=store, progress=progress)
    results.raise_failures()
    return of_results(results)


def of_results(results: Results) -> str:
    """Hash of points and their results, in their order; without those of real traces, which not everybody has."""
    digest = hashlib.sha256()
    for outcome in results:
        if outcome.synthetic is not False:
            digest.update(_text(outcome).encode() + b"\n")
    return digest.hexdigest()[:DIGITS]


def _points(study: Study) -> list[Point | Computation]:
    """The short form's points. Where a trace is not at hand a study takes something else in its place."""
    with _without_traces():
        return study.grid(True)


@contextmanager
def _without_traces() -> Iterator[None]:
    before = os.environ.get(TRACES)
    with tempfile.TemporaryDirectory(prefix="wordline-") as nothing:
        os.environ[TRACES] = nothing
        try:
            yield
        finally:
            del os.environ[TRACES]
            if before is not None:
                os.environ[TRACES] = before


def _text(outcome: Outcome) -> str:
    return json.dumps([_rounded(_plain(outcome.coordinates)), *_result(outcome)], sort_keys=True)


def _result(outcome: Outcome) -> list[Any]:
    """What came of a point: values, or a document with hashes of its tables' columns."""
    if outcome.result is None:
        return [_rounded(_plain(outcome.document))]
    document = {key: value for key, value in outcome.document.items() if key not in MADE_BY}
    columns = {
        f"{table}.{name}": [kind, hashlib.sha256(data).hexdigest(), words]
        for table, named in outcome.result.columns.items()
        for name, (kind, data, words) in named.items()
    }
    return [_without_wall(document), columns]


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON
    """As it comes back from the store, where tuples are lists and keys texts."""
    return json.loads(json.dumps(value))


def _rounded(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float):
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def _without_wall(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {key: _without_wall(each) for key, each in value.items() if not key.startswith(WALL)}
    return [_without_wall(each) for each in value] if isinstance(value, list) else value
