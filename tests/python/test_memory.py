"""What a run costs in memory follows its footprint, not the size of the drive."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import wordline as wl
from cli_runner import wordline
from wordline import memory
from wordline.record import rerun
from wordline.sweeps import run_points

SCRIPT = """
import re
import wordline as wl
wl.run(wl.preset("datacenter-{cells}").assign(*{settings}), wl.workload("fio/random-{op}", requests={requests}){more})
status = open("/proc/self/status", encoding="ascii").read()
print(re.search(r"^VmHWM:\\s+(\\d+) kB$", status, re.MULTILINE).group(1))
"""

# 7.5 * 10^9 mapping units on 1024 dies: their numbers do not fit 32 bits.
OF_122_TB = [
    "ssd.channels=16",
    "ssd.chips_per_channel=8",
    "ssd.dies_per_chip=8",
    "ssd.capacity=122.88TB",
    "ftl.unit_bytes=16384",
    "ftl.entry_bytes=5",
]


def peak_kib(cells: str, settings: list[str], op: str, requests: int, more: str = "") -> int:
    """Returns the most memory that a process has had which simulated so many requests, with more arguments of `run`."""
    script = SCRIPT.format(cells=cells, settings=settings, op=op, requests=requests, more=more)
    return int(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout)


def test_a_short_run_on_a_large_drive_takes_little() -> None:
    assert peak_kib("tlc", [], "read", 50_000) < 1 << 20


@pytest.mark.parametrize("op", ["read", "write"])
def test_a_short_run_on_122_tb_takes_less_than_2_gb(op: str) -> None:
    assert peak_kib("qlc", OF_122_TB, op, 5_000) * 1024 < 2_000_000_000


@pytest.mark.parametrize(("what", "fill"), [("the tables of this SSD take", 0.0), ("filling this SSD takes", 1.0)])
def test_a_drive_that_does_not_fit_into_memory_is_refused_at_once(
    what: str, fill: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = wl.preset("datacenter-qlc").assign(*OF_122_TB, f"precondition.fill={fill}")
    if fill == 0.0:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (30 << 30, resource.RLIM_INFINITY))
    else:
        monkeypatch.setattr(memory, "memory_bytes", lambda: 30 << 30)
    with pytest.raises(
        wl.errors.OutOfRangeError, match=rf"{what} 77\.9 GiB of memory.* (2[3-9]|30)\.\d GiB; .*--scale 1/4"
    ):
        wl.run(drive, wl.workload("fio/random-read", requests=10))


def drive(fill: float) -> wl.Config:
    """An SSD of 6 TB in units of 4 KiB: its tables take some 12.8 GiB."""
    return wl.preset("datacenter-tlc", **{"ssd.capacity": "6TB", "precondition.fill": fill})


def test_checked_mode_has_tables_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "memory_bytes", lambda: 30 << 30)
    memory.check_tables_fit(drive(1.0))
    memory.check_tables_fit(drive(0.1), check=True)
    with pytest.raises(wl.errors.OutOfRangeError, match=r"filling this SSD in checked mode takes 1\d\d\.\d GiB"):
        memory.check_tables_fit(drive(1.0), check=True)


def test_what_checked_mode_is_said_to_take_it_takes() -> None:
    settings = ["ssd.scale=1/256", "precondition.fill=1.0", "precondition.overwrite=0.0"]
    plain, checked = (peak_kib("tlc", settings, "read", 10, more) for more in ("", ", check=True"))
    config = wl.preset("datacenter-tlc").assign(*settings)
    counted = memory._tables(config, check=True)[1] - memory._tables(config, check=False)[1]
    assert counted == pytest.approx((checked - plain) * 1024, rel=0.25)


def test_what_a_worker_is_said_to_take_it_takes() -> None:
    settings = ["ssd.scale=1/64", "precondition.fill=1.0", "precondition.overwrite=0.0"]
    alone, worker = (peak_kib("tlc", settings, "read", 10, more) for more in ("", ", drives=wl._core.Drives()"))
    config = wl.preset("datacenter-tlc").assign(*settings)
    counted = memory._of_worker(config, check=False) - memory._tables(config, check=False)[1]
    assert counted == pytest.approx((worker - alone) * 1024, rel=0.25)


def test_points_that_fit_alone_run_one_after_the_other_where_they_do_not_fit_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "memory_bytes", lambda: 30 << 30)
    full, half, empty = ((drive(fill), False) for fill in (1.0, 0.5, 0.0))
    assert memory.at_a_time([full, half, empty, empty], 4) == (4, None)
    fitting, why = memory.at_a_time([full, empty, full, full, half], 4)
    assert (fitting, memory.at_a_time([full] * 3, 1)) == (2, (1, None))
    assert why is not None
    assert "2 of 4 points run at a time" in why
    assert memory.at_a_time([full] * 9, 2) == (2, None)
    assert memory.at_a_time([(drive(1.0), True)] * 2, 2)[0] == 1


def test_a_study_says_that_it_runs_fewer_points_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    small = wl.preset("mqsim", **{"ssd.blocks_per_plane": 64, "precondition.fill": 1.0})
    points = [wl.Point(small, workload="fio/random-read", requests=20, seed=seed) for seed in (1, 2, 3)]
    needed = memory._tables(small, check=False)[1]
    assert run_points(points, jobs=2).warnings == ()
    # Each has its SSD, and keeps it as it was filled.
    monkeypatch.setattr(memory, "memory_bytes", lambda: int(4.1 * needed))
    assert run_points(points, jobs=2).warnings == ()
    monkeypatch.setattr(memory, "memory_bytes", lambda: int(3.9 * needed))
    results = run_points(points, jobs=2)
    assert len(results.warnings) == 1
    assert results.warnings[0].startswith("1 of 2 points run at a time: ")
    assert not results.failed


def test_several_seeds_and_a_repetition_say_it_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = ("-s", "ssd.blocks_per_plane=64", "-s", "precondition.fill=1.0", "-s", "workload.requests=20")
    out = tmp_path / "seeds"
    assert wordline("run", "mqsim", *settings, "--seeds", "3", "--out", out).code == 0
    small = wl.preset("mqsim", **{"ssd.blocks_per_plane": 64, "precondition.fill": 1.0})
    needed = memory._tables(small, check=False)[1]
    read = wl.workload("fio/random-read", requests=20)
    line = "1 of 2 points run at a time: "

    def fewer(warnings: Sequence[str]) -> list[str]:
        return [warning for warning in warnings if warning.startswith(line)]

    assert fewer(wl.replicate(small, read, seeds=3, jobs=2).warnings) == []
    monkeypatch.setattr(memory, "memory_bytes", lambda: int(1.5 * needed))
    assert len(fewer(wl.replicate(small, read, seeds=3, jobs=2).warnings)) == 1
    heard: list[str] = []
    assert all(each.compared.is_same for each in rerun(out, jobs=2, warn=heard.append))
    assert len(fewer(heard)) == 1


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/\n", {"memory.max": "2147483648\n", "memory.current": "1048576\n"}, ([2 << 30], [(2 << 30) - (1 << 20)])),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "4096\n"}, ([4096], [4096])),
        # A container that sees its own group as the root.
        ("0::/kubepods/pod1\n", {"memory.max": "8192\n"}, ([8192], [8192])),
        (
            "5:cpu,memory:/job\n1:name=systemd:/\n0::/\n",
            {"memory/job/memory.limit_in_bytes": "4096\n", "memory/job/memory.usage_in_bytes": "8192\n"},
            ([4096], [0]),
        ),
        ("0::/\n", {}, ([], [])),
    ],
    ids=["own root", "a group above", "namespace", "version 1", "no limit"],
)
def test_the_memory_of_a_container_is_that_of_its_groups(
    groups: str,
    files: dict[str, str],
    expected: tuple[list[int], list[int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, root = tmp_path / "cgroup", tmp_path / "fs"
    own.write_text(groups, encoding="ascii")
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="ascii")
    here = [memory._of_groups(is_free=is_free, root=root, own=own) for is_free in (False, True)]
    assert tuple(here) == expected
    machine = memory.memory_bytes()
    monkeypatch.setattr(memory, "_of_groups", lambda **_: [4096])
    assert memory.memory_bytes() == 4096 < (machine or 1 << 40)
