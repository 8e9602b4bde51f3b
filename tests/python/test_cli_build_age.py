"""After a pull without a build an error says that the compiled part is old."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wordline.cli import build_age, guard
from wordline.cli.build_age import outdated


def checkout(folder: Path, extension_s: int, declared_s: int) -> Path:
    package = folder / "python" / "wordline"
    package.mkdir(parents=True)
    (folder / "crates").mkdir()
    for name, when_s in {"_core.abi3.so": extension_s, "_core.pyi": declared_s}.items():
        (package / name).touch()
        os.utime(package / name, (when_s, when_s))
    return package / "_core.abi3.so"


def test_an_older_extension_is_said(tmp_path: Path) -> None:
    assert "make setup" in outdated(checkout(tmp_path / "a", 100, 200))
    assert outdated(checkout(tmp_path / "b", 200, 100)) == ""


def test_an_installed_package_has_one_build(tmp_path: Path) -> None:
    extension = checkout(tmp_path, 100, 200)
    (tmp_path / "crates").rmdir()
    assert outdated(extension) == ""
    assert outdated(tmp_path / "no" / "such" / "file") == ""


def test_an_error_names_it_in_place_of_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise TypeError("unexpected keyword argument")

    monkeypatch.setattr(guard, "_old", lambda: build_age.OUTDATED)
    assert guard.guarded(fails) == 2
    assert capsys.readouterr().err.splitlines() == [
        "wordline: error: TypeError: unexpected keyword argument",
        f"  hint: {build_age.OUTDATED}",
    ]
