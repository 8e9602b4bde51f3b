"""Which placement handles the writes of a job name: `fdp`, `dataplacement`, `plids`, `plid_select` and `write_hint`."""

from __future__ import annotations

from ..config import Config
from .document import JobSection
from .job import flag

HINTS = {"none": 0, "short": 2, "medium": 3, "long": 4, "extreme": 5}
"""The stream of each life time that Linux knows, counted from 1: data without a hint are in the first."""


def handles(section: JobSection, config: Config) -> tuple[int, ...]:
    """Returns the handles of a job's writes, counted from 1; none where it names none.

    Raises:
        FioError: The SSD has no handles, or fewer, or the job chooses among them in a way that is not simulated.
    """
    kind = section.text("dataplacement", "fdp" if flag(section, "fdp") else "none")
    if kind not in ("none", "fdp", "streams"):
        raise section.wrong("dataplacement", f"`{kind}` is none of none, fdp and streams", "write one of these")
    if kind == "none":
        return _of_hint(section, config)
    count = _handles_of(config)
    if count == 0:
        asked = "dataplacement" if section.get("dataplacement") else "fdp"
        raise section.wrong(asked, "the SSD has no placement handles", "add --set fdp.isolation=initially")
    select = section.text("plid_select", "roundrobin")
    if select != "roundrobin":
        fix = "write plid_select=roundrobin, or a job for each identifier"
        raise section.wrong("plid_select", f"`{select}` is not simulated", fix)
    option = section.get("plids")
    if option is None:
        return tuple(range(1, count + 1))
    return tuple(_index(section, text, count) + 1 for text in option.value.replace(":", ",").split(","))


def _of_hint(section: JobSection, config: Config) -> tuple[int, ...]:
    hint = section.text("write_hint", "none")
    if hint not in HINTS:
        raise section.wrong("write_hint", f"`{hint}` is no life time", f"write one of {', '.join(HINTS)}")
    # Linux gives a hint to any drive; one without streams for hints ignores it.
    return (HINTS[hint],) if HINTS[hint] and _handles_of(config) else ()


def _index(section: JobSection, text: str, count: int) -> int:
    if not text.strip().isdecimal() or int(text) >= count:
        message = f"`{text}` is no index into the {count} identifiers of the SSD"
        raise section.wrong("plids", message, f"write numbers from 0 to {count - 1}, or raise fdp.handles")
    return int(text)


def _handles_of(config: Config) -> int:
    if config["fdp.isolation"] != "off":
        return int(config["fdp.handles"])
    return int(config["ftl.streams"]) if config["ftl.placement"] == "handle" else 0
