"""`wordline trace stat`, `convert` and `gen`."""

import gzip
import json
from pathlib import Path

import pytest

from cli_runner import wordline

TRACE = "time_ns,op,sector,sectors,handle\n0,W,0,8,3\n1000000,R,0,8,0\n2000000,R,64,8,0\n2000000,R,72,16,0\n"


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


def test_no_file_is_overwritten_without_force(trace: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious.csv"
    for command in (("convert", trace), ("gen", "fio/random-mix", "--set", "workload.requests=9")):
        precious.write_text("precious")
        arguments = ("trace", *command[:2], precious, *command[2:])
        answer = wordline(*arguments)
        assert (answer.code, len(answer.err.splitlines())) == (2, 1), answer.err
        assert f"{precious}: is there already" in answer.err
        assert "--force" in answer.err
        assert precious.read_text() == "precious"
        assert wordline(*arguments, "--force").code == 0
        assert precious.read_text().startswith("time_ns,op,sector,sectors,handle\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious.csv", "t.csv"]


def test_the_input_is_never_replaced(trace: Path) -> None:
    for force in ((), ("--force",)):
        answer = wordline("trace", "convert", trace, trace.parent / "." / trace.name, *force)
        assert answer.code == 2
        assert "which the command names" in answer.err
        assert trace.read_text() == TRACE


def test_a_dash_is_standard_output(trace: Path, tmp_path: Path) -> None:
    answer = wordline("trace", "convert", trace, "-", "--to", "csv", cwd=tmp_path)
    assert (answer.code, answer.out) == (0, TRACE)
    assert "4 requests written to standard output" in answer.err
    answer = wordline(
        "trace", "gen", "fio/random-mix", "-", "--to", "csv", "--set", "workload.requests=3", cwd=tmp_path
    )
    assert (answer.code, len(answer.out.splitlines())) == (0, 4)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_an_arrival_beyond_the_clock_is_an_error_with_its_line(tmp_path: Path) -> None:
    late = tmp_path / "late.trace"
    late.write_text("0 0 0 8 1\n1000 0 8 8 1\n" + "18446744073709551615 0 16 8 1\n" * 3)
    for command in (("trace", "stat", late), ("run", "pnar2", "--trace", late)):
        answer = wordline(*command)
        assert answer.code == 2
        assert f"{late}:3: the request arrives 18446744073709551615 ns after the start" in answer.err


def test_a_time_scale_that_leaves_the_clock_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    path.write_text("0 0 0 8 1\n4000000000000000000 0 8 8 1\n")
    assert wordline("run", "pnar2", "--trace", path, "--set", "host.time_scale=0.001").code == 0
    answer = wordline("run", "pnar2", "--trace", path, "--set", "host.time_scale=100.0")
    assert answer.code == 2
    assert "lower host.time_scale" in answer.err
