"""Measured points: read from fio's results and tables, run on a drive, and compared."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import wordline as wl
from cli_runner import wordline
from fio_programs import needs_fio
from wordline.errors import InputFileError
from wordline.measured import Load, Numbers, Point, Row, read

HEAD = "drive,host,workload,side,bs,iodepth,numjobs,iops,lat_mean_us,clat_p50_us,clat_p99_us\n"
ROW = "mine,40-GiB range,randread,read,4k,4,2,100000,80,70,120\n"
JOBS = """[global]
ioengine=null
size=64m
bs=4k
[mix]
rw=randrw
rwmixread=70
iodepth=4
numjobs=2
group_reporting
[reads]
stonewall
rw=randread
[clones]
stonewall
rw=read
iodepth=2
numjobs=2
"""


def fio_result(
    iops: float = 100.0, options: dict[str, str] | None = None, lacks: str = "", error: int = 0, before: str = ""
) -> str:
    """A result of fio with one job that read."""
    part = {"iops": iops, "total_ios": 10, "runtime": 1000, "lat_ns": {"mean": 2000.0}, "clat_ns": {"percentile": None}}
    kept = {name: value for name, value in part.items() if name != lacks}
    own = {"rw": "randread", **(options or {})}
    job = {"jobname": "a", "groupid": 0, "error": error, "job options": own, "read": kept, "write": {}}
    return before + json.dumps({"fio version": "fio-3.33", "jobs": [job]})


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """A job file."""
    path = tmp_path / "jobs.fio"
    path.write_text(JOBS)
    return path


def simulated(folder: Path, jobs: Path, *options: str) -> dict[str, Any]:
    """What `--fio-json` writes of a run of the jobs."""
    target = folder / "ours.json"
    answer = wordline("run", "mqsim", jobs, "--fio-json", target, "--set", "ssd.scale=1/64", *options)
    assert answer.code == 0, answer.err
    document: dict[str, Any] = json.loads(target.read_text())
    return document


def shape(value: object) -> object:
    """The names and kinds of a document, without tables whose names are its data."""
    if isinstance(value, dict):
        tables = ("percentile", "bins", "job options", "global options", "wordline version")
        return {name: shape(each) for name, each in value.items() if name not in tables}
    return [shape(value[0])] if isinstance(value, list) else type(value).__name__


def table(folder: Path, *rows: str, head: str = HEAD) -> Path:
    path = folder / "points.csv"
    path.write_text(head + "".join(rows))
    return path


def test_a_row_is_a_point(tmp_path: Path) -> None:
    (point,) = read(table(tmp_path, ROW)).points
    assert point.loads == (Load(1.0, True, 4096, 4096, 4, 2, range_bytes=40 << 30),)
    assert point.numbers == Numbers(iops=100_000, mean_us=80, p50_us=70, p99_us=120)
    assert (point.op, point.doubt, point.name) == ("read", "", "randread 4k 4x2")
    assert point.where.endswith("points.csv:2")


def test_a_row_beside_another_load(tmp_path: Path) -> None:
    head = "beside,beside_rate,op,bs,iodepth,numjobs,iops,lat_mean_us,lat_p99_us\n"
    row = "seqwrite 128k qd1 x2 jobs,2 x 50 MiB/s,randread,4k,1,1,13468,73.8,89.6\n"
    (point,) = read(table(tmp_path, row, head=head)).points
    assert point.loads[1] == Load(0.0, False, 131_072, 131_072, 1, 2, rate_iops=400.0)
    assert point.numbers.p99_us == 89.6


def test_a_point_that_breaks_littles_law_is_in_doubt(tmp_path: Path) -> None:
    (point,) = read(table(tmp_path, ROW.replace(",80,", ",60,"))).points
    assert "host's time" in point.doubt
    assert wl.Agreement("x", [Row(point, Numbers(iops=1.0))]).errors("iops") == []


def test_rows_are_selected_and_others_named(tmp_path: Path) -> None:
    path = table(tmp_path, ROW, ROW.replace("mine", "yours"), ROW.replace("randread", "zone-append"))
    reading = read(path, ["drive=min*"])
    assert len(reading.points) == 1
    assert "1 rows left out: `zone-append`" in reading.left_out[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD.replace(",bs,", ",") + ROW.replace("4k,", ""), "points.csv:1: there is no column `bs`"),
        (HEAD + ROW.replace("4k", "4 apples"), "points.csv:2: bs: `4 apples` is no number"),
        (HEAD + ROW.replace("100000", "-3"), "points.csv:2: iops: `-3` is no number"),
        (HEAD + ROW.replace(",4,2,", ",0,2,"), "points.csv:2: iodepth: 0 is out of range"),
        (HEAD + ROW.rpartition(",")[0], "points.csv:2: has another number of columns"),
        (HEAD, "there is no point"),
        ("{", "is no JSON"),
        ('{"jobs": []}', "is no result of fio"),
        ('{"fio version": "fio-3", "jobs": [{}]}', "lacks 'jobname' in a job"),
        ("fio: pid=0, err=22\n{", "points.csv:2: is no JSON"),
        (HEAD.replace("workload", "what") + ROW, "points.csv:1: there is no column `workload`"),
        (HEAD + ROW.replace("100000", "1e15"), "points.csv:2: iops: `1e15` is more than any drive does"),
        (fio_result(iops=-5.0), "its IOPS are not within"),
        (fio_result(iops=float("nan")), "its IOPS are not within"),
        (fio_result(options={"ioengine": "libaio", "iodepth": "many"}), "job a, iodepth: `many` is out of range"),
        (fio_result(options={"numjobs": "1000000"}), "job a, numjobs: `1000000` is out of range"),
        (fio_result(options={"bs": "1000"}), "job a, bs: is no multiple of 512 bytes"),
        (fio_result(lacks="clat_ns"), "lacks 'clat' in a job"),
        (fio_result(iops=0.0, error=22), "fio ended with an error"),
    ],
)
def test_a_mistake_names_its_place(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(InputFileError) as caught:
        read(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("before", ["", "\ufeff", "fio: this platform does not support it\n"])
def test_messages_before_a_result_are_passed_over(before: str, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(fio_result(before=before), encoding="utf-8")
    (point,) = read(path).points
    assert (point.numbers.iops, point.numbers.mean_us, point.numbers.p50_us) == (100.0, 2.0, None)


SHEET = """drive = "mine"
random_read_iops = 97_000
random_read_us = 110
sequential_read_mb_s = 560.0
random_write_iops = 24_000
"""


def test_a_data_sheet_is_points(tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text(SHEET)
    reading = read(path, ["drive=mine"])
    deep, single, sequential = reading.points
    assert (deep.name, deep.numbers.iops, deep.where) == ("randread 4k 32x1", 97_000.0, f"{path}:2")
    assert (single.name, single.numbers.mean_us) == ("randread 4k 1x1", 110.0)
    assert (sequential.name, sequential.numbers.iops) == ("seqread 128k 32x1", pytest.approx(560e6 / 131_072))
    assert "random_write_iops left out" in reading.left_out[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("random_reads = 3", "sheet.toml:6: random_reads: is no key of a data sheet; there are drive, host, depth"),
        ("random_write_us = -3", "sheet.toml:6: random_write_us: `-3` is no number above 0"),
        ("random_write_us = 'fast'", "sheet.toml:6: random_write_us: `fast` is no number above 0"),
        ("depth = 0", "depth: `0` is out of range"),
        ("depth", "is no TOML"),
    ],
)
def test_a_mistake_in_a_data_sheet_names_its_place(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text(SHEET + line + "\n")
    with pytest.raises(InputFileError) as caught:
        read(path)
    assert message in str(caught.value)


def test_clones_are_one_point_and_their_histograms_are_merged(tmp_path: Path) -> None:
    def entry(bins: dict[str, int], median: int) -> dict[str, Any]:
        count = sum(bins.values())
        clat = {"N": count, "percentile": {"50.000000": median}, "bins": bins}
        part = {"iops": 100.0, "total_ios": count, "runtime": 1000, "lat_ns": {"mean": 2000.0}, "clat_ns": clat}
        return {"jobname": "a", "groupid": 0, "job options": {"numjobs": "2"}, "read": part, "write": {}}

    document = {
        "fio version": "fio-3.33",
        "global options": {"rw": "randread", "bs": "4k"},
        "jobs": [entry({"1000": 90, "5000": 10}, 1000), entry({"5000": 100}, 5000)],
    }
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    (point,) = read(path).points
    assert point.loads[0].jobs == 2
    assert point.numbers.iops == 200.0
    # Of 200 values 110 take 5 us: the mean of both medians would be 3.
    assert point.numbers.p50_us == 5.0
    for job in document["jobs"]:
        del job["read"]["clat_ns"]["bins"]  # type: ignore[index]
    path.write_text(json.dumps(document))
    assert read(path).points[0].numbers.p50_us is None


def logged(folder: Path, seconds: tuple[int, int]) -> Path:
    """A result of two clones that ended at different times, the second one slower, with their logs beside it."""
    options = {
        "rw": "randread",
        "numjobs": "2",
        "write_iops_log": "logs/s",
        "write_lat_log": "s",
        "log_avg_msec": "1000",
    }
    jobs = []
    for number, length in enumerate(seconds, 1):
        part = {"iops": 10.0, "runtime": 1000 * length, "lat_ns": {"mean": 9e6}, "clat_ns": {"percentile": {}}}
        jobs.append({"jobname": "a", "groupid": 0, "job options": options, "read": part, "write": {}})
        for kind, values in (("iops", (100 * number, 900)), ("lat", (2000 * number, 9_000_000))):
            lines = [f"{1000 * second}, {values[second > min(seconds)]}, 0, 0, 0\n" for second in range(1, length + 1)]
            (folder / f"s_{kind}.{number}.log").write_text("".join(lines))
    path = folder / "result.json"
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": jobs}))
    return path


def test_jobs_that_end_at_different_times_are_read_from_their_logs(tmp_path: Path) -> None:
    (point,) = read(logged(tmp_path, (3, 6))).points
    # What the longer one did alone, 900 a second, does not count.
    assert point.numbers.iops == pytest.approx(300.0)
    assert point.numbers.mean_us == pytest.approx((100 * 2.0 + 200 * 4.0) / 300)
    assert (point.numbers.p50_us, point.doubt) == (None, "")


def test_without_logs_jobs_that_end_at_different_times_are_in_doubt(tmp_path: Path) -> None:
    path = logged(tmp_path, (3, 6))
    (tmp_path / "s_lat.2.log").unlink()
    assert read(path).points[0].doubt == "jobs ended at different times"


def test_a_line_of_a_log_that_is_none_is_named(tmp_path: Path) -> None:
    path = logged(tmp_path, (3, 6))
    (tmp_path / "s_iops.2.log").write_text("1000, 5, 0, 0\nnothing\n")
    with pytest.raises(InputFileError, match=r"s_iops\.2\.log:2: is no line of a log"):
        read(path)


def test_version_2_counts_microseconds(tmp_path: Path) -> None:
    clat = {"percentile": {"50.000000": 70, "99.000000": 120}}
    part = {"iops": 100.0, "total_ios": 100, "runtime": 1000, "lat": {"mean": 80.0}, "clat": clat}
    document = {
        "fio version": "fio-2.21",
        "jobs": [{"jobname": "a", "groupid": 0, "job options": {"rw": "randread"}, "read": part, "write": {}}],
    }
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    (point,) = read(path).points
    assert (point.numbers.mean_us, point.numbers.p99_us) == (80.0, 120.0)


def test_an_option_that_no_load_has_is_refused(tmp_path: Path) -> None:
    document = {
        "fio version": "fio-3.33",
        "global options": {"random_distribution": "zipf:1.2"},
        "jobs": [{"jobname": "a", "job options": {"rw": "randread"}, "read": {}, "write": {}}],
    }
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputFileError, match="job a, random_distribution: is no part of a load"):
        read(path)


def apart(folder: Path, *ratios: float) -> wl.Agreement:
    """A drive that makes these ratios of the measured IOPS."""
    points = read(table(folder, *(ROW for _ in ratios))).points
    return wl.Agreement("x", [Row(each, Numbers(iops=1e5 * at)) for each, at in zip(points, ratios, strict=True)])


@pytest.mark.parametrize(
    ("ratios", "line"),
    [
        ((1 / 48,), "IOPS: 48 times less than measured (1 point)"),
        ((12.5,), "IOPS: 12.5 times more than measured (1 point)"),
        ((0.9,), "IOPS: error 10.0 % (1 point)"),
        ((1.1, 0.9), "IOPS: error 10.0 % in the median, 10.0 % at the 90th percentile of 2 points"),
        (
            (1 / 1000, 1 / 48, 0.5),
            (
                "IOPS: error a factor of 48 in the median, a factor of 810 at the 90th percentile of 3 points "
                "(all: at most half of what was measured)"
            ),
        ),
        (
            (1.0, 1.0, 1.0, 4.0),
            (
                "IOPS: error 0.0 % in the median, a factor of 3.1 at the 90th percentile of 4 points "
                "(1 of 4: at least twice what was measured)"
            ),
        ),
        (
            (1 / 5, 1.0, 5.0),
            "IOPS: error a factor of 5 in the median, a factor of 5 at the 90th percentile of 3 points",
        ),
    ],
)
def test_numbers_that_are_far_apart_are_times(ratios: tuple[float, ...], line: str, tmp_path: Path) -> None:
    from wordline.output.agreement_table import errors

    assert errors(apart(tmp_path, *ratios)) == [line]


def test_no_ratio_is_shown_as_none(tmp_path: Path) -> None:
    from wordline.output.agreement_table import rows

    cells = [row[2] for row in rows(apart(tmp_path, 1 / 480, 0.5, 9.5))]
    assert cells[2::3] == ["x1/480", "x0.50", "x9.50"]
    assert "iops x480" in repr(apart(tmp_path, 1 / 480))


@needs_fio
def test_our_result_has_the_form_of_fios(jobs: Path, tmp_path: Path) -> None:
    fio = shutil.which("fio") or ""
    target = tmp_path / "fio.json"
    command = [fio, "--output-format=json+", f"--output={target}", str(jobs)]
    subprocess.run(command, check=True, cwd=tmp_path)
    theirs = json.loads(target.read_text())
    ours = simulated(tmp_path, jobs)
    assert shape(ours) == shape(theirs)
    names = [[(job["jobname"], job["groupid"]) for job in document["jobs"]] for document in (ours, theirs)]
    assert names[0] == names[1]
    for mine, other in zip(ours["jobs"], theirs["jobs"], strict=True):
        for op in ("read", "write"):
            assert mine[op]["io_bytes"] == pytest.approx(other[op]["io_bytes"], rel=0.03)
            assert list(mine[op]["clat_ns"].get("percentile", {})) == list(other[op]["clat_ns"].get("percentile", {}))


def test_a_run_beside_its_own_result_differs_in_nothing(jobs: Path, tmp_path: Path) -> None:
    simulated(tmp_path, jobs, "--set", "host.job_ns=1500")
    ssd = wl.preset("mqsim").set_all({"ssd.scale": "1/64", "host.job_ns": 1500})
    agreement = wl.run(ssd, wl.fio(jobs)).against(tmp_path / "ours.json")
    assert len(agreement.rows) == 4
    for number in ("iops", "mean_us", "p50_us", "p99_us"):
        assert agreement.errors(number) == pytest.approx([0.0] * len(agreement.rows), abs=2e-3)


def test_the_loads_of_a_result_give_its_numbers_again(jobs: Path, tmp_path: Path) -> None:
    simulated(tmp_path, jobs)
    target = tmp_path / "out"
    answer = wordline(
        "compare",
        "mqsim",
        "--set",
        "ssd.scale=1/64",
        "--against",
        tmp_path / "ours.json",
        "--out",
        target,
        "--jobs",
        "1",
    )
    assert answer.code == 0, answer.err
    assert "IOPS: error" in answer.out
    document = json.loads((target / "against.json").read_text())
    (drive,) = document["drives"]
    assert drive["points"][0]["point"] == "randrw70 4k 4x2 reads"
    # A fresh sample of the same loads: chance and the ends of the window are what is left.
    assert drive["error"]["iops"]["median"] < 0.1
    assert drive["error"]["p50_us"]["median"] < 0.1
    assert (target / "against.csv").read_text().count("\n") == 1 + len(drive["points"])


def test_a_grid_of_drives_is_a_row_each(tmp_path: Path) -> None:
    path = table(tmp_path, ROW.replace("40-GiB range", "whole drive").replace(",4,2,", ",1,1,"))
    answer = wordline(
        "compare", "mqsim", "--set", "ssd.scale=1/64", "--against", path, "--set", "host.submit_ns=0,50000", "--json"
    )
    assert answer.code == 0, answer.err
    assert answer.err.count("ssd.scale = 1/64: ") == 1, "a part of a drive is said to be one, once"
    slow = [drive["points"][0]["simulated"]["mean_us"] for drive in json.loads(answer.out)["drives"]]
    assert slow[1] - slow[0] == pytest.approx(50, abs=5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workload", "fio/random-read"), "--against brings the loads"),
        (("--seeds", "3"), "--seeds: a point is run once"),
        (("--until", "iops ±1%"), "--until: a point is run once"),
        (("--only", "drive=nobody"), "there is no point"),
        (("--only", "colour=red"), "there is no column `colour`"),
        (("--only", "colour"), "is no selection"),
    ],
)
def test_what_has_no_meaning_beside_points_is_refused(options: tuple[str, str], message: str, tmp_path: Path) -> None:
    answer = wordline("compare", "mqsim", "--against", table(tmp_path, ROW), *options)
    assert answer.code == 2
    assert message in answer.err


def test_options_of_points_need_points() -> None:
    answer = wordline("compare", "mqsim", "--only", "drive=x")
    assert (answer.code, answer.out) == (2, "")
    assert "--only is about measured points" in answer.err


def test_a_result_of_fio_needs_a_job() -> None:
    answer = wordline("run", "mqsim", "--fio-json", "x.json")
    assert answer.code == 2
    assert "--fio-json writes the result of fio's jobs" in answer.err


def test_a_load_that_does_not_fit_names_its_point(tmp_path: Path) -> None:
    path = table(tmp_path, ROW.replace("40-GiB", "4000-GiB"))
    answer = wordline("compare", "mqsim", "--against", path)
    assert answer.code == 2
    assert "points.csv:2: randread 4k 4x2:" in answer.err


def test_points_of_one_load_share_a_run() -> None:
    from wordline.agreement import Simulator

    load = Load(0.5, True, 4096, 4096, 2)
    points = [Point(op, (), (load,), op, Numbers(iops=5e3)) for op in ("read", "write")]  # type: ignore[arg-type]
    simulator = Simulator()
    numbers = simulator.numbers(wl.preset("mqsim").set("ssd.scale", "1/64"), points)
    assert simulator.runs == 1
    assert numbers[0].iops == pytest.approx(numbers[1].iops, rel=0.2)


def test_columns_may_have_other_units(tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("rw,bs,iodepth,numjobs,mib_s,lat_mean_ms,clat_p99_ns\nrandread,4k,4,1,100,0.156,200000\n")
    (point,) = read(table).points
    assert point.numbers == Numbers(iops=25_600.0, mean_us=pytest.approx(156.0), p99_us=pytest.approx(200.0))
    assert point.labels == (("rw", "randread"), ("bs", "4k"), ("iodepth", "4"), ("numjobs", "1"))


@pytest.mark.parametrize("separator", [";", "\t"])
def test_another_separator_is_said(separator: str, tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("rw,bs,iodepth,numjobs,iops\nrandread,4k,1,1,9000\n".replace(",", separator))
    with pytest.raises(InputFileError, match=r"points.csv:1: .* is one column; separate columns by commas"):
        read(table)


def test_a_column_that_is_nearly_one_of_latencies_is_said(tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("rw,bs,iodepth,numjobs,iops,clat_p99,clat_p50_us,host\nrandread,4k,1,1,9000,300,100,x\n")
    reading = read(table)
    assert reading.points[0].numbers == Numbers(iops=9000.0, p50_us=100.0)
    (note,) = reading.left_out
    assert "points.csv:1: column `clat_p99` is a label" in note
    assert "clat_p99_us" in note


@pytest.mark.parametrize(
    ("mean_us", "why"), [("160", "host's time counts"), ("0.08", "another unit"), ("80000", "unit")]
)
def test_a_wrong_unit_is_told_from_the_time_of_the_host(mean_us: str, why: str, tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text(HEAD + ROW.replace(",80,", f",{mean_us},"))
    assert why in read(table).points[0].doubt


def test_results_of_fio_that_break_littles_law_are_in_doubt(tmp_path: Path) -> None:
    # Requests of 2 us, 447 a second, one at a time: of a page cache, or of a machine that did something else.
    result = tmp_path / "r.json"
    for iops, doubt in ((447.0, "one of them has another unit, or the drive was not asked"), (490_000.0, "")):
        result.write_text(fio_result(iops=iops))
        (point,) = read(result).points
        assert point.doubt.endswith(doubt)
        assert bool(point.doubt) == bool(doubt)
