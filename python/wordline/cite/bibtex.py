"""Works as BibTeX."""

from __future__ import annotations

from collections.abc import Iterable

from .works import Work

__all__ = ["bibtex"]


def bibtex(works: Iterable[Work]) -> str:
    """The entries of works, a blank line between them."""
    return "\n".join(_entry(work) for work in works)


def _entry(work: Work) -> str:
    width = max(map(len, work.fields))
    lines = [f"  {name:<{width}} = {{{value}}}," for name, value in work.fields.items()]
    return "\n".join([f"@{work.kind}{{{work.key},", *lines, "}\n"])
