"""What a study's short form gives, as a hash: as long as it stays, the study's published numbers stand.

It covers what the runs measured and what the computations returned, the rows of figures and tables, and the claims.
Warnings, versions and values that have no name in `wordline.studies.measured` are outside, so that a result document
may grow. So are the names and the order of points: what they mean is in the rows and claims.
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

from ..sweeps.engine import PointsProgress, run_points
from ..sweeps.outcome import Outcome, Results
from ..sweeps.store import Store
from . import claims, measured
from .at_hand import TRACES
from .study import Study
from .study import measured as claims_of

__all__ = ["content", "of_content", "of_study"]

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
    """Fingerprint of what a study's short form gives, as it is where no real trace is at hand.

    Raises:
        PointFailedError: Points that failed.
        WordlineError: A mistake in a point.
    """
    with _without_traces():
        results = run_points(study.points(True), jobs=jobs, store=store, progress=progress)
        results.raise_failures()
        return of_content(content(study, results))


def of_content(found: dict[str, Any]) -> str:
    """The hash of a study's content."""
    return hashlib.sha256(_text(found).encode()).hexdigest()[:DIGITS]


def content(study: Study, results: Results) -> dict[str, Any]:
    """What the fingerprint covers: `points` (each once), `rows` by the names of figures and tables, `claims` by id."""
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
    """What came of a point: what a computation returned, or what a run measured with hashes of its tables' columns."""
    if outcome.result is None:
        return _text(_rounded(_plain(outcome.document)))
    columns = {
        name: [kind, hashlib.sha256(data).hexdigest(), words]
        for name, (kind, data, words) in measured.columns(outcome.result.columns).items()
    }
    return _text([measured.values(outcome.document), columns])


@contextmanager
def _without_traces() -> Iterator[None]:
    """Where a trace or table is not at hand a study takes something else in its place, or goes without."""
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
    """As it comes back from the store, where tuples are lists and keys texts."""
    return json.loads(json.dumps(value))


def _rounded(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float):
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
