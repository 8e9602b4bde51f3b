"""Which placement handles the writes of a job name, by the options of FDP and by `write_hint`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..config import Config
from ..errors import InputFileError
from ..files import read_input
from .document import JobSection
from .job import flag, numbers
from .units import integer

SECTOR_BYTES = 512
PARTS_MAX = 32
"""Lines of a scheme that fio takes."""
SELECTS = ("roundrobin", "random", "scheme")
JOBS_MAX = 2**16
HINTS = {"none": 0, "short": 2, "medium": 3, "long": 4, "extreme": 5}
"""The stream of each life time that Linux knows, counted from 1: data without a hint are in the first."""


def handles(section: JobSection, config: Config) -> tuple[int, ...]:
    """Returns the handles of a job's writes, counted from 1; none where it names none.

    Raises:
        FioError: The SSD has no handles, or fewer, or the job chooses among them in a way that is not simulated.
    """
    kind = _kind(section)
    if kind == "none":
        return _of_hint(section, config)
    count = _handles_of(config)
    if count == 0:
        asked = "dataplacement" if section.get("dataplacement") else "fdp"
        raise section.wrong(asked, "the SSD has no placement handles", "add --set fdp.isolation=initially")
    select = section.text("plid_select", "roundrobin")
    if select == "scheme":
        return ()
    if select not in SELECTS:
        raise section.wrong("plid_select", f"`{select}` is none of fio's ways", f"write one of {', '.join(SELECTS)}")
    option = section.get("plids")
    if option is not None:
        return tuple(each + 1 for each in _indices(section, option.value, count))
    if kind == "streams":
        raise section.wrong("dataplacement", "streams have to be named", "add plids=1, the streams' numbers from 1")
    return tuple(range(1, count + 1))


def handle_seed(section: JobSection, number: int) -> int | None:
    """Returns the seed by which the job with this number names its handles at random; None where it does not.

    As in fio, it follows from `randseed`, and differs between jobs.
    """
    if _kind(section) == "none" or section.text("plid_select", "roundrobin") != "random":
        return None
    own = numbers(section, "randseed", integer, section.text("randseed", "0"))
    return int(own * JOBS_MAX + number) % 2**63


def handle_ranges(section: JobSection, config: Config) -> tuple[tuple[int, int, int], ...]:
    """Returns the parts of a job's file that its scheme (`dp_scheme`) gives a handle, in sectors; none without one.

    Raises:
        FioError: There is no scheme, or it cannot be read, or names what the SSD does not have.
    """
    if _kind(section) == "none" or section.text("plid_select", "roundrobin") != "scheme":
        return ()
    option = section.get("dp_scheme")
    if option is None:
        raise section.wrong("plid_select", "there is no scheme", "add dp_scheme=FILE, or write plid_select=roundrobin")
    path = Path(section.file).parent / option.value
    try:
        lines = read_input(path).decode().splitlines()
    except (OSError, UnicodeDecodeError, InputFileError) as error:
        raise section.wrong("dp_scheme", f"{path} cannot be read", "name a file of text beside the job's") from error
    parts = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if len(parts) > PARTS_MAX:
        raise section.wrong("dp_scheme", f"{path} has {len(parts)} lines", f"fio takes {PARTS_MAX} at most")
    count = _handles_of(config)
    return tuple(_range(section, f"line {number} of {path}", line, count) for number, line in parts)


def _range(section: JobSection, place: str, line: str, count: int) -> tuple[int, int, int]:
    fix = "write lines such as 0, 4096, 1: first byte, byte behind the last, index of a placement identifier"
    numbers = [each.strip() for each in line.split(",")]
    if len(numbers) != 3 or not all(each.isdecimal() and len(each) < 20 for each in numbers):
        raise section.wrong("dp_scheme", f"{place} has no three numbers", fix)
    first, end, index = map(int, numbers)
    if first % SECTOR_BYTES or end % SECTOR_BYTES:
        raise section.wrong("dp_scheme", f"{place}: {first} to {end} are no whole sectors", fix)
    if index >= count:
        message = f"{place}: {index} is no index into the {count} identifiers of the SSD"
        raise section.wrong("dp_scheme", message, f"write 0 to {count - 1}, or raise fdp.handles")
    return first // SECTOR_BYTES, end // SECTOR_BYTES, index + 1


def _kind(section: JobSection) -> str:
    kind = section.text("dataplacement", "fdp" if flag(section, "fdp") else "none")
    if kind not in ("none", "fdp", "streams"):
        raise section.wrong("dataplacement", f"`{kind}` is none of none, fdp and streams", "write one of these")
    if kind != "fdp" and flag(section, "fdp"):
        raise section.wrong("dataplacement", f"fio takes no `{kind}` with fdp=1", "remove one of them")
    return kind


def _of_hint(section: JobSection, config: Config) -> tuple[int, ...]:
    hint = section.text("write_hint", "none")
    if hint not in HINTS:
        raise section.wrong("write_hint", f"`{hint}` is no life time", f"write one of {', '.join(HINTS)}")
    # Linux gives a hint to any drive; one without streams for hints ignores it.
    return (HINTS[hint],) if HINTS[hint] and _handles_of(config) else ()


def _indices(section: JobSection, text: str, count: int) -> Iterator[int]:
    """Returns what a list such as `0,2-4` names."""
    for part in text.replace(":", ",").split(","):
        ends = [each.strip() for each in part.split("-")]
        if len(ends) > 2 or not all(each.isdecimal() and int(each) < count for each in ends):
            message = f"`{part}` is no index into the {count} identifiers of the SSD"
            raise section.wrong("plids", message, f"write numbers from 0 to {count - 1}, or raise fdp.handles")
        if int(ends[0]) > int(ends[-1]):
            raise section.wrong("plids", f"`{part}` ends before it begins", f"write {ends[-1]}-{ends[0]}")
        yield from range(int(ends[0]), int(ends[-1]) + 1)


def _handles_of(config: Config) -> int:
    if config["fdp.isolation"] != "off":
        return int(config["fdp.handles"])
    return int(config["ftl.streams"]) if config["ftl.placement"] == "handle" else 0
