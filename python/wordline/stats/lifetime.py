"""How much a host may write to a drive, and how long the drive lasts under the load of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..config import Config
from .aged import is_known, why_aging_knows_more, within_rest
from .interval import Interval
from .run import dig, interval_of

__all__ = [
    "Lifetime",
    "Rating",
    "Stated",
    "aged_amplification",
    "is_confirmed",
    "lifetime",
    "lifetime_of",
    "rating",
    "steadier",
    "why_not_of_run",
]

DAYS_PER_YEAR = 365
SECONDS_PER_YEAR = DAYS_PER_YEAR * 24 * 3600
TB, MB = 1e12, 1e6
WARRANTY_YEARS = 5.0
"""The usual length of a warranty, for which data sheets state DWPD."""
AMPLIFICATION, RATE = "write_amplification", "bandwidth_mb_s.write"

KNOWN_WIDTH = 0.1
"""A run knows its write amplification well if the longer side of its interval is this share of it at most."""
Whose = Literal["run", "aging"]

_RATED = re.compile(r"^# (rated_pec|rated_dwpd) = ([0-9.eE+]+)\s+# (.*\S)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that a drive is rated for, and who says so."""

    value: float
    source: str


@dataclass(frozen=True, slots=True)
class Rating:
    """What a drive is rated for; None where nobody has said it.

    Attributes:
        pec: P/E cycles that a block endures.
        dwpd: Drive writes a day over the warranty.
    """

    pec: Stated | None = None
    dwpd: Stated | None = None


def rating(config: Config) -> Rating:
    """Returns what the preset or the file of a configuration says that its drive is rated for.

    It says so in its head, and the simulation does not use it: `# rated_pec = 3000  # source` and
    `# rated_dwpd = 1.0  # source`. A later file overrides an earlier one.
    """
    stated = {}
    for layer in config.layers:
        for name, value, source in _RATED.findall(layer.text):
            stated[name] = Stated(float(value), source)
    return Rating(stated.get("rated_pec"), stated.get("rated_dwpd"))


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A drive's life in the units of data sheets.

    Attributes:
        tbw_tb: Terabytes (10^12 bytes) that the host may write until the flash is worn.
        dwpd: Drive writes a day over the warranty.
        write_amplification: Bytes programmed for each byte of the host, of the steadier one of run and aging.
        wear_unevenness: P/E cycles of the most worn blocks over the mean of all blocks; 1 is even wear.
        pec: P/E cycles that a block endures.
        years: How long the drive lasts if the host writes on as in the run; None where it wrote no byte a second.
        tbw_interval: The interval (95 %) of `tbw_tb`, from that of write amplification; None if the run has none.
        dwpd_interval: That of `dwpd`.
        years_interval: That of `years`, from those of write amplification and of the rate of writes.
        amplification_of: Whose write amplification it is: of the run, or the equilibrium that aging reached. Aging has
            no interval of 95 %, so that neither `tbw_tb` nor `years` has one.
    """

    tbw_tb: float
    dwpd: float
    write_amplification: float
    wear_unevenness: float
    pec: float = 0.0
    years: float | None = None
    tbw_interval: Interval | None = None
    dwpd_interval: Interval | None = None
    years_interval: Interval | None = None
    amplification_of: Whose = "run"


def lifetime(
    flash_bytes: int, host_bytes: int, pec: float, years: float, amplification: float, unevenness: float
) -> Lifetime:
    """The life of a drive. It ends when its most worn blocks have `pec` P/E cycles.

    Every byte of flash may be programmed once a P/E cycle, and `amplification` bytes are programmed for each of the
    host's (JEDEC JESD218).

    Args:
        flash_bytes: Bytes of all blocks.
        host_bytes: Bytes that the host sees.
        pec: P/E cycles that a block endures.
        years: Length of the warranty.
        amplification: Bytes programmed for each that the host writes.
        unevenness: P/E cycles of the most worn blocks over the mean.
    """
    written = flash_bytes * pec / unevenness / amplification
    dwpd = written / (host_bytes * DAYS_PER_YEAR * years)
    return Lifetime(written / TB, dwpd, amplification, unevenness, pec)


def lifetime_of(
    document: Mapping[str, Any],
    config: Config,
    pec: float,
    *,
    warranty_years: float = WARRANTY_YEARS,
    wear_unevenness: float = 1.0,
    of: Whose | None = None,
) -> Lifetime:
    """The life of a run's drive, at its write amplification and under its load, with intervals.

    Args:
        document: The result of the run.
        config: Its configuration. If `ssd.scale` simulates a part of the drive, the answer is about the whole one.
        pec: P/E cycles that a block endures; `rating(config).pec` is what the preset says.
        warranty_years: Length of the warranty, for `dwpd`.
        wear_unevenness: P/E cycles of the most worn blocks over the mean of all blocks, 1 or more. A run is too short
            to show it. 1 is even wear: the best that wear levelling can reach, so the result is an upper bound.
        of: Whose write amplification: of the run or of aging; None: of the steadier one, see `steadier`.

    Raises:
        ValueError: The host wrote nothing, or an argument is out of its range.
    """
    if not (pec > 0 and warranty_years > 0):
        raise ValueError(f"pec = {pec}, years = {warranty_years}: both are more than 0")
    if not wear_unevenness >= 1:
        raise ValueError(f"wear_unevenness = {wear_unevenness}: it is 1 or more")
    of = steadier(document) if of is None else of
    amplification = document[AMPLIFICATION] if of == "run" else aged_amplification(document)
    if amplification is None or document[AMPLIFICATION] is None:
        raise ValueError("the host wrote nothing, so that there is no write amplification in bytes")
    block_bytes = config.simulated("ssd.pages_per_block") * config["ssd.page_bytes"]
    scale = config["ssd.scale"]
    flash_bytes = round(document["blocks"]["all"] * block_bytes / scale)
    host_bytes = round(config.host_bytes / scale)
    point = lifetime(flash_bytes, host_bytes, pec, warranty_years, amplification, wear_unevenness)
    rate = (dig(document, RATE) or 0.0) * MB
    years = point.tbw_tb * TB / (rate * SECONDS_PER_YEAR) if rate else None
    written = interval_of(document, AMPLIFICATION) if of == "run" else None
    return Lifetime(
        point.tbw_tb,
        point.dwpd,
        amplification,
        wear_unevenness,
        pec,
        years,
        _inverse(point.tbw_tb, written),
        _inverse(point.dwpd, written),
        None if years is None else _inverse(years, written, interval_of(document, RATE)),
        of,
    )


def aged_amplification(document: Mapping[str, Any]) -> float | None:
    """Returns the write amplification of the equilibrium that aging brought a drive to; None if it reached none."""
    aged = dig(document, "precondition.steady") or {}
    is_level = aged.get("is_flat") and (aged.get("timed") or {"is_level": True})["is_level"]
    value: float | None = aged.get("write_amplification") if is_level else None
    return value


def steadier(document: Mapping[str, Any]) -> Whose:
    """Returns whose write amplification is nearer to that of years.

    It is the run's if that is steady or known well, or if aging reached no equilibrium, else that of aging. A run whose
    number has no interval, which is mostly from rest, or which differs from a longer aging, is neither.
    """
    if aged_amplification(document) is None:
        return "run"
    if why_not_of_run(document) is not None:
        return "aging"
    is_steady = dig(document, "steady.write_amplification.verdict") == "steady"
    interval = interval_of(document, AMPLIFICATION)
    is_narrow = interval is not None and interval.relative_half_width <= KNOWN_WIDTH
    return "run" if is_steady or is_narrow else "aging"


def why_not_of_run(document: Mapping[str, Any]) -> str | None:
    """Returns why a run's write amplification is not to be taken, however level it looks; None if nothing says so."""
    if not is_known(document):
        return "its interval is not known"
    return within_rest(document) or why_aging_knows_more(document)


def is_confirmed(document: Mapping[str, Any]) -> bool:
    """Whether the run's write amplification is that of the equilibrium of aging, as far as the run knows it."""
    aged, interval = aged_amplification(document), interval_of(document, AMPLIFICATION)
    if aged is None or interval is None or interval.low is None or interval.high is None:
        return False
    return interval.low <= aged <= interval.high


def _inverse(value: float, *intervals: Interval | None) -> Interval | None:
    """Returns the interval of a number that falls as those of the intervals rise; their worst ends together."""
    known = [each for each in intervals if each is not None]
    if len(known) < len(intervals):
        return None
    low: float | None = value
    high: float | None = value
    for each in known:
        low = None if low is None or each.high is None else low * each.value / each.high
        high = None if high is None or not each.low else high * each.value / each.low
    return Interval(value, low, high, known[0].method, known[0].count)
