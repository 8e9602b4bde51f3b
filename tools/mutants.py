"""Faults that the tests must find: each is put into a copy of the sources, and the tests are run.

    python tools/mutants.py [--only NAME ...] [--again] [--seconds N] [--out DIR] [--page]

The faults are in `tests/mutants.toml`. All of them are compiled once, in a copy of the tree, each behind a
condition that is true where the environment asks for it; the product itself has no such switches. For each fault its
own tests run first, then those of its crate. What a run has found is kept in `DIR/mutants.json`: the command goes on
where it stopped, and begins anew where the sources, the tests or the faults have changed.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "mutants.toml"
PAGE = ROOT / "docs" / "validation" / "robustness.md"
# What names the fault that is in force, in the compiled copy.
VARIABLE = "WORDLINE_MUTANT"
CONDITION = "MUTANT"
# What the copy has beside the product.
SWITCH = f"""
/// True where the environment asks for this fault.
pub fn is_mutant(number: usize) -> bool {{
    static CHOSEN: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let chosen = || std::env::var("{VARIABLE}").ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
    *CHOSEN.get_or_init(chosen) == number
}}
"""
# The test programs: their crate, and whether they are its unit tests.
PROGRAMS = {
    "cells-unit": ("wordline-cells", "lib"),
    "cells": ("wordline-cells", "all"),
    "core-unit": ("wordline-core", "lib"),
    "core": ("wordline-core", "all"),
    "trace-unit": ("wordline-trace", "lib"),
    "trace": ("wordline-trace", "all"),
}
# The crate that a fault's crate knows the condition from.
KNOWN_BY = {"wordline-cells": "crate", "wordline-core": "wordline_cells", "wordline-trace": "wordline_core"}
# Behind a fault's own tests: those of its crate, and of the crate that sees it work.
WIDER = {
    "wordline-cells": ["cells-unit", "cells", "core-unit", "core"],
    "wordline-core": ["core-unit", "core checked_mode", "core"],
    "wordline-trace": ["trace-unit", "trace"],
}
# Without a word of their own, faults of the FTL and the controller show in checked mode.
FIRST = ["core checked_mode"]
# Quick, since nobody debugs here; assertions stay on, as in all tests.
PROFILE = {
    "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
    "CARGO_PROFILE_TEST_DEBUG": "0",
    "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_INCREMENTAL": "1",
    "PROPTEST_RNG_SEED": "1",
    # Nobody reads how a case fails.
    "PROPTEST_MAX_SHRINK_ITERS": "0",
    "RUST_BACKTRACE": "0",
}


@dataclass(frozen=True)
class Mutant:
    """One fault."""

    name: str
    file: str
    # The function whose body it is in.
    function: str
    find: str
    replace: str
    why: str
    tests: tuple[str, ...]
    # Why no test can tell it from the product, where that is so.
    explained: str = ""

    @property
    def crate(self) -> str:
        """The crate that it is in."""
        return self.file.split("/")[1]

    def switched(self, number: int) -> str:
        """Its text, with the fault in force where the environment asks for it."""
        condition = f"{KNOWN_BY[self.crate]}::is_mutant({number})"
        if CONDITION in self.replace:
            return self.replace.replace(CONDITION, condition)
        return f"(if {condition} {{ {self.replace} }} else {{ {self.find} }})"


def load() -> list[Mutant]:
    """All faults."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(function=row.pop("in"), tests=tuple(row.pop("tests", FIRST)), **row) for row in rows]


def places(mutant: Mutant, text: str) -> list[int]:
    """Where the fault applies in the text of its file: in the bodies of the functions of that name."""
    places_in_text = []
    for head in re.finditer(rf"\bfn {re.escape(mutant.function)}\b", text):
        # rustfmt puts the closing brace of a body below the `fn`.
        line = text.rfind("\n", 0, head.start()) + 1
        margin = re.match(r" *", text[line:])
        closing = text.find(f"\n{margin[0] if margin else ''}}}\n", head.start())
        body = text[head.start() : closing if closing >= 0 else None]
        places_in_text += [head.start() + at.start() for at in re.finditer(re.escape(mutant.find), body)]
    return places_in_text


def misfits(mutants: list[Mutant]) -> list[str]:
    """What is wrong with the table: faults that do not apply any more, names that occur twice."""
    wrong = []
    names = [mutant.name for mutant in mutants]
    wrong += [
        f"{name}: the name occurs {names.count(name)} times" for name in sorted(set(names)) if names.count(name) > 1
    ]
    for mutant in mutants:
        path = ROOT / mutant.file
        if not path.is_file():
            wrong.append(f"{mutant.name}: there is no {mutant.file}")
            continue
        count = len(places(mutant, path.read_text(encoding="utf-8")))
        if count != 1:
            place = f"`{mutant.function}` of {mutant.file}"
            wrong.append(f"{mutant.name}: `{mutant.find}` occurs {count} times in {place}, and must occur once")
        if mutant.find == mutant.replace:
            wrong.append(f"{mutant.name}: changes nothing")
        wrong += [
            f"{mutant.name}: there are no tests `{test}`" for test in mutant.tests if test.split()[0] not in PROGRAMS
        ]
    return wrong


def git(*arguments: str) -> str:
    """What git says."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603, S607
    return done.stdout.strip()


def fingerprint() -> str:
    """Everything that decides the outcome: the Rust sources with their data, the tests and the faults."""
    digest = hashlib.sha256()
    for name in git(
        "ls-files", "crates", "presets", "tests/mutants.toml", "Cargo.toml", "Cargo.lock", "tools/mutants.py"
    ).split("\n"):
        digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def copy_tree(tree: Path, mutants: list[Mutant]) -> None:
    """A copy of the sources with the faults; files that stay keep their times, so that little is compiled again."""
    texts = switched(mutants)
    wanted = set(git("ls-files").split("\n"))
    for name in sorted(wanted):
        put(tree / name, texts[name].encode() if name in texts else (ROOT / name).read_bytes())
    for path in [path for path in tree.rglob("*") if path.is_file()]:
        if str(path.relative_to(tree)) not in wanted:
            path.unlink()


def put(path: Path, content: bytes) -> None:
    """Writes a file where its content is another."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def switched(mutants: list[Mutant]) -> dict[str, str]:
    """The files of all faults, with each fault behind its condition."""
    texts: dict[str, str] = {}
    for number, mutant in enumerate(mutants):
        text = texts.setdefault(mutant.file, (ROOT / mutant.file).read_text(encoding="utf-8"))
        if len(at := places(mutant, text)) != 1:
            sys.exit(f"{mutant.name}: overlaps with another fault of {mutant.file}")
        texts[mutant.file] = text[: at[0]] + mutant.switched(number) + text[at[0] + len(mutant.find) :]
    for crate, text in (("wordline-cells", SWITCH), ("wordline-core", "pub use wordline_cells::is_mutant;\n")):
        root = f"crates/{crate}/src/lib.rs"
        texts[root] = texts.get(root, (ROOT / root).read_text(encoding="utf-8")) + text
    return texts


def build(tree: Path, target: Path) -> dict[str, Path]:
    """Compiles the test programs of the copy; returns where they are."""
    environment = {**os.environ, **PROFILE, "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "test", "--locked", "--no-run", "--quiet", "--message-format=json"]
    command += [word for crate in WIDER for word in ("--package", crate)]
    done = subprocess.run(command, cwd=tree, env=environment, check=False, stdout=subprocess.PIPE, text=True)  # noqa: S603
    if done.returncode:
        for line in done.stdout.splitlines():
            message = json.loads(line).get("message") or {}
            if message.get("level") == "error":
                print(message["rendered"], file=sys.stderr)
        sys.exit("the faults do not compile")
    programs = {}
    for line in done.stdout.splitlines():
        artifact: dict[str, Any] = json.loads(line)
        if artifact.get("executable") and artifact.get("profile", {}).get("test"):
            crate = artifact["manifest_path"].split("/")[-2]
            kind = "lib" if "lib" in artifact["target"]["kind"] else artifact["target"]["name"]
            programs[crate, kind] = Path(artifact["executable"])
    return {name: programs[place] for name, place in PROGRAMS.items()}


def run(test: str, programs: dict[str, Path], tree: Path, number: int | None, seconds: float) -> tuple[str, float]:
    """Runs tests, such as `core checked_mode`; returns the first that failed ("" where none did) and the time."""
    name, *filters = test.split()
    environment = {**os.environ, **PROFILE}
    environment.pop(VARIABLE, None)
    if number is not None:
        environment[VARIABLE] = str(number)
    command = [str(programs[name]), "--test-threads", "2", *filters]
    began = time.monotonic()
    with subprocess.Popen(  # noqa: S603 - a program that was compiled here
        command,
        cwd=tree / "crates" / PROGRAMS[name][0],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        # A fault may be found by a test that does not end.
        alarm = threading.Timer(seconds, process.kill)
        alarm.start()
        for line in process.stdout or ():
            if failed := re.match(r"test (\S+) \.\.\. FAILED", line):
                # One test is enough.
                process.kill()
                alarm.cancel()
                return f"{name} {failed[1]}", time.monotonic() - began
        code = process.wait()
    took = time.monotonic() - began
    if alarm.is_alive():
        alarm.cancel()
    else:
        return f"{test} (no end within {seconds:.0f} s)", took
    return "" if code == 0 else f"{test} (exit code {code})", took


def kill(
    mutant: Mutant, number: int, programs: dict[str, Path], tree: Path, limits: dict[str, float], longest: float
) -> dict[str, Any]:
    """Looks for a test that finds a fault. `limits` says how long tests may take, and learns it."""
    took = 0.0
    for test in dict.fromkeys([*mutant.tests, *WIDER[mutant.crate]]):
        if test not in limits:
            # Without a fault all must pass; a fault that makes tests ten times slower is found by that.
            by, seconds = run(test, programs, tree, None, longest)
            if by:
                sys.exit(f"without a fault: {by} fails")
            limits[test] = min(longest, 30 + 10 * seconds)
        by, seconds = run(test, programs, tree, number, limits[test])
        took += seconds
        if by:
            return {"killed_by": by, "seconds": round(took, 1)}
    return {"killed_by": "", "seconds": round(took, 1)}


def table(mutants: list[Mutant], results: dict[str, Any]) -> str:
    """What the page says: the counts, and a row for each fault."""
    rows = {name: row for name, row in results["mutants"].items() if name in {m.name for m in mutants}}
    killed = sum(bool(row["killed_by"]) for row in rows.values())
    explained = sum(bool(m.explained) for m in mutants if m.name in rows and not rows[m.name]["killed_by"])
    seconds = sum(row["seconds"] for row in rows.values())
    begin = f"{len(rows)} of {len(mutants)} faults were put in, at `{results['head']}` (sources `{results['sources']}`)"
    counts = f"{killed} were found, {explained} are explained, {len(rows) - killed - explained} were not found"
    lines = [
        f"{begin}, in {seconds:.0f} s of tests: **{counts}**.",
        "",
        "| fault | in | found by | s |",
        "|---|---|---|---|",
    ]
    for mutant in mutants:
        row = rows.get(mutant.name)
        by, took = "not run", ""
        if row is not None:
            by = f"`{row['killed_by']}`" if row["killed_by"] else mutant.explained or "**nothing**"
            took = f"{row['seconds']:.0f}"
        lines.append(f"| {mutant.why} | `{Path(mutant.file).relative_to('crates')}` | {by} | {took} |")
    return "\n".join(lines)


def write_page(name: str, text: str) -> None:
    """Puts a generated part into the page."""
    begin, end = f"<!-- {name}: made by the command -->", f"<!-- end of {name} -->"
    before, rest = PAGE.read_text(encoding="utf-8").split(begin)
    _, after = rest.split(end)
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(
        description="Put faults into a copy of the sources, and see whether tests find them."
    )
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="run these faults alone")
    parser.add_argument("--again", action="store_true", help="forget what earlier runs have found")
    parser.add_argument("--seconds", type=float, default=600, help="longest time of a test program [s]")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "mutants", help="where the copy and the results are")
    parser.add_argument("--target", type=Path, help="where cargo builds (default: DIR/target)")
    parser.add_argument("--page", action="store_true", help="write the table into docs/validation/robustness.md")
    arguments = parser.parse_args()
    mutants = load()
    if wrong := misfits(mutants):
        sys.exit("\n".join(wrong))
    kept = arguments.out / "mutants.json"
    results: dict[str, Any] = {"sources": fingerprint(), "head": git("describe", "--always", "--dirty"), "mutants": {}}
    if kept.is_file() and not arguments.again:
        before = json.loads(kept.read_text(encoding="utf-8"))
        if before["sources"] == results["sources"]:
            results = before
    chosen = [m for m in mutants if not arguments.only or m.name in arguments.only]
    left = [m for m in chosen if m.name not in results["mutants"]]
    if left:
        hunt(left, mutants, results, arguments)
    if arguments.page:
        write_page("mutants", table(mutants, results))
    missed = [m.name for m in chosen if not results["mutants"][m.name]["killed_by"] and not m.explained]
    print(f"{len(chosen) - len(missed)} of {len(chosen)} faults are found or explained")
    if missed:
        sys.exit(f"no test finds: {', '.join(missed)}")


def hunt(left: list[Mutant], mutants: list[Mutant], results: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Runs the tests for each fault that is left, and keeps what they find."""
    tree = arguments.out.resolve() / "tree"
    copy_tree(tree, mutants)
    programs = build(tree, (arguments.target or arguments.out / "target").resolve())
    limits: dict[str, float] = {}
    for mutant in left:
        verdict = kill(mutant, mutants.index(mutant), programs, tree, limits, arguments.seconds)
        results["mutants"][mutant.name] = verdict
        put(arguments.out / "mutants.json", json.dumps(results, indent=1).encode())
        print(f"{verdict['seconds']:7.1f} s  {mutant.name}: {verdict['killed_by'] or 'NOT FOUND'}", flush=True)


if __name__ == "__main__":
    main()
