"""Damaged files give a result or one of the package's errors: a sample of what `make soak` reads."""

from pathlib import Path

import pytest

import reader_fuzz
from wordline.errors import WordlineError
from wordline.sweeps.spec import Spec


@pytest.mark.parametrize("kind", reader_fuzz.KINDS)
def test_damaged_files_are_read_or_refused(kind: str) -> None:
    done = reader_fuzz.hunt(kind, 0, 400)
    assert done["refused"] > 200
    # Of the points in the cache only those pass of which nothing was changed.
    assert done["read"] > 10 or kind == "cache"


def test_a_sweep_of_far_too_many_points_is_refused_before_they_are_made() -> None:
    text = (Path(reader_fuzz.ROOT) / "examples" / "retries.toml").read_text()
    for changed in ("seeds = 92233720", "seeds = 300000"):
        with pytest.raises(WordlineError, match=r"points are too many for one sweep; give it at most 1,000,000"):
            Spec.parse(text.replace("seeds = 2 ", changed)).points()
