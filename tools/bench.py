"""Measures the simulator's speed and memory, and of an older version beside it, as ratios in one run.

    python tools/bench.py [--base COMMIT] [--mqsim PATH] [--repeats N] [--only PART …]

`make bench`, `make bench BASE=<commit>` and `make bench MQSIM=<program>` call it. It prints one JSON object. Each
measurement is repeated; versions and programs take turns, so that a machine that other work slows down slows all of
them down. The best of the repetitions counts. `docs/validation/speed.md` explains the parts.
"""
# ruff: noqa: INP001, S603, S607

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mqsim_side_by_side import ComparisonError, Process, run_process
from mutants import ROOT, git

REPEATS = 3
# Parts of the program `wordline-bench`, with the number that is compared: more is better.
LOOPS = {
    "random_read": "page_operations_per_s",
    "random_write": "page_operations_per_s",
    "random_mix": "page_operations_per_s",
    "csv_trace": "requests_per_s",
    "fill": "fill_page_writes_per_s",
}
# Parts that stand for themselves.
CELLS = ("read_cells", "ldpc")
USED = ("ssd.blocks_per_plane=256", "precondition.fill=1.0", "precondition.overwrite=1.0")
AGED = ("reliability.pec=1000", "reliability.retention_months=3", "read.retry=pnar2")
# A part of a drive of today, at the free blocks at which GC keeps it.
PART = ("ssd.scale=1/16", "precondition.fill=1.0", "precondition.overwrite=1.0")
# Runs of the command line, in two lengths: preset, workload, settings, requests of the shorter and the longer run.
RUNS: dict[str, tuple[str, str, tuple[str, ...], int, int]] = {
    "gc_heavy_writes": ("mqsim", "fio/random-write", USED, 100_000, 600_000),
    "aero_open_loop": ("aero", "ali/e", (), 100_000, 2_000_000),
    "unit_writes": ("datacenter-tlc", "fio/random-write", PART, 200_000, 1_200_000),
    "unit_reads": ("datacenter-tlc", "fio/random-read", PART, 200_000, 2_200_000),
    "large_writes": ("datacenter-tlc", "fio/sequential-write", PART, 20_000, 120_000),
    "worn_pnar2": ("pnar2", "ycsb/a", AGED, 50_000, 450_000),
}
# 10^9 pages of 16 KiB, of which a workload uses a ten-thousandth.
HUGE = (
    "ssd.channels=16",
    "ssd.chips_per_channel=8",
    "ssd.dies_per_chip=4",
    "ssd.planes_per_die=4",
    "ssd.blocks_per_plane=1024",
    "ssd.pages_per_block=512",
    "ssd.page_bytes=16384",
    "ftl.unmapped_read=zero",
    "workload.footprint_ratio=0.0001",
)


@dataclass(frozen=True)
class Version:
    """A tree of the project, compiled."""

    name: str
    tree: Path
    bench: Path

    def loop(self, part: str) -> dict[str, float] | None:
        """What `wordline-bench` says of a part; `None` if this version does not have it."""
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            done = run_process([str(self.bench), part], Path(folder))
        by_part: dict[str, dict[str, float]] = json.loads(done.output)
        return by_part.get(part)

    def run(self, preset: str, workload: str, settings: Sequence[str], requests: int, *more: str) -> Process:
        """One run of the command line."""
        command = ["env", f"PYTHONPATH={self.tree / 'python'}", sys.executable, "-m", "wordline.cli", "run", preset]
        command += ["--workload", workload, "--json", *more]
        for setting in (*settings, f"workload.requests={requests}"):
            command += ["--set", setting]
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            return run_process(command, Path(folder))


def build(package: str, tree: Path, target: Path) -> Path:
    """Compiles a package of a tree; returns the folder of what is compiled."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--package", package]
    subprocess.run(command, cwd=tree, env=environment, check=True)
    return target / "release"


def now() -> Version:
    """This version; `make setup` has compiled its extension."""
    return Version("now", ROOT, build("wordline-bench", ROOT, ROOT / "target") / "wordline-bench")


def base(commit: str) -> Version:
    """The version of a commit, in `target/base`."""
    whole = git("rev-parse", "--short", commit).strip()
    tree = ROOT / "target" / "base" / whole
    if not tree.exists():
        partial = tree.with_suffix(".partial")
        partial.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x"], cwd=partial, input=archive, check=True)
        partial.rename(tree)
    target = ROOT / "target" / "base" / "target"
    release = build("wordline-bench", tree, target)
    build("wordline-py", tree, target)
    shutil.copy2(release / "lib_core.so", tree / "python" / "wordline" / "_core.abi3.so")
    return Version(whole, tree, release / "wordline-bench")


def loops(part: str, versions: Sequence[Version], repeats: int) -> dict[str, Any]:
    """A part of `wordline-bench` for each version: the repetition with the best number."""
    number = LOOPS[part]
    best: dict[str, dict[str, float]] = {}
    for _ in range(repeats):
        for version in versions:
            measured_loop = version.loop(part)
            if measured_loop and measured_loop[number] > best.get(version.name, {}).get(number, 0.0):
                best[version.name] = measured_loop
    return compared(best, versions, lambda measured_loop: measured_loop[number])


def runs(part: str, versions: Sequence[Version], repeats: int) -> dict[str, Any]:
    """Processor time of one more request, in microseconds: two lengths, start-up in neither."""
    preset, workload, settings, fewer, more = RUNS[part]
    least: dict[tuple[str, int], float] = {}
    for _ in range(repeats):
        for requests in (fewer, more):
            for version in versions:
                done = version.run(preset, workload, settings, requests)
                key = version.name, requests
                least[key] = min(done.cpu_s, least.get(key, done.cpu_s))
    beyond = {
        version.name: {
            "us_per_request": (least[version.name, more] - least[version.name, fewer]) / (more - fewer) * 1e6
        }
        for version in versions
    }
    return compared(beyond, versions, lambda found: 1 / found["us_per_request"])


def compared(
    by_version: dict[str, dict[str, float]], versions: Sequence[Version], speed: Callable[[dict[str, float]], float]
) -> dict[str, Any]:
    """The numbers of this version, and beside them those of the older one and how many times as fast this one is."""
    new = versions[0].name
    if len(versions) == 1:
        return dict(by_version[new])
    old = versions[1].name
    both = {version.name: by_version.get(version.name) for version in versions}
    times = speed(by_version[new]) / speed(by_version[old]) if new in by_version and old in by_version else None
    return {**both, "times_as_fast": times}


def start_up(versions: Sequence[Version], repeats: int) -> dict[str, Any]:
    """Processor time of a run of one request."""
    least: dict[str, dict[str, float]] = {}
    for _ in range(4 * repeats):
        for version in versions:
            done = version.run("mqsim", "fio/random-read", (), 1)
            before = least.get(version.name, {"s": done.cpu_s})["s"]
            least[version.name] = {"s": min(done.cpu_s, before)}
    return compared(least, versions, lambda found: 1 / found["s"])


def two_processes(version: Version, repeats: int) -> dict[str, float]:
    """How many times as much two processes do at once as one does."""
    rates: dict[int, float] = {}
    for _ in range(repeats):
        for processes in (1, 2):
            rates_measured: list[float] = []

            def work(rates_measured: list[float] = rates_measured) -> None:
                done = version.run("mqsim", "fio/random-mix", (), 1_500_000)
                rates_measured.append(1 / done.wall_s)

            threads = [threading.Thread(target=work) for _ in range(processes)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            rates[processes] = max(rates.get(processes, 0.0), sum(rates_measured))
    return {"times_one": rates[2] / rates[1]}


def huge(version: Version, _repeats: int) -> dict[str, float]:
    """Memory of a sparse workload on a device of 16 TB."""
    done = version.run("mqsim", "fio/random-mix", HUGE, 500_000)
    return {"peak_mib": done.peak_mib, "s": done.cpu_s}


def states(version: Version, repeats: int) -> dict[str, float]:
    """Time to begin from a saved state of an aged, full drive, beyond that of a process that begins from nothing."""
    with tempfile.TemporaryDirectory(prefix="bench-state-") as folder:
        state = str(Path(folder) / "aged.state")
        aged = ("precondition.fill=0.9",)
        version.run("mqsim", "fio/random-write", aged, 100_000, "--save-state", state)
        loaded = min(
            version.run("mqsim", "fio/random-read", aged, 1, "--load-state", state).wall_s for _ in range(repeats)
        )
        fresh = min(version.run("mqsim", "fio/random-read", (), 1).wall_s for _ in range(repeats))
        bytes_ = Path(state).stat().st_size
    return {"load_s": loaded - fresh, "mib": bytes_ / (1 << 20)}


def against_mqsim(program: str, repeats: int) -> list[dict[str, Any]]:
    """Requests a second, MQSim's and ours: see `tools/mqsim_speed.py`."""
    command = [sys.executable, str(ROOT / "tools" / "mqsim_speed.py"), "--json", "--mqsim", program]
    command += ["--repeats", str(repeats)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def stepped(_version: Version, repeats: int) -> dict[str, float]:
    """Processor time of a drive that a program steps, beyond that of a replay: see `tools/stepped.py`."""
    command = [sys.executable, str(ROOT / "tools" / "stepped.py")]
    runs_ = [json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(repeats)]
    return min(runs_, key=lambda each: float(each["beyond_us"]))


# Parts of this version alone.
WHOLE: dict[str, Callable[[Version, int], dict[str, float]]] = {
    "two_processes": two_processes,
    "sparse_16_tb": huge,
    "load_state": states,
    "stepped": stepped,
}


def measured(name: str, versions: Sequence[Version], repeats: int) -> Any:  # noqa: ANN401 - a JSON value
    """A part, by its name."""
    if name in LOOPS:
        return loops(name, versions, repeats)
    if name in RUNS:
        return runs(name, versions, repeats)
    if name == "start_up":
        return start_up(versions, repeats)
    if name in WHOLE:
        return WHOLE[name](versions[0], repeats)
    return versions[0].loop(name)


def main() -> int:
    """Exit code 2 when something cannot be measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--base", metavar="COMMIT", help="an older version to measure beside this one")
    parser.add_argument("--mqsim", metavar="PATH", help="MQSim's program, to measure beside this one")
    parser.add_argument("--repeats", type=int, default=REPEATS, metavar="N", help=f"runs of each; {REPEATS}")
    parser.add_argument("--only", nargs="+", metavar="PART", help="these parts alone")
    asked = parser.parse_args()
    names = ["bare_loop", *LOOPS, *CELLS, *RUNS, "start_up", *WHOLE, *(["mqsim"] if asked.mqsim else [])]
    unknown = set(asked.only or ()) - set(names)
    if unknown:
        print(f"no part {', '.join(sorted(unknown))}: there are {', '.join(names)}", file=sys.stderr)
        return 2
    versions = [now()]
    if asked.base:
        versions.append(base(asked.base))
    report = {}
    for name in names:
        if asked.only and name not in asked.only:
            continue
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            if name == "mqsim":
                report[name] = against_mqsim(asked.mqsim, asked.repeats)
            else:
                report[name] = measured(name, versions, asked.repeats)
        except (ComparisonError, subprocess.CalledProcessError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
    print(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
