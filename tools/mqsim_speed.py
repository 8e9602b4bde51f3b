"""Measures how many requests a second MQSim and Wordline simulate, from the same pairs of files.

python3 tools/mqsim_speed.py --mqsim PATH/TO/MQSim

The two programs run each pair alternately, several times, in two lengths. The script measures processor time (user and
system), because other processes disturb it least, and takes the minimum of the repetitions. The time of a request is
the difference between the longer and the shorter run, divided by the difference in requests: MQSim does not print its
parts. The script prints three ratios: of whole processes, with start-up in both; of requests alone, without start-up;
and, most in Wordline's favour, of MQSim's whole process to Wordline's time for the same requests.
"""
# ruff: noqa: INP001

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mqsim_pairs import SEEDS, Case, speed_cases, write_pair
from mqsim_side_by_side import ComparisonError, Run, run_mqsim, run_wordline

SHORT_REQUESTS = 100_000
REPEATS = 5
HEADINGS = (
    "case",
    "MQSim, s",
    "Wordline, s",
    "MQSim, us a request",
    "Wordline, us a request",
    "start-up in both",
    "in neither",
    "in MQSim only",
    "memory, one in",
)


@dataclass(frozen=True)
class Row:
    """One case: processor time in seconds, and the ratios."""

    case: str
    requests: int
    mqsim_short_s: float
    mqsim_s: float
    wordline_short_s: float
    wordline_s: float
    mqsim_peak_mib: float
    wordline_peak_mib: float

    def beyond(self, short_s: float, long_s: float) -> float:
        """Microseconds that one more request takes."""
        return (long_s - short_s) / (self.requests - SHORT_REQUESTS) * 1e6

    @property
    def mqsim_us(self) -> float:
        """What a request takes in MQSim."""
        return self.beyond(self.mqsim_short_s, self.mqsim_s)

    @property
    def wordline_us(self) -> float:
        """What a request takes in Wordline."""
        return self.beyond(self.wordline_short_s, self.wordline_s)


def measure(case: Case, binary: Path, folder: Path, repeats: int) -> Row:
    """Runs a case in both lengths, the two programs in turn.

    Raises:
        ComparisonError: One of them failed.
    """
    pairs = {}
    for requests in (SHORT_REQUESTS, case.requests):
        place = folder / f"{case.name}-{requests}"
        place.mkdir(parents=True, exist_ok=True)
        pairs[requests] = write_pair(replace(case, requests=requests), SEEDS[0], place)
    theirs: dict[int, list[Run]] = {requests: [] for requests in pairs}
    ours: dict[int, list[Run]] = {requests: [] for requests in pairs}
    for _ in range(repeats):
        for requests, pair in pairs.items():
            theirs[requests].append(run_mqsim(binary, pair))
            ours[requests].append(run_wordline(pair))

    def cpu_s(runs: Sequence[Run]) -> float:
        return min(run.process_cpu_s for run in runs)

    long = case.requests
    return Row(
        case.name,
        long,
        cpu_s(theirs[SHORT_REQUESTS]),
        cpu_s(theirs[long]),
        cpu_s(ours[SHORT_REQUESTS]),
        cpu_s(ours[long]),
        max(run.peak_mib for run in theirs[long]),
        max(run.peak_mib for run in ours[long]),
    )


def markdown(row: Row) -> str:
    """A row of the table."""
    cells = [
        row.case,
        f"{row.mqsim_s:.2f}",
        f"{row.wordline_s:.2f}",
        f"{row.mqsim_us:.2f}",
        f"{row.wordline_us:.3f}",
        f"{row.mqsim_s / row.wordline_s:.1f}",
        f"{row.mqsim_us / row.wordline_us:.1f}",
        f"{row.mqsim_s / (row.wordline_us * row.requests * 1e-6):.1f}",
        f"{row.mqsim_peak_mib / row.wordline_peak_mib:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    """Exit code 2 when a case cannot be run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mqsim", type=Path, required=True, metavar="PATH", help="MQSim's program")
    parser.add_argument("--requests", type=int, metavar="N", help="requests of the longer run; 1 million")
    parser.add_argument("--repeats", type=int, default=REPEATS, metavar="N", help=f"runs of each; {REPEATS}")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    asked = parser.parse_args()
    binary = asked.mqsim.resolve()
    if not os.access(binary, os.X_OK):
        print(f"{asked.mqsim} is no program that can be run: give the path of MQSim's binary", file=sys.stderr)
        return 2
    rows = []
    if not asked.json:
        print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="mqsim-speed-") as folder:
        for case in speed_cases():
            longer = replace(case, requests=asked.requests) if asked.requests else case
            try:
                rows.append(measure(longer, binary, Path(folder), asked.repeats))
            except ComparisonError as error:
                print(f"{case.name}: {error}", file=sys.stderr)
                return 2
            if not asked.json:
                print(markdown(rows[-1]), flush=True)
    if asked.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
