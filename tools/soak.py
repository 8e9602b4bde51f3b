"""Searches for faults for a long time: random SSDs in checked mode with power cuts, and damaged input for all readers.

    python tools/soak.py [--seconds N] [--parts ssds traces configurations python] [--out DIR] [--page]

It continues where it stopped: `DIR/soak.json` holds the next seed of each part, the work done so far, and the versions
of the sources. A fault does not end it: the command that repeats it is kept and runs first the next time, until it
passes. With an open fault the exit code is 1.

- `ssds`: random SSDs of all techniques, with power cuts (`crates/wordline-core/tests/all/soak.rs`)
- `traces` and `configurations`: a coverage-guided fuzzer (libFuzzer) over their readers, written in Rust (`fuzz/`)
- `python`: damaged files of MQSim, points of the cache, sweeps and job files (`tests/python/reader_fuzz.py`)
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from functools import cached_property
from pathlib import Path
from typing import Any

from mutants import ROOT, git, write_page

# SSDs, files and seconds of one batch: what is lost when the hunt is stopped.
SSDS = 500
FILES = 8_000
FUZZ_SECONDS = {"traces": 45, "configurations": 10}
PYTHON_KINDS = ("mqsim", "cache", "sweeps", "jobs")
# What is asked for before a release.
GOALS = {
    "page operations in checked mode": 10**9,
    "power cuts": 10**5,
    "inputs of the Rust readers": 10**8,
    **{f"files of the {kind} reader": 10**6 for kind in PYTHON_KINDS},
}
HOST = f"{platform.machine()}-unknown-linux-gnu"
# libFuzzer needs edges to be counted; these flags work with a stable compiler.
COVERAGE = (
    "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
    " -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
    " -Cllvm-args=-sanitizer-coverage-trace-compares"
)
# Lines of traces, for the fuzzer to begin with.
LINES = (
    b"128166372003061629,hm,1,Read,383496192,32768,413\n",
    b"0,20941264,8192,W,0.551706\n",
    b"0 0 8 8 1\n",
    b"0.5 0 8 8 1\n",
    b"fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x read 0 4096\n",
    b"  8,16   1        1     0.000000000   123  D   R 223490 + 8 [fio]\n",
    b"time,op,offset,size\n0.5,R,4096,8192\n",
    b"WLTRACE\0\x01\x00\x01\x02\x03",
)


class Soak:
    """What is known of the hunt, and where it is kept."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.file = out / "soak.json"
        out.mkdir(parents=True, exist_ok=True)
        self.state: dict[str, Any] = {"next": {}, "done": {}, "heads": {}, "seconds": 0, "open": [], "fixed": []}
        if self.file.is_file():
            self.state |= json.loads(self.file.read_text(encoding="utf-8"))
        self.head = git("describe", "--always", "--dirty")

    def next(self, part: str) -> int:
        """The first seed of a part that was not used."""
        return int(self.state["next"].get(part, 0))

    def add(self, part: str, seeds: int, seconds: float, **done: int) -> None:
        """A batch has found nothing."""
        self.state["next"][part] = self.next(part) + seeds
        self.state["seconds"] += seconds
        for what, count in done.items():
            self.state["done"][what.replace("_", " ")] = self.state["done"].get(what.replace("_", " "), 0) + count
        heads = self.state["heads"].setdefault(part, [])
        if self.head not in heads:
            heads.append(self.head)
        self.keep()

    def keep(self) -> None:
        """Writes down what is known."""
        partial = self.file.with_suffix(".partial")
        partial.write_text(json.dumps(self.state, indent=1), encoding="utf-8")
        partial.replace(self.file)

    def fail(self, part: str, seeds: int, said: str, command: list[str], settings: dict[str, str]) -> None:
        """A batch has found a fault: what repeats it is kept, and the part goes on behind the batch."""
        number = len(self.state["open"]) + len(self.state["fixed"])
        (self.out / f"fault-{number}.txt").write_text(said, encoding="utf-8")
        self.state["open"].append({"fault": number, "command": command, "settings": settings, "head": self.head})
        self.state["next"][part] = self.next(part) + seeds
        self.keep()
        words = " ".join([*(f"{key}={value}" for key, value in settings.items()), *command])
        print(f"a fault; it is in {self.out / f'fault-{number}.txt'}; to repeat it:\n{words}", flush=True)

    def repeat(self) -> None:
        """Runs again what has found a fault before."""
        for fault in list(self.state["open"]):
            done, _ = run(fault["command"], fault["settings"])
            if done.returncode == 0:
                self.state["open"].remove(fault)
                self.state["fixed"].append({**fault, "fixed": self.head})
                self.keep()

    def ssds(self) -> None:
        """Random SSDs."""
        first = self.next("ssds")
        settings = {"WORDLINE_SOAK_SEED": str(first), "WORDLINE_SOAK_ROUNDS": str(SSDS)}
        command = ["cargo", "test", "--locked", "--quiet", "--package", "wordline-core", "--test", "all"]
        command += ["--", "--nocapture", "--exact", "soak::random_ssds_keep_all_that_they_took_in"]
        done, seconds = run(command, settings)
        found = re.search(r"^soak: (.*)$", done.stdout, re.MULTILINE)
        if done.returncode or not found:
            seed = re.search(r"^seed (\d+):", done.stdout, re.MULTILINE)
            one = {"WORDLINE_SOAK_SEED": seed[1], "WORDLINE_SOAK_ROUNDS": "1"} if seed else settings
            self.fail("ssds", SSDS, done.stdout, command, one)
        else:
            counts = json.loads(found[1])
            named = {
                "random_SSDs": counts["rounds"],
                "SSDs_that_ran_full": counts["full"],
                "requests": counts["requests"],
                "page_operations_in_checked_mode": counts["page_operations"],
                "power_cuts": counts["power_cuts"],
            }
            self.add("ssds", SSDS, seconds, **named)

    def traces(self) -> None:
        """The readers of traces."""
        self.fuzz("traces")

    def configurations(self) -> None:
        """The reader of configurations; it does a hundred times as much for a file."""
        self.fuzz("configurations")

    @cached_property
    def fuzzers(self) -> Path:
        """Where the programs under libFuzzer are; compiles them once."""
        target = self.out / "fuzz"
        # A target of its own: build scripts and macros run without libFuzzer, and must not count edges.
        command = ["cargo", "build", "--locked", "--quiet", "--release", "--target", HOST]
        command += ["--manifest-path", str(ROOT / "fuzz" / "Cargo.toml")]
        made, _ = run(command, {"RUSTFLAGS": COVERAGE, "CARGO_TARGET_DIR": str(target)})
        if made.returncode:
            sys.exit(made.stdout)
        return target / HOST / "release"

    def fuzz(self, kind: str) -> None:
        """Readers under libFuzzer; its corpus is what goes on."""
        corpus, found = self.out / "corpus" / kind, self.out / "found" / kind
        for folder in (corpus, found):
            folder.mkdir(parents=True, exist_ok=True)
        plant(corpus, kind)
        program = self.fuzzers / kind
        command = [str(program), str(corpus), f"-seed={self.next(kind) + 1}", f"-max_total_time={FUZZ_SECONDS[kind]}"]
        command += ["-timeout=300", "-rss_limit_mb=2048", "-max_len=4096", "-print_final_stats=1"]
        command += [f"-artifact_prefix={found}/"]
        done, seconds = run(command, {})
        executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stdout)
        if done.returncode or not executed:
            artifact = re.search(r"Test unit written to (\S+)", done.stdout)
            repeat = [str(program), artifact[1]] if artifact else command
            self.fail(kind, 1, done.stdout, repeat, {})
        else:
            self.add(
                kind, 1, seconds, inputs_of_the_Rust_readers=int(executed[1]), **{f"of_them_{kind}": int(executed[1])}
            )

    def python(self) -> None:
        """The Python readers."""
        for kind in PYTHON_KINDS:
            first = self.next(kind)
            command = [sys.executable, str(ROOT / "tests" / "python" / "reader_fuzz.py"), "--first", str(first)]
            command += ["--count", str(FILES), kind]
            done, seconds = run(command, {})
            if done.returncode:
                self.fail(kind, FILES, done.stdout, command, {})
            else:
                self.add(kind, FILES, seconds, **{f"files_of_the_{kind}_reader": FILES})

    def text(self) -> str:
        """What the page says."""
        done = self.state["done"]
        hours = self.state["seconds"] / 3600
        lines = [
            f"So far {hours:.2f} h. Faults found: {len(self.state['open'])} open, {len(self.state['fixed'])} fixed.",
            "",
            "| what | so far | to be reached |",
            "|---|---|---|",
        ]
        for what in [*GOALS, *(what for what in done if what not in GOALS)]:
            goal = f"{GOALS[what]:,}" if what in GOALS else ""
            lines.append(f"| {what} | {done.get(what, 0):,} | {goal} |")
        lines += ["", "| part | seeds | heads |", "|---|---|---|"]
        for part, heads in self.state["heads"].items():
            lines.append(f"| `{part}` | 0 to {self.next(part) - 1:,} | {', '.join(f'`{head}`' for head in heads)} |")
        return "\n".join(lines)


def plant(corpus: Path, kind: str) -> None:
    """Sound files for the fuzzer to begin with: configurations, or traces behind each choice of a reader."""
    if kind == "configurations":
        sources = [*ROOT.glob("presets/ssd/*.toml"), *ROOT.glob("examples/*.toml")]
        sound = [path.read_bytes()[:4000] for path in sources]
    else:
        sound = [bytes([choice]) + 2 * line for line in LINES for choice in range(16)]
    for number, text in enumerate(sound):
        path = corpus / f"sound-{number}"
        if not path.exists():
            path.write_bytes(text)


def run(command: list[str], settings: dict[str, str]) -> tuple[subprocess.CompletedProcess[str], float]:
    """A command, and how long it took."""
    began = time.monotonic()
    done = subprocess.run(  # noqa: S603 - commands from this file
        command,
        check=False,
        cwd=ROOT,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return done, time.monotonic() - began


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description="Hunt for faults for a long time.")
    parts = ("ssds", "traces", "configurations", "python")
    parser.add_argument("--seconds", type=float, default=3600, help="how long [s]; a batch that has begun ends")
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts, help="what to do, in turn")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "soak", help="where the state is")
    parser.add_argument("--page", action="store_true", help="write the figures into docs/validation/robustness.md")
    arguments = parser.parse_args()
    soak = Soak(arguments.out.resolve())
    end = time.monotonic() + arguments.seconds
    soak.repeat()
    while time.monotonic() < end:
        for part in arguments.parts:
            getattr(soak, part)()
            print(f"{part}: {soak.state['done']}", flush=True)
            if time.monotonic() >= end:
                break
    if arguments.page:
        write_page("soak", soak.text())
    sys.exit(1 if soak.state["open"] else 0)


if __name__ == "__main__":
    main()
