"""On a full disk a command ends with one line that names its file, and an earlier result stays as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import full_disk
import output_commands
from output_commands import SLOW, TARGET, WRITERS
from test_paths import snapshot
from wordline.cli import main

MIB = 16


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with full_disk.disk(tmp_path_factory.mktemp("full") / "disk", MIB) as place:
        yield place


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORDLINE_CACHE", str(tmp_path / "cache"))
    output_commands.fill(tmp_path)
    return tmp_path


def bytes_of(place: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in place.rglob("*") if path.is_file())


def slow(command: str) -> Sequence[pytest.MarkDecorator]:
    return [pytest.mark.verify] if command in SLOW else []


@pytest.mark.parametrize(
    ("command", "option"),
    [pytest.param(*key, marks=slow(key[0])) for key in WRITERS if key[1] != "--cache"],
)
def test_a_full_disk_gives_one_line_and_leaves_what_was_there(
    command: str, option: str, here: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = small_disk / "mine"
    place.mkdir()
    (place / "thesis.tex").write_text(here.name)
    bytes_of_thesis = bytes_of(place)
    words = [word.replace(TARGET, str(place / "old")) for word in WRITERS[command, option]]
    assert main(words) == 0, capsys.readouterr().err
    # Examples replace nothing.
    again = [word.replace("old", "new") for word in words] if command == "examples" else words
    room = (bytes_of(place) - bytes_of_thesis) // 2
    before = snapshot(place)
    capsys.readouterr()
    full_disk.fill(small_disk, room)
    try:
        assert main(again) == 2
    finally:
        (small_disk / "rest").unlink()
    last = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("wordline: warning")]
    error, hint = last[-2:]
    assert error.startswith("wordline: error: ")
    assert "no space left on device" in error.lower()
    assert str(place) in error
    assert ".partial" not in error
    assert "make room and run it again" in hint
    after = {name: value for name, value in snapshot(place).items() if Path(name).parts[0] != "new"}
    assert after == before
    assert not [path for path in place.rglob("*partial*") if path.is_file()]
    if command == "examples":
        assert not list((place / "new").iterdir())


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=slow(name)) for name, option in WRITERS if option == "--cache"]
)
def test_points_that_find_no_room_are_not_kept_and_nothing_else_is_lost(
    command: str, here: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = small_disk / "cache"
    words = [word.replace(TARGET, str(cache)) for word in WRITERS[command, "--cache"]]
    # Room for the folder's mark alone.
    full_disk.fill(small_disk, 4096)
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.out
    assert f"are not kept for another time: {cache}" in said.err
    assert ".partial" not in said.err
    # What is kept with room again is right.
    (small_disk / "rest").unlink()
    for _ in range(2):
        assert main(words) == 0
        again = capsys.readouterr()
        assert "not kept" not in again.err
        # The last line of a fit counts simulations.
        assert again.out.splitlines()[:-1] == said.out.splitlines()[:-1]
    assert here.exists()


def test_a_log_is_written_with_its_result_alone(
    here: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "job.fio").write_text("[job]\nrw=write\nbs=4k\nsize=64k\nwrite_iolog=mine.log\n")
    words = ["run", "ssd.toml", "job.fio", "--out", str(small_disk / "result")]
    full_disk.fill(small_disk)
    try:
        assert main(words) == 2
    finally:
        (small_disk / "rest").unlink()
    assert not (here / "mine.log").exists()
    assert "IOPS" in capsys.readouterr().out
    assert main(words) == 0, capsys.readouterr().err
    assert (here / "mine.log").exists()


def test_of_two_logs_none_is_left_if_one_cannot_be_written(here: Path) -> None:
    from wordline import api
    from wordline.workload import FioJob, Flow

    class Full:
        """The first log is there when the second one does not fit."""

        def write_iologs(self, *, force: bool) -> None:
            del force
            (here / "a.log").write_text("whole")
            raise OSError(28, os.strerror(28), "b.log")

    jobs = [FioJob(name, "job.fio", "{}", number, str(here / f"{name}.log")) for number, name in enumerate("ab")]
    flows = [Flow(job.name, job) for job in jobs]
    with pytest.raises(OSError, match=r"b\.log"):
        api._write_iologs(Full(), flows, replace=False)  # type: ignore[arg-type]
    assert not (here / "a.log").exists()


@pytest.mark.parametrize("option", ["--save-state", "--fio-json"])
def test_a_result_comes_where_a_further_file_has_no_room(
    option: str, here: Path, small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full_disk.fill(small_disk)
    try:
        assert main(["run", "ssd.toml", "job.fio", option, str(small_disk / "x"), "--out", "result"]) == 2
    finally:
        (small_disk / "rest").unlink()
    captured = capsys.readouterr()
    assert f"{small_disk / 'x'}: " in captured.err
    assert "IOPS" in captured.out
    assert (here / "result" / "result.json").exists()
