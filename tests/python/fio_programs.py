"""Runs fio itself, and Wordline in its place, on one job; compares the requests that both make."""

from __future__ import annotations

import bisect
import collections
import itertools
import math
import shutil
import subprocess
from pathlib import Path

import pytest

import wordline as wl

needs_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed (Debian: apt-get install fio)")

# Requests as (what, offset, bytes).
Requests = list[tuple[str, int, int]]
KINDS = ("read", "write", "trim", "sync", "datasync")


def ours(job: str, folder: Path, ssd: wl.Config | None = None) -> Requests:
    """The requests of a job, from the log that a run writes."""
    path = folder / "ours.fio"
    path.write_text(f"[job]\n{job}\nwrite_iolog=ours.log\n")
    wl.run(ssd or wl.preset("mqsim"), wl.fio(path), replace_iologs=True)
    return requests(folder / "ours.log")


def fios(job: str, folder: Path) -> Requests:
    """The requests of a job, from the log that fio writes with an engine that does nothing."""
    path = folder / "fios.fio"
    engine = "" if "ioengine=" in job else "ioengine=null\n"
    path.write_text(f"[job]\n{engine}{job}\nwrite_iolog=fios.log\n")
    # fio appends to a log.
    (folder / "fios.log").unlink(missing_ok=True)
    command = ["fio", str(path), "--output", str(folder / "out")]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{job}\n{done.stderr}"
    return requests(folder / "fios.log")


def requests(path: Path) -> Requests:
    """The requests of one of fio's logs, of version 2 or 3 (which has times in front)."""
    found = []
    for line in path.read_text().splitlines():
        words = line.split()
        for what in KINDS:
            if what in words:
                at = words.index(what)
                found.append(("sync", 0, 0) if "sync" in what else (what, int(words[at + 1]), int(words[at + 2])))
    return found


def period(found: Requests) -> int | None:
    """After how many requests all of them come again in the same order; None if they do not within the log."""
    half = len(found) // 2
    return next((by for by in range(1, half + 1) if found[by:] == found[:-by]), None)


def kolmogorov_smirnov(one: list[int], other: list[int]) -> float:
    """The two-sample statistic, as a multiple of its 0.1 % limit."""
    one, other = sorted(one), sorted(other)
    places = sorted({*one, *other})
    apart = max(abs(bisect.bisect(one, x) / len(one) - bisect.bisect(other, x) / len(other)) for x in places)
    return apart / (1.95 * math.sqrt((len(one) + len(other)) / (len(one) * len(other))))


def popularity(found: Requests) -> list[float]:
    """The share of requests that go to the most popular 1, 10, 100 and 1,000 places."""
    counts = sorted(collections.Counter(offset for _, offset, _ in found).values(), reverse=True)
    return [sum(counts[:top]) / len(found) for top in (1, 10, 100, 1000)]


def sequential(found: Requests) -> float:
    """The share of requests that begin where the one before ended."""
    return sum(now[1] == last[1] + last[2] for last, now in itertools.pairwise(found)) / len(found)


def assert_alike(mine: Requests, theirs: Requests, places: str) -> None:
    """Counts, sizes, shares and places are alike; `places` says how these are compared."""
    # As many bytes, so as many requests where all have one size.
    assert sum(each[2] for each in mine) == pytest.approx(sum(each[2] for each in theirs), rel=0.001)
    assert len(mine) == pytest.approx(len(theirs), rel=0.04)
    assert_shares(mine, theirs)
    if places == "popularity":
        # Which places are popular is chance; how popular they are is not.
        assert popularity(mine) == pytest.approx(popularity(theirs), abs=0.02)
    elif places == "sequential":
        # Places that follow each other are no independent samples.
        assert sequential(mine) == pytest.approx(sequential(theirs), abs=0.03)
    else:
        assert kolmogorov_smirnov([each[1] for each in mine], [each[1] for each in theirs]) < 1


def assert_shares(mine: Requests, theirs: Requests, apart: float = 0.03) -> None:
    """The shares of directions, of sizes, and of both together are alike."""
    for key in (lambda each: each[0], lambda each: each[2], lambda each: each[::2]):
        shares = [
            {what: n / len(found) for what, n in collections.Counter(map(key, found)).items()}
            for found in (mine, theirs)
        ]
        for what in {*shares[0], *shares[1]}:
            assert shares[0].get(what, 0) == pytest.approx(shares[1].get(what, 0), abs=apart), what
