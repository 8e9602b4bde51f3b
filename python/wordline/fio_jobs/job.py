"""Converts one section of a job file to the input of the core's generator."""

from __future__ import annotations

from typing import Any, NamedTuple

from .document import JobSection
from .units import NotANumberError, integer, number, size_bytes, time_ns

SECTOR_BYTES = 512
READ, WRITE, TRIM = 0, 1, 2
NAMES = ("read", "write", "trim")
# Values of `rw`: reads in percent (None: rwmixread), the mix's name, random.
KINDS: dict[str, tuple[object, bool]] = {
    "read": ({"read-percent": 100}, False),
    "write": ({"read-percent": 0}, False),
    "trim": ("trim", False),
    "randread": ({"read-percent": 100}, True),
    "randwrite": ({"read-percent": 0}, True),
    "randtrim": ("trim", True),
    "rw": (None, False),
    "readwrite": (None, False),
    "randrw": (None, True),
    "trimwrite": ("trim-write", False),
    "randtrimwrite": ("trim-write", True),
}
DEFAULT_THETA = {"zipf": 1.1, "pareto": 0.2, "normal": 0.0}


class Size(NamedTuple):
    """The sizes of one direction."""

    steps: list[tuple[int, int]]
    up_to: int

    @property
    def least(self) -> int:
        """The smallest size, bytes."""
        return min(step[0] for step in self.steps)


def numbers(section: JobSection, name: str, read: Any, text: str) -> Any:  # noqa: ANN401 - whatever `read` gives
    """Reads a value with one of the functions of `units`.

    Raises:
        FioError: The value is not such a number.
    """
    try:
        return read(text)
    except NotANumberError:
        raise section.wrong(
            name, f"`{text}` is no number that fits", "write it as fio does: 4k, 1g, 30s, 100us"
        ) from None


def count(section: JobSection, name: str, default: int, low: int, high: int) -> int:
    """Returns a whole number in a range.

    Raises:
        FioError: It is not a whole number in the range.
    """
    value: int = numbers(section, name, integer, section.text(name, str(default)))
    if not low <= value <= high:
        raise section.wrong(name, f"{value} is out of range", f"it takes {low} to {high}")
    return value


def flag(section: JobSection, name: str) -> bool:
    """Returns an option that is on or off.

    Raises:
        FioError: It is neither.
    """
    text = section.text(name, "0")
    if text not in {"0", "1", "true", "false"}:
        raise section.wrong(name, f"`{text}` is neither on nor off", "write 0 or 1")
    return text in {"1", "true"}


def by_direction(text: str, separator: str = ",") -> list[str]:
    """Splits `a`, `a,b` or `a,b,c` for reads, writes and trims; a missing value equals the previous one."""
    parts = text.split(separator)
    return [parts[min(place, len(parts) - 1)] or parts[0] for place in range(3)]


def sizes(section: JobSection) -> list[Size]:
    """Returns the sizes of reads, writes and trims.

    Raises:
        FioError: They are invalid, or not multiples of 512 bytes.
    """
    name = next((each for each in ("bssplit", "bsrange", "blocksize_range") if each in section.options), "bs")
    if name == "bs" and "blocksize" in section.options:
        name = "blocksize"
    text = section.text(name, "4k")
    if name == "bssplit":
        found = [_split(section, part) for part in by_direction(text)]
    elif name in {"bsrange", "blocksize_range"}:
        found = [_range(section, name, part) for part in by_direction(text)]
    else:
        found = [Size([(numbers(section, name, size_bytes, part), 100)], 0) for part in by_direction(text)]
    for size in found:
        for step in (*(step[0] for step in size.steps), size.up_to or SECTOR_BYTES):
            if step <= 0 or step % SECTOR_BYTES or step > 2**30:
                raise section.wrong(name, f"{step} bytes cannot be asked for", "use multiples of 512 up to 1g")
    return found


def _range(section: JobSection, name: str, text: str) -> Size:
    low, dash, high = text.partition("-")
    if not dash:
        raise section.wrong(name, f"`{text}` is no range", "write it as 4k-64k")
    smallest, largest = numbers(section, name, size_bytes, low), numbers(section, name, size_bytes, high)
    if not 0 < smallest <= largest:
        raise section.wrong(name, f"`{text}` is no range", "write the smaller size first")
    return Size([(smallest, 100)], largest if largest > smallest else 0)


def _split(section: JobSection, text: str) -> Size:
    steps: list[tuple[int, int | None]] = []
    for part in text.split(":"):
        size, _, percent = part.partition("/")
        share = numbers(section, "bssplit", integer, percent) if percent else None
        steps.append((numbers(section, "bssplit", size_bytes, size), share))
    said = sum(share or 0 for _, share in steps)
    open_steps = sum(share is None for _, share in steps)
    if said > 100 or (open_steps == 0 and said != 100):
        raise section.wrong("bssplit", f"its percents add up to {said}", "make them 100, or leave some out")
    # As in fio, sizes without a percent share the rest.
    left = 100 - said
    shared = [(size, left // open_steps if share is None else share) for size, share in steps]
    if open_steps:
        largest, last = shared[-1]
        shared[-1] = (largest, last + 100 - sum(each[1] for each in shared))
    return Size([each for each in shared if each[1] > 0], 0)


def distributions(section: JobSection, region_bytes: int) -> list[object]:
    """Returns the distributions of reads, writes and trims, as the core's generator takes them.

    Raises:
        FioError: The distribution is unknown, or its numbers are invalid.
    """
    name = "random_distribution"
    kind, _, rest = section.text(name, "random").partition(":")
    if kind == "random":
        return ["uniform"] * 3
    if kind in DEFAULT_THETA:
        text = rest.partition(":")[0]
        value: float = numbers(section, name, number, text) if text else DEFAULT_THETA[kind]
        wrong = {"zipf": value <= 0 or value == 1.0, "pareto": not 0 < value < 1, "normal": not 0 <= value <= 100}[kind]
        if wrong:
            raise section.wrong(
                name, f"{kind}:{text} is out of range", "zipf above 0 and not 1, pareto 0 to 1, normal 0 to 100"
            )
        return [{kind: value}] * 3
    if kind in {"zoned", "zoned_abs"}:
        return [{"zoned": _zones(section, part, kind == "zoned", region_bytes)} for part in by_direction(rest)]
    raise section.wrong(name, f"`{kind}` is not known", "it takes random, zipf, pareto, normal, zoned or zoned_abs")


def _zones(section: JobSection, text: str, is_relative: bool, region_bytes: int) -> list[dict[str, int]]:
    name, zones, end, accesses = "random_distribution", [], 0, 0
    for part in text.split(":"):
        percent, slash, size = part.partition("/")
        if not slash:
            raise section.wrong(
                name, f"`{part}` is no zone", "write it as 60/10: percent of accesses, then of the region"
            )
        share: int = numbers(section, name, integer, percent)
        length: int = numbers(section, name, integer if is_relative else size_bytes, size)
        end += region_bytes * length // 100 if is_relative else length
        accesses += share
        zones.append({"percent": share, "end_bytes": end})
    if accesses != 100 or end > region_bytes or any(zone["percent"] < 0 for zone in zones):
        raise section.wrong(
            name, f"{accesses} % of the accesses go to {end} bytes", "make it 100 % within the job's size"
        )
    return zones


def generator(section: JobSection, region_bytes: int, offset_bytes: int, total_bytes: int) -> dict[str, Any]:
    """Returns the input of the core's generator for a job.

    Raises:
        FioError: An option is invalid.
    """
    name = "rw" if "rw" in section.options else "readwrite"
    word, _, modifier = section.text(name, "read").partition(":")
    if word not in KINDS:
        raise section.wrong(name, f"`{word}` is not known", f"it takes {', '.join(KINDS)}")
    mix, is_random = KINDS[word]
    if mix is None:
        mix = {"read-percent": _read_percent(section)}
    every, step = 1, 0
    if modifier and is_random:
        every = numbers(section, name, integer, modifier)
    elif modifier:
        sign = -1 if modifier.startswith("-") else 1
        step = sign * numbers(section, name, size_bytes, modifier.lstrip("+-"))
    if every < 1 or step % SECTOR_BYTES:
        raise section.wrong(
            name, f"`{modifier}` makes no sense", "give a count of requests, or bytes in multiples of 512"
        )
    found = sizes(section)
    laws = distributions(section, region_bytes)
    align_name = "blockalign" if "blockalign" in section.options else "ba"
    align = [
        int(numbers(section, align_name, size_bytes, part)) for part in by_direction(section.text(align_name, "0"))
    ]
    percent = section.text("percentage_random", "100").split(",", maxsplit=1)[0]
    chance: int = numbers(section, "percentage_random", integer, percent)
    if not 0 <= chance <= 100:
        raise section.wrong("percentage_random", f"{chance} is out of range", "it takes 0 to 100")
    # As in fio: places that are not uniform, or not aligned to the size, may repeat before all others were used.
    repeats = flag(section, "norandommap") or laws[0] != "uniform" or any(align)
    streams = [
        {"sizes": size.steps, "up_to_bytes": size.up_to, "align_bytes": start or size.least, "distribution": law}
        for size, law, start in zip(found, laws, align, strict=True)
    ]
    if any(each % SECTOR_BYTES for each in align):
        raise section.wrong(align_name, "is no multiple of 512 bytes", "use a multiple of 512")
    sync = "fsync" if "fsync" in section.options else "fdatasync"
    return {
        "mix": mix,
        "random": is_random,
        "every": every,
        "step_bytes": step,
        "random_percent": chance,
        "repeats": repeats,
        "offset_bytes": offset_bytes,
        "region_bytes": region_bytes,
        "total_bytes": total_bytes,
        "flush_every": count(section, sync, 0, 0, 2**31),
        **_rate(section, mix, found),
        "streams": streams,
    }


def _read_percent(section: JobSection) -> int:
    if "rwmixread" not in section.options and "rwmixwrite" in section.options:
        return 100 - count(section, "rwmixwrite", 50, 0, 100)
    return count(section, "rwmixread", 50, 0, 100)


def _rate(section: JobSection, mix: object, found: list[Size]) -> dict[str, int]:
    """Returns arrival times from `rate_iops` or `rate`, which apply to each direction separately."""
    reads = mix["read-percent"] / 100 if isinstance(mix, dict) else 0.0
    shares = [reads, 1.0 - reads, 0.0] if isinstance(mix, dict) else [0.0, 0.0, 1.0]
    gap, bytes_per_s = 0, 0
    if "rate_iops" in section.options:
        parts = [
            numbers(section, "rate_iops", integer, part or "0") for part in by_direction(section.text("rate_iops", "0"))
        ]
        limits = [part / share for part, share in zip(parts, shares, strict=True) if share > 0 and part > 0]
        gap = round(1e9 / min(limits)) if limits else 0
    if "rate" in section.options:
        parts = [numbers(section, "rate", size_bytes, part or "0") for part in by_direction(section.text("rate", "0"))]
        weights = [share * _mean(size) for share, size in zip(shares, found, strict=True)]
        whole = sum(weights)
        limits = [part * whole / weight for part, weight in zip(parts, weights, strict=True) if weight > 0 and part > 0]
        bytes_per_s = round(min(limits)) if limits else 0
    return {"gap_ns": gap, "bytes_per_s": bytes_per_s}


def _mean(size: Size) -> float:
    if size.up_to:
        return (size.least + size.up_to) / 2
    return sum(step * share for step, share in size.steps) / 100


def rest(section: JobSection) -> tuple[int, int]:
    """Returns the number of requests after which the job rests, and the time, ns; 0 and 0: never."""
    if "thinktime" not in section.options:
        return (0, 0)
    pause: int = numbers(section, "thinktime", lambda text: time_ns(text, "us"), section.text("thinktime", "0"))
    return (count(section, "thinktime_blocks", 1, 1, 2**31), pause) if pause else (0, 0)
