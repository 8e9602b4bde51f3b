"""A resolved configuration as TOML; each line says who set its key."""

from __future__ import annotations

import re

from ..config import SAVED_HEAD, Config

__all__ = ["annotated"]

SECTION = re.compile(r"\[([\w.]+)\]")
KEY = re.compile(r"([\w-]+) = ")
HEAD = f"{SAVED_HEAD} `wordline rerun DIR` repeats the run with its workload."


def annotated(config: Config) -> str:
    """Returns `Config.to_toml` with a comment after each key: the layer and line that set it, and its documentation."""
    origins, section, lines = config.origins(), "", [HEAD]
    for line in config.to_toml().splitlines():
        if match := SECTION.fullmatch(line):
            section = f"{match[1]}."
        elif (match := KEY.match(line)) and (origin := origins.get(f"{section}{match[1]}")) is not None:
            comment = " ".join(f"{origin}; {origin.comment}".split()).removesuffix(";")
            line = f"{line} # {comment}"  # noqa: PLW2901 - the same line, longer
        lines.append(line)
    return "\n".join(lines) + "\n"
