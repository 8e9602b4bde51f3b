"""`wordline kv`: how long a drive lives under a KV cache of LLM serving, and how long its restores take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .errors import BadInputError
from .grouped import Options
from .paths import READS

if TYPE_CHECKING:
    from rich.console import Console

    from ..kv_cache import KvResult, KvSettings, PolicyResult


class Cache(Options):
    """The cache and its host."""

    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="When a block is written: through (when it is computed), on-evict (when it leaves DRAM), second-use. "
            "Repeatable; all by default.",
        ),
    ] = None
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="NAME|BYTES",
            help="Bytes a token: llama-3.1-8b (128 KiB), llama-3.1-70b, qwen2.5-7b, qwen3-14b, deepseek-v3, or a "
            "number such as 128KiB.",
        ),
    ] = "llama-3.1-8b"
    dram: Annotated[str, typer.Option("--dram", metavar="SIZE", help="DRAM for blocks, before the SSD.")] = "256GB"
    eviction: Annotated[str, typer.Option("--eviction", metavar="NAME", help="Which block leaves: lru or fifo.")] = (
        "lru"
    )
    layout: Annotated[
        str,
        typer.Option(
            "--layout",
            metavar="NAME",
            help="slot (overwritten in place), file (a file a block, trimmed), bucket (appended, emptied, trimmed).",
        ),
    ] = "slot"
    bucket: Annotated[str, typer.Option("--bucket", metavar="SIZE", help="Bytes of a bucket.")] = "256MiB"
    fill: Annotated[
        float | None,
        typer.Option("--fill", metavar="SHARE", help="Share of the drive for blocks: 1; 0.9 with buckets."),
    ] = None
    placement: Annotated[
        str,
        typer.Option(
            "--placement",
            metavar="NAME",
            help="How the drive keeps new blocks, used blocks, moved blocks and the journal apart: plain (not at all), "
            "hints, fdp-ii, fdp-pi.",
        ),
    ] = "plain"
    block_tokens: Annotated[
        int | None,
        typer.Option(
            "--block-tokens", min=1, max=1 << 20, metavar="N", help="Tokens of a block; by default as the trace has it."
        ),
    ] = None


class Moves(Options):
    """How blocks are moved."""

    command: Annotated[str, typer.Option("--command", metavar="SIZE", help="Largest read or write.")] = "1MiB"
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            metavar="N",
            help="Threads that restore, and as many that write; each moves a block at a time, command by command.",
        ),
    ] = 32
    compute: Annotated[
        float,
        typer.Option(
            "--tokens-per-s",
            metavar="RATE",
            help="How fast a request's missing blocks are computed (and written then).",
        ),
    ] = 10_000.0
    drives: Annotated[
        int, typer.Option("--drives", min=1, max=256, metavar="N", help="So many of the drive, striped.")
    ] = 1


class Length(Options):
    """How much is simulated."""

    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            metavar="1/N",
            help="Simulate a part of the drive, with smaller blocks and faster time; by default the smallest that is "
            "like the whole.",
        ),
    ] = None
    drive_writes: Annotated[
        float,
        typer.Option(
            "--drive-writes",
            metavar="N",
            help="The trace is repeated, with new blocks each time, until the drive is written so often; the second "
            "half is measured.",
        ),
    ] = 2.0
    bytes_only: Annotated[
        bool, typer.Option("--bytes-only", help="Hits and bytes alone: no flash is simulated, and no time.")
    ] = False


class Rating(Options):
    """What the drive is rated for."""

    dwpd: Annotated[
        float | None,
        typer.Option("--dwpd", metavar="N", help="Rated drive writes a day; by default as the preset says, or 1."),
    ] = None
    years: Annotated[float, typer.Option("--years", metavar="N", help="Over so many years.")] = 5.0


def kv(
    ssd: opt.SSD = None,
    traces: Annotated[
        list[str] | None,
        typer.Argument(metavar="TRACE...", help="Traces of LLM serving: Mooncake's or Qwen-Bailian's JSONL."),
        READS,
    ] = None,
    *,
    sets: opt.Sets = None,
    cache: Cache,
    moves: Moves,
    length: Length,
    rating: Rating,
    out: opt.Out = None,
    json: opt.Json = False,
) -> None:
    """Say how long an SSD lives under the KV cache of an LLM service, and how long its restores take.

    The trace says which blocks each request needs. DRAM and SSD keep blocks: what is on the SSD alone is restored, what
    is nowhere is computed, and written as the policy says.
    """
    from ..errors import ConfigError
    from ..kv_cache import POLICIES
    from ..kv_cache import kv as simulate
    from ..output import json_document
    from .progress import of_run
    from .source import configuration

    if ssd is None:
        raise BadInputError("there is no SSD", "name a preset of `wordline presets`, or a configuration file")
    if not traces:
        raise BadInputError("there is no trace", "name a file of Mooncake's or Qwen-Bailian's form after the SSD")
    try:
        settings = settings_of(cache, moves, length, rating)
    except ConfigError as error:
        raise BadInputError(str(error)) from None
    check_effect(settings, bytes_only=length.bytes_only)
    config = configuration(ssd, [*([] if length.scale is None else [f"ssd.scale={length.scale}"]), *(sets or [])])
    with of_run() as bar:
        result = simulate(
            config,
            traces,
            policies=cache.policy or list(POLICIES),
            settings=settings,
            drives=moves.drives,
            block_tokens=cache.block_tokens,
            flash=not length.bytes_only,
            progress=bar,
        )
    document = {"ssd": ssd, **result.to_dict()}
    try:
        if out is not None:
            save(out, document, result)
    finally:
        if json:
            talk.data(json_document.text(document))
        else:
            show(result)


def check_effect(settings: KvSettings, *, bytes_only: bool) -> None:
    """Refuses an option that changes nothing beside others.

    Raises:
        BadInputError: There is one.
    """
    usual = type(settings)()
    if settings.layout != "bucket" and settings.bucket_bytes != usual.bucket_bytes:
        raise BadInputError(f"--bucket has no effect with --layout {settings.layout}", "give --layout bucket")
    of_flash = {"--placement": "placement", "--command": "command_bytes", "--threads": "threads"}
    for option, name in of_flash.items():
        if bytes_only and getattr(settings, name) != getattr(usual, name):
            raise BadInputError(f"{option} has no effect with --bytes-only", "leave one of them out")


def settings_of(cache: Cache, moves: Moves, length: Length, rating: Rating) -> KvSettings:
    """Returns the settings that the options mean.

    Raises:
        ConfigError: One of them makes no sense.
    """
    from ..kv_cache import KvSettings
    from ..kv_cache.settings import bytes_of

    return KvSettings(
        eviction=cache.eviction,
        layout=cache.layout,
        bytes_per_token=KvSettings.token(cache.model),
        dram_bytes=bytes_of("--dram", cache.dram),
        fill=cache.fill,
        bucket_bytes=bytes_of("--bucket", cache.bucket),
        placement=cache.placement,
        command_bytes=bytes_of("--command", moves.command),
        threads=moves.threads,
        tokens_per_s=moves.compute,
        drive_writes=length.drive_writes,
        rated_dwpd=rating.dwpd,
        rated_years=rating.years,
    )


def save(out: Path, document: dict[str, Any], result: KvResult) -> None:
    """Writes what came out: `kv.json`, a row a policy, a row a restore, the figure, and the record."""
    from ..extras import is_there
    from ..output import json_document
    from ..output.csv_table import write_rows
    from ..output.result_folder import folder
    from ..record.kv_runs import KV, record_of
    from ..record.record import RECORD
    from ..result import flat
    from .invocation import command
    from .results import left_out

    with folder(out) as work:
        (work / KV).write_text(json_document.text(document), encoding="utf-8", newline="\n")
        (work / RECORD).write_text(record_of(result, command()).to_toml(), encoding="utf-8", newline="\n")
        rows = [flat(each) for each in document["policies"]]
        names = list(dict.fromkeys(name for row in rows for name in row))
        write_rows(work / "policies.csv", names, [[row.get(name) for name in names] for row in rows])
        restores = [
            (each.settings.policy, restore.at_s, restore.blocks, restore.time_ms, int(restore.behind_own_work))
            for each in result.policies
            if each.drive is not None
            for restore in each.drive.restores
        ]
        if restores:
            write_rows(work / "restores.csv", ("policy", "at_s", "blocks", "time_ms", "behind_own_work"), restores)
        if is_there("plot"):
            from ..kv_cache.plot import draw

            for ending in ("png", "svg", "pdf"):
                draw(work / f"life.{ending}", document)
        else:
            left_out("figures", "plot")
    talk.note(f"results in {out}")


def show(result: KvResult) -> None:
    """Prints the answer, a row a policy, and what has to be known."""
    from ..output.console import grid
    from ..output.numbers import NOTHING, measure, percent

    trace = result.about["trace"]
    table = grid(
        "write policy",
        "life, years",
        "cells, years",
        "drive writes/day",
        "writes GB/s, asked / served",
        "restores GB/s, asked / served",
        "TB/M tokens",
        "hits DRAM",
        "hits SSD",
        "restore p50 ms",
        "p99 ms",
        "behind GC",
        "WA",
        "refreshes",
    )
    for each in result.policies:
        side, demand = each.drive, each.demand
        times = None if side is None else side.restore_times
        row = [
            each.settings.policy,
            measure(each.life_years),
            measure(each.cells_years),
            measure(each.drive_writes_a_day),
            *rates(each),
            measure(each.tb_per_million_tokens),
            percent(demand.dram_hit_share),
            percent(demand.ssd_hit_share),
        ]
        if side is None or times is None:
            row += [NOTHING] * 5
        else:
            row += [
                *(measure(None if time is None else time / 1000) for time in (times.p50, times.p99)),
                percent(side.behind_own_work_share),
                measure(side.write_amplification),
                f"{side.read_disturb_refreshes:,}",
            ]
        table.add_row(*row)

    def present(console: Console) -> None:
        for each in result.policies:
            console.print(headline(each.settings.policy, each.life_years, each.drive_writes_a_day), markup=False)
        console.print()
        console.print(table)
        console.print(
            f"{trace['requests']:,} requests of {trace['format']} in {trace['span_s']:,.0f} s; a block has "
            f"{trace['block_tokens']} tokens and {trace['block_bytes'] / (1 << 20):,.1f} MiB",
            style="dim",
            markup=False,
        )
        rated = result.about["endurance"]
        console.print(
            f"rated for {rated['dwpd']:g} drive writes a day over {rated['years']:g} years: {rated['source']}",
            style="dim",
            markup=False,
        )
        if rated["pec"] is not None:
            console.print(
                f"cells endure {rated['pec']:,.0f} P/E cycles: {rated['pec_source']}", style="dim", markup=False
            )
        for line in result.notes:
            console.print(line, style="dim", markup=False)

    talk.show(present)


def rates(policy: PolicyResult) -> tuple[str, ...]:
    """What is asked of the drive, and what it serves: writes and restores. Without flash, what the trace asks for."""
    from ..output.numbers import NOTHING, measure

    side, demand = policy.drive, policy.demand
    if side is None:
        return tuple(
            f"{measure(rate / 1e9)} / {NOTHING}" for rate in (demand.write_bytes_per_s, demand.read_bytes_per_s)
        )
    return (
        f"{measure(side.demanded_write_gb_s)} / {measure(side.served_write_gb_s)}",
        f"{measure(side.demanded_read_gb_s)} / {measure(side.served_read_gb_s)}",
    )


def headline(policy: str, years: float | None, writes: float) -> str:
    """The answer in a line."""
    from ..output.numbers import measure

    if years is None:
        return f"{policy}: nothing is written"
    life = f"{measure(years)} years" if years >= 1 else f"{measure(years * 365)} days"
    return f"{policy}: the drive reaches its rated writes after {life} ({measure(writes)} drive writes a day)"
