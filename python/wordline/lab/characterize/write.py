"""Characterises a chip: computes, draws and writes every figure."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import extras
from ...config import Config
from ...inputs import clash, inputs_of
from ...output.csv_table import write_rows
from .figure import Figure, Rows
from .lab import BLOCKS, Lab, LeftOut
from .registry import FIGURES

__all__ = ["MARK", "Document", "Drawn", "characterize"]

MARK = "characterize.json"
FORMATS = ("svg", "png")
Show = Callable[[int, int, Figure], object]


@dataclass(frozen=True)
class Drawn:
    """A figure with its numbers.

    Attributes:
        figure: The figure.
        rows: Its numbers.
    """

    figure: Figure
    rows: Rows

    @property
    def says(self) -> str:
        """The summary of the numbers in one line."""
        return self.figure.says(self.rows)

    def columns(self) -> dict[str, list[Any]]:
        """Returns the numbers by column."""
        return {key: [row[key] for row in self.rows] for key in self.rows[0]}


@dataclass(frozen=True)
class Document:
    """The result of a characterisation.

    Attributes:
        config: The configuration of the chip.
        drawn: The figures.
        left_out: Names of the figures that do not apply to the chip, with the reason.
    """

    config: Config
    drawn: Sequence[Drawn]
    left_out: Sequence[tuple[str, str]]

    def to_dict(self, *, data: bool = True) -> dict[str, Any]:
        """Returns the result for JSON; without `data`, the numbers in separate files are left out."""
        chip = Lab(self.config).chip
        figures = [
            {
                "name": each.figure.name, "title": each.figure.title, "like": each.figure.source, "says": each.says,
                **({"data": each.columns()} if data else {}),
            }
            for each in self.drawn
        ]  # fmt: skip
        return {
            "chip": chip.name, "description": chip.description, "cell": chip.cell, "parts": list(chip.parts),
            "retry_table": self.config["cells.retry_table"], "erase_table": self.config["cells.erase_table"],
            "seed": self.config["seed"], "figures": figures,
            "left_out": [{"name": name, "why": why} for name, why in self.left_out],
        }  # fmt: skip


def characterize(
    config: Config,
    *,
    out: Path | None = None,
    figures: Sequence[Figure] = FIGURES,
    blocks: int = BLOCKS,
    progress: Show | None = None,
) -> Document:
    """Computes the figures of a chip lab for a configuration's chip.

    Args:
        config: Selects the chip (`cells.chip`), the user's measurements, and the seed.
        out: A folder for `characterize.json`, and for SVG, PNG, CSV and Parquet of each figure; it appears complete or
            not at all. None: nothing is written or drawn.
        figures: The figures to compute.
        blocks: Number of blocks on each of 160 chips whose pages are read.
        progress: Called before each figure with its number, the number of figures, and the figure.

    Raises:
        WrongValueError: The configuration names no chip.
        MissingExtraError: Files are requested, but the packages that draw them are not installed.
        FileExistsError: `out` exists and is not an earlier result, or holds a file of the configuration.
        OSError: It cannot be written.
    """
    from ...output.result_folder import folder

    if out is not None and (why := clash(out, inputs_of(config))) is not None:
        raise FileExistsError(errno.EEXIST, f"{why}; name another folder", str(out))
    lab = Lab(config, blocks)
    _ = lab.chip
    if out is None:
        return _work(lab, figures, None, progress)
    extras.need("characterize", "plot", "tables")
    with folder(out) as work:
        document = _work(lab, figures, work, progress)
        text = json.dumps(document.to_dict(data=False), indent=2, ensure_ascii=False) + "\n"
        (work / MARK).write_text(text, encoding="utf-8", newline="\n")
    return document


def _work(lab: Lab, figures: Sequence[Figure], out: Path | None, progress: Show | None) -> Document:
    drawn: list[Drawn] = []
    left_out: list[tuple[str, str]] = []
    for number, figure in enumerate(figures):
        if progress is not None:
            progress(number, len(figures), figure)
        if figure.needs not in ("none", *lab.chip.parts):
            left_out.append((figure.name, f"the chip has no [{figure.needs}] part"))
            continue
        try:
            rows = figure.data(lab)
        except LeftOut as reason:
            left_out.append((figure.name, str(reason)))
            continue
        drawn.append(Drawn(figure, rows))
        if out is not None:
            _write(drawn[-1], out)
    return Document(lab.config, drawn, left_out)


def _write(drawn: Drawn, out: Path) -> None:
    from ...output.plot import style

    name = drawn.figure.name
    drawing = drawn.figure.draw(drawn.rows)
    with extras.mpl.rc_context(style.SETTINGS):
        style.save(drawing, *(out / f"{name}.{ending}" for ending in FORMATS))
    columns = drawn.columns()
    write_rows(out / f"{name}.csv", list(columns), zip(*columns.values(), strict=True))
    extras.parquet.write_table(extras.pa.table(columns), out / f"{name}.parquet", compression="zstd")
