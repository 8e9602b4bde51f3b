"""Says of each option of a job what becomes of it: it is followed, refused, or changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .document import JobSection, Option
from .job import DEFAULT_THETA, count, depth, flag, kind, uses_page_cache
from .options import (
    DATA_ENGINES,
    HONOURED,
    NOTHING,
    OF_OTHER_ENGINES,
    OF_THE_PAGE_CACHE,
    OF_ZONES,
    OTHER_ENGINES,
    REFUSED,
    SIMPLIFIED,
    canonical,
    known,
)
from .zones import is_zoned

_NO_ZONES = "remove it; zones are simulated with zonemode=zbd, on a drive that has them"
OF_VERIFY = frozenset({"verify", "verify_backlog", "verify_backlog_batch", "experimental_verify"})


def check(section: JobSection) -> None:
    """Checks that no option would change the requests unnoticed.

    Raises:
        FioError: An option is refused, or not known.
    """
    _check_engine(section)
    _check_zones(section)
    for option in section.options.values():
        name = canonical(option.name)
        if name not in known():
            raise section.wrong(name, "is no option that is known here", "remove it, if it changes no request")
        if name in OF_OTHER_ENGINES:
            raise section.wrong(name, "belongs to an engine that makes no requests to an SSD", "remove it")
        limit = REFUSED.get(name)
        if limit is None or option.value in limit.neutral or (name in OF_VERIFY and _only_reads(section)):
            continue
        raise section.wrong(name, f"{limit.reason}, which is not simulated", limit.fix)


def warnings(section: JobSection) -> Iterator[str]:
    """Returns the options that change no request, each with its reason, and those that change only when it is made."""
    for option in section.options.values():
        reason = _said(section, option)
        if reason:
            yield f"{section.file}:{option.line}: {option.name} = {option.value}: {reason}"


def page_cache(sections: Sequence[JobSection]) -> str:
    """Returns a line for the first of the jobs that uses the host's page cache; empty if none does."""
    section = next((each for each in sections if uses_page_cache(each)), None)
    if section is None:
        return ""
    option = section.get("buffered") or section.get("direct")
    line, what = (section.line, "no direct=1") if option is None else (option.line, f"{option.name} = {option.value}")
    return (
        f"{section.file}:{line}: {what}: in fio these requests go through the host's page cache, which is not "
        "simulated; here each goes to the SSD. Write direct=1, and measure so"
    )


def _said(section: JobSection, option: Option) -> str:
    name = canonical(option.name)
    if name in ("end_fsync", "fsync_on_close") and flag(section, name) and "runtime" in section.options:
        return "the flush at the end is left out where the job ends by its runtime"
    if name == "random_distribution" and _has_center(option.value):
        return "its center changes nothing: the places that are used most lie anywhere in the job's region"
    is_scheme = section.text("plid_select", "roundrobin") == "scheme"
    if name == "dp_scheme" and not is_scheme:
        return "changes nothing without plid_select=scheme"
    if name == "plids" and is_scheme:
        return "changes nothing with plid_select=scheme"
    if name in OF_THE_PAGE_CACHE:
        return ""
    if name == "iodepth" and depth(section) != count(section, name, 1, 1, 65_535):
        engine = f"ioengine={section.engine}" if "ioengine" in section.options else "fio's default engine, psync,"
        return f"acts as 1: {engine} completes a request before it takes the next one; write ioengine=libaio for more"
    if name in HONOURED:
        return ""
    if name in OF_ZONES:
        return "" if is_zoned(section) else "changes nothing without zonemode=zbd"
    if name in SIMPLIFIED:
        limit = SIMPLIFIED[name]
        is_depth = option.value == section.text("iodepth", "1")
        return "" if option.value in limit.neutral or is_depth else f"is simplified: {limit.reason}"
    if name in REFUSED:
        return "changes nothing with this value, or in a job that only reads"
    return f"changes nothing: {NOTHING[name]}"


def _has_center(distribution: str) -> bool:
    kind, *numbers = distribution.split(":")
    return kind in DEFAULT_THETA and len(numbers) > 1


def _check_engine(section: JobSection) -> None:
    engine = section.engine
    if engine in OTHER_ENGINES:
        raise section.wrong("ioengine", f"{engine} makes no requests to an SSD", "remove the job")
    if engine not in DATA_ENGINES:
        raise section.wrong("ioengine", f"`{engine}` is no engine that is known here", "write ioengine=libaio")


def _check_zones(section: JobSection) -> None:
    mode = section.text("zonemode", "none")
    if mode in {"none", "zbd"}:
        limit = section.options.get("zonesize") if mode == "none" else None
        if limit is not None and limit.value != "0":
            raise section.wrong("zonesize", "leads the job from zone to zone, which is not simulated", _NO_ZONES)
        return
    raise section.wrong("zonemode", f"{mode} leads the job from zone to zone, which is not simulated", _NO_ZONES)


def _only_reads(section: JobSection) -> bool:
    return kind(section)[0] == {"read-percent": 100} and section.text("rw", "read").partition(":")[0].endswith("read")
