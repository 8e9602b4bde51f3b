"""`wordline compare SSD --against`: percentiles of few requests, hosts that differ, and files of several drives."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline.errors import WorkloadError
from wordline.measured import read
from wordline.output.plot.style import figure, log_ticks
from wordline.progress import bar

HEAD = "drive,host,engine,workload,bs,iodepth,numjobs,total_ios,iops,lat_mean_us,clat_p50_us,clat_p99_us,clat_p999_us\n"
SHORT = 'mine,"{host}",libaio,{workload},4k,{depth},1,{total},{iops},90,85,120,200\n'


def table(path: Path, *rows: str) -> Path:
    path.write_text(HEAD + "".join(rows), encoding="utf-8")
    return path


def row(
    workload: str = "randread", depth: int = 1, total: int = 100_000, host: str = "one", drive: str = "mine"
) -> str:
    return SHORT.format(host=host, workload=workload, depth=depth, total=total, iops=11000 * depth).replace(
        "mine", drive
    )


def test_a_percentile_with_few_requests_beyond_it_is_marked_and_left_out(tmp_path: Path) -> None:
    file = table(tmp_path / "short.csv", row(total=9_999))
    answer = wordline("compare", "mqsim", "--scale", "1/64", "--against", file, "-n", "300")
    assert "200.0*" in answer.out
    assert "120.0*" not in answer.out
    assert "p99: " in answer.out
    assert "p99.9: " not in answer.out
    assert "fewer than 10 measured requests" in answer.out
    (document,) = json.loads(wordline("compare", "mqsim", "--scale", "1/64", "--against", file, "--json").out)["drives"]
    assert document["points"][0]["few"] == ["p999_us"]
    assert document["error"]["p999_us"]["points"] == 0


def test_few_simulated_requests_beyond_a_percentile_are_said(tmp_path: Path) -> None:
    compare = ("compare", "mqsim", "--scale", "1/64", "--against")
    note = "about 5 of the 5,000 simulated requests of a load lie beyond p99.9; -n 10k has 10 there"
    assert note in wordline(*compare, table(tmp_path / "long.csv", row())).err
    assert "beyond p99.9" not in wordline(*compare, tmp_path / "long.csv", "-n", "10k").err
    assert "beyond p99.9" not in wordline(*compare, table(tmp_path / "short.csv", row(total=500))).err


def test_ten_beyond_are_enough_and_an_unknown_number_is_taken_as_many(tmp_path: Path) -> None:
    for total in ("10000", ""):
        file = table(tmp_path / "long.csv", row().replace("100000", total))
        assert not read(file).points[0].is_few("p999_us")


def test_a_result_of_fio_says_how_many_requests_it_has(tmp_path: Path) -> None:
    job, result = tmp_path / "short.fio", tmp_path / "short.json"
    job.write_text("[a]\nfilename=/dev/nvme0n1\nrw=randread\nbs=4k\nnumber_ios=500\n")
    assert wordline("run", "mqsim", job, "--scale", "1/64", "--fio-json", result).code == 0
    (point,) = read(result).points
    assert point.requests == 500
    assert point.is_few("p99_us")
    assert not point.is_few("p50_us")
    assert wl.against(wl.preset("mqsim", scale="1/64"), result, requests=200).errors("p99_us") == []


def test_loads_are_sorted_and_hosts_that_differ_have_a_column(tmp_path: Path) -> None:
    rows = [row(depth=depth, host=host) for host in ("an HBA, SAS", "AHCI") for depth in (4, 1)]
    file = table(tmp_path / "hosts.csv", *rows)
    options = ("compare", "mqsim", "--scale", "1/64", "--against", file, "-n", "200")
    answer = wordline(*options, "--out", tmp_path / "out")
    lines = [each.split("  ") for each in answer.out.splitlines() if " measured " in each]
    assert [line[0] for line in lines] == [f"randread 4k {depth}x1" for depth in (1, 1, 4, 4)]
    assert [next(filter(None, line[1:])).strip() for line in lines] == ["AHCI", "an HBA, SAS"] * 2
    assert "2 hosts (an HBA, SAS; AHCI): --only 'host=an HBA, SAS' takes those of one" in answer.err
    assert (tmp_path / "out" / "against.csv").read_text().splitlines()[0].startswith("point,where,host,doubt")
    of_one = wordline(*options, "--only", "host=an HBA, SAS")
    assert "host" not in of_one.out.splitlines()[0]
    assert "hosts" not in of_one.err


def test_engines_that_differ_are_told_apart_too(tmp_path: Path) -> None:
    file = table(tmp_path / "engines.csv", row(), row().replace("libaio", "spdk"))
    answer = wordline("compare", "mqsim", "--scale", "1/64", "--against", file, "-n", "200")
    assert "engine" in answer.out.splitlines()[0]
    assert "--only engine=libaio" in answer.err


def test_points_of_several_drives_are_refused_with_their_names(tmp_path: Path) -> None:
    file = table(tmp_path / "drives.csv", row(), row(drive="yours"))
    answer = wordline("compare", "mqsim", "--scale", "1/64", "--against", file)
    assert answer.code == 2
    assert "2 drives (mine, yours); take one with --only drive=mine" in answer.err
    with pytest.raises(WorkloadError, match="2 drives"):
        wl.against("mqsim", file)


def test_a_figure_has_several_ticks_and_tells_writes_from_reads(tmp_path: Path) -> None:
    file = table(tmp_path / "both.csv", row(depth=8), row("randwrite", depth=64))
    answer = wordline(
        "compare", "mqsim", "--scale", "1/64", "--against", file, "-n", "200", "--plot", tmp_path / "both.svg"
    )
    assert answer.code == 0, answer.err
    texts = re.findall(r">([^<>]+)</text>", (tmp_path / "both.svg").read_text())
    assert {"reads", "writes", "p50 of reads", "p50 of writes"} <= set(texts)
    assert texts.count("100,000") == texts.count("500,000") == 2


def test_a_million_is_written_out_and_a_narrow_axis_has_ticks() -> None:
    for ends, label in (((9e4, 1.1e6), "1,000,000"), ((1.02e5, 1.3e5), "120,000")):
        with figure(1) as (_, (axes,)):
            axes.set(xscale="log", xlim=ends)
            log_ticks(axes.xaxis)
            labels = [each.get_text() for each in axes.get_xticklabels()]
        assert label in labels
        assert len(labels) >= 3


def test_no_time_is_left_when_all_is_done(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = itertools.count(0.0, 20.0)
    monkeypatch.setattr("wordline.progress.time.monotonic", lambda: next(clock))
    with bar() as show:
        assert show is not None
        for done in range(3):
            show("comparing", done / 2, f"{done} of 2 loads")
    lines = capsys.readouterr().err.splitlines()
    assert lines[1].endswith(" s left")
    assert lines[2] == "wordline: comparing 100%, 2 of 2 loads"


def test_writes_on_a_preset_of_reads_warn_in_text_and_in_json(tmp_path: Path) -> None:
    file = table(tmp_path / "mix.csv", row(), row("randwrite"))
    compare = ("compare", "samsung-980-pro-1tb", "--scale", "1/64", "-n", "200", "--against", file)
    said = "samsung-980-pro-1tb was fitted to reads alone: IOPS and times of writes"
    answer = wordline(*compare, "--json")
    (drive,) = json.loads(answer.out)["drives"]
    assert said in drive["warnings"][0]
    assert any("ssd.scale" in each for each in drive["warnings"])
    assert said in answer.err
    assert "was fitted to" not in wordline(*compare, "--only", "workload=randread").err
