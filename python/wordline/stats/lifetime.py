"""How much a host may write to a drive, and how long the drive lasts under the load of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..config import Config
from .interval import Interval
from .run import dig, interval_of

__all__ = ["Lifetime", "Rating", "Stated", "lifetime", "lifetime_of", "rating"]

DAYS_PER_YEAR = 365
SECONDS_PER_YEAR = DAYS_PER_YEAR * 24 * 3600
TB, MB = 1e12, 1e6
WARRANTY_YEARS = 5.0
"""The usual length of a warranty, for which data sheets state DWPD."""
AMPLIFICATION, RATE = "write_amplification", "bandwidth_mb_s.write"

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
        write_amplification: Bytes programmed for each byte of the host, from the run.
        wear_unevenness: P/E cycles of the most worn blocks over the mean of all blocks; 1 is even wear.
        pec: P/E cycles that a block endures.
        years: How long the drive lasts if the host writes on as in the run; None where it wrote no byte a second.
        tbw_interval: The interval (95 %) of `tbw_tb`, from that of write amplification; None if the run has none.
        dwpd_interval: That of `dwpd`.
        years_interval: That of `years`, from those of write amplification and of the rate of writes.
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
) -> Lifetime:
    """The life of a run's drive, at its write amplification and under its load, with intervals.

    Args:
        document: The result of the run.
        config: Its configuration. If `ssd.scale` simulates a part of the drive, the answer is about the whole one.
        pec: P/E cycles that a block endures; `rating(config).pec` is what the preset says.
        warranty_years: Length of the warranty, for `dwpd`.
        wear_unevenness: P/E cycles of the most worn blocks over the mean of all blocks, 1 or more. A run is too short
            to show it. 1 is even wear: the best that wear levelling can reach, so the result is an upper bound.

    Raises:
        ValueError: The host wrote nothing, or an argument is out of its range.
    """
    if not (pec > 0 and warranty_years > 0):
        raise ValueError(f"pec = {pec}, years = {warranty_years}: both are more than 0")
    if not wear_unevenness >= 1:
        raise ValueError(f"wear_unevenness = {wear_unevenness}: it is 1 or more")
    amplification = document[AMPLIFICATION]
    if amplification is None:
        raise ValueError("the host wrote nothing, so that there is no write amplification in bytes")
    block_bytes = config.simulated("ssd.pages_per_block") * config["ssd.page_bytes"]
    scale = config["ssd.scale"]
    flash_bytes = round(document["blocks"]["all"] * block_bytes / scale)
    host_bytes = round(config.host_bytes / scale)
    point = lifetime(flash_bytes, host_bytes, pec, warranty_years, amplification, wear_unevenness)
    rate = (dig(document, RATE) or 0.0) * MB
    years = point.tbw_tb * TB / (rate * SECONDS_PER_YEAR) if rate else None
    written = interval_of(document, AMPLIFICATION)
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
    )


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
