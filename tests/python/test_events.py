"""The event stream: the same rows as the tables of a run, in batches, to a callable or to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from api_helpers import reproducible, small
from wordline import extras
from wordline.errors import EventsError
from wordline.events import COLUMNS

pytestmark = pytest.mark.skipif(not extras.is_there("tables"), reason="there is no pyarrow")

KEYS = {"precondition.fill": 1.0, "precondition.overwrite": 1.0, "workload.read_ratio": 0.5, "erase.yield": "suspend"}


def config() -> wl.Config:
    return small().set_all(KEYS)


class Collected:
    """All batches, by kind."""

    def __init__(self) -> None:
        self.batches: dict[str, list[Any]] = {kind: [] for kind in COLUMNS}

    def __call__(self, kind: str, batch: Any) -> None:  # noqa: ANN401 - of pyarrow
        self.batches[kind].append(batch)

    def rows(self, kind: str) -> list[dict[str, Any]]:
        return [row for batch in self.batches[kind] for row in batch.to_pylist()]


def sorted_rows(rows: list[dict[str, Any]]) -> list[Any]:
    return sorted(tuple(row.items()) for row in rows)


def test_events_are_the_rows_of_the_tables_and_change_no_result() -> None:
    events = Collected()
    plain = wl.run(config(), requests=3000, log_requests=True, timeline_us=(0, 1e12))
    result = wl.run(config(), requests=3000, events=events)
    assert reproducible(result) == reproducible(plain)
    assert events.rows("requests") == plain.requests().to_pylist()
    # Suspended phases are as long as they were at last.
    assert sorted_rows(events.rows("flash")) == sorted_rows(plain.timeline().to_pylist())
    assert len(events.batches["flash"]) > 1, "in several batches"
    jobs = events.rows("jobs")
    assert len([job for job in jobs if job["reason"] == "gc"]) in range(result.document["gc"]["jobs"] - 4, 10**6)
    assert all(job["began_ns"] < job["ended_ns"] for job in jobs)
    assert [name for name in ("requests", "timeline") if name in result.columns] == []


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_are_chosen_and_files_written(kind: Any, tmp_path: Path) -> None:  # noqa: ANN401 - a word
    import pyarrow as pa
    from pyarrow import parquet

    out = tmp_path / "events"
    chosen = wl.Events(out, requests=["op", "completed_ns"], flash=False, jobs=("plane",), format=kind)
    wl.run(config(), requests=1500, events=chosen)
    assert {path.name for path in out.iterdir() if path.suffix == f".{kind}"} == {f"requests.{kind}", f"jobs.{kind}"}
    file = out / f"requests.{kind}"
    table = parquet.read_table(file) if kind == "parquet" else pa.ipc.open_file(file).read_all()
    assert (table.num_rows, table.column_names) == (1500, ["op", "completed_ns"])
    # A run without jobs has a file without rows.
    wl.run(small(), requests=10, events=wl.Events(out, flash=False, format=kind))
    file = out / f"jobs.{kind}"
    table = parquet.read_table(file) if kind == "parquet" else pa.ipc.open_file(file).read_all()
    assert (table.num_rows, table.column_names) == (0, list(COLUMNS["jobs"]))


def test_an_error_of_the_callable_ends_the_run_and_leaves_nothing(tmp_path: Path) -> None:
    def fails(kind: str, batch: object) -> None:
        raise ZeroDivisionError(kind, type(batch).__name__)

    with pytest.raises(ZeroDivisionError, match="requests"):
        wl.run(config(), requests=3000, events=fails)

    def stops(progress: object) -> None:
        raise KeyError(str(type(progress)))

    with pytest.raises(KeyError):
        wl.run(config(), requests=200_000, events=tmp_path / "events", progress=stops)
    assert list(tmp_path.iterdir()) == []


def test_what_makes_no_stream_is_refused(tmp_path: Path) -> None:
    def ignore(kind: str, batch: object) -> None:
        del kind, batch

    for events, options, message in (
        (wl.Events(ignore, flash=["begin"]), {}, "flash has no column 'begin'; there are track,"),
        (wl.Events(ignore, requests=False, flash=False, jobs=False), {}, "nothing is to be kept"),
        (wl.Events(ignore, format="csv"), {}, "the format 'csv' is none"),  # type: ignore[arg-type]
        (3, {}, "a int takes no events"),
        (ignore, {"log_requests": True}, "log_requests keeps the requests"),
        (ignore, {"timeline_us": (0, 1)}, "timeline_us keeps flash operations"),
        (ignore, {"save_state": tmp_path / "state", "save_every_s": 1.0}, "save_every_s saves states"),
    ):
        with pytest.raises(EventsError, match=message):
            wl.run(config(), requests=1, events=events, **options)  # type: ignore[arg-type]
    (tmp_path / "ssd.toml").write_text(config().to_toml())
    with pytest.raises(EventsError, match=r"the folder of events holds .*ssd.toml"):
        wl.run(wl.config(tmp_path / "ssd.toml"), requests=1, events=tmp_path)
