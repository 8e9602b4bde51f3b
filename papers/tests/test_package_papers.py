"""The package `wordline-papers`: its wheel is whole, and it belongs to one version of Wordline."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from api_helpers import ROOT

HERE = ROOT / "papers"


def project(path: Path) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    return found


def test_both_packages_have_one_version() -> None:
    product, papers = project(ROOT / "pyproject.toml"), project(HERE / "pyproject.toml")
    assert papers["version"] == product["version"]
    assert papers["dependencies"] == [f"wordline[plot,tables]=={product['version']}"]
    extras = product["optional-dependencies"]
    assert isinstance(extras, dict)
    assert extras["papers"] == [f"wordline-papers=={product['version']}"]


def test_the_wheel_is_whole(tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "build", "--quiet", "--wheel", "--offline", HERE, "--out-dir", tmp_path], check=True)
    (wheel,) = tmp_path.glob("wordline_papers-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "wordline_papers"], cwd=HERE, check=True, capture_output=True, text=True
    ).stdout.split()
    assert {name for name in tracked if (HERE / name).is_file()} <= names
    assert "wordline_papers/claims.toml" in names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]
