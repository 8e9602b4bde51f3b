"""`wordline nvme`: what nvme-cli would read from the drive of a saved run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

    def command(*, folder: Run, json: opt.Json = False) -> None:
        logs = drive_of(folder).fdp_logs()
        if not logs:
            raise BadInputError(
                f"{folder}: its drive has no Flexible Data Placement", "run it with --set fdp.isolation=initially"
            )
        show(logs[name], json)

    command.__name__, command.__doc__ = name, about
    return command


def smart_log(*, folder: Run, json: opt.Json = False) -> None:
    """Data units and commands of the host, power cycles, media errors."""
    from ..output.nvme_smart import smart_log as log
    from ..stats.lifetime import rating

    result = drive_of(folder)
    rated = rating(result.config).pec
    show(log(result.to_dict(), None if rated is None else rated.value), json)


def smart_add_log(*, folder: Run, json: opt.Json = False) -> None:
    """Bytes programmed and read, erase counts, recoveries by parity."""
    from ..output.nvme_smart import smart_add_log as log

    show(log(drive_of(folder).to_dict()), json)


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


def show(log: Mapping[str, Any], as_json: bool) -> None:
    """Prints a log: as JSON, or a line for each number."""
    if as_json:
        from ..output.json_document import text

        talk.data(text(log))
        return
    talk.data("".join(f"{line}\n" for line in lines(log)))


def lines(log: Mapping[str, Any], indent: str = "") -> list[str]:
    """Returns a line for each number of a log; an item of a list stands in one."""
    width = max((len(key) for key, value in log.items() if not isinstance(value, list)), default=0)
    told = []
    for key, value in log.items():
        if isinstance(value, list):
            told += [f"{indent}{key}[{place}]  {in_one_line(item)}" for place, item in enumerate(value)]
        else:
            told.append(f"{indent}{key:<{width}}  {in_one_line(value)}")
    return told


def in_one_line(value: Any) -> str:  # noqa: ANN401 - whatever JSON has
    """Returns a value as it stands in a line."""
    if isinstance(value, Mapping):
        return "  ".join(f"{key} {in_one_line(each)}" for key, each in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(in_one_line(each) for each in value) + "]"
    return str(value)
