"""Files of a result: complete or absent, and readable by the programs they are for."""

import csv
import itertools
import json
import os
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

import cli_fakes
import wordline as wl
from wordline.output import atomic, compare_table, csv_table, json_document, parquet, perfetto, result_folder
from wordline.output.plot import run as run_plot
from wordline.output.plot import trace_stat


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    with result_folder.folder(tmp_path / "a" / "out") as work:
        (work / "result.json").write_text("1")
        assert not (tmp_path / "a" / "out").exists()
    assert left(tmp_path / "a") == ["out"]
    assert left(tmp_path / "a" / "out") == ["result.json", "wordline.sha256"]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with result_folder.folder(out) as work:
        (work / "result.json").write_text("old")

    def interrupted() -> None:
        with result_folder.folder(out) as work:
            (work / "result.json").write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert left(tmp_path) == ["out"]
    assert (out / "result.json").read_text() == "old"


def test_an_earlier_result_is_replaced_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("first", "second"):
        with result_folder.folder(out) as work:
            (work / "result.json").write_text(name)
            (work / name).write_text("")
    assert left(out) == ["result.json", "second", "wordline.sha256"]
    assert left(tmp_path) == ["out"]


def test_anything_else_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        result_folder.check_folder(tmp_path / "photos")
    with pytest.raises(FileExistsError):
        result_folder.check_folder(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        result_folder.check_folder(tmp_path / "file" / "out")
    result_folder.check_folder(tmp_path / "new" / "deep")


def test_a_file_keeps_its_old_content_when_writing_fails(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")

    def fail(work: Path) -> None:
        work.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        atomic.file(target, fail)
    assert target.read_text() == "old"
    assert left(tmp_path) == ["a.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_nothing_takes_the_place_of_a_pipe_or_a_device(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # A reader that does not wait for a writer, so that the writer does not wait for it either.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        atomic.file(pipe, lambda work: work.write_text("all of it"))
        assert os.read(reader, 100) == b"all of it"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert left(tmp_path) == ["pipe"]


def test_json_is_sorted_and_never_nan() -> None:
    assert json_document.text({"b": 1, "a": "µ"}) == '{\n  "a": "µ",\n  "b": 1\n}\n'
    with pytest.raises(ValueError, match="JSON"):
        json_document.text({"a": float("nan")})


def test_a_comparison_as_csv_has_settings_and_numbers(tmp_path: Path) -> None:
    words = ("ideal", "baseline")
    points = [({"read.retry": word}, {"response_us.write.p99": 98765.4, "seed": at}) for at, word in enumerate(words)]
    compare_table.write_csv(tmp_path / "c.csv", points)
    rows = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert [r["read.retry"] for r in rows] == ["ideal", "baseline"]
    assert float(rows[1]["response_us.write.p99"]) == 98765.4
    assert rows[1]["seed"] == "1"


def test_a_request_log_says_which_run_it_is_of(tmp_path: Path) -> None:
    parquet.write(tmp_path / "r.parquet", pyarrow.table(cli_fakes.series()), cli_fakes.document())
    table = pyarrow.parquet.read_table(tmp_path / "r.parquet")
    assert table.num_rows == 2
    assert json.loads(table.schema.metadata[b"config_hash"]) == cli_fakes.DOCUMENT["config_hash"]
    assert json.loads(table.schema.metadata[b"workload"])["synthetic"] is True


def test_a_timeline_is_a_chrome_trace(tmp_path: Path) -> None:
    perfetto.write(tmp_path / "t.json", cli_fakes.timeline())
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    assert [(e["name"], e["ts"], e["dur"]) for e in slices] == [
        ("transfer", 0.01, 12.288),
        ("program", 1.0, 750.0),
        ("sense", 1.5, 75.001),
    ]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    # The sense overlaps the suspended program: it has a lane of its own beside it.
    assert [names[e["pid"], e["tid"]] for e in slices] == ["channel 1", "die 3", "die 3 (2)"]
    assert {e["args"]["name"] for e in events if e["name"] == "process_name"} == {"flash arrays", "channels", "ECC"}


def test_arrows_lead_from_a_request_to_what_is_done_for_it(tmp_path: Path) -> None:
    ssd, load = wl.preset("mqsim"), wl.workload("fio/random-mix", requests=300)
    result = wl.run(ssd, load, log_requests=True, timeline_us=(0, 3000))
    timeline, requests = result.arrays("timeline"), result.arrays("requests")
    perfetto.write(tmp_path / "t.json", timeline, requests, ssd["ssd.page_bytes"])
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    spans = [e for e in events if e["ph"] == "X" and e["pid"] == perfetto.REQUESTS[0]]
    last_ns = timeline["start_ns"].max()
    assert len(spans) == (requests["arrival_ns"] <= last_ns).sum() > 100
    # No two requests of a thread overlap.
    for tid in {e["tid"] for e in spans}:
        ours = [e for e in spans if e["tid"] == tid]
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-9 for a, b in itertools.pairwise(ours))
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ways: dict[int, list[str]] = {}
    places = {(e["pid"], e["tid"], e["ts"]): e for e in events if e["ph"] == "X"}
    for event in events:
        if event["ph"] in "stf":
            way = places[event["pid"], event["tid"], event["ts"]]
            span = places[tuple(starts[event["id"]][name] for name in ("pid", "tid", "ts"))]
            assert span["ts"] <= way["ts"]
            assert way["ts"] + way["dur"] <= span["ts"] + span["dur"] + 1e-9
            ways.setdefault(event["id"], []).append(way["name"])
    assert ["read 4096 B", "command", "sense", "data out"] in [way[:4] for way in ways.values()]


def test_an_empty_timeline_is_still_valid(tmp_path: Path) -> None:
    perfetto.write(tmp_path / "t.json", {name: column[:0] for name, column in cli_fakes.timeline().items()})
    assert all(e["ph"] == "M" for e in json.loads((tmp_path / "t.json").read_text())["traceEvents"])


def test_the_tail_ends_above_zero_on_a_log_axis() -> None:
    x, y = run_plot.tail(csv_table.bin_rows(cli_fakes.bins()), "read")
    assert (x, y) == ([1.5, 2.0], [100 / 700, 0.5 / 700])
    assert run_plot.tail([], "read") == ([], [])


def test_throughput_is_bytes_over_the_width_of_a_sample() -> None:
    columns = {name: column.tolist() for name, column in cli_fakes.series().items()}
    x, y = run_plot.throughput(columns, "read", 0.081)
    assert x == [0.0, 0.04, 0.081]
    assert y == pytest.approx([100.0, 50.0, 50.0])


def test_a_figure_of_a_run_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        paths = [tmp_path / place / name for name in ("run.svg", "run.png", "run.pdf")]
        run_plot.draw(paths, cli_fakes.bins(), cli_fakes.series(), cli_fakes.document())
    for name in ("run.svg", "run.png", "run.pdf"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    drawing = (tmp_path / "a" / "run.svg").read_text()
    assert "Response time (us)" in drawing
    assert "Throughput (MB/s)" in drawing
    assert "synthetic" in drawing


def test_a_figure_of_a_trace_has_its_data_beside_it(tmp_path: Path) -> None:
    trace_stat.draw(tmp_path / "t.svg", cli_fakes.STAT, "t.csv")
    assert left(tmp_path) == ["t.data.csv", "t.svg"]
    rows = list(csv.DictReader((tmp_path / "t.data.csv").read_text().splitlines()))
    assert [r["reads"] for r in rows if r["quantity"] == "requests in second"] == ["3", "0"]
    assert [r["x"] for r in rows if r["quantity"] == "requests of bytes"] == ["4096", "8192"]
