"""Features that only some systems have are not needed: a run and a grid without them, as far as Linux can test it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from cli_runner import command, environment
from wordline.output import atomic, result_folder
from wordline.output.workplace import NEW

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "wordline"
# Python runs it first: what Windows has not is not there, and no folder takes the place of another.
OTHER = """
import os, pathlib, sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in {"pwd", "grp", "termios", "resource"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocker())
for name in ("getuid", "geteuid", "sched_getaffinity", "sysconf"):
    if hasattr(os, name):
        delattr(os, name)

plain = pathlib.Path.replace
def replace(self, target):
    if self.is_dir() and os.path.exists(target):
        raise PermissionError(13, "Access is denied", str(target))
    return plain(self, target)
pathlib.Path.replace = replace
"""


def test_a_grid_and_a_second_result_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(OTHER)
    values = environment(WORDLINE_CACHE=str(tmp_path / "cache"))
    values["PYTHONPATH"] = os.pathsep.join((str(tmp_path / "site"), values["PYTHONPATH"]))
    grid = ("compare", "mqsim", "--workload", "fio/random-read", "--set", "workload.requests=500")
    for depths in ("1,4", "1,8"):
        arguments = command(*grid, "--set", f"host.queue_depth={depths}", "--out", "out", "--jobs", "2")
        done = subprocess.run(arguments, cwd=tmp_path, env=values, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "8" in (tmp_path / "out" / "compare.csv").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "out", "site"]


def test_the_old_result_stays_where_the_new_cannot_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with result_folder.folder(tmp_path / "out") as work:
        (work / "old").touch()
    plain = Path.replace

    def replace(self: Path, place: Path) -> Path:
        if self.parent.name == NEW:
            raise PermissionError(13, "Access is denied")
        return plain(self, place)

    def again() -> None:
        with result_folder.folder(tmp_path / "out") as work:
            (work / "new").touch()

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(PermissionError):
        again()
    assert (tmp_path / "out" / "old").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_that_is_read_just_now_is_replaced_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new").write_text("new")
    plain, tries = Path.replace, []

    def replace(self: Path, place: Path) -> Path:
        tries.append(self)
        if len(tries) < 3:
            raise PermissionError(13, "The process cannot access the file")
        return plain(self, place)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(atomic, "IS_WINDOWS", True)
    atomic.take_place(tmp_path / "new", tmp_path / "old")
    assert ((tmp_path / "old").read_text(), len(tries)) == ("new", 3)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_asks_for_what_windows_has_not(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\bos\.(uname|fork|getuid|geteuid|killpg|mkfifo)\b|signal\.SIG(KILL|USR|HUP|ALRM)", text)
    assert "fcntl" not in text or 'sys.platform == "win32"' in text
    # Results have the same bytes everywhere: no system makes other line ends of them.
    assert not re.search(r'\.write_text\([^\n]*encoding="utf-8"\)', text)
