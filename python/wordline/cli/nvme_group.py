"""`wordline nvme`: what nvme-cli would read from the drive of a saved run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .errors import BadInputError
from .grouped import add
from .paths import READS

if TYPE_CHECKING:
    from ..result import Result

FDP = {
    "configs": "Reclaim groups, handles with their types, bytes of a reclaim unit.",
    "stats": "Bytes that the host wrote, that were programmed, and that were erased.",
    "status": "What is left of the reclaim unit of each placement identifier.",
    "usage": "Which handles the host has written to.",
    "events": "The last events: 63 of the host, and 63 of the controller.",
}
ABOUT_FDP = "Logs of Flexible Data Placement."
ABOUT_OCP = "Logs of the Open Compute Project."
Run = Annotated[
    str, typer.Argument(metavar="DIR[:N]", help="A folder that --out wrote, or the Nth row of its table."), READS
]
FORMATS = ("normal", "json")
Format = Annotated[
    str, typer.Option("--output-format", "-o", metavar="FORMAT", help="As in nvme-cli: normal, or json (as --json).")
]


def group(settings: dict[str, Any]) -> typer.Typer:
    """Returns the command `nvme` with its logs."""
    app, fdp, ocp = (
        typer.Typer(no_args_is_help=True, rich_markup_mode=None, context_settings=settings) for _ in range(3)
    )
    for name, about in FDP.items():
        add(fdp, name, fdp_log(name, about))
    add(ocp, "smart-add-log", smart_add_log)
    add(app, "smart-log", smart_log)
    app.add_typer(fdp, name="fdp", help=ABOUT_FDP, short_help=ABOUT_FDP)
    app.add_typer(ocp, name="ocp", help=ABOUT_OCP, short_help=ABOUT_OCP)
    return app


def fdp_log(name: str, about: str) -> Callable[..., None]:
    """Returns the command that prints a log of Flexible Data Placement."""

    def command(*, folder: Run, output_format: Format = "normal", json: opt.Json = False) -> None:
        from ..output.nvme_text import FDP as TEXT

        as_json = is_json(output_format, json)
        logs = drive_of(folder).fdp_logs()
        if not logs:
            raise BadInputError(
                f"{folder}: its drive has no Flexible Data Placement", "run it with --set fdp.isolation=initially"
            )
        show(logs[name], TEXT[name](logs[name]), as_json)

    command.__name__, command.__doc__ = name, about
    return command


def smart_log(*, folder: Run, output_format: Format = "normal", json: opt.Json = False) -> None:
    """Data units and commands of the host, power cycles, media errors."""
    from ..output import nvme_smart, nvme_text
    from ..stats.lifetime import rating

    as_json = is_json(output_format, json)
    result = drive_of(folder)
    rated = rating(result.config).pec
    log = nvme_smart.smart_log(result.to_dict(), None if rated is None else rated.value)
    show(log, nvme_text.smart_log(log, folder), as_json)


def smart_add_log(*, folder: Run, output_format: Format = "normal", json: opt.Json = False) -> None:
    """Bytes programmed and read, erase counts, recoveries by parity."""
    from ..output import nvme_smart, nvme_text

    as_json = is_json(output_format, json)
    log = nvme_smart.smart_add_log(drive_of(folder).to_dict())
    show(log, nvme_text.smart_add_log(log), as_json)


def is_json(output_format: str, json: bool) -> bool:
    """Returns True if JSON is asked for, by nvme-cli's option or by ours.

    Raises:
        BadInputError: The format is none of both.
    """
    if output_format not in FORMATS:
        raise BadInputError(f'"{output_format}" is no format of this log', f"take {' or '.join(FORMATS)}")
    return json or output_format == "json"


def drive_of(folder: str) -> Result:
    """Returns the result of a saved run.

    Raises:
        BadInputError: There are several, or it has not what the logs are made of.
    """
    from ..record.changes import rows_of

    rows = rows_of(folder)
    if len(rows) != 1:
        raise BadInputError(f"{folder} has {len(rows)} runs", f"name one of them, such as {folder}:1")
    result = rows[0][1]
    if "life" not in result.document:
        raise BadInputError(f"{folder} is of an earlier version, which kept no life of the drive", "run it again")
    return result


def show(log: Mapping[str, Any], text: Iterable[str], as_json: bool) -> None:
    """Prints a log: as JSON, or in the lines of nvme-cli."""
    if as_json:
        from ..output.json_document import text as json_text

        talk.data(json_text(log))
        return
    talk.data("".join(f"{line}\n" for line in text))
