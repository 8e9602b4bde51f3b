"""The page of the Python interface has all that is public."""

from __future__ import annotations

import re

import wordline
import wordline_papers
from docs_playground import ROOT
from wordline import sweeps


def test_the_reference_has_every_name() -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    named = set(re.findall(r"^\.\. auto\w+:: ([\w.]+)$", text, re.MULTILINE))
    public = {f"wordline.{name}" for name in set(wordline.__all__) - {"__version__", "WordlineError"}}
    # Those of `wordline.sweeps` are there under its name; a `Measurement` is the type of what claims return.
    ours = {name for name in wordline_papers.__all__ if not hasattr(sweeps, name)} - {"Measurement"}
    assert public | {f"wordline_papers.{name}" for name in ours} <= named
