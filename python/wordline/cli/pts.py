"""`wordline pts`: IOPS, throughput, latency and write saturation in steady state, after SNIA's PTS."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from . import talk
from .errors import BadInputError

if TYPE_CHECKING:
    from rich.console import Console

    from wordline.pts import Cell, Measured


def pts(
    ssd: opt.SSD = None,
    sets: opt.Sets = None,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="NAME", help="iops, throughput, latency or write-saturation; all by default."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer mixes and block sizes.")] = False,
    requests: Annotated[
        int, typer.Option("--requests", min=1000, metavar="N", help="Requests of a cell's first attempt.")
    ] = 50_000,
    out: opt.Out = None,
    json: opt.Json = False,
) -> None:
    """Measure an SSD in steady state, as SNIA's Performance Test Specification does.

    Each load runs on a purged or preconditioned SSD, in rounds, until five rounds differ by at most 20 % and their
    slope is at most 10 % of their mean.
    """
    from .. import pts as rounds
    from ..output import json_document
    from .progress import of_run
    from .source import configuration

    if ssd is None:
        raise BadInputError("there is no SSD to test", "name a preset of `wordline presets`, or a configuration file")
    wanted = test or list(rounds.TESTS)
    for name in wanted:
        if name not in rounds.TESTS:
            raise BadInputError(f"--test {name}: no such test", f"tests: {', '.join(rounds.TESTS)}")
    config = configuration(ssd, sets or [])
    measured: dict[str, list[Measured]] = {}
    with of_run() as bar:

        def begin(cell: Cell) -> object:
            talk.note(f"{cell.test} {cell.name}")
            return bar

        for name in wanted:
            measured[name] = rounds.measure(config, name, quick=quick, requests=requests, progress=begin)  # type: ignore[arg-type]
    document = {
        "config_hash": config.hash,
        "ssd": ssd,
        "stand_in": next((each.result.stand_in for cells in measured.values() for each in cells), None),
        "cells": [each.to_dict() for name in wanted for each in measured[name]],
    }
    try:
        if out is not None:
            save(out, document, measured)
    finally:
        if json:
            talk.data(json_document.text(document))
        else:
            show(measured)


def save(out: Path, document: Mapping[str, object], measured: dict[str, list[Measured]]) -> None:
    """Writes `pts.json` and, if figures can be drawn, one for each test."""
    from ..extras import is_there
    from ..output import json_document
    from ..output.result_folder import folder
    from ..pts.plot import draw
    from .results import left_out

    with folder(out) as work:
        (work / "pts.json").write_text(json_document.text(document), encoding="utf-8", newline="\n")
        if not is_there("plot"):
            left_out("figures", "plot")
            measured = {}
        for name, cells in measured.items():
            for ending in ("png", "svg", "pdf"):
                draw(work / f"{name}.{ending}", cells)
    talk.note(f"results in {out}")


def show(measured: dict[str, list[Measured]]) -> None:
    """Prints one row per cell: the means over its steady window."""
    from ..output.certainty import stand_in
    from ..output.console import grid
    from ..output.numbers import NOTHING, count, measure, percent
    from ..pts.rounds import ROUNDS

    table = grid("test", "read/write, block", "steady IOPS", "range", "slope", "rounds", "MB/s", "mean us", "WA")
    for name, cells in measured.items():
        for each in cells:
            window, level = each.window, each.steady
            steady = (
                ("not steady", *[NOTHING] * 6)
                if window is None or level is None
                else (
                    count(window.mean),
                    percent(window.spread),
                    percent(window.slope),
                    f"{window.first + 1} to {window.first + ROUNDS} of {len(each.rounds)}",
                    measure(level.bandwidth_mb_s),
                    measure(level.mean_us),
                    measure(level.write_amplification),
                )
            )
            table.add_row(name, each.cell.name, *steady)
    documents = [each.result.document for cells in measured.values() for each in cells]
    lines = dict.fromkeys(line for document in documents for line in stand_in(document))

    def present(console: Console) -> None:
        console.print(table)
        for line in lines:
            console.print(line, style="dim", markup=False)

    talk.show(present)
