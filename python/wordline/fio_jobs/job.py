"""Converts one section of a job file to the input of the core's generator."""

from __future__ import annotations

from typing import Any, NamedTuple

from .document import JobSection
from .options import ENGINES_OF_THE_KERNEL, ENGINES_WITHOUT_QUEUE, IDLE_ENGINES
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


class Extent(NamedTuple):
    """The part of a file that a job uses, bytes.

    Attributes:
        offset: Its start.
        region: The length within which requests begin.
        file: The length of the file, within which requests end.
        size: What one pass transfers.
    """

    offset: int
    region: int
    file: int
    size: int


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


def flag(section: JobSection, name: str, default: str = "0") -> bool:
    """Returns an option that is on or off.

    Raises:
        FioError: It is neither.
    """
    text = section.text(name, default)
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
    name = next((each for each in ("bssplit", "bsrange") if each in section.options), "bs")
    parts = by_direction(section.text(name, "4k"))
    if name == "bssplit":
        block_sizes = [_split(section, part) for part in parts]
    elif name == "bsrange":
        block_sizes = [_range(section, name, part) for part in parts]
    else:
        block_sizes = [Size([(numbers(section, name, size_bytes, part), 100)], 0) for part in parts]
    for size in block_sizes:
        for step in (*(step[0] for step in size.steps), size.up_to or SECTOR_BYTES):
            if step <= 0 or step % SECTOR_BYTES or step > 2**30:
                raise section.wrong(name, f"{step} bytes cannot be asked for", "use multiples of 512 up to 1g")
    return block_sizes


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
    total_percent = sum(share or 0 for _, share in steps)
    open_steps = sum(share is None for _, share in steps)
    if total_percent > 100 or (open_steps == 0 and total_percent != 100):
        raise section.wrong("bssplit", f"its percents add up to {total_percent}", "make them 100, or leave some out")
    # As in fio, sizes without a percent share the rest.
    left = 100 - total_percent
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
    name = "random_distribution"
    shares: list[tuple[int, int | None]] = []
    for part in text.split(":"):
        percent, slash, size = part.partition("/")
        if not slash or (not size and not is_relative):
            raise section.wrong(
                name, f"`{part}` is no zone", "write it as 60/10: percent of accesses, then of the region"
            )
        length = numbers(section, name, integer if is_relative else size_bytes, size) if size else None
        shares.append((numbers(section, name, integer, percent), length))
    given_percent = sum(length or 0 for _, length in shares)
    # As in fio, zones without a size share the rest of the region.
    rest = (100 - given_percent) // max(sum(length is None for _, length in shares), 1)
    zones: list[dict[str, int]] = []
    end = accesses = 0
    for accessed, length in shares:
        taken = rest if length is None else length
        end += region_bytes * taken // 100 if is_relative else taken
        accesses += accessed
        zones.append({"percent": accessed, "end_bytes": end})
    if accesses != 100 or end > region_bytes or any(zone["percent"] < 0 for zone in zones):
        raise section.wrong(
            name, f"{accesses} % of the accesses go to {end} bytes", "make it 100 % within the job's size"
        )
    return zones


def kind(section: JobSection) -> tuple[object, bool, str]:
    """Returns the mix of a job's directions, whether its places are random, and what follows `rw`'s colon.

    Raises:
        FioError: The word is unknown.
    """
    word, _, modifier = section.text("rw", "read").partition(":")
    if word not in KINDS:
        raise section.wrong("rw", f"`{word}` is not known", f"it takes {', '.join(KINDS)}")
    mix, is_random = KINDS[word]
    return ({"read-percent": _read_percent(section)} if mix is None else mix), is_random, modifier


def generator(section: JobSection, extent: Extent) -> dict[str, Any]:
    """Returns the input of the core's generator for a job.

    Raises:
        FioError: An option is invalid.
    """
    mix, is_random, modifier = kind(section)
    every, step = 1, 0
    if modifier and is_random:
        every = numbers(section, "rw", integer, modifier)
    elif modifier:
        sign = -1 if modifier.startswith("-") else 1
        step = sign * numbers(section, "rw", size_bytes, modifier.lstrip("+-"))
    if every < 1 or step % SECTOR_BYTES:
        raise section.wrong(
            "rw", f"`{modifier}` makes no sense", "give a count of requests, or bytes in multiples of 512"
        )
    block_sizes = sizes(section)
    is_time_based = flag(section, "time_based")
    return {
        "mix": mix,
        "random": is_random,
        "every": every,
        "identical": _word(section, "rw_sequencer", "sequential", ("sequential", "identical")) == "identical",
        "step_bytes": step,
        "repeats": _repeats(section, block_sizes),
        "offset_bytes": extent.offset,
        "region_bytes": extent.region,
        "file_bytes": extent.file,
        "size_bytes": extent.size,
        "io_size_bytes": _io_size(section, extent.region),
        "loops": count(section, "loops", 1, 1, 2**31),
        "same_choices": flag(section, "randrepeat", "1") and "randseed" not in section.options,
        "queues": _queues(section),
        "seed": numbers(section, "randseed", integer, section.text("randseed", "0")) % 2**64,
        "requests_max": numbers(section, "number_ios", size_bytes, section.text("number_ios", "0")),
        "time_based": is_time_based,
        "flush_every": [count(section, name, 0, 0, 2**31) for name in ("fsync", "fdatasync")],
        "fua": flag(section, "writefua") or _is_synchronous(section),
        "flush_at_end": (flag(section, "end_fsync") or flag(section, "fsync_on_close")) and not is_time_based,
        "start_ns": time(section, "startdelay"),
        **_rate(section, mix, block_sizes),
        "streams": _streams(section, block_sizes, extent.region),
    }


def _streams(section: JobSection, block_sizes: list[Size], region_bytes: int) -> list[dict[str, Any]]:
    laws = distributions(section, region_bytes)
    chances = [
        numbers(section, "percentage_random", integer, part)
        for part in by_direction(section.text("percentage_random", "100"))
    ]
    if not all(0 <= chance <= 100 for chance in chances):
        raise section.wrong("percentage_random", f"{chances[0]} is out of range", "it takes 0 to 100")
    return [
        {
            "sizes": size.steps,
            "up_to_bytes": size.up_to,
            "align_bytes": align,
            "distribution": law,
            "random_percent": chance,
        }
        for size, law, align, chance in zip(block_sizes, laws, _aligned(section, block_sizes), chances, strict=True)
    ]


def _aligned(section: JobSection, block_sizes: list[Size]) -> list[int]:
    """Returns what random places are multiples of: the smallest size, or `ba`."""
    alignments = [int(numbers(section, "ba", size_bytes, part)) for part in by_direction(section.text("ba", "0"))]
    if any(each % SECTOR_BYTES for each in alignments):
        raise section.wrong("ba", "is no multiple of 512 bytes", "use a multiple of 512")
    return [align or size.least for align, size in zip(alignments, block_sizes, strict=True)]


def _repeats(section: JobSection, block_sizes: list[Size]) -> bool:
    """Returns True if a place may come again before all others were used."""
    words = ("tausworthe", "lfsr", "tausworthe64")
    if _word(section, "random_generator", "tausworthe", words) == "lfsr":
        if any(len(size.steps) > 1 or size.up_to for size in block_sizes):
            raise section.wrong("random_generator", "lfsr with several sizes repeats places", "take one size")
        return False
    aligned = any(align != size.least for align, size in zip(_aligned(section, block_sizes), block_sizes, strict=True))
    return (
        flag(section, "norandommap")
        or aligned
        or not section.text("random_distribution", "random").startswith("random")
    )


def depth(section: JobSection) -> int:
    """Returns how many requests are outstanding: 1 where the engine completes one before it takes the next, as in fio.

    Raises:
        FioError: It is no number in its range.
    """
    asked = count(section, "iodepth", 1, 1, 65_535)
    # Threads of fio hand the requests of such an engine over.
    is_offloaded = section.text("io_submit_mode", "inline") == "offload"
    return asked if is_offloaded or _queues(section) else 1


def uses_page_cache(section: JobSection) -> bool:
    """Returns True if fio reads and writes through the host's page cache, which is not simulated."""
    is_direct = flag(section, "direct") or ("buffered" in section.options and not flag(section, "buffered"))
    return section.engine in ENGINES_OF_THE_KERNEL and not is_direct


def _queues(section: JobSection) -> bool:
    """Returns True if the engine takes a request before the last one is complete."""
    if section.engine in IDLE_ENGINES:
        return count(section, "iodepth", 1, 1, 65_535) > 1
    return section.engine not in ENGINES_WITHOUT_QUEUE


def _is_synchronous(section: JobSection) -> bool:
    """Writes are O_SYNC or O_DSYNC: the kernel sends direct ones with FUA."""
    return _word(section, "sync", "none", ("none", "0", "sync", "1", "dsync")) not in {"none", "0"}


def _word(section: JobSection, name: str, default: str, words: tuple[str, ...]) -> str:
    text = section.text(name, default)
    if text not in words:
        raise section.wrong(name, f"`{text}` is not known", f"it takes {', '.join(words)}")
    return text


def _io_size(section: JobSection, region_bytes: int) -> int:
    text = section.text("io_size", "0").strip()
    if text.endswith("%") and text[:-1].isdecimal() and int(text[:-1]) > 100:
        raise section.wrong("io_size", f"fio takes no more than 100%, and not {text}", "write loops=, or bytes")
    total: int = numbers(section, "io_size", lambda each: size_bytes(each, region_bytes), section.text("io_size", "0"))
    return total


def time(section: JobSection, name: str) -> int:
    """Returns a time, ns; without a unit it is in seconds.

    Raises:
        FioError: It is no time.
    """
    text = section.text(name, "0")
    try:
        return time_ns(text, "s")
    except NotANumberError:
        raise section.wrong(name, f"`{text}` is no time", "write it as 30s or 5m") from None


def _read_percent(section: JobSection) -> int:
    if "rwmixread" not in section.options and "rwmixwrite" in section.options:
        return 100 - count(section, "rwmixwrite", 50, 0, 100)
    return count(section, "rwmixread", 50, 0, 100)


def _rate(section: JobSection, mix: object, block_sizes: list[Size]) -> dict[str, Any]:
    """Returns arrival times from `rate_iops` or `rate`, which apply to each direction separately."""
    reads = mix["read-percent"] / 100 if isinstance(mix, dict) else 0.0
    shares = [reads, 1.0 - reads, 0.0] if isinstance(mix, dict) else [0.0, 0.0, 1.0]
    gap, bytes_per_s = 0, 0
    if "rate_iops" in section.options:
        parts = [
            numbers(section, "rate_iops", size_bytes, part or "0")
            for part in by_direction(section.text("rate_iops", "0"))
        ]
        limits = [part / share for part, share in zip(parts, shares, strict=True) if share > 0 and part > 0]
        gap = round(1e9 / min(limits)) if limits else 0
    if "rate" in section.options:
        parts = [numbers(section, "rate", size_bytes, part or "0") for part in by_direction(section.text("rate", "0"))]
        weights = [share * _mean(size) for share, size in zip(shares, block_sizes, strict=True)]
        whole = sum(weights)
        limits = [part * whole / weight for part, weight in zip(parts, weights, strict=True) if weight > 0 and part > 0]
        bytes_per_s = round(min(limits)) if limits else 0
    is_poisson = _word(section, "rate_process", "linear", ("linear", "poisson")) == "poisson"
    if is_poisson and bytes_per_s:
        # fio takes the mean gap from the smallest size.
        gap, bytes_per_s = round(1e9 * min(size.least for size in block_sizes) / bytes_per_s), 0
    return {"gap_ns": gap, "poisson": is_poisson and gap > 0, "bytes_per_s": bytes_per_s}


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
