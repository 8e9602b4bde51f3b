"""`wordline schema config`."""

from __future__ import annotations

from . import talk


def config() -> None:
    """Print the JSON Schema of a configuration file.

    Editors check and complete TOML files by it: each key with its type, range, default, unit and help.
    """
    from ..config_schema import schema
    from ..output.json_document import text

    talk.data(text(schema()))
