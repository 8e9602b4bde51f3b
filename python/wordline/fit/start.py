"""Where a search begins: closed forms of the measured numbers.

The levels of the latency of single reads are page types. What a single buffered write takes is the way there and back.
The highest rate is that of the slowest serial stage.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from ..config import Config
from ..measured import Point
from .model import GUESS_DEVIATION, LEVELS, Model, Parameter, levels_of

__all__ = ["limited_by_flash", "model_of", "with_dies", "with_planes"]

LEAST_US = 0.05
ONE_JOB_SHARE = 0.8
"""One job that reaches less than this share of what several with as many outstanding reach is held back."""
LEAST_RATIO = 0.7
"""The fastest page type takes at least this share of the next one: of the chips of the papers, 0.72."""
GAP_MIN_US = 0.5
BUSY = 8
"""Outstanding requests that keep the slowest stage busy, if it is the controller."""
UNMAPPED_RATIO = 1.9
"""Page types of one chip differ by less: of the drives that were fitted, p95 is at most 1.6 times p50."""
MAPPED = "mapped_share"
PROGRAM = "program_us"
MAPPED_MIN = 0.02
FLASH_SHARE = 0.8
"""Where the most bytes are written by less than this share of the highest rate of requests, the flash is the limit."""
LARGE_BYTES = 65_536
FEW = 4
"""Outstanding reads that hardly wait for each other."""
FEW_DEVIATION, HIDDEN_DEVIATION = 0.35, 0.5
"""Standard deviation of the logarithm of a read time that is taken from few outstanding reads, or from the base."""
BATCH_SHARE = 0.85
"""Few outstanding writes that reach less than this share of what single ones and many allow are taken in batches."""
SATA_FRAMES = 5
"""Frames of a command of 4 KiB over SATA, with data in one frame."""


def model_of(base: Config, points: Sequence[Point], free: Sequence[str] = ()) -> Model:
    """Returns what points can tell about a drive, with where the search begins.

    Args:
        base: The drive that the rest is taken from.
        points: What was measured.
        free: Names of parameters, or `host` and `drive` for all of these; empty: all.
    """
    chosen = [
        each
        for each in _parameters(base, points)
        if not free or each.name in free or ("host" if each.of_host else "drive") in free
    ]
    fixed = (("ftl.unmapped_read", "zero"),) if any(each.name == MAPPED for each in chosen) else ()
    return Model(base, tuple(replace(each, guess=each.start) for each in chosen), fixed)


def _parameters(base: Config, points: Sequence[Point]) -> Iterator[Parameter]:
    reads, writes = (_small(points, op) for op in ("read", "write"))
    gap_us = _gap_us(reads + writes)
    one_job_us = max(_one_job_us(reads), _one_job_us(writes)) - gap_us
    slat_us = max(_slat_us(reads, writes, levels_of(base)), one_job_us)
    command_read_us, command_write_us = (_stage_us(each) for each in (reads, writes))
    wire_us = _wire_us(base)
    mapped = _mapped(reads, slat_us)
    quick_us = None if mapped is None else _single(reads, "p50_us")
    path_us = base["host.complete_ns"] / 1e3
    # A buffered write and a read of an address without data do not reach the flash.
    for single_us, stage_us in ((_single(writes, "p50_us"), command_write_us), (quick_us, command_read_us)):
        if single_us is not None:
            command_us = stage_us or (base["controller.command_write_ns"] or base["controller.command_ns"]) / 1e3
            path_us = max(single_us - wire_us - base["host.submit_ns"] / 1e3 - 0.9 * command_us, 1.0)
            yield _path(path_us)
            break
    yield Parameter(
        "job_us",
        "the host's processor, for each request",
        ("host.job_ns",),
        max(slat_us, 0.3),
        LEAST_US,
        50.0,
        of_host=True,
    )
    if gap_us >= GAP_MIN_US:
        what = "the host's processor, after a completion"
        yield Parameter("reap_us", what, ("host.reap_ns",), gap_us, LEAST_US, 20 * gap_us, of_host=True)
    if reads:
        way_us = path_us + base["host.submit_ns"] / 1e3 + wire_us + (command_read_us or 0.0) + _behind_us(base)
        yield from _levels(base, reads, slat_us, way_us, quick_us)
    if mapped is not None:
        what = "addresses with data: reads of the others do not reach the flash"
        yield Parameter(MAPPED, what, ("precondition.fill",), mapped, MAPPED_MIN, 1.0, "read")
    if command_read_us is not None:
        yield _command("read", command_read_us)
    if command_write_us is not None:
        yield _command("write", command_write_us)
        batch_us = _batch_us(writes)
        if batch_us is not None:
            yield Parameter(
                "batch_write_us",
                "the controller, once for all writes that wait",
                ("controller.batch_write_ns",),
                batch_us,
                batch_us / 20,
                batch_us * 2,
                "write",
            )
    if base["host.link"] == "sata" and (reads or writes):
        start = base["host.sata_handshake_ns"] / 1e3 or 0.5
        yield Parameter(
            "handshake_us",
            "a frame of SATA besides its bits",
            ("host.sata_handshake_ns",),
            start,
            0.05,
            5.0,
            of_host=True,
        )
    if _sizes(points, "read") > 1:
        start = float(base["channel.rate_mb_s"]) or 400.0
        yield Parameter("channel_mb_s", "a channel", ("channel.rate_mb_s",), start, start / 6, start * 6)
        if base["host.link"] == "nvme" and (rate := _link_mb_s(points)) is not None:
            yield Parameter(
                "link_mb_s", "the link", ("host.link_rate_mb_s",), 1.02 * rate, 0.9 * rate, 8 * rate, of_host=True
            )
    if _programs_wordlines(base) and any(each.op == "write" and each.numbers.iops for each in points):
        yield _program(base, points)


def _programs_wordlines(base: Config) -> bool:
    """Returns whether one time, that of a whole wordline, is that of a program; two steps have a time each."""
    return bool(base["program.unit"] == "wordline" and base["program.policy"] != "two-step")


def _path(start_us: float) -> Parameter:
    what = "the time of a completion to the host"
    return Parameter("path_us", what, ("host.complete_ns",), start_us, LEAST_US, 200.0, of_host=True)


def _mapped(reads: Sequence[Point], slat_us: float) -> float | None:
    """Returns the share of addresses with data, where single reads have two levels that no coding has."""
    for each in reads:
        quick_us, flash_us, mean_us = each.numbers.p50_us, each.numbers.p95_us, each.numbers.mean_us
        if each.outstanding == 1 and quick_us and flash_us and mean_us and flash_us > UNMAPPED_RATIO * quick_us:
            share = (mean_us - slat_us - quick_us) / (flash_us - quick_us)
            return min(max(share, 2 * MAPPED_MIN), 0.5)
    return None


def _command(op: str, stage_us: float) -> Parameter:
    # The slowest stage is at most so slow; another one may be it.
    name = f"command_{op}_us"
    return Parameter(
        name,
        f"the controller, for each {op}",
        (f"controller.command_{op}_ns",),
        0.95 * stage_us,
        0.05 * stage_us,
        1.2 * stage_us,
        op,  # type: ignore[arg-type]
    )


def _levels(
    base: Config, reads: Sequence[Point], slat_us: float, known_us: float, quick_us: float | None
) -> Iterator[Parameter]:
    count = levels_of(base)
    least = min(reads, key=lambda each: each.outstanding)
    if quick_us is not None:
        # What the flash adds to a read that does not reach it; p95 and p99 are among those that do.
        top_us = max((least.numbers.p99_us or least.numbers.p95_us or 2 * quick_us) - quick_us - _behind_us(base), 5.0)
        starts, deviation = [top_us * LEAST_RATIO ** (count - 1 - place) for place in range(count)], FEW_DEVIATION
    elif least.outstanding <= FEW:
        starts = _levels_of(least, count, slat_us, known_us)
        deviation = GUESS_DEVIATION if least.outstanding == 1 else FEW_DEVIATION
    else:
        # Behind a queue the levels are not seen.
        times = sorted(float(each) for each in base["nand.read_us"])
        starts, deviation = [times[min(place, len(times) - 1)] for place in range(count)], HIDDEN_DEVIATION
    if len(starts) > 1:
        # Page types of one chip differ by less than this.
        starts[0] = min(max(starts[0], 1.05 * LEAST_RATIO * starts[1]), 0.98 * starts[1])
    for place, start in enumerate(starts):
        low = LEAST_RATIO * starts[1] if place == 0 and count > 1 else start / 2
        what = f"a read of page type {place + 1}, from the fastest"
        yield Parameter(LEVELS[place], what, ("nand.read_us",), start, low, start * 2, "read", deviation=deviation)


def _levels_of(point: Point, count: int, slat_us: float, known_us: float) -> list[float]:
    """Returns the read times of the page types that the latency of one point shows, from the fastest."""
    numbers = point.numbers
    top = numbers.p95_us or numbers.p99_us or numbers.mean_us or 100.0
    middle = numbers.p50_us or top
    mean = (numbers.mean_us or middle) - slat_us
    levels = {1: [mean], 2: [2 * mean - top, top], 3: [3 * mean - middle - top, middle, top]}.get(
        count, [middle] * count
    )
    return [max(level - known_us, 5.0) for level in sorted(levels)]


def limited_by_flash(points: Sequence[Point]) -> bool:
    """Returns whether the flash limits the writes: those of the most bytes are fewer than the controller can take."""
    rates = _write_rates(points)
    return bool(rates) and max(rates)[1] <= FLASH_SHARE * max(rate for _, rate in rates)


def _write_rates(points: Sequence[Point]) -> list[tuple[float, float]]:
    """Returns the bytes and the requests that were written in a second, of each point."""
    writes = [each for each in points if each.op == "write" and each.numbers.iops]
    return [((each.numbers.iops or 0.0) * each.loads[0].write_bytes, each.numbers.iops or 0.0) for each in writes]


def _program(base: Config, points: Sequence[Point]) -> Parameter:
    ceiling, _ = max(_write_rates(points))
    bits = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}[base["coding.cell"]]
    wordline_bytes = base["ssd.page_bytes"] * base["ssd.planes_per_die"] * bits
    dies = base["ssd.channels"] * base["ssd.chips_per_channel"] * base["ssd.dies_per_chip"]
    slowest = dies * wordline_bytes / ceiling * 1e6
    start, usual = slowest, float(base["nand.program_wordline_us"])
    if usual and not limited_by_flash(points):
        # So many requests keep the controller busy, and the flash is faster: nothing tells by how much.
        start = min(slowest, usual)
    what = "a program of a whole wordline"
    return Parameter(PROGRAM, what, ("nand.program_wordline_us",), start, start / 5, slowest * 1.5, "write")


def _small(points: Sequence[Point], op: str) -> list[Point]:
    """Returns the points of the smallest block of a kind of request that ran alone."""
    alone = [each for each in points if each.op == op and len(each.loads) == 1 and len(each.loads[0].ops) == 1]
    if not alone:
        return []
    least = min(each.loads[0].mean_bytes() for each in alone)
    return sorted((each for each in alone if each.loads[0].mean_bytes() == least), key=lambda each: each.outstanding)


def _single(points: Sequence[Point], name: str) -> float | None:
    values = [getattr(each.numbers, name) for each in points if each.outstanding == 1]
    return next((each for each in values if each), None)


def _slat_us(reads: Sequence[Point], writes: Sequence[Point], levels: int) -> float:
    """Returns what single requests take before they are submitted: their mean over that of their levels.

    A buffered write has one level, its median. Reads have one for each page type; where there are no writes, the lower
    ones are taken to be alike.
    """
    for points, share in ((writes, 0.0), (reads, 1 / levels)):
        single = [each.numbers for each in points if each.outstanding == 1]
        gaps = [
            each.mean_us - (1 - share) * each.p50_us - share * (each.p95_us or each.p50_us)
            for each in single
            if each.mean_us and each.p50_us
        ]
        if gaps:
            return max(min(gaps), 0.0)
    return 0.0


def _one_job_us(points: Sequence[Point]) -> float:
    """Returns the time of a job's processor where it is the slowest stage: as many in several jobs do more."""
    one = {each.outstanding: each.numbers.iops for each in points if each.numbers.iops and each.loads[0].jobs == 1}
    held_back = any(
        each.outstanding in one and one[each.outstanding] < ONE_JOB_SHARE * each.numbers.iops
        for each in points
        if each.numbers.iops and each.loads[0].jobs > 1
    )
    return 1e6 / max(one.values()) if held_back else 0.0


def _gap_us(points: Sequence[Point]) -> float:
    """Returns the time between single requests, which is no part of their latency: one over the rate, less the mean."""
    single = [each.numbers for each in points if each.outstanding == 1]
    return min((1e6 / each.iops - each.mean_us for each in single if each.iops and each.mean_us), default=0.0)


def _stage_us(points: Sequence[Point]) -> float | None:
    """Returns the time of the slowest serial stage: one over the highest rate, if enough was outstanding for it."""
    rates = [each.numbers.iops for each in points if each.numbers.iops and each.outstanding >= BUSY]
    return 1e6 / max(rates) if rates else None


def _batch_us(points: Sequence[Point]) -> float | None:
    """Returns the time that all writes which wait take together, where the rate of few outstanding ones shows one.

    Single writes would allow so many times their rate, and many outstanding ones have the highest rate. Below both, the
    time of a write grows in proportion to one by the number outstanding: by this time.
    """
    rates: dict[int, list[float]] = {}
    for each in points:
        if each.numbers.iops:
            rates.setdefault(each.outstanding, []).append(each.numbers.iops)
    means = {outstanding: fmean(each) for outstanding, each in rates.items()}
    most = max((each for each in means if each >= BUSY), key=lambda each: means[each], default=None)
    if 1 not in means or most is None:
        return None
    slopes = [
        1e6 * (1 / rate - 1 / means[most]) / (1 / each - 1 / most)
        for each, rate in means.items()
        if 1 < each < BUSY and rate < BATCH_SHARE * min(each * means[1], means[most])
    ]
    return fmean(slopes) if slopes else None


def _wire_us(base: Config) -> float:
    if base["host.link"] == "sata":
        frames_us = SATA_FRAMES * float(base["host.sata_handshake_ns"]) / 1e3
        return 4096 * 10 / float(base["host.sata_gbit_s"]) / 1e3 + frames_us
    rate = float(base["host.link_rate_mb_s"])
    return 4096 / rate if rate else 0.0


def _behind_us(base: Config) -> float:
    """Returns what a read of 4 KiB takes behind the array: the channel and the ECC engine."""
    rate = float(base["channel.rate_mb_s"])
    decode_us = 0.0 if base["ecc.engine"] == "none" else float(base["ecc.decode_us"])
    return (4096 / rate if rate else 0.0) + float(base["channel.data_out_ns"]) / 1e3 + decode_us


def _sizes(points: Sequence[Point], op: str) -> int:
    return len({each.loads[0].mean_bytes() for each in points if each.op == op})


def _link_mb_s(points: Sequence[Point]) -> float | None:
    """Returns the highest rate of large blocks at depth, MB/s: the link is at least so fast, and often just so."""
    rates = [
        each.numbers.iops * each.loads[0].mean_bytes() / 1e6
        for each in points
        if each.numbers.iops and each.outstanding >= BUSY and each.loads[0].mean_bytes() >= LARGE_BYTES
    ]
    return max(rates, default=None)


def with_dies(model: Model, dies: int) -> Model:
    """Returns the model with another number of dies, behind as many channels, with the same capacity and write rate."""
    base = model.config({})
    own = base["ssd.channels"] * base["ssd.chips_per_channel"] * base["ssd.dies_per_chip"]
    channels = min(model.base["ssd.channels"], dies)
    return _programs_scaled(model, dies / own).with_settings(
        (
            ("ssd.channels", channels),
            ("ssd.chips_per_channel", max(dies // channels, 1)),
            ("ssd.dies_per_chip", 1),
            ("ssd.blocks_per_plane", math.ceil(base["ssd.blocks_per_plane"] * own / dies)),
        )
    )


def with_planes(model: Model, planes: int) -> Model:
    """Returns the model with another number of planes in a die, and with the same capacity."""
    base = model.config({})
    blocks = math.ceil(base["ssd.blocks_per_plane"] * base["ssd.planes_per_die"] / planes)
    return model.with_settings((("ssd.planes_per_die", planes), ("ssd.blocks_per_plane", blocks)))


def _programs_scaled(model: Model, factor: float) -> Model:
    """Returns the model with programs that take longer by a factor: so many more of them at once write as fast."""
    parameters = (
        replace(
            each,
            start=each.start * factor,
            low=each.low * factor,
            high=each.high * factor,
            guess=each.guess and each.guess * factor,
        )
        if each.name == PROGRAM
        else each
        for each in model.parameters
    )
    return Model(model.base, tuple(parameters), model.fixed)
