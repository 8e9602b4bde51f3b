"""Runs MQSim and Wordline on the same pairs of files, one after the other, and compares them.

python3 tools/mqsim_side_by_side.py --mqsim PATH/TO/MQSim
python3 tools/mqsim_side_by_side.py --mqsim MQSim --trace tpcc-small.trace --only 'trace-*' --json

The files are temporary (`--keep DIR` keeps them). MQSim prints mean response times in whole microseconds, rounded down.
The script adds half a microsecond, so each time is exact to 0.5 us. Memory is the peak of the whole process. Time is
processor time of the whole process, because other processes disturb it least; `mqsim_speed.py` separates start-up and
simulation. If the mean of a case depends on the seed by more than about 1 %, both programs run it with several seeds;
the table then has the standard error of the deviation.
"""
# ruff: noqa: INP001, S603

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mqsim_pairs import SEEDS, Case, gc_cases, random_cases, speed_cases, trace_case, write_pair

HALF_US = 0.5
LIMIT_PERCENT = 5.0


class ComparisonError(Exception):
    """One of the two did not do its work."""


@dataclass(frozen=True)
class Process:
    """What a process wrote and used."""

    output: str
    wall_s: float
    cpu_s: float
    peak_mib: float


@dataclass(frozen=True)
class Run:
    """One simulation."""

    mean_us: float
    requests: int
    write_amplification: float | None
    wall_s: float
    process_wall_s: float
    process_cpu_s: float
    peak_mib: float


def run_process(command: Sequence[str], folder: Path) -> Process:
    """Runs a command to its end.

    Raises:
        ComparisonError: It cannot be started, or ends with an error.
    """
    log = folder / "stderr.txt"
    start = time.perf_counter()
    with log.open("w", encoding="utf-8") as errors:
        try:
            child = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        except OSError as error:
            raise ComparisonError(f"{command[0]}: {error.strerror}") from None
        with child:
            assert child.stdout is not None  # noqa: S101
            output = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
    wall_s = time.perf_counter() - start
    if child.returncode != 0:
        words = log.read_text(encoding="utf-8")[-1000:] or output[-1000:]
        raise ComparisonError(f"{command[0]} ended with {child.returncode}: {words}")
    # The peak is in KiB on Linux and in bytes on macOS.
    unit = 1 << 20 if platform.system() == "Darwin" else 1 << 10
    return Process(output, wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def run_mqsim(binary: Path, pair: tuple[Path, Path]) -> Run:
    """Runs MQSim on a pair.

    Raises:
        ComparisonError: It failed, or lost requests.
    """
    folder = pair[0].parent
    done = run_process([str(binary), "-i", pair[0].name, "-w", pair[1].name], folder)
    result = folder / f"{pair[1].stem}_scenario_1.xml"
    if not result.is_file():
        raise ComparisonError(f"{binary} wrote no {result.name}: {done.output[-500:]}")
    root = ET.parse(result).getroot()  # noqa: S314 - its own output
    requests = int(root.findtext(".//Host.IO_Flow/Request_Count", "0"))
    serviced = re.search(r"serviced:(\d+)", done.output)
    if serviced and int(serviced[1]) != requests:
        raise ComparisonError(f"MQSim lost {requests - int(serviced[1])} of {requests} requests")
    mean_us = float(root.findtext(".//Host.IO_Flow/Device_Response_Time", "nan")) + HALF_US
    counts = {key: float(value) for part in root.iter() for key, value in part.attrib.items() if "Program_CMD" in key}
    programmed = counts.get("Issued_Flash_Program_CMD", 0) + 2 * counts.get("Issued_Flash_Multiplane_Program_CMD", 0)
    writes = int(root.findtext(".//Host.IO_Flow/Write_Request_Count", "0"))
    amplification = programmed / writes if writes else None
    return Run(mean_us, requests, amplification, done.wall_s, done.wall_s, done.cpu_s, done.peak_mib)


def run_wordline(pair: tuple[Path, Path]) -> Run:
    """Runs Wordline on a pair.

    Raises:
        ComparisonError: It failed.
    """
    command = [sys.executable, "-m", "wordline.cli", "run", "--mqsim", pair[0].name, pair[1].name, "--json"]
    done = run_process(command, pair[0].parent)
    result = json.loads(done.output)
    return Run(
        result["response_us"]["all"]["mean"],
        result["requests"]["all"],
        result["write_amplification_pages"],
        result["wall_s"],
        done.wall_s,
        done.cpu_s,
        done.peak_mib,
    )


@dataclass(frozen=True)
class Row:
    """Both on one case; times are means over the seeds."""

    case: str
    group: str
    requests: int
    seeds: int
    mqsim_mean_us: float
    wordline_mean_us: float
    deviation_percent: float
    standard_error_percent: float | None
    mqsim_write_amplification: float | None
    wordline_write_amplification: float | None
    mqsim_wall_s: float
    wordline_wall_s: float
    wordline_process_wall_s: float
    mqsim_cpu_s: float
    wordline_cpu_s: float
    speed_ratio: float
    mqsim_peak_mib: float
    wordline_peak_mib: float
    memory_ratio: float


def compare(case: Case, binary: Path, folder: Path) -> Row:
    """Runs a case in both, seed by seed.

    Raises:
        ComparisonError: One of them failed, or they did not do the same work.
    """
    theirs: list[Run] = []
    ours: list[Run] = []
    for seed in SEEDS[: case.seeds]:
        place = folder / f"{case.name}-{seed}"
        place.mkdir(parents=True, exist_ok=True)
        pair = write_pair(case, seed, place)
        theirs.append(run_mqsim(binary, pair))
        ours.append(run_wordline(pair))
        if theirs[-1].requests != ours[-1].requests:
            raise ComparisonError(f"{case.name}: {theirs[-1].requests} requests in MQSim, {ours[-1].requests} here")

    def mean(runs: list[Run], name: str) -> float:
        return statistics.fmean(getattr(run, name) for run in runs)

    def variance(runs: list[Run]) -> float:
        return statistics.variance([run.mean_us for run in runs]) / len(runs)

    mqsim_us, wordline_us = mean(theirs, "mean_us"), mean(ours, "mean_us")
    error = math.sqrt(variance(theirs) + variance(ours)) / mqsim_us * 100 if case.seeds > 1 else None
    is_gc = case.group == "gc"
    return Row(
        case.name,
        case.group,
        ours[0].requests,
        case.seeds,
        mqsim_us,
        wordline_us,
        (wordline_us / mqsim_us - 1) * 100,
        error,
        theirs[0].write_amplification if is_gc else None,
        ours[0].write_amplification if is_gc else None,
        mean(theirs, "wall_s"),
        mean(ours, "wall_s"),
        mean(ours, "process_wall_s"),
        mean(theirs, "process_cpu_s"),
        mean(ours, "process_cpu_s"),
        mean(theirs, "process_cpu_s") / mean(ours, "process_cpu_s"),
        mean(theirs, "peak_mib"),
        mean(ours, "peak_mib"),
        mean(theirs, "peak_mib") / mean(ours, "peak_mib"),
    )


HEADINGS = (
    "case",
    "requests",
    "MQSim, us",
    "Wordline, us",
    "deviation",
    "MQSim, s",
    "Wordline, s",
    "requests/s, times",
    "MQSim, MiB",
    "Wordline, MiB",
    "memory, one in",
)


def markdown(row: Row) -> str:
    """A row of the table."""
    deviation = f"{row.deviation_percent:+.2f} %"
    if row.standard_error_percent is not None:
        deviation += f" ± {row.standard_error_percent:.2f}"
    requests = f"{row.requests:,}" + (f" x {row.seeds} seeds" if row.seeds > 1 else "")
    cells = [
        row.case,
        requests,
        f"{row.mqsim_mean_us:,.1f}",
        f"{row.wordline_mean_us:,.2f}",
        deviation,
        f"{row.mqsim_cpu_s:.2f}",
        f"{row.wordline_cpu_s:.2f}",
        f"{row.speed_ratio:.1f}",
        f"{row.mqsim_peak_mib:,.0f}",
        f"{row.wordline_peak_mib:,.0f}",
        f"{row.memory_ratio:.1f}",
    ]
    if row.mqsim_write_amplification is not None and row.wordline_write_amplification is not None:
        cells[1] += f", WA {row.mqsim_write_amplification:.3f} : {row.wordline_write_amplification:.3f}"
    return "| " + " | ".join(cells) + " |"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mqsim", type=Path, required=True, metavar="PATH", help="MQSim's program")
    parser.add_argument(
        "--trace",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a trace in MQSim's format; again for more",
    )
    parser.add_argument("--only", action="append", metavar="PATTERN", help="cases such as 'mix-*-qd64'; again for more")
    parser.add_argument("--gc", action="store_true", help="also garbage collection at queue depth 1 on small SSDs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave all files in this folder")
    return parser.parse_args()


def main() -> int:
    """Exit code 1 when a case without GC deviates by more than the limit, 2 when one cannot be run."""
    asked = arguments()
    binary = asked.mqsim.resolve()
    if not os.access(binary, os.X_OK):
        print(f"{asked.mqsim} is no program that can be run: give the path of MQSim's binary", file=sys.stderr)
        return 2
    cases = (
        random_cases() + [trace_case(path) for path in asked.trace] + speed_cases() + (gc_cases() if asked.gc else [])
    )
    if asked.only:
        cases = [case for case in cases if any(fnmatch.fnmatch(case.name, pattern) for pattern in asked.only)]
    if not cases:
        print(f"no case is called {' or '.join(asked.only)}", file=sys.stderr)
        return 2
    rows = []
    if not asked.json:
        print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mqsim-") as temporary:
        folder = (asked.keep or Path(temporary)).resolve()
        for case in cases:
            try:
                rows.append(compare(case, binary, folder))
            except ComparisonError as error:
                print(f"{case.name}: {error}", file=sys.stderr)
                return 2
            if not asked.json:
                print(markdown(rows[-1]), flush=True)
    if asked.json:
        print(
            json.dumps(
                {"machine": platform.machine(), "cpus": os.cpu_count(), "rows": [asdict(row) for row in rows]}, indent=1
            )
        )
    far = [row.case for row in rows if row.group != "gc" and abs(row.deviation_percent) > LIMIT_PERCENT]
    if far:
        print(f"more than {LIMIT_PERCENT:g} % apart: {', '.join(far)}", file=sys.stderr)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
