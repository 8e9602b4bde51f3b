"""Every key of the configuration with values that make no sense, run through the command line.

.venv/bin/python tests/python/key_fuzz.py               # all keys, on all bases
.venv/bin/python tests/python/key_fuzz.py gc host.wrap  # these keys and sections

A case ends with exit code 0 and sane numbers, or with 2 and a message that names the key. Anything else is a fault: a
panic, a traceback, another exit code, more than 20 s, or more than 4 GB.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import math
import multiprocessing
import re
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
VALUES = ("-1", "0", "1e308", str(2**63 - 1), str(2**64), "nan", "inf", '""', "x", "[]", "true")
# What the keys are tried on: a small plain SSD, one with every technique, one that writes fast.
BASES = (str(ROOT / "examples" / "small-ssd.toml"), "together", "ofwar")
REQUESTS = 300
QUICK = ("precondition.fill=lazy", "precondition.overwrite=0", f"workload.requests={REQUESTS}")
SECONDS_MAX = 20.0
BYTES_MAX = 4 << 30
# Beyond this the machine itself would suffer.
ADDRESSES_MAX = 16 << 30


@dataclass(frozen=True, slots=True)
class Case:
    """One value of one key on one base."""

    base: str
    key: str
    value: str

    def arguments(self) -> list[str]:
        """The command line of the case."""
        sets = [word for each in (*QUICK, f"{self.key}={self.value}") for word in ("--set", each)]
        return ["run", self.base, "--workload", "fio/random-mix", "--json", *sets]


def cases(keys: Iterable[str], bases: Sequence[str] = BASES, values: Sequence[str] = VALUES) -> list[Case]:
    """All values of all keys on all bases."""
    return [Case(base, key, value) for base in bases for key in keys for value in values]


def keys_of(names: Sequence[str] = ()) -> list[str]:
    """The keys of these names and sections; without any, all."""
    from wordline.config import parameters

    return [key for key in parameters() if not names or key in names or key.rpartition(".")[0] in names]


def faults(wanted: Iterable[Case]) -> Iterator[tuple[Case, str]]:
    """Runs the cases, and yields those that end as they must not, with what was wrong."""
    worker = _Worker()
    try:
        for case in wanted:
            fault = worker.fault_of(case)
            if fault:
                yield case, fault
    finally:
        worker.end()


class _Worker:
    """A process that runs cases one after the other; another takes its place when it dies or takes too long."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def fault_of(self, case: Case) -> str:
        self._pipe.send(case)
        try:
            if self._pipe.poll(SECONDS_MAX):
                fault, goes_on = self._pipe.recv()
                if not goes_on:
                    self._renew()
                return str(fault)
            fault = f"takes more than {SECONDS_MAX:.0f} s"
        except EOFError:
            self._process.join()
            fault = f"the process died: {self._process.exitcode}"
        self._renew()
        return fault

    def _renew(self) -> None:
        self.end()
        self._begin()


def _work(pipe: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES_MAX, ADDRESSES_MAX))
    import wordline.cli

    pipe.send("ready")
    with contextlib.suppress(EOFError):
        while True:
            case = pipe.recv()
            fault = _fault(case, wordline.cli.main)
            # A peak stays in this process's account: after a high one the next case gets a process of its own.
            pipe.send((fault, _peak_bytes() < BYTES_MAX // 2))


def _peak_bytes() -> int:
    """Most memory that this process has had. What `getrusage` says includes the peak of the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (kib,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(kib) * 1024


def _fault(case: Case, main: Any) -> str:  # noqa: ANN401 - a function of no declared type
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["wordline", *case.arguments()]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main()
    except BaseException as escaped:  # noqa: BLE001 - whatever escapes is what is looked for
        return f"{type(escaped).__name__} escapes: {escaped}"
    peak = _peak_bytes()
    said = err.getvalue()
    if peak > BYTES_MAX:
        return f"takes {peak / 2**30:.1f} GB"
    if "Traceback" in said or "panicked" in said or "fault of Wordline" in said:
        return said
    if code == 0:
        return _insane(json.loads(out.getvalue()), case)
    if code != 2:
        return f"exit code {code}: {said}"
    return "" if _names_a_key(said, case.key) else f"the message does not name the key: {said}"


def _names_a_key(said: str, key: str) -> bool:
    """The key itself, or the one with which it does not fit together."""
    return key in said or re.search(r"`?[a-z]+\.[a-z_]+`?", said) is not None


def _insane(document: dict[str, Any], case: Case) -> str:
    """What of a result cannot be."""
    requests, response = document["requests"], document["response_us"]["all"]
    # Where reads are not steered is -1; an interval of confidence may begin below 0, what a slow wave adds to a number
    # has a sign, and a drift may go down.
    below_0 = re.compile(r"\.cold_ratio$|^document\.uncertainty\..*\.(low|by_wave\.\d+)$|\.drift$")
    for path, number in _numbers(document):
        if not math.isfinite(number) or (number < 0.0 and not below_0.search(path)):
            return f"{path} is {number}"
    if requests["all"] + requests["warmup"] != REQUESTS and not case.key.startswith(("workload.", "power.", "host.")):
        return f"{requests['all']} requests of {REQUESTS}"
    percentiles = (response[name] for name in ("p50", "p90", "p99", "p9999"))
    # None is known that no request lies beyond.
    known = [each for each in percentiles if each is not None]
    steps = [response["min"], *known, response["max"]]
    if any(below > above for below, above in itertools.pairwise(steps)):
        return f"percentiles go down: {steps}"
    if not response["min"] <= response["mean"] <= response["max"] * (1 + 1e-9):
        return f"the mean is not between least and most: {response}"
    return ""


def _numbers(value: object, path: str = "document") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _numbers(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _numbers(inner, f"{path}.{place}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


def main(names: Sequence[str]) -> int:
    """Runs the whole, prints the faults, and says how many there are."""
    wanted = cases(keys_of(names))
    start, count = time.monotonic(), 0
    for case, fault in faults(wanted):
        count += 1
        print(f"{case.base} {case.key}={case.value}: {fault}", flush=True)
    print(f"{len(wanted)} cases, {count} faults, {time.monotonic() - start:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
