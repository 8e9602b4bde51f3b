"""`wordline compare SSD --placement plain,hints,fdp-ii,fdp-pi`: one workload, data kept apart in several ways."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options as opt
from . import talk
from .against import Against
from .errors import BadInputError
from .grouped import Options

if TYPE_CHECKING:
    from ..config import Config
    from ..result import Result


class Placed(Options):
    """How data are kept apart."""

    placement: Annotated[
        str | None,
        typer.Option(
            "--placement",
            metavar="LIST",
            help="Ways to keep data of handles apart, with commas between them: plain, hints, fdp-ii, fdp-pi.",
        ),
    ] = None


def compare_placements(
    ssd: str | None,
    config: Config,
    job: Path | None,
    source: opt.Source,
    replay: opt.Replay,
    lists: dict[str, list[Any]],
    wanted: Placed,
    targets: opt.Targets,
    repeats: opt.Repeats,
    measured: Against,
) -> None:
    """Runs the workload once on the drive with each placement, prints and writes what each handle costs."""
    from ..extras import need
    from ..output import json_document, placement_table
    from ..placements import PLACEMENTS, placed
    from ..progress import bar
    from .run import requests_of

    names = [name.strip() for name in str(wanted.placement).split(",")]
    for name in names:
        if name not in PLACEMENTS:
            raise BadInputError(f"--placement {name}: there is no such placement", f"there are {', '.join(PLACEMENTS)}")
        if names.count(name) > 1:
            raise BadInputError(f"--placement {name}: comes twice", "leave one of them out")
    for option, is_given in (
        ("--set with several values", bool(lists)),
        ("--seeds", repeats.seeds > 1),
        ("--until", bool(repeats.until)),
        ("--report", targets.report is not None),
        ("--only", measured.only is not None),
    ):
        if is_given:
            raise BadInputError(f"{option} does not go with --placement", "leave it out")
    if measured.plot is not None:
        need("--plot", "plot")
    results: list[tuple[str, Result]] = []
    with bar() as show:
        for number, name in enumerate(names):
            chosen = placed(config, name)
            requests = requests_of(ssd, chosen, job, source, replay, is_one_run=False)
            if show is not None:
                show("comparing", number / len(names), name)
            results.append((name, run_one(chosen, requests, repeats.requests)))
    # A key of one placement acts in no other.
    idle = [f"`{key}` has no effect" for key in ("fdp.handles", "ftl.streams", "ftl.placement")]
    for warning in dict.fromkeys(line for _, result in results for line in result.warnings):
        if not any(key in warning for key in idle):
            talk.warning(warning)
    rows = placement_table.rows([(name, result.to_dict()) for name, result in results])
    if measured.plot is not None:
        from ..output.plot.placement import draw

        draw(measured.plot, rows)
    if targets.out is not None:
        save(targets.out, results, rows)
    if targets.json:
        talk.data(json_document.text({"placements": rows}))
        return
    talk.show(lambda console: placement_table.show(rows, console))


def run_one(config: Config, requests: Any, count: int | None) -> Result:  # noqa: ANN401 - whatever a run takes
    """Runs one placement."""
    from ..api import run

    return run(config, requests, requests=count)


def save(out: Path, results: list[tuple[str, Result]], rows: list[dict[str, Any]]) -> None:
    """Writes the folder of a comparison: the rows as JSON and CSV, the result of each placement, and its FDP logs."""
    from ..output import json_document, placement_table
    from ..output.result_folder import folder

    with folder(out) as work:
        text = json_document.text({"placements": rows})
        (work / "placements.json").write_text(text, encoding="utf-8", newline="\n")
        placement_table.write_csv(work / "placements.csv", rows)
        for name, result in results:
            text = json_document.text(result.to_dict())
            (work / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
            for log, content in result.fdp_logs().items():
                text = json_document.text(content)
                (work / f"{name}-{log}.json").write_text(text, encoding="utf-8", newline="\n")
    talk.note(f"results in {out}")
