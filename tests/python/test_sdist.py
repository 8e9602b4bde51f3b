"""The source distribution holds everything that a build needs, and builds without the checkout."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Rust sources name files that the compiler reads, relative to themselves.
INCLUDED = re.compile(r'include_(?:str|bytes)!\("([^"]+)"\)')


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "sdist", "--out", folder], cwd=ROOT, check=True, capture_output=True)
    (tarball,) = folder.glob("*.tar.gz")
    with tarfile.open(tarball) as archive:
        archive.extractall(folder, filter="data")
    return folder / tarball.name.removesuffix(".tar.gz")


def test_every_file_that_the_sources_include_is_there(unpacked: Path) -> None:
    missing = []
    for source in unpacked.glob("crates/*/src/**/*.rs"):
        for name in INCLUDED.findall(source.read_text()):
            if not (source.parent / name).is_file():
                missing.append(f"{source.relative_to(unpacked)}: {name}")
    assert missing == []


def test_all_presets_the_toolchain_and_the_licences_are_there(unpacked: Path) -> None:
    ours = {path.relative_to(ROOT) for path in (ROOT / "presets").rglob("*") if path.is_file()}
    theirs = {path.relative_to(unpacked) for path in (unpacked / "presets").rglob("*") if path.is_file()}
    assert theirs == ours
    for name in ("rust-toolchain.toml", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.lock", "CITATION.cff"):
        assert (unpacked / name).is_file(), name


def test_the_python_package_is_whole(unpacked: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "python"], cwd=ROOT, check=True, capture_output=True, text=True)
    missing = [
        name for name in tracked.stdout.splitlines() if (ROOT / name).is_file() and not (unpacked / name).is_file()
    ]
    assert missing == []


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_it_builds_and_runs_in_an_empty_place(unpacked: Path, tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    # Speed is not what is tested: a quick build tells as much.
    environment |= {"CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv" / "bin"
    subprocess.run([programs / "pip", "install", "--quiet", unpacked], check=True, cwd=tmp_path, env=environment)
    empty = tmp_path / "empty"
    empty.mkdir()
    command = [programs / "wordline", "run", "datacenter-tlc", "--workload", "fio/random-read"]
    ran = subprocess.run(
        [*command, "--set", "workload.requests=2000"],
        cwd=empty, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert "datacenter-tlc" in ran.stdout
