"""`wordline pts`: IOPS, throughput, latency and write saturation in steady state, after SNIA's PTS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import counts, talk
from . import options as opt
from .errors import BadInputError
from .grouped import Options

if TYPE_CHECKING:
    from rich.console import Console

    from wordline.pts import Cell, Measured

    from ..config import Config
    from ..progress import ProgressCallback
    from ..report import Entry
    from ..result import Result


QUICK_BYTES = 16 << 30
"""With --quick a larger drive is simulated as a part that the host sees as at most this many bytes."""


class Test(Options):
    """What is tested, and how long."""

    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="NAME", help="iops, throughput, latency or write-saturation; all by default."),
    ] = None
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Fewer mixes and block sizes, on a part of a large drive (see --scale)."),
    ] = False
    requests: Annotated[
        int,
        typer.Option(
            "--requests", "-n", parser=counts.from_thousand, metavar="N", help="Requests of a cell's first attempt."
        ),
    ] = 50_000
    until: Annotated[
        list[str] | None,
        typer.Option(
            "--until", metavar="GOAL", help='A cell runs on until an interval is so tight: "iops ±1%". Repeatable.'
        ),
    ] = None
    until_limit: Annotated[
        int,
        typer.Option(
            "--until-limit", min=1, metavar="N", help="At most N times the requests of a cell's first attempt."
        ),
    ] = 16


class Part(Options):
    """Which part of the drive is simulated, and how used it is."""

    scale: Annotated[
        str | None,
        typer.Option("--scale", metavar="1/N", help="Simulate a part of the drive (ssd.scale)."),
    ] = None
    steady: Annotated[
        bool,
        typer.Option(
            "--steady/--no-steady",
            help="Begin at the equilibrium of each load, or after one random overwrite as the specification does.",
        ),
    ] = True
    seed: opt.Seed = None


def pts(
    *,
    ssd: opt.SSD = None,
    sets: opt.Sets = None,
    test: Test,
    part: Part,
    targets: opt.Targets,
) -> None:
    """Measure an SSD in steady state, as SNIA's Performance Test Specification does.

    Each load runs on an SSD at its equilibrium, in rounds, until five rounds differ by at most 20 %, their slope is at
    most 10 % of their mean, and the rounds after them are as they are.
    """
    from .. import pts as rounds
    from ..output import json_document
    from .progress import of_run
    from .results import check_report

    if ssd is None:
        raise BadInputError("there is no SSD to test", "name a preset of `wordline presets`, or a configuration file")
    wanted = test.test or list(rounds.TESTS)
    for name in wanted:
        if name not in rounds.TESTS:
            raise BadInputError(f"--test {name}: no such test", f"tests: {', '.join(rounds.TESTS)}")
    check_report(targets.report)
    seed = [] if part.seed is None else [f"seed={part.seed}"]
    config = drive(ssd, [*seed, *(sets or [])], part.scale, test.quick)
    talk.of_drives([config])
    measured: dict[str, list[Measured]] = {}
    with of_run() as bar:

        def begin(cell: Cell) -> ProgressCallback | None:
            talk.note(f"{cell.test} {cell.name}")
            return bar

        for name in wanted:
            measured[name] = rounds.measure(
                config,
                name,
                quick=test.quick,
                steady=part.steady,
                requests=test.requests,
                goals=test.until or (),
                limit=test.until_limit,
                progress=begin,
            )
    document = {
        "config_hash": config.hash,
        "ssd": ssd,
        "scale": config["ssd.scale"],
        "stand_in": next((each.result.stand_in for cells in measured.values() for each in cells), None),
        "cells": [each.to_dict() for name in wanted for each in measured[name]],
    }
    try:
        if targets.out is not None:
            save(targets.out, document, measured)
        if targets.report is not None:
            from .results import write_report

            write_report(targets.report, title_of(document), entries(measured))
    finally:
        if targets.json:
            talk.data(json_document.text(document))
        else:
            show(measured)


def drive(ssd: str, sets: list[str], scale: str | None, quick: bool) -> Config:
    """Returns the drive: whole, or with --quick the largest part that is small enough."""
    from ..errors import OutOfRangeError
    from .source import configuration

    config = configuration(ssd, [*([] if scale is None else [f"ssd.scale={scale}"]), *sets])
    if not quick or scale is not None or config["ssd.scale"] != 1:
        return config
    parts = 1
    while config.host_bytes > QUICK_BYTES:
        parts *= 2
        try:
            config = configuration(ssd, [f"ssd.scale=1/{parts}", *sets])
        except OutOfRangeError:
            # Smaller parts have too few blocks to be like the whole.
            break
    if parts > 1:
        talk.note(f"--quick simulates a part of the drive, --scale 1/{round(1 / config['ssd.scale'])}")
    return config


def title_of(document: Mapping[str, Any]) -> str:
    """Returns the title of a report."""
    return f"Steady-state test of {Path(document['ssd']).name}"


def points(measured: Mapping[str, Sequence[Measured]]) -> list[tuple[dict[str, Any], Result]]:
    """Returns each cell's name and its run."""
    return [({"test": name, "cell": each.cell.name}, each.result) for name, cells in measured.items() for each in cells]


def entries(measured: Mapping[str, Sequence[Measured]]) -> list[Entry]:
    """Returns the runs of a report."""
    from ..report import Entry

    return [Entry(result, settings) for settings, result in points(measured)]


def save(out: Path, document: Mapping[str, Any], measured: Mapping[str, Sequence[Measured]]) -> None:
    """Writes what was measured (`pts.json`, `pts.csv`, `rounds.csv`), the runs, their record, a report and figures."""
    from ..output import json_document
    from ..output.result_folder import folder
    from .results import REPORT, Files, write_record, write_report, write_run

    runs = points(measured)
    with folder(out) as work:
        (work / "pts.json").write_text(json_document.text(document), encoding="utf-8", newline="\n")
        found = {"points": [{"set": settings, "result": result.to_dict()} for settings, result in runs]}
        (work / "points.json").write_text(json_document.text(found), encoding="utf-8", newline="\n")
        write_tables(work, document["cells"])
        for number, (_, result) in enumerate(runs, 1):
            place = work / "points" / f"{number:04}"
            place.mkdir(parents=True)
            write_run(place, result, Files())
            write_record(place, "run", [({}, result)])
        write_record(work, "pts", runs)
        write_report(work / REPORT, title_of(document), entries(measured))
        write_figures(work, measured)
    talk.note(f"results in {out}")


def write_tables(work: Path, cells: Sequence[Mapping[str, Any]]) -> None:
    """Writes a row a cell, and a row a round."""
    from ..output.csv_table import write_rows
    from ..result import flat

    rows = [flat({name: part for name, part in each.items() if name != "set"}) for each in cells]
    names = list(dict.fromkeys(name for row in rows for name in row))
    write_rows(work / "pts.csv", names, ([row.get(name) for name in names] for row in rows))
    rounds = (
        (each["test"], each["cell"], number, number * each["round_s"], iops)
        for each in cells
        for number, iops in enumerate(each["rounds_iops"], 1)
    )
    write_rows(work / "rounds.csv", ("test", "cell", "round", "end_s", "iops"), list(rounds))


def write_figures(work: Path, measured: Mapping[str, Sequence[Measured]]) -> None:
    """Draws the rounds of each test, if figures can be drawn."""
    from ..extras import is_there
    from ..pts.plot import draw
    from .results import left_out

    if not is_there("plot"):
        left_out("figures", "plot")
        return
    for name, cells in measured.items():
        for ending in ("png", "svg", "pdf"):
            draw(work / f"{name}.{ending}", cells)


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
