"""A hash of the results of a study's short form: while it is unchanged, the study's published numbers are valid.

It covers the measurements of the runs, the return values of the computations, the rows of figures and tables, and the
claims. It does not cover warnings, versions and values that have no name in `wordline_papers.measured`, so that a
result document may grow; nor views, figures that only show something, and the points that only views need. Names and
order of points are not covered either: their meaning is in the rows and claims.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wordline.sweeps.engine import PointsProgress, run_points
from wordline.sweeps.outcome import Outcome, Results
from wordline.sweeps.store import Store

from . import claims, measured
from .at_hand import TRACES
from .study import Study
from .study import measured as claims_of

__all__ = ["content", "of_content", "of_study"]

# The last digits of Python's computations may differ between machines; those of the core may not.
SIGNIFICANT_DIGITS = 9
DIGITS = 16


def of_study(
    study: Study,
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[PointsProgress], object] | None = None,
) -> str:
    """Returns the fingerprint of a study's short form, without any real traces.

    Raises:
        PointFailedError: Points failed.
        WordlineError: There is a mistake in a point.
    """
    covered = study.without_views
    with _without_traces():
        results = run_points(covered.points(True), jobs=jobs, store=store, progress=progress)
        results.raise_failures()
        return of_content(content(covered, results))


def of_content(found: dict[str, Any]) -> str:
    """Returns the hash of a study's content."""
    return hashlib.sha256(_text(found).encode()).hexdigest()[:DIGITS]


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
