"""`wordline table`: a drive as a table over depth, size and read share, for other simulators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as opt
from . import talk
from .errors import BadInputError
from .grouped import Options

if TYPE_CHECKING:
    from rich.console import Console

    from ..drive_table import DriveTable, Form

PERCENT = 100.0


class Axes(Options):
    """What the table is over."""

    depths: Annotated[str, typer.Option("--depths", metavar="N,N,…", help="Requests under way.")] = "1,4,16,64"
    sizes: Annotated[str, typer.Option("--sizes", metavar="SIZE,SIZE,…", help="Bytes of a request.")] = (
        "4KiB,16KiB,64KiB,256KiB,2MiB"
    )
    reads: Annotated[str, typer.Option("--reads", metavar="P,P,…", help="Share of reads, percent.")] = "100,75,50,25,0"
    state: Annotated[
        list[str] | None,
        typer.Option(
            "--state",
            metavar="NAME",
            help="The drive before each load: fresh (half filled, nothing is collected) or steady (at the equilibrium "
            "of the load). Repeatable; both by default.",
        ),
    ] = None


class Effort(Options):
    """How much is measured."""

    scale: Annotated[
        str | None,
        typer.Option("--scale", metavar="1/N", help="Measure a part of the drive; by default one of at most 16 GiB."),
    ] = None
    requests: Annotated[
        int | None,
        typer.Option(
            "--requests",
            "-n",
            min=100,
            metavar="N",
            help="Requests of a cell; fewer where they would move over 4 GiB. By default 20,000, and in the steady "
            "state until 1/32 of the drive is written.",
        ),
    ] = None
    points: Annotated[
        int,
        typer.Option(
            "--points",
            min=0,
            max=1000,
            metavar="N",
            help="In so many points between the cells of each state, interpolation is compared with a run.",
        ),
    ] = 8


def table(
    ssd: opt.SSD = None,
    *,
    sets: opt.Sets = None,
    axes: Axes,
    effort: Effort,
    form: Annotated[
        str | None,
        typer.Option("--for", metavar="NAME", help="Also the keys of another simulator: blis or aisimulate."),
    ] = None,
    out: opt.Out = None,
    json: opt.Json = False,
) -> None:
    """Measure a drive over depth, size and read share, as a table for other simulators.

    With --out it is there as CSV, JSON and Parquet, with a reader that needs NumPy alone. The error
    of interpolation is measured on points that are not in the table.
    """
    from ..drive_table import FORMS, STATES, form_of
    from ..drive_table import cells as cells_of
    from ..drive_table import table as measure
    from ..drive_table.measure import part_of
    from ..errors import ConfigError
    from ..output import json_document
    from .progress import of_run
    from .source import configuration

    if ssd is None:
        raise BadInputError("there is no SSD", "name a preset of `wordline presets`, or a configuration file")
    if form is not None and form not in FORMS:
        raise BadInputError(f"--for {form}: unknown", f"take {', '.join(FORMS)}")
    wanted = axes_of(axes)
    states = axes.state or list(STATES)
    if form is not None and not {0.0, 1.0} <= set(wanted[2]):
        raise BadInputError(f"--for {form}: the table needs reads alone and writes alone", "give --reads 100,0")
    try:
        cells_of(*wanted, states)
    except ConfigError as error:
        raise BadInputError(str(error)) from None
    config = configuration(ssd, [*([] if effort.scale is None else [f"ssd.scale={effort.scale}"]), *(sets or [])])
    if (part := part_of(config)) is not config:
        talk.note(f"a part of the drive is measured, --scale 1/{round(1 / part['ssd.scale'])}")
    talk.of_drives([part])
    with of_run() as bar:
        made = measure(
            config,
            depths=wanted[0],
            sizes=wanted[1],
            read_shares=wanted[2],
            states=states,
            requests=effort.requests,
            check_points=effort.points,
            progress=bar,
        )
    keys = None if form is None else form_of(form, made.rows, "steady" if "steady" in states else states[0])
    document = {"ssd": ssd, **made.to_dict(), "form": None if keys is None else vars(keys)}
    try:
        if out is not None:
            save(out, made, keys, json_document.text(document))
    finally:
        if json:
            talk.data(json_document.text(document))
        elif keys is not None:
            talk.data(keys.text())
        else:
            show(made)


def axes_of(axes: Axes) -> tuple[list[int], list[int], list[float]]:
    """Returns depths, sizes in bytes and read shares.

    Raises:
        BadInputError: One of them is no list of numbers.
    """
    from ..errors import ConfigError
    from ..kv_cache.settings import bytes_of

    try:
        depths = [int(part) for part in axes.depths.split(",")]
    except ValueError:
        raise BadInputError(f"--depths {axes.depths}: no list of whole numbers", "write 1,4,16") from None
    try:
        sizes = [bytes_of("--sizes", part) for part in axes.sizes.split(",")]
    except ConfigError as error:
        raise BadInputError(str(error)) from None
    try:
        reads = [float(part) / PERCENT for part in axes.reads.split(",")]
    except ValueError:
        raise BadInputError(f"--reads {axes.reads}: no list of percentages", "write 100,50,0") from None
    return depths, sizes, reads


def save(out: Path, made: DriveTable, keys: Form | None, text: str) -> None:
    """Writes the table as CSV, JSON and Parquet, its reader, and the keys of another simulator."""
    from .. import extras
    from ..drive_table import reader
    from ..output.result_folder import folder
    from .results import left_out

    with folder(out) as work:
        made.write_csv(work / "table.csv")
        (work / "table.json").write_text(text, encoding="utf-8", newline="\n")
        (work / "read_table.py").write_text(
            Path(reader.__file__).read_text(encoding="utf-8"), encoding="utf-8", newline="\n"
        )
        if keys is not None:
            (work / f"{keys.name}.yaml").write_text(keys.text(), encoding="utf-8", newline="\n")
        if extras.is_there("tables"):
            columns = {name: [row[name] for row in made.rows] for name in made.rows[0]}
            extras.parquet.write_table(extras.pa.table(columns), work / "table.parquet", compression="zstd")
        else:
            left_out("table.parquet", "tables")
    talk.note(f"results in {out}")


def show(made: DriveTable) -> None:
    """Prints a row a cell, and the error of interpolation."""
    from ..output.console import grid
    from ..output.numbers import measure, percent, size

    rows = grid("drive", "size", "reads", "depth", "MB/s", "read mean us", "p99", "write mean us", "p99", "WA")
    for row in made.rows:
        rows.add_row(
            row["state"],
            size(row["size_bytes"]),
            percent(row["read_share"]),
            f"{row['depth']:,}",
            *(
                measure(row[name])
                for name in (
                    "bandwidth_mb_s",
                    "read_mean_us",
                    "read_p99_us",
                    "write_mean_us",
                    "write_p99_us",
                    "write_amplification",
                )
            ),
        )
    errors = grid("error of interpolation", "number", "mean", "median", "largest", "points")
    for each in made.errors:
        errors.add_row(
            each.state, each.name, percent(each.mean), percent(each.median), percent(each.max), f"{each.points}"
        )

    def present(console: Console) -> None:
        console.print(rows)
        if made.errors:
            console.print()
            console.print(errors)

    talk.show(present)
