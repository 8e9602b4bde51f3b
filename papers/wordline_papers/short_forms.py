"""The fingerprints of all studies' short forms, as the tree gives them now: papers/short_forms.toml.

A change that keeps them keeps results. One that changes them renews the file, and makes full runs due: the scoreboard
says so, and a release waits for them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from wordline.errors import StudyError

from .checkout import ROOT

__all__ = ["FILE", "load", "save"]

FILE = Path("papers") / "short_forms.toml"
HEAD = """\
# The fingerprint of each study's short form in this state of the tree: of what `wordline reproduce all --quick`
# measures where no real traces are at hand. Made by `wordline reproduce all --short-forms`, in a minute or two.
# If a study had another one on its last full run, a full run is due before a release.

"""


def load(root: Path = ROOT) -> dict[str, str]:
    """Returns the fingerprints by study; none outside of a checkout.

    Raises:
        StudyError: The file is damaged.
    """
    path = root / FILE
    if not path.is_file():
        return {}
    try:
        return {name: str(each) for name, each in tomllib.loads(path.read_text(encoding="utf-8")).items()}
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{path}: {error}; run `wordline reproduce all --short-forms`", file=str(path)) from None


def save(hashes: Mapping[str, str], root: Path = ROOT) -> None:
    """Writes the fingerprints of some studies; the others keep theirs.

    Raises:
        StudyError: The file is damaged.
        OSError: It cannot be written.
    """
    lines = [f'{name} = "{each}"\n' for name, each in sorted({**load(root), **hashes}.items())]
    (root / FILE).write_text(HEAD + "".join(lines), encoding="utf-8", newline="\n")
