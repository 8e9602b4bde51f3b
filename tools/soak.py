"""Searches for faults for a long time: random SSDs in checked mode with power cuts, and damaged input for all readers.

    python tools/soak.py [--seconds N] [--jobs N] [--parts ssds traces …] [--out DIR] [--page]

It continues where it stopped: `DIR/soak.json` holds the next seed of each part, the work done so far, and the versions
of the sources. The part that is farthest from its goal goes on next. A fault does not end the hunt: the command that
repeats it is kept and runs first the next time, until it passes. With an open fault the exit code is 1.

- `ssds`: random SSDs of all techniques, with power cuts (`crates/wordline-core/tests/all/soak.rs`)
- `traces`, `detection`, `configurations`: a coverage-guided fuzzer (libFuzzer) over the readers in Rust (`fuzz/`)
- `mqsim`, `cache`, `sweeps`, `jobs`, `imports`: damaged files for the Python readers (`tests/python/reader_fuzz.py`)
- `guided-jobs`, `guided-imports`, `guided-mqsim`: a coverage-guided fuzzer over the readers of files of other programs
  that are written in Python (`tests/python/guided_fuzz.py`)
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from mutants import ROOT, git, write_page

PYTHON_PARTS = ("mqsim", "cache", "sweeps", "jobs", "imports")
GUIDED_PARTS = ("guided-jobs", "guided-imports", "guided-mqsim")
RUST_READERS = ("traces", "detection", "configurations")
# What is asked for before a release: of each part what is counted, and how much.
GOALS = {
    "ssds": ("page operations in checked mode", 10**9),
    "traces": ("inputs of the readers of traces", 10**8),
    # Each stands for a file of 131 lines.
    "detection": ("inputs of the detection of formats and units of time", 10**6),
    # A configuration takes a hundred times as long as a trace of that size.
    "configurations": ("inputs of the reader of configurations", 10**6),
    **{part: (f"files of the {part} reader", 10**6) for part in PYTHON_PARTS},
    **{part: (f"inputs of the {part.removeprefix('guided-')} reader, guided", 10**6) for part in GUIDED_PARTS},
}
MORE_GOALS = {"power cuts": 10**5}
# One batch, which is what is lost when the hunt is stopped: SSDs, files, and seconds of the fuzzer.
SSDS = 100
FILES = 20_000
FUZZ_SECONDS = 120
# An SSD lives so many times as long as in `make test`: most of its blocks are worn, refreshed and cut off many times.
LENGTH = 10
# A few lines of a trace, or all keys of a section.
INPUT_BYTES_MAX = {"traces": 256, "detection": 256, "configurations": 1024}
# No batch takes so long, unless something in it does not end.
SECONDS_MAX = 6 * 3600
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


# A first line and one that is repeated, with `#` and `~` for its time (fuzz/src/detection.rs).
TIMED = (
    b"\n# 0 8 8 1\n",
    b"\n~ 0 8 8 1\n",
    b"\n0,20941264,8192,W,~\n",
    b"\n#,hm,1,Read,383496192,32768,413\n",
    b"\n1,64,4096,0,#\n",
    b"time,op,offset,size\n~,R,4096,8192\n",
    b"version,time,size,op,lbn\n1,#,4096,28,64\n",
    b"device_id,opcode,offset,length,timestamp\n3,R,4096,8192,#\n",
)
SOUND_STEPS = (1, 17, 33, 61, 92)


class Batch(NamedTuple):
    """A program that works on some seeds of a part."""

    part: str
    first: int
    command: list[str]
    settings: dict[str, str]


@dataclass
class Ended:
    """How a program ended, what it said, and its time on a processor."""

    code: int
    said: str
    cpu_s: float


@dataclass
class Progress:
    """What a part has done."""

    next: int = 0
    done: dict[str, int] = field(default_factory=dict)
    cpu_s: float = 0.0
    heads: list[str] = field(default_factory=list)


class Soak:
    """What is known of the hunt, and where it is kept."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.file = out / "soak.json"
        out.mkdir(parents=True, exist_ok=True)
        state: dict[str, Any] = {"parts": {}, "seconds": 0.0, "open": [], "fixed": []}
        if self.file.is_file():
            state |= json.loads(self.file.read_text(encoding="utf-8"))
        self.parts = {part: Progress(**state["parts"].get(part, {})) for part in GOALS}
        self.seconds: float = state["seconds"]
        self.open: list[dict[str, Any]] = state["open"]
        self.fixed: list[dict[str, Any]] = state["fixed"]
        self.head = git("describe", "--always", "--dirty")

    def keep(self) -> None:
        """Writes down what is known."""
        state = {
            "parts": {part: vars(progress) for part, progress in self.parts.items()},
            "seconds": self.seconds,
            "open": self.open,
            "fixed": self.fixed,
        }
        partial = self.file.with_suffix(".partial")
        partial.write_text(json.dumps(state, indent=1), encoding="utf-8")
        partial.replace(self.file)

    def share(self, part: str) -> float:
        """How much of a part's goal is reached."""
        what, goal = GOALS[part]
        return self.parts[part].done.get(what, 0) / goal

    def batch(self, part: str) -> Batch:
        """The next seeds of a part."""
        progress = self.parts[part]
        first = progress.next
        if part == "ssds":
            progress.next += SSDS
            settings = {"SEED": first, "ROUNDS": SSDS, "LENGTH": LENGTH}
            command = [str(self.out / "ssds"), "--nocapture", "--exact", "soak::random_ssds_keep_all_that_they_took_in"]
            return Batch(part, first, command, {f"WORDLINE_SOAK_{name}": str(n) for name, n in settings.items()})
        if part in PYTHON_PARTS:
            progress.next += FILES
            command = [sys.executable, str(ROOT / "tests" / "python" / "reader_fuzz.py"), "--first", str(first)]
            return Batch(part, first, [*command, "--count", str(FILES), part], {})
        progress.next += 1
        if part in GUIDED_PARTS:
            command = [
                sys.executable,
                str(ROOT / "tests" / "python" / "guided_fuzz.py"),
                "--out",
                str(self.out / "guided"),
            ]
            command += ["--seconds", str(FUZZ_SECONDS), "--seed", str(first + 1), part.removeprefix("guided-")]
            return Batch(part, first, command, {})
        corpus, found = self.out / "corpus" / part, self.out / "found" / part
        for folder in (corpus, found):
            folder.mkdir(parents=True, exist_ok=True)
        plant(corpus, part)
        # What it has learned is in its corpus, which two of them may share.
        command = [str(self.out / part), str(corpus), f"-seed={first + 1}", f"-max_total_time={FUZZ_SECONDS}"]
        command += ["-timeout=300", "-rss_limit_mb=2048", f"-max_len={INPUT_BYTES_MAX[part]}", "-reload=0"]
        return Batch(part, first, [*command, "-print_final_stats=1", f"-artifact_prefix={found}/"], {})

    def take(self, batch: Batch, ended: Ended) -> None:
        """Counts what a batch has done, and keeps the fault that it has found."""
        progress = self.parts[batch.part]
        progress.cpu_s += ended.cpu_s
        if self.head not in progress.heads:
            progress.heads.append(self.head)
        for what, count in counts(batch.part, ended.said).items():
            progress.done[what] = progress.done.get(what, 0) + count
        if ended.code:
            number = len(self.open) + len(self.fixed)
            (self.out / f"fault-{number}.txt").write_text(ended.said, encoding="utf-8")
            command, settings = repetition(batch, ended.said)
            self.open.append({"fault": number, "command": command, "settings": settings, "head": self.head})
            words = " ".join([*(f"{key}={value}" for key, value in settings.items()), *command])
            print(f"a fault; it is in {self.out / f'fault-{number}.txt'}; to repeat it:\n{words}", flush=True)
        self.keep()

    def repeat(self) -> None:
        """Runs again what has found a fault before."""
        for fault in list(self.open):
            if run(fault["command"], fault["settings"]).code == 0:
                self.open.remove(fault)
                self.fixed.append({**fault, "fixed": self.head})
                self.keep()

    def build(self, parts: list[str]) -> None:
        """Compiles the programs of the parts, and keeps them: the sources may change while they run."""
        if "ssds" in parts:
            command = ["cargo", "test", "--locked", "--quiet", "--profile", "soak", "--package", "wordline-core"]
            made = must([*command, "--test", "all", "--no-run", "--message-format=json"], {}).splitlines()
            programs = [json.loads(line).get("executable") for line in made if line.startswith("{")]
            shutil.copy2(next(filter(None, programs)), self.out / "ssds")
        if wanted := [part for part in parts if part in RUST_READERS]:
            target = self.out / "fuzz"
            # A target of its own: build scripts and macros run without libFuzzer, and must not count edges.
            command = ["cargo", "build", "--locked", "--quiet", "--release", "--target", HOST]
            command += ["--manifest-path", str(ROOT / "fuzz" / "Cargo.toml")]
            must(command, {"RUSTFLAGS": COVERAGE, "CARGO_TARGET_DIR": str(target)})
            for part in wanted:
                shutil.copy2(target / HOST / "release" / part, self.out / part)

    def hunt(self, parts: list[str], jobs: int, seconds: float) -> None:
        """Runs batches, so many at a time, until so much time has passed and those that have begun are done."""
        began = at = time.monotonic()
        running: dict[Future[Ended], Batch] = {}
        with ThreadPoolExecutor(jobs) as pool:
            while running or at < began + seconds:
                while len(running) < jobs and at < began + seconds:
                    batch = self.batch(min(parts, key=self.share))
                    running[pool.submit(run, batch.command, batch.settings)] = batch
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                self.seconds += time.monotonic() - at
                at = time.monotonic()
                for future in done:
                    batch = running.pop(future)
                    self.take(batch, future.result())
                    print(f"{batch.part}: {self.parts[batch.part].done}", flush=True)

    def text(self) -> str:
        """What the page says."""
        begun = {part: progress for part, progress in self.parts.items() if progress.done}
        lines = [
            f"So far {self.seconds / 3600:.2f} h. Faults found: {len(self.open)} open, {len(self.fixed)} fixed.",
            "",
            "| what | so far | to be reached | a second of a core |",
            "|---|---|---|---|",
        ]
        goals = {**dict(GOALS.values()), **MORE_GOALS}
        for progress in begun.values():
            for what, count in progress.done.items():
                goal = f"{goals[what]:,}" if what in goals else ""
                lines.append(f"| {what} | {count:,} | {goal} | {count / progress.cpu_s:,.0f} |")
        lines += ["", "| part | core hours | seeds | heads |", "|---|---|---|---|"]
        for part, progress in begun.items():
            heads = ", ".join(f"`{head}`" for head in progress.heads)
            lines.append(f"| `{part}` | {progress.cpu_s / 3600:.2f} | 0 to {progress.next - 1:,} | {heads} |")
        return "\n".join(lines)


def counts(part: str, said: str) -> dict[str, int]:
    """What a program says that it has done."""
    if part == "ssds":
        found = re.search(r"^soak: (.*)$", said, re.MULTILINE)
        return json.loads(found[1]) if found else {}
    if part in RUST_READERS:
        found = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
        return {GOALS[part][0]: int(found[1])} if found else {}
    found = re.search(r'"(?:count|inputs)": (\d+)', said)
    return {GOALS[part][0]: int(found[1])} if found else {}


def repetition(batch: Batch, said: str) -> tuple[list[str], dict[str, str]]:
    """The shortest command that finds the fault of a batch again."""
    if batch.part == "ssds":
        seeds = re.findall(r"^(?:test \S+ \.\.\. )?seed (\d+)$", said, re.MULTILINE)
        one = {"WORDLINE_SOAK_SEED": seeds[-1], "WORDLINE_SOAK_ROUNDS": "1"} if seeds else {}
        return batch.command, {**batch.settings, **one}
    if batch.part in RUST_READERS:
        artifact = re.search(r"Test unit written to (\S+)", said)
        return ([batch.command[0], artifact[1]] if artifact else batch.command), {}
    if batch.part in GUIDED_PARTS:
        kept = re.search(r": (\S+/guided/found/\S+)", said)
        return ([*batch.command[:2], "--again", kept[1]] if kept else batch.command), {}
    number = re.search(rf"{batch.part} (\d+): ", said)
    if number is None:
        return batch.command, {}
    return [*batch.command[:2], "--first", number[1], "--count", "1", batch.part], {}


def plant(corpus: Path, kind: str) -> None:
    """Sound files for the fuzzer to begin with: configurations, or traces behind each choice of a reader."""
    if kind == "configurations":
        sources = [*ROOT.glob("presets/ssd/*.toml"), *ROOT.glob("examples/*.toml")]
        sound = [path.read_bytes()[:4000] for path in sources]
    elif kind == "detection":
        sound = [bytes([step, choice]) + text for text in TIMED for step in SOUND_STEPS for choice in range(16)]
    else:
        sound = [bytes([choice]) + 2 * line for line in LINES for choice in range(16)]
    for number, text in enumerate(sound):
        path = corpus / f"sound-{number}"
        if not path.exists():
            path.write_bytes(text)


def run(command: list[str], settings: dict[str, str]) -> Ended:
    """Runs a program to its end."""
    with subprocess.Popen(  # noqa: S603 - commands from this file
        command,
        cwd=ROOT,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        alarm = threading.Timer(SECONDS_MAX, process.kill)
        alarm.start()
        said = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(process.returncode, said, usage.ru_utime + usage.ru_stime)


def must(command: list[str], settings: dict[str, str]) -> str:
    """Runs a program that must succeed."""
    ended = run(command, settings)
    if ended.code:
        sys.exit(ended.said)
    return ended.said


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description="Hunt for faults for a long time.")
    parser.add_argument("--seconds", type=float, default=3600, help="how long [s]; a batch that has begun ends")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="programs at a time (default: cores)")
    parser.add_argument("--parts", nargs="+", choices=GOALS, default=list(GOALS), help="what to do")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "soak", help="where the state is")
    parser.add_argument("--page", action="store_true", help="write the figures into docs/validation/robustness.md")
    arguments = parser.parse_args()
    soak = Soak(arguments.out.resolve())
    if arguments.seconds > 0:
        soak.build(arguments.parts)
        soak.repeat()
        soak.hunt(arguments.parts, arguments.jobs, arguments.seconds)
    if arguments.page:
        write_page("soak", soak.text())
    sys.exit(1 if soak.open else 0)


if __name__ == "__main__":
    main()
