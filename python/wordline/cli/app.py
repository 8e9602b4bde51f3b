"""The whole command line as an app of typer's, for those who ask it: tests, and the pages of documentation."""

from __future__ import annotations

from .with_typer import build

app = build()
