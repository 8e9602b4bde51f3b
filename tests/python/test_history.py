"""`--history`: reads that meet the order in which their own jobs wrote before."""

from __future__ import annotations

import csv
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from fit_drives import loads_of
from wordline.agreement import History, Length, Simulator, against, simulate
from wordline.agreement import history as module
from wordline.agreement.flows import Window
from wordline.agreement.history import UsedDrives
from wordline.agreement.jobs import jobs_for, jobs_within
from wordline.errors import WorkloadError
from wordline.fit import fit
from wordline.fit.model import TIMES, Model
from wordline.fit.written import drive_toml
from wordline.measured import Load, Numbers, Point
from wordline.measured.kind import Kind, kind_of
from wordline.workload import FioJob, Flow

KINDS = ("randrw50", "randwrite")
DRIVE = wl.preset("sabrent-rocket-4-plus-2tb").set_all(
    # Data leave no cache on their way, and three pages of two planes are one program.
    {"ssd.scale": "1/512", "slc.policy": "off", "program.unit": "wordline", "nand.program_wordline_us": 900.0}
)
LENGTH = Length(500)
SCALED = ("--set", "slc.policy=off", "--set", "program.unit=wordline", "--scale", "1/512")


def point(depth: int = 1, jobs: int = 1, iops: float = 50_000.0) -> Point:
    (load,) = loads_of("read", [(depth, jobs)])
    return Point(load.name(), (), (load,), "read", Numbers(iops=iops))


def addresses(flow: Flow, folder: Path) -> list[tuple[str, str]]:
    """The operation and the place of each request of a job."""
    path = folder / "requests.csv"
    flow.workload.write(path, DRIVE, to="csv", force=True)
    return [(row["op"], row["sector"]) for row in csv.DictReader(path.read_text().splitlines())]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("randread", Kind(True, 1.0)),
        ("write", Kind(False, 0.0)),
        ("seqwrite", Kind(False, 0.0)),
        ("randrw", Kind(True, 0.5)),
        ("randrw5", Kind(True, 0.05)),
        ("randrw101", None),
        ("randread5", None),
        ("trim", None),
        ("", None),
    ],
)
def test_a_kind_of_load_has_fios_name(name: str, kind: Kind | None) -> None:
    assert kind_of(name) == kind


def test_a_job_has_the_same_addresses_whatever_its_mix(tmp_path: Path) -> None:
    load = loads_of("read", [(4, 2)])[0]
    read, mixed, written = (jobs_for([replace(load, read_ratio=ratio)], DRIVE, [200]) for ratio in (1.0, 0.35, 0.0))
    first, other = (addresses(each, tmp_path) for each in read)
    assert {op for op, _ in addresses(mixed[0], tmp_path)} == {"R", "W"}
    for flow in (mixed[0], written[0]):
        assert [place for _, place in addresses(flow, tmp_path)] == [place for _, place in first]
    assert len(first) == 200
    assert {place for _, place in first}.isdisjoint(place for _, place in other[:20])


def test_jobs_keep_the_range_the_pace_and_the_window_of_their_load() -> None:
    paced = Load(0.0, True, 4096, 8192, 2, 1, first_byte=1 << 30, range_bytes=1 << 30, rate_iops=500.0)
    whole = loads_of("read", [(16, 2)])[0]
    flows = jobs_within([whole, paced], DRIVE, Window(0.5, 2.0))
    assert [flow.name for flow in flows] == ["0.0", "0.1", "1.0"]
    assert [flow.workload.number for flow in flows if isinstance(flow.workload, FioJob)] == [0, 1, 2]
    assert {(flow.ramp_s, flow.lasts_s) for flow in flows} == {(0.5, 2.0)}
    assert [(flow.mode, flow.queue_depth) for flow in flows] == [("closed", 16)] * 2 + [("paced", 2)]
    job = flows[2].workload.form(DRIVE)["fio"]["job"]
    assert (job["offset_bytes"], job["region_bytes"], job["gap_ns"]) == (1 << 30, 1 << 30, 2_000_000)
    assert job["streams"][1]["sizes"] == [[8192, 100]]
    assert flows[0].workload.form(DRIVE)["fio"]["job"]["region_bytes"] == DRIVE.host_bytes // 4096 * 4096


def test_a_range_behind_the_part_that_is_simulated_is_refused() -> None:
    (whole,) = loads_of("read", [(1, 1)])
    behind = replace(whole, first_byte=DRIVE.host_bytes, range_bytes=1 << 30)
    far = replace(point(), loads=(behind,))
    with pytest.raises(WorkloadError, match=r"are simulated; set a larger ssd\.scale"):
        Simulator(LENGTH, history=History(KINDS)).numbers(DRIVE, [far])


def test_a_load_beside_another_one_has_the_same_history() -> None:
    (reads,) = loads_of("read", [(1, 2)])
    writes = Load(0.0, False, 131_072, 131_072, 1, rate_iops=800.0)
    both = replace(point(1, 2), loads=(reads, writes))
    first, second = (
        flow for flow in History(("randwrite",)).runs(DRIVE, both, LENGTH)[0] if flow.name in ("0.1", "1.0")
    )
    assert first.workload.form(DRIVE)["fio"]["number"] == 1
    job = second.workload.form(DRIVE)["fio"]
    assert (job["number"], second.mode, job["job"]["random"], job["job"]["gap_ns"]) == (2, "closed", True, 0)
    (numbers,) = Simulator(LENGTH, history=History(("randwrite",))).numbers(DRIVE, [both])
    assert numbers.iops


def test_a_history_writes_more_than_a_faster_drive_reads() -> None:
    drive = DRIVE
    runs = History(KINDS).runs(drive, point(4, 2, 10_000.0), Length(1000))
    counts = [[flow.workload.form(drive)["fio"]["job"]["requests_max"] for flow in flows] for flows in runs]
    # 1,000 that count and three times 8 before, twice, in two jobs.
    assert counts == [[1024, 1024]] * 2
    mixes = [flows[0].workload.form(drive)["fio"]["job"]["mix"] for flows in runs]
    assert mixes == [{"read-percent": 50}, {"read-percent": 0}]


def test_what_is_no_history_is_refused() -> None:
    assert History.of([]) is None
    with pytest.raises(WorkloadError, match=r"`randtrim` is no kind of load in a history; write randwrite"):
        History.of(["randwrite", "randtrim"])
    aged = DRIVE.set("precondition.overwrite", 1.0)
    with pytest.raises(WorkloadError, match=r"leave out --steady and precondition\.overwrite"):
        against(aged, [point()], history=KINDS)
    with ThreadPoolExecutor(1) as pool, pytest.raises(WorkloadError, match="leave out the cluster"):
        Simulator(executor=pool, history=History(KINDS))


def test_drives_that_differ_in_times_share_what_a_history_leaves() -> None:
    times = {key: DRIVE[key] for key in TIMES}
    simulator = Simulator(LENGTH, 2, history=History.of(KINDS, times))
    quick = DRIVE.set_all({"host.job_ns": 2000, "nand.read_us": [20.0, 30.0, 40.0, 50.0]})
    simulator.batch([(DRIVE, [point(16)]), (quick, [point(16)])])
    assert (simulator.load_runs, simulator.history_runs, simulator.runs) == (2, 2, 4)
    simulator.numbers(DRIVE.set("nand.multiplane", "off"), [point(16)])
    assert simulator.history_runs == 4
    # Known from before.
    simulator.numbers(quick, [point(16)])
    assert simulator.runs == 7


def test_what_is_known_without_a_history_is_not_known_with_one() -> None:
    plain = Simulator(LENGTH)
    (free,) = plain.numbers(DRIVE, [point(16)])
    (met,) = Simulator(LENGTH, memo=plain.memo, history=History(KINDS)).numbers(DRIVE, [point(16)])
    assert (free.iops or 0) > 1.5 * (met.iops or 0)


@pytest.mark.parametrize(("history", "where"), [(None, simulate), (History(KINDS), module)])
def test_ctrl_c_ends_the_runs_of_other_threads(
    history: History | None, where: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, begun, ended = threading.Lock(), threading.Event(), threading.Event()

    def endless(*_: object, progress: Callable[[object], object] = id, **__: object) -> None:
        if first.acquire(blocking=False):
            begun.wait(10)
            raise KeyboardInterrupt
        begun.set()
        for _ in range(500):
            progress(None)
            time.sleep(0.01)
        ended.set()
        raise WorkloadError("nobody stopped it")

    monkeypatch.setattr(where, "run", endless)
    with pytest.raises(KeyboardInterrupt):
        Simulator(LENGTH, 2, history=history).numbers(DRIVE, [point(1), point(4)])
    assert begun.is_set()
    assert not ended.is_set()


def test_used_drives_make_room_for_others_and_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    used = UsedDrives(History(("randwrite",)))
    first = used.state(DRIVE, point(1), LENGTH)
    content = first.read_bytes()
    second = used.state(DRIVE, point(4), LENGTH)
    assert used.state(DRIVE, point(1), LENGTH) == first
    assert used.runs == 2
    used.make_room()
    assert first.exists()
    monkeypatch.setattr(module, "KEPT_BYTES", first.stat().st_size)
    used.make_room()
    assert (first.exists(), second.exists()) == (True, False)
    monkeypatch.setattr(module, "KEPT_BYTES", 0)
    used.make_room()
    assert used.state(DRIVE, point(1), LENGTH).read_bytes() == content
    assert used.runs == 3


def test_reads_that_meet_the_order_of_writes_are_fitted_with_their_history_alone() -> None:
    truth = Model(DRIVE, ()).config({"job_us": 4.0}).set("seed", 7)
    points = [point(1), point(16), point(64), point(1, 16)]
    for length in (500, 2000):
        # The first time says how long each load takes.
        numbers = Simulator(Length(length), history=History(KINDS)).numbers(truth, points)
        points = [replace(each, numbers=own) for each, own in zip(points, numbers, strict=True)]
    with_it, without = (
        fit(
            DRIVE,
            points,
            free=["job_us", "command_read_us"],
            dies=[16],
            history=history,
            requests=1000,
            with_intervals=False,
        )
        for history in (KINDS, ())
    )
    assert with_it.known["job_us"].value == pytest.approx(4.0, rel=0.05)
    assert max(with_it.seen.errors("iops")) < 0.1
    assert max(without.seen.errors("iops")) > 0.7
    # One for each kind and load: its times move no data.
    assert with_it.spent["history"] == len(KINDS) * len(points)
    assert with_it.runs == sum(with_it.spent.values())
    assert "history" not in without.spent
    assert with_it.to_dict()["history"] == list(KINDS)
    line = "# Before each load its jobs ran: randrw50, randwrite (--history)."
    assert line in drive_toml(with_it, "sabrent-rocket-4-plus-2tb", [], ["x.json"]).splitlines()
    assert "--history" not in drive_toml(without, "sabrent-rocket-4-plus-2tb", [], ["x.json"])


def test_compare_against_takes_a_history(tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("workload,bs,iodepth,numjobs,iops\nrandread,4k,16,1,80000\n")
    compare = ("compare", "sabrent-rocket-4-plus-2tb", *SCALED, "--against", table, "-n", "500")
    answer = wordline(*compare, "--history", "randrw50, randwrite", "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    assert "before each load its jobs ran: randrw50, randwrite" in answer.err
    document = json.loads((tmp_path / "out" / "against.json").read_text())
    assert document["history"] == list(KINDS)
    assert document["drives"][0]["points"][0]["ratio"]["iops"] < 1.3
    plain = json.loads(wordline(*compare, "--json").out)
    assert plain["history"] == []
    assert plain["drives"][0]["points"][0]["ratio"]["iops"] > 1.5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "mqsim", "--history", "randwrite"), "--history is about measured points"),
        (("compare", "mqsim", "--against", "POINTS", "--history", "jobs.fio"), "`jobs.fio` is no kind of load"),
        (("compare", "mqsim", "--against", "POINTS", "--history", "write", "--steady"), "leave out --steady"),
        (("fit", "POINTS", "--base", "mqsim", "--history", "randwrite,"), "`` is no kind of load"),
        (("fit", "POINTS", "--history", "trim"), "`trim` is no kind of load"),
        (("compare", "mqsim", "--against", "POINTS", "--history", ""), "`` is no kind of load"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    rows = "".join(f"randread,4k,{depth},1,{depth * 9000}\n" for depth in (1, 2, 4, 8, 16))
    table.write_text(f"workload,bs,iodepth,numjobs,iops\n{rows}")
    answer = wordline(*(str(table) if each == "POINTS" else each for each in arguments), cwd=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
