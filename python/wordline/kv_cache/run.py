"""A KV cache on a simulated drive."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from os import PathLike, fspath
from typing import Any, Final

from .. import _core
from ..config import Config, preset
from ..errors import ConfigError, OutOfRangeError
from ..held import Drive
from ..held import open as open_drive
from ..output.certainty import stand_in
from ..placements import PLACEMENTS, placed
from ..progress import Progress, ProgressCallback, raw, reporting
from ..stats.lifetime import rating
from .layout import MOVES, RESTORES, WRITES
from .plan import Demand, Plan, demand_of, plan_of
from .result import GB, Asked, DriveSide, Endurance, KvResult, PolicyResult, Restore
from .settings import KvSettings
from .traces import KvTrace, read_traces

__all__ = ["kv", "part_of"]

Path = str | PathLike[str]

SMALLEST_BLOCK: Final = 64 << 10
"""A part of the drive is as small as it may be, with blocks of so many bytes."""
PARTS_MAX: Final = 64
CHUNK_BYTES: Final = 512 << 10
NS_PER_S: Final = 1e9
USUAL_DWPD: Final = 1.0
BEHIND: Final = 1
"""The flag of work of which a read met a die at work of the drive's own; twice that is a failure."""


def kv(
    drive: Config | str,
    traces: Path | Sequence[Path],
    *,
    policies: Sequence[str] = ("through",),
    settings: KvSettings | None = None,
    drives: int = 1,
    chunk_bytes: int = CHUNK_BYTES,
    block_tokens: int | None = None,
    flash: bool = True,
    progress: bool | ProgressCallback | None = None,
) -> KvResult:
    """Says what a KV cache of an LLM service asks of its SSD, and what becomes of the SSD.

    The cache itself (hits, bytes) is computed for the whole drive. Flash is simulated for a part of it, `ssd.scale`,
    with as many blocks as the whole, each so many times smaller, and time running so many times faster: rates, hits and
    drive writes stay those of the whole. Times to restore are those of the part, so many times longer.

    Args:
        drive: The SSD, from `preset` or `config`, or the name of a preset. With `ssd.scale = 1` a part is chosen.
        traces: Files of Mooncake's or Qwen-Bailian's form.
        policies: Write policies to compare: `through`, `on-evict`, `second-use`.
        settings: All else; its own policy does not count.
        drives: So many of the drive, striped.
        chunk_bytes: Of several drives: bytes in a row on one.
        block_tokens: Tokens of a block; None: as the traces have them.
        flash: Whether to simulate flash; without it there are hits and bytes, and no times.
        progress: True for a bar, or a function; see `run`.

    Raises:
        WordlineError: A trace or setting that makes no sense, or as for `run`.
    """
    settings = settings or KvSettings()
    config = preset(drive) if isinstance(drive, str) else drive
    if not isinstance(config, Config):
        raise ConfigError(
            f"a {type(config).__name__} is no configuration; use wordline.preset(…) or wordline.config(…)"
        )
    if not policies or len(set(policies)) < len(policies):
        raise ConfigError("policies: give one or more, each once")
    if not 1 <= drives <= 256:
        raise ConfigError(f"drives = {drives}: give 1 to 256")
    if chunk_bytes < 4096 or chunk_bytes % 4096:
        raise ConfigError(f"chunk_bytes = {chunk_bytes}: give a multiple of 4096")
    wanted = [replace(settings, policy=policy) for policy in policies]
    files = tuple(fspath(each) for each in ([traces] if isinstance(traces, str | PathLike) else traces))
    asked = Asked(config, files, tuple(policies), settings, drives, chunk_bytes, block_tokens, flash)
    trace = read_traces(list(files), block_tokens)
    whole = config.set("ssd.scale", 1.0)
    drive_bytes = drives * _striped(whole.host_bytes, drives, chunk_bytes)
    demands = [demand_of(trace, each, drive_bytes) for each in wanted]
    part = part_of(config, demands[0].block_bytes) if flash else config
    endurance = _endurance(whole, settings, drives)
    results = []
    notes: list[str] = list(_notes(part, flash))
    for number, (each, demand) in enumerate(zip(wanted, demands, strict=True)):
        side = None
        if flash:
            with reporting(progress) as callback:
                told = _share_of(callback, number, len(wanted))
                side = _simulate(part, trace, each, demand, drive_bytes, drives, chunk_bytes, told, notes)
        results.append(PolicyResult(each, demand, drive_bytes, endurance, side))
    notes += _warnings(results)
    if trace.requests[-1].at_ns == 0:
        notes.append("all requests come at one moment: rates and life are as if they came within 1 s")
    about = _about(part, whole, drives, trace, list(files), settings) | {"endurance": asdict(endurance)}
    return KvResult(tuple(results), about, tuple(dict.fromkeys(notes)), asked)


def part_of(config: Config, block_bytes: int) -> Config:
    """Returns the part of a drive that is simulated: as the configuration says, else the smallest like the whole."""
    if config["ssd.scale"] != 1:
        return config
    parts = 1
    while parts < PARTS_MAX and block_bytes // (2 * parts) >= SMALLEST_BLOCK:
        try:
            smaller = config.set("ssd.scale", 1 / (2 * parts))
        except OutOfRangeError:
            break
        config, parts = smaller, 2 * parts
    return config


def _endurance(whole: Config, settings: KvSettings, drives: int) -> Endurance:
    """Returns what the drive is rated for."""
    stated = rating(whole)
    if settings.rated_dwpd is not None:
        dwpd, source = settings.rated_dwpd, "given"
    elif stated.dwpd is not None:
        dwpd, source = stated.dwpd.value, stated.dwpd.source
    else:
        dwpd, source = USUAL_DWPD, "assumed: usual for read-intensive drives"
    blocks = whole["ssd.channels"] * whole["ssd.chips_per_channel"] * whole["ssd.dies_per_chip"]
    blocks *= whole["ssd.planes_per_die"] * whole["ssd.blocks_per_plane"]
    flash_bytes = drives * blocks * whole["ssd.pages_per_block"] * whole["ssd.page_bytes"]
    pec = stated.pec
    return Endurance(
        dwpd,
        settings.rated_years,
        source,
        flash_bytes,
        None if pec is None else pec.value,
        None if pec is None else pec.source,
    )


def _striped(drive_bytes: int, drives: int, chunk_bytes: int) -> int:
    """Returns the bytes of a drive that an array uses: whole chunks."""
    return drive_bytes if drives == 1 else drive_bytes // chunk_bytes * chunk_bytes


def _simulate(
    part: Config,
    trace: KvTrace,
    settings: KvSettings,
    demand: Demand,
    drive_bytes: int,
    drives: int,
    chunk_bytes: int,
    progress: ProgressCallback | None,
    notes: list[str],
) -> DriveSide:
    part_bytes = drives * _striped(part.host_bytes, drives, chunk_bytes)
    plan = plan_of(trace, settings, demand, part_bytes, drive_bytes)
    full = part.set("precondition.fill", 1.0)
    if settings.placement != PLACEMENTS[0]:
        full = placed(full, settings.placement)
    kept = _core.Drives()
    held = [open_drive(full.set("seed", full["seed"] + place), drives=kept) for place in range(drives)]
    try:
        threads = [settings.threads, settings.threads, 1]
        _, done, flags = _core.run_tasks(
            [each.core for each in held],
            part_bytes if drives == 1 else chunk_bytes,
            threads,
            _little(plan.at),
            _little(plan.pool),
            _little(plan.after),
            _little(plan.count),
            _little(plan.op),
            _little(plan.offset),
            _little(plan.length),
            plan.handle.tobytes(),
            mark_ns=plan.mark_ns,
            progress=raw(progress),
        )
        return _side(plan, part_bytes, _wide(done), flags, held, notes)
    finally:
        for each in held:
            each.close()


def _side(
    plan: Plan,
    part_bytes: int,
    done: array[int],
    flags: bytes,
    held: Sequence[Drive],
    notes: list[str],
) -> DriveSide:
    """Puts together what the drives say, in times of the whole."""
    factor = float(plan.factor)
    restores = tuple(
        Restore(
            float(at_ns * plan.factor) / NS_PER_S,
            len(places),
            float((max(done[place] for place in places) - at_ns) * plan.factor) / 1e6,
            any(flags[place] & BEHIND for place in places),
        )
        for at_ns, places in plan.restores
        if at_ns >= plan.mark_ns
    )
    documents = [each.result().document for each in held]
    notes += [line for document in documents[:1] for line in stand_in(document)]
    host = sum(int(document["written_bytes"]["host"]) for document in documents)
    media = sum(int(document["written_bytes"]["media"]) for document in documents)
    writes = _rates(plan, done, (WRITES, MOVES))
    reads = _rates(plan, done, (RESTORES,))
    return DriveSide(
        restores=restores,
        demanded_write_gb_s=writes[0],
        served_write_gb_s=writes[1],
        demanded_read_gb_s=reads[0],
        served_read_gb_s=reads[1],
        late_s=writes[2] * factor,
        write_amplification=media / host if host else None,
        layout_share=plan.layout_share,
        read_disturb_refreshes=sum(int(document["counters"]["ftl"]["read_reclaim_jobs"]) for document in documents),
        refreshes=sum(int(document["counters"]["ftl"]["refresh_jobs"]) for document in documents),
        failed=sum(flag >> 1 for flag in flags),
        drive_writes=plan.written_bytes / part_bytes,
        passes=plan.passes,
        factor=factor,
        simulated_s=max(done, default=0) / NS_PER_S,
    )


def _rates(plan: Plan, done: array[int], pools: tuple[int, ...]) -> tuple[float, float, float]:
    """Returns GB/s that pools were asked for and that the drive served, and how late the last was done, s."""
    places = [place for place, pool in enumerate(plan.pool) if pool in pools]
    if not places:
        return 0.0, 0.0, 0.0
    moved, first = 0, 0
    is_ours = set(pools)
    for pool, count in zip(plan.pool, plan.count, strict=True):
        if pool in is_ours:
            # A move reads and writes; what is written counts.
            moved += sum(
                plan.length[op]
                for op in range(first, first + count)
                if plan.op[op] == (0 if RESTORES in is_ours else 1)
            )
        first += count
    begin_ns, asked_ns = plan.at[places[0]], plan.at[places[-1]]
    done_ns = max(done[place] for place in places)
    late_ns = done_ns - asked_ns
    return (
        moved / max(1, asked_ns - begin_ns) * NS_PER_S / GB,
        moved / max(1, done_ns - begin_ns) * NS_PER_S / GB,
        late_ns / NS_PER_S,
    )


def _little(column: array[int]) -> bytes:
    import sys

    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


def _wide(column: bytes) -> array[int]:
    import sys

    numbers = array("Q")
    numbers.frombytes(column)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _share_of(callback: ProgressCallback | None, number: int, count: int) -> ProgressCallback | None:
    """Returns a callback that tells of one of several simulations."""
    if callback is None:
        return None
    tell: Callable[[Progress], object] = callback

    def report(now: Progress) -> None:
        fraction = None if now.fraction is None else (number + now.fraction) / count
        tell(replace(now, fraction=fraction))

    return report


def _about(
    part: Config, whole: Config, drives: int, trace: KvTrace, files: list[str], settings: KvSettings
) -> dict[str, Any]:
    asked = {name: value for name, value in asdict(settings).items() if name not in ("policy", "fill")}
    return {
        "config_hash": part.hash,
        "drives": drives,
        "drive_bytes": whole.host_bytes,
        "scale": part["ssd.scale"],
        "trace": {
            "files": files,
            "format": trace.format,
            "requests": len(trace.requests),
            "span_s": trace.span_ns / NS_PER_S,
            "block_tokens": trace.block_tokens,
            "block_bytes": trace.block_tokens * settings.bytes_per_token,
            "distinct_blocks": trace.distinct_blocks,
            "input_tokens": trace.input_tokens,
        },
        "settings": {**asked, "fill": settings.share},
    }


def _notes(part: Config, flash: bool) -> list[str]:
    if not flash or part["ssd.scale"] == 1:
        return []
    parts = round(1 / part["ssd.scale"])
    line = f"1/{parts} of the drive is simulated, with blocks 1/{parts} of their size and time {parts} times as fast"
    return [f"{line}; hits and bytes are those of the whole"]


def _warnings(results: Sequence[PolicyResult]) -> list[str]:
    lines = []
    for each in results:
        side, name = each.drive, each.settings.policy
        if side is None:
            continue
        if side.falls_behind:
            lines.append(
                f"{name}: the cache asks for {side.demanded_write_gb_s:.2f} GB/s of writes and the drive serves "
                f"{side.served_write_gb_s:.2f}: the last write is done {side.late_s:,.0f} s late"
            )
        if side.failed:
            lines.append(f"{name}: {side.failed:,} blocks could not be read or written")
        if side.drive_writes < 0.99 * each.settings.drive_writes:
            lines.append(f"{name}: the trace writes too little: {side.drive_writes:.3f} drive writes were simulated")
    return lines
