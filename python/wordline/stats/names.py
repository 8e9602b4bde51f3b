"""Names of a result's numbers as one writes them, and as tables show them: `read.p99.9`, `MB/s`, `read p99.99 us`."""

from __future__ import annotations

import re

from .columns import OPS, PERCENTILES

__all__ = ["SHORT", "path_of", "title_of", "without_unit"]

SHORT = {
    "iops": "iops.all",
    "bandwidth": "bandwidth_mb_s.all",
    "mb_s": "bandwidth_mb_s.all",
    "wa": "write_amplification",
    "wa_pages": "write_amplification_pages",
    "requests": "requests.all",
    "mean": "response_us.all.mean",
}
"""Short names, and the dotted paths that they stand for."""
TITLES = {"iops": "IOPS", "bandwidth_mb_s": "MB/s", "requests": "requests"}
"""How tables call the numbers of all requests, of reads and of writes."""
WITH_OP = {"iops": "iops", "bandwidth": "bandwidth_mb_s", "mb_s": "bandwidth_mb_s", "requests": "requests"}
NAME = re.compile(rf"(?:(?P<op>{'|'.join(OPS)})[ ._])?(?P<number>[a-z0-9_.]+?)(?P<unit>[ _](?:us|ms|s))?")
UNIT = re.compile(r" (?:us|ms|s|B|KB|MB|GB|TB)$")


def path_of(name: str) -> str | None:
    """Returns the dotted path of a number by its short name or its title in a table; None if it has none."""
    match = NAME.fullmatch(name.strip().lower().replace("mb/s", "mb_s"))
    if match is None:
        return None
    op, number, unit = match["op"], match["number"], match["unit"]
    if number + (unit or "") == "mb_s":
        number, unit = "mb_s", None
    if op is None and unit is None and number in SHORT:
        return SHORT[number]
    if unit is None and number in WITH_OP:
        return f"{WITH_OP[number]}.{op}"
    # `p99.99` is called `p9999` in the document.
    stat = number.replace(".", "")
    return f"response_us.{op or 'all'}.{stat}" if stat in ("mean", "max") or stat in PERCENTILES else None


def title_of(path: str) -> str | None:
    """Returns the title of a number of all requests, reads or writes by its dotted path; None of another."""
    head, _, rest = path.partition(".")
    if path == SHORT["wa"]:
        return "WA"
    if head == "response_us":
        op, _, stat = rest.partition(".")
        known = stat in ("mean", "max") or stat in PERCENTILES
        return f"{'' if op == 'all' else f'{op} '}{_percentile(stat)} us" if op in OPS and known else None
    if head in TITLES and rest in OPS:
        return f"{'' if rest == 'all' else f'{rest} '}{TITLES[head]}"
    return None


def without_unit(name: str) -> str:
    """Returns a title without the unit that a table puts behind it."""
    return UNIT.sub("", name.strip())


def _percentile(stat: str) -> str:
    """`p9999` as `p99.99`."""
    return f"{stat[:3]}.{stat[3:]}" if stat in PERCENTILES and len(stat) > 3 else stat
