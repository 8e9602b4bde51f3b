"""`wordline explain erase`: an erase of one block under each scheme, pulse by pulse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .assignment import alternatives, split

if TYPE_CHECKING:
    from ..config import Config

KEY = "erase.scheme"
# The schemes that AERO compares.
SCHEMES = ("ispe", "i-ispe", "dpes", "aero-cons", "aero")
# The SSD whose chips are shown by default.
SSD = "aero"


def erase(
    ssd: opt.SSD = None,
    sets: opt.Sets = None,
    hardness: Annotated[
        float,
        typer.Option(
            "--hardness",
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="The block: its rank in how hard it is to erase, 0 to 1.",
        ),
    ] = 0.5,
    json: opt.Json = False,
    plot: opt.Figure = None,
) -> None:
    """Draw the erase of a block under one or more schemes: pulses, verifies, fail bits, voltages, total time.

    Schemes are a comma list, as in --set erase.scheme=ispe,aero; without it those that AERO compares are drawn. The
    block's age and wear are reliability.pec and reliability.worn_by.
    """
    from .source import configuration

    schemes, rest = wanted(sets or [])
    documents = [explained(configuration(ssd or SSD, [*rest, f"{KEY}={scheme}"]), hardness) for scheme in schemes]
    if plot is not None:
        from ..output.plot.erase import draw
        from ..output.plot.figure_data import data_path

        draw(plot, documents)
        talk.note(f"figure in {plot}, its data in {data_path(plot)}")
    if json:
        from ..output.json_document import text

        talk.data(text(documents))
        return
    from ..output.erase_drawing import show

    talk.show(lambda console: show(documents, console))


def wanted(sets: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the requested schemes, and the other settings."""
    pairs = [(split(text), text) for text in sets]
    named = [value for (key, value), _ in pairs if key == KEY]
    schemes = alternatives(named[-1]) if named else list(SCHEMES)
    return schemes, [text for (key, _), text in pairs if key != KEY]


def explained(config: Config, hardness: float) -> dict[str, Any]:
    """One erase, as `--json` shows it.

    Raises:
        WrongValueError: For a chip of whose erases nothing is known.
        BadInputError: For the scheme `fixed`, which has no loops.
    """
    from ..lab import EraseBench
    from .errors import BadInputError

    if config[KEY] == "fixed":
        raise BadInputError(f"{KEY} = fixed is one pulse of nand.erase_us", f"name one of {', '.join(SCHEMES)}")
    return EraseBench(config).steps(hardness)
