"""Runs MQSim and Wordline on the same pairs of files, one after the other, and compares them.

python3 tools/mqsim_side_by_side.py --mqsim PATH/TO/MQSim
python3 tools/mqsim_side_by_side.py --mqsim MQSim --trace tpcc-small.trace --only 'trace-*' --json

python3 tools/mqsim_side_by_side.py --mqsim MQSim --options --only 'cache-*' --page docs/validation/mqsim.md

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

from mqsim_pairs import (
    SEEDS,
    Case,
    cache_cases,
    flow_cases,
    gc_cases,
    mapping_cases,
    random_cases,
    speed_cases,
    trace_case,
    used_cases,
    write_pair,
)

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
    flow_means_us: list[float]
    requests: int
    lost: int
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
                command,
                cwd=folder,
                # Every repetition fills its drive.
                env={**os.environ, "WORDLINE_DRIVES_GB": "0"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
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
    flows = root.findall(".//Host.IO_Flow")
    counts_of_flows = [int(flow.findtext("Request_Count", "0")) for flow in flows]
    requests = sum(counts_of_flows)
    serviced = sum(int(count) for count in re.findall(r"serviced:(\d+)", done.output))
    lost = requests - serviced
    # A chip may pass over what is LOW, and a read may be lost beside a cache; the row says how many.
    if lost > requests // 500:
        raise ComparisonError(f"MQSim lost {lost} of {requests} requests")
    means_us = [float(flow.findtext("Device_Response_Time", "nan")) + HALF_US for flow in flows]
    weighted = zip(means_us, counts_of_flows, strict=True)
    mean_us = sum(mean * count for mean, count in weighted) / max(requests, 1)
    counts = {key: float(value) for part in root.iter() for key, value in part.attrib.items() if "Program_CMD" in key}
    programmed = counts.get("Issued_Flash_Program_CMD", 0) + 2 * counts.get("Issued_Flash_Multiplane_Program_CMD", 0)
    writes = sum(int(flow.findtext("Write_Request_Count", "0")) for flow in flows)
    amplification = programmed / writes if writes else None
    return Run(mean_us, means_us, requests, lost, amplification, done.wall_s, done.wall_s, done.cpu_s, done.peak_mib)


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
        [flow["mean"] for flow in result["response_us"]["flows"].values()],
        result["requests"]["all"],
        0,
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
    lost: int
    """Requests that MQSim did not serve, in all runs."""
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


def compare(case: Case, binary: Path, folder: Path) -> list[Row]:
    """Runs a case in both, seed by seed; a row for all its requests, or for each of its flows.

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

    if len(case.flows) == 1:
        return [row_of(case, case.name, theirs, ours, [run.mean_us for run in theirs], [run.mean_us for run in ours])]
    rows = []
    for number, flow in enumerate(case.flows):
        name = f"{case.name}, flow {number + 1} {flow['Priority_Class']}"
        means = [[run.flow_means_us[number] for run in runs] for runs in (theirs, ours)]
        rows.append(row_of(case, name, theirs, ours, *means))
    return rows


def row_of(
    case: Case, name: str, theirs: list[Run], ours: list[Run], their_means: list[float], our_means: list[float]
) -> Row:
    """The row of a case, or of one of its flows."""

    def mean(runs: list[Run], name: str) -> float:
        return statistics.fmean(getattr(run, name) for run in runs)

    def variance(means: list[float]) -> float:
        return statistics.variance(means) / len(means)

    mqsim_us, wordline_us = statistics.fmean(their_means), statistics.fmean(our_means)
    error = math.sqrt(variance(their_means) + variance(our_means)) / mqsim_us * 100 if case.seeds > 1 else None
    is_gc = case.group == "gc"
    return Row(
        name,
        case.group,
        ours[0].requests,
        sum(run.lost for run in theirs),
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
    if row.lost:
        requests += f", {row.lost} lost by MQSim"
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


def write_page(page: Path, titles: dict[str, list[str]], rows: list[Row]) -> None:
    """Puts rows into the tables of a page, under the headings of their groups; a row that is not there is added."""
    text = page.read_text(encoding="utf-8")
    for title, names in titles.items():
        head = f"### {title}\n"
        before, mark, rest = text.partition(head)
        if not mark:
            raise ComparisonError(f"{page} has no heading {head.strip()!r}")
        start = rest.index("| case |")
        end = rest.find("\n\n", start)
        end = len(rest.rstrip()) if end < 0 else end
        lines = rest[start:end].splitlines()
        known = {line.split(" | ")[0].strip("| "): line for line in lines[2:]}
        for row in rows:
            if row.case.partition(",")[0] in names:
                known[row.case] = short(row)
        table = "\n".join([*lines[:2], *known.values()])
        text = before + head + rest[:start] + table + rest[end:]
    page.write_text(text, encoding="utf-8")


def short(row: Row) -> str:
    """A row of the page: without speed and memory."""
    return "|".join(markdown(row).split("|")[:6]) + "|"


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
    parser.add_argument("--options", action="store_true", help="also caches, mapping table, flows and used devices")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the rows of --options into this page")
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
    options = {
        "The data cache": cache_cases(),
        "The cached mapping table": mapping_cases(),
        "Schedulers, flows and priorities": flow_cases(),
        "A used device": used_cases(),
    }
    if asked.options:
        cases += [case for found in options.values() for case in found]
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
                found = compare(case, binary, folder)
            except ComparisonError as error:
                print(f"{case.name}: {error}", file=sys.stderr)
                return 2
            rows += found
            if not asked.json:
                print("\n".join(markdown(row) for row in found), flush=True)
    if asked.json:
        print(
            json.dumps(
                {"machine": platform.machine(), "cpus": os.cpu_count(), "rows": [asdict(row) for row in rows]}, indent=1
            )
        )
    if asked.page:
        write_page(asked.page, {title: [case.name for case in found] for title, found in options.items()}, rows)
    far = [
        row.case for row in rows if row.group not in ("gc", "differs") and abs(row.deviation_percent) > LIMIT_PERCENT
    ]
    if far:
        print(f"more than {LIMIT_PERCENT:g} % apart: {', '.join(far)}", file=sys.stderr)
    return 1 if far else 0


if __name__ == "__main__":
    sys.exit(main())
