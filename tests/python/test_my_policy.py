"""The policy of docs/how-to/my-policy.md: its patch applies, its test passes, and its commands run with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import docs_playground as playground
from docs_playground import ROOT

PAGE = ROOT / "docs" / "how-to" / "my-policy.md"
PATCH = ROOT / "examples" / "my-policy.patch"
SOURCES = ("crates", "presets", "studies", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml")
# It is compiled once and runs for a second: what depends on nothing of it is taken from `make test`'s build.
QUICKLY = [
    part
    for crate in ("wordline-core", "wordline-trace", "wordline-py")
    for part in (
        "--config",
        f'profile.test.package."{crate}".opt-level=0',
        "--config",
        f'profile.test.package."{crate}".debug=false',
    )
]


TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


@pytest.fixture(scope="module")
def checkout() -> Path:
    """The sources with the patch, always in the same place, so that builds replace each other."""
    folder = TARGET / "my-policy"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)
    # Not in the repository that the folder may lie in.
    alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    done = subprocess.run(
        ["git", "apply", str(PATCH)], cwd=folder, env=alone, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), "make the patch anew"
    return folder


def cargo(folder: Path, *arguments: str) -> str:
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo")
    done = subprocess.run(
        ["cargo", *arguments, "--locked", *QUICKLY],
        cwd=folder,
        env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_about_sixty_lines() -> None:
    added = [line for line in PATCH.read_text("utf-8").splitlines() if line.startswith("+") and line[1:2] != "+"]
    assert len(added) <= 70


def test_the_page_shows_what_the_patch_adds(checkout: Path) -> None:
    changed = re.findall(r"^\+\+\+ b/(.*)$", PATCH.read_text("utf-8"), re.MULTILINE)
    texts = [(checkout / name).read_text("utf-8") for name in changed]
    blocks = playground.blocks(PAGE, "rust")
    assert len(blocks) >= 5
    for block in blocks:
        assert any(block.rstrip("\n") in text for text in texts), f"no file of the patch has\n{block}"
    named = set(re.findall(r"`(crates/[\w/.-]+\.rs)`", PAGE.read_text("utf-8")))
    assert named <= set(changed)


def test_its_own_test_passes(checkout: Path) -> None:
    command = next(line for block in playground.blocks(PAGE, "sh") for line in block.splitlines() if "cargo" in line)
    assert "test result: ok. 1 passed" in cargo(checkout, *command.split()[1:])


def test_its_commands_run(checkout: Path, tmp_path: Path) -> None:
    cargo(checkout, "build", "--profile", "test", "--package", "wordline-py")
    library = next(path for name in ("lib_core.so", "lib_core.dylib") if (path := TARGET / "debug" / name).exists())
    package = tmp_path / "python" / "wordline"
    shutil.copytree(ROOT / "python" / "wordline", package, ignore=shutil.ignore_patterns("_core*", "__pycache__"))
    shutil.copy(library, package / "_core.abi3.so")
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "WORDLINE_CACHE": str(tmp_path / "cache")}
    commands = playground.commands(PAGE, "wordline")
    assert {arguments[0] for arguments in commands} == {"compare", "explain"}
    for arguments in commands:
        quick = playground.quick(arguments)
        more = ["--json"] if arguments[0] == "compare" else []
        done = subprocess.run(
            [sys.executable, "-m", "wordline.cli", *quick, *more],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "downward" in done.stdout
        if more:
            points = json.loads(done.stdout)["points"]
            steps = {p["set"]["read.retry"]: p["result"]["read_retry"]["mean_steps"] for p in points}
            assert steps["downward"] == steps["downward+pnar2"] < steps["baseline"]
