"""Whether the compiled part of a checkout is older than its Python sources, as after a pull without a build."""

from __future__ import annotations

from pathlib import Path

__all__ = ["outdated"]

OUTDATED = "the compiled part is older than the Python sources: run `make setup`"


def outdated(extension: Path) -> str:
    """Returns a sentence that says so, or an empty one.

    The declaration of the extension changes with what Python asks of it; an installed package has both of one build.

    Args:
        extension: The file of the extension, in the package's folder.
    """
    declared = extension.with_name("_core.pyi")
    try:
        is_checkout = (extension.parents[2] / "crates").is_dir()
        is_older = extension.stat().st_mtime < declared.stat().st_mtime
    except (OSError, IndexError):
        return ""
    return OUTDATED if is_checkout and is_older else ""
