"""Figures that commands draw into a file."""

from __future__ import annotations

from pathlib import Path

from ..output.plot.figure_data import data_path
from .errors import BadInputError
from .paths import Declared, Use


def check_figure(option: str, path: Path) -> None:
    """Checks before the work whether a figure can be written.

    Raises:
        BadInputError: The suffix is not a format of figures, or the folder does not exist.
        MissingExtraError: A package that draws it is not installed.
    """
    from ..extras import need
    from ..output.plot.style import ENDINGS

    if path.suffix.lower().removeprefix(".") not in ENDINGS:
        raise BadInputError(f"{option} {path}: not a format of figures", f"let its name end in .{', .'.join(ENDINGS)}")
    if not path.absolute().parent.is_dir():
        raise BadInputError(f"{option} {path}: there is no folder {path.parent}", "make it first")
    need(option, "plot")


FIGURE = Declared(Use.WRITE, beside=lambda figure: [data_path(figure)], check=check_figure)
"""A figure, whose data go beside it."""
