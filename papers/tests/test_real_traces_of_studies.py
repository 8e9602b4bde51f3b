"""Studies take the published traces that a user has, and say in each row which they were."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordline as wl
import wordline_papers as studies
from wordline.workload import Trace
from wordline_papers import Point, Results, at_hand, run_points
from wordline_papers.aero import system
from wordline_papers.at_hand import published, real_trace, source_of, whose
from wordline_papers.figure import columns
from wordline_papers.ida import gains, pace, points, setups
from wordline_papers.pnar2 import responses, workloads
from wordline_papers.rif import loops

# Eight requests each, by the formats of the published files; addresses in sectors of the last two.
FILETIME, SECTORS = 128166372000000000, 8
OPS = ("Write", "Read") * 4
FILES = {
    "hm_0.csv": [f"{FILETIME + 10_000 * n},hm,0,{op},{n * 16_384},16384,100" for n, op in enumerate(OPS)],
    "usr_1.csv": [f"{FILETIME + 10_000 * n},usr,1,{op},{n * 16_384},16384,100" for n, op in enumerate(OPS)],
    "io_traces.csv": [
        f"{device},{op[0]},{n * 4096},4096,{1577808000000626 + n}" for n, op in enumerate(OPS) for device in (3, 32)
    ],
    "2016022207-LUN0.csv": ["Timestamp,Response,IOType,LUN,Offset,Size"]
    + [f"{1456121000 + n}.5,0.001,{op[0]},0,{n * 4096},4096" for n, op in enumerate(OPS)],
    "2016022208-LUN0.csv": ["Timestamp,Response,IOType,LUN,Offset,Size"]
    + [f"{1456125000 + n}.5,0.001,{op[0]},0,{n * 4096},4096" for n, op in enumerate(OPS)],
    "ssdtrace-00": [
        f"259,0    1        {n}     0.00{n}000000   400  D   {op[0]} {n * SECTORS} + {SECTORS} [java]"
        for n, op in enumerate(OPS)
    ],
    "Financial1.spc": [f"0,{n * SECTORS},4096,{op[0]},0.{n}" for n, op in enumerate(OPS)],
}  # fmt: skip
OF_FILES = {
    "msrc/hm_0": (["hm_0.csv"], 8),
    "msrc/usr_1": (["usr_1.csv"], 8),
    "ali/a": (["io_traces.csv"], 8),
    "ali/b": (["io_traces.csv"], 8),
    "rif/systor_1": (["2016022207-LUN0.csv", "2016022208-LUN0.csv"], 16),
    "ycsb/a": (["ssdtrace-00"], 8),
    "umass/financial1": (["Financial1.spc"], 8),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of tiny traces under the names of published ones."""
    for name, lines in FILES.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    monkeypatch.setenv(at_hand.TRACES, str(tmp_path))
    return tmp_path


def points_on(part: studies.Part, quick: bool = True) -> list[Point]:
    return [point for point in part.points(quick) if isinstance(point, Point)]


@pytest.mark.usefixtures("folder")
def test_published_names_are_found_and_read() -> None:
    for look_alike, (names, requests) in OF_FILES.items():
        found = real_trace(look_alike)
        assert found is not None, look_alike
        assert [Path(path).name for path in found.paths] == names
        assert found.stat()["requests"] == requests, look_alike
    assert real_trace("rif/ali_1") is None
    assert real_trace("rif/systor_2") is None
    assert source_of("ycsb/b") == "ycsb/b"


def test_a_copy_in_the_native_format_goes_first(folder: Path) -> None:
    wl.trace(folder / "io_traces.csv", format="alibaba", device=32).convert(folder / "ali-a.native")
    wl.trace(folder / "usr_1.csv").convert(folder / "rif-ali_1.native")
    for look_alike in ("ali/a", "rif/ali_1"):
        found = real_trace(look_alike)
        assert found is not None
        assert found.name == f"{look_alike.replace('/', '-')}.native"
        assert wl.trace(found.paths).stat()["requests"] == 8


def test_a_compressed_file_counts_once(folder: Path) -> None:
    wl.trace(folder / "hm_0.csv").convert(folder / "hm_1.csv.gz", to="csv")
    (folder / "hm_0.csv.gz").write_bytes(b"another copy")
    assert [path.name for path in at_hand.files_of("hm_0.csv")] == ["hm_0.csv"]
    assert [path.name for path in at_hand.files_of("hm_1.csv")] == ["hm_1.csv.gz"]


def test_each_study_replays_what_is_there(folder: Path) -> None:
    expected = {
        responses.grid: {"hm_0": "hm_0.csv", "usr_1": "usr_1.csv", "YCSB-A": "ssdtrace-00"},
        loops.grid: {"rif/systor_1": "2016022207-LUN0.csv"},
        system.IOPS: {"ali.E": "io_traces.csv", "usr": "usr_1.csv"},
        gains.fig_10: {"usr_1": "usr_1.csv"},
    }
    for part, wanted in expected.items():
        replayed = {
            str(point.coordinates["trace"]): point.workload.name
            for point in points_on(part)
            if isinstance(point.workload, Trace)
        }
        assert replayed == wanted, part.name
    for path in folder.iterdir():
        path.unlink()
    for part in expected:
        assert not any(isinstance(point.workload, Trace) for point in points_on(part))


@pytest.mark.usefixtures("folder")
def test_a_faster_load_compresses_the_traces_own_times() -> None:
    hm_0 = next(traced for traced in workloads.TABLE_2 if traced.name == "hm_0")
    for setup in (workloads.OWN_RATES, workloads.Setup(0.01)):
        (point, *_) = responses.runs([hm_0], [], {}, workloads.QUICK, setup)
        scale = workloads.inter_arrival_us(hm_0, setup) / workloads.inter_arrival_us(hm_0)
        assert point.settings["host.time_scale"] == scale
    assert scale < 1.0


@pytest.mark.usefixtures("folder")
def test_rows_say_which_trace_they_replayed() -> None:
    whole = [point for point in points_on(loops.grid) if point.coordinates["trace"] in ("rif/systor_1", "rif/ali_6")]
    runs = run_points(
        [
            Point(point.ssd, point.settings, point.workload, requests=200, labels=point.labels)
            for point in whole
            if point.coordinates["system"] == loops.ZERO
        ],
        jobs=1,
    )
    by = {outcome.coordinates["trace"]: outcome for outcome in runs}
    replayed, made_up = by["rif/systor_1"], by["rif/ali_6"]
    assert whose(replayed) == {"real_trace": "2016022207-LUN0.csv"}
    assert replayed["requests.all"] == 16, "once, although the run may have 200"
    assert (replayed.synthetic, made_up.synthetic, Results(list(runs)).synthetic) == (False, True, True)
    assert whose(made_up) == {}
    row = loops.Loop("systor_1", 0, loops.ZERO, 1.0, 1.0, 0.0, {}, 0.5, whose(replayed))
    assert columns(row)["real_trace"] == "2016022207-LUN0.csv"
    assert "real_trace" not in columns(loops.Loop("ali_6", 0, loops.ZERO, 1.0, 1.0, 0.0, {}, 0.5, whose(made_up)))


@pytest.mark.usefixtures("folder")
def test_ida_rewrites_with_the_traces_own_writes() -> None:
    real, made_up = (points.rewritten(name, setups.updated, 8) for name in ("usr_1", "proj_1"))
    assert set(real) == {"precondition.overwrite", "precondition.shape"}
    assert real["precondition.shape"] == "workload"
    assert made_up == setups.updated("proj_1")
    first = setups.replayed("usr_1", 5)
    assert isinstance(first, Trace)
    assert first.stat()["requests"] == 5
    # Its last request comes after the first four gaps of a millisecond.
    assert pace.last_arrival_us("{}", "usr_1", 5) == pytest.approx(4_000.0)


def test_a_trace_that_only_reads_has_no_places_to_overwrite(folder: Path) -> None:
    reads = [line.replace("Write", "Read") for line in FILES["hm_0.csv"]]
    (folder / "hm_0.csv").write_text("\n".join(reads) + "\n")
    shapes = {
        str(point.coordinates["trace"]): point.settings["precondition.shape"]
        for point in points_on(responses.grid)
        if isinstance(point.workload, Trace)
    }
    assert shapes == {"hm_0": "random", "usr_1": "workload", "YCSB-A": "workload"}


def test_every_published_volume_of_msr_cambridge_has_its_name() -> None:
    its = published("msrc/src1_0")
    assert its is not None
    assert (its.files, its.format, its.device) == ("src1_0.csv", "msrc", None)
    assert published("fio/random-read") is None
