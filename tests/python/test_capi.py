"""The library for other languages: its header is current, and programs in C, Go and Rust get Python's numbers."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import wordline as wl
from api_helpers import ROOT

HEADER = ROOT / "crates" / "wordline-capi" / "include" / "wordline.h"


def python_line() -> str:
    """What the examples print, by the same calls in Python."""
    drive = wl.open(wl.preset("datacenter-tlc", ssd__scale=1 / 64))
    drive.submit(0, [[("write", block << 17, 1 << 17) for block in range(64)]])
    for read in range(100):
        drive.submit(read * 50_000, [("read", (1000 + read * 37) << 20, 4096)])
    done = drive.advance()
    mean_ns = sum(done_ns - (job - 1) * 50_000 for job, done_ns, _ in done if job > 0) // 100
    return f"{len(done)} jobs, the last at {done[-1][1]} ns, reads {mean_ns} ns in the mean\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library where `make capi` puts it, built quickly."""
    folder = tmp_path_factory.mktemp("capi")
    before = HEADER.read_bytes()
    command = ["make", "capi", f"CAPI={folder}", "CAPI_PROFILE=dev"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    after = HEADER.read_bytes()
    HEADER.write_bytes(before)
    assert after == before, "the header is stale: run `make capi`"
    return folder


def environment(built: Path) -> dict[str, str]:
    # Go's cache keeps what pkg-config said of another folder.
    paths = {
        "PKG_CONFIG_PATH": str(built / "lib" / "pkgconfig"),
        "LD_LIBRARY_PATH": str(built / "lib"),
        "GOCACHE": str(built / "go"),
    }
    return {**os.environ, **paths}


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_a_program_in_c_gets_the_numbers_of_python(built: Path, tmp_path: Path) -> None:
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        pytest.skip("there is no C compiler, or no pkg-config")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "wordline"],
        env=environment(built),
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    source = ROOT / "examples" / "held" / "drive.c"
    compile_it = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(tmp_path / "drive"), *flags]
    subprocess.run(compile_it, check=True)
    ran = subprocess.run([tmp_path / "drive"], env=environment(built), check=True, capture_output=True, text=True)
    assert ran.stdout == python_line()


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_a_program_in_go_gets_the_numbers_of_python(built: Path, tmp_path: Path) -> None:
    if shutil.which("go") is None or shutil.which("pkg-config") is None:
        pytest.skip("there is no Go, or no pkg-config")
    program = tmp_path / "drive"
    build = ["go", "build", "-o", str(program), "."]
    subprocess.run(build, cwd=ROOT / "examples" / "held" / "go", env=environment(built), check=True)
    ran = subprocess.run([program], env=environment(built), check=True, capture_output=True, text=True)
    assert ran.stdout == python_line()


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_a_station_of_blis_slows_restores_down_beside_writes(built: Path, tmp_path: Path) -> None:
    if shutil.which("go") is None or shutil.which("pkg-config") is None:
        pytest.skip("there is no Go, or no pkg-config")
    program, source = tmp_path / "blis", ROOT / "examples" / "held" / "blis"
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=source, env=environment(built), check=True)
    subprocess.run(["go", "vet", "./..."], cwd=source, env=environment(built), check=True)
    ran = subprocess.run([program], env=environment(built), check=True, capture_output=True, text=True)
    constants, drive = (list(map(int, line.split()[-2:])) for line in ran.stdout.splitlines()[1:])
    assert constants[0] == constants[1] == 80 + (8 << 20) // 7000
    assert drive[1] > drive[0] > 0


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_a_program_in_rust_gets_the_numbers_of_python() -> None:
    command = ["cargo", "run", "--locked", "--quiet", "--package", "wordline-run", "--example", "held"]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert ran.stdout == python_line()


@pytest.mark.verify
@pytest.mark.timeout(3600)
def test_aisimulate_s_tier_has_its_constants_and_a_drive_has_none() -> None:
    manifest = ROOT / "examples" / "held" / "aisimulate" / "Cargo.toml"
    fetched = subprocess.run(
        ["cargo", "fetch", "--locked", "--manifest-path", str(manifest)], capture_output=True, check=False
    )
    if fetched.returncode != 0:
        pytest.skip("the registry that has aisimulate is not there")
    command = ["cargo", "run", "--locked", "--quiet", "--manifest-path", str(manifest)]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    constants, drive = (list(map(int, line.split()[-2:])) for line in ran.stdout.splitlines()[1:])
    # 0.1 ms and 10 GB/s, with writes and without.
    assert constants == [round(100 + (8 << 20) / 10_000)] * 2
    assert drive[1] > drive[0] > 0
