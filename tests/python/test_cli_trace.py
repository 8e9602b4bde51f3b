"""`wordline trace stat`, `convert` and `gen`."""

import gzip
import json
from pathlib import Path

import pytest

from cli_runner import wordline

TRACE = "time_ns,op,sector,sectors\n0,W,0,8\n1000000,R,0,8\n2000000,R,64,8\n2000000,R,72,16\n"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Three reads and a write."""
    path = tmp_path / "t.csv"
    path.write_text(TRACE)
    return path


def test_stat_as_text_and_as_json(trace: Path) -> None:
    text = wordline("trace", "stat", trace)
    assert (text.code, text.err) == (0, "")
    assert "4: reads 3, writes 1" in text.out
    assert "75.0 %" in text.out
    stat = json.loads(wordline("trace", "stat", trace, "--json").out)
    assert (stat["requests"], stat["reads"], stat["read_ratio"]) == (4, 3, 0.75)
    assert stat["sizes"] == [{"bytes": 4096, "reads": 2, "writes": 1}, {"bytes": 8192, "reads": 1, "writes": 0}]


def test_a_plot_never_overwrites_the_trace(trace: Path) -> None:
    answer = wordline("trace", "stat", trace, "--plot", trace.with_suffix(".png"))
    assert answer.code == 0, answer.err
    assert sorted(path.name for path in trace.parent.iterdir()) == ["t.csv", "t.data.csv", "t.png"]
    assert trace.read_text() == TRACE
    assert trace.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_convert_there_and_back(trace: Path, tmp_path: Path) -> None:
    native, back = tmp_path / "t.native.zst", tmp_path / "back.csv.gz"
    answer = wordline("trace", "convert", trace, native)
    assert (answer.code, answer.out) == (0, "")
    assert "4 requests" in answer.err
    assert wordline("trace", "convert", native, back, "--to", "csv").code == 0
    assert gzip.decompress(back.read_bytes()).decode() == TRACE


def test_gen_is_repeatable_and_counts_its_requests(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        answer = wordline(
            "trace", "gen", "fio/random-mix", tmp_path / name, "--to", "csv", "--set", "workload.requests=500"
        )
        assert answer.code == 0, answer.err
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 501


def test_a_generated_trace_runs_like_its_workload(tmp_path: Path) -> None:
    keys = ("--set", "workload.requests=500")
    assert wordline("trace", "gen", "fio/random-mix", tmp_path / "a.native", "--ssd", "pnar2", *keys).code == 0
    replayed = wordline("run", "pnar2", "--trace", tmp_path / "a.native", "--set", "host.mode=closed", "--json")
    generated = wordline("run", "pnar2", "--workload", "fio/random-mix", "--set", "host.mode=closed", *keys, "--json")
    assert replayed.code == generated.code == 0, replayed.err + generated.err
    responses = [json.loads(answer.out)["response_us"]["all"] for answer in (replayed, generated)]
    assert responses[0] == responses[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("stat", "missing.csv"), "missing.csv: no such file"),
        (("stat", "noise.txt"), "noise.txt"),
        (("stat", "t.csv", "--plot", "t.jpeg2"), ".png"),
        (("stat", "t.csv", "--plot", "no/t.png"), "no"),
        (("stat", "t.csv", "--format", "mscr"), "did you mean `msrc`?"),
        (("stat", "t.csv", "--device", "some"), "device"),
        (("convert", "t.csv", "out", "--to", "nativ"), "did you mean `native`?"),
        (("convert", "t.csv", "no/out"), "no"),
        (("convert", "bad.csv", "out"), "bad.csv:3"),
        (("gen", "fio/random-mx", "out"), "did you mean `fio/random-mix`?"),
        (("gen", "fio/random-mix", "out", "--set", "workload.request=5"), "did you mean `workload.requests`?"),
        (("gen", "fio/random-mix", "out", "--set", "workload.read_ratio=2"), "read_ratio"),
    ],
)
def test_bad_input_leaves_nothing(trace: Path, arguments: tuple[str, ...], said: str) -> None:
    (trace.parent / "bad.csv").write_text("time_ns,op,sector,sectors\n0,R,0,8\n1,R,x,8\n")
    (trace.parent / "noise.txt").write_text("what is this\n")
    answer = wordline("trace", *arguments, cwd=trace.parent)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("wordline: error: ")
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert sorted(path.name for path in trace.parent.iterdir()) == ["bad.csv", "noise.txt", "t.csv"]
