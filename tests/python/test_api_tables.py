"""Requests from arrays, results that are saved, and callbacks that stop a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import wordline as wl
from api_helpers import small
from cli_runner import wordline


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORDLINE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


COLUMNS = {
    "time_us": np.array([20.0, 0.0, 10.5]),
    "operation": np.array(["read", "write", "R"]),
    "offset": np.array([8192, 0, 4096]),
    "size": np.array([4096, 4096, 512]),
}


@pytest.mark.parametrize("form", ["dict", "pandas", "arrow", "structured"])
def test_a_table_is_a_trace_sorted_by_time(form: str) -> None:
    data: object = COLUMNS
    if form == "pandas":
        data = pd.DataFrame(COLUMNS)
    if form == "arrow":
        data = pa.table(COLUMNS)
    if form == "structured":
        data = np.rec.fromarrays(list(COLUMNS.values()), names=list(COLUMNS))
    trace = wl.trace(data)  # type: ignore[arg-type]
    rows = wl.run(small(), trace, log_requests=True).requests().sort_by("arrival_ns").to_pydict()
    assert rows["arrival_ns"] == [0, 10_500, 20_000]
    assert rows["op"] == ["write", "read", "read"]
    assert (rows["sector"], rows["sectors"]) == ([0, 8, 16], [8, 1, 8])
    assert wl.trace(COLUMNS) == trace, "the same requests have the same name"


def test_a_result_of_a_table_is_a_trace_again() -> None:
    first = wl.run(small(), wl.workload("fio/random-mix", requests=200), log_requests=True)
    frame = first.requests().to_pandas()
    again = wl.trace(frame).stat()
    assert again["requests"] == 200


def test_a_column_of_flows_is_chosen_from(tmp_path: Path) -> None:
    trace = {**COLUMNS, "flow": np.array([0, 1, 0])}
    flows = [wl.Flow(f"tenant-{number}", wl.trace(trace, device=number)) for number in (0, 1)]
    result = wl.run(small(), flows)
    assert {name: each["requests"]["all"] for name, each in result.document["flows"].items()} == {
        "tenant-0": 2,
        "tenant-1": 1,
    }
    wl.trace(trace).convert(tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").is_file()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"time_us": None}, "needs times: a column time_ns or"),
        ({"offset": np.array([1, 0, 0])}, "column offset, row 0: 1 is no multiple of 512"),
        ({"size": np.array([0.5, 512, 512])}, "column size: give whole numbers"),
        ({"time_us": np.array([-1.0, 0, 0])}, "column time_us: give whole numbers from 0 on"),
        ({"time_us": np.array([np.nan, 0, 0])}, "column time_us: give finite numbers"),
        ({"operation": np.array(["read", "write", "xyz"])}, "operation 'xyz'"),
        ({"handle": np.array([0, 1, 0])}, "no placement handles"),
        ({"size": np.array([512, 512])}, "of different lengths"),
    ],
)
def test_what_is_no_request_is_said(changes: dict[str, object], said: str) -> None:
    table = {name: column for name, column in {**COLUMNS, **changes}.items() if column is not None}
    with pytest.raises(wl.errors.TraceOptionError, match=said):
        wl.trace(table)


def test_a_saved_result_is_read_again_and_repeated(tmp_path: Path) -> None:
    result = wl.run(small(), "fio/random-mix", requests=300)
    result.save(tmp_path / "run")
    assert wl.load(tmp_path / "run").to_dict() == result.to_dict()  # type: ignore[union-attr]
    assert wordline("rerun", tmp_path / "run").out.startswith("every number is the same")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    with pytest.raises(OSError, match="other"):
        result.save(tmp_path / "other")
    with pytest.raises(wl.errors.RecordError, match="several seeds"):
        wl.replicate(small(), "fio/random-mix", requests=100, seeds=2, jobs=1).save(tmp_path / "seeds")


def test_a_callback_that_raises_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_PROGRESS_S", "0")

    def stop(now: wl.Progress) -> None:
        if now.stage == "run" and now.requests >= 1000:
            raise ValueError("enough")

    load = wl.workload("fio/random-mix", requests=10_000_000)
    result = wl.run(small(), load, progress=stop, keep_partial=True)
    assert result.document["partial"]
    assert 1000 <= result.document["requests"]["all"] < 10_000_000
    assert any("stopped by progress: ValueError: enough" in each for each in result.warnings)
    with pytest.raises(ValueError, match="enough"):
        wl.run(small(), load, progress=stop)


def test_a_callback_that_raises_keeps_finished_points() -> None:
    def stop(now: wl.PointsProgress) -> None:
        if now.done == 2:
            raise ValueError("enough")

    grid = {"host.queue_depth": [1, 2, 3]}
    results = wl.compare(small(), "fio/random-mix", grid, requests=100, jobs=1, progress=stop, keep_partial=True)
    assert (len(results), results.is_partial) == (2, True)
    assert "stopped by progress: ValueError: enough" in results.warnings
    with pytest.raises(ValueError, match="enough"):
        wl.compare(small(), "fio/random-mix", grid, requests=100, jobs=1, progress=stop)
