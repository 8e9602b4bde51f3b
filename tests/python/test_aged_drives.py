"""Tests that commands after each other share the aged SSD on disk, and that no result changes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import state_forger
import wordline as wl
from cli_runner import wait_until, wordline
from full_disk import disk, fill
from wordline import _core, files
from wordline.aged_drives import Store, take
from wordline.aged_drives.turn import Turn
from wordline.api import resolved
from wordline.errors import WordlineError
from wordline.workload import flows_of

# Small, with blocks that are collected before the run.
SMALL: dict[str, Any] = {
    "ssd.channels": 2, "ssd.chips_per_channel": 1, "ssd.dies_per_chip": 1, "ssd.planes_per_die": 2,
    "ssd.blocks_per_plane": 32, "ssd.pages_per_block": 32, "gc.threshold": 0.1, "gc.hard_threshold": 0.05,
    "ssd.overprovisioning": 0.25, "precondition.fill": 1.0, "precondition.overwrite": 0.6,
}  # fmt: skip
WRITES = "fio/random-write"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that keeps each drive, however soon it was aged."""
    monkeypatch.setenv("WORDLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WORDLINE_DRIVES_GB", "1")
    monkeypatch.setattr(take, "WORTH_S", 0.0)
    return tmp_path / "cache" / "drives"


def measured(
    workload: Any = None,  # noqa: ANN401 - anything that `run` takes
    *,
    progress: Callable[[wl.Progress], object] | None = None,
    steady: bool = False,
    **keys: object,
) -> tuple[str, list[str]]:
    """A run's document, without what tells of the clock, and what it said."""
    notes: list[str] = []

    def hear(now: wl.Progress) -> None:
        notes.extend([now.note] if now.note else [])
        if progress is not None:
            progress(now)

    ssd = wl.preset("mqsim", **{**SMALL, **{key.replace("__", "."): value for key, value in keys.items()}})
    flows = wl.workload(WRITES, requests=300) if workload is None else workload
    result = wl.run(ssd, flows, steady=steady, progress=hear)
    document = {key: value for key, value in result.document.items() if not key.startswith("wall")}
    return json.dumps(document, sort_keys=True), notes


def drives_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.drive"))


def fresh(monkeypatch: pytest.MonkeyPatch, *arguments: Any, **keys: Any) -> str:  # noqa: ANN401
    """The document of a run without a store."""
    with monkeypatch.context() as patch:
        patch.setenv("WORDLINE_DRIVES_GB", "0")
        return measured(*arguments, **keys)[0]


def test_the_next_run_takes_the_drive_and_gives_the_same_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, silent = measured(steady=True)
    (path,) = drives_in(folder)
    second, said = measured(steady=True)
    assert first == second == fresh(monkeypatch, steady=True)
    assert json.loads(first)["precondition"]["steady"]["timed"] is not None, "there was a stage with time"
    assert silent == []
    assert len(said) == 1
    assert said[0].startswith("drive from the store, aged ")
    assert drives_in(folder) == [path]
    assert {each.name for each in folder.iterdir()} == {"CACHEDIR.TAG", path.name}, "nothing else is left"


@pytest.mark.parametrize(
    ("keys", "is_shared"),
    [
        ({"nand.erase_us": 5000.0}, True),
        ({"cache.capacity_bytes": 1 << 20}, True),
        ({"host.queue_depth": 4}, True),
        ({"precondition.timed_max": 0.0}, True),
        ({"seed": 7}, False),
        ({"gc.policy": "d-choices"}, False),
        ({"precondition.overwrite": 0.5}, False),
        ({"ssd.blocks_per_plane": 33}, False),
    ],
)
def test_what_aging_reads_makes_another_drive(
    keys: dict[str, Any], is_shared: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured()
    document, said = measured(**keys)
    assert document == fresh(monkeypatch, **keys)
    assert bool(said) == is_shared
    assert len(drives_in(folder)) == (1 if is_shared else 2)


def test_points_in_any_number_of_processes_take_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def grid(jobs: int) -> list[str]:
        results = wl.compare(
            wl.preset("mqsim", **SMALL),
            wl.workload(WRITES, requests=300),
            {"nand.erase_us": [3000.0, 5000.0]},
            jobs=jobs,
        )
        return [
            json.dumps({key: value for key, value in each.document.items() if not key.startswith("wall")})
            for each in results
        ]

    with monkeypatch.context() as patch:
        patch.setenv("WORDLINE_DRIVES_GB", "0")
        alone = grid(1)
    measured()
    (path,) = drives_in(folder)
    os.utime(path, (1e9, 1e9))
    assert grid(2) == alone
    assert path.stat().st_mtime > 1e9, "it was taken"
    assert grid(1) == alone


@pytest.mark.parametrize("damage", ["cut", "changed", "another", "empty"])
def test_a_damaged_file_is_discarded_and_the_drive_aged_anew(damage: str, folder: Path) -> None:
    first, _ = measured()
    (path,) = drives_in(folder)
    content = path.read_bytes()
    if damage == "another":
        measured(seed=2)
        content, path_two = path.read_bytes(), next(each for each in drives_in(folder) if each != path)
        path.write_bytes(path_two.read_bytes())
    else:
        middle = len(content) // 2
        changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes({"cut": content[:middle], "changed": changed, "empty": b""}[damage])
    document, said = measured()
    assert document == first
    assert len(said) == 1
    assert str(path) in said[0]
    assert "aged anew" in said[0]
    assert path.read_bytes()[256:] == content[256:], "it is whole again, but for the time at its beginning"


def test_a_forged_file_gives_a_run_or_one_line(folder: Path) -> None:
    measured()
    (path,) = drives_in(folder)
    content = path.read_bytes()
    outcomes = []
    for seed in range(12):
        path.write_bytes(state_forger.forged(content, seed))
        outcomes.append(outcome_of_a_run())
    faults = [each for each in outcomes if "fault of Wordline" in each]
    assert not faults
    assert any("aged anew" in each for each in outcomes), outcomes
    # What shows only as the run goes on is put down to the file.
    late = [each for each in outcomes if each.startswith("error: ")]
    assert all(str(path) in each and "delete it" in each for each in late), late


def outcome_of_a_run() -> str:
    """What a run said, or its error."""
    try:
        return " ".join(measured()[1])
    except WordlineError as error:
        return f"error: {error}"


def test_a_run_waits_for_another_that_ages_the_same(folder: Path) -> None:
    first, _ = measured()
    (path,) = drives_in(folder)
    elsewhere = path.with_suffix(".elsewhere")
    path.rename(elsewhere)
    turn = Turn(Store(folder).turn(path.name.partition("-")[0]))
    assert turn.take()
    waits, answers = threading.Event(), []
    thread = threading.Thread(
        target=lambda: answers.append(measured(progress=lambda now: waits.set() if now.fraction is None else None))
    )
    thread.start()
    wait_until(waits.is_set)
    elsewhere.rename(path)
    turn.end()
    thread.join()
    ((document, said),) = answers
    assert document == first
    assert "from the store" in said[0]


def test_a_run_ages_the_drive_itself_where_the_other_has_died(folder: Path) -> None:
    first, _ = measured()
    (path,) = drives_in(folder)
    path.unlink()
    turn = Turn(Store(folder).turn(path.name.partition("-")[0]))
    assert turn.take()
    waits, answers = threading.Event(), []
    thread = threading.Thread(
        target=lambda: answers.append(measured(progress=lambda now: waits.set() if now.fraction is None else None))
    )
    thread.start()
    wait_until(waits.is_set)
    turn.end()
    thread.join()
    assert answers == [(first, [])]
    assert drives_in(folder) == [path]


def test_a_drive_that_was_aged_soon_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(take, "WORTH_S", 1e9)
    assert measured() == measured()
    assert drives_in(folder) == []


def test_a_store_that_cannot_be_written_is_said_and_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.parent.mkdir()
    folder.write_text("no folder")
    document, said = measured()
    assert document == fresh(monkeypatch)
    assert len(said) == 1
    assert "is not kept for another time" in said[0]
    assert str(folder) in said[0]


def test_a_process_whose_simulator_was_replaced_keeps_and_takes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build may end while a long run goes on: the hash of the file is no longer that of what runs."""
    first, _ = measured()
    kept = [path.read_bytes() for path in drives_in(folder)]
    monkeypatch.setattr(take, "_LOADED", (0, 0, 0))
    document, said = measured()
    assert document == first
    assert len(said) == 1
    assert "has been replaced since this process began" in said[0]
    assert [path.read_bytes() for path in drives_in(folder)] == kept


def test_a_full_disk_is_said_and_changes_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with disk(tmp_path / "full", 1) as place:
        monkeypatch.setenv("WORDLINE_CACHE", str(place))
        fill(place, leave_bytes=8192)
        document, said = measured()
        assert document == fresh(monkeypatch)
        assert len(said) == 1
        assert "is not kept for another time" in said[0]
        assert f"{place / 'drives'}: No space left" in said[0]
        assert drives_in(place / "drives") == []
    assert not folder.exists()


def test_a_drive_larger_than_the_limit_is_said_and_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_DRIVES_GB", "1e-5")
    _, said = measured()
    assert len(said) == 1
    assert "larger than 1e-05 GB" in said[0]
    assert "WORDLINE_DRIVES_GB" in said[0]
    assert [each.name for each in folder.iterdir()] == ["CACHEDIR.TAG"]


def test_the_least_recently_used_go_first(folder: Path) -> None:
    measured()
    (one,) = drives_in(folder)
    two, three = (one.with_name(f"{name * 16}-{name * 16}.drive") for name in "ab")
    for place, path in enumerate((two, three)):
        path.write_bytes(one.read_bytes())
        os.utime(path, (1e9 + place, 1e9 + place))
    size = one.stat().st_size
    left_by_the_dead = folder / f".{one.name}.4194305-0.wordline-part"
    left_by_the_dead.write_bytes(b"half")
    Store(folder, 2.5 * size).make_room(one)
    assert drives_in(folder) == sorted([one, three])
    assert not left_by_the_dead.exists()
    Store(folder, 0.5 * size).make_room(one)
    assert drives_in(folder) == [one], "the newest stays"
    assert [each.drive for each in Store(folder).entries()] == ["mqsim"]


def test_the_content_of_a_trace_counts_and_not_its_time(folder: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"

    def write(stride: int) -> None:
        places = (n * stride % 900 for n in range(400))
        lines = (
            f"{128166372000000000 + n * 10},hm,0,Write,{place * 8192:08},8192,100\n" for n, place in enumerate(places)
        )
        trace.write_text("".join(lines))
        os.utime(trace, (1e9, 1e9))
        # As in another process.
        files._content_hash.cache_clear()

    def aged() -> tuple[str, list[str]]:
        return measured(wl.trace(trace), precondition__shape="workload")

    write(7)
    first, _ = aged()
    os.utime(trace, (2e9, 2e9))
    assert aged()[0] == first
    assert len(drives_in(folder)) == 1
    elsewhere = tmp_path / "elsewhere" / trace.name
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(trace.read_bytes())
    moved, said = measured(wl.trace(elsewhere), precondition__shape="workload")
    assert json.loads(moved)["response_us"] == json.loads(first)["response_us"]
    assert len(said) == 1
    # The short trace is warned of by the name of its flow.
    renamed, said = measured(wl.Flow("other", wl.trace(trace)), precondition__shape="workload")
    warnings = json.loads(renamed)["warnings"]
    assert said == []
    assert any(each.startswith("other: aging repeats the trace") for each in warnings), warnings
    write(11)
    second, said = aged()
    assert (second != first, said) == (True, [])
    assert len(drives_in(folder)) == 3


def test_how_flows_mix_counts(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How often each of several traces writes depends on their times, and so does the drive."""
    paths = [tmp_path / f"{name}.csv" for name in "ab"]
    for path in paths:
        lines = (f"{128166372000000000 + n * 10},hm,0,Write,{n * 7 % 900 * 8192},8192,100\n" for n in range(400))
        path.write_text("".join(lines))

    def aged(scale: float) -> tuple[str, list[str]]:
        flows = [wl.Flow("a", wl.trace(paths[0])), wl.Flow("b", wl.trace(paths[1]), time_scale=scale)]
        return measured(flows, precondition__shape="workload")

    aged(1.0)
    document, said = aged(8.0)
    assert said == []
    assert len(drives_in(folder)) == 2
    monkeypatch.setenv("WORDLINE_DRIVES_GB", "0")
    assert document == aged(8.0)[0]


def test_jobs_of_fio_and_held_drives_take_it(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[job]\nfilename=/dev/nvme0n1\nioengine=libaio\nrw=randwrite\nbs=8k\nnorandommap\nnumber_ios=200\n")
    keys = {"precondition__shape": "workload"}
    first, _ = measured(wl.fio(job), **keys)
    second, said = measured(wl.fio(job), **keys)
    assert first == second == fresh(monkeypatch, wl.fio(job), **keys)
    assert len(said) == 1
    ssd = wl.preset("mqsim", **SMALL)
    notes: list[str] = []
    for _ in range(2):
        wl.open(ssd, progress=lambda now: notes.extend([now.note] if now.note else [])).close()
    assert len(notes) == 1
    assert len(drives_in(folder)) == 2


def test_checked_runs_and_policies_of_the_user_age_their_own(folder: Path) -> None:
    class Oldest:
        def choose(self, view: wl.GcView) -> int:
            raise AssertionError(view)

    ssd = wl.preset("mqsim", **{**SMALL, "precondition.fill": 0.5, "precondition.overwrite": 0.0})
    flows = wl.workload("fio/random-read", requests=50)
    wl.run(ssd, flows, check=True)
    wl.run(ssd, flows, policies={"gc": Oldest})
    assert drives_in(folder) == []


def test_a_limit_that_is_no_number_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDLINE_DRIVES_GB", "much")
    answer = wordline("run", "mqsim", "--workload", WRITES, "-n", "10", "--set", "precondition.fill=0.1")
    assert answer.code == 2
    assert "WORDLINE_DRIVES_GB=much" in answer.err
    assert not folder.exists()


def test_a_command_says_where_its_drive_comes_from(folder: Path) -> None:
    measured(wl.workload(WRITES, requests=300))
    sets = [option for key, value in SMALL.items() for option in ("--set", f"{key}={value}")]
    answer = wordline("run", "mqsim", "--workload", WRITES, "-n", "300", *sets, "--json")
    assert answer.code == 0, answer.err
    assert "drive from the store, aged " in answer.err
    assert len(drives_in(folder)) == 1


def other_values(row: dict[str, Any]) -> list[Any]:
    """Values beside its default, of which a key takes some."""
    default, words = row["default"], str(row["values"]).replace("`", "").replace(",", " ").split()
    if isinstance(default, bool):
        return [not default]
    if isinstance(default, int | float):
        return [default * 2, default + 1, 0.5, 1]
    return [word for word in words if word.replace("-", "").isalnum() and word != default][:4]


@pytest.mark.verify
@pytest.mark.parametrize("preset", ["datacenter-tlc", "pnar2", "consumer-tlc"])
@pytest.mark.parametrize("shape", ["random", "workload"])
def test_no_other_value_of_any_key_gives_the_same_name_and_another_drive(
    preset: str, shape: str, tmp_path: Path
) -> None:
    path = tmp_path / "drive"
    base = {**SMALL, "ssd.pages_per_block": 48, "precondition.shape": shape}

    def aged(**keys: object) -> tuple[object, bytes]:
        config = wl.preset(preset, **{**base, **keys})
        effective, forms = resolved(config, flows_of(wl.workload(WRITES, requests=300), config))
        simulation = _core.Simulation(effective.core, json.dumps(forms))
        key = simulation.aged_key()
        simulation.age()
        simulation.save_aged(str(path), "name", "about", 1 << 30)
        return key, path.read_bytes()

    first = aged()
    compared = 0
    for row in json.loads(_core.parameters()):
        for value in other_values(row):
            try:
                other = aged(**{row["key"]: value})
            except WordlineError:
                continue
            assert other[0] != first[0] or other[1] == first[1], f"{row['key']} = {value}"
            compared += other[0] == first[0]
    assert compared > 200
