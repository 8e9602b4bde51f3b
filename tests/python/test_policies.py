"""A policy is its file and one row: the worked examples are added to a copy of the project, built once and tested."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import docs_playground as playground
from docs_playground import ROOT

EXAMPLES = ROOT / "examples" / "policies"
PAGE = ROOT / "docs" / "how-to" / "my-policy.md"
SOURCES = ("crates", "presets", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml")
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
CORE, TRACE = Path("crates/wordline-core"), Path("crates/wordline-trace")
# The copy is compiled once and runs for a second; what does not depend on it comes from `make test`'s build.
QUICKLY = [
    part
    for crate in ("wordline-cells", "wordline-core", "wordline-trace")
    for part in (
        "--config",
        f'profile.test.package."{crate}".opt-level=0',
        "--config",
        f'profile.test.package."{crate}".debug=false',
    )
]


def slots() -> list[Path]:
    return sorted(folder for folder in EXAMPLES.iterdir() if folder.is_dir())


def policy_of(slot: Path) -> Path:
    (policy,) = (path for path in slot.glob("*.rs") if path.name != "test.rs")
    return policy


def place_of(slot: Path) -> tuple[Path, Path]:
    """The crate of a slot, and its folder."""
    if slot.name == "trace_format":
        return TRACE, TRACE / "src" / "formats"
    return CORE, CORE / "src" / "policy" / slot.name


def with_row(text: str, module: str, row: str) -> str:
    """The table's file with the `mod` line and the row added, and nothing else changed.

    The row of a policy is behind the name of its table; the trace formats have one table.
    """
    table, row = row.strip().split(": ", 1) if "=>" not in row else ("formats!", row.strip())
    last = [match.end() for match in re.finditer(r"^mod \w+;\n", text, re.MULTILINE)][-1]
    text = f"{text[:last]}mod {module};\n{text[last:]}"
    begin, end = (r"^formats! \{\n", "}\n") if table == "formats!" else (rf"^    {table}, \w+ \[\n", "    ]\n")
    found = re.search(begin, text, re.MULTILINE)
    assert found is not None, f"there is no table {table}"
    close = text.index(f"\n{end}", found.end()) + 1
    indent = "    " if table == "formats!" else "        "
    return f"{text[:close]}{indent}{row}\n{text[close:]}"


@pytest.fixture(scope="module")
def checkout() -> Path:
    """A copy of the project with all examples in it, always in the same place, so that builds replace each other."""
    folder = TARGET / "policies"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)
    added, modules = folder / CORE / "tests" / "added", ""
    added.mkdir()
    for slot in slots():
        crate, place = place_of(slot)
        policy = policy_of(slot)
        shutil.copy(policy, folder / place / policy.name)
        table = folder / place / "mod.rs"
        table.write_text(
            with_row(table.read_text("utf-8"), policy.stem, (slot / "row.txt").read_text("utf-8")), "utf-8"
        )
        if crate == CORE:
            shutil.copy(slot / "test.rs", added / f"{slot.name}.rs")
            modules += f"mod {slot.name};\n"
    common = '#[allow(dead_code)]\n#[path = "../all/common/mod.rs"]\nmod common;\n'
    (added / "main.rs").write_text(f"//! Tests of the examples.\n\n{common}{modules}", "utf-8")
    return folder


def test_every_slot_has_a_worked_policy() -> None:
    folders = {path.name for path in (ROOT / CORE / "src" / "policy").iterdir() if path.is_dir()}
    assert {slot.name for slot in slots()} == folders | {"trace_format"}


def test_the_files_are_formatted() -> None:
    if shutil.which("rustfmt") is None:
        pytest.skip("there is no rustfmt")
    files = [str(path) for path in EXAMPLES.glob("*/*.rs")]
    done = subprocess.run(
        ["rustfmt", "--edition", "2024", "--config-path", str(ROOT), "--check", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_two_lines_are_all_that_changes(checkout: Path) -> None:
    changed = {}
    for path in sorted((checkout / "crates").rglob("*.rs")):
        original = ROOT / path.relative_to(checkout)
        if original.exists():
            before, after = original.read_text("utf-8").splitlines(), path.read_text("utf-8").splitlines()
            if before != after:
                assert [line for line in after if line in before] == before, path
                changed[path.relative_to(checkout)] = len(after) - len(before)
    assert changed == {place_of(slot)[1] / "mod.rs": 2 for slot in slots()}


@pytest.mark.verify
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("crate", "which"), [(CORE, ["--test", "added"]), (TRACE, ["--lib", policy_of(EXAMPLES / "trace_format").stem])]
)
def test_their_own_tests_pass(checkout: Path, crate: Path, which: list[str]) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo")
    done = subprocess.run(
        ["cargo", "test", "--package", crate.name, *which, "--locked", *QUICKLY],
        cwd=checkout,
        env={**os.environ, "CARGO_TARGET_DIR": str(TARGET)},
        capture_output=True,
        text=True,
        check=False,
        timeout=1400,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    passed = sum(int(number) for number in re.findall(r"test result: ok\. (\d+) passed", done.stdout))
    files = [path for slot in slots() if place_of(slot)[0] == crate for path in slot.glob("*.rs")]
    written = sum(path.read_text("utf-8").count("#[test]") for path in files)
    assert passed == written > 0


def test_the_page_shows_what_the_examples_say() -> None:
    texts = [path.read_text("utf-8") for path in EXAMPLES.glob("*/*") if path.is_file()]
    blocks = playground.blocks(PAGE, "rust")
    assert len(blocks) >= 3
    for block in blocks:
        assert any(block.rstrip("\n") in text for text in texts), f"no example has\n{block}"
