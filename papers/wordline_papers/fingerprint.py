"""A hash of the results of a study's short form: while it is unchanged, so are the study's published numbers.

It covers the measurements of the runs, the return values of the computations, the rows of figures and tables, and the
claims. It does not cover warnings, versions and values that are not in `covered.toml`, so that a result may grow; nor
views, figures that only show something, and the points that only views need. Names and order of points are not covered
either: their meaning is in the rows and claims.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wordline.result import Result
from wordline.sweeps import identity
from wordline.sweeps.engine import PointsProgress, run_points
from wordline.sweeps.outcome import Outcome, Results, Values
from wordline.sweeps.store import DamagedPointError, Store

from . import claims, measured
from .at_hand import TRACES
from .study import Study
from .study import measured as claims_of

__all__ = ["ShortForm", "content", "of_content", "of_study"]

# The last digits of Python's computations may differ between machines; those of the core may not.
SIGNIFICANT_DIGITS = 9
DIGITS = 16


@dataclass(frozen=True)
class ShortForm:
    """What the short form of a study gives.

    Attributes:
        fingerprint: The hash of its results.
        forgotten: Points that the store has with other results: the revision of the Python code, or the version of the
            computation, was not raised.
    """

    fingerprint: str
    forgotten: tuple[str, ...] = ()


def of_study(
    study: Study,
    *,
    jobs: int | None = None,
    store: Store | None = None,
    keep: bool = True,
    progress: Callable[[PointsProgress], object] | None = None,
) -> ShortForm:
    """Runs the short form of a study anew, without any real traces.

    Args:
        study: The study.
        jobs: See `run_points`.
        store: Compared with the results, never used in place of a run.
        keep: Stores points that the store does not have.
        progress: See `run_points`.

    Raises:
        PointFailedError: Points failed.
        WordlineError: There is a mistake in a point.
    """
    covered = study.without_views
    with _without_traces():
        results = run_points(covered.points(True), jobs=jobs, progress=progress)
        results.raise_failures()
        others = () if store is None else tuple(_others(results, store, keep))
        return ShortForm(of_content(content(covered, results)), others)


def _others(results: Results, store: Store, keep: bool) -> Iterator[str]:
    """Yields the points that a store has with other results; stores those that it does not have."""
    if keep:
        store.prepare()
    for outcome in results:
        key = identity.key(outcome.point.resolve())
        values = outcome.result if outcome.result is not None else Values(outcome.document)
        if key is None:
            continue
        with suppress(DamagedPointError):
            kept = store.get(key)
            if kept is None and keep:
                store.put(key, values)
            elif kept is not None and of_point(_with(outcome, kept)) != of_point(outcome):
                yield str(outcome.point)


def _with(outcome: Outcome, kept: Result | Values) -> Outcome:
    result, values = (kept, None) if isinstance(kept, Result) else (None, kept)
    return replace(outcome, result=result, values=values)


def of_content(fields_of_result: dict[str, Any]) -> str:
    """Returns the hash of a study's content."""
    return hashlib.sha256(_text(fields_of_result).encode()).hexdigest()[:DIGITS]


def content(study: Study, results: Results) -> dict[str, Any]:
    """Returns the covered content: `points` (each once), `rows` by names of figures and tables, `claims` by id."""
    tables = study.tables(results)
    rows: dict[str, set[str]] = {}
    for table in tables:
        if table.figure.is_saved:
            rows.setdefault(table.figure.name, set()).add(_text(_rounded(_plain(table.columns()))))
    verdicts = claims.judged(claims_of(tables), study.name, study.papers)
    return {
        "points": sorted({of_point(outcome) for outcome in results}),
        "rows": {name: sorted(texts) for name, texts in rows.items()},
        "claims": {each.claim.id: [_rounded(each.measured), each.holds, each.synthetic] for each in verdicts},
    }


def of_point(outcome: Outcome) -> str:
    """Returns a computation's return value, or a run's measurements with hashes of its tables' columns."""
    if outcome.result is None:
        return _text(_rounded(_plain(outcome.document)))
    columns = {
        name: [kind, hashlib.sha256(data).hexdigest(), words]
        for name, (kind, data, words) in measured.columns(outcome.result.columns).items()
    }
    return _text([measured.values(outcome.document), columns])


@contextmanager
def _without_traces() -> Iterator[None]:
    """Hides real traces and tables: a study then uses a replacement, or does without."""
    before = os.environ.get(TRACES)
    with tempfile.TemporaryDirectory(prefix="wordline-") as nothing:
        os.environ[TRACES] = str(Path(nothing) / "traces")
        try:
            yield
        finally:
            del os.environ[TRACES]
            if before is not None:
                os.environ[TRACES] = before


def _text(value: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(value, sort_keys=True)


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON
    """Returns the value in the form of the store, in which tuples are lists and keys are texts."""
    return json.loads(json.dumps(value))


def _rounded(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float):
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
