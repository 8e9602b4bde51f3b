"""`wordline examples`: the files of the documentation's commands, for users without a checkout."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from . import talk
from .errors import BadInputError
from .paths import KEEPS

FILES = Path(__file__).parents[1] / "examples"
# Path of the schemas in the examples of a checkout; copies have them in their own folder.
SCHEMAS = "../schemas/"


def examples(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="The folder to write to; existing files are not replaced."), KEEPS
    ] = Path("examples"),
) -> None:
    """Write the example files that the documentation's commands use, and the schemas by which editors check them."""
    from ..config_schema import schema
    from ..flow_file import flow_schema
    from ..output.json_document import text
    from ..sweeps.schema import sweep_schema

    files = {each.name: each.read_text(encoding="utf-8").replace(SCHEMAS, "./") for each in FILES.iterdir()}
    schemas = {"config": schema, "sweep": sweep_schema, "flows": flow_schema}
    files |= {f"{name}.json": text(make()) for name, make in schemas.items()}
    for name in files:
        if os.path.lexists(folder / name):
            raise BadInputError(f"{folder / name} is there already", "name another folder: wordline examples DIR")
    write(folder, files)
    talk.note(f"{len(files)} files in {folder}: {', '.join(sorted(files))}")


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes new files into a folder: all, or none.

    Raises:
        OSError: One of them cannot be written.
    """
    from ..storage import named

    made: list[Path] = []
    try:
        with named(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                with (folder / name).open("x", encoding="utf-8", newline="\n") as file:
                    made.append(folder / name)
                    file.write(content)
    except BaseException:
        for each in made:
            each.unlink(missing_ok=True)
        raise
