"""What `--out DIR` may replace: the unchanged files that the folder's own list names, and nothing else."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from wordline.output import atomic, manifest, result_folder, workplace
from wordline.output.result_folder import check_folder, folder


def result(out: Path, **files: str) -> None:
    """Writes a result of some files; `_` in a name is a folder's slash."""
    with folder(out) as work:
        for name, text in files.items():
            path = work / name.replace("_", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def snapshot(root: Path) -> dict[str, object]:
    """Everything below a folder: content of files, ends of links."""
    return {
        str(path.relative_to(root)): path.readlink()
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else 0
        for path in sorted(root.rglob("*"))
    }


def test_a_result_has_a_list_that_sha256sum_checks(tmp_path: Path) -> None:
    result(tmp_path / "out", a="1", points_0001="2")
    lines = (tmp_path / "out" / manifest.MANIFEST).read_text().splitlines()
    assert [line[66:] for line in lines] == ["a", "points/0001"]
    check = ["sha256sum", "--check", "--strict", manifest.MANIFEST]
    done = subprocess.run(check, cwd=tmp_path / "out", capture_output=True, check=False)
    assert done.returncode == 0


def test_a_result_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    result(tmp_path / "out", a="1", points_0001="2")
    result(tmp_path / "out", b="3")
    assert set(snapshot(tmp_path)) == {"out", "out/b", "out/wordline.sha256"}


def add(name: str) -> Callable[[Path], object]:
    """Puts a file of the user into a result."""

    def change(out: Path) -> None:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("mine")

    return change


def in_place_of(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    """Puts something in the place of a file of the result."""

    def change(out: Path) -> None:
        (out / name).unlink()
        make(out / name)

    return change


@pytest.mark.parametrize(
    "change",
    [
        add("thesis.tex"),
        add(".git/HEAD"),
        add("points/notes"),
        add("a"),
        add("wordline.sha256"),
        lambda out: (out / "empty").mkdir(),
        lambda out: (out / "link").symlink_to(out / "a"),
        in_place_of("a", lambda path: path.mkdir()),
        in_place_of("a", lambda path: path.symlink_to(path.parent / "points" / "0001")),
        in_place_of("wordline.sha256", lambda _: None),
        in_place_of("wordline.sha256", lambda path: path.symlink_to("a")),
    ],
)
def test_what_is_not_of_the_result_stays(tmp_path: Path, change: Callable[[Path], object]) -> None:
    out = tmp_path / "out"
    result(out, a="1", points_0001="2")
    change(out)
    before = snapshot(tmp_path)
    with pytest.raises(FileExistsError) as refused:
        check_folder(out)
    assert "another folder" in str(refused.value)
    with pytest.raises(FileExistsError):
        result(out, b="3")
    assert snapshot(tmp_path) == before


def test_a_folder_of_ones_own_with_the_names_of_a_result_stays(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text("mine")
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(FileExistsError, match="earlier version"):
        check_folder(tmp_path)


@pytest.mark.parametrize("name", ["../mine", "a/../../mine", "/mine", "./mine", "sub//mine"])
def test_a_list_names_nothing_outside_its_folder(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    (out / "sub").mkdir(parents=True)
    (tmp_path / "mine").write_text("")
    line = f"{manifest._hash(tmp_path / 'mine')}  {name}\n"
    (out / manifest.MANIFEST).write_text(line)
    with pytest.raises(FileExistsError):
        check_folder(out)
    manifest.remove(out)
    assert (tmp_path / "mine").exists()


def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("")
    out.mkdir()
    (out / "sub").symlink_to(tmp_path / "mine")
    (out / manifest.MANIFEST).write_text(f"{manifest._hash(tmp_path / 'mine' / 'file')}  sub/file\n")
    with pytest.raises(FileExistsError):
        check_folder(out)
    assert not manifest.remove(out)
    assert (tmp_path / "mine" / "file").exists()


def test_the_working_folder_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    for target in (".", "../b", "..", "../../a", tmp_path / "a", "/"):
        with pytest.raises(OSError, match=r"working folder|mounted"):
            check_folder(Path(target))
    check_folder(Path("c"))


def test_a_result_goes_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk" / "results")
    for text in ("1", "2"):
        result(tmp_path / "out", a=text)
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "disk" / "results" / "a").read_text() == "2"
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["results"]


def test_a_file_goes_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "file").write_text("1")
    (tmp_path / "link").symlink_to("disk/file")
    atomic.file(tmp_path / "link", lambda work: work.write_text("2"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "disk" / "file").read_text() == "2"


def test_what_comes_to_the_target_meanwhile_stays_and_the_result_too(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result(out, a="1")

    def disturbed() -> None:
        with folder(out) as work:
            (work / "a").write_text("2")
            (out / "thesis.tex").write_text("mine")

    with pytest.raises(FileExistsError, match=r"holds thesis.tex.*the result is in .*out-2"):
        disturbed()
    assert ((out / "a").read_text(), (out / "thesis.tex").read_text()) == ("1", "mine")
    assert (tmp_path / "out-2" / "a").read_text() == "2"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out-2"]


KILLED = """
import os, signal, sys
from pathlib import Path
from wordline.output import result_folder, workplace
from wordline.output.result_folder import folder

plain, at = Path.replace, sys.argv[2]

def replace(self, place):
    if at == self.parent.name:
        os.kill(os.getpid(), signal.SIGKILL)
    done = plain(self, place)
    if at == "after " + self.parent.name:
        os.kill(os.getpid(), signal.SIGKILL)
    return done

Path.replace = replace
with folder(Path(sys.argv[1])) as work:
    (work / "a").write_text("2")
    if at == "work":
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("moment", "there"), [("work", "1"), ("new", "1"), ("after new", "2")])
def test_the_workplace_of_a_killed_process_is_removed_by_the_next(tmp_path: Path, moment: str, there: str) -> None:
    out = tmp_path / "out"
    result(out, a="1", points_0001="1")
    done = subprocess.run([sys.executable, "-c", KILLED, str(out), moment], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob(".out.*.partial"))) == 1
    atomic.file(tmp_path / "other", lambda work: work.write_text(""))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out"]
    # Killed between the two renames, the old result came back.
    assert (out / "a").read_text() == there
    check_folder(out)


def test_an_empty_workplace_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".out.0123abcd.partial").mkdir()
    result(tmp_path / "out", a="1")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_is_looked_at_while_nobody_replaces_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(tmp_path / "out", a="1")
    plain, asked = result_folder.locked, []

    def locked(place: Path) -> AbstractContextManager[None]:
        asked.append(place)
        return plain(place)

    monkeypatch.setattr(result_folder, "locked", locked)
    check_folder(tmp_path / "out")
    assert asked == [tmp_path]


def test_the_workplace_of_a_live_process_stays(tmp_path: Path) -> None:
    with folder(tmp_path / "one") as work:
        result(tmp_path / "two", a="1")
        (work / "a").write_text("1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_a_folder_that_is_called_like_a_workplace_stays(tmp_path: Path) -> None:
    mine = tmp_path / ".out.0123abcd.partial"
    (mine / "new").mkdir(parents=True)
    (mine / "new" / "thesis.tex").write_text("mine")
    result(tmp_path / "out", a="1")
    (mine / "lock").write_text("the key of my door, which is longer than any mark")
    result(tmp_path / "out", a="1")
    (mine / "lock").write_text("another text")
    result(tmp_path / "out", a="1")
    assert (mine / "new" / "thesis.tex").exists()


def test_where_there_are_no_locks_nothing_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / ".out.0123abcd.partial"
    (left / "new").mkdir(parents=True)
    (left / "lock").write_text(workplace.MARK)

    def none(handle: int, how: int) -> None:
        del handle, how
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    result(tmp_path / "out", a="1")
    assert left.exists()
    monkeypatch.undo()
    result(tmp_path / "out", a="1")
    assert not left.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_the_result_is_at_its_place(
    tmp_path: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    result(tmp_path / "out", a="1")
    plain = result_folder._take_place

    def disturbed(*places: Path) -> None:
        os.kill(os.getpid(), number)
        plain(*places)

    monkeypatch.setattr(result_folder, "_take_place", disturbed)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            result(tmp_path / "out", a="2")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (tmp_path / "out" / "a").read_text() == "2"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
